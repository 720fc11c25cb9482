/* Logic, equality and choice (FN-154, FN-155, FN-170 to FN-173, FN-178). */
#include "fn/internal.h"

enum { PASSED_ON = MARK_SENSITIVE | MARK_PROVISIONAL };

static value fail_truth(struct fn_call *c, size_t arg) {
    return fn_call_fail(c, DIAG_invalid_function_argument, arg, "a boolean is wanted, not %s",
                        value_get_kind_phrase((enum value_kind)c->args[arg].kind));
}

/* The first argument decides when it is `decider` (FN-011). */
static value call_either(struct fn_call *c, bool decider) {
    for (size_t i = 0; i < 2; i++) {
        if (c->args[i].kind == 0) {
            return fn_call_force(c, i);
        }
        if (c->args[i].kind == VALUE_UNKNOWN) {
            return value_unknown(&type_bool); /* of a callback (FN-025) */
        }
        int truth = fn_get_truth(c->args[i]);
        if (truth < 0) {
            return fail_truth(c, i);
        }
        if ((truth == 1) == decider) {
            return value_bool(decider);
        }
    }
    return value_bool(!decider);
}

static value call_and(struct fn_call *c) {
    return call_either(c, false);
}

static value call_or(struct fn_call *c) {
    return call_either(c, true);
}

static value call_not(struct fn_call *c) {
    int truth = fn_get_truth(c->args[0]);
    return truth < 0 ? fail_truth(c, 0) : value_bool(truth == 0);
}

/* --- eq --- */

static bool is_number(value v) {
    return v.kind == VALUE_INT || v.kind == VALUE_FLOAT;
}

static value call_eq(struct fn_call *c) {
    value a = c->args[0], b = c->args[1];
    if (a.kind == VALUE_ABSENT || b.kind == VALUE_ABSENT) {
        return value_bool(a.kind == b.kind);
    }
    bool comparable =
        a.kind == b.kind || (is_number(a) && is_number(b)) || a.kind == VALUE_NULL || b.kind == VALUE_NULL;
    if (!comparable) {
        return fn_call_fail(c, DIAG_invalid_function_argument, SIZE_MAX, "%s and %s cannot be compared",
                            value_get_kind_phrase((enum value_kind)a.kind),
                            value_get_kind_phrase((enum value_kind)b.kind));
    }
    return value_bool(value_eq(a, b));
}

static void check_eq(const struct fn_check *c) {
    unsigned first = fn_get_group(c->types[0]), second = fn_get_group(c->types[1]);
    if (first == 0 || second == 0 || first == second) {
        return;
    }
    sv left = fn_print_type_phrase(c->arena, c->types[0]), right = fn_print_type_phrase(c->arena, c->types[1]);
    fn_check_fail(c, SIZE_MAX, "%.*s and %.*s cannot be compared", SV_ARG(left), SV_ARG(right));
}

/* --- choice --- */

static value call_if(struct fn_call *c) {
    if (c->args[0].kind == 0) {
        return fn_call_force(c, 0);
    }
    value condition = c->args[0];
    uint8_t marks = condition.within & PASSED_ON;
    if (condition.kind == VALUE_UNKNOWN) {
        return value_mark(value_unknown(NULL), marks);
    }
    int truth = fn_get_truth(condition);
    if (truth < 0) {
        return fail_truth(c, 0);
    }
    size_t branch = truth == 1 ? 1 : 2;
    return c->args[branch].kind == 0 ? fn_call_force(c, branch) : value_mark(c->args[branch], marks);
}

static bool is_blank(value v) {
    bool is_empty_text = v.kind == VALUE_STRING && value_get_text(v).len == 0;
    bool is_empty_list = v.kind == VALUE_LIST && v.list->len == 0;
    return v.kind == VALUE_ABSENT || v.kind == VALUE_NULL || is_empty_text || is_empty_list;
}

static bool is_absent(value v) {
    return v.kind == VALUE_ABSENT;
}

/* The first argument that is not skipped; the marks of those skipped have decided the choice (FN-013). */
static value choose(struct fn_call *c, bool (*skips)(value v), bool last_counts) {
    uint8_t marks = 0;
    for (size_t i = 0; i < c->count; i++) {
        value v = c->args[i];
        if (v.kind == 0) {
            return fn_call_force(c, i);
        }
        if (v.kind == VALUE_UNKNOWN) {
            return value_mark(value_unknown(NULL), (uint8_t)(marks | (v.within & PASSED_ON)));
        }
        bool is_last = last_counts && i + 1 == c->count;
        if (is_last || !skips(v)) {
            return value_mark(v, marks);
        }
        marks |= v.within & PASSED_ON;
    }
    return value_mark(value_absent(), marks);
}

static value call_first(struct fn_call *c) {
    return choose(c, is_blank, true);
}

static value call_coalesce(struct fn_call *c) {
    return choose(c, is_absent, false);
}

static const struct type *get_choice_type(const struct fn_check *c) {
    return fn_join_types(c, 0);
}

static const struct type *get_if_type(const struct fn_check *c) {
    return fn_join_types(c, 1);
}

/* --- tables --- */

static const struct fn_param both_params[] = {
    {SV_INIT("left"), &type_bool, 0, SV_INIT("none counts as false")},
    {SV_INIT("right"), &type_bool, 0, SV_INIT("evaluated only when the first does not decide")},
};
static const struct fn_param not_params[] = {{SV_INIT("of"), &type_bool, 0, SV_INIT("none counts as false")}};
static const struct fn_param eq_params[] = {
    {SV_INIT("left"), &type_any, 0, SV_INIT("")},
    {SV_INIT("right"), &type_any, 0, SV_INIT("of the same kind; integer and float count as one, null goes with all")},
};
static const struct fn_param if_params[] = {
    {SV_INIT("condition"), &type_bool, 0, SV_INIT("none counts as false")},
    {SV_INIT("then"), &type_any, 0, SV_INIT("evaluated only when the condition is true")},
    {SV_INIT("else"), &type_any, 0, SV_INIT("evaluated only when the condition is false")},
};
static const struct fn_param choice_params[] = {
    {SV_INIT("candidates"), &type_any, FN_VARIADIC, SV_INIT("evaluated up to the one that is taken")},
};

#define LOGIC_FN(fn_name, fn_rule, parameters, count, type, body)                                           \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Logic"), .params = (parameters), \
    .param_count = (count), .result = (type), .call = (body)

static const struct fn_def fn_and = {
    LOGIC_FN("and", "FN-170", both_params, 2, &type_bool, call_and),
    .flags = FN_PURE | FN_LAZY | FN_SEES_ABSENT,
    .summary = SV_INIT("True when both arguments are true."),
    .example = SV_INIT("and(false, jsondecode(\"x\"))"),
    .example_result = SV_INIT("false"),
};
static const struct fn_def fn_coalesce = {
    LOGIC_FN("coalesce", "FN-155", choice_params, 1, &type_any, call_coalesce),
    .flags = FN_PURE | FN_LAZY | FN_SEES_ABSENT | FN_SEES_UNKNOWN | FN_OWN_SECRECY,
    .result_type = get_choice_type,
    .summary = SV_INIT("The first argument that is not none; none when all are."),
    .example = SV_INIT("coalesce(none, \"a\", \"b\")"),
    .example_result = SV_INIT("a"),
};
static const struct fn_def fn_eq = {
    LOGIC_FN("eq", "FN-173", eq_params, 2, &type_bool, call_eq),
    .flags = FN_PURE | FN_SEES_ABSENT,
    .check = check_eq,
    .summary = SV_INIT("Whether two values are deeply equal."),
    .details =
        SV_INIT("Values of different kinds cannot be compared, which is an error; inside arrays and objects they are "
                "just unequal."),
    .example = SV_INIT("eq(object(a=1, b=2), object(b=2, a=1))"),
    .example_result = SV_INIT("true"),
};
static const struct fn_def fn_first = {
    LOGIC_FN("first", "FN-154", choice_params, 1, &type_any, call_first),
    .flags = FN_PURE | FN_LAZY | FN_SEES_ABSENT | FN_SEES_UNKNOWN | FN_OWN_SECRECY,
    .result_type = get_choice_type,
    .summary = SV_INIT("The first argument that is not none, null, \"\" or []; the last one when all are."),
    .example = SV_INIT("first(\"\", list(), \"v\")"),
    .example_result = SV_INIT("v"),
};
static const struct fn_def fn_if = {
    LOGIC_FN("if", "FN-178", if_params, 3, &type_any, call_if),
    .flags = FN_PURE | FN_LAZY | FN_SEES_ABSENT | FN_SEES_UNKNOWN | FN_OWN_SECRECY,
    .result_type = get_if_type,
    .summary = SV_INIT("One of two values; only the chosen one is evaluated."),
    .example = SV_INIT("if(true, \"a\", \"b\")"),
    .example_result = SV_INIT("a"),
};
static const struct fn_def fn_not = {
    LOGIC_FN("not", "FN-172", not_params, 1, &type_bool, call_not),
    .flags = FN_PURE | FN_SEES_ABSENT,
    .summary = SV_INIT("True for false, false for true."),
    .example = SV_INIT("not(none)"),
    .example_result = SV_INIT("true"),
};
static const struct fn_def fn_or = {
    LOGIC_FN("or", "FN-171", both_params, 2, &type_bool, call_or),
    .flags = FN_PURE | FN_LAZY | FN_SEES_ABSENT,
    .summary = SV_INIT("True when one of the arguments is true."),
    .example = SV_INIT("or(none, true)"),
    .example_result = SV_INIT("true"),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_and, &fn_coalesce, &fn_eq, &fn_first, &fn_if, &fn_not, &fn_or,
};
const struct fn_table fn_table_logic = {defs, FN_COUNT(defs)};
