/* The evaluator: one machine for all dialects.
 *
 * Explicit stack: a chain of 10^6 references needs no C frames. Every element that can be referred to is a `struct cell`: an expression and the
 * memoised state of its evaluation. Demanding a cell that is under way is a cycle, reported once as a path of spans (`reference_cycle`), and the dialect's policy
 * says what its value is then. Steps, depth and sizes are bounded by the unit's limits (`limit_exceeded`).
 *
 * Marks: the evaluator joins sensitivity and provisionality around every operator, call, template and step, here and nowhere else; unknown absorbs
 * except where a function sees unknowns; ERROR operands give ERROR silently unless the function sees failures. What dialects may choose is
 * `struct eval_policy`. */
#ifndef LINTEL_LANG_EVAL_H
#define LINTEL_LANG_EVAL_H

#include "base/limits.h"
#include "lang/expr.h"
#include "lang/fn_def.h"
#include "text/diag.h"

enum cell_state {
    CELL_UNTOUCHED = 0,
    CELL_UNDER_WAY,
    CELL_PENDING,     /* needs something that is not resolved */
    CELL_PROVISIONAL, /* pending because of a cycle through something under way (DY-096): evaluated anew when needed */
    CELL_FAILED,
    CELL_DONE,
};

struct scope;
struct evaluator;

/* Something that is evaluated at most once per phase. Owned by whoever runs the evaluation; the template stays immutable. */
struct cell {
    const struct expr *expr; /* NULL: the value is given from outside */
    struct scope *scope;     /* names visible to `expr`; may be NULL */
    value result;
    uint8_t state;           /* enum cell_state */
    sv path;                 /* for cycle reports, observers: "values.x" */
    span at;                 /* its definition */
    void *owner;             /* the element, for the resolver and finisher */
    const struct type *type; /* static type, when known */
};

/* Local names: lambda parameters, elem and i, bindings. Innermost first. */
struct scope {
    struct scope *outer;
    const sv *names;
    const value *items;
    size_t count;
    void *owner; /* dialect's business */
};

/* A function value (FN-020): a table function or a lambda with captured arguments. */
struct closure {
    const struct fn_def *fn;   /* or */
    const struct expr *lambda;
    struct scope *scope;
    const value *captured;     /* for `_g` variants these follow the dynamic argument (FN-022) */
    size_t captured_count;
    const struct closure *const *chain; /* compose, pipe: applied in this order */
    size_t chain_count;
};

enum resolve_result {
    RESOLVE_VALUE = 1, /* `out->item` */
    RESOLVE_CELL,      /* `out->cell`: demand it, go on with its result */
    RESOLVE_ERROR,     /* reported */
};

struct resolved {
    value item;
    struct cell *cell;
    size_t steps_used; /* steps of the reference that are consumed; the evaluator walks the rest */
};

struct eval_ops {
    /* What a reference means. Called once per evaluation of it; may be asked again after the cell is done. */
    enum resolve_result (*resolve)(void *user, struct evaluator *ev, const struct expr *ref, const struct scope *scope, struct resolved *out);
    /* Turns the raw result of a cell into its value: declared type, widening, defaults, secrecy. May be NULL. */
    value (*finish)(void *user, struct evaluator *ev, struct cell *c, value raw);
    /* One step into a value that the general rules cannot walk; also where the dialect's error codes for steps are chosen. NULL: the general rules with
     * the codes of BP-241. */
    value (*walk)(void *user, struct evaluator *ev, value base, const struct step *step, const struct expr *ref);
    /* EXPR_DIRECTIVE. */
    value (*directive)(void *user, struct evaluator *ev, const struct expr *e, struct scope *scope);
};

/* Data, not code: in which ways dialects differ. */
enum operand_rule {
    OPERAND_ABSORB = 1, /* the operation gives the same (unknown gives unknown, error gives error, absent gives absent) */
    OPERAND_PASS,       /* the function sees it */
    OPERAND_FAIL,       /* a mistake, reported by the evaluator */
};
struct eval_policy {
    enum operand_rule null_operand, absent_operand, unknown_operand, failed_operand, pending_operand;
    enum operand_rule null_in_text, absent_in_text; /* parts of templates; ABSORB leaves the part out */
    bool failed_before_pending; /* DY-094: a failed operand decides even if another is pending */
    bool strict_all_operands;   /* evaluate all operands before deciding */
    bool cycle_is_pending;      /* DY-093; else a cycle is an error */
    bool failed_is_silent;      /* failures are values the dialect reports in the end, not diagnostics at once */
    bool drop_absent_items;     /* BP-270: absent entries and items leave containers */
    uint32_t (*join_words)(uint32_t left, uint32_t right); /* the dialect's mark word through operators; NULL: 0 */
};

struct observer {
    void *user;
    void (*evaluated)(void *user, const struct expr *e, const struct cell *in, value result);
};

struct host;

struct eval_options {
    struct arena *arena;
    struct diags *diags;
    const struct limits *limits;
    const struct eval_ops *ops;
    void *user;
    const struct eval_policy *policy;
    const struct observer *observer; /* may be NULL */
    struct host *host;               /* model/host.h; for functions with FN_HOST; may be NULL */
};

struct evaluator *eval_new(const struct eval_options *options);
/* The cell's value; evaluates what is needed. Never kind 0: ERROR when it failed. */
value eval_cell(struct evaluator *ev, struct cell *c);
/* An expression in a scope, not memoised. */
value eval_expr(struct evaluator *ev, const struct expr *e, struct scope *scope);
/* Gives a cell its value from outside (computed fields after an operation). The cell must not be under way. */
void cell_set(struct cell *c, value v);
/* Back to untouched, so that it is evaluated anew (after something it uses became known). */
void cell_reset(struct cell *c);

struct arena *eval_get_arena(struct evaluator *ev);
struct diags *eval_get_diags(struct evaluator *ev);
const struct limits *eval_get_limits(struct evaluator *ev);
void *eval_get_user(struct evaluator *ev);
struct host *eval_get_host(struct evaluator *ev);

/* A call under way, as functions see it. */
struct fn_call {
    struct evaluator *ev;
    struct arena *arena;
    const struct fn_def *fn;
    const struct expr *expr; /* NULL when called as a callback of another function */
    size_t count;
    value *args;             /* evaluated; of a lazy function: kind 0 until forced */
    const sv *names;         /* of named arguments, or NULL */
    struct scope *scope;
    void *frame;             /* evaluator's */
};

/* How functions that need more evaluation ask for it without C recursion: set the request and return `value` of kind 0; the function is called again with
 * the answer. `state` of a call survives between (allocated by the function in the call's arena). */
struct fn_request {
    enum { FN_FORCE = 1, FN_APPLY } kind;
    size_t arg;                     /* FORCE: which argument */
    const struct closure *function; /* APPLY */
    const value *args;
    size_t count;
    size_t index;                   /* APPLY: item number, for messages (FN-026) */
};
value fn_call_request(struct fn_call *c, struct fn_request request);
/* The answer to the last request. */
value fn_call_get_answer(struct fn_call *c);
/* One word of the function's own that survives from one entry to the next of the same call; starts as NULL. */
void **fn_call_get_state(struct fn_call *c);
/* Reports `code` at argument `arg` (SIZE_MAX: the call) with the function's name in front, enclosing calls as related, and returns the ERROR value. Never put
 * a sensitive value into the message. */
value fn_call_fail(struct fn_call *c, enum diag_code code, size_t arg, const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
