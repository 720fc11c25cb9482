/* The data keys of name spaces (LC-050), and what changing them needs (LC-052). */
#include "model/lease.h"
#include "stores/memory/internal.h"

#include <assert.h>

static struct wrapped_key *find_key(struct key_table *t, sv context) {
    for (size_t i = 0; t != NULL && i < t->rows.len; i++) {
        if (sv_eq(t->rows.items[i].context, context)) {
            return &t->rows.items[i];
        }
    }
    return NULL;
}

enum store_result memory_find_data_key(struct store *s, struct arena *a, sv context, sv *wrapped) {
    const struct wrapped_key *row = find_key(memory_of(s)->keys, context);
    *wrapped = row == NULL ? (sv){0} : arena_copy_sv(a, row->text);
    return row == NULL ? STORE_NOT_FOUND : STORE_OK;
}

/* Rows are copied before the first change of a transaction. */
static struct key_table *edit_keys(struct memory_store *m) {
    if (!m->keys_changed) {
        struct key_table *copy = ARENA_NEW(&m->arena, struct key_table);
        for (size_t i = 0; m->keys != NULL && i < m->keys->rows.len; i++) {
            VEC_PUSH(&m->arena, &copy->rows, m->keys->rows.items[i]);
        }
        m->keys_before = m->keys;
        m->keys = copy;
        m->keys_changed = true;
    }
    return m->keys;
}

enum store_result memory_put_data_key(struct store *s, sv context, sv expected, sv wrapped) {
    struct memory_store *m = memory_of(s);
    assert(m->in_transaction);
    const struct wrapped_key *there = find_key(m->keys, context);
    if (!sv_eq(there == NULL ? (sv){0} : there->text, expected)) {
        return STORE_CONFLICT;
    }
    struct key_table *t = edit_keys(m);
    struct wrapped_key *row = find_key(t, context);
    if (row == NULL) {
        row = VEC_ADD(&m->arena, &t->rows);
        row->context = arena_copy_sv(&m->arena, context);
    }
    row->text = arena_copy_sv(&m->arena, wrapped);
    return STORE_OK;
}

void keys_end(struct memory_store *m, bool is_commit) {
    if (m->keys_changed && !is_commit) {
        m->keys = m->keys_before;
    }
    m->keys_changed = false;
}

enum store_result memory_begin_alone(struct store *s, struct arena *a, struct store_lease *lease) {
    struct memory_store *m = memory_of(s);
    *lease = (struct store_lease){0};
    for (size_t i = 0; i < m->slots.len && !m->read_only; i++) {
        const struct instance_slot *slot = &m->slots.items[i];
        if (lease_is_live(s->host, &slot->lease, slot->boot_id)) {
            *lease = slot->lease;
            COPY_TEXTS(a, &lease->instance_id, &lease->holder);
            return STORE_CONFLICT;
        }
    }
    return s->ops->begin(s, NULL);
}

enum store_result memory_list_owners(struct store *s, struct arena *a, sv **ids, size_t *count) {
    struct memory_store *m = memory_of(s);
    *ids = ARENA_ARRAY(a, sv, m->slots.len + 1);
    *count = 0;
    for (size_t i = 0; i < m->slots.len; i++) {
        sv id = m->slots.items[i].now->id;
        if (m->slots.items[i].now->history.len == 0) {
            continue;
        }
        size_t at = (*count)++;
        for (; at > 0 && sv_cmp(id, (*ids)[at - 1]) < 0; at--) {
            (*ids)[at] = (*ids)[at - 1];
        }
        (*ids)[at] = arena_copy_sv(a, id);
    }
    return STORE_OK;
}
