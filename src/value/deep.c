/* Equality, copies and wiping of whole values. */
#include "value/walk.h"

#include "base/num.h"
#include "value/type.h"

#include <string.h>

static bool eq_numbers(value a, value b) {
    if (a.kind == VALUE_INT && b.kind == VALUE_INT) {
        return a.integer == b.integer;
    }
    if (a.kind == VALUE_FLOAT && b.kind == VALUE_FLOAT) {
        return !(a.number < b.number) && !(a.number > b.number);
    }
    return a.kind == VALUE_INT ? num_cmp_i64_double(a.integer, b.number) == 0
                               : num_cmp_i64_double(b.integer, a.number) == 0;
}

static bool is_number(value v) {
    return v.kind == VALUE_INT || v.kind == VALUE_FLOAT;
}

/* Equality but for what is below lists and maps; these need equal sizes here. */
static bool eq_shallow(value a, value b) {
    if (is_number(a) && is_number(b)) {
        return eq_numbers(a, b);
    }
    if (a.kind != b.kind) {
        return false;
    }
    switch ((enum value_kind)a.kind) {
    case VALUE_NULL:
    case VALUE_ABSENT:
        return true;
    case VALUE_BOOL:
        return a.boolean == b.boolean;
    case VALUE_STRING:
    case VALUE_BYTES:
        return sv_eq(*a.text, *b.text);
    case VALUE_LIST:
        return a.list->len == b.list->len;
    case VALUE_MAP:
        return a.map->len == b.map->len;
    case VALUE_FUNCTION:
        return a.function == b.function;
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        return false;
    }
    return false;
}

/* The other side's containers, as deep as the walk. */
struct eq_other {
    value *items;
    size_t cap;
};

static void eq_push(struct walk *w, struct eq_other *other, value a, value b) {
    if (w->depth >= other->cap) {
        size_t cap = other->cap == 0 ? WALK_LOCAL : other->cap * 2;
        other->items = arena_grow_array(&w->spill, other->items, other->cap, cap, sizeof *other->items);
        other->cap = cap;
    }
    other->items[w->depth] = b;
    walk_push(w, a);
}

static bool eq_containers(struct walk *w, struct eq_other *other) {
    while (w->depth > 0) {
        struct walk_item it;
        if (!walk_next(w, &it)) {
            walk_pop(w);
            continue;
        }
        value twin = other->items[w->depth - 1];
        twin = it.in_map ? value_map_find(twin, it.key) : twin.list->items[it.index];
        if (!eq_shallow(it.item, twin)) {
            return false;
        }
        bool same = value_is_container(it.item) && it.item.list == twin.list && value_is_known(it.item);
        if (value_is_container(it.item) && !same) {
            eq_push(w, other, it.item, twin);
        }
    }
    return true;
}

bool value_eq(value a, value b) {
    if (!eq_shallow(a, b) || !value_is_container(a)) {
        return eq_shallow(a, b);
    }
    struct walk w;
    struct eq_other other = {0};
    walk_init(&w);
    eq_push(&w, &other, a, b);
    bool equal = eq_containers(&w, &other);
    walk_fini(&w);
    return equal;
}

/* Copies */

static value copy_leaf(struct arena *a, value v) {
    if (v.kind == VALUE_STRING || v.kind == VALUE_BYTES) {
        sv *text = ARENA_NEW(a, sv);
        *text = arena_copy_sv(a, *v.text);
        v.text = text;
    } else if (v.kind == VALUE_UNKNOWN) {
        v.type = type_find_plain(v.type); /* the predefined one: it outlives every arena */
    } else if (v.kind == VALUE_ERROR || v.kind == VALUE_PENDING) {
        v.cause = NULL;
    }
    return v;
}

static void push_copy(struct walk *w, struct arena *a, value v) {
    struct walk_frame *f = walk_push(w, v);
    if (v.kind == VALUE_LIST) {
        struct list_builder *b = ARENA_NEW(&w->spill, struct list_builder);
        *b = (struct list_builder){.arena = a, .cap = v.list->len + 1};
        b->items = ARENA_ARRAY(&w->spill, value, b->cap);
        f->data = b;
    } else {
        struct map_builder *b = ARENA_NEW(&w->spill, struct map_builder);
        *b = (struct map_builder){.arena = a, .cap = v.map->len + 1};
        b->entries = ARENA_ARRAY(&w->spill, struct value_entry, b->cap);
        f->data = b;
    }
}

/* The copy of the item that the frame has just visited. */
static void add_copy(struct arena *a, struct walk_frame *f, value item) {
    if (f->container.kind == VALUE_LIST) {
        list_add(f->data, item);
    } else {
        map_add(f->data, arena_copy_sv(a, f->container.map->entries[f->next - 1].key), item);
    }
}

static value pop_copy(struct walk *w) {
    struct walk_frame *f = walk_top(w);
    value copied = f->container.kind == VALUE_LIST ? list_done(f->data) : map_done(f->data);
    copied.word = f->container.word;
    copied = value_mark(copied, f->container.marks);
    walk_pop(w);
    return copied;
}

static value copy_container(struct walk *w, struct arena *a, value v) {
    push_copy(w, a, v);
    for (;;) {
        struct walk_item it;
        if (!walk_next(w, &it)) {
            value copied = pop_copy(w);
            if (w->depth == 0) {
                return copied;
            }
            add_copy(a, walk_top(w), copied);
        } else if (value_is_container(it.item)) {
            push_copy(w, a, it.item);
        } else {
            add_copy(a, walk_top(w), copy_leaf(a, it.item));
        }
    }
}

value value_copy(struct arena *a, value v) {
    if (!value_is_container(v)) {
        return copy_leaf(a, v);
    }
    struct walk w;
    walk_init(&w);
    value copied = copy_container(&w, a, v);
    walk_fini(&w);
    return copied;
}
