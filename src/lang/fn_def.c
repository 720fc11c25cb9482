#include "lang/fn_def.h"

#include "base/hint.h"

#include <string.h>

struct fn_index {
    const struct fn_def **slots; /* open addressing, power of two, at most half full */
    size_t cap;
};

/* Only names of programs are put in: no need of a keyed hash. */
static size_t hash_name(sv name) {
    size_t h = 14695981039346656037U;
    for (size_t i = 0; i < name.len; i++) {
        h = (h ^ (unsigned char)name.data[i]) * 1099511628211U;
    }
    return h ^ h >> 29;
}

static size_t find_slot(const struct fn_index *index, sv name) {
    size_t at = hash_name(name) & (index->cap - 1);
    while (index->slots[at] != NULL && !sv_eq(index->slots[at]->name, name)) {
        at = (at + 1) & (index->cap - 1);
    }
    return at;
}

struct fn_registry *fn_registry_new(struct arena *a, const struct fn_table *const *tables, size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += tables[i]->count;
    }
    struct fn_index *index = ARENA_NEW(a, struct fn_index);
    index->cap = 64;
    while (index->cap < total * 2) {
        index->cap *= 2;
    }
    index->slots = ARENA_ARRAY(a, const struct fn_def *, index->cap);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < tables[i]->count; k++) {
            size_t at = find_slot(index, tables[i]->defs[k]->name);
            if (index->slots[at] == NULL) {
                index->slots[at] = tables[i]->defs[k];
            }
        }
    }
    struct fn_registry *r = ARENA_NEW(a, struct fn_registry);
    *r = (struct fn_registry){tables, count, index};
    return r;
}

static const struct fn_def *find_in_table(const struct fn_table *t, sv name) {
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = sv_cmp(t->defs[middle]->name, name);
        if (order == 0) {
            return t->defs[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static const struct fn_def *find_any(const struct fn_registry *r, sv name) {
    if (r->index != NULL) {
        return r->index->slots[find_slot(r->index, name)];
    }
    for (size_t i = 0; i < r->count; i++) {
        const struct fn_def *f = find_in_table(r->tables[i], name);
        if (f != NULL) {
            return f;
        }
    }
    return NULL;
}

const struct fn_def *fn_find(const struct fn_registry *r, sv name) {
    const struct fn_def *f = r == NULL ? NULL : find_any(r, name);
    return f == NULL || (f->flags & FN_OPERATOR) != 0 ? NULL : f;
}

sv fn_find_close(const struct fn_registry *r, sv name) {
    struct hint h = HINT(name);
    for (size_t i = 0; r != NULL && i < r->count; i++) {
        for (size_t k = 0; k < r->tables[i]->count; k++) {
            if ((r->tables[i]->defs[k]->flags & FN_OPERATOR) == 0) {
                hint_offer(&h, r->tables[i]->defs[k]->name);
            }
        }
    }
    return h.best;
}

static bool is_variadic(const struct fn_def *f) {
    return f->param_count > 0 && (f->params[f->param_count - 1].flags & FN_VARIADIC) != 0;
}

size_t fn_get_min_args(const struct fn_def *f) {
    size_t min = f->param_count;
    while (min > 0 && (f->params[min - 1].flags & FN_OPTIONAL) != 0) {
        min--;
    }
    return min;
}

size_t fn_get_max_args(const struct fn_def *f) {
    return is_variadic(f) ? SIZE_MAX : f->param_count;
}
