/* How the resources of a template hang together: who uses whom, which links they have, in which order they are
 * evaluated (BP-421 (5), BP-432, BP-481).
 *
 * A *node* is something to wait for. Nodes below `element_count` are elements: a resource stands for itself, a group
 * for all its resources, everything else (values, data sources, exports, variables of children) for what it uses.
 * Behind them stands one node per element, the *entrance* of a CHILD group: what all its resources wait for. Behind
 * these one per link. Where few resources stand behind a node that is no resource, its users name them; where there are
 * many it is a *barrier*, which its users name instead: many behind many cost their sum, not their product. */
#ifndef LINTEL_ENGINE_TOPOLOGY_H
#define LINTEL_ENGINE_TOPOLOGY_H

#include "model/template.h"

/* A row of numbers per node: those of node n are items[starts[n] .. starts[n + 1]). */
struct number_rows {
    uint32_t *starts, *items;
};

/* One side of a link that must be config complete before the other is made: a hard link's priority side, or what a
 * contribution is taken from. */
struct link_order {
    bool is_ordered;
    bool gives_a, gives_b;  /* it contributes fields to that side, as far as can be told from the template */
    uint32_t first, second; /* element numbers */
};

struct topology {
    const struct template *t;  /* NULL: the empty template, all counts 0 */
    struct number_rows uses;   /* per node: the resources, links and barriers it uses, directly or through values */
    struct number_rows links;  /* per element: the links it is a side of */
    struct link_order *orders; /* per link */
    bool *is_barrier;          /* per node */
    uint32_t *order;           /* resources and barriers, each behind what it uses and what its links need */
    size_t order_count;
    const uint32_t *children; /* the CHILD elements, in order: those of the entrances */
    size_t element_count, child_count, link_count, node_count;
};

/* Lives in `a`. False after a report (`operation_cycle`: contributions in both directions). */
bool topology_init(struct topology *y, struct arena *a, const struct template *t, struct diags *diags);
bool topology_is_resource(const struct topology *y, uint32_t node);
bool topology_is_link(const struct topology *y, uint32_t node);
uint32_t topology_get_link(const struct topology *y, uint32_t node); /* the number of the link that the node is */
/* The address of what the node stands for. */
sv topology_get_address(const struct topology *y, uint32_t node);
/* Whether the element, or a group around it, has a condition. */
bool topology_has_condition(const struct topology *y, uint32_t element);
/* Whether a child around the element is to be retained as a whole when it goes (BP-294). */
bool topology_is_detached(const struct topology *y, uint32_t element);
/* Addresses of what an element needs to be there: what it uses, groups of many by their own address, and the first
 * sides of its ordered links. Recorded in the state (BP-481). */
size_t topology_list_needs(const struct topology *y, struct arena *a, uint32_t element, const sv **addresses);

#endif
