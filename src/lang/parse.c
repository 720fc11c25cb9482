#include "lang/parse.h"

#include <stdarg.h>
#include <string.h>

enum { CONDITION_POWER = 1 }; /* c ? t : f binds weaker than every operator */

span expr_text_span(const struct expr_text *t, size_t from, size_t to) {
    if (t->offsets == NULL) {
        return (span){t->source, (uint32_t)(t->start + from), (uint32_t)(to - from)};
    }
    uint32_t start = t->offsets[from], end = t->offsets[to];
    return (span){t->source, start, end > start ? end - start : 0};
}

void parser_init(struct parser *p, const struct parse_context *c, const struct expr_text *t, size_t end) {
    p->c = c;
    p->t = t;
    p->failed = false;
    p->guard.depth = 0;
    p->stack.items = p->local;
    p->stack.len = 0;
    p->stack.cap = PARSE_LOCAL;
    p->lexer.pos = 0;
    p->lexer.braces = 0;
    p->lexer.dialect = c->dialect;
    p->lexer.lexis = c->dialect->lexis;
    p->lexer.text = t->text;
    p->lexer.end = end;
    p->guard.limit = c->limits->expr_depth;
}

span parse_span(const struct parser *p, size_t from, size_t to) {
    return expr_text_span(p->t, from, to);
}

static void stop(struct parser *p) {
    p->failed = true;
    p->lexer.end = p->lexer.pos = 0;
    p->lexer.token.kind = TOKEN_END;
}

struct expr *parse_fail(struct parser *p, size_t from, size_t to, const char *format, ...) {
    span at = parse_span(p, from, to);
    if (!p->failed) {
        va_list args;
        va_start(args, format);
        sv message = arena_vprintf(p->c->arena, format, args);
        va_end(args);
        diags_add(p->c->diags, p->c->dialect->syntax_code, at, "%.*s", SV_ARG(message));
    }
    stop(p);
    return expr_new_error(p->c->arena, at);
}

struct expr *parse_fail_token(struct parser *p, const char *wanted) {
    const struct token *t = &p->lexer.token;
    if (t->kind == TOKEN_BAD && t->why != NULL) {
        return parse_fail(p, t->from, t->to, "%s", t->why);
    }
    if (t->kind == TOKEN_BAD && p->lexer.lexis->character_why != NULL) {
        return parse_fail(p, t->from, t->to, "%s '%.*s'", p->lexer.lexis->character_why,
                          SV_ARG(lex_get_text(&p->lexer)));
    }
    if (t->kind == TOKEN_END) {
        return parse_fail(p, t->from, t->to, "%s is missing at the end of the substitution", wanted);
    }
    sv found = lex_get_text(&p->lexer);
    if (found.len > 40) {
        return parse_fail(p, t->from, t->to, "%s is wanted here", wanted);
    }
    return parse_fail(p, t->from, t->to, "%s is wanted here instead of '%.*s'", wanted, SV_ARG(found));
}

bool parse_expect(struct parser *p, char punct) {
    if (lex_is_punct(&p->lexer, punct)) {
        lex_next(&p->lexer);
        return true;
    }
    char wanted[] = "'?'";
    wanted[1] = punct;
    parse_fail_token(p, wanted);
    return false;
}

const struct expr **parse_push(struct parser *p, const struct expr *e) {
    if (p->stack.len == PARSE_LOCAL && p->stack.items == p->local) {
        p->stack.items = ARENA_ARRAY(p->c->arena, const struct expr *, PARSE_LOCAL);
        memcpy(p->stack.items, p->local, sizeof p->local);
    }
    VEC_PUSH(p->c->arena, &p->stack, e);
    return VEC_LAST(&p->stack);
}

const struct expr **parse_take(struct parser *p, size_t base, uint32_t *count) {
    size_t len = p->stack.len - base;
    *count = (uint32_t)len;
    p->stack.len = base;
    if (len == 0) {
        return NULL;
    }
    const struct expr **items = ARENA_ARRAY(p->c->arena, const struct expr *, len);
    memcpy(items, p->stack.items + base, len * sizeof *items);
    return items;
}

/* The entry for the place behind an operand: the table may hold a token twice, as prefix and between operands. */
static const struct operator_def *get_infix(const struct parser *p) {
    const struct operator_def *op = p->lexer.token.op, *end = p->c->dialect->operators + p->c->dialect->operator_count;
    for (sv token = op->token; op < end && sv_eq(op->token, token); op++) {
        if (op->left_power > 0) {
            return op;
        }
    }
    return NULL;
}

static struct expr *parse_infix(struct parser *p, struct expr *left, const struct operator_def *op) {
    lex_next(&p->lexer);
    struct expr *right = parse_expr(p, op->right_power);
    const struct expr **args = ARENA_ARRAY(p->c->arena, const struct expr *, 2);
    args[0] = left;
    args[1] = right;
    return expr_new_call(p->c->arena, span_join(left->at, right->at), op->fn, args, 2);
}

static struct expr *new_condition(struct parser *p, const struct expr *c, const struct expr *t, const struct expr *f) {
    const struct expr **args = ARENA_ARRAY(p->c->arena, const struct expr *, 3);
    args[0] = c;
    args[1] = t;
    args[2] = f;
    struct expr *e = expr_new(p->c->arena, EXPR_COND, span_join(c->at, f->at));
    e->call.args = args;
    e->count = 3;
    return e;
}

static struct expr *parse_condition(struct parser *p, struct expr *condition) {
    lex_next(&p->lexer);
    struct expr *yes = parse_expr(p, 0);
    if (!parse_expect(p, ':')) {
        return yes;
    }
    return new_condition(p, condition, yes, parse_expr(p, CONDITION_POWER));
}

/* What may follow an operand: an operator that binds at least as strongly as asked, or "?". */
static struct expr *parse_rest(struct parser *p, struct expr *left, unsigned min_power) {
    for (size_t length = 0;; length++) {
        if (length == p->c->limits->result_items) {
            return parse_fail(p, p->lexer.token.from, p->lexer.token.to, "the expression has too many operators");
        }
        const struct operator_def *op = p->lexer.token.kind == TOKEN_OPERATOR ? get_infix(p) : NULL;
        if (op != NULL && op->left_power >= min_power) {
            left = parse_infix(p, left, op);
        } else if (lex_is_punct(&p->lexer, '?') && parse_has_style(p, CALL_CONDITIONAL) &&
                   min_power <= CONDITION_POWER) {
            left = parse_condition(p, left);
        } else {
            return left;
        }
    }
}

struct expr *parse_expr(struct parser *p, unsigned min_power) {
    if (!depth_enter(&p->guard)) {
        const struct token *t = &p->lexer.token;
        span at = parse_span(p, t->from, t->to);
        if (!p->failed) {
            diags_add(p->c->diags, DIAG_limit_exceeded, at, "the expression is nested deeper than %zu levels",
                      p->guard.limit);
        }
        stop(p);
        return expr_new_error(p->c->arena, at);
    }
    struct expr *e = parse_operand(p);
    e = parse_rest(p, e, min_power);
    depth_leave(&p->guard);
    return e;
}
