/* Files to trees of nodes as this dialect reads them (§2): without aliases, merge keys and nulls, keys being texts.
 * Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_READ_H
#define LINTEL_DIALECTS_CFN_READ_H

#include "doc/reader.h"

struct cfn_read {
    struct arena *arena;
    struct diags *diags;
    const struct limits *limits;
    bool no_short_forms; /* CF-156 */
    bool is_json;        /* result: JSON by CF-010 */
};

/* The limits of CF-310 for reading and evaluating. */
extern const struct limits cfn_limits;
enum { CFN_NODES_MAX = 10000000 };

/* NULL when nothing useful is there; mistakes have been reported, also beside a result. Nodes may be shared where
 * aliases were: the tree is a graph without cycles. */
const struct node *cfn_read_tree(struct cfn_read *r, struct source *source);

#endif
