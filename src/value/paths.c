/* Which leaves of a value: paths of the secret ones, the unknown ones … */
#include "value/path.h"
#include "value/walk.h"

#include <string.h>

static struct path current_path(struct arena *a, struct walk *w) {
    struct path_step *steps = ARENA_ARRAY(a, struct path_step, w->depth);
    for (size_t i = 0; i < w->depth; i++) {
        const struct walk_frame *f = &w->frames[i];
        if (f->container.kind == VALUE_LIST) {
            steps[i] = (struct path_step){.index = f->next - 1, .is_index = true};
        } else {
            steps[i] = (struct path_step){.key = f->container.map->entries[f->next - 1].key};
        }
    }
    return (struct path){steps, w->depth};
}

/* A container that `pick` chooses counts as one leaf when it is marked as a whole. */
void value_find_paths(struct arena *a, value v, value_pick pick, struct path_list *result) {
    if (!value_is_container(v) || v.marks != 0) {
        if (pick(v)) {
            VEC_PUSH(a, &result->items, ((struct path){0}));
            return;
        }
        if (!value_is_container(v)) {
            return;
        }
    }
    struct walk w;
    walk_init(&w);
    walk_push(&w, v);
    while (w.depth > 0) {
        struct walk_item it;
        if (!walk_next(&w, &it)) {
            walk_pop(&w);
        } else if ((!value_is_container(it.item) || it.item.marks != 0) && pick(it.item)) {
            VEC_PUSH(a, &result->items, current_path(a, &w));
        } else if (value_is_container(it.item)) {
            walk_push(&w, it.item);
        }
    }
    walk_fini(&w);
}
