/* Texts with delimiters: cut into literal parts and expressions (BP-210 … BP-215). */
#include "lang/parse.h"

#include <string.h>

/* Offset of the next `open` from `from` on, or SIZE_MAX. Texts are short and mostly without one. */
static size_t find_next(sv text, sv open, size_t from) {
    while (from < text.len) {
        const char *found = memchr(text.data + from, open.data[0], text.len - from);
        if (found == NULL) {
            return SIZE_MAX;
        }
        size_t at = (size_t)(found - text.data);
        if (text.len - at >= open.len && memcmp(found, open.data, open.len) == 0) {
            return at;
        }
        from = at + 1;
    }
    return SIZE_MAX;
}

bool lang_has_substitution(const struct dialect *d, sv text) {
    return find_next(text, d->lexis->open, 0) != SIZE_MAX;
}

struct expr *lang_parse_expr(const struct parse_context *c, const struct expr_text *t, size_t from, size_t to) {
    struct parser p;
    parser_init(&p, c, t, to);
    p.lexer.lexis = c->dialect->lexis;
    p.lexer.braces = 1; /* no delimiter closes it */
    lex_restart(&p.lexer, from);
    struct expr *e = parse_expr(&p, 0);
    if (!p.failed && p.lexer.token.kind != TOKEN_END) {
        return parse_fail_token(&p, "the end of the expression");
    }
    return p.failed && e->kind != EXPR_ERROR ? expr_new_error(c->arena, e->at) : e;
}

/* Where the next `open` stands, and the escape that comes before it or holds it (SIZE_MAX: none). */
static size_t find_open(const struct lexis *x, sv text, size_t from, size_t *escape) {
    size_t open = find_next(text, x->open, from);
    *escape = SIZE_MAX;
    if (open != SIZE_MAX && x->escape.len > 0) {
        sv before = sv_slice(text, 0, open + x->escape.len); /* no further: that would be quadratic */
        size_t escaped = find_next(before, x->escape, from);
        *escape = escaped <= open ? escaped : SIZE_MAX;
    }
    return open;
}

static void push_text(struct parser *p, size_t from, size_t to, sv text) {
    if (text.len > 0) {
        parse_push(p, expr_new_literal(p->c->arena, parse_span(p, from, to), value_string(p->c->arena, text)));
    }
}

static void report_unclosed(struct parser *p, size_t open) {
    struct lexer *l = &p->lexer;
    bool in_string = l->token.kind == TOKEN_BAD && l->token.why != NULL && l->token.to == p->t->text.len;
    if (!p->failed && in_string) {
        parse_fail_token(p, "the end");
    } else if (!p->failed) {
        sv close = l->lexis->close;
        parse_fail(p, open, open + l->lexis->open.len, "the substitution is not closed by '%.*s'", SV_ARG(close));
    }
}

/* What is wrong behind a complete expression. */
static void report_trailing(struct parser *p) {
    if (lex_is_punct(&p->lexer, '(')) {
        parse_fail(p, p->lexer.token.from, p->lexer.token.to, "a result cannot be called");
    } else {
        parse_fail_token(p, "the end of the substitution");
    }
}

static bool is_blank_until(sv text, size_t from, sv close) {
    while (from < text.len && strchr(" \t\r\n", text.data[from]) != NULL && text.data[from] != '\0') {
        from++;
    }
    return sv_has_prefix(sv_slice(text, from, text.len), close);
}

/* One substitution whose `open` stands at `open`. Returns where the text goes on. */
static size_t parse_substitution(struct parser *p, size_t open, struct expr **result) {
    struct lexer *l = &p->lexer;
    size_t start = open + l->lexis->open.len;
    size_t whole = p->t->text.len;
    p->failed = false;
    l->end = whole;
    l->braces = 0;
    lex_restart(l, start);
    if (l->token.kind == TOKEN_CLOSE && is_blank_until(p->t->text, start, l->lexis->close)) {
        size_t end = l->token.to;
        *result = parse_fail(p, open, end, "the substitution is empty");
        return end;
    }
    if (l->token.kind == TOKEN_END) {
        report_unclosed(p, open);
    } else {
        *result = parse_expr(p, 0);
        if (!p->failed && l->token.kind == TOKEN_CLOSE) {
            return l->token.to;
        }
        if (l->token.kind == TOKEN_END) {
            report_unclosed(p, open);
        } else {
            report_trailing(p);
        }
    }
    l->end = whole;
    size_t close = lex_find_close(l, start);
    size_t end = close == SIZE_MAX ? whole : close + l->lexis->close.len;
    *result = expr_new_error(p->c->arena, parse_span(p, open, end));
    return end;
}

static bool is_blank_literal(const struct expr *e) {
    if (e->kind != EXPR_LITERAL || e->literal.kind != VALUE_STRING) {
        return false;
    }
    return sv_trim(value_get_text(e->literal)).len == 0;
}

/* The one substitution of the parts from `base` on, when nothing but white space stands beside it and that is ignored.
 */
static const struct expr *find_sole(struct parser *p, size_t base, size_t sole_at) {
    for (size_t i = base; i < p->stack.len; i++) {
        if (i != sole_at && !is_blank_literal(p->stack.items[i])) {
            return NULL;
        }
    }
    return p->stack.items[sole_at];
}

/* Where a text's substitutions are: how many, and the place on the stack of the last. */
struct parts {
    size_t count, last;
    size_t texts; /* literal parts */
};

static void parse_parts(struct parser *p, struct parts *parts) {
    sv text = p->t->text;
    const struct lexis *x = p->lexer.lexis;
    size_t pos = 0, escape = SIZE_MAX;
    while (pos < text.len) {
        size_t open = find_open(x, text, pos, &escape);
        size_t cut = escape != SIZE_MAX ? escape : open != SIZE_MAX ? open : text.len;
        push_text(p, pos, cut, sv_slice(text, pos, cut));
        parts->texts += cut > pos;
        if (escape != SIZE_MAX) {
            push_text(p, cut, cut + x->escape.len, x->open);
            parts->texts++;
            pos = cut + x->escape.len;
        } else if (open != SIZE_MAX) {
            struct expr *e = NULL;
            pos = parse_substitution(p, open, &e);
            parts->last = p->stack.len;
            parts->count++;
            parse_push(p, e);
        } else {
            pos = text.len;
        }
    }
}

static struct expr *parse_whole(struct parser *p, bool trim, bool *is_sole) {
    struct parts parts = {0};
    size_t base = p->stack.len;
    parse_parts(p, &parts);
    if (parts.count == 1 && (parts.texts == 0 || trim)) {
        const struct expr *sole = find_sole(p, base, parts.last);
        if (sole != NULL) {
            p->stack.len = base;
            *is_sole = true;
            return (struct expr *)sole;
        }
    }
    struct expr *e = expr_new(p->c->arena, EXPR_TEMPLATE, parse_span(p, 0, p->t->text.len));
    e->call.args = parse_take(p, base, &e->count);
    return e;
}

struct expr *lang_parse_text(const struct parse_context *c, const struct expr_text *t, bool trim, bool *is_sole) {
    bool sole = false;
    struct expr *e;
    if (!lang_has_substitution(c->dialect, t->text)) {
        e = expr_new_literal(c->arena, expr_text_span(t, 0, t->text.len), value_string(c->arena, t->text));
    } else {
        struct parser p;
        parser_init(&p, c, t, t->text.len);
        e = parse_whole(&p, trim, &sole);
    }
    if (is_sole != NULL) {
        *is_sole = sole;
    }
    return e;
}
