/* Inside of ordering: what order.c and order_write.c share. */
#ifndef LINTEL_ENGINE_ORDERER_H
#define LINTEL_ENGINE_ORDERER_H

#include "engine/planner.h"
#include "graph/graph.h"

#define NO_OP UINT32_MAX

/* "y used x and stays": C(y) → D(x), unless other edges lead from D(x) to C(y) already (5). */
struct stay_edge {
    uint32_t create, destroy, used; /* used: element number of x, NO_OP when it is not in the template */
    uint32_t user;                  /* element number of y */
    uint32_t knot;                  /* of a removed group, whose node `destroy` is; else NO_OP */
};

/* Many operations behind one node: a barrier of the topology, or the removal of a group. */
struct knot {
    sv of;
    bool is_removal;
    uint32_t node;         /* in the graph */
    VEC(uint32_t) members; /* of a removal: operations */
};

struct orderer {
    struct planner *p;
    struct plan *plan;
    struct arena scratch;
    struct arena *a;
    struct plan_op *ops;
    size_t count;
    uint32_t *node_of;         /* per node of the topology: its node in the graph, NO_OP without */
    struct map destroys;       /* address → operation + 1: D(x) of removed and replaced ones */
    struct map creates;        /* address → operation + 1 */
    struct map removed_groups; /* address → knot + 1 */
    VEC(struct knot) knots;
    struct graph graph; /* operations, then knots; an edge from A to B says that B ends before A starts */
    VEC(struct stay_edge) stays;
};

/* Edges between links by what they give and need (4). */
void order_add_capabilities(struct orderer *o);
/* Marks every node from which a path leads to a creation or a link (BP-483). */
void order_mark_early(struct orderer *o, bool *marks);
/* What operations and barriers wait for, from the graph to the plan. */
void order_write(struct orderer *o);

#endif
