/* Links in two steps: what is selected (links.c), and what link types demand of it (link_rules.c). */
#ifndef LINTEL_DIALECTS_BLUEPRINT_LINKS_H
#define LINTEL_DIALECTS_BLUEPRINT_LINKS_H

#include "dialects/blueprint/loader.h"
#include "dialects/blueprint/tree.h"

struct link_pair {
    uint32_t a, b;
    uint32_t b_item; /* the instance of a template + 1; 0: all of it */
    const struct link_type *type;
    span at;
};
void links_add(struct loader *l, const struct link_pair *pair);
/* Links that references make by themselves (BP-163); those that selectors have made already stay as they are. */
void links_activate(struct loader *l);

/* Cardinality and annotations (BP-165). */
void links_check_rules(struct loader *l);

#endif
