#include "engine/places.h"

#include <stdlib.h>

static int compare(int64_t a, sv address_a, int64_t b, sv address_b) {
    if (a != b) {
        bool is_before = b == 0 || (a != 0 && a < b);
        return is_before ? -1 : 1;
    }
    return sv_cmp(address_a, address_b);
}

static int compare_resources(const void *left, const void *right) {
    const struct resource_record *a = left, *b = right;
    return compare(a->position, a->address.text, b->position, b->address.text);
}

static int compare_links(const void *left, const void *right) {
    const struct link_record *a = left, *b = right;
    return compare(a->position, a->address.text, b->position, b->address.text);
}

static int compare_targets(const void *left, const void *right) {
    const struct resource_record *const *a = left, *const *b = right;
    return compare_resources(*a, *b);
}

static int compare_link_targets(const void *left, const void *right) {
    const struct link_record *const *a = left, *const *b = right;
    return compare_links(*a, *b);
}

static sv get_address(const struct stored_element *e) {
    return e->resource != NULL ? e->resource->address.text : e->link->address.text;
}

/* --- of a template --- */

enum { GAP = 1 << 16, NO_ITEM = -1 };

/* Of the known places the longest row that grows is kept, the others become 0. */
static void keep_growing(struct arena *a, int64_t *places, size_t count) {
    int64_t *ends = ARENA_ARRAY(a, int64_t, count + 1); /* per length: where the row of it ends that ends lowest */
    int64_t *before = ARENA_ARRAY(a, int64_t, count + 1);
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t low = 0, high = places[i] == 0 ? 0 : longest;
        while (low < high) {
            size_t middle = (low + high) / 2;
            bool is_lower = places[ends[middle]] < places[i];
            low = is_lower ? middle + 1 : low;
            high = is_lower ? high : middle;
        }
        before[i] = low == 0 ? NO_ITEM : ends[low - 1];
        if (places[i] != 0) {
            ends[low] = (int64_t)i;
            longest = low == longest ? longest + 1 : longest;
        }
    }
    int64_t kept = longest == 0 ? NO_ITEM : ends[longest - 1];
    for (size_t i = count; i > 0; i--) {
        if ((int64_t)i - 1 == kept) {
            kept = before[kept];
        } else {
            places[i - 1] = 0;
        }
    }
}

/* Those without get one between their neighbours. */
static void fill_gaps(int64_t *places, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t end = i;
        while (end < count && places[end] == 0) {
            end++;
        }
        int64_t parts = (int64_t)(end - i) + 1;
        int64_t last = i > 0 ? places[i - 1] : end < count ? places[end] - GAP * parts : 1;
        int64_t step = i > 0 && end < count ? (places[end] - last) / parts : GAP;
        for (; i < end; i++) {
            last += step;
            places[i] = last == 0 ? 1 : last; /* 0 means none */
        }
    }
}

/* Numbers from a state that nobody has written are none. */
static int64_t get_known(int64_t position) {
    const int64_t limit = (int64_t)1 << 60;
    return position > -limit && position < limit ? position : 0;
}

static void assign(struct arena *a, int64_t *places, size_t count) {
    struct arena scratch = {.secret = a->secret};
    keep_growing(&scratch, places, count);
    arena_fini(&scratch);
    fill_gaps(places, count);
}

const int64_t *places_of_elements(struct arena *a, const struct template *t, const struct stored *s) {
    int64_t *places = ARENA_ARRAY(a, int64_t, t->element_count + 1);
    for (size_t i = 0; i < t->element_count; i++) {
        const struct element *e = &t->elements[i];
        const struct resource_record *r = e->record;
        if (r == NULL && e->kind == ELEMENT_RESOURCE) {
            r = stored_find_resource(s, e->address.text);
        }
        places[i] = r == NULL ? 0 : get_known(r->position);
    }
    assign(a, places, t->element_count);
    return places;
}

const int64_t *places_of_links(struct arena *a, const struct template *t, const struct stored *s) {
    int64_t *places = ARENA_ARRAY(a, int64_t, t->link_count + 1);
    for (size_t i = 0; i < t->link_count; i++) {
        const struct template_link *l = &t->links[i];
        const struct link_record *record = l->record != NULL ? l->record : stored_find_link(s, l->address.text);
        places[i] = record == NULL ? 0 : get_known(record->position);
    }
    assign(a, places, t->link_count);
    return places;
}

/* --- sorting --- */

typedef int (*comparison)(const void *, const void *);

/* Mostly they are in order already. */
static void sort(void *items, size_t count, size_t size, comparison fn) {
    const char *bytes = items;
    for (size_t i = 1; i < count; i++) {
        if (fn(bytes + (i - 1) * size, bytes + i * size) > 0) {
            qsort(items, count, size, fn);
            return;
        }
    }
}

/* Beside each other in memory: of very many elements the records are looked at once. */
struct key {
    bool is_link;
    int64_t position;
    struct stored_element *element;
};

static int compare_keys(const void *left, const void *right) {
    const struct key *a = left, *b = right;
    if (a->is_link != b->is_link) {
        return a->is_link ? 1 : -1;
    }
    bool is_tie = a->position == b->position;
    return compare(a->position, is_tie ? get_address(a->element) : (sv){0}, b->position,
                   is_tie ? get_address(b->element) : (sv){0});
}

void places_sort_stored(struct stored *s) {
    struct arena scratch = {0};
    struct key *keys = ARENA_ARRAY(&scratch, struct key, s->elements.len + 1);
    for (size_t i = 0; i < s->elements.len; i++) {
        struct stored_element *e = s->elements.items[i];
        int64_t position = e->resource != NULL ? e->resource->position : e->link->position;
        keys[i] = (struct key){e->resource == NULL, position, e};
    }
    sort(keys, s->elements.len, sizeof *keys, compare_keys);
    for (size_t i = 0; i < s->elements.len; i++) {
        s->elements.items[i] = keys[i].element;
    }
    arena_fini(&scratch);
}

void places_sort_resources(struct resource_record *items, size_t count) {
    sort(items, count, sizeof *items, compare_resources);
}

void places_sort_links(struct link_record *items, size_t count) {
    sort(items, count, sizeof *items, compare_links);
}

void places_sort_targets(const struct resource_record **items, size_t count) {
    sort(items, count, sizeof *items, compare_targets);
}

void places_sort_link_targets(const struct link_record **items, size_t count) {
    sort(items, count, sizeof *items, compare_link_targets);
}
