/* Comparison and simple arithmetic of numbers (FN-174 to FN-177, FN-190 to FN-192). */
#include "fn/internal.h"

#include "base/num.h"

#include <inttypes.h>

static int compare(value a, value b) {
    if (a.kind == VALUE_INT && b.kind == VALUE_INT) {
        return (a.integer > b.integer) - (a.integer < b.integer);
    }
    if (a.kind == VALUE_INT) {
        return num_cmp_i64_double(a.integer, b.number);
    }
    if (b.kind == VALUE_INT) {
        return -num_cmp_i64_double(b.integer, a.number);
    }
    return (a.number > b.number) - (a.number < b.number);
}

/* Sets `order`; false with the result when there is nothing to compare (FN-014). */
static bool take_order(struct fn_call *c, int *order, value *result) {
    if (!fn_take_args(c, result)) {
        return false;
    }
    if (c->args[0].kind == VALUE_ABSENT || c->args[1].kind == VALUE_ABSENT) {
        *result = value_bool(false);
        return false;
    }
    *order = compare(c->args[0], c->args[1]);
    return true;
}

static value call_gt(struct fn_call *c) {
    int order = 0;
    value result = {0};
    return take_order(c, &order, &result) ? value_bool(order > 0) : result;
}

static value call_ge(struct fn_call *c) {
    int order = 0;
    value result = {0};
    return take_order(c, &order, &result) ? value_bool(order >= 0) : result;
}

static value call_lt(struct fn_call *c) {
    int order = 0;
    value result = {0};
    return take_order(c, &order, &result) ? value_bool(order < 0) : result;
}

static value call_le(struct fn_call *c) {
    int order = 0;
    value result = {0};
    return take_order(c, &order, &result) ? value_bool(order <= 0) : result;
}

/* The argument that is furthest in one direction; a float if any argument is one. */
static value pick(struct fn_call *c, int direction) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    value best = c->args[0];
    bool has_float = false;
    for (size_t i = 0; i < c->count; i++) {
        has_float |= c->args[i].kind == VALUE_FLOAT;
        best = compare(c->args[i], best) * direction > 0 ? c->args[i] : best;
    }
    if (!has_float || best.kind != VALUE_INT) {
        return best;
    }
    if (!type_fits_value(&type_float, best)) {
        return fn_call_fail(c, DIAG_invalid_function_argument, SIZE_MAX, "%" PRId64 " is too large for a float",
                            best.integer); /* BP-032 */
    }
    return value_float((double)best.integer);
}

static value call_min(struct fn_call *c) {
    return pick(c, -1);
}

static value call_max(struct fn_call *c) {
    return pick(c, 1);
}

static value call_abs(struct fn_call *c) {
    value failed = {0}, v = c->args[0];
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    if (v.kind == VALUE_FLOAT) {
        return value_float(v.number <= 0 ? 0 - v.number : v.number);
    }
    if (v.integer == INT64_MIN) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 0, "the smallest integer has no absolute value");
    }
    return value_int(v.integer < 0 ? -v.integer : v.integer);
}

static const struct type *get_number_type(const struct fn_check *c) {
    bool all_int = true, any_float = false;
    for (size_t i = 0; i < c->count; i++) {
        all_int &= c->types[i]->kind == TYPE_INT;
        any_float |= c->types[i]->kind == TYPE_FLOAT;
    }
    return all_int ? &type_int : any_float ? &type_float : &type_number;
}

static const struct fn_param order_params[] = {
    {SV_INIT("left"), &type_number, 0, SV_INIT("")},
    {SV_INIT("right"), &type_number, 0, SV_INIT("")},
};
static const struct fn_param many_params[] = {{SV_INIT("numbers"), &type_number, FN_VARIADIC, SV_INIT("one or more")}};
static const struct fn_param abs_params[] = {{SV_INIT("of"), &type_number, 0, SV_INIT("")}};

#define NUMBER_FN(fn_name, fn_rule, parameters, count, type, body)                                            \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Numbers"), .params = (parameters), \
    .param_count = (count), .result = (type), .call = (body)

static const struct fn_def fn_abs = {
    NUMBER_FN("abs", "FN-192", abs_params, 1, &type_number, call_abs),
    .flags = FN_PURE,
    .result_type = get_number_type,
    .summary = SV_INIT("The number without its sign."),
    .example = SV_INIT("abs(-1.5)"),
    .example_result = SV_INIT("1.5"),
};
static const struct fn_def fn_ge = {
    NUMBER_FN("ge", "FN-175", order_params, 2, &type_bool, call_ge),
    .flags = FN_PURE | FN_SEES_ABSENT,
    .summary = SV_INIT("Whether the first number is greater than the second or equal to it."),
    .example = SV_INIT("ge(2, 2.0)"),
    .example_result = SV_INIT("true"),
};
static const struct fn_def fn_gt = {
    NUMBER_FN("gt", "FN-174", order_params, 2, &type_bool, call_gt),
    .flags = FN_PURE | FN_SEES_ABSENT,
    .summary = SV_INIT("Whether the first number is greater than the second."),
    .example = SV_INIT("gt(3, 2.5)"),
    .example_result = SV_INIT("true"),
};
static const struct fn_def fn_le = {
    NUMBER_FN("le", "FN-177", order_params, 2, &type_bool, call_le),
    .flags = FN_PURE | FN_SEES_ABSENT,
    .summary = SV_INIT("Whether the first number is less than the second or equal to it."),
    .example = SV_INIT("le(2, 2)"),
    .example_result = SV_INIT("true"),
};
static const struct fn_def fn_lt = {
    NUMBER_FN("lt", "FN-176", order_params, 2, &type_bool, call_lt),
    .flags = FN_PURE | FN_SEES_ABSENT,
    .summary = SV_INIT("Whether the first number is less than the second."),
    .example = SV_INIT("lt(2.5, 2)"),
    .example_result = SV_INIT("false"),
};
static const struct fn_def fn_max = {
    NUMBER_FN("max", "FN-191", many_params, 1, &type_number, call_max),
    .flags = FN_PURE,
    .result_type = get_number_type,
    .summary = SV_INIT("The greatest number; a float if any argument is one."),
    .example = SV_INIT("max(3, 2.5)"),
    .example_result = SV_INIT("3.0"),
};
static const struct fn_def fn_min = {
    NUMBER_FN("min", "FN-190", many_params, 1, &type_number, call_min),
    .flags = FN_PURE,
    .result_type = get_number_type,
    .summary = SV_INIT("The smallest number; a float if any argument is one."),
    .example = SV_INIT("min(10, 5, 8)"),
    .example_result = SV_INIT("5"),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_abs, &fn_ge, &fn_gt, &fn_le, &fn_lt, &fn_max, &fn_min,
};
const struct fn_table fn_table_numbers = {defs, FN_COUNT(defs)};
