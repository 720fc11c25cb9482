/* The intrinsic functions as functions of the one evaluator. Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_FUNCTIONS_H
#define LINTEL_DIALECTS_CFN_FUNCTIONS_H

#include "dialects/cfn/run.h"

/* The definition of a function; NULL for directives and what is no function of the evaluator. */
const struct fn_def *cfn_functions_get(enum cfn_function f);

/* Of Ref and GetAtt with computed names. */
const struct fn_def *cfn_functions_get_computed(enum cfn_function f);

value cfn_fn_ref(struct fn_call *c);     /* with a computed name */
value cfn_fn_get_att(struct fn_call *c); /* likewise */
value cfn_fn_sub(struct fn_call *c);
value cfn_fn_join(struct fn_call *c);
value cfn_fn_split(struct fn_call *c);
value cfn_fn_select(struct fn_call *c);
value cfn_fn_find_in_map(struct fn_call *c);
value cfn_fn_if(struct fn_call *c);
value cfn_fn_base64(struct fn_call *c);
value cfn_fn_cidr(struct fn_call *c);
value cfn_fn_get_azs(struct fn_call *c);
value cfn_fn_import_value(struct fn_call *c);
value cfn_fn_get_stack_output(struct fn_call *c);
value cfn_fn_transform(struct fn_call *c);
value cfn_fn_equals(struct fn_call *c);
value cfn_fn_and(struct fn_call *c);
value cfn_fn_or(struct fn_call *c);
value cfn_fn_not(struct fn_call *c);
value cfn_fn_contains(struct fn_call *c);
value cfn_fn_each_member_equals(struct fn_call *c);
value cfn_fn_each_member_in(struct fn_call *c);
value cfn_fn_ref_all(struct fn_call *c);
value cfn_fn_value_of(struct fn_call *c);
value cfn_fn_value_of_all(struct fn_call *c);
value cfn_fn_length(struct fn_call *c);
value cfn_fn_to_json_string(struct fn_call *c);

/* --- what they share (support.c) --- */
struct cfn_run *cfn_call_run(const struct fn_call *c);
const struct cfn_site *cfn_call_site(const struct fn_call *c);
/* Whether an argument is unknown (somewhere in it) or failed. */
bool cfn_call_waits(const struct fn_call *c);
bool cfn_value_waits(value v);
/* Reports at an argument (SIZE_MAX: the call), the function's name in front; the error value with the call as written.
 */
value cfn_call_fail(struct fn_call *c, enum diag_code code, size_t arg, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The text of an argument; false after a report: `*failed` is then what the call gives. */
bool cfn_call_text(struct fn_call *c, size_t arg, sv *text, value *failed);
/* Text that was made. */
value cfn_call_string(struct fn_call *c, sv text);
/* "a string", "a list": kinds in the words of templates. */
const char *cfn_value_kind(value v);

/* A whole number; false after a report. */
bool cfn_call_integer(struct fn_call *c, size_t arg, int64_t *n, value *failed);
/* What was looked up for this call: unknown gets the call as its residual. */
value cfn_call_found(struct fn_call *c, value v);
/* What a function made, with a residual when sensitive values are in it (CF-255). */
value cfn_call_seal(struct fn_call *c, value v);

/* --- residual.c --- */
/* The unknown that a call with unknown arguments gives (CF-025). `result` is unknown, or sensitive. */
value cfn_residual_put(struct fn_call *c, value result);
value cfn_residual(struct fn_call *c);
/* The node that stands for the value of an argument, written as `written`. */
struct node *cfn_residual_node(struct cfn_run *run, value v, const struct node *written);
/* A call's node: short where it was short and can be. */
struct node *cfn_call_node(struct arena *a, enum cfn_function f, bool is_short, struct node *argument);
/* The tree of a value, unknown and withheld parts as their residuals. */
struct node *cfn_value_to_node(struct cfn_run *run, value v);
/* Printed as something else than itself: unknown, or sensitive and not to be shown. */
bool cfn_value_is_withheld(const struct cfn_run *run, value v);
/* --- residual_sub.c: the argument of Sub, and how to write one of its names outside (CF-106) --- */
struct node *cfn_sub_residual(struct fn_call *c);
/* The text of placeholders of a Sub or Join; false when a part has none. */
bool cfn_placeholder_get(struct cfn_run *run, value v, sv *text);

/* The evaluator's hooks, `user` is the run. */
extern const struct eval_ops cfn_eval_ops;
extern const struct eval_policy cfn_eval_policy;

#endif
