/* Paths into values: `spec.a[0]["odd.name"]` (BP-307). */
#ifndef LINTEL_VALUE_PATH_H
#define LINTEL_VALUE_PATH_H

#include "base/vec.h"
#include "value/value.h"

struct path_step {
    sv key; /* when not an index */
    size_t index;
    bool is_index;
};

struct path {
    const struct path_step *steps;
    size_t len;
};

void path_print(struct buf *out, struct path p);
sv path_to_text(struct arena *a, struct path p);
/* False for malformed text. */
bool path_parse(struct arena *a, sv text, struct path *result);
struct path path_with_key(struct arena *a, struct path p, sv key);
struct path path_with_index(struct arena *a, struct path p, size_t index);
/* The value at the path; kind 0 when there is none; UNKNOWN when an unknown stands on the way. */
value value_find_path(value root, struct path p);
/* A copy of `root` with the value at the path set, maps made where missing (lists are not). */
value value_with_path(struct arena *a, value root, struct path p, value item);

struct path_item {
    struct path path;
    value item;
};
/* All of them, one map after the other: entries of one map are put in together, in their order, when it is the turn of
 * the first. Linear in items and entries. No path may lead through the value of another. */
value value_with_paths(struct arena *a, value root, const struct path_item *items, size_t count);

/* One leaf that differs. */
struct value_change {
    struct path path;
    value before, after; /* kind 0: not there */
};
/* Told every leaf of `v` that `pick` chooses, in document order. */
typedef bool (*value_pick)(value v);
struct path_list {
    VEC(struct path) items;
};
void value_find_paths(struct arena *a, value v, value_pick pick, struct path_list *result);

#endif
