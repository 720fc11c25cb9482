/* The printed form (DY-039). Operators group to the left, so chains of them are printed with a stack of our own. */
#include "base/num.h"
#include "dialects/dynaml/functions.h"
#include "dialects/dynaml/grammar.h"

#include <stdlib.h>

/* What is still to be written: an expression, or text in front of or behind one. */
struct pending {
    const struct expr *e; /* NULL: text */
    sv text;
};

struct printer {
    struct buf *out;
    struct pending *stack; /* the next on top */
    size_t len, cap;
    struct arena scratch;
};

static struct pending *push(struct printer *p) {
    if (p->len == p->cap) {
        size_t cap = p->cap == 0 ? 64 : p->cap * 2;
        p->stack = arena_grow_array(&p->scratch, p->stack, p->cap, cap, sizeof *p->stack);
        p->cap = cap;
    }
    p->stack[p->len] = (struct pending){0};
    return &p->stack[p->len++];
}

static void push_text(struct printer *p, sv text) {
    push(p)->text = text;
}

static void push_expr(struct printer *p, const struct expr *e) {
    push(p)->e = e;
}

void dynaml_print_quoted(struct buf *out, sv text) {
    buf_append_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c == '\n')
            buf_append_cstr(out, "\\n");
        else if (c == '\t')
            buf_append_cstr(out, "\\t");
        else if (c < 0x20 || c == 0x7f)
            buf_printf(out, "\\x%02x", c);
        else
            buf_append_char(out, (char)c);
    }
    buf_append_char(out, '"');
}

static void print_literal(struct buf *out, value v) {
    if (v.kind == VALUE_STRING)
        dynaml_print_quoted(out, value_get_text(v));
    else if (v.kind == VALUE_NULL)
        buf_append_cstr(out, "nil");
    else
        value_print_scalar(out, v);
}

static void print_steps(struct buf *out, const struct step *steps, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_append_char(out, '.');
        if (steps[i].kind == STEP_INDEX)
            buf_printf(out, "[%zu]", steps[i].index);
        else
            buf_append(out, steps[i].name);
    }
}

static void print_merge(struct buf *out, const struct dynaml_merge *m) {
    buf_append_cstr(out, "merge");
    if (m->is_replacing)
        buf_append_cstr(out, m->has_path ? " replace" : " required");
    if (m->key.len > 0)
        buf_printf(out, " on %.*s", SV_ARG(m->key));
    if (!m->has_path)
        return;
    buf_append_cstr(out, m->is_absolute ? " ." : " ");
    print_steps(out, m->path, m->path_len);
}

static void print_parameters(struct buf *out, const struct expr *e, size_t first) {
    buf_append_char(out, '|');
    for (size_t i = first; e->kind == EXPR_LAMBDA && i < e->count; i++) {
        if (i > first)
            buf_append_char(out, ',');
        buf_append(out, e->lambda.params[i]);
    }
    buf_append_cstr(out, "|->");
}

/* Pushes `open`, the arguments with commas between them, and `close`; the last pushed comes first. */
static void push_list(struct printer *p, const struct expr *e, sv open, sv close) {
    push_text(p, close);
    for (uint32_t i = e->count; i > 0; i--) {
        push_expr(p, e->call.args[i - 1]);
        if (i > 1)
            push_text(p, SV(", "));
    }
    push_text(p, open);
}

static void push_pair(struct printer *p, const struct expr *e, sv open, sv between, sv close) {
    push_text(p, close);
    push_expr(p, e->call.args[1]);
    push_text(p, between);
    push_expr(p, e->call.args[0]);
    push_text(p, open);
}

static void push_mapping(struct printer *p, const struct expr *e) {
    const struct expr *with = e->call.args[1];
    bool is_body = with->kind == EXPR_LAMBDA;
    struct buf parameters = BUF(&p->scratch);
    print_parameters(&parameters, with, 0);
    push_text(p, SV("]"));
    push_expr(p, is_body ? with->lambda.body : with);
    push_text(p, is_body ? buf_get_sv(&parameters) : SV("|"));
    push_expr(p, e->call.args[0]);
    push_text(p, SV("map["));
}

static void push_operator(struct printer *p, const struct expr *e) {
    push_expr(p, e->call.args[1]);
    push_text(p, SV(" "));
    push_text(p, e->call.fn->name);
    push_text(p, SV(" "));
    push_expr(p, e->call.args[0]);
}

static void push_concat(struct printer *p, const struct expr *e) {
    for (uint32_t i = e->count; i > 0; i--) {
        push_expr(p, e->call.args[i - 1]);
        if (i > 1)
            push_text(p, SV(" "));
    }
}

static void push_call(struct printer *p, const struct expr *e) {
    const struct fn_def *fn = e->call.fn;
    if (fn == NULL) {
        push_list(p, e, SV("("), SV(")"));
        push_expr(p, e->call.callee);
    } else if (fn == &dynaml_range) {
        push_pair(p, e, SV("["), SV(".."), SV("]"));
    } else if (fn == &dynaml_mapping) {
        push_mapping(p, e);
    } else if (fn == &dynaml_not) {
        push_list(p, e, SV("!("), SV(")"));
    } else if (fn == &dynaml_concat) {
        push_concat(p, e);
    } else if ((fn->flags & FN_OPERATOR) != 0) {
        push_operator(p, e);
    } else {
        push_list(p, e, SV("("), SV(")"));
        push_text(p, fn->name);
    }
}

static void push_directive(struct printer *p, const struct expr *e) {
    switch ((enum dynaml_directive)e->op) {
    case DYNAML_MERGE:
        print_merge(p->out, e->call.data);
        break;
    case DYNAML_AUTO:
        push_text(p, SV("auto"));
        break;
    case DYNAML_MARKER:
        push_text(p, SV("&template"));
        break;
    case DYNAML_PREFER:
        push_expr(p, e->call.args[0]);
        push_text(p, SV("prefer "));
        break;
    case DYNAML_COPY:
        push_list(p, e, SV("*("), SV(")"));
        break;
    case DYNAML_LAMBDA:
        push_expr(p, e->call.args[0]);
        push_text(p, SV("lambda "));
        break;
    case DYNAML_NODE:
    case DYNAML_SHAPE:
    case DYNAML_CONTENT:
        break;
    }
}

static void push_cond(struct printer *p, const struct expr *e) {
    push_expr(p, e->call.args[2]);
    push_text(p, SV(" : "));
    push_expr(p, e->call.args[1]);
    push_text(p, SV(" ? "));
    push_expr(p, e->call.args[0]);
}

static void print_ref(struct printer *p, const struct expr *e) {
    if (e->op == DYNAML_ABSOLUTE)
        buf_append_char(p->out, '.');
    print_steps(p->out, e->ref.steps, e->count);
}

/* `(E).path`; a call's result needs no parentheses of its own. */
static void print_index(struct printer *p, const struct expr *e) {
    struct buf path = BUF(&p->scratch);
    buf_append_cstr(&path, ").");
    print_steps(&path, e->ref.steps, e->count);
    push_text(p, buf_get_sv(&path));
    push_expr(p, e->ref.base);
    push_text(p, SV("("));
}

static void print_one(struct printer *p, const struct expr *e) {
    switch ((enum expr_kind)e->kind) {
    case EXPR_LITERAL:
        print_literal(p->out, e->literal);
        break;
    case EXPR_REF:
        print_ref(p, e);
        break;
    case EXPR_INDEX:
        print_index(p, e);
        break;
    case EXPR_CALL:
        push_call(p, e);
        break;
    case EXPR_COND:
        push_cond(p, e);
        break;
    case EXPR_LIST:
        push_list(p, e, SV("["), SV("]"));
        break;
    case EXPR_LAMBDA:
        push_expr(p, e->lambda.body);
        buf_append_cstr(p->out, "lambda");
        print_parameters(p->out, e, 0);
        break;
    case EXPR_DIRECTIVE:
        push_directive(p, e);
        break;
    case EXPR_TEMPLATE:
    case EXPR_OBJECT:
    case EXPR_ERROR:
        break;
    }
}

static const struct expr *choose_itself(void *user, const struct expr *e) {
    (void)user;
    (void)e;
    return NULL;
}

void dynaml_print_chosen(struct buf *out, const struct expr *e, dynaml_chooser choose, void *user) {
    struct printer p = {.out = out};
    push_expr(&p, e);
    while (p.len > 0) {
        struct pending next = p.stack[--p.len];
        const struct expr *chosen = next.e == NULL ? NULL : choose(user, next.e);
        if (next.e == NULL)
            buf_append(out, next.text);
        else if (chosen != NULL)
            push_expr(&p, chosen);
        else
            print_one(&p, next.e);
    }
    arena_fini(&p.scratch);
}

void dynaml_print(struct buf *out, const struct expr *e) {
    dynaml_print_chosen(out, e, choose_itself, NULL);
}

/* --- lambda values --- */

struct captured {
    sv name;
    value item;
};

static int compare_captured(const void *a, const void *b) {
    const struct captured *left = a, *right = b;
    return sv_cmp(left->name, right->name);
}

/* Parameters of a partial call, and those of the lambdas around it, inner ones in front of outer ones of that name. */
static size_t collect_captured(const struct closure *c, struct captured *all) {
    size_t count = 0;
    for (size_t i = 0; i < c->captured_count; i++)
        all[count++] = (struct captured){c->lambda->lambda.params[i], c->captured[i]};
    for (size_t i = 0; c->scope != NULL && i < c->scope->count; i++)
        all[count++] = (struct captured){c->scope->names[i], c->scope->items[i]};
    qsort(all, count, sizeof *all, compare_captured);
    return count;
}

void dynaml_print_lambda(struct buf *out, const struct closure *c, void (*print)(struct buf *out, value v)) {
    struct arena scratch = {0};
    size_t most = c->captured_count + (c->scope == NULL ? 0 : c->scope->count);
    struct captured *all = ARENA_ARRAY(&scratch, struct captured, most + 1);
    size_t count = collect_captured(c, all);
    buf_append_cstr(out, count > 0 ? "{" : "");
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%.*s: ", SV_ARG(all[i].name));
        print(out, all[i].item);
        buf_append_char(out, ',');
    }
    buf_append_cstr(out, count > 0 ? "}" : "");
    buf_append_cstr(out, "lambda");
    print_parameters(out, c->lambda, c->captured_count);
    dynaml_print(out, c->lambda->lambda.body);
    arena_fini(&scratch);
}
