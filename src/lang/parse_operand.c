/* Operands: literals, references, prefix operators, groups, conditions. */
#include "lang/parse.h"
#include "lang/shorten.h"

#include <string.h>

static struct expr *parse_number(struct parser *p) {
    size_t from = p->lexer.token.from, to = p->lexer.token.to;
    value v = {0};
    if (!lex_get_number(&p->lexer, &v)) {
        return parse_fail(p, from, to, "this number cannot be represented");
    }
    lex_next(&p->lexer);
    return expr_new_literal(p->c->arena, parse_span(p, from, to), v);
}

static struct expr *parse_string(struct parser *p) {
    size_t from = p->lexer.token.from, to = p->lexer.token.to, bad = 0;
    sv text = {0};
    if (!lex_get_string(&p->lexer, p->c->arena, &text, &bad)) {
        return parse_fail(p, bad, bad + 2, "this escape is not known");
    }
    lex_next(&p->lexer);
    return expr_new_literal(p->c->arena, parse_span(p, from, to), value_string(p->c->arena, text));
}

static bool find_literal(const struct lexis *x, sv word, value *result) {
    for (size_t i = 0; i < x->literal_count; i++) {
        sv literal = x->literal_words[i];
        if (literal.len == word.len && literal.data[0] == word.data[0] &&
            memcmp(literal.data, word.data, word.len) == 0) {
            *result = x->literal_values[i];
            return true;
        }
    }
    return false;
}

static const struct root_def *find_root(const struct dialect *d, sv word) {
    const struct root_def *any = NULL;
    for (size_t i = 0; i < d->root_count; i++) {
        const struct root_def *r = &d->roots[i];
        if (r->keyword.len == 0) {
            any = r;
        } else if (r->keyword.len == word.len && r->keyword.data[0] == word.data[0] &&
                   memcmp(r->keyword.data, word.data, word.len) == 0) {
            return r;
        }
    }
    return any;
}

static struct expr *parse_unknown_call(struct parser *p, sv name, span at) {
    struct diags *diags = p->c->diags;
    sv close = fn_find_close(p->c->dialect->functions, name);
    struct diag *d = diags_add(diags, p->c->dialect->unknown_function_code, at, "function '%.*s' does not exist",
                               SV_ARG(shorten(name)));
    if (close.len > 0) {
        diag_set_hint(diags, d, "did you mean '%.*s'?", SV_ARG(close));
    }
    return parse_call(p, NULL, NULL, at);
}

static struct expr *parse_named_call(struct parser *p, sv name, span at) {
    const struct dialect *d = p->c->dialect;
    const struct fn_def *fn = fn_find(d->functions, name);
    if (fn == NULL && d->make_unknown != NULL) {
        fn = d->make_unknown(p->c->arena, name);
    }
    return fn == NULL ? parse_unknown_call(p, name, at) : parse_call(p, fn, NULL, at);
}

static struct expr *parse_ref(struct parser *p, sv name, const struct root_def *root, size_t from, size_t to) {
    struct expr *ref = expr_new(p->c->arena, EXPR_REF, parse_span(p, from, to));
    ref->op = root->number;
    ref->ref.name = name;
    return parse_steps(p, ref, root);
}

static struct expr *parse_if(struct parser *p, size_t from) {
    static const char *const words[] = {"then", "else"};
    const struct expr **args = ARENA_ARRAY(p->c->arena, const struct expr *, 3);
    args[0] = parse_expr(p, 0);
    for (size_t i = 0; i < 2; i++) {
        if (p->lexer.token.kind != TOKEN_NAME || !sv_eq_cstr(lex_get_text(&p->lexer), words[i])) {
            return parse_fail_token(p, i == 0 ? "'then'" : "'else'");
        }
        lex_next(&p->lexer);
        args[i + 1] = parse_expr(p, 0);
    }
    struct expr *e = expr_new(p->c->arena, EXPR_COND, span_join(parse_span(p, from, from + 2), args[2]->at));
    e->call.args = args;
    e->count = 3;
    return e;
}

static bool is_keyword(const struct parser *p, sv word) {
    return parse_has_style(p, CALL_IF_THEN_ELSE) && (sv_eq_cstr(word, "then") || sv_eq_cstr(word, "else"));
}

static struct expr *parse_name(struct parser *p) {
    size_t from = p->lexer.token.from, to = p->lexer.token.to;
    sv name = lex_get_text(&p->lexer);
    value literal = {0};
    if (is_keyword(p, name)) {
        return parse_fail_token(p, "a value");
    }
    lex_next(&p->lexer);
    if (parse_has_style(p, CALL_IF_THEN_ELSE) && sv_eq_cstr(name, "if")) {
        return parse_if(p, from);
    }
    if (find_literal(p->lexer.lexis, name, &literal)) {
        return expr_new_literal(p->c->arena, parse_span(p, from, to), literal);
    }
    const struct root_def *root = find_root(p->c->dialect, name);
    if (lex_is_punct(&p->lexer, '(') && (root == NULL || root->keyword.len == 0)) {
        return parse_named_call(p, name, parse_span(p, from, to));
    }
    if (root == NULL) {
        return parse_fail(p, from, to, "'%.*s' is no name of anything", SV_ARG(shorten(name)));
    }
    return parse_ref(p, name, root, from, to);
}

static const struct operator_def *get_prefix(const struct parser *p) {
    const struct operator_def *op = p->lexer.token.op, *end = p->c->dialect->operators + p->c->dialect->operator_count;
    for (sv token = op->token; op < end && sv_eq(op->token, token); op++) {
        if (op->left_power == 0) {
            return op;
        }
    }
    return NULL;
}

static struct expr *parse_prefix(struct parser *p) {
    const struct operator_def *op = get_prefix(p);
    if (op == NULL) {
        return parse_fail_token(p, "a value");
    }
    span at = parse_span(p, p->lexer.token.from, p->lexer.token.to);
    lex_next(&p->lexer);
    const struct expr **args = ARENA_ARRAY(p->c->arena, const struct expr *, 1);
    args[0] = parse_expr(p, op->right_power);
    return expr_new_call(p->c->arena, span_join(at, args[0]->at), op->fn, args, 1);
}

static struct expr *parse_group(struct parser *p) {
    lex_next(&p->lexer);
    struct expr *e = parse_expr(p, 0);
    parse_expect(p, ')');
    return e;
}

static struct expr *parse_bracketed(struct parser *p) {
    const struct token *t = &p->lexer.token;
    if (t->punct == '(' && parse_has_style(p, CALL_GROUPS)) {
        return parse_group(p);
    }
    if (t->punct == '[' && parse_has_style(p, CALL_LIST_LITERALS)) {
        return parse_list(p);
    }
    if (t->punct == '{' && parse_has_style(p, CALL_OBJECT_LITERALS)) {
        return parse_object(p);
    }
    if (t->punct == '|' && parse_has_style(p, CALL_LAMBDAS)) {
        return parse_lambda(p);
    }
    return parse_fail_token(p, "a value");
}

static struct expr *parse_bare_operand(struct parser *p) {
    switch (p->lexer.token.kind) {
    case TOKEN_NAME:
        return parse_name(p);
    case TOKEN_NUMBER:
        return parse_number(p);
    case TOKEN_STRING:
        return parse_string(p);
    case TOKEN_OPERATOR:
        return parse_prefix(p);
    case TOKEN_PUNCT:
        return parse_bracketed(p);
    case TOKEN_CLOSE:
    case TOKEN_END:
    case TOKEN_BAD:
        return parse_fail_token(p, "a value");
    }
    return parse_fail_token(p, "a value");
}

/* Steps and calls behind any operand, where the dialect has them. A call of a table function has taken its own. */
struct expr *parse_operand(struct parser *p) {
    bool is_prefix = p->lexer.token.kind == TOKEN_OPERATOR, is_name = p->lexer.token.kind == TOKEN_NAME;
    struct expr *e = parse_bare_operand(p);
    bool is_open_ended = is_prefix || (is_name && e->kind == EXPR_COND); /* their last operand has taken the steps */
    for (size_t count = 0; !p->failed && !is_open_ended; count++) {
        bool steps = lex_is_punct(&p->lexer, '.') || lex_is_punct(&p->lexer, '[');
        if (steps && parse_has_style(p, CALL_STEPS_ANYWHERE)) {
            struct expr *index = expr_new(p->c->arena, EXPR_INDEX, e->at);
            index->ref.base = e;
            e = parse_steps(p, index, NULL);
        } else if (lex_is_punct(&p->lexer, '(') && parse_has_style(p, CALL_ON_VALUES)) {
            e = parse_call(p, NULL, e, e->at);
        } else {
            break;
        }
        if (count == p->c->limits->result_items) {
            return parse_fail(p, p->lexer.token.from, p->lexer.token.to, "the expression has too many steps");
        }
    }
    return e;
}
