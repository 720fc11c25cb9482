/* What the execution machine must keep, written down a second time: simple where the machine is quick (LC-011, LC-012,
 * LC-013, BP-480 to BP-484, BP-500 to BP-503).
 *
 * It is told every step that was given and every report that was made, and judges each. The first thing that is wrong
 * stays in `wrong`. */
#ifndef TESTS_FAULT_ENGINE_SIMULATE_ORACLE_H
#define TESTS_FAULT_ENGINE_SIMULATE_ORACLE_H

#include "simulate_graph.h"

enum oracle_state {
    ORACLE_IDLE = 0, /* never started */
    ORACLE_RUNS,
    ORACLE_PAUSED,
    ORACLE_DONE, /* succeeded, or needed no run */
    ORACLE_BAD,
};

struct oracle_op {
    enum oracle_state state;
    bool config, asks, blocked, started;
    unsigned failures;
    int64_t due_from, due_until; /* PAUSED: the next attempt comes in between, as far as there is room */
};

struct oracle {
    const struct graph *g;
    struct oracle_op *ops;
    size_t runs, early_open;
    size_t *group_runs;
    bool stopped, bad;
    bool thorough; /* looks at every operation, every time */
    int64_t drain_until;
    const char *wrong; /* NULL: nothing yet */
    uint32_t wrong_op;
};

void oracle_init(struct arena *a, struct oracle *o, const struct graph *g);
/* exec_skip, exec_block, exec_stop. */
void oracle_skip(struct oracle *o, uint32_t op);
void oracle_block(struct oracle *o, uint32_t op);
void oracle_stop(struct oracle *o, int64_t now_ms, int64_t patience_ms);
/* exec_next gave this step. */
void oracle_take_step(struct oracle *o, const struct exec_step *step, int64_t now_ms);
/* exec_done was told this; `goes_on` is what it answered. */
void oracle_take_report(struct oracle *o, const struct exec_report *r, bool goes_on);
/* exec_next gave nothing: was there really nothing? */
void oracle_check_rest(struct oracle *o, const struct exec *e, int64_t now_ms);
/* The machine is done: rightly so, and does every operation stand as it should? */
void oracle_check_end(struct oracle *o, const struct exec *e);
bool oracle_is_over(struct oracle *o);

#endif
