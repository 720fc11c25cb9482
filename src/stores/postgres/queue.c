/* The queue of runs (LC-045). Plans have a table of their own, so that looking at the queue reads none. */
#include "model/lease.h"
#include "stores/postgres/internal.h"

#include <assert.h>

static sv get_text(struct postgres_store *s, struct arena *a, size_t answer, size_t row, int column) {
    return text_decode(a, pg_get_bytes(s->db, answer, row, column));
}

enum { RUN_COLUMN_COUNT = 15 };

static void read_run(struct postgres_store *s, struct arena *a, size_t answer, size_t row, struct store_run *run) {
    *run = (struct store_run){
        .number = pg_get_i64(s->db, answer, row, 0),
        .id = get_text(s, a, answer, row, 1),
        .status = (enum store_run_status)pg_get_i64(s->db, answer, row, 2),
        .instance_id = get_text(s, a, answer, row, 3),
        .instance_name = get_text(s, a, answer, row, 4),
        .context = get_text(s, a, answer, row, 5),
        .kind = get_text(s, a, answer, row, 6),
        .actor = get_text(s, a, answer, row, 7),
        .created_ms = pg_get_i64(s->db, answer, row, 8),
        .taken_ms = pg_get_i64(s->db, answer, row, 9),
        .ended_ms = pg_get_i64(s->db, answer, row, 10),
        .takes = pg_get_i64(s->db, answer, row, 11),
        .exit_code = pg_get_i64(s->db, answer, row, 12),
        .outcome = get_text(s, a, answer, row, 13),
        .body = get_text(s, a, answer, row, 14),
    };
}

/* --- Writing --- */

static void add_text(struct postgres_store *s, struct query *q, sv text) {
    query_add_text(q, text_encode(&s->tx.arena, text));
}

enum store_result postgres_add_run(struct store *store, const struct store_run *run) {
    struct postgres_store *s = postgres_of(store);
    assert(s->in_transaction);
    struct query q = {.statement = STMT_ADD_RUN}, plan = {.statement = STMT_ADD_PLAN};
    add_text(s, &q, run->id);
    add_text(s, &q, run->instance_id);
    add_text(s, &q, run->instance_name);
    add_text(s, &q, run->context);
    add_text(s, &q, run->kind);
    add_text(s, &q, run->actor);
    query_add_i64(&q, run->created_ms);
    add_text(s, &q, run->body);
    int64_t changes = 0;
    enum store_result result = write_row(s, &q, &changes);
    if (result != STORE_OK || changes == 0) {
        return result == STORE_OK ? STORE_CONFLICT : result;
    }
    add_text(s, &plan, run->id);
    add_text(s, &plan, run->plan);
    result = write_row(s, &plan, NULL);
    return result == STORE_OK ? announce(s, SV("queue")) : result;
}

/* Why a change found no row to change. */
static enum store_result find_reason(struct postgres_store *s, sv id) {
    struct query q = {.statement = STMT_FIND_RUN};
    size_t first = 0;
    query_add_text(&q, id);
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result != STORE_OK) {
        return result;
    }
    return pg_get_row_count(s->db, first) == 0 ? STORE_NOT_FOUND : STORE_CONFLICT;
}

enum store_result postgres_change_run(struct store *store, const struct store_run_change *to) {
    struct postgres_store *s = postgres_of(store);
    assert(s->in_transaction);
    struct query q = {.statement = STMT_CHANGE_RUN}, drop = {.statement = STMT_DROP_PLAN};
    bool is_over = to->to == STORE_RUN_ENDED || to->to == STORE_RUN_CANCELLED;
    sv id = text_encode(&s->tx.arena, to->id);
    query_add_text(&q, id);
    query_add_i64(&q, (int64_t)to->from);
    query_add_i64(&q, (int64_t)to->to);
    query_add_i64(&q, is_over ? to->wall_ms : 0);
    query_add_i64(&q, is_over ? to->exit_code : 0);
    add_text(s, &q, is_over ? to->outcome : (sv){0});
    int64_t changes = 0;
    enum store_result result = write_row(s, &q, &changes);
    if (result == STORE_OK && changes == 0) {
        return find_reason(s, id);
    }
    query_add_text(&drop, id);
    result = result == STORE_OK && is_over ? write_row(s, &drop, NULL) : result;
    return result == STORE_OK ? announce(s, SV("queue")) : result;
}

enum store_result prune_queue(struct postgres_store *s, sv id, size_t keep) {
    struct query runs = {.statement = STMT_PRUNE_RUNS}, events = {.statement = STMT_PRUNE_EVENTS};
    query_add_text(&runs, id);
    query_add_i64(&runs, (int64_t)keep);
    query_add_text(&events, id);
    enum store_result result = write_row(s, &runs, NULL);
    return result == STORE_OK ? write_row(s, &events, NULL) : result;
}

/* --- Taking --- */

struct candidates {
    struct store_run *runs; /* whose instances nobody held a moment ago */
    size_t count;
};

static bool is_held(struct postgres_store *s, struct arena *a, size_t answer, size_t row) {
    struct store_lease lease = {
        .token = (uint64_t)pg_get_i64(s->db, answer, row, RUN_COLUMN_COUNT),
        .holder = get_text(s, a, answer, row, RUN_COLUMN_COUNT + 1),
        .expires_ms = get_host_now(s) + pg_get_i64(s->db, answer, row, RUN_COLUMN_COUNT + 2),
        .has_own_clock = true,
    };
    return lease_is_live(s->store.host, &lease, (sv){0});
}

static enum store_result list_candidates(struct postgres_store *s, struct arena *a, sv context,
                                         struct candidates *found) {
    struct query q = {.statement = STMT_NEXT_RUNS};
    size_t first = 0;
    query_add_text(&q, text_encode(a, context));
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result != STORE_OK) {
        return result;
    }
    size_t count = pg_get_row_count(s->db, first);
    *found = (struct candidates){.runs = ARENA_ARRAY(a, struct store_run, count + 1)};
    for (size_t i = 0; i < count; i++) {
        if (!is_held(s, a, first, i)) {
            read_run(s, a, first, i, &found->runs[found->count++]);
        }
    }
    return STORE_OK;
}

/* CONFLICT: another is about to take or end it. */
static enum store_result lock_run(struct postgres_store *s, struct arena *a, sv id) {
    struct query q = {.statement = STMT_LOCK_RUN};
    size_t first = 0;
    query_add_text(&q, text_encode(a, id));
    enum store_result result = ask_server(s, &q, 1, &first);
    return result == STORE_OK && pg_get_row_count(s->db, first) == 0 ? STORE_CONFLICT : result;
}

/* How often it was taken is what was seen, also when the transaction has to be repeated. */
static enum store_result mark_taken(struct postgres_store *s, struct store_run *run) {
    struct query q = {.statement = STMT_TAKE_RUN};
    int64_t changes = 0;
    run->status = STORE_RUN_RUNNING;
    run->taken_ms = s->store.host->ops->get_wall_ms(s->store.host->user);
    add_text(s, &q, run->id);
    query_add_i64(&q, run->takes++);
    query_add_i64(&q, run->taken_ms);
    enum store_result result = write_row(s, &q, &changes);
    return result == STORE_OK && changes == 0 ? STORE_CONFLICT : result;
}

static enum store_result load_plan(struct postgres_store *s, struct arena *a, struct store_run *run) {
    struct query q = {.statement = STMT_LOAD_PLAN};
    size_t first = 0;
    query_add_text(&q, text_encode(a, run->id));
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result != STORE_OK) {
        return result;
    }
    if (pg_get_row_count(s->db, first) == 0) {
        return report_state(s, STORE_CORRUPT, DIAG_state_corrupt, "has lost the plan of a queued run",
                            "cancel the run and queue it anew");
    }
    run->plan = get_text(s, a, first, 0, 0);
    return STORE_OK;
}

/* Inside a transaction. CONFLICT: another was faster. */
static enum store_result take_one(struct postgres_store *s, struct arena *a, const struct store_lease_request *request,
                                  struct store_run *run, struct store_lease *lease) {
    struct store_lease_request with_id = *request;
    with_id.instance_id = run->instance_id;
    with_id.steal = false;
    bool held = false;
    enum store_result result = lock_run(s, a, run->id);
    result = result == STORE_OK ? take_lease_locked(s, a, &with_id, lease, &held) : result;
    result = result == STORE_OK ? mark_taken(s, run) : result;
    return result == STORE_OK ? load_plan(s, a, run) : result;
}

/* Each candidate in a transaction of its own, so that no lock is kept on what was not taken. */
static enum store_result try_one(struct store *store, struct arena *a, const struct store_lease_request *request,
                                 struct store_run *run, struct store_lease *lease) {
    struct postgres_store *s = postgres_of(store);
    enum store_result result = postgres_begin(store, NULL);
    if (result != STORE_OK) {
        return result;
    }
    result = take_one(s, a, request, run, lease);
    if (result == STORE_OK) {
        result = postgres_commit(store);
    } else {
        postgres_rollback(store);
    }
    if (result == STORE_OK) {
        s->lease_until_ms = lease->expires_ms;
    }
    return result;
}

enum store_result postgres_take_run(struct store *store, struct arena *a, sv context,
                                    const struct store_lease_request *request, struct store_run *run,
                                    struct store_lease *lease) {
    struct postgres_store *s = postgres_of(store);
    if (s->read_only) {
        return STORE_NOT_FOUND;
    }
    struct candidates found = {0};
    enum store_result result = list_candidates(s, a, context, &found);
    for (size_t i = 0; result == STORE_OK && i < found.count; i++) {
        *run = found.runs[i];
        result = try_one(store, a, request, run, lease);
        if (result != STORE_CONFLICT) {
            return result;
        }
        result = STORE_OK; /* somebody else is at it */
    }
    return result == STORE_OK ? STORE_NOT_FOUND : result;
}

/* --- Reading --- */

enum store_result postgres_list_runs(struct store *store, struct arena *a, sv context, bool is_open,
                                     struct store_run **items, size_t *count) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_LIST_RUNS};
    size_t first = 0;
    query_add_text(&q, text_encode(a, context));
    query_add_i64(&q, is_open);
    *items = NULL;
    *count = 0;
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result == STORE_OK) {
        *count = pg_get_row_count(s->db, first);
        *items = ARENA_ARRAY(a, struct store_run, *count + 1);
    }
    for (size_t i = 0; i < *count; i++) {
        read_run(s, a, first, i, &(*items)[i]);
    }
    return result;
}

enum store_result postgres_find_run(struct store *store, struct arena *a, sv id, struct store_run *run) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_FIND_RUN};
    size_t first = 0;
    query_add_text(&q, text_encode(a, id));
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result != STORE_OK || pg_get_row_count(s->db, first) == 0) {
        return result == STORE_OK ? STORE_NOT_FOUND : result;
    }
    read_run(s, a, first, 0, run);
    return STORE_OK;
}
