/* Equals, And, Or, Not and the functions of rules (CF-072 to CF-074, CF-091, CF-092). Their results are ordinary: marks
 * end here. */
#include "dialects/cfn/data.h"
#include "dialects/cfn/functions.h"

/* 1, 0, or -1 after a report: the values cannot be compared. */
static int compare(struct fn_call *c, value a, value b) {
    struct cfn_run *run = cfn_call_run(c);
    sv left, right;
    bool has_left = cfn_text_get(run, a, &left), has_right = cfn_text_get(run, b, &right);
    if (has_left && has_right)
        return sv_eq(left, right);
    if (a.kind != VALUE_LIST || b.kind != VALUE_LIST)
        return -1;
    if (a.list->len != b.list->len)
        return 0;
    for (size_t i = 0; i < a.list->len; i++) {
        if (!cfn_text_get(run, a.list->items[i], &left) || !cfn_text_get(run, b.list->items[i], &right))
            return -1;
        if (!sv_eq(left, right))
            return 0;
    }
    return 1;
}

value cfn_fn_equals(struct fn_call *c) {
    for (size_t i = 0; i < 2; i++) {
        if (c->args[i].kind == VALUE_ABSENT)
            return cfn_call_fail(c, DIAG_cfn_novalue, i, "AWS::NoValue cannot be compared");
    }
    if (cfn_call_waits(c))
        return cfn_residual(c);
    int result = compare(c, c->args[0], c->args[1]);
    if (result < 0)
        return cfn_call_fail(c, DIAG_cfn_equals, SIZE_MAX, "%s cannot be compared with %s", cfn_value_kind(c->args[0]),
                             cfn_value_kind(c->args[1]));
    return value_bool(result);
}

/* From left to right, up to the one that decides (CF-073). */
static value decide(struct fn_call *c, bool deciding) {
    bool has_unknown = false;
    for (size_t i = 0; i < c->count; i++) {
        if (c->args[i].kind == 0)
            return fn_call_force(c, i);
        if (c->args[i].kind == VALUE_BOOL && c->args[i].boolean == deciding)
            return value_bool(deciding);
        has_unknown = has_unknown || c->args[i].kind != VALUE_BOOL;
    }
    return has_unknown ? cfn_residual(c) : value_bool(!deciding);
}

value cfn_fn_and(struct fn_call *c) {
    return decide(c, false);
}

value cfn_fn_or(struct fn_call *c) {
    return decide(c, true);
}

value cfn_fn_not(struct fn_call *c) {
    return c->args[0].kind == VALUE_BOOL ? value_bool(!c->args[0].boolean) : cfn_residual(c);
}

/* --- rules --- */

static bool is_list(struct fn_call *c, size_t arg, value *failed) {
    if (c->args[arg].kind == VALUE_LIST)
        return true;
    *failed = cfn_call_fail(c, DIAG_cfn_argument, arg, "a list is needed, not %s", cfn_value_kind(c->args[arg]));
    return false;
}

/* How many items of the list equal the text; false after a report. */
static bool count_equal(struct fn_call *c, value list, sv text, size_t *count, value *failed) {
    sv item;
    *count = 0;
    for (size_t i = 0; i < list.list->len; i++) {
        if (!cfn_text_get(cfn_call_run(c), list.list->items[i], &item)) {
            *failed = cfn_call_fail(c, DIAG_cfn_not_text, 0, "items have to be text");
            return false;
        }
        *count += sv_eq(item, text);
    }
    return true;
}

static value compare_members(struct fn_call *c, bool needs_all) {
    sv text;
    size_t count;
    value failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    if (!is_list(c, 0, &failed) || !cfn_call_text(c, 1, &text, &failed) ||
        !count_equal(c, c->args[0], text, &count, &failed))
        return failed;
    return value_bool(needs_all ? count == c->args[0].list->len : count > 0);
}

value cfn_fn_contains(struct fn_call *c) {
    return compare_members(c, false);
}

value cfn_fn_each_member_equals(struct fn_call *c) {
    return compare_members(c, true);
}

value cfn_fn_each_member_in(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    struct map known = MAP(c->arena);
    sv text;
    value failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    if (!is_list(c, 0, &failed) || !is_list(c, 1, &failed))
        return failed;
    for (size_t i = 0; i < c->args[1].list->len; i++) {
        if (!cfn_text_get(run, c->args[1].list->items[i], &text))
            return cfn_call_fail(c, DIAG_cfn_not_text, 1, "items have to be text");
        map_put(&known, text, c);
    }
    for (size_t i = 0; i < c->args[0].list->len; i++) {
        if (!cfn_text_get(run, c->args[0].list->items[i], &text))
            return cfn_call_fail(c, DIAG_cfn_not_text, 0, "items have to be text");
        if (!map_has(&known, text))
            return value_bool(false);
    }
    return value_bool(true);
}

/* The declared type of a parameter. */
static sv get_type(const struct cfn_element *p) {
    const struct node *type = node_find(p->node, SV("Type"));
    return type != NULL && type->kind == NODE_SCALAR ? type->text : (sv){0};
}

value cfn_fn_ref_all(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    struct list_builder list = {.arena = c->arena};
    sv type;
    value failed = {0};
    if (!cfn_call_text(c, 0, &type, &failed))
        return failed;
    for (size_t i = 0; i < run->t->parameters.len; i++) {
        value v = run->parameters[i];
        if (!sv_eq(get_type(&run->t->parameters.items[i]), type))
            continue;
        for (size_t k = 0; v.kind == VALUE_LIST && k < v.list->len; k++)
            list_add(&list, v.list->items[k]);
        if (v.kind != VALUE_LIST)
            list_add(&list, v);
    }
    return list_done(&list);
}

static bool is_attribute(sv name) {
    static const char *const names[] = {"DefaultNetworkAcl", "DefaultSecurityGroup", "AvailabilityZone", "VpcId"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (sv_eq_cstr(name, names[i]))
            return true;
    }
    return sv_has_prefix(name, SV("Tags.")) && name.len > sizeof "Tags." - 1;
}

static value get_attribute(struct fn_call *c, sv parameter, sv attribute) {
    return cfn_parameter_attribute_get(cfn_call_run(c), parameter, attribute, c->expr->at);
}

value cfn_fn_value_of(struct fn_call *c) {
    sv parameter, attribute;
    value failed = {0};
    if (!cfn_call_text(c, 0, &parameter, &failed) || !cfn_call_text(c, 1, &attribute, &failed))
        return failed;
    if (!is_attribute(attribute))
        return cfn_call_fail(c, DIAG_cfn_argument, 1, "there is no such attribute of a parameter");
    if (!map_has(&cfn_call_run(c)->t->parameters_by_name, parameter))
        return cfn_call_fail(c, DIAG_cfn_ref_unknown, 0, "there is no parameter '%.*s'",
                             SV_ARG(sv_slice(parameter, 0, 80)));
    return cfn_call_found(c, get_attribute(c, parameter, attribute));
}

value cfn_fn_value_of_all(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    struct list_builder list = {.arena = c->arena};
    sv type, attribute;
    value failed = {0};
    if (!cfn_call_text(c, 0, &type, &failed) || !cfn_call_text(c, 1, &attribute, &failed))
        return failed;
    if (!is_attribute(attribute))
        return cfn_call_fail(c, DIAG_cfn_argument, 1, "there is no such attribute of a parameter");
    for (size_t i = 0; i < run->t->parameters.len; i++) {
        if (sv_eq(get_type(&run->t->parameters.items[i]), type))
            list_add(&list, get_attribute(c, run->t->parameters.items[i].name, attribute));
    }
    return list_done(&list);
}
