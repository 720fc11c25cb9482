/* Dialect tables: what the lexer, the Pratt parser and the checker must know of a language. Data; no dialect evaluates by itself. */
#ifndef LINTEL_LANG_DIALECT_H
#define LINTEL_LANG_DIALECT_H

#include "lang/eval.h"

/* One operator: prefix when left_power is 0. Right associative when right_power < left_power. */
struct operator_def {
    sv token;
    uint8_t left_power, right_power;
    bool is_word;                 /* needs a word boundary */
    const struct fn_def *fn;
};

/* One reference root: a keyword, or (empty) any other name. */
struct root_def {
    sv keyword;
    uint16_t number;
    uint8_t min_steps, max_steps; /* of names directly behind it; max 255: any */
    bool whole_word;
};

enum call_style {
    CALL_NAMED = 1 << 0,     /* name = value arguments */
    CALL_ON_VALUES = 1 << 1, /* f(x)(y), lambdas */
    CALL_BARE_FUNCTIONS = 1 << 2, /* a bare name for a function-typed parameter is a function (FN-021) */
    CALL_LIST_LITERALS = 1 << 3, /* [a, b] */
    CALL_OBJECT_LITERALS = 1 << 4,
    CALL_LAMBDAS = 1 << 5,
    CALL_INDEX_EXPRS = 1 << 6,   /* a[expression] */
    CALL_EMPTY_INDEX = 1 << 7,   /* [] = [0] */
    CALL_CONDITIONAL = 1 << 8,   /* c ? t : f */
};

struct lexis {
    sv open, close;        /* "${" and "}" */
    sv escape;             /* text that stands for a literal `open`; empty: none (BP-215) */
    bool (*is_name_start)(uint32_t codepoint);
    bool (*is_name_part)(uint32_t codepoint);
    sv quotes;             /* characters that open strings: "\"'" */
    bool quote_escape_only; /* only the quote itself can be escaped (BP-223) */
    bool floats, exponents, hex, negative_literals;
    const sv *literal_words; /* "true" "false" "none"/"nil"/"null" … */
    const value *literal_values;
    size_t literal_count;
};

struct dialect {
    sv name;
    const struct lexis *lexis;
    const struct operator_def *operators; /* sorted by token */
    size_t operator_count;
    const struct root_def *roots; /* sorted by keyword */
    size_t root_count;
    unsigned call_styles; /* enum call_style */
    const struct fn_registry *functions;
    const struct eval_policy *policy;
    enum diag_code syntax_code;            /* invalid_reference_substitution */
    enum diag_code unknown_function_code;  /* function_not_found */
    enum diag_code arguments_code;         /* invalid_substitution */
};

/* The text of a scalar with its way back to the file. */
struct expr_text {
    sv text;
    uint32_t source;
    uint32_t start;          /* file offset of text[0], when `offsets` is NULL */
    const uint32_t *offsets; /* node_map_offsets, for scalars with escapes or folding */
};
span expr_text_span(const struct expr_text *t, size_t from, size_t to);

struct parse_context {
    struct arena *arena;
    struct diags *diags;
    const struct limits *limits;
    const struct dialect *dialect;
};

/* One expression without delimiters; the text must end behind it. ERROR expression after one report. */
struct expr *lang_parse_expr(const struct parse_context *c, const struct expr_text *t, size_t from, size_t to);
/* A scalar's text with delimiters: a literal string when it has none; the expression itself when it is exactly one substitution (with `trim`, white
 * space around it ignored, BP-212); else a TEMPLATE. `is_sole` (may be NULL) tells the second case. All mistakes of one text are reported. */
struct expr *lang_parse_text(const struct parse_context *c, const struct expr_text *t, bool trim, bool *is_sole);
/* Whether `open` occurs. */
bool lang_has_substitution(const struct dialect *d, sv text);

/* Static types (FN-030, FN-031, BP-314): types of every part bottom-up; arity and argument types are reported. */
struct check_ops {
    /* The type of a reference; reports unknown names. */
    const struct type *(*ref_type)(void *user, const struct expr *ref);
};
const struct type *lang_check_expr(const struct parse_context *c, const struct expr *e, const struct check_ops *ops, void *user);

#endif
