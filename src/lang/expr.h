/* Expressions: the one AST of all dialects. Immutable once parsed; lives in the unit's arena.
 *
 * Operators are calls to table functions resolved when parsed. A reference is a root (the dialect's table says which
 * roots exist) with steps. An ERROR expression has been reported; evaluating it gives the ERROR value silently. */
#ifndef LINTEL_LANG_EXPR_H
#define LINTEL_LANG_EXPR_H

#include "text/source.h"
#include "value/value.h"

enum expr_kind {
    EXPR_LITERAL = 1,
    EXPR_TEMPLATE, /* interpolated text: parts; literal strings between */
    EXPR_REF,      /* root and steps */
    EXPR_INDEX,    /* steps into the result of an expression */
    EXPR_CALL,     /* a table function, or a function value (`callee`) */
    EXPR_COND,     /* args[0] ? args[1] : args[2] */
    EXPR_LIST,
    EXPR_OBJECT, /* keys and args side by side; a key with NULL data is a spread: the argument's entries go in, later
                  * ones win. With `op` EXPR_COMPUTED_KEYS: no names, 2 * count args: key, item, key, item … */
    EXPR_LAMBDA,
    EXPR_DIRECTIVE, /* the dialect's own: merge, &template, !Transform; evaluated by the dialect's hook */
    EXPR_ERROR,     /* `args` may hold what was sound in it, so that their mistakes are found too */
};

enum { EXPR_COMPUTED_KEYS = 1 };

enum step_kind {
    STEP_NAME = 1, /* .name, ["name"] */
    STEP_INDEX,    /* [0], [] */
    STEP_EXPR,     /* [expression], where a dialect has it */
};

struct step {
    enum step_kind kind;
    span at;
    union { /* by kind */
        sv name;
        size_t index;
        const struct expr *expr;
    };
};

struct fn_def;

struct expr {
    uint8_t kind;   /* enum expr_kind */
    uint8_t flags;  /* dialect's own */
    uint16_t op;    /* REF: the root's number in the dialect's table; DIRECTIVE: the dialect's number */
    uint32_t count; /* args, steps or parts */
    span at;
    union {
        value literal;
        struct {     /* REF, INDEX */
            sv name; /* REF: the first name as written */
            const struct step *steps;
            const struct expr *base; /* INDEX */
        } ref;
        struct { /* TEMPLATE, CALL, COND, LIST, OBJECT, DIRECTIVE, ERROR */
            const struct expr **args;
            const sv *names;         /* names of arguments or keys, or NULL; an empty one: none */
            const span *name_spans;  /* as `names`; may be NULL */
            const struct fn_def *fn; /* CALL of a table function */
            union {
                const struct expr *callee; /* CALL of a function value */
                const void *data;          /* DIRECTIVE; CALL of a table function: the dialect's own */
            };
        } call;
        struct { /* LAMBDA; `count` parameters */
            const sv *params;
            const struct expr *body;
        } lambda;
    };
};

struct expr *expr_new(struct arena *a, enum expr_kind kind, span at);
struct expr *expr_new_literal(struct arena *a, span at, value v);
struct expr *expr_new_call(struct arena *a, span at, const struct fn_def *fn, const struct expr **args, uint32_t count);
struct expr *expr_new_list(struct arena *a, span at, const struct expr **items, uint32_t count);
struct expr *expr_new_object(struct arena *a, span at, const sv *keys, const struct expr **items, uint32_t count);
struct expr *expr_new_error(struct arena *a, span at);

/* Calls `visit` for the expression and everything below, parents first, in order of text; iterative. A false answer
 * skips what is below. */
typedef bool (*expr_visitor)(void *user, const struct expr *e);
void expr_walk(const struct expr *root, expr_visitor visit, void *user);
/* True when no reference, impure call or directive is in it. */
bool expr_is_literal(const struct expr *e);

#endif
