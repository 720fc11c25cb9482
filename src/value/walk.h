/* Walking values without recursion: a stack of containers that grows on the heap only for deep ones. Internal to
 * value/. */
#ifndef LINTEL_VALUE_WALK_H
#define LINTEL_VALUE_WALK_H

#include "value/value.h"

enum { WALK_LOCAL = 24 };

struct walk_frame {
    value container;
    size_t next; /* item to be visited next */
    void *data;  /* the user's */
};

struct walk {
    struct walk_frame local[WALK_LOCAL];
    struct walk_frame *frames;
    size_t depth, cap;
    struct arena spill;
};

struct walk_item {
    value item;
    sv key; /* of a map's entry */
    size_t index;
    bool in_map;
};

void walk_init(struct walk *w);
void walk_fini(struct walk *w);
/* Goes into a list or map; its items come next. */
struct walk_frame *walk_push(struct walk *w, value container);
void walk_pop(struct walk *w);
struct walk_frame *walk_top(struct walk *w);
/* The next item of the innermost container; false when it has no more (then pop). */
bool walk_next(struct walk *w, struct walk_item *result);
bool value_is_container(value v);

#endif
