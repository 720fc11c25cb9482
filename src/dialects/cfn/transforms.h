/* The Transform section, includes and loops: from the tree that was read to the one that is checked (§10, CF-128 to
 * CF-131). Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_TRANSFORMS_H
#define LINTEL_DIALECTS_CFN_TRANSFORMS_H

#include "dialects/cfn/run.h"

/* Which transforms are declared (CF-150 to CF-152). */
void cfn_transforms_read(struct cfn_run *run);
/* Includes are replaced by what they name: a new root, or the same. */
const struct node *cfn_include_expand(struct cfn_run *run, const struct node *root);
/* Loops are unrolled: a new root, or the same. */
const struct node *cfn_foreach_expand(struct cfn_run *run, const struct node *root);

/* Why a transform stays: it is a macro, or an Include that needs the network. */
enum cfn_reason cfn_transform_get_reason(const struct node *argument);
/* Notes that something stays as it is because of an unknown. */
void cfn_keep_unknown(struct cfn_run *run, enum cfn_reason reason, span at);

#endif
