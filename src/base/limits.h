/* Limits of one unit and its depth guard (BP-024, LC-080). Every recursion enters the guard; every loop over input has
 * a limit. */
#ifndef LINTEL_BASE_LIMITS_H
#define LINTEL_BASE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct limits {
    size_t document_bytes; /* 64 MiB */
    size_t nesting;        /* 128 */
    size_t expr_depth;     /* 128 */
    size_t alias_nodes;    /* 100 000 nodes made by expanding aliases */
    uint64_t eval_steps;   /* 10^8 */
    size_t result_text;    /* 16 MiB of text (FN-007) */
    size_t result_items;   /* 100 000 items of a function's result (FN-007) */
    size_t list_items;     /* 10^7 */
    size_t value_weight;   /* 10^6: parts of one computed value, shared ones as often as they occur */
    size_t value_depth;    /* lists and maps of one computed value in one another; without bound */
    size_t elements;       /* 10^6 per instance */
    size_t each_instances; /* 10 000 (BP-152) */
    size_t include_depth;  /* 16 */
    size_t diagnostics;    /* 1 000 kept; the rest is counted */
};

/* The defaults in force without configuration. */
extern const struct limits limits_default;

struct depth_guard {
    size_t depth, limit;
};

/* False, and nothing entered, when the limit is reached. Each true is paired with one depth_leave. */
bool depth_enter(struct depth_guard *g);
void depth_leave(struct depth_guard *g);

#endif
