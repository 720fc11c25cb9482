/* The queue of runs (LC-045) and stored events (LC-060). */
#include "model/lease.h"
#include "stores/memory/internal.h"

#include <assert.h>

enum { POLL_MS = 100 };

/* --- Copy on write --- */

static struct run_table *copy_table(struct arena *a, const struct run_table *from) {
    struct run_table *copy = ARENA_NEW(a, struct run_table);
    for (size_t i = 0; from != NULL && i < from->runs.len; i++) {
        VEC_PUSH(a, &copy->runs, from->runs.items[i]);
    }
    return copy;
}

static struct run_table *edit_queue(struct memory_store *m) {
    assert(m->in_transaction);
    if (m->queue_before == NULL) {
        m->queue_before = m->queue == NULL ? ARENA_NEW(&m->arena, struct run_table) : m->queue;
        m->queue = copy_table(&m->arena, m->queue_before);
    }
    return m->queue;
}

void queue_rollback(struct memory_store *m) {
    if (m->queue_before != NULL) {
        m->queue = m->queue_before;
        m->queue_before = NULL;
    }
    m->events.len = m->events_before;
    m->pruned_id = (sv){0};
}

static bool is_over(const struct store_run *run) {
    return run->status == STORE_RUN_ENDED || run->status == STORE_RUN_CANCELLED;
}

static struct store_run *find_run(struct memory_store *m, sv id) {
    for (size_t i = 0; m->queue != NULL && i < m->queue->runs.len; i++) {
        if (sv_eq(m->queue->runs.items[i].id, id)) {
            return &m->queue->runs.items[i];
        }
    }
    return NULL;
}

/* Somebody can still ask for the events of the run. */
static bool has_record(struct memory_store *m, const struct event_row *row) {
    const struct instance_slot *slot = find_slot(m, row->instance_id);
    for (size_t i = 0; slot != NULL && i < slot->now->history.len; i++) {
        if (sv_eq(slot->now->history.items[i].run_id, row->run_id)) {
            return true;
        }
    }
    return find_run(m, row->run_id) != NULL;
}

void queue_commit(struct memory_store *m) {
    size_t kept = 0;
    for (size_t i = 0; m->pruned_id.len > 0 && i < m->events.len; i++) {
        const struct event_row row = m->events.items[i];
        if (!sv_eq(row.instance_id, m->pruned_id) || has_record(m, &row)) {
            m->events.items[kept++] = row;
        }
    }
    m->events.len = m->pruned_id.len > 0 ? kept : m->events.len;
    m->pruned_id = (sv){0};
    m->queue_before = NULL;
}

void queue_compact(struct memory_store *m, sv instance_id, size_t keep) {
    struct run_table *t = edit_queue(m);
    size_t over = 0, kept = 0;
    for (size_t i = 0; i < t->runs.len; i++) {
        over += is_over(&t->runs.items[i]) && sv_eq(t->runs.items[i].instance_id, instance_id);
    }
    for (size_t i = 0; i < t->runs.len; i++) {
        const struct store_run run = t->runs.items[i];
        if (is_over(&run) && sv_eq(run.instance_id, instance_id) && over > keep) {
            over--;
            continue;
        }
        t->runs.items[kept++] = run;
    }
    t->runs.len = kept;
    m->pruned_id = arena_copy_sv(&m->arena, instance_id);
}

/* --- Runs --- */

static struct store_run copy_run(struct arena *a, struct store_run r, bool with_plan) {
    r.plan = with_plan ? r.plan : (sv){0};
    COPY_TEXTS(a, &r.id, &r.instance_id, &r.instance_name, &r.context, &r.kind, &r.actor, &r.outcome, &r.body, &r.plan);
    return r;
}

enum store_result memory_add_run(struct store *s, const struct store_run *run) {
    struct memory_store *m = memory_of(s);
    if (find_run(m, run->id) != NULL) {
        return STORE_CONFLICT;
    }
    struct run_table *t = edit_queue(m);
    struct store_run copy = copy_run(&m->arena, *run, true);
    copy.number = t->runs.len == 0 ? 1 : VEC_LAST(&t->runs)->number + 1;
    VEC_PUSH(&m->arena, &t->runs, copy);
    return STORE_OK;
}

enum store_result memory_change_run(struct store *s, const struct store_run_change *change) {
    struct memory_store *m = memory_of(s);
    const struct store_run *there = find_run(m, change->id);
    if (there == NULL || there->status != change->from) {
        return there == NULL ? STORE_NOT_FOUND : STORE_CONFLICT;
    }
    edit_queue(m);
    struct store_run *run = find_run(m, change->id);
    run->status = change->to;
    if (is_over(run)) {
        run->ended_ms = change->wall_ms;
        run->exit_code = change->exit_code;
        run->outcome = arena_copy_sv(&m->arena, change->outcome);
        run->plan = (sv){0};
    }
    return STORE_OK;
}

/* Of an instance: what was begun, then what came first. */
static bool is_first(const struct memory_store *m, const struct store_run *run) {
    for (size_t i = 0; i < m->queue->runs.len; i++) {
        const struct store_run *other = &m->queue->runs.items[i];
        bool competes = !is_over(other) && sv_eq(other->instance_id, run->instance_id);
        bool goes_first = other->status > run->status || (other->status == run->status && other->number < run->number);
        if (competes && goes_first) {
            return false;
        }
    }
    return true;
}

static bool is_free(struct memory_store *m, sv instance_id) {
    const struct instance_slot *slot = find_slot(m, instance_id);
    return slot == NULL || !lease_is_live(m->store.host, &slot->lease, slot->boot_id);
}

static struct store_run *find_next(struct memory_store *m, sv context) {
    for (size_t i = 0; m->queue != NULL && i < m->queue->runs.len; i++) {
        struct store_run *run = &m->queue->runs.items[i];
        if (sv_eq(run->context, context) && !is_over(run) && is_first(m, run) && is_free(m, run->instance_id)) {
            return run;
        }
    }
    return NULL;
}

enum store_result memory_take_run(struct store *s, struct arena *a, sv context,
                                  const struct store_lease_request *request, struct store_run *run,
                                  struct store_lease *lease) {
    struct memory_store *m = memory_of(s);
    enum store_result result = s->ops->begin(s, NULL);
    if (result != STORE_OK) {
        return result;
    }
    s->ops->rollback(s); /* there is but one thread: what follows cannot be cut in two */
    struct store_run *next = find_next(m, context);
    if (next == NULL) {
        return STORE_NOT_FOUND;
    }
    struct store_lease_request with_id = *request;
    with_id.instance_id = next->instance_id;
    with_id.steal = false;
    result = s->ops->take_lease(s, a, &with_id, lease);
    if (result == STORE_OK) {
        next->status = STORE_RUN_RUNNING;
        next->taken_ms = s->host->ops->get_wall_ms(s->host->user);
        next->takes++;
        *run = copy_run(a, *next, true);
    }
    return result;
}

enum store_result memory_list_runs(struct store *s, struct arena *a, sv context, bool is_open, struct store_run **items,
                                   size_t *count) {
    const struct run_table *t = memory_of(s)->queue;
    VEC(struct store_run) found = {0};
    for (size_t i = 0; t != NULL && i < t->runs.len; i++) {
        const struct store_run *run = &t->runs.items[i];
        bool fits = context.len == 0 || sv_eq(run->context, context);
        if (fits && !(is_open && is_over(run))) {
            VEC_PUSH(a, &found, copy_run(a, *run, false));
        }
    }
    *items = found.items;
    *count = found.len;
    return STORE_OK;
}

enum store_result memory_find_run(struct store *s, struct arena *a, sv id, struct store_run *run) {
    const struct store_run *there = find_run(memory_of(s), id);
    if (there != NULL) {
        *run = copy_run(a, *there, false);
    }
    return there == NULL ? STORE_NOT_FOUND : STORE_OK;
}

/* --- Events --- */

enum store_result memory_append_events(struct store *s, sv instance_id, sv run_id, sv body) {
    struct memory_store *m = memory_of(s);
    assert(m->in_transaction);
    int64_t last = 0;
    for (size_t i = m->events.len; i > 0 && last == 0; i--) {
        const struct event_row *row = &m->events.items[i - 1];
        last = sv_eq(row->run_id, run_id) ? row->events.sequence : 0;
    }
    struct event_row row = {.instance_id = arena_copy_sv(&m->arena, instance_id),
                            .run_id = arena_copy_sv(&m->arena, run_id),
                            .events = {.sequence = last + 1, .body = arena_copy_sv(&m->arena, body)}};
    VEC_PUSH(&m->arena, &m->events, row);
    return STORE_OK;
}

enum store_result memory_list_events(struct store *s, struct arena *a, const struct store_events_request *request,
                                     struct store_events **items, size_t *count) {
    struct memory_store *m = memory_of(s);
    VEC(struct store_events) found = {0};
    for (size_t i = 0; i < m->events.len && found.len < request->limit; i++) {
        const struct event_row *row = &m->events.items[i];
        if (sv_eq(row->run_id, request->run_id) && row->events.sequence > request->after) {
            struct store_events copy = {row->events.sequence, arena_copy_sv(a, row->events.body)};
            VEC_PUSH(a, &found, copy);
        }
    }
    *items = found.items;
    *count = found.len;
    return STORE_OK;
}

void memory_await_news(struct store *s, int64_t timeout_ms) {
    s->host->ops->sleep_ms(s->host->user, timeout_ms < POLL_MS ? timeout_ms : POLL_MS);
}
