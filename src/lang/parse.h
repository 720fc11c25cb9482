/* The one Pratt parser. Internal to lang/. */
#ifndef LINTEL_LANG_PARSE_H
#define LINTEL_LANG_PARSE_H

#include "base/vec.h"
#include "lang/lex.h"

enum { PARSE_LOCAL = 16 };

struct parser {
    const struct parse_context *c;
    const struct expr_text *t;
    struct lexer lexer;
    struct depth_guard guard;
    bool failed; /* a syntax error of the substitution under way has been reported */
    const struct expr *local[PARSE_LOCAL];
    VEC(const struct expr *) stack; /* arguments and parts that are being collected; on `local` while they are few */
};

void parser_init(struct parser *p, const struct parse_context *c, const struct expr_text *t, size_t end);
/* Never NULL. After a syntax error the token is END and the result an ERROR expression. */
struct expr *parse_expr(struct parser *p, unsigned min_power);
/* An operand: literal, reference, call, group, container, lambda, prefix operator; with its steps. */
struct expr *parse_operand(struct parser *p);
/* Steps behind a reference (`base` is NULL) or a value. */
struct expr *parse_steps(struct parser *p, struct expr *ref, const struct root_def *root);
/* From "(" on; without `fn` and `callee` (an unknown function) an ERROR that keeps the arguments. */
struct expr *parse_call(struct parser *p, const struct fn_def *fn, const struct expr *callee, span name_at);
/* [a, b] from "[" on, {k: v} from "{" on, |x| -> e from "|" on. */
struct expr *parse_list(struct parser *p);
struct expr *parse_object(struct parser *p);
struct expr *parse_lambda(struct parser *p);

/* Reports one syntax error per substitution and stops the lexer. */
struct expr *parse_fail(struct parser *p, size_t from, size_t to, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "'x' is unexpected", "the substitution ends too early": for the token at hand. */
struct expr *parse_fail_token(struct parser *p, const char *wanted);
/* Takes the punctuation, else fails. */
bool parse_expect(struct parser *p, char punct);
static inline bool parse_has_style(const struct parser *p, enum call_style style) {
    return (p->c->dialect->call_styles & style) != 0;
}
span parse_span(const struct parser *p, size_t from, size_t to);
/* What has been collected on the stack since `base`, as an array of its own. */
const struct expr **parse_take(struct parser *p, size_t base, uint32_t *count);
const struct expr **parse_push(struct parser *p, const struct expr *e);

#endif
