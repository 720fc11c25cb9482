/* What the functions of dynaml share. Internal to the room. */
#ifndef LINTEL_DIALECTS_DYNAML_INTERNAL_H
#define LINTEL_DIALECTS_DYNAML_INTERNAL_H

#include "dialects/dynaml/functions.h"
#include "dialects/dynaml/grammar.h"

enum { DYNAML_COMPARE_DEPTH = 2000 };

/* Fails with this issue text, as it is (DY-080). */
value dynaml_fail(struct fn_call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the run: limit `name` of `limit` is exceeded (DY-362). */
value dynaml_exceed(struct fn_call *c, sv name, uint64_t limit);
size_t dynaml_get_item_limit(const struct fn_call *c);
/* Longest text of a result (limit `file`). */
size_t dynaml_get_text_limit(const struct fn_call *c);
value dynaml_exceed_text(struct fn_call *c);

/* A lambda, not a template. */
bool dynaml_is_lambda(value v);
sv dynaml_get_lambda_text(struct arena *a, value lambda);
/* In YAML, on one line where it is a scalar: how values stand in the printed form of lambdas. */
void dynaml_print_value(struct buf *out, value v);
/* A computed string, marked when it is an expression text (DY-103). The text is borrowed. */
value dynaml_make_string(struct arena *a, sv text);

/* A built-in function: it checks the number and kinds of its arguments itself, in its own words. */
#define DYNAML_FUNCTION_WITH(id, number, how, function, text, code)           \
    static const struct fn_param fn_##id##_params[] = {                       \
        {.name = SV_INIT("value"), .type = &type_any, .flags = FN_VARIADIC}}; \
    static const struct fn_def fn_##id = {.name = SV_INIT(#id),               \
                                          .rule = SV_INIT(number),            \
                                          .params = fn_##id##_params,         \
                                          .param_count = 1,                   \
                                          .result = &type_any,                \
                                          .flags = (how) | FN_SEES_NULL,      \
                                          .call = (function),                 \
                                          .summary = SV_INIT(text),           \
                                          .example = SV_INIT(code)}
#define DYNAML_FUNCTION(id, number, function, text, code) \
    DYNAML_FUNCTION_WITH(id, number, FN_PURE, function, text, code)

#endif
