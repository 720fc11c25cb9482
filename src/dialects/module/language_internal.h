/* What the files of the language share. */
#ifndef LINTEL_DIALECTS_MODULE_LANGUAGE_INTERNAL_H
#define LINTEL_DIALECTS_MODULE_LANGUAGE_INTERNAL_H

#include "dialects/module/language.h"

/* The operators' functions. */
extern const struct fn_def module_or, module_and, module_eq, module_ne, module_lt, module_le, module_gt, module_ge,
    module_not, module_add, module_subtract, module_multiply, module_divide, module_default, module_negate;

extern const struct fn_table module_text_functions, module_collection_functions, module_data_functions;

/* What a built-in function takes: kinds per argument, of the letters n b s l m (null boolean … are told by `x`: any).
 * The last repeats when `repeats`. `fn_def.data` of each points to one. */
struct module_signature {
    const char *kinds[3];
    size_t count;
    bool repeats;
    value (*run)(struct fn_call *c);
};
/* `fn_def.call` of all built-in functions: checks the arguments (MD-130), then runs. */
value module_call(struct fn_call *c);
const struct fn_def *module_make_unknown(struct arena *a, sv name);

/* A failure at the call, or at one of its arguments. */
value module_fail(struct fn_call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
value module_fail_at(struct fn_call *c, size_t arg, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A number as a value; fails when it is not finite (MD-111). */
value module_make_number(struct fn_call *c, double x);
double module_get_number(value v);
bool module_is_number(value v);
sv module_get_text(const struct fn_call *c, size_t arg);

/* The row of a function in its table. */
#define MODULE_FN(fn_name, signature, text, sample, sample_result)                                              \
    {                                                                                                           \
        .name = SV_INIT(fn_name), .rule = SV_INIT("MD-130"), .family = SV_INIT("module"), .params = module_any, \
        .param_count = 1, .result = &type_any, .flags = FN_PURE | FN_SEES_NULL, .call = module_call,            \
        .data = &(signature), .summary = SV_INIT(text), .example = SV_INIT(sample),                             \
        .example_result = SV_INIT(sample_result)                                                                \
    }
extern const struct fn_param module_any[1];

#endif
