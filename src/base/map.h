/* Insertion-ordered hash map from text to pointer, in an arena. The zero value with an arena set is the empty map.
 * Keys are borrowed: they live at least as long as the map. Keyed hash (arena_get_hash_seed), so input cannot force
 * collisions. Iterate over entries[0 .. len); removed entries have key.data == NULL. */
#ifndef LINTEL_BASE_MAP_H
#define LINTEL_BASE_MAP_H

#include "base/arena.h"

struct map_entry {
    sv key;
    void *value;
    uint64_t hash;
};

struct map {
    struct arena *arena;
    struct map_entry *entries;
    uint32_t *index; /* entry number + 1, open addressing; NULL while the map is small */
    size_t len, cap, index_cap, live;
};

#define MAP(a) ((struct map){.arena = (a)})

/* The value, or NULL. */
void *map_find(const struct map *m, sv key);
bool map_has(const struct map *m, sv key);
/* Inserts or replaces, keeping the place of an existing key. Returns the former value or NULL. */
void *map_put(struct map *m, sv key, void *value);
/* The slot of the key, made with NULL when new (`*is_new` told, may be NULL). Valid until the next insertion. */
void **map_get_slot(struct map *m, sv key, bool *is_new);
/* Returns the removed value or NULL. */
void *map_remove(struct map *m, sv key);
/* Keyed SipHash-2-4 of bytes. */
uint64_t hash_bytes(uint64_t seed, const void *data, size_t len);

#endif
