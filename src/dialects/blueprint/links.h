/* Links in two steps: what is selected (links.c), and what link types demand of it (link_rules.c). */
#ifndef LINTEL_DIALECTS_BLUEPRINT_LINKS_H
#define LINTEL_DIALECTS_BLUEPRINT_LINKS_H

#include "dialects/blueprint/loader.h"
#include "dialects/blueprint/tree.h"

/* Cardinality and annotations (BP-165). */
void links_check_rules(struct loader *l);

#endif
