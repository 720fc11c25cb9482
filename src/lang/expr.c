#include "lang/expr.h"

#include "base/vec.h"
#include "lang/fn_def.h"

#include <string.h>

struct expr *expr_new(struct arena *a, enum expr_kind kind, span at) {
    struct expr *e = ARENA_NEW(a, struct expr);
    e->kind = (uint8_t)kind;
    e->at = at;
    return e;
}

struct expr *expr_new_literal(struct arena *a, span at, value v) {
    struct expr *e = expr_new(a, EXPR_LITERAL, at);
    e->literal = v;
    return e;
}

struct expr *expr_new_call(struct arena *a, span at, const struct fn_def *fn, const struct expr **args,
                           uint32_t count) {
    struct expr *e = expr_new(a, EXPR_CALL, at);
    e->call.fn = fn;
    e->call.args = args;
    e->count = count;
    return e;
}

struct expr *expr_new_list(struct arena *a, span at, const struct expr **items, uint32_t count) {
    struct expr *e = expr_new(a, EXPR_LIST, at);
    e->call.args = items;
    e->count = count;
    return e;
}

struct expr *expr_new_object(struct arena *a, span at, const sv *keys, const struct expr **items, uint32_t count) {
    struct expr *e = expr_new(a, EXPR_OBJECT, at);
    e->call.names = keys;
    e->call.args = items;
    e->count = count;
    return e;
}

struct expr *expr_new_error(struct arena *a, span at) {
    return expr_new(a, EXPR_ERROR, at);
}

/* Walking */

struct pending_exprs {
    struct arena arena;
    const struct expr *local[64];
    const struct expr **items;
    size_t len, cap;
};

static void push(struct pending_exprs *p, const struct expr *e) {
    if (e == NULL) {
        return;
    }
    if (p->len == p->cap) {
        const struct expr **items = ARENA_ARRAY(&p->arena, const struct expr *, p->cap * 2);
        memcpy(items, p->items, p->len * sizeof *items);
        p->items = items;
        p->cap *= 2;
    }
    p->items[p->len++] = e;
}

static size_t count_args(const struct expr *e) {
    return e->kind == EXPR_OBJECT && e->op == EXPR_COMPUTED_KEYS ? (size_t)e->count * 2 : e->count;
}

/* What is below, last first, so that the first is taken next. */
static void push_below(struct pending_exprs *p, const struct expr *e) {
    switch ((enum expr_kind)e->kind) {
    case EXPR_REF:
    case EXPR_INDEX:
        for (size_t i = e->count; i-- > 0;) {
            push(p, e->ref.steps[i].kind == STEP_EXPR ? e->ref.steps[i].expr : NULL);
        }
        push(p, e->ref.base);
        return;
    case EXPR_TEMPLATE:
    case EXPR_CALL:
    case EXPR_COND:
    case EXPR_LIST:
    case EXPR_OBJECT:
    case EXPR_DIRECTIVE:
    case EXPR_ERROR:
        for (size_t i = e->call.args == NULL ? 0 : count_args(e); i-- > 0;) {
            push(p, e->call.args[i]);
        }
        push(p, e->kind == EXPR_CALL && e->call.fn == NULL ? e->call.callee : NULL);
        return;
    case EXPR_LAMBDA:
        push(p, e->lambda.body);
        return;
    case EXPR_LITERAL:
        return;
    }
}

void expr_walk(const struct expr *root, expr_visitor visit, void *user) {
    struct pending_exprs p;
    p.arena = (struct arena){0};
    p.items = p.local;
    p.len = 0;
    p.cap = sizeof p.local / sizeof *p.local;
    push(&p, root);
    while (p.len > 0) {
        const struct expr *e = p.items[--p.len];
        if (visit(user, e)) {
            push_below(&p, e);
        }
    }
    arena_fini(&p.arena);
}

static bool visit_literal(void *user, const struct expr *e) {
    bool *literal = user;
    bool impure = e->kind == EXPR_CALL && (e->call.fn == NULL || (e->call.fn->flags & FN_PURE) == 0);
    if (e->kind == EXPR_REF || e->kind == EXPR_DIRECTIVE || impure) {
        *literal = false;
    }
    return *literal;
}

bool expr_is_literal(const struct expr *e) {
    bool literal = true;
    expr_walk(e, visit_literal, &literal);
    return literal;
}
