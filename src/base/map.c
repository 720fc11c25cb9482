#include "base/map.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

enum {
    SMALL_MAP = 8, /* up to so many entries are searched one by one: quicker than hashing */
    NOT_FOUND = 0, /* entry numbers count from 1, as in the index */
};

static inline uint64_t rotate(uint64_t x, unsigned bits) {
    return x << bits | x >> (64 - bits);
}

struct sip {
    uint64_t v0, v1, v2, v3;
};

static inline void sip_round(struct sip *s) {
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 = rotate(s->v2, 32);
}

static inline void sip_add(struct sip *s, uint64_t word) {
    s->v3 ^= word;
    sip_round(s);
    sip_round(s);
    s->v0 ^= word;
}

/* Up to 8 bytes, missing ones zero. */
static inline uint64_t load_word(const unsigned char *bytes, size_t len) {
    uint64_t word = 0;
    memcpy(&word, bytes, len);
    return le64toh(word);
}

uint64_t hash_bytes(uint64_t seed, const void *data, size_t len) {
    const unsigned char *bytes = data;
    uint64_t k0 = seed;
    uint64_t k1 = rotate(seed, 32) ^ UINT64_C(0x9E3779B97F4A7C15);
    struct sip s = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
                    k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    size_t whole = len & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8) {
        sip_add(&s, load_word(bytes + i, 8));
    }
    uint64_t tail = len > whole ? load_word(bytes + whole, len - whole) : 0;
    sip_add(&s, tail | (uint64_t)len << 56);
    s.v2 ^= 0xff;
    sip_round(&s);
    sip_round(&s);
    sip_round(&s);
    sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

static uint64_t map_hash(const struct map *m, sv key) {
    return hash_bytes(arena_get_hash_seed(m->arena), key.data, key.len);
}

/* The entry's number, or NOT_FOUND. `hash` is needed only when there is an index. */
static size_t map_search(const struct map *m, sv key, uint64_t hash) {
    if (m->index == NULL) {
        for (size_t i = 0; i < m->len; i++) {
            if (m->entries[i].key.data != NULL && sv_eq(m->entries[i].key, key)) {
                return i + 1;
            }
        }
        return NOT_FOUND;
    }
    size_t mask = m->index_cap - 1;
    for (size_t at = (size_t)hash & mask; m->index[at] != 0; at = (at + 1) & mask) {
        const struct map_entry *entry = &m->entries[m->index[at] - 1];
        if (entry->hash == hash && entry->key.data != NULL && sv_eq(entry->key, key)) {
            return m->index[at];
        }
    }
    return NOT_FOUND;
}

static size_t map_find_number(const struct map *m, sv key) {
    if (m->live == 0) {
        return NOT_FOUND;
    }
    return map_search(m, key, m->index == NULL ? 0 : map_hash(m, key));
}

static void map_index_entry(struct map *m, size_t number) {
    size_t mask = m->index_cap - 1;
    size_t at = (size_t)m->entries[number - 1].hash & mask;
    while (m->index[at] != 0) {
        at = (at + 1) & mask;
    }
    m->index[at] = (uint32_t)number;
}

/* Removes the removed entries; those that stay keep their order. */
static void map_compact(struct map *m) {
    size_t to = 0;
    for (size_t from = 0; from < m->len; from++) {
        if (m->entries[from].key.data != NULL) {
            m->entries[to++] = m->entries[from];
        }
    }
    m->len = to;
}

/* Builds the index anew, at most half full when the entries are full. */
static void map_rebuild_index(struct map *m) {
    bool is_first = m->index == NULL;
    size_t cap = m->cap * 2;
    if (cap > m->index_cap) {
        m->index = arena_grow_array(m->arena, m->index, m->index_cap, cap, sizeof *m->index);
        m->index_cap = cap;
    }
    memset(m->index, 0, m->index_cap * sizeof *m->index);
    for (size_t i = 0; i < m->len; i++) {
        if (is_first) {
            m->entries[i].hash = map_hash(m, m->entries[i].key);
        }
        map_index_entry(m, i + 1);
    }
}

/* Makes room for one entry more. */
static void map_make_room(struct map *m) {
    if (m->len < m->cap) {
        return;
    }
    map_compact(m);
    if (m->len > m->cap / 2 || m->cap == 0) {
        size_t cap = m->cap == 0 ? SMALL_MAP : m->cap * 2;
        assert(cap <= UINT32_MAX / 2);
        m->entries = arena_grow_array(m->arena, m->entries, m->cap, cap, sizeof *m->entries);
        m->cap = cap;
    }
    if (m->cap > SMALL_MAP) {
        map_rebuild_index(m);
    }
}

void *map_find(const struct map *m, sv key) {
    size_t number = map_find_number(m, key);
    return number == NOT_FOUND ? NULL : m->entries[number - 1].value;
}

bool map_has(const struct map *m, sv key) {
    return map_find_number(m, key) != NOT_FOUND;
}

void **map_get_slot(struct map *m, sv key, bool *is_new) {
    uint64_t hash = m->index == NULL ? 0 : map_hash(m, key);
    size_t number = map_search(m, key, hash);
    if (is_new != NULL) {
        *is_new = number == NOT_FOUND;
    }
    if (number != NOT_FOUND) {
        return &m->entries[number - 1].value;
    }
    map_make_room(m);
    if (m->index != NULL && hash == 0) { /* the index has just been built */
        hash = map_hash(m, key);
    }
    struct map_entry *entry = &m->entries[m->len++];
    *entry = (struct map_entry){.key = key.data == NULL ? SV("") : key, .hash = hash};
    m->live++;
    if (m->index != NULL) {
        map_index_entry(m, m->len);
    }
    return &entry->value;
}

void *map_put(struct map *m, sv key, void *value) {
    void **slot = map_get_slot(m, key, NULL);
    void *former = *slot;
    *slot = value;
    return former;
}

void *map_remove(struct map *m, sv key) {
    size_t number = map_find_number(m, key);
    if (number == NOT_FOUND) {
        return NULL;
    }
    /* The index keeps pointing here; an entry without key matches nothing. */
    struct map_entry *entry = &m->entries[number - 1];
    void *former = entry->value;
    entry->key = (sv){NULL, 0};
    entry->value = NULL;
    m->live--;
    return former;
}
