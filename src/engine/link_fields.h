/* Spec fields that operations of links have set in the real objects (BP-491). The stored spec of a resource does not
 * have them; whoever updates the object or reads it for drift lays them over (BP-530).
 *
 * Made when a run begins, or a plan; records that go or change afterwards are seen as they are then. */
#ifndef LINTEL_ENGINE_LINK_FIELDS_H
#define LINTEL_ENGINE_LINK_FIELDS_H

#include "engine/stored.h"

struct link_fields {
    struct map by_resource; /* address → list of records of links; without arena: no link has set any */
    const struct stored *stored;
};

/* Lives in `a`; the records are those of `s`. */
void link_fields_init(struct link_fields *f, struct arena *a, const struct stored *s);
/* The spec with the values that links have set in it; kind 0 stays so. */
value link_fields_lay_over(const struct link_fields *f, struct arena *a, sv resource, value spec);
/* `found`, with those fields as they are in `expected` of which nobody knows whether they are set: their link's
 * operation ended half-way, and is gone on with anyway. */
value link_fields_take_open_out(const struct link_fields *f, struct arena *a, sv resource, value found, value expected);
/* `found`, with these fields as they are in `stored`: what is theirs is not taken for the resource's own. */
value link_fields_take_out(const struct link_fields *f, struct arena *a, sv resource, value found, value stored);
/* Calls `each` for every link that has set a field which one of the differences (their paths start with `spec`) is
 * about. */
void link_fields_find_touched(const struct link_fields *f, struct arena *a, sv resource, const struct field_diff *diff,
                              void (*each)(void *user, struct link_record *l), void *user);

/* Fields as records keep them: "a::spec.environment.X" → path in the link's data. Kind 0 for none. */
value link_fields_encode(struct arena *a, sv name_a, sv name_b, const struct link_field *items, size_t count);

#endif
