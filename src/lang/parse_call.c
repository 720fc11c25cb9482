/* Calls and containers: f(a, n = b), [a, b], {k: v}, |x| -> e. */
#include "lang/parse.h"

#include "lang/eval.h"
#include "lang/shorten.h"

struct arg_names {
    VEC(sv) names;
    VEC(span) spans;
};

static const struct type *get_param_type(const struct fn_def *fn, size_t index) {
    if (fn == NULL || fn->param_count == 0) {
        return NULL;
    }
    if (index >= fn->param_count) {
        bool repeats = (fn->params[fn->param_count - 1].flags & FN_VARIADIC) != 0;
        return repeats ? fn->params[fn->param_count - 1].type : NULL;
    }
    return fn->params[index].type;
}

/* FN-021: a bare name for a parameter of type fn is a function. */
static bool is_bare_function(const struct parser *p, const struct fn_def *fn, size_t index) {
    const struct type *type = get_param_type(fn, index);
    if (!parse_has_style(p, CALL_BARE_FUNCTIONS) || type == NULL || type->kind != TYPE_FUNCTION ||
        p->lexer.token.kind != TOKEN_NAME) {
        return false;
    }
    sv name = lex_get_text(&p->lexer);
    for (size_t i = 0; i < p->c->dialect->root_count; i++) {
        if (p->c->dialect->roots[i].keyword.len > 0 && sv_eq(p->c->dialect->roots[i].keyword, name)) {
            return false;
        }
    }
    for (size_t i = 0; i < p->lexer.lexis->literal_count; i++) {
        if (sv_eq(p->lexer.lexis->literal_words[i], name)) {
            return false;
        }
    }
    char next = lex_peek_punct(&p->lexer);
    return next != '(' && next != '.' && next != '[';
}

static struct expr *fail_bare_function(struct parser *p, const struct fn_def *fn, sv name, span at) {
    const struct dialect *d = p->c->dialect;
    if (fn != NULL) {
        diags_add(p->c->diags, d->arguments_code, at, "function '%.*s' cannot be passed to another function",
                  SV_ARG(shorten(name)));
        return expr_new_error(p->c->arena, at);
    }
    sv close = fn_find_close(d->functions, name);
    struct diag *diag =
        diags_add(p->c->diags, d->unknown_function_code, at, "function '%.*s' does not exist", SV_ARG(shorten(name)));
    if (close.len > 0) {
        diag_set_hint(p->c->diags, diag, "did you mean '%.*s'?", SV_ARG(close));
    }
    return expr_new_error(p->c->arena, at);
}

static struct expr *parse_bare_function(struct parser *p) {
    sv name = lex_get_text(&p->lexer);
    span at = parse_span(p, p->lexer.token.from, p->lexer.token.to);
    lex_next(&p->lexer);
    const struct fn_def *fn = fn_find(p->c->dialect->functions, name);
    if (fn == NULL || fn->named_only || (fn->flags & FN_SYNTACTIC) != 0) {
        return fail_bare_function(p, fn, name, at);
    }
    struct closure *closure = ARENA_NEW(p->c->arena, struct closure);
    closure->fn = fn;
    return expr_new_literal(p->c->arena, at, value_function(closure));
}

/* `name =` before an argument. Lists of names begin with the first name that occurs. */
static void parse_arg_name(struct parser *p, struct arg_names *names, size_t index) {
    bool named =
        parse_has_style(p, CALL_NAMED) && p->lexer.token.kind == TOKEN_NAME && lex_peek_punct(&p->lexer) == '=';
    if (!named && names->names.len == 0) {
        return;
    }
    while (names->names.len <= index) {
        VEC_PUSH(p->c->arena, &names->names, ((sv){0}));
        VEC_PUSH(p->c->arena, &names->spans, SPAN_NONE);
    }
    if (named) {
        names->names.items[index] = lex_get_text(&p->lexer);
        names->spans.items[index] = parse_span(p, p->lexer.token.from, p->lexer.token.to);
        lex_next(&p->lexer);
        lex_next(&p->lexer);
    }
}

/* Skips commas between which nothing stands, where the dialect allows it; true when the list ends here. */
static bool at_end_of_items(struct parser *p, char close) {
    while (parse_has_style(p, CALL_EMPTY_ITEMS) && lex_is_punct(&p->lexer, ',')) {
        lex_next(&p->lexer);
    }
    return lex_is_punct(&p->lexer, close);
}

/* Behind an item: true when another one follows. */
static bool has_next_item(struct parser *p, char close) {
    if (!lex_is_punct(&p->lexer, ',')) {
        return false;
    }
    lex_next(&p->lexer);
    return !parse_has_style(p, CALL_EMPTY_ITEMS) || !at_end_of_items(p, close);
}

struct expr *parse_call(struct parser *p, const struct fn_def *fn, const struct expr *callee, span name_at) {
    size_t base = p->stack.len;
    struct arg_names names = {0};
    lex_next(&p->lexer);
    if (!at_end_of_items(p, ')')) {
        do {
            size_t index = p->stack.len - base;
            parse_arg_name(p, &names, index);
            bool bare = is_bare_function(p, fn, index);
            parse_push(p, bare ? parse_bare_function(p) : parse_expr(p, 0));
        } while (!p->failed && has_next_item(p, ')'));
    }
    size_t close = p->lexer.token.from;
    bool closed = !p->failed && parse_expect(p, ')');
    struct expr *call = expr_new(p->c->arena, EXPR_CALL, name_at);
    call->call.args = parse_take(p, base, &call->count);
    call->call.fn = fn;
    call->call.callee = callee;
    call->call.names = names.names.items;
    call->call.name_spans = names.spans.items;
    if (!closed || (fn == NULL && callee == NULL)) {
        call->kind = EXPR_ERROR; /* keeps its arguments, so that their mistakes are found too */
    }
    if (!closed) {
        return call;
    }
    call->at = span_join(name_at, parse_span(p, close, close + 1));
    bool steps = lex_is_punct(&p->lexer, '.') || lex_is_punct(&p->lexer, '[');
    if (!steps || callee != NULL) {
        return call;
    }
    struct expr *index = expr_new(p->c->arena, EXPR_INDEX, call->at);
    index->ref.base = call;
    return parse_steps(p, index, NULL);
}

struct expr *parse_list(struct parser *p) {
    size_t base = p->stack.len, from = p->lexer.token.from;
    lex_next(&p->lexer);
    if (!at_end_of_items(p, ']')) {
        do {
            parse_push(p, parse_expr(p, 0));
        } while (!p->failed && has_next_item(p, ']'));
    }
    size_t to = p->lexer.token.to;
    uint32_t count = 0;
    const struct expr **items = parse_take(p, base, &count);
    if (p->failed || !parse_expect(p, ']')) {
        return expr_new_error(p->c->arena, parse_span(p, from, from + 1));
    }
    return expr_new_list(p->c->arena, parse_span(p, from, to), items, count);
}

/* A plain name before ':' is the key itself; anything else is an expression that gives it. */
static struct expr *parse_object_key(struct parser *p) {
    if (p->lexer.token.kind == TOKEN_NAME && lex_peek_punct(&p->lexer) == ':') {
        struct expr *key = expr_new_literal(p->c->arena, parse_span(p, p->lexer.token.from, p->lexer.token.to),
                                            value_string(p->c->arena, lex_get_text(&p->lexer)));
        lex_next(&p->lexer);
        return key;
    }
    return parse_expr(p, 0);
}

struct expr *parse_object(struct parser *p) {
    size_t base = p->stack.len, from = p->lexer.token.from;
    lex_next(&p->lexer);
    if (!at_end_of_items(p, '}')) {
        do {
            parse_push(p, parse_object_key(p));
            if (p->failed || !parse_expect(p, ':')) {
                break;
            }
            parse_push(p, parse_expr(p, 0));
        } while (!p->failed && has_next_item(p, '}'));
    }
    size_t to = p->lexer.token.to;
    uint32_t count = 0;
    const struct expr **items = parse_take(p, base, &count);
    if (p->failed || !parse_expect(p, '}')) {
        return expr_new_error(p->c->arena, parse_span(p, from, from + 1));
    }
    struct expr *e = expr_new_object(p->c->arena, parse_span(p, from, to), NULL, items, count / 2);
    e->op = EXPR_COMPUTED_KEYS;
    return e;
}

struct expr *parse_lambda(struct parser *p) {
    size_t from = p->lexer.token.from;
    VEC(sv) params = {0};
    lex_next(&p->lexer);
    while (p->lexer.token.kind == TOKEN_NAME) {
        VEC_PUSH(p->c->arena, &params, lex_get_text(&p->lexer));
        lex_next(&p->lexer);
        if (!lex_is_punct(&p->lexer, ',')) {
            break;
        }
        lex_next(&p->lexer);
    }
    if (!parse_expect(p, '|')) {
        return expr_new_error(p->c->arena, parse_span(p, from, from + 1));
    }
    size_t arrow = p->lexer.token.from;
    if (!sv_has_prefix(sv_slice(p->t->text, arrow, p->lexer.end), SV("->"))) {
        return parse_fail_token(p, "'->'");
    }
    lex_restart(&p->lexer, arrow + 2);
    struct expr *e = expr_new(p->c->arena, EXPR_LAMBDA, parse_span(p, from, from + 1));
    e->lambda.params = params.items;
    e->count = (uint32_t)params.len;
    e->lambda.body = parse_expr(p, 0);
    e->at = span_join(e->at, e->lambda.body->at);
    return e;
}
