/* Resolved specs: what the engine does to a resource's values between the template and the provider. */
#ifndef LINTEL_ENGINE_SPECS_H
#define LINTEL_ENGINE_SPECS_H

#include "model/template.h"

/* Relative file names made absolute from `root_dir` (BP-404), sensitive leaves marked. `schema` may be NULL. */
value spec_settle(struct arena *a, const struct schema *schema, value spec, sv root_dir);
/* Leaves that the schema, which may be NULL, calls sensitive get the mark. */
value spec_mark_sensitive(struct arena *a, const struct schema *schema, value v);
/* What a provider returned, sensitive leaves marked; copied into `a`. */
value spec_settle_computed(struct arena *a, const struct schema *schema, value computed);
/* Every leaf marked, so that marks survive a step into the value. */
value spec_mark_leaves(struct arena *a, value v, uint8_t marks);
value spec_unmark_leaves(struct arena *a, value v, uint8_t marks);
/* Paths of the leaves that are unknown or provisional, below `prefix` (BP-457). */
size_t spec_find_open_paths(struct arena *a, sv prefix, value v, const sv **paths);
/* Paths of the fields that the provider fills in. */
size_t spec_find_computed_paths(struct arena *a, const struct schema *schema, const sv **paths);
/* `staged` with the parts that were unknown or provisional taken from `resolved`: what was known at staging stays as it
 * was staged (BP-424). */
value spec_resolve(struct arena *a, value staged, value resolved);
/* The id field's value as text; empty when it is not there. */
sv spec_get_id(struct arena *a, const struct resource_type *type, value merged);
/* The element's metadata, evaluated (BP-439). ERROR when a part of it failed. */
value spec_eval_metadata(struct evaluation *e, uint32_t element);
/* The element's spec as written, evaluated and settled. ERROR after a report. */
value spec_eval(struct evaluation *e, uint32_t element);

#endif
