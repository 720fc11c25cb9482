/* Operators (MD-112 … MD-116). */
#include "dialects/module/language_internal.h"

#include <math.h>

const struct fn_param module_any[1] = {{SV_INIT("value"), &type_any, FN_OPTIONAL | FN_VARIADIC, SV_INIT("")}};

/* --- failures --- */

static span get_span(const struct fn_call *c, size_t arg) {
    if (c->expr == NULL)
        return eval_get_span(c->ev);
    return arg < c->expr->count ? c->expr->call.args[arg]->at : c->expr->at;
}

value module_fail_at(struct fn_call *c, size_t arg, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv message = arena_vprintf(c->arena, format, args);
    va_end(args);
    return eval_fail(c->ev, DIAG_module_value, get_span(c, arg), "%.*s", SV_ARG(message));
}

value module_fail(struct fn_call *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv message = arena_vprintf(c->arena, format, args);
    va_end(args);
    return module_fail_at(c, SIZE_MAX, "%.*s", SV_ARG(message));
}

bool module_is_number(value v) {
    return v.kind == VALUE_INT || v.kind == VALUE_FLOAT;
}

double module_get_number(value v) {
    return v.kind == VALUE_INT ? (double)v.integer : v.number;
}

value module_make_number(struct fn_call *c, double x) {
    return isfinite(x) ? value_number(x) : module_fail(c, "number out of range");
}

static value fail_operands(struct fn_call *c) {
    return module_fail(c, "'%.*s' is not defined for %s and %s", SV_ARG(c->fn->name), module_kind_name(c->args[0]),
                       module_kind_name(c->args[1]));
}

/* --- logic: from left to right, the right side only when it decides --- */

static value call_either(struct fn_call *c, bool decider) {
    bool is_unknown = false;
    for (size_t i = 0; i < 2; i++) {
        if (c->args[i].kind == 0)
            return fn_call_force(c, i);
        if (c->args[i].kind == VALUE_UNKNOWN) {
            is_unknown = true; /* MD-119: the other one may decide */
            continue;
        }
        if (c->args[i].kind != VALUE_BOOL)
            return module_fail_at(c, i, "'%.*s' needs booleans", SV_ARG(c->fn->name));
        if (c->args[i].boolean == decider)
            return value_bool(decider);
    }
    return is_unknown ? value_unknown(&type_bool) : value_bool(!decider);
}

static value call_and(struct fn_call *c) {
    return call_either(c, false);
}

static value call_or(struct fn_call *c) {
    return call_either(c, true);
}

static value call_not(struct fn_call *c) {
    if (c->args[0].kind != VALUE_BOOL)
        return module_fail(c, "'!' needs a boolean");
    return value_bool(!c->args[0].boolean);
}

/* MD-116 */
static value call_default(struct fn_call *c) {
    if (c->args[0].kind == 0)
        return fn_call_force(c, 0);
    if (c->args[0].kind != VALUE_NULL)
        return c->args[0];
    return c->args[1].kind == 0 ? fn_call_force(c, 1) : c->args[1];
}

/* --- comparison --- */

/* MD-115. What holds something unknown may be equal yet. */
static value compare_equal(struct fn_call *c, bool wanted) {
    value a = c->args[0], b = c->args[1];
    if (value_eq(a, b))
        return value_bool(wanted);
    bool may_be = (a.kind == VALUE_LIST || a.kind == VALUE_MAP) && a.kind == b.kind;
    if (may_be && (!value_is_known(a) || !value_is_known(b)))
        return value_unknown(&type_bool);
    return value_bool(!wanted);
}

static value call_eq(struct fn_call *c) {
    return compare_equal(c, true);
}

static value call_ne(struct fn_call *c) {
    return compare_equal(c, false);
}

/* MD-114: below zero, zero, above; false when there is no order. */
static bool compare(struct fn_call *c, int *order) {
    value a = c->args[0], b = c->args[1];
    if (module_is_number(a) && module_is_number(b)) {
        double x = module_get_number(a), y = module_get_number(b);
        *order = x < y ? -1 : x > y;
        return true;
    }
    if (a.kind == VALUE_STRING && b.kind == VALUE_STRING) {
        *order = sv_cmp(value_get_text(a), value_get_text(b));
        return true;
    }
    return false;
}

static value fail_order(struct fn_call *c) {
    return module_fail(c, "cannot compare %s and %s", module_kind_name(c->args[0]), module_kind_name(c->args[1]));
}

static value call_lt(struct fn_call *c) {
    int order;
    return compare(c, &order) ? value_bool(order < 0) : fail_order(c);
}

static value call_le(struct fn_call *c) {
    int order;
    return compare(c, &order) ? value_bool(order <= 0) : fail_order(c);
}

static value call_gt(struct fn_call *c) {
    int order;
    return compare(c, &order) ? value_bool(order > 0) : fail_order(c);
}

static value call_ge(struct fn_call *c) {
    int order;
    return compare(c, &order) ? value_bool(order >= 0) : fail_order(c);
}

/* --- arithmetic (MD-113) --- */

static bool are_numbers(const struct fn_call *c) {
    return module_is_number(c->args[0]) && module_is_number(c->args[1]);
}

static value call_add(struct fn_call *c) {
    if (are_numbers(c))
        return module_make_number(c, module_get_number(c->args[0]) + module_get_number(c->args[1]));
    if (c->args[0].kind != VALUE_STRING || c->args[1].kind != VALUE_STRING)
        return fail_operands(c);
    struct buf out = BUF(c->arena);
    buf_append(&out, value_get_text(c->args[0]));
    buf_append(&out, value_get_text(c->args[1]));
    return value_string(c->arena, buf_get_sv(&out));
}

static value call_subtract(struct fn_call *c) {
    if (!are_numbers(c))
        return fail_operands(c);
    return module_make_number(c, module_get_number(c->args[0]) - module_get_number(c->args[1]));
}

static value call_multiply(struct fn_call *c) {
    if (!are_numbers(c))
        return fail_operands(c);
    return module_make_number(c, module_get_number(c->args[0]) * module_get_number(c->args[1]));
}

static value call_divide(struct fn_call *c) {
    if (!are_numbers(c))
        return fail_operands(c);
    double by = module_get_number(c->args[1]);
    if (by == 0)
        return module_fail(c, "division by zero");
    return module_make_number(c, module_get_number(c->args[0]) / by);
}

static value call_negate(struct fn_call *c) {
    if (!module_is_number(c->args[0]))
        return module_fail(c, "'-' is not defined for %s", module_kind_name(c->args[0]));
    return module_make_number(c, 0 - module_get_number(c->args[0]));
}

#define OPERATOR(fn_name, fn_rule, body, more)                                                                        \
    {                                                                                                                 \
        .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("operators"), .params = module_any,     \
        .param_count = 1, .result = &type_any, .call = (body), .flags = FN_PURE | FN_OPERATOR | FN_SEES_NULL | (more) \
    }

const struct fn_def module_or = OPERATOR("||", "MD-112", call_or, FN_LAZY | FN_SEES_UNKNOWN);
const struct fn_def module_and = OPERATOR("&&", "MD-112", call_and, FN_LAZY | FN_SEES_UNKNOWN);
const struct fn_def module_not = OPERATOR("!", "MD-112", call_not, 0);
const struct fn_def module_eq = OPERATOR("==", "MD-115", call_eq, 0);
const struct fn_def module_ne = OPERATOR("!=", "MD-115", call_ne, 0);
const struct fn_def module_lt = OPERATOR("<", "MD-114", call_lt, 0);
const struct fn_def module_le = OPERATOR("<=", "MD-114", call_le, 0);
const struct fn_def module_gt = OPERATOR(">", "MD-114", call_gt, 0);
const struct fn_def module_ge = OPERATOR(">=", "MD-114", call_ge, 0);
const struct fn_def module_add = OPERATOR("+", "MD-113", call_add, 0);
const struct fn_def module_subtract = OPERATOR("-", "MD-113", call_subtract, 0);
const struct fn_def module_multiply = OPERATOR("*", "MD-113", call_multiply, 0);
const struct fn_def module_divide = OPERATOR("/", "MD-113", call_divide, 0);
const struct fn_def module_default = OPERATOR(">>", "MD-116", call_default, FN_LAZY);
const struct fn_def module_negate = OPERATOR("-", "MD-113", call_negate, 0);
