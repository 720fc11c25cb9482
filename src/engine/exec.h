/* The execution machine: which operations may run now, what the outcome of one means for the others (LC-010 to LC-014,
 * BP-465, BP-480 to BP-485, BP-500 to BP-503).
 *
 * It holds no thread, socket or clock and never blocks: time comes with each call, randomness too. After exec_new it
 * allocates nothing. Whoever drives it takes steps (exec_next), carries them out elsewhere, and tells what became of
 * them (exec_done), in any order. */
#ifndef LINTEL_ENGINE_EXEC_H
#define LINTEL_ENGINE_EXEC_H

#include "base/arena.h"

#include <stdint.h>

/* What the machine must know of one operation. Operations are numbered in document order. */
struct exec_op {
    const uint32_t *after;    /* operations that end before this one starts */
    const bool *after_config; /* beside `after`: met at config complete already (BP-482); NULL: none is */
    size_t after_count;
    bool late;      /* BP-483 */
    uint32_t group; /* operations of one group share a limit; 0: none */
    /* No operation but a knot of edges: it ends by itself when all before it have met theirs, no step is given for it.
     * Many before many cost their sum, not their product. */
    bool is_barrier;
};

struct exec_options {
    size_t parallel;            /* operations under way at once; at least 1 */
    const size_t *group_limits; /* indexed by group; 0: no limit. May be NULL */
    size_t group_count;         /* groups are numbered below this */
    unsigned retries;           /* of one operation (BP-500) */
    int64_t retry_first_ms, retry_max_ms;
    int64_t drain_ms, fatal_drain_ms; /* BP-501, BP-503 */
};

struct exec;

enum exec_state {
    EXEC_RUNNING = 1,
    EXEC_DRAINING, /* nothing starts any more; some are under way */
    EXEC_DONE,
};

enum exec_action {
    EXEC_START = 1, /* the first attempt */
    EXEC_AGAIN,     /* a wait is over: the next attempt, or the next question whether it is stable */
    EXEC_GIVE_UP,   /* it waited for another attempt when the run began to drain: it has failed and is over */
    EXEC_ABANDON,   /* under way beyond the drain time: nobody knows its outcome, it is over (interrupted) */
};

struct exec_step {
    uint32_t op;
    enum exec_action action;
};

enum exec_outcome {
    EXEC_SUCCEEDED = 1,
    EXEC_CONFIG_COMPLETE, /* not the end: the object exists, it may not be stable yet */
    EXEC_WAIT,            /* not the end: ask again after `wait_ms` */
    EXEC_PHASE_DONE,      /* not the end: its next part begins, with retries of its own (BP-490) */
    EXEC_TRANSIENT,       /* tried again until the retries are used up, then failed */
    EXEC_FAILED,          /* drains (BP-501) */
    EXEC_FATAL,           /* drains, with less patience (BP-503) */
    EXEC_UNKNOWN,         /* nobody can tell; what depends on it never starts, nothing else is stopped */
};

/* How an operation stands. */
enum exec_op_state {
    EXEC_OP_WAITING = 1, /* for others */
    EXEC_OP_READY,
    EXEC_OP_UNDER_WAY,
    EXEC_OP_PAUSED, /* under way, until the next attempt or question */
    EXEC_OP_SUCCEEDED,
    EXEC_OP_FAILED,
    EXEC_OP_UNKNOWN,
};

/* `ops` and what they point to live as long as the machine; edges form no cycle. */
struct exec *exec_new(struct arena *a, const struct exec_op *ops, size_t count, const struct exec_options *options);
/* Before the first step: the operation was done by an earlier run, or must not be touched. Predecessors may still be
 * open. */
void exec_skip(struct exec *e, uint32_t op);
void exec_block(struct exec *e, uint32_t op);
/* The next step at this time, or false: wait for outcomes or until exec_get_wake. */
bool exec_next(struct exec *e, int64_t now_ms, struct exec_step *step);

struct exec_report {
    uint32_t op;
    enum exec_outcome outcome;
    int64_t now_ms;
    int64_t wait_ms; /* WAIT */
    uint32_t random; /* TRANSIENT: jitter (BP-500) */
};
/* True when the operation goes on (CONFIG_COMPLETE, WAIT, PHASE_DONE, TRANSIENT with retries left). */
bool exec_done(struct exec *e, const struct exec_report *r);
/* An interrupt: nothing starts any more (LC-061). */
void exec_stop(struct exec *e, int64_t now_ms);

enum exec_state exec_get_state(const struct exec *e);
enum exec_op_state exec_get_op_state(const struct exec *e, uint32_t op);
size_t exec_count_under_way(const struct exec *e);
/* When exec_next may have something new without an outcome; INT64_MAX: never. */
int64_t exec_get_wake(const struct exec *e);

#endif
