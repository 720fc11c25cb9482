/* Growing arrays in an arena: struct { T *items; size_t len, cap; }. The zero value is the empty array.
 * Growing moves the items; pointers to items are valid until the next push. */
#ifndef LINTEL_BASE_VEC_H
#define LINTEL_BASE_VEC_H

#include "base/arena.h"

#define VEC(T)           \
    struct {             \
        T *items;        \
        size_t len, cap; \
    }

/* Makes room for at least one item more and evaluates to the address of the new, zeroed last item. */
#define VEC_ADD(a, v)                                                                                                \
    ((v)->len == (v)->cap ? (void)((v)->items = vec_grow((a), (v)->items, &(v)->cap, sizeof *(v)->items)) : (void)0, \
     &(v)->items[(v)->len++])
#define VEC_PUSH(a, v, item) (*VEC_ADD((a), (v)) = (item))
#define VEC_LAST(v)          (&(v)->items[(v)->len - 1])

/* The array with its capacity doubled (at least 8), `*cap` updated. */
void *vec_grow(struct arena *a, void *items, size_t *cap, size_t size);

#endif
