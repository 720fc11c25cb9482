/* Static checks, which make expressions of calls on the way (CF-006). Internal to the room.
 *
 * One walk over what is written; all independent mistakes are reported. A broken call becomes an ERROR expression. */
#ifndef LINTEL_DIALECTS_CFN_CHECK_H
#define LINTEL_DIALECTS_CFN_CHECK_H

#include "dialects/cfn/functions.h"
#include "dialects/cfn/nesting.h"
#include "dialects/cfn/run.h"
#include "dialects/cfn/sections.h"

struct cfn_check {
    struct cfn_run *run;
    struct arena *arena;
    struct cfn_template *t;
    enum cfn_section section;
    const struct cfn_resource *resource; /* whose attributes are checked; NULL: none */
    bool no_resources;                   /* in Conditions, Rules, names of exports: E cfn_resource_dependency */
    enum diag_code dependency_code;      /* what a needed resource is reported as then */
    bool is_early;                       /* before expansion: resources are not known yet */
    struct depth_guard depth;
};

struct cfn_check cfn_check_start(struct cfn_run *run, enum cfn_section section);

/* Everything after expansion; makes the template's parts and expressions. */
void cfn_check_template(struct cfn_run *run);

/* --- check.c --- */
/* What stands at an argument: an expression, never NULL. */
const struct expr *cfn_check_argument(struct cfn_check *c, const struct node *n, enum cfn_argument argument);
/* A call that was recognised: nesting, place, its own rules. */
const struct expr *cfn_check_call(struct cfn_check *c, const struct node *n, const struct cfn_call *call,
                                  enum cfn_argument argument);
/* Data with calls in it: the way down to them, NULL when there are none. */
struct cfn_part *cfn_check_data(struct cfn_check *c, const struct node *n, enum cfn_argument argument);
/* Data that has no calls: E cfn_place for each. */
void cfn_check_plain(struct cfn_check *c, const struct node *n);

struct expr *cfn_expr_error(struct cfn_check *c, const struct node *n);
const struct expr *cfn_expr_literal(struct cfn_check *c, const struct node *n);
const struct expr *cfn_expr_text(struct cfn_check *c, span at, sv text);
struct cfn_site *cfn_site_new(struct cfn_check *c, const struct node *n, const struct cfn_call *call);
/* Takes `count` arguments. */
struct expr *cfn_expr_call(struct cfn_check *c, struct cfn_site *site, const struct expr **args, uint32_t count);

/* The items of a call's argument list; false after a report when there are not `min` to `max`. */
struct cfn_items {
    struct node *const *items;
    uint32_t count;
};
bool cfn_check_items(struct cfn_check *c, const struct cfn_call *call, uint32_t min, uint32_t max,
                     struct cfn_items *result);
/* A literal string; false after a report (`what` names it). */
bool cfn_check_text(struct cfn_check *c, const struct node *n, const char *what, sv *text);
struct diag *cfn_check_fail(struct cfn_check *c, enum diag_code code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* --- check_ref.c --- */
const struct expr *cfn_check_ref(struct cfn_check *c, const struct node *n, const struct cfn_call *call,
                                 enum cfn_argument argument);
const struct expr *cfn_check_get_att(struct cfn_check *c, const struct node *n, const struct cfn_call *call);
/* What a name means: fills target, number, symbol; false after a report. */
bool cfn_check_name(struct cfn_check *c, struct cfn_site *site, sv name, span at);
bool cfn_check_attribute(struct cfn_check *c, struct cfn_site *site, sv id, sv attribute, span at);
/* Whether a loop that is left as it is may make the name (CF-129). */
bool cfn_loops_may_make(const struct cfn_template *t, sv name);
/* `Id.Attribute`, with a point inside. */
bool cfn_check_dotted(struct cfn_check *c, struct cfn_site *site, sv text, span at);
const struct cfn_symbol *cfn_symbol_put(struct cfn_template *t, struct cfn_resource *r, sv attribute);

/* --- check_sub.c --- */
const struct expr *cfn_check_sub(struct cfn_check *c, const struct node *n, const struct cfn_call *call);
/* `layout` of a Ref or GetAtt that is a name in the text of a Sub. */
enum { CFN_IN_SUB = 1 };
/* Texts between the arguments of a Sub, and which argument follows. */
struct cfn_sub_part {
    sv text;      /* literal text in front */
    uint32_t arg; /* CFN_NONE: the end */
    sv name;      /* as written between the braces */
};
struct cfn_sub {
    const struct cfn_sub_part *parts;
    size_t count;
    const struct node *string, *map; /* map: NULL for a Sub of one string */
    const sv *keys;                  /* of the map, by argument; empty for names of the template; NULL without a map */
};

/* --- check_calls.c, check_condition.c --- */
const struct expr *cfn_check_function(struct cfn_check *c, const struct node *n, const struct cfn_call *call);
const struct expr *cfn_check_condition(struct cfn_check *c, const struct node *n, const struct cfn_call *call);
const struct expr *cfn_check_rule_function(struct cfn_check *c, const struct node *n, const struct cfn_call *call);
/* The expression of a condition, in Conditions or Rules. */
const struct expr *cfn_check_condition_node(struct cfn_check *c, const struct node *n);
/* The number of a condition named by a literal; CFN_NONE after a report. */
uint32_t cfn_check_condition_name(struct cfn_check *c, const struct node *n);
/* CF-070, CF-071. */
void cfn_check_conditions(struct cfn_run *run);
void cfn_check_rules(struct cfn_run *run);
/* --- check_resource.c --- */
void cfn_check_types(struct cfn_check *c);
bool cfn_policy_is_good(bool is_deletion, sv text);
/* A policy that was computed. */
void cfn_policy_check(struct cfn_run *run, const struct node *made, const struct node *written, bool is_deletion);
void cfn_check_resource(struct cfn_check *c, struct cfn_resource *r);
void cfn_check_output(struct cfn_check *c, struct cfn_output *o);

#endif
