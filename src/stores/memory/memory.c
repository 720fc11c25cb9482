#include "stores/memory/memory.h"

#include "model/lease.h"
#include "stores/memory/internal.h"

#include <assert.h>

static void memory_close(struct store *s) {
    arena_fini(&memory_of(s)->arena);
}

static sv memory_get_description(struct store *s) {
    (void)s;
    return SV("memory");
}

static enum store_result memory_get_store_key(struct store *s, uint8_t key[32]) {
    memcpy(key, memory_of(s)->key, sizeof memory_of(s)->key);
    return STORE_OK;
}

/* Slots and tables */

struct instance_slot *find_slot(struct memory_store *m, sv id) {
    for (size_t i = 0; i < m->slots.len; i++) {
        if (sv_eq(m->slots.items[i].now->id, id)) {
            return &m->slots.items[i];
        }
    }
    return NULL;
}

static struct instance_slot *get_slot(struct memory_store *m, sv id) {
    struct instance_slot *slot = find_slot(m, id);
    if (slot == NULL) {
        slot = VEC_ADD(&m->arena, &m->slots);
        slot->now = ARENA_NEW(&m->arena, struct tables);
        slot->now->id = arena_copy_sv(&m->arena, id);
    }
    return slot;
}

#define COPY_ITEMS(a, to, from)                                                       \
    do {                                                                              \
        (to)->items = arena_alloc_array((a), (from)->len + 1, sizeof *(from)->items); \
        if ((from)->len > 0)                                                          \
            memcpy((to)->items, (from)->items, (from)->len * sizeof *(from)->items);  \
        (to)->len = (from)->len;                                                      \
        (to)->cap = (from)->len + 1;                                                  \
    } while (0)

/* The tables, for writing. */
static struct tables *edit(struct memory_store *m, sv id) {
    assert(m->in_transaction);
    struct instance_slot *slot = get_slot(m, id);
    if (slot->before == NULL) {
        struct tables *copy = ARENA_NEW(&m->arena, struct tables);
        *copy = *slot->now;
        COPY_ITEMS(&m->arena, &copy->elements, &slot->now->elements);
        COPY_ITEMS(&m->arena, &copy->journal, &slot->now->journal);
        COPY_ITEMS(&m->arena, &copy->history, &slot->now->history);
        slot->before = slot->now;
        slot->now = copy;
    }
    return slot->now;
}

/* Copies of rows */

void copy_texts(struct arena *a, sv *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        *texts[i] = arena_copy_sv(a, *texts[i]);
    }
}

static struct store_instance copy_instance(struct arena *a, struct store_instance i) {
    COPY_TEXTS(a, &i.id, &i.context, &i.name, &i.dialect, &i.status, &i.body);
    return i;
}

static struct store_element copy_element(struct arena *a, struct store_element e) {
    COPY_TEXTS(a, &e.address, &e.type, &e.status, &e.precise_status, &e.physical_id, &e.body);
    return e;
}

static struct journal_row copy_row(struct arena *a, struct journal_row r) {
    COPY_TEXTS(a, &r.run_id, &r.operation, &r.address, &r.action, &r.body);
    return r;
}

static struct store_history copy_history(struct arena *a, struct store_history h) {
    COPY_TEXTS(a, &h.run_id, &h.kind, &h.actor, &h.outcome, &h.body);
    return h;
}

static struct store_lease copy_lease(struct arena *a, struct store_lease l) {
    COPY_TEXTS(a, &l.instance_id, &l.holder);
    return l;
}

/* Transactions */

static bool holds(struct memory_store *m, const struct store_lease *lease) {
    struct instance_slot *slot = find_slot(m, lease->instance_id);
    struct host *host = m->store.host;
    return slot != NULL && slot->lease.token == lease->token && slot->lease.holder.len > 0 &&
           slot->lease.expires_ms > host->ops->get_monotonic_ms(host->user);
}

static enum store_result memory_begin(struct store *s, const struct store_lease *lease) {
    struct memory_store *m = memory_of(s);
    assert(!m->in_transaction);
    if (m->read_only) {
        diags_add(s->diags, DIAG_state_not_available, SPAN_NONE, "the state in memory is open for reading only");
        return STORE_READ_ONLY;
    }
    if (lease != NULL && !holds(m, lease)) {
        return STORE_LOST_LEASE;
    }
    m->in_transaction = true;
    m->events_before = m->events.len;
    return STORE_OK;
}

static enum store_result memory_commit(struct store *s) {
    struct memory_store *m = memory_of(s);
    assert(m->in_transaction);
    for (size_t i = 0; i < m->slots.len; i++) {
        m->slots.items[i].before = NULL;
    }
    queue_commit(m);
    keys_end(m, true);
    m->in_transaction = false;
    return STORE_OK;
}

static void memory_rollback(struct store *s) {
    struct memory_store *m = memory_of(s);
    for (size_t i = 0; i < m->slots.len; i++) {
        struct instance_slot *slot = &m->slots.items[i];
        if (slot->before != NULL) {
            slot->now = slot->before;
            slot->before = NULL;
        }
    }
    queue_rollback(m);
    keys_end(m, false);
    m->in_transaction = false;
}

/* Leases */

static enum store_result memory_take_lease(struct store *s, struct arena *a, const struct store_lease_request *request,
                                           struct store_lease *lease) {
    struct memory_store *m = memory_of(s);
    assert(!m->in_transaction);
    struct instance_slot *slot = get_slot(m, request->instance_id);
    if (!request->steal && lease_is_live(s->host, &slot->lease, slot->boot_id)) {
        *lease = copy_lease(a, slot->lease);
        return STORE_CONFLICT;
    }
    slot->boot_id = s->host->ops->get_boot_id(s->host->user, &m->arena);
    slot->lease = (struct store_lease){
        .instance_id = slot->now->id,
        .token = slot->lease.token + 1,
        .holder = arena_copy_sv(&m->arena, request->holder),
        .expires_ms = s->host->ops->get_monotonic_ms(s->host->user) + request->ttl_ms,
    };
    *lease = copy_lease(a, slot->lease);
    return STORE_OK;
}

static enum store_result memory_renew_lease(struct store *s, struct store_lease *lease, int64_t ttl_ms) {
    struct memory_store *m = memory_of(s);
    if (!holds(m, lease)) {
        return STORE_LOST_LEASE;
    }
    struct instance_slot *slot = find_slot(m, lease->instance_id);
    slot->lease.expires_ms = s->host->ops->get_monotonic_ms(s->host->user) + ttl_ms;
    lease->expires_ms = slot->lease.expires_ms;
    return STORE_OK;
}

static enum store_result memory_release_lease(struct store *s, const struct store_lease *lease) {
    struct instance_slot *slot = find_slot(memory_of(s), lease->instance_id);
    if (slot == NULL || slot->lease.token != lease->token || slot->lease.holder.len == 0) {
        return STORE_LOST_LEASE;
    }
    slot->lease.holder = (sv){0};
    slot->lease.expires_ms = 0;
    return STORE_OK;
}

/* Reading */

static enum store_result memory_load_tree(struct store *s, struct arena *a, sv instance_id, struct store_tree *tree) {
    *tree = (struct store_tree){0};
    struct instance_slot *slot = find_slot(memory_of(s), instance_id);
    if (slot == NULL) {
        return STORE_OK;
    }
    const struct tables *t = slot->now;
    tree->lease = copy_lease(a, slot->lease);
    tree->found = t->has_instance;
    if (!tree->found) {
        return STORE_OK;
    }
    tree->instance = copy_instance(a, t->instance);
    for (size_t i = 0; i < t->elements.len; i++) {
        VEC_PUSH(a, &tree->elements, copy_element(a, t->elements.items[i]));
    }
    for (size_t i = 0; i < t->journal.len; i++) {
        VEC_PUSH(a, &tree->journal, copy_row(a, t->journal.items[i]));
    }
    return STORE_OK;
}

static const struct tables *find_named(struct memory_store *m, sv context, sv name) {
    for (size_t i = 0; i < m->slots.len; i++) {
        const struct tables *t = m->slots.items[i].now;
        if (t->has_instance && sv_eq(t->instance.context, context) && sv_eq(t->instance.name, name)) {
            return t;
        }
    }
    return NULL;
}

static enum store_result memory_find_instance(struct store *s, struct arena *a, sv context, sv name,
                                              struct store_instance *result) {
    const struct tables *t = find_named(memory_of(s), context, name);
    if (t == NULL) {
        return STORE_NOT_FOUND;
    }
    *result = copy_instance(a, t->instance);
    return STORE_OK;
}

static bool is_listed(const struct tables *t, sv context) {
    return t->has_instance && (context.len == 0 || sv_eq(t->instance.context, context));
}

/* By context and name. */
static bool comes_before(const struct store_instance *x, const struct store_instance *y) {
    int order = sv_cmp(x->context, y->context);
    return order != 0 ? order < 0 : sv_cmp(x->name, y->name) < 0;
}

static enum store_result memory_list_instances(struct store *s, struct arena *a, sv context,
                                               struct store_instance **items, size_t *count) {
    struct memory_store *m = memory_of(s);
    *items = ARENA_ARRAY(a, struct store_instance, m->slots.len + 1);
    *count = 0;
    for (size_t i = 0; i < m->slots.len; i++) {
        const struct tables *t = m->slots.items[i].now;
        if (!is_listed(t, context)) {
            continue;
        }
        size_t at = (*count)++;
        for (; at > 0 && comes_before(&t->instance, &(*items)[at - 1]); at--) {
            (*items)[at] = (*items)[at - 1];
        }
        (*items)[at] = copy_instance(a, t->instance);
    }
    return STORE_OK;
}

static enum store_result memory_list_history(struct store *s, struct arena *a, sv instance_id,
                                             struct store_history **items, size_t *count) {
    struct instance_slot *slot = find_slot(memory_of(s), instance_id);
    *count = slot == NULL ? 0 : slot->now->history.len;
    *items = ARENA_ARRAY(a, struct store_history, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        (*items)[i] = copy_history(a, slot->now->history.items[i]);
    }
    return STORE_OK;
}

static bool claims(const struct store_element *e, const struct store_object *o) {
    return o->physical_id.len > 0 && sv_eq(e->type, o->type) && sv_eq(e->physical_id, o->physical_id);
}

/* Instances by context and name. */
static enum store_result memory_find_claims(struct store *s, struct arena *a, const struct store_object *objects,
                                            size_t object_count, struct store_claim **items, size_t *count) {
    VEC(struct store_claim) found = {0};
    struct store_instance *instances = NULL;
    size_t instance_count = 0;
    memory_list_instances(s, a, (sv){0}, &instances, &instance_count);
    for (size_t i = 0; i < object_count * instance_count; i++) {
        const struct store_object *o = &objects[i / instance_count];
        const struct store_instance *instance = &instances[i % instance_count];
        const struct tables *t = find_slot(memory_of(s), instance->id)->now;
        for (size_t k = 0; k < t->elements.len; k++) {
            if (claims(&t->elements.items[k], o)) {
                struct store_claim claim = {*o, instance->id, instance->name, instance->context,
                                            arena_copy_sv(a, t->elements.items[k].address)};
                VEC_PUSH(a, &found, claim);
            }
        }
    }
    *items = found.items;
    *count = found.len;
    return STORE_OK;
}

/* Writing */

static enum store_result memory_put_instance(struct store *s, const struct store_instance *instance,
                                             int64_t expected_version) {
    struct memory_store *m = memory_of(s);
    struct instance_slot *slot = find_slot(m, instance->id);
    const struct tables *named = find_named(m, instance->context, instance->name);
    bool exists = slot != NULL && slot->now->has_instance;
    int64_t version = exists ? slot->now->instance.version : 0;
    if (version != expected_version || exists != (expected_version != 0)) {
        return STORE_CONFLICT;
    }
    if (named != NULL && !sv_eq(named->id, instance->id)) {
        return STORE_CONFLICT;
    }
    struct tables *t = edit(m, instance->id);
    t->instance = copy_instance(&m->arena, *instance);
    t->has_instance = true;
    return STORE_OK;
}

static struct tables *edit_existing(struct store *s, sv id) {
    struct instance_slot *slot = find_slot(memory_of(s), id);
    return slot != NULL && slot->now->has_instance ? edit(memory_of(s), id) : NULL;
}

static enum store_result memory_delete_instance(struct store *s, sv instance_id) {
    struct tables *t = edit_existing(s, instance_id);
    if (t == NULL) {
        return STORE_NOT_FOUND;
    }
    t->has_instance = false;
    t->instance = (struct store_instance){0};
    t->elements.len = 0;
    t->journal.len = 0;
    return STORE_OK;
}

static size_t find_element(const struct tables *t, sv address) {
    size_t i = 0;
    while (i < t->elements.len && !sv_eq(t->elements.items[i].address, address)) {
        i++;
    }
    return i;
}

static enum store_result memory_put_element(struct store *s, sv instance_id, const struct store_element *element) {
    struct tables *t = edit_existing(s, instance_id);
    if (t == NULL) {
        return STORE_NOT_FOUND;
    }
    struct store_element copy = copy_element(&memory_of(s)->arena, *element);
    size_t at = find_element(t, element->address);
    if (at < t->elements.len) {
        t->elements.items[at] = copy;
    } else {
        VEC_PUSH(&memory_of(s)->arena, &t->elements, copy);
    }
    return STORE_OK;
}

static enum store_result memory_delete_element(struct store *s, sv instance_id, sv address) {
    struct tables *t = edit_existing(s, instance_id);
    size_t at = t == NULL ? 0 : find_element(t, address);
    if (t != NULL && at < t->elements.len) {
        t->elements.len--;
        memmove(&t->elements.items[at], &t->elements.items[at + 1], (t->elements.len - at) * sizeof *t->elements.items);
    }
    return STORE_OK;
}

static enum store_result memory_append_journal(struct store *s, sv instance_id, const struct journal_row *row) {
    struct tables *t = edit_existing(s, instance_id);
    if (t == NULL) {
        return STORE_NOT_FOUND;
    }
    if (t->journal.len > 0 && VEC_LAST(&t->journal)->sequence >= row->sequence) {
        return STORE_CONFLICT;
    }
    VEC_PUSH(&memory_of(s)->arena, &t->journal, copy_row(&memory_of(s)->arena, *row));
    return STORE_OK;
}

static enum store_result memory_compact_journal(struct store *s, sv instance_id, const struct store_history *entry,
                                                size_t keep_history) {
    struct tables *t = edit(memory_of(s), instance_id);
    if (t->history.len > 0 && VEC_LAST(&t->history)->number >= entry->number) {
        return STORE_CONFLICT;
    }
    t->journal.len = 0;
    VEC_PUSH(&memory_of(s)->arena, &t->history, copy_history(&memory_of(s)->arena, *entry));
    size_t surplus = t->history.len > keep_history ? t->history.len - keep_history : 0;
    t->history.len -= surplus;
    memmove(t->history.items, t->history.items + surplus, t->history.len * sizeof *t->history.items);
    queue_compact(memory_of(s), instance_id, keep_history);
    return STORE_OK;
}

static enum store_result memory_rewrite_journal(struct store *s, sv instance_id, const struct journal_row *row) {
    struct tables *t = edit_existing(s, instance_id);
    for (size_t i = 0; t != NULL && i < t->journal.len; i++) {
        if (t->journal.items[i].sequence == row->sequence) {
            t->journal.items[i] = copy_row(&memory_of(s)->arena, *row);
            return STORE_OK;
        }
    }
    return STORE_NOT_FOUND;
}

static enum store_result memory_rewrite_history(struct store *s, sv instance_id, const struct store_history *entry) {
    struct tables *t = find_slot(memory_of(s), instance_id) == NULL ? NULL : edit(memory_of(s), instance_id);
    for (size_t i = 0; t != NULL && i < t->history.len; i++) {
        if (t->history.items[i].number == entry->number) {
            t->history.items[i] = copy_history(&memory_of(s)->arena, *entry);
            return STORE_OK;
        }
    }
    return STORE_NOT_FOUND;
}

static const struct store_ops memory_ops = {
    .close = memory_close,
    .get_description = memory_get_description,
    .get_store_key = memory_get_store_key,
    .begin = memory_begin,
    .begin_alone = memory_begin_alone,
    .commit = memory_commit,
    .rollback = memory_rollback,
    .take_lease = memory_take_lease,
    .renew_lease = memory_renew_lease,
    .release_lease = memory_release_lease,
    .load_tree = memory_load_tree,
    .find_instance = memory_find_instance,
    .list_instances = memory_list_instances,
    .list_history = memory_list_history,
    .list_owners = memory_list_owners,
    .find_data_key = memory_find_data_key,
    .put_data_key = memory_put_data_key,
    .find_claims = memory_find_claims,
    .put_instance = memory_put_instance,
    .delete_instance = memory_delete_instance,
    .put_element = memory_put_element,
    .delete_element = memory_delete_element,
    .append_journal = memory_append_journal,
    .compact_journal = memory_compact_journal,
    .rewrite_journal = memory_rewrite_journal,
    .rewrite_history = memory_rewrite_history,
    .add_run = memory_add_run,
    .change_run = memory_change_run,
    .take_run = memory_take_run,
    .list_runs = memory_list_runs,
    .find_run = memory_find_run,
    .append_events = memory_append_events,
    .list_events = memory_list_events,
    .await_news = memory_await_news,
};

struct store *memory_store_open(struct arena *a, const struct store_options *options) {
    struct memory_store *m = ARENA_NEW(a, struct memory_store);
    m->store = (struct store){.ops = &memory_ops, .diags = options->diags, .host = options->host};
    m->read_only = options->read_only;
    options->host->ops->fill_random(options->host->user, m->key, sizeof m->key);
    return &m->store;
}
