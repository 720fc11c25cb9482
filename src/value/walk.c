#include "value/walk.h"

#include <string.h>

void walk_init(struct walk *w) {
    w->frames = w->local;
    w->depth = 0;
    w->cap = WALK_LOCAL;
    w->spill = (struct arena){0};
}

void walk_fini(struct walk *w) {
    arena_fini(&w->spill);
}

static void grow(struct walk *w) {
    if (w->frames == w->local) {
        struct walk_frame *frames = ARENA_ARRAY(&w->spill, struct walk_frame, w->cap * 2);
        memcpy(frames, w->local, w->cap * sizeof *frames);
        w->frames = frames;
    } else {
        w->frames = arena_grow_array(&w->spill, w->frames, w->cap, w->cap * 2, sizeof *w->frames);
    }
    w->cap *= 2;
}

struct walk_frame *walk_push(struct walk *w, value container) {
    if (w->depth == w->cap) {
        grow(w);
    }
    struct walk_frame *f = &w->frames[w->depth++];
    *f = (struct walk_frame){.container = container};
    return f;
}

void walk_pop(struct walk *w) {
    w->depth--;
}

struct walk_frame *walk_top(struct walk *w) {
    return &w->frames[w->depth - 1];
}

bool walk_next(struct walk *w, struct walk_item *result) {
    struct walk_frame *f = walk_top(w);
    result->index = f->next;
    if (f->container.kind == VALUE_LIST) {
        if (f->next == f->container.list->len) {
            return false;
        }
        result->item = f->container.list->items[f->next++];
        result->in_map = false;
        return true;
    }
    if (f->next == f->container.map->len) {
        return false;
    }
    result->item = f->container.map->entries[f->next].item;
    result->key = f->container.map->entries[f->next++].key;
    result->in_map = true;
    return true;
}

bool value_is_container(value v) {
    return v.kind == VALUE_LIST || v.kind == VALUE_MAP;
}
