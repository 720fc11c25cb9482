/* Dialect tables: what the lexer, the Pratt parser and the checker must know of a language. Data; no dialect evaluates
 * by itself. */
#ifndef LINTEL_LANG_DIALECT_H
#define LINTEL_LANG_DIALECT_H

#include "lang/eval.h"

/* One operator: prefix when left_power is 0. Right associative when right_power < left_power. */
struct operator_def {
    sv token;
    uint8_t left_power, right_power;
    bool is_word; /* needs a word boundary */
    const struct fn_def *fn;
};

/* One reference root: a keyword (as a whole word, BP-221), or (empty) any other name. The keyword is not a step;
 * `ref.name` is what was written. */
struct root_def {
    sv keyword;
    uint16_t number;              /* expr.op */
    uint8_t min_names;            /* names (.n, ["n"]) that must stand directly behind it */
    uint8_t min_steps, max_steps; /* steps of all kinds; max 255: any */
};

enum call_style {
    CALL_NAMED = 1 << 0,          /* name = value arguments */
    CALL_ON_VALUES = 1 << 1,      /* f(x)(y), lambdas */
    CALL_BARE_FUNCTIONS = 1 << 2, /* a bare name for a function-typed parameter is a function (FN-021) */
    CALL_LIST_LITERALS = 1 << 3,  /* [a, b] */
    CALL_OBJECT_LITERALS = 1 << 4,
    CALL_LAMBDAS = 1 << 5,         /* |a, b| -> e */
    CALL_INDEX_EXPRS = 1 << 6,     /* a[expression] */
    CALL_EMPTY_INDEX = 1 << 7,     /* [] = [0] */
    CALL_CONDITIONAL = 1 << 8,     /* c ? t : f */
    CALL_IF_THEN_ELSE = 1 << 9,    /* if c then t else f */
    CALL_GROUPS = 1 << 10,         /* (e) */
    CALL_EMPTY_ITEMS = 1 << 11,    /* [1,,2] is [1, 2] (MD-103) */
    CALL_STEPS_ANYWHERE = 1 << 12, /* .name and [i] behind any operand, not only references and calls (MD-102) */
};

enum lexis_class {
    LEXIS_START = 1 << 0, /* starts a name */
    LEXIS_PART = 1 << 1,  /* goes on in a name */
    LEXIS_KEY = 1 << 2,   /* may stand in a quoted step */
};
/* [A-Za-z_] starts, [A-Za-z0-9_-] goes on, [A-Za-z0-9_.-] in quoted steps. */
extern const uint8_t lexis_classes_name[128];

struct lexis {
    sv open, close;         /* "${" and "}" */
    sv escape;              /* text that stands for a literal `open`; empty: none (BP-215) */
    const uint8_t *classes; /* 128 entries of enum lexis_class; lexis_classes_name is the usual one */
    bool (*is_name_start)(uint32_t codepoint); /* beyond ASCII; NULL: none */
    bool (*is_name_part)(uint32_t codepoint);
    sv quotes;              /* characters that open strings: "\"'" */
    bool quote_escape_only; /* only the quote itself can be escaped (BP-223); else the escapes of JSON */
    bool key_class_only;    /* quoted names of steps consist of LEXIS_KEY characters (QNAME) */
    bool word_steps;        /* behind a point a name may start with a digit (MD's WORD) */
    bool floats, exponents, hex, negative_literals;
    bool double_numbers;       /* all numbers are doubles; those without fraction up to 2^53 are INT (MD-111) */
    const char *number_why;    /* what is said of a number that letters follow; NULL: the lexer's own words */
    const char *character_why; /* the same of what begins no token, before its text in quotes */
    const sv *literal_words;   /* "true" "false" "none"/"nil"/"null" … */
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
    /* What stands for a function that does not exist and says so when it is called; NULL: said when it is parsed. */
    const struct fn_def *(*make_unknown)(struct arena *a, sv name);
    enum diag_code syntax_code;           /* invalid_reference_substitution */
    enum diag_code unknown_function_code; /* function_not_found */
    enum diag_code arguments_code;        /* invalid_substitution */
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
/* A scalar's text with delimiters: a literal string when it has none; the expression itself when it is exactly one
 * substitution (with `trim`, white space around it ignored, BP-212); else a TEMPLATE. `is_sole` (may be NULL) tells the
 * second case. All mistakes of one text are reported. */
struct expr *lang_parse_text(const struct parse_context *c, const struct expr_text *t, bool trim, bool *is_sole);
/* Whether `open` occurs. */
bool lang_has_substitution(const struct dialect *d, sv text);

/* Static types (FN-030, FN-031, BP-314): types of every part bottom-up; arity and argument types are reported. */
struct check_ops {
    /* The type of a reference, all its steps included; reports unknown names. NULL type: reported, stay silent. */
    const struct type *(*ref_type)(void *user, const struct expr *ref);
    /* The arguments of a FN_SYNTACTIC function. NULL: not checked. */
    void (*check_syntactic)(void *user, const struct expr *call);
    /* The type of a directive. NULL: any. */
    const struct type *(*directive_type)(void *user, const struct expr *e);
};

/* A call under static check, as functions' own checks see it. Types are never NULL. */
struct fn_check {
    struct arena *arena;
    struct diags *diags;
    const struct dialect *dialect;
    const struct fn_def *fn;
    const struct expr *expr; /* the call; names of arguments are in it */
    const struct type *const *types;
    size_t count;
};
/* Reports dialect->arguments_code at argument `arg` (SIZE_MAX: the call), the function's name in front. The diagnostic
 * is for a hint. */
struct diag *fn_check_fail(const struct fn_check *c, size_t arg, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The argument's value when it is a literal; else kind 0. */
value fn_check_get_literal(const struct fn_check *c, size_t arg);
/* The type behind the steps from `first` on; reports BP-241 mistakes (`ref` names the whole in messages) and returns
 * NULL then. */
const struct type *lang_check_steps(const struct parse_context *c, const struct type *base, const struct expr *ref,
                                    size_t first);

/* The expression's type; NULL after a report (a type that is not known because something was wrong). */
const struct type *lang_check_expr(const struct parse_context *c, const struct expr *e, const struct check_ops *ops,
                                   void *user);
/* The same for an expression whose result is final (FN-023: no function). */
const struct type *lang_check_result(const struct parse_context *c, const struct expr *e, const struct check_ops *ops,
                                     void *user);

#endif
