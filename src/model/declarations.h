/* Declarations (BP-324): types that nobody implements here, read from YAML so that blueprints can be checked offline.
 *
 * What `providers_write_json` prints reads back to the same. Declared types have schemas and rules, and no operations:
 * templates checked with them are never deployed. */
#ifndef LINTEL_MODEL_DECLARATIONS_H
#define LINTEL_MODEL_DECLARATIONS_H

#include "model/provider.h"

struct node;

/* The providers that a document declares, one per name space; functions are offered by one without name. The document
 * may be what `lintel providers --json` prints: then its key `declarations` counts. Reports mistakes at their places
 * (an unknown key or type is one, `invalid_value`); NULL after one. All lives in `a`; texts are copied. */
const struct providers *declarations_from_node(struct arena *a, const struct node *root, struct diags *diags);

/* Both in one, asked in this order: what is in `first` counts. Either may be NULL. */
const struct providers *providers_join(struct arena *a, const struct providers *first, const struct providers *second);

/* Types of parameters and results as declarations spell them: "any" "array" "boolean" … ; the kind alone counts. NULL
 * for an unknown word. */
sv declared_type_get_text(const struct type *t);
const struct type *declared_type_find(sv text);

#endif
