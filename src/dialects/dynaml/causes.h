/* Why a node is unresolved: from node to node down to the first cause, which is a failure or a cycle. Internal to the
 * room. */
#ifndef LINTEL_DIALECTS_DYNAML_CAUSES_H
#define LINTEL_DIALECTS_DYNAML_CAUSES_H

#include "dialects/dynaml/trace.h"

/* The next of the unresolved nodes that the unresolved `p` waits for; `*cursor` starts as 0. NULL: no more. */
struct place *causes_find_part(const struct tracer *t, struct place *p, size_t *cursor);
/* Nodes that are met are put into `cyclic`, by address: whether they stand on the cycle that ends the way. */
void causes_collect(struct tracer *t, const struct spot *spot, struct dynaml_explained *result, struct map *cyclic);
bool causes_is_known(const struct map *cyclic, const struct place *p);
bool causes_is_cyclic(const struct map *cyclic, const struct place *p);

enum dynaml_state place_get_state(const struct place *p);
/* Empty for what is pending but for the use of unresolved content (DY-186). */
sv place_get_issue(const struct place *p);

#endif
