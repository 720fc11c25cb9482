/* The evaluator: one machine for all dialects.
 *
 * Explicit stack: a chain of 10^6 references needs no C frames. Every element that can be referred to is a `struct
 * cell`: an expression and the memoised state of its evaluation. Demanding a cell that is under way is a cycle,
 * reported once as a path of spans (`reference_cycle`), and the dialect's policy says what its value is then. Steps,
 * depth and sizes are bounded by the unit's limits (`limit_exceeded`).
 *
 * Marks: the evaluator joins sensitivity and provisionality around every operator, call, template and step, here and
 * nowhere else; unknown absorbs except where a function sees unknowns; ERROR operands give ERROR silently unless the
 * function sees failures. What dialects may choose is `struct eval_policy`. */
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

/* Something that is evaluated at most once per phase. Owned by whoever runs the evaluation; the template stays
 * immutable. */
struct cell {
    const struct expr *expr; /* NULL: the value is given from outside */
    struct scope *scope;     /* names visible to `expr`; may be NULL */
    value result;
    uint8_t state;           /* enum cell_state */
    sv path;                 /* for cycle reports, observers: "values.x" */
    sv property;             /* what of the element it is: "spec", "metadata.custom"; may be empty (FN-231) */
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
    const struct closure *self; /* of a lambda's parameters: the lambda called (dynaml's `_`) */
    bool is_captured;           /* parameters of lambdas around the one called, kept with it (DY-170) */
    void *owner;                /* dialect's business; of a lambda's parameters that of the outer scope */
};

/* Innermost binding of a name; false when there is none. */
bool scope_find(const struct scope *s, sv name, value *result);

/* A function value (FN-020): a table function or a lambda with captured arguments. */
struct closure {
    const struct fn_def *fn; /* or */
    const struct expr *lambda;
    struct scope *scope;   /* with dynamic_scope only the parameters of the lambdas around it; NULL: none */
    const value *captured; /* for `_g` variants these follow the dynamic argument (FN-022) */
    size_t captured_count;
    const struct closure *const *chain; /* compose, pipe: applied in this order */
    size_t chain_count;
};

enum resolve_result {
    RESOLVE_VALUE = 1, /* `out->item` */
    RESOLVE_CELL,      /* `out->cell`: demand it, go on with its result */
    RESOLVE_EXPR,      /* `out->expr` in `out->scope`: evaluate it, go on with its result */
    RESOLVE_AGAIN,     /* demand `out->cell`, or (without one) evaluate `out->expr`; then ask again with the result in
                          `out->item` */
    RESOLVE_ERROR,     /* reported */
};

struct resolved {
    value item;
    struct cell *cell;
    const struct expr *expr;
    struct scope *scope;
    size_t steps_used; /* steps of the reference that are consumed; the evaluator walks the rest */
    void *state; /* the resolver's own; survives from one asking to the next of the same evaluation, starts as NULL */
};

/* Why something failed or is pending: `cause` of ERROR and PENDING values where failures are silent. */
struct eval_failure {
    enum diag_code code;
    span at;
    sv message; /* may be empty */
    const struct eval_failure *inner;
};

/* What a value has the wrong kind for. */
enum eval_refusal {
    REFUSE_IN_TEXT = 1,
    REFUSE_AS_CONDITION,
    REFUSE_AS_KEY, /* of an object */
};

struct eval_ops {
    /* What a reference means. `out` is zero at the first asking. Never calls the evaluator: what it needs it asks for.
     */
    enum resolve_result (*resolve)(void *user, struct evaluator *ev, const struct expr *ref, const struct scope *scope,
                                   struct resolved *out);
    /* Turns the raw result of a cell into its value: declared type, widening, defaults, secrecy. Raw may be ERROR or
     * PENDING. May be NULL. It may return eval_again(…): then it is asked again with the result of that expression. */
    value (*finish)(void *user, struct evaluator *ev, struct cell *c, value raw);
    /* One step into a value that the general rules cannot walk; also where the dialect's error codes for steps are
     * chosen. NULL: the general rules with the codes of BP-241. */
    value (*walk)(void *user, struct evaluator *ev, value base, const struct step *step, const struct expr *ref);
    /* EXPR_DIRECTIVE: the same contract as resolve. */
    enum resolve_result (*directive)(void *user, struct evaluator *ev, const struct expr *e, const struct scope *scope,
                                     struct resolved *out);
    /* A call of a FN_SYNTACTIC function: as fn_def.call, with requests and all. NULL: the function's own. */
    value (*call_syntactic)(void *user, struct fn_call *c);
    /* What is called is no function: the ERROR value, reported. NULL: a message of the evaluator's own. */
    value (*refuse_call)(void *user, struct evaluator *ev, const struct expr *call);
    /* A value of a wrong kind: the ERROR value, reported. NULL: messages of the evaluator's own. */
    value (*refuse)(void *user, struct evaluator *ev, enum eval_refusal what, value v, span at);
    /* The item of `base` that a computed index names, by the dialect's rules. NULL: strings and integers that are not
     * negative are steps like others. */
    value (*step_by)(void *user, struct evaluator *ev, value base, value index, span at);
    /* Told when an operation gives unknown, pending or absent because of its operands; returns the result to use, e.g.
     * one that carries a residual (CF-025) in its word. May be NULL. */
    value (*absorb)(void *user, struct evaluator *ev, const struct expr *e, const value *args, size_t count,
                    value result);
};

/* For eval_ops.finish: evaluate this and ask again. */
value eval_again(struct evaluator *ev, const struct expr *e, struct scope *scope);
/* The one way to report a failure of evaluation: a diagnostic, or with failed_is_silent only the cause of the ERROR
 * value that it returns. */
value eval_fail(struct evaluator *ev, enum diag_code code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Data, not code: in which ways dialects differ. */
enum operand_rule {
    OPERAND_ABSORB =
        1,        /* the operation gives the same (unknown gives unknown, error gives error, absent gives absent) */
    OPERAND_PASS, /* the function sees it */
    OPERAND_FAIL, /* a mistake, reported by the evaluator */
};
/* A rule of 0 means: null operands pass, all others are absorbed; in text null fails and absent is left out. When
 * several operands decide, the first of these does: failed, pending (by failed_before_pending), absent, unknown. */
struct eval_policy {
    enum operand_rule null_operand, absent_operand, unknown_operand, failed_operand, pending_operand;
    enum operand_rule null_in_text,
        absent_in_text; /* parts of templates; ABSORB leaves the part out, PASS prints null as nothing */
    enum operand_rule failed_item,
        pending_item;            /* items of lists and objects; PASS keeps them as parts, ABSORB decides the whole */
    bool failed_before_pending;  /* DY-094: a failed operand decides even if another is pending; else the first of both
                                    does */
    bool strict_all_operands;    /* evaluate all operands before deciding; else a failed one ends it (FN-010) */
    bool cycle_is_pending;       /* DY-093; else a cycle is an error */
    bool failed_cell_is_pending; /* DY-092: a reference to a failed cell is pending; else it is the ERROR */
    bool failed_is_silent;       /* failures are values the dialect reports in the end, not diagnostics at once */
    bool drop_absent_items;      /* BP-270: absent entries and items leave containers */
    bool dynamic_scope;          /* DY-105: a lambda's body sees the scopes of its use, not of its making */
    bool limits_end_all;         /* DY-362: a result beyond a limit ends the evaluation; else the operation fails */
    bool partial_application;    /* DY-172: too few arguments give a lambda over the rest */
    /* The dialect's mark word through operators; `user` is eval_options.user. An operand's word of 0 changes nothing:
     * it is not called for it. NULL: 0 */
    uint32_t (*join_words)(void *user, uint32_t left, uint32_t right);
    /* DY-203: what of its word a value keeps that was referred to or stepped to; conditions then leave theirs behind.
     * NULL: all. */
    uint32_t (*narrow_word)(uint32_t word);
    int (*truth)(value v);                          /* of a condition: 1, 0, or -1 for none; NULL: booleans only */
    void (*print_scalar)(struct buf *out, value v); /* a scalar in text; NULL: value_print_scalar */
    /* What OPERAND_FAIL and wrong kinds are reported as. 0: invalid_substitution. */
    enum diag_code operand_code; /* OPERAND_FAIL */
    enum diag_code
        type_code; /* condition, callee, index, key or spread of a wrong kind; wrong number of arguments of a lambda */
    enum diag_code text_code;     /* what cannot stand in text (BP-213); 0: invalid_resolved_sub_value */
    enum diag_code function_code; /* a function as item, in text or as result (FN-023); 0: allowed, but not in text */
};

struct observer {
    void *user;
    void (*evaluated)(void *user, const struct expr *e, const struct cell *in, value result);
};

struct host;
struct run_record;
struct fetcher;

struct eval_options {
    struct arena *arena;
    struct diags *diags;
    const struct limits *limits;
    const struct eval_ops *ops;
    void *user;
    const struct eval_policy *policy;
    const struct observer *observer; /* may be NULL */
    struct host *host;               /* model/host.h; for functions with FN_HOST; may be NULL */
    struct run_record *record;       /* model/record.h; NULL: impure functions give unknown (validation, FN-034) */
    struct fetcher *fetcher;         /* model/fetch.h; NULL: as without record */
    struct sources *sources;         /* which file holds a call; may be NULL */
    size_t apply_depth;              /* nested applications of functions; 0: 10 000 */
    size_t memory;                   /* bytes that the arena may take; 0: no limit */
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

/* The innermost cell under way; NULL when an expression is evaluated by itself. */
struct cell *eval_get_cell(struct evaluator *ev);
/* Ends everything with limit_exceeded: what is not evaluated yet is ERROR. */
value eval_stop(struct evaluator *ev, span at, const char *what);
/* Steps of work that no expression shows, such as comparing long lists. False: there are no more. */
bool eval_spend(struct evaluator *ev, uint64_t steps);
/* Which of its own limits has ended the evaluation. */
enum eval_limit {
    EVAL_LIMIT_STEPS = 1,
    EVAL_LIMIT_CALLS, /* nested applications */
    EVAL_LIMIT_DEPTH,
    EVAL_LIMIT_MEMORY,  /* of the arena, or of a value if it were written out */
    EVAL_LIMIT_TEXT,    /* of a result */
    EVAL_LIMIT_ITEMS,   /* of a result */
    EVAL_LIMIT_NESTING, /* of a result */
    EVAL_LIMIT_OTHER,   /* eval_stop */
};
enum eval_limit eval_get_exceeded(const struct evaluator *ev); /* 0: none */
/* The cell that was under way then; NULL: none was. */
const struct cell *eval_get_exceeding_cell(const struct evaluator *ev);

struct arena *eval_get_arena(struct evaluator *ev);
struct diags *eval_get_diags(struct evaluator *ev);
const struct limits *eval_get_limits(struct evaluator *ev);
void *eval_get_user(struct evaluator *ev);
struct host *eval_get_host(struct evaluator *ev);
struct run_record *eval_get_record(struct evaluator *ev); /* NULL: see struct eval_options */
struct fetcher *eval_get_fetcher(struct evaluator *ev);
struct sources *eval_get_sources(struct evaluator *ev);
/* The place of the innermost expression at work; of a function that is called back, the call that has it. */
span eval_get_span(struct evaluator *ev);

/* A call under way, as functions see it. */
struct fn_call {
    struct evaluator *ev;
    struct arena *arena;
    const struct fn_def *fn;
    const struct expr *expr; /* NULL when called as a callback of another function */
    size_t count;
    value *args;     /* evaluated; of a lazy function: kind 0 until forced */
    const sv *names; /* of named arguments, or NULL */
    struct scope *scope;
    void *frame; /* evaluator's */
};

/* How functions that need more evaluation ask for it without C recursion: set the request and return `value` of kind 0;
 * the function is called again with the answer. `state` of a call survives between (allocated by the function in the
 * call's arena). */
struct fn_request {
    enum { FN_FORCE = 1, FN_APPLY, FN_EVALUATE, FN_DEMAND } kind;
    size_t arg;                     /* FORCE: which argument */
    const struct closure *function; /* APPLY */
    const value *args;
    size_t count;
    size_t index;            /* APPLY: item number, for messages (FN-026) */
    const struct expr *expr; /* EVALUATE: an expression in a scope, e.g. of eval(text) */
    struct scope *scope;
    struct cell *cell; /* DEMAND */
};
value fn_call_request(struct fn_call *c, struct fn_request request);
/* Shorthands. `return fn_call_force(c, i)`: the argument is in c->args[i] when the function is called again. */
value fn_call_force(struct fn_call *c, size_t arg);
value fn_call_apply(struct fn_call *c, const struct closure *function, const value *args, size_t count, size_t index);
/* A function value of `fn` with this call's arguments captured behind the dynamic one (FN-022). */
value fn_call_capture(struct fn_call *c, const struct fn_def *fn);
/* Whether the function wants the index as its last argument when called with `count` arguments before it (FN-024). */
bool closure_takes_index(const struct closure *f, size_t count);
/* The answer to the last request. */
value fn_call_get_answer(struct fn_call *c);
/* One word of the function's own that survives from one entry to the next of the same call; starts as NULL. */
void **fn_call_get_state(struct fn_call *c);
/* Reports `code` at argument `arg` (SIZE_MAX: the call) with the function's name in front, enclosing calls as related,
 * and returns the ERROR value. Never put a sensitive value into the message. */
value fn_call_fail(struct fn_call *c, enum diag_code code, size_t arg, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
