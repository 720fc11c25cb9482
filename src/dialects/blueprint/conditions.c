/* Conditions (BP-140 to BP-144): a tree of calls. Each string is the argument of a call that wants a boolean of it. */
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/loader.h"
#include "dialects/blueprint/tree.h"

static value call_is_true(struct fn_call *c) {
    value v = c->args[0];
    if (v.kind == VALUE_BOOL) {
        return v;
    }
    if (v.kind == VALUE_ABSENT) {
        return value_bool(false);
    }
    return eval_fail(c->ev, DIAG_invalid_resource_condition, c->expr->at, "a condition must be true or false, not %s",
                     value_get_kind_phrase((enum value_kind)v.kind));
}

/* Stops at the first item that decides; unknown ones decide, too (FN-012). The word of the call counts the items. */
static value decide(struct fn_call *c, bool deciding) {
    void **state = fn_call_get_state(c);
    size_t i = (size_t)(uintptr_t)*state;
    if (i > 0 && c->args[i - 1].kind == VALUE_BOOL && c->args[i - 1].boolean == deciding) {
        return value_bool(deciding);
    }
    if (i == c->count) {
        return value_bool(!deciding);
    }
    *state = (void *)(uintptr_t)(i + 1);
    return fn_call_force(c, i);
}

static value call_all(struct fn_call *c) {
    return decide(c, false);
}

static value call_any(struct fn_call *c) {
    return decide(c, true);
}

static value call_not(struct fn_call *c) {
    return value_bool(!c->args[0].boolean);
}

static const struct fn_param one[] = {{SV_INIT("x"), &type_any, 0, SV_INIT("")}};
static const struct fn_param many[] = {{SV_INIT("x"), &type_any, FN_VARIADIC, SV_INIT("")}};

static const struct fn_def fn_all = {.name = SV_INIT("and"),
                                     .params = many,
                                     .param_count = 1,
                                     .result = &type_bool,
                                     .flags = FN_PURE | FN_OPERATOR | FN_LAZY,
                                     .call = call_all};
static const struct fn_def fn_any = {.name = SV_INIT("or"),
                                     .params = many,
                                     .param_count = 1,
                                     .result = &type_bool,
                                     .flags = FN_PURE | FN_OPERATOR | FN_LAZY,
                                     .call = call_any};
static const struct fn_def fn_not = {.name = SV_INIT("not"),
                                     .params = one,
                                     .param_count = 1,
                                     .result = &type_bool,
                                     .flags = FN_PURE | FN_OPERATOR,
                                     .call = call_not};
static const struct fn_def fn_is_true = {.name = SV_INIT("condition"),
                                         .params = one,
                                         .param_count = 1,
                                         .result = &type_bool,
                                         .flags = FN_PURE | FN_OPERATOR | FN_SEES_ABSENT | FN_SEES_NULL,
                                         .call = call_is_true};

/* --- shape --- */

static const struct expr *fail(struct loader *l, span at, const char *what) {
    struct diag *d = diags_add(l->diags, DIAG_invalid_resource_condition, at, "%s", what);
    diag_set_hint(l->diags, d, "a condition is one substitution, or a mapping with one of 'and', 'or' and 'not'");
    return expr_new_error(l->arena, at);
}

static const struct expr *read_condition(struct loader *l, const struct node *n);

static const struct expr *make_call(struct loader *l, const struct fn_def *fn, span at, const struct expr **args,
                                    size_t count) {
    return expr_new_call(l->arena, at, fn, args, (uint32_t)count);
}

static const struct expr *read_one(struct loader *l, const struct fn_def *fn, span at, const struct node *item) {
    const struct expr **args = ARENA_ARRAY(l->arena, const struct expr *, 1);
    args[0] = read_condition(l, item);
    return make_call(l, fn, at, args, 1);
}

static const struct expr *read_items(struct loader *l, const struct fn_def *fn, const struct node *n) {
    if (fields_is_broken(n)) {
        return expr_new_error(l->arena, n->at);
    }
    if (n->kind != NODE_SEQUENCE || n->count == 0) {
        return fail(l, n->at, "'and' and 'or' take an array of conditions that is not empty");
    }
    const struct expr **args = ARENA_ARRAY(l->arena, const struct expr *, n->count);
    for (size_t i = 0; i < n->count; i++) {
        tree_enter_index(l, i);
        args[i] = read_condition(l, n->items[i]);
        tree_leave(l);
    }
    return make_call(l, fn, n->at, args, n->count);
}

static const struct expr *read_mapping(struct loader *l, const struct node *n) {
    if (n->count != 1) {
        return fail(l, n->at, "a condition has exactly one of 'and', 'or' and 'not'");
    }
    const struct node_pair *pair = &n->pairs[0];
    if (!fields_check_key(l, pair->key)) {
        return expr_new_error(l->arena, n->at);
    }
    sv key = pair->key->text;
    const struct fn_def *fn = sv_eq(key, SV("and"))   ? &fn_all
                              : sv_eq(key, SV("or"))  ? &fn_any
                              : sv_eq(key, SV("not")) ? &fn_not
                                                      : NULL;
    if (fn == NULL) {
        const struct expr *e = fail(l, pair->key->at, "this is no condition");
        return e;
    }
    tree_enter_key(l, key);
    const struct expr *e = fn == &fn_not ? read_one(l, fn, n->at, pair->value) : read_items(l, fn, pair->value);
    tree_leave(l);
    return e;
}

static const struct expr *read_text(struct loader *l, const struct node *n) {
    const struct expr *e = tree_build_sole(l, n);
    if (e == NULL) {
        return fail(l, n->at, "a condition must be exactly one substitution");
    }
    if (e->kind == EXPR_ERROR) {
        return e;
    }
    const struct expr **args = ARENA_ARRAY(l->arena, const struct expr *, 1);
    args[0] = e;
    return make_call(l, &fn_is_true, e->at, args, 1);
}

static const struct expr *read_condition(struct loader *l, const struct node *n) {
    if (fields_is_broken(n)) {
        return expr_new_error(l->arena, n->at);
    }
    if (n->kind == NODE_SCALAR) {
        return read_text(l, n);
    }
    if (n->kind != NODE_MAPPING) {
        return fail(l, n->at, "a condition must be a string or a mapping, this is an array");
    }
    if (!depth_enter(&l->depth)) {
        diags_add(l->diags, DIAG_limit_exceeded, n->at, "conditions nested more than %zu deep", l->depth.limit);
        return expr_new_error(l->arena, n->at);
    }
    const struct expr *e = read_mapping(l, n);
    depth_leave(&l->depth);
    return e;
}

void condition_load(struct loader *l, struct element *e, const struct node *n) {
    tree_enter_key(l, SV("condition"));
    size_t from = loader_get_mark(l);
    e->condition = read_condition(l, n);
    loader_tag(l, from, l->current);
    tree_leave(l);
}

/* --- types --- */

static void check_leaf(struct loader *l, const struct expr *e) {
    const struct expr *arg = e->call.args[0];
    value v = types_get_value(l, arg, NULL);
    bool fits =
        v.kind == VALUE_BOOL || v.kind == VALUE_ABSENT ||
        (v.kind == VALUE_UNKNOWN && (v.type == NULL || v.type->kind == TYPE_ANY || type_fits(&type_bool, v.type)));
    if (!fits) {
        types_report(l, DIAG_invalid_resource_condition, arg->at, "a condition must be true or false", v);
    }
}

static void check_part(struct loader *l, const struct expr *e) {
    if (e->kind != EXPR_CALL || !depth_enter(&l->depth)) {
        return; /* an error that has been reported */
    }
    if (e->call.fn == &fn_is_true) {
        check_leaf(l, e);
    }
    for (uint32_t i = 0; e->call.fn != &fn_is_true && i < e->count; i++) {
        check_part(l, e->call.args[i]);
    }
    depth_leave(&l->depth);
}

void condition_check(struct loader *l, const struct expr *e) {
    l->path.len = 0;
    tree_enter_key(l, SV("condition"));
    check_part(l, e);
    l->path.len = 0;
}
