#include "value/value.h"

#include "base/map.h"
#include "base/num.h"

#include <assert.h>
#include <string.h>

enum { INDEX_FROM = 17 }; /* entries from which a map has an index */

/* Lists */

void list_add(struct list_builder *b, value item) {
    if (item.kind == VALUE_ABSENT) {
        return;
    }
    if (b->len == b->cap) {
        size_t cap = b->cap == 0 ? 8 : b->cap * 2;
        b->items = arena_grow_array(b->arena, b->items, b->cap, cap, sizeof *b->items);
        b->cap = cap;
    }
    b->items[b->len++] = item;
}

static struct value_list *new_list(struct arena *a, size_t len) {
    size_t size = 0;
    bool fits = num_mul_size(len, sizeof(value), &size) && num_add_size(size, sizeof(struct value_list), &size);
    assert(fits);
    (void)fits;
    struct value_list *list = arena_alloc(a, size);
    list->len = len;
    list->items = (const value *)(list + 1);
    return list;
}

/* The items of a new list, to be filled in. */
static value *get_room(struct value_list *list) {
    return (value *)(list + 1);
}

enum { WEIGHT_TEXT = 64 }; /* bytes of text that weigh as much as a value */

size_t value_get_weight(value v) {
    switch ((enum value_kind)v.kind) {
    case VALUE_LIST:
        return v.list->weight;
    case VALUE_MAP:
        return v.map->weight;
    case VALUE_STRING:
    case VALUE_BYTES:
        return 1 + v.text->len / WEIGHT_TEXT;
    case VALUE_NULL:
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_FUNCTION:
    case VALUE_ABSENT:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        return 1;
    }
    return 1;
}

size_t value_get_depth(value v) {
    if (v.kind == VALUE_LIST) {
        return v.list->depth;
    }
    return v.kind == VALUE_MAP ? v.map->depth : 0;
}

/* Of a container with this item. */
static void add_item(size_t *weight, size_t *depth, value item) {
    size_t below = value_get_depth(item);
    if (!num_add_size(*weight, value_get_weight(item), weight)) {
        *weight = SIZE_MAX;
    }
    *depth = below + 1 > *depth ? below + 1 : *depth;
}

static value wrap_list(struct value_list *list) {
    value v = {.kind = VALUE_LIST};
    v.list = list;
    list->weight = 1;
    list->depth = 1;
    for (size_t i = 0; i < list->len; i++) {
        v.within |= list->items[i].within;
        add_item(&list->weight, &list->depth, list->items[i]);
    }
    return v;
}

value value_list_of(struct arena *a, const value *items, size_t len) {
    size_t kept = 0;
    for (size_t i = 0; i < len; i++) {
        kept += items[i].kind != VALUE_ABSENT;
    }
    struct value_list *list = new_list(a, kept);
    value *room = get_room(list);
    size_t to = 0;
    for (size_t i = 0; i < len; i++) {
        if (items[i].kind != VALUE_ABSENT) {
            room[to++] = items[i];
        }
    }
    return wrap_list(list);
}

/* --- lists that grow --- */

struct list_store {
    size_t used, cap;
    value items[];
};

/* The store of the list with room for `count` more behind its last item: its own when nobody has written there yet. */
static struct list_store *make_room(struct arena *a, const struct value_list *list, size_t count) {
    struct list_store *own = list->store;
    if (own != NULL && own->used == list->len && own->cap - own->used >= count) {
        return own;
    }
    size_t cap = 0, size = 0;
    bool fits = num_add_size(list->len, count, &cap) && num_mul_size(cap, 2, &cap) &&
                num_mul_size(cap, sizeof(value), &size) && num_add_size(size, sizeof(struct list_store), &size);
    assert(fits);
    (void)fits;
    struct list_store *store = arena_alloc(a, size);
    store->cap = cap;
    store->used = list->len;
    if (list->len > 0) {
        memcpy(store->items, list->items, list->len * sizeof(value));
    }
    return store;
}

value value_list_append(struct arena *a, value list, const value *items, size_t count) {
    struct list_store *store = make_room(a, list.list, count);
    struct value_list *longer = arena_alloc(a, sizeof *longer);
    value v = list;
    *longer = *list.list;
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind == VALUE_ABSENT) {
            continue;
        }
        store->items[store->used++] = items[i];
        v.within |= items[i].within;
        add_item(&longer->weight, &longer->depth, items[i]);
    }
    longer->len = store->used;
    longer->items = store->items;
    longer->store = store;
    v.list = longer;
    return v;
}

value list_done(struct list_builder *b) {
    struct value_list *list = new_list(b->arena, b->len);
    if (b->len > 0) {
        memcpy(get_room(list), b->items, b->len * sizeof *b->items);
    }
    return wrap_list(list);
}

/* Maps: an index holds entry numbers + 1, open addressing, power of two, at most half full. */

static size_t index_find(const uint32_t *index, size_t cap, const struct value_entry *entries, uint64_t seed, sv key) {
    size_t at = hash_bytes(seed, key.data, key.len) & (cap - 1);
    while (index[at] != 0 && !sv_eq(entries[index[at] - 1].key, key)) {
        at = (at + 1) & (cap - 1);
    }
    return at;
}

static uint32_t *index_new(struct arena *a, const struct value_entry *entries, size_t len, size_t *cap_out) {
    size_t cap = 64;
    while (cap < len * 2) {
        cap *= 2;
    }
    uint32_t *index = ARENA_ARRAY(a, uint32_t, cap);
    uint64_t seed = arena_get_hash_seed(a);
    for (size_t i = 0; i < len; i++) {
        size_t at = index_find(index, cap, entries, seed, entries[i].key);
        if (index[at] == 0) {
            index[at] = (uint32_t)i + 1;
        }
    }
    *cap_out = cap;
    return index;
}

static void push_entry(struct map_builder *b, sv key, value item) {
    if (b->len == b->cap) {
        size_t cap = b->cap == 0 ? 8 : b->cap * 2;
        b->entries = arena_grow_array(b->arena, b->entries, b->cap, cap, sizeof *b->entries);
        b->cap = cap;
    }
    b->entries[b->len++] = (struct value_entry){key, item};
}

static void index_last(struct map_builder *b) {
    if (b->len * 2 > b->index_cap) {
        b->index = index_new(b->arena, b->entries, b->len, &b->index_cap);
        return;
    }
    uint64_t seed = arena_get_hash_seed(b->arena);
    size_t at = index_find(b->index, b->index_cap, b->entries, seed, b->entries[b->len - 1].key);
    b->index[at] = (uint32_t)b->len;
}

void map_add(struct map_builder *b, sv key, value item) {
    if (item.kind == VALUE_ABSENT) {
        return;
    }
    push_entry(b, key, item);
    if (b->index != NULL) {
        index_last(b);
    }
}

static struct value_entry *builder_find(struct map_builder *b, sv key) {
    if (b->len < INDEX_FROM) {
        for (size_t i = 0; i < b->len; i++) {
            if (sv_eq(b->entries[i].key, key)) {
                return &b->entries[i];
            }
        }
        return NULL;
    }
    if (b->index == NULL) {
        b->index = index_new(b->arena, b->entries, b->len, &b->index_cap);
    }
    size_t at = index_find(b->index, b->index_cap, b->entries, arena_get_hash_seed(b->arena), key);
    return b->index[at] == 0 ? NULL : &b->entries[b->index[at] - 1];
}

void map_set(struct map_builder *b, sv key, value item) {
    struct value_entry *entry = builder_find(b, key);
    if (entry != NULL) {
        entry->item = item; /* an ABSENT one leaves with map_done */
    } else {
        map_add(b, key, item);
    }
}

static struct value_map *new_map(struct arena *a, size_t len) {
    size_t size = 0;
    bool fits = num_mul_size(len, sizeof(struct value_entry), &size) &&
                num_add_size(size, sizeof(struct value_map), &size) && len < UINT32_MAX / 4;
    assert(fits);
    (void)fits;
    struct value_map *map = arena_alloc(a, size);
    map->len = len;
    return map;
}

static value wrap_map(struct arena *a, struct value_map *map) {
    if (map->len >= INDEX_FROM && map->index == NULL) {
        map->index = index_new(a, map->entries, map->len, &map->index_cap);
    }
    if (map->index != NULL) { /* small maps spare the arena its seed, which costs a system call */
        map->seed = arena_get_hash_seed(a);
    }
    value v = {.kind = VALUE_MAP};
    v.map = map;
    map->weight = 1;
    map->depth = 1;
    for (size_t i = 0; i < map->len; i++) {
        v.within |= map->entries[i].item.within;
        add_item(&map->weight, &map->depth, map->entries[i].item);
    }
    return v;
}

static const struct value_map empty_map = {.weight = 1, .depth = 1};

value map_done(struct map_builder *b) {
    size_t kept = 0;
    for (size_t i = 0; i < b->len; i++) {
        kept += b->entries[i].item.kind != VALUE_ABSENT;
    }
    if (kept == 0) {
        value v = {.kind = VALUE_MAP};
        v.map = &empty_map;
        return v;
    }
    struct value_map *map = new_map(b->arena, kept);
    size_t to = 0;
    for (size_t i = 0; i < b->len; i++) {
        if (b->entries[i].item.kind != VALUE_ABSENT) {
            map->entries[to++] = b->entries[i];
        }
    }
    if (kept == b->len && b->index != NULL) {
        map->index = b->index;
        map->index_cap = b->index_cap;
    }
    return wrap_map(b->arena, map);
}

static size_t find_entry(const struct value_map *map, sv key) {
    if (map->index != NULL) {
        size_t at = index_find(map->index, map->index_cap, map->entries, map->seed, key);
        return map->index[at] == 0 ? SIZE_MAX : map->index[at] - 1;
    }
    for (size_t i = 0; i < map->len; i++) {
        if (sv_eq(map->entries[i].key, key)) {
            return i;
        }
    }
    return SIZE_MAX;
}

value value_map_find(value v, sv key) {
    size_t at = find_entry(v.map, key);
    if (at == SIZE_MAX) {
        return (value){0};
    }
    return v.map->entries[at].item;
}

size_t value_map_find_index(value v, sv key) {
    return find_entry(v.map, key);
}

bool value_map_has(value v, sv key) {
    return find_entry(v.map, key) != SIZE_MAX;
}

value value_map_with(struct arena *a, value v, sv key, value item) {
    struct map_builder b = {.arena = a};
    size_t at = find_entry(v.map, key);
    for (size_t i = 0; i < v.map->len; i++) {
        map_add(&b, v.map->entries[i].key, i == at ? item : v.map->entries[i].item);
    }
    if (at == SIZE_MAX) {
        map_add(&b, key, item);
    }
    value result = map_done(&b);
    result.word = v.word;
    return value_mark(result, v.marks);
}
