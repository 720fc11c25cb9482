/* Types of expressions, bottom up (BP-314). Iterative: parts first, then the whole. */
#include "lang/check.h"

#include "lang/eval.h"

#include <string.h>

static enum diag_code or_default(enum diag_code code, enum diag_code standard) {
    return code != 0 ? code : standard;
}

sv check_print_type(struct checker *k, const struct type *t) {
    struct buf out = BUF(k->c->arena);
    type_print(&out, t);
    return buf_get_sv(&out);
}

bool check_is_no_function(struct checker *k, const struct expr *e, const struct type *t, const char *where) {
    enum diag_code code = k->c->dialect->policy->function_code;
    if (t == NULL || t->kind != TYPE_FUNCTION || code == 0) {
        return true;
    }
    diags_add(k->c->diags, code, e->at, "a function cannot be %s", where);
    return false;
}

/* The stacks */

static void push_frame(struct checker *k, const struct expr *e) {
    if (k->depth == k->cap) {
        struct check_frame *frames = ARENA_ARRAY(k->c->arena, struct check_frame, k->cap * 2);
        memcpy(frames, k->frames, k->cap * sizeof *frames);
        k->frames = frames;
        k->cap *= 2;
    }
    k->frames[k->depth++] = (struct check_frame){.e = e, .base = k->type_count};
}

static void push_type(struct checker *k, const struct type *t) {
    if (k->type_count == k->type_cap) {
        const struct type **types = ARENA_ARRAY(k->c->arena, const struct type *, k->type_cap * 2);
        memcpy(types, k->types, k->type_cap * sizeof *types);
        k->types = types;
        k->type_cap *= 2;
    }
    k->types[k->type_count++] = t;
}

/* Part number `index` of an expression; NULL behind the last. Bodies of lambdas are checked where they are called:
 * their names have no types yet. */
static const struct expr *get_part(const struct expr *e, size_t index) {
    size_t count = e->kind == EXPR_OBJECT && e->op == EXPR_COMPUTED_KEYS ? (size_t)e->count * 2 : e->count;
    switch ((enum expr_kind)e->kind) {
    case EXPR_CALL:
        if (e->call.fn == NULL) {
            return index == 0 ? e->call.callee : index <= count ? e->call.args[index - 1] : NULL;
        }
        return index < count && (e->call.fn->flags & FN_SYNTACTIC) == 0 ? e->call.args[index] : NULL;
    case EXPR_TEMPLATE:
    case EXPR_COND:
    case EXPR_LIST:
    case EXPR_OBJECT:
    case EXPR_DIRECTIVE:
    case EXPR_ERROR:
        return index < count && e->call.args != NULL ? e->call.args[index] : NULL;
    case EXPR_REF:
    case EXPR_INDEX:
        if (e->ref.base != NULL && index-- == 0) {
            return e->ref.base;
        }
        while (index < count && e->ref.steps[index].kind != STEP_EXPR) {
            index++;
        }
        return index < count ? e->ref.steps[index].expr : NULL;
    case EXPR_LITERAL:
    case EXPR_LAMBDA:
        return NULL;
    }
    return NULL;
}

/* How far `next` moves with the part just taken: over steps without expressions, too. */
static size_t skip_to_part(const struct expr *e, size_t index) {
    bool steps = e->kind == EXPR_REF || e->kind == EXPR_INDEX;
    if (!steps) {
        return index;
    }
    size_t base = e->ref.base != NULL;
    while (index >= base && index - base < e->count && e->ref.steps[index - base].kind != STEP_EXPR) {
        index++;
    }
    return index;
}

/* Wholes */

static const struct type *check_template(struct checker *k, const struct expr *e, const struct type **types) {
    const struct eval_policy *p = k->c->dialect->policy;
    for (size_t i = 0; i < e->count; i++) {
        const struct type *t = types[i];
        if (t == NULL || !check_is_no_function(k, e->call.args[i], t, "part of a text")) {
            continue;
        }
        bool null_fails = p->null_in_text == 0 || p->null_in_text == OPERAND_FAIL;
        bool bad = t->kind == TYPE_LIST || t->kind == TYPE_MAP || t->kind == TYPE_OBJECT || t->kind == TYPE_FUNCTION ||
                   (t->kind == TYPE_NULL && null_fails);
        if (bad) {
            sv name = check_print_type(k, t);
            diags_add(k->c->diags, or_default(p->text_code, DIAG_invalid_resolved_sub_value), e->call.args[i]->at,
                      "a value of type '%.*s' cannot stand in text", SV_ARG(name));
        }
    }
    return &type_string;
}

static const struct type *check_list(struct checker *k, const struct expr *e, const struct type **types) {
    const struct type *item = NULL;
    for (size_t i = 0; i < e->count; i++) {
        bool ok = check_is_no_function(k, e->call.args[i], types[i], "an item of an array");
        const struct type *t = types[i] == NULL || !ok ? &type_any : types[i];
        item = item == NULL ? t : type_join(k->c->arena, item, t);
    }
    return type_new_list(k->c->arena, item);
}

/* The name of field `i`, or false when it is known only later. */
static bool get_field_name(const struct expr *e, size_t i, sv *name) {
    if (e->op != EXPR_COMPUTED_KEYS) {
        *name = e->call.names[i];
        return name->data != NULL;
    }
    const struct expr *key = e->call.args[i * 2];
    if (key->kind != EXPR_LITERAL || key->literal.kind != VALUE_STRING) {
        return false;
    }
    *name = value_get_text(key->literal);
    return true;
}

static const struct type *check_object(struct checker *k, const struct expr *e, const struct type **types) {
    struct type_field *fields = ARENA_ARRAY(k->c->arena, struct type_field, e->count + 1);
    struct type *t = ARENA_NEW(k->c->arena, struct type);
    *t = (struct type){.kind = TYPE_OBJECT, .fields = fields};
    bool computed = e->op == EXPR_COMPUTED_KEYS;
    for (size_t i = 0; i < e->count; i++) {
        size_t at = computed ? i * 2 + 1 : i;
        sv name = {0};
        bool ok = check_is_no_function(k, e->call.args[at], types[at], "a field of an object");
        if (!get_field_name(e, i, &name)) {
            t->open = true;
            continue;
        }
        const struct type *field = types[at] == NULL || !ok ? &type_any : types[at];
        /* `none` leaves the field out, so it may be absent */
        fields[t->field_count++] =
            (struct type_field){.name = name, .type = field, .optional = field->kind == TYPE_ABSENT};
    }
    return t;
}

static const struct type *check_cond(struct checker *k, const struct expr *e, const struct type **types) {
    const struct eval_policy *p = k->c->dialect->policy;
    if (types[0] != NULL && p->truth == NULL && !type_fits(&type_bool, types[0])) {
        sv name = check_print_type(k, types[0]);
        diags_add(k->c->diags, or_default(p->type_code, k->c->dialect->arguments_code), e->call.args[0]->at,
                  "a condition must be a boolean, not '%.*s'", SV_ARG(name));
    }
    bool known = types[1] != NULL && types[2] != NULL;
    return known ? type_join(k->c->arena, types[1], types[2]) : NULL;
}

static const struct type *check_literal(struct checker *k, const struct expr *e) {
    if (e->literal.kind == VALUE_FUNCTION && e->literal.function->fn != NULL) {
        return check_type_of_fn(k->c->arena, e->literal.function->fn, e->literal.function->captured_count);
    }
    return type_of_value(k->c->arena, e->literal);
}

static const struct type *check_whole(struct checker *k, const struct expr *e, const struct type **types) {
    switch ((enum expr_kind)e->kind) {
    case EXPR_LITERAL:
        return check_literal(k, e);
    case EXPR_TEMPLATE:
        return check_template(k, e, types);
    case EXPR_REF:
        return k->ops->ref_type(k->user, e);
    case EXPR_INDEX:
        return types[0] == NULL ? NULL : lang_check_steps(k->c, types[0], e, 0);
    case EXPR_CALL:
        return e->call.fn == NULL ? &type_any : check_call(k, e, types);
    case EXPR_COND:
        return check_cond(k, e, types);
    case EXPR_LIST:
        return check_list(k, e, types);
    case EXPR_OBJECT:
        return check_object(k, e, types);
    case EXPR_LAMBDA:
        return &type_function;
    case EXPR_DIRECTIVE:
        return k->ops->directive_type == NULL ? &type_any : k->ops->directive_type(k->user, e);
    case EXPR_ERROR:
        return NULL;
    }
    return NULL;
}

static const struct type *check(struct checker *k, const struct expr *root) {
    push_frame(k, root);
    for (;;) {
        struct check_frame *f = &k->frames[k->depth - 1];
        f->next = skip_to_part(f->e, f->next);
        const struct expr *part = get_part(f->e, f->next);
        if (part != NULL) {
            f->next++;
            push_frame(k, part);
            continue;
        }
        const struct type *t = check_whole(k, f->e, k->types + f->base);
        k->type_count = f->base;
        k->depth--;
        if (k->depth == 0) {
            return t;
        }
        push_type(k, t);
    }
}

const struct type *lang_check_expr(const struct parse_context *c, const struct expr *e, const struct check_ops *ops,
                                   void *user) {
    if (e->kind == EXPR_ERROR && e->call.args == NULL) {
        return NULL;
    }
    struct checker k;
    k.c = c;
    k.ops = ops;
    k.user = user;
    k.frames = k.local;
    k.depth = 0;
    k.cap = CHECK_LOCAL;
    memset(k.local_types, 0, sizeof k.local_types);
    k.types = k.local_types;
    k.type_count = 0;
    k.type_cap = CHECK_LOCAL_TYPES;
    return check(&k, e);
}

const struct type *lang_check_result(const struct parse_context *c, const struct expr *e, const struct check_ops *ops,
                                     void *user) {
    const struct type *t = lang_check_expr(c, e, ops, user);
    enum diag_code code = c->dialect->policy->function_code;
    if (t == NULL || t->kind != TYPE_FUNCTION || code == 0) {
        return t;
    }
    diags_add(c->diags, code, e->at, "the result is a function, which can only be passed to another function");
    return NULL;
}
