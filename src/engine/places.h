/* Document order of records: each has a place, a number that grows in the order of the template, with gaps. Whatever
 * gives elements out sorts them by it, so that they do not come in the order in which operations ended. A new element
 * gets a place between those of its neighbours, so that no other row is to be written; who reorders a template finds
 * unchanged elements where they were. Equal places, and records without one (of older versions: 0), come by address;
 * those without one last. Resources have places among themselves, and so have links. */
#ifndef LINTEL_ENGINE_PLACES_H
#define LINTEL_ENGINE_PLACES_H

#include "engine/stored.h"
#include "model/template.h"

/* One per element, of resources: as stored where that is in order, as many as possible, else between neighbours. */
const int64_t *places_of_elements(struct arena *a, const struct template *t, const struct stored *s);
const int64_t *places_of_links(struct arena *a, const struct template *t, const struct stored *s);
/* Resources, then links. */
void places_sort_stored(struct stored *s);
void places_sort_resources(struct resource_record *items, size_t count);
void places_sort_links(struct link_record *items, size_t count);
/* Pointers to records. */
void places_sort_targets(const struct resource_record **items, size_t count);
void places_sort_link_targets(const struct link_record **items, size_t count);

#endif
