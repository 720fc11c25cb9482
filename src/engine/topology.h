/* How the resources of a template hang together: who uses whom, which links they have, in which order they are
 * evaluated (BP-421 (5), BP-432, BP-481). */
#ifndef LINTEL_ENGINE_TOPOLOGY_H
#define LINTEL_ENGINE_TOPOLOGY_H

#include "model/template.h"

/* A row of numbers per element: those of element n are items[starts[n] .. starts[n + 1]). */
struct number_rows {
    uint32_t *starts, *items;
};

/* One side of a link that must be config complete before the other is made: a hard link's priority side, or what a
 * contribution is taken from. */
struct link_order {
    bool is_ordered;
    uint32_t first, second; /* element numbers */
};

struct topology {
    const struct template *t;  /* NULL: the empty template, all counts 0 */
    struct number_rows uses;   /* per element: the resources it uses, directly or through values */
    struct number_rows links;  /* per element: the links it is a side of */
    struct link_order *orders; /* per link */
    uint32_t *order;           /* resources, each behind what it uses and what its links need */
    size_t order_count;
    size_t element_count, link_count;
};

/* Lives in `a`. False after a report (`operation_cycle`: contributions in both directions). */
bool topology_init(struct topology *y, struct arena *a, const struct template *t, struct diags *diags);

#endif
