/* The evaluator's machine: a stack of frames on the heap instead of C frames. Internal to lang/.
 *
 * Invariants:
 *   M1  A frame never moves: frames live in chunks.
 *   M2  The top frame is the one that is stepped. A step either finishes (its value goes to its parent as `answer`) or
 * has put one frame above it. M3  Values of operands live on the value stack from frame.base on; a frame that ends
 * gives its part back. M4  A cell is UNDER_WAY exactly while its frame is on the stack; its `result.integer` is then
 * its place in `cells`. M5  Marks are joined in marks.c and nowhere else. */
#ifndef LINTEL_LANG_MACHINE_H
#define LINTEL_LANG_MACHINE_H

#include "base/map.h"
#include "base/vec.h"
#include "lang/eval.h"

enum frame_kind {
    FRAME_CELL = 1,
    FRAME_REF,    /* REF and DIRECTIVE: waits for what the resolver asked */
    FRAME_STEPS,  /* walks the steps of a REF or INDEX */
    FRAME_CALL,   /* a table function */
    FRAME_CALLEE, /* a function value and its arguments */
    FRAME_BODY,   /* body of a lambda */
    FRAME_CHAIN,  /* compose, pipe */
    FRAME_COND,
    FRAME_CONTAINER, /* LIST, OBJECT */
    FRAME_TEMPLATE,
};

struct call_record;
struct cycle_group;

struct frame {
    uint8_t kind;  /* enum frame_kind */
    uint8_t phase; /* the kind's own */
    bool waiting;  /* the answer of the frame above is to come */
    bool quiet;    /* observers hear of the result elsewhere */
    uint32_t index;
    const struct expr *expr;
    struct scope *scope;
    size_t base; /* first own value on the value stack */
    union {
        struct {
            struct cell *cell;
            struct cycle_group *held;     /* provisional cells that wait for this one */
            uint32_t low_root, high_root; /* places + 1 of the cells under way that it met; 0: none */
        };
        struct resolved *resolved;     /* REF */
        struct call_record *call;      /* CALL */
        const struct closure *closure; /* BODY, CHAIN */
    };
};

/* A call that may be entered several times. */
struct call_record {
    struct fn_call call; /* first: functions see only this */
    struct fn_request request;
    bool has_request;
    bool given; /* arguments come from a caller, not from `expr` */
    value answer;
    void *state;
    size_t item; /* FN-026: item number + 1 when called back */
    struct call_record *next_free;
};

enum { FRAMES_PER_CHUNK = 256, APPLY_DEPTH = 10000 };
/* Ten million frames: three for each element of the largest instance. */
#define FRAMES_MAX ((size_t)10000000)

struct frame_chunk {
    struct frame_chunk *below, *above;
    struct frame frames[FRAMES_PER_CHUNK];
};

struct evaluator {
    struct eval_options o;
    struct frame_chunk *chunk; /* holds the top frame */
    size_t in_chunk;           /* frames in it */
    size_t depth;              /* frames in all */
    value *values;
    size_t value_count, value_cap;
    VEC(struct frame *) cells; /* frames of cells under way, lowest first */
    value answer;
    uint64_t steps;
    size_t memory; /* at most; SIZE_MAX: no limit */
    size_t apply_depth;
    bool exhausted; /* a limit was met: everything ends */
    enum eval_limit exceeded;
    const struct cell *exceeding_cell;
    struct call_record *free_calls;
    const struct expr *demanding;  /* the reference that demands a cell; NULL when it is no reference */
    const struct expr *again_expr; /* of eval_again */
    struct scope *again_scope;
    bool trivial_policy;    /* no dialect words to join */
    struct map call_places; /* call_key.c: root expression → its calls */
    size_t placeless_calls;
};

enum flow {
    FLOW_WAIT = 1, /* another frame stands above */
    FLOW_DONE,     /* `answer` is the frame's value */
};

/* machine.c */
struct frame *machine_push(struct evaluator *ev, enum frame_kind kind, const struct expr *e, struct scope *scope);
void machine_pop(struct evaluator *ev);
struct frame *machine_get_top(struct evaluator *ev);
/* The frame below the one that the cursor stands on; NULL behind the lowest. */
struct frame *machine_get_below(struct frame_chunk **chunk, size_t *in_chunk);
void machine_push_value(struct evaluator *ev, value v);
/* Begins an expression: true when its value is there at once, else a frame has been pushed. */
bool machine_begin(struct evaluator *ev, const struct expr *e, struct scope *scope, value *result);
/* The same from a frame: marks it as waiting when there is no value yet. */
bool machine_want(struct evaluator *ev, struct frame *f, const struct expr *e, struct scope *scope, value *result);
value machine_run(struct evaluator *ev, size_t bottom);
/* One evaluation step; false when the budget is spent (reported once). */
static inline bool machine_spend(struct evaluator *ev) {
    bool is_quick = ev->steps < ev->o.limits->eval_steps && ev->o.arena->total <= ev->memory && !ev->exhausted;
    ev->steps += is_quick;
    return is_quick || eval_spend(ev, 1);
}
/* Ends everything with limit_exceeded; the ERROR value. */
value machine_exhaust(struct evaluator *ev, enum eval_limit limit, span at, const char *what);
void machine_tell_observer(struct evaluator *ev, const struct expr *e, value v);
static inline void machine_observe(struct evaluator *ev, const struct expr *e, value v) {
    if (__builtin_expect(ev->o.observer != NULL && e != NULL, false)) {
        machine_tell_observer(ev, e, v);
    }
}

/* resolve.c */
bool resolve_begin(struct evaluator *ev, const struct expr *e, struct scope *scope, value *result);
enum flow resolve_step(struct evaluator *ev, struct frame *f);
/* Walks steps from `first` on: true when done, else a frame has been pushed. */
bool steps_begin(struct evaluator *ev, const struct expr *e, struct scope *scope, value base, size_t first,
                 value *result);
enum flow steps_step(struct evaluator *ev, struct frame *f);

/* cell.c */
/* True when the cell's value is there at once; else its frame has been pushed. */
bool cell_demand(struct evaluator *ev, struct cell *c, value *result);
enum flow cell_step(struct evaluator *ev, struct frame *f);
struct frame *cell_get_current(struct evaluator *ev);
/* cycle.c */
value cycle_met(struct evaluator *ev, struct cell *c);
value cycle_met_provisional(struct evaluator *ev, const struct cell *c);
void cycle_cell_done(struct evaluator *ev, struct frame *f, size_t place, value result);

/* call.c */
enum flow call_step(struct evaluator *ev, struct frame *f);
enum flow callee_step(struct evaluator *ev, struct frame *f);
/* apply.c */
enum flow body_step(struct evaluator *ev, struct frame *f);
enum flow chain_step(struct evaluator *ev, struct frame *f);
struct application {
    const struct closure *function;
    const value *args;
    size_t count;
    size_t item; /* number of a callback's item + 1 (FN-026); 0: none */
    span at;     /* the call, for messages */
};
/* Calls a function value: true when the result is there at once. */
bool apply_begin(struct evaluator *ev, const struct application *a, value *result);
void call_open(struct evaluator *ev, struct frame *f, const struct fn_def *fn, const struct expr *e, size_t count);
/* Runs a function whose arguments are ready, or waits. */
enum flow call_invoke(struct evaluator *ev, struct frame *f);

/* container.c, template.c, cond.c */
enum flow container_step(struct evaluator *ev, struct frame *f);
enum flow template_step(struct evaluator *ev, struct frame *f);
enum flow cond_step(struct evaluator *ev, struct frame *f);

/* marks.c: the one place where marks and words go from operands to results, and where operands decide instead of
 * functions. */
struct operands {
    const struct expr *e;    /* for places; may be NULL */
    const struct fn_def *fn; /* for messages and the type of an unknown result; may be NULL */
    unsigned sees;           /* enum fn_flags: FN_SEES_… */
    const value *args;
    size_t count;
};
/* True when an operand decides; `*result` is then the value of the whole. */
bool marks_decide(struct evaluator *ev, const struct operands *o, value *result);
/* The same for one operand of a construct that is no call. */
bool marks_decide_one(struct evaluator *ev, value operand, value *result);
/* The result with the marks and the word of all operands. */
value marks_join(struct evaluator *ev, const value *args, size_t count, value result);
/* The dialect's word only. */
value marks_join_words(struct evaluator *ev, const value *args, size_t count, value result);
/* Whether the operand ends the evaluation of all others. */
bool marks_ends_early(const struct evaluator *ev, unsigned flags, value v);
/* An item of a container, a part of a text: true when it decides the whole, `*result` then. */
bool marks_decide_items(struct evaluator *ev, const value *items, size_t count, value *result);
bool marks_item_ends_early(const struct evaluator *ev, value v);
/* The value behind one step of `base`: the item with the marks of its container. */
value marks_step(struct evaluator *ev, value base, value item);
/* What a reference, or a path behind an expression, gives in the end. */
value marks_narrow(const struct evaluator *ev, value v);
/* Limits of results (FN-007). */
value marks_limit(struct evaluator *ev, const struct fn_def *fn, span at, value v);
enum operand_rule marks_get_rule(enum operand_rule rule, enum operand_rule standard);

/* report.c */
span report_get_span(struct evaluator *ev);
void report_add_calls(struct evaluator *ev, struct diag *d);

#endif
