/* Random graphs of operations for the simulation: from a number, always the same graph. */
#ifndef TESTS_FAULT_ENGINE_SIMULATE_GRAPH_H
#define TESTS_FAULT_ENGINE_SIMULATE_GRAPH_H

#include "engine/exec.h"

/* A source of numbers (SplitMix64); the state is all there is. */
struct dice {
    uint64_t state;
};

uint64_t dice_roll(struct dice *d);
/* 0 … bound-1. */
uint32_t dice_below(struct dice *d, uint32_t bound);
/* True in `percent` of 100 cases. */
bool dice_chance(struct dice *d, uint32_t percent);

struct graph {
    struct exec_op *ops;
    size_t count;
    struct exec_options options;
};

/* 1 to 200 operations, rarely 2 000; edges in any direction of document order but never a cycle, some met at config
 * complete; groups with limits, late operations, barriers. Nothing that is early waits for what is late (BP-483). */
void graph_roll(struct arena *a, struct dice *d, struct graph *g);

#endif
