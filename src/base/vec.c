#include "base/vec.h"

#include <stdint.h>

void *vec_grow(struct arena *a, void *items, size_t *cap, size_t size) {
    size_t new_cap = *cap < 8 ? 8 : *cap > SIZE_MAX / 2 ? SIZE_MAX : *cap * 2;
    void *grown = arena_grow_array(a, items, *cap, new_cap, size);
    *cap = new_cap;
    return grown;
}
