/* The lexer that all dialects with a grammar of operators share: one token of look-ahead over a text. Internal to
 * lang/. */
#ifndef LINTEL_LANG_LEX_H
#define LINTEL_LANG_LEX_H

#include "lang/dialect.h"

enum token_kind {
    TOKEN_END = 1,
    TOKEN_CLOSE, /* the dialect's closing delimiter, outside of braces */
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_OPERATOR, /* `op` is the first of its entries in the table */
    TOKEN_PUNCT,    /* one of ( ) [ ] { } , : . = ? | */
    TOKEN_BAD,      /* `why` says what is wrong from `from` to `to` */
};

struct token {
    enum token_kind kind;
    char punct;
    bool is_float;   /* NUMBER */
    bool has_escape; /* STRING */
    size_t from, to; /* of strings with their quotes */
    const struct operator_def *op;
    const char *why;
};

struct lexer {
    const struct dialect *dialect;
    const struct lexis *lexis;
    sv text;
    size_t pos, end;
    size_t braces; /* open { */
    struct token token;
};

/* Reads the token behind the current one. */
void lex_next(struct lexer *l);
/* Goes back to `pos` and reads the token there. */
void lex_restart(struct lexer *l, size_t pos);
sv lex_get_text(const struct lexer *l);
static inline bool lex_is_punct(const struct lexer *l, char c) {
    return l->token.kind == TOKEN_PUNCT && l->token.punct == c;
}
/* The punctuation that follows the current token, without taking it; NUL for anything else. */
char lex_peek_punct(const struct lexer *l);
/* A name behind a point, where words may start with a digit. False when there is none. */
bool lex_take_word(struct lexer *l, sv *word);
/* The value of a NUMBER; false when it cannot be represented. */
bool lex_get_number(const struct lexer *l, value *result);
/* The text of a STRING, decoded into `a` where needed; false for a bad escape, whose place `bad` tells. */
bool lex_get_string(const struct lexer *l, struct arena *a, sv *result, size_t *bad);
/* Offset of the first `close` from `from` on that is outside of strings, or SIZE_MAX: where to go on after a mistake.
 */
size_t lex_find_close(const struct lexer *l, size_t from);

#endif
