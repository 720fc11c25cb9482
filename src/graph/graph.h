/* Dependency graphs: a stable order, cycles as paths of spans, what needs what.
 *
 * Nodes are the numbers 0 .. node_count-1, which the caller gives in document order. An edge from A to B says that A
 * uses B: B comes before A. Edges may repeat and may lead from a node to itself. Everything takes at most O((nodes +
 * edges) log nodes) time, and no C stack. Invariant: edges are only added; the index over them is built when first
 * asked for and built anew after an addition. */
#ifndef LINTEL_GRAPH_GRAPH_H
#define LINTEL_GRAPH_GRAPH_H

#include "text/source.h"

struct graph_edge {
    uint32_t from, to;
    uint32_t kind; /* of the caller's choice */
    span at;       /* where the use is written; may be SPAN_NONE */
};

/* Numbers of edges, in the order in which they were added. Borrowed until the next graph_add_edge. */
struct graph_edge_list {
    const uint32_t *items;
    size_t len;
};

/* The edges of one side, sorted by node: those of node n are numbers[starts[n] .. starts[n + 1]). */
struct graph_index {
    uint32_t *starts;
    uint32_t *numbers;
};

struct graph {
    struct arena *arena;
    size_t node_count;
    VEC(struct graph_edge) edges;
    struct graph_index uses, users; /* by `from`, by `to` */
    size_t indexed;                 /* edges in the indexes; SIZE_MAX before the first */
};

/* At most UINT32_MAX - 1 nodes, and as many edges. */
void graph_init(struct graph *g, struct arena *a, size_t node_count);
/* `from` uses `to`. Returns the edge's number. */
uint32_t graph_add_edge(struct graph *g, uint32_t from, uint32_t to, uint32_t kind, span at);
/* The edges to what a node uses itself, and from those that use it. */
struct graph_edge_list graph_get_uses(struct graph *g, uint32_t node);
struct graph_edge_list graph_get_users(struct graph *g, uint32_t node);

enum graph_direction {
    GRAPH_USED_FIRST = 1, /* for making: what is used comes before its users */
    GRAPH_USERS_FIRST,    /* for removing */
};

/* The stable order: of all nodes that could come next, the lowest number does. `order` has room for node_count numbers;
 * returns how many were written: fewer than node_count when there are cycles, then those that are neither on a cycle
 * nor have to come after one. */
size_t graph_get_order(struct graph *g, enum graph_direction direction, uint32_t *order);

/* A closed path: edges[i].to is edges[i + 1].from, the last one's `to` the first one's `from`, which is the lowest
 * number on the path. */
struct graph_cycle {
    uint32_t *edges; /* numbers */
    size_t len;
};

struct graph_cycles {
    VEC(struct graph_cycle) items;
};

/* For each group of nodes that reach each other one cycle, the shortest; of equals, the one with the lowest number on
 * it, then the one whose edges were added first. The groups are in order of that lowest number. In a very large group
 * the search for a shorter cycle ends after a number of steps that depends on the graph alone. The cycles live in `a`.
 */
void graph_find_cycles(struct graph *g, struct arena *a, struct graph_cycles *cycles);

/* Adds to the marked nodes all that they use, directly or not. `marks` has node_count items. */
void graph_mark_uses(struct graph *g, bool *marks);
/* Adds to the marked nodes all that use them, directly or not. */
void graph_mark_users(struct graph *g, bool *marks);

#endif
