/* Steps behind references and values: .name ["name"] [0] [] [expression]. */
#include "lang/parse.h"

#include <string.h>

enum { LOCAL_STEPS = 8 };

/* Steps are collected here and copied out exactly; most references have fewer than LOCAL_STEPS. */
struct step_list {
    struct step local[LOCAL_STEPS];
    struct step *items;
    size_t len, cap;
};

static void push_step(struct parser *p, struct step_list *list, struct step s) {
    if (list->len == list->cap) {
        struct step *items = ARENA_ARRAY(p->c->arena, struct step, list->cap * 2);
        memcpy(items, list->items, list->len * sizeof *items);
        list->items = items;
        list->cap *= 2;
    }
    list->items[list->len++] = s;
}

static bool is_key(const struct lexis *x, sv key) {
    for (size_t i = 0; i < key.len; i++) {
        unsigned char c = (unsigned char)key.data[i];
        if (c >= 0x80 || (x->classes[c] & LEXIS_KEY) == 0) {
            return false;
        }
    }
    return key.len > 0;
}

static bool parse_name_step(struct parser *p, struct step *s) {
    size_t point = p->lexer.token.from;
    lex_next(&p->lexer);
    size_t from = p->lexer.token.from;
    s->kind = STEP_NAME;
    if (!lex_take_word(&p->lexer, &s->name)) {
        parse_fail_token(p, "a name");
        return false;
    }
    s->at = parse_span(p, point, from + s->name.len);
    return true;
}

static bool parse_key(struct parser *p, struct step *s) {
    size_t from = p->lexer.token.from, to = p->lexer.token.to, bad = 0;
    s->kind = STEP_NAME;
    if (!lex_get_string(&p->lexer, p->c->arena, &s->name, &bad)) {
        parse_fail(p, bad, bad + 2, "this escape is not known");
        return false;
    }
    if (p->lexer.lexis->key_class_only && !is_key(p->lexer.lexis, s->name)) {
        parse_fail(p, from, to, "a quoted name consists of letters, digits, '_', '.' and '-'");
        return false;
    }
    lex_next(&p->lexer);
    return true;
}

static bool is_digits(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
    }
    return text.len > 0;
}

static bool parse_index(struct parser *p, struct step *s) {
    size_t from = p->lexer.token.from, to = p->lexer.token.to;
    value v = {0};
    if (!is_digits(lex_get_text(&p->lexer)) || !lex_get_number(&p->lexer, &v) || v.kind != VALUE_INT) {
        parse_fail(p, from, to, "an index is a whole number from 0 to 9223372036854775807");
        return false;
    }
    s->kind = STEP_INDEX;
    s->index = (size_t)v.integer;
    lex_next(&p->lexer);
    return true;
}

static bool parse_step_expr(struct parser *p, struct step *s) {
    const struct expr *e = parse_expr(p, 0);
    if (e->kind == EXPR_LITERAL && e->literal.kind == VALUE_STRING) {
        s->kind = STEP_NAME;
        s->name = value_get_text(e->literal);
    } else if (e->kind == EXPR_LITERAL && e->literal.kind == VALUE_INT && e->literal.integer >= 0) {
        s->kind = STEP_INDEX;
        s->index = (size_t)e->literal.integer;
    } else {
        s->kind = STEP_EXPR;
        s->expr = e;
    }
    return !p->failed;
}

static bool parse_bracket_content(struct parser *p, struct step *s) {
    if (parse_has_style(p, CALL_EMPTY_INDEX) && lex_is_punct(&p->lexer, ']')) {
        s->kind = STEP_INDEX;
        return true;
    }
    if (parse_has_style(p, CALL_INDEX_EXPRS)) {
        return parse_step_expr(p, s);
    }
    if (p->lexer.token.kind == TOKEN_STRING) {
        return parse_key(p, s);
    }
    if (p->lexer.token.kind == TOKEN_NUMBER) {
        return parse_index(p, s);
    }
    parse_fail_token(p, "an index or a quoted name");
    return false;
}

static bool parse_bracket_step(struct parser *p, struct step *s) {
    size_t open = p->lexer.token.from;
    lex_next(&p->lexer);
    if (!parse_bracket_content(p, s)) {
        return false;
    }
    size_t close = p->lexer.token.to;
    if (!parse_expect(p, ']')) {
        return false;
    }
    s->at = parse_span(p, open, close);
    return true;
}

static bool fits_root(struct parser *p, const struct step_list *list, const struct root_def *root) {
    if (root == NULL) {
        return true;
    }
    size_t names = 0;
    while (names < list->len && list->items[names].kind == STEP_NAME) {
        names++;
    }
    if (names < root->min_names) {
        parse_fail_token(p, "'.' and a name");
        return false;
    }
    if (list->len < root->min_steps) {
        parse_fail_token(p, "'.' or '['");
        return false;
    }
    return true;
}

struct expr *parse_steps(struct parser *p, struct expr *ref, const struct root_def *root) {
    struct step_list list;
    list.items = list.local;
    list.len = 0;
    list.cap = LOCAL_STEPS;
    size_t max = root == NULL || root->max_steps == 255 ? SIZE_MAX : root->max_steps;
    while (list.len < max && (lex_is_punct(&p->lexer, '.') || lex_is_punct(&p->lexer, '['))) {
        struct step s = {0};
        size_t from = p->lexer.token.from;
        bool ok = p->lexer.token.punct == '.' ? parse_name_step(p, &s) : parse_bracket_step(p, &s);
        if (!ok) {
            return expr_new_error(p->c->arena, ref->at);
        }
        if (root != NULL && list.len < root->min_names && s.kind != STEP_NAME) {
            return parse_fail(p, from, from + 1, "a name is wanted here, not an index");
        }
        push_step(p, &list, s);
    }
    if (!fits_root(p, &list, root)) {
        return expr_new_error(p->c->arena, ref->at);
    }
    if (list.len > 0) {
        struct step *steps = ARENA_ARRAY(p->c->arena, struct step, list.len);
        memcpy(steps, list.items, list.len * sizeof *steps);
        ref->ref.steps = steps;
        ref->at = span_join(ref->at, list.items[list.len - 1].at);
    }
    ref->count = (uint32_t)list.len;
    return ref;
}
