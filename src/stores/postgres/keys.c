/* The data keys of name spaces (LC-050), and what changing them needs (LC-052). */
#include "model/lease.h"
#include "stores/postgres/internal.h"

#include <assert.h>

/* --- Data keys --- */

enum store_result postgres_find_data_key(struct store *store, struct arena *a, sv context, sv *wrapped) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_FIND_DATA_KEY};
    size_t first = 0;
    *wrapped = (sv){0};
    if (s->format < FORMAT_OF_KEYS) {
        return STORE_NOT_FOUND; /* open for reading only: the table is not there yet */
    }
    query_add_text(&q, text_encode(a, context));
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result != STORE_OK) {
        return result;
    }
    if (pg_get_row_count(s->db, first) == 0) {
        return STORE_NOT_FOUND;
    }
    *wrapped = text_decode(a, pg_get_bytes(s->db, first, 0, 0));
    return STORE_OK;
}

enum store_result postgres_put_data_key(struct store *store, sv context, sv expected, sv wrapped) {
    struct postgres_store *s = postgres_of(store);
    assert(s->in_transaction);
    bool is_new = expected.len == 0;
    struct query q = {.statement = is_new ? STMT_ADD_DATA_KEY : STMT_SET_DATA_KEY};
    int64_t changes = 0;
    query_add_text(&q, text_encode(&s->tx.arena, context));
    query_add_text(&q, text_encode(&s->tx.arena, wrapped));
    if (!is_new) {
        query_add_text(&q, text_encode(&s->tx.arena, expected));
    }
    enum store_result result = write_row(s, &q, &changes);
    return result == STORE_OK && changes == 0 ? STORE_CONFLICT : result;
}

/* --- Alone --- */

static enum store_result find_live_lease(struct postgres_store *s, struct arena *a, size_t answer,
                                         struct store_lease *lease) {
    for (size_t row = 0; row < pg_get_row_count(s->db, answer); row++) {
        *lease = (struct store_lease){
            .instance_id = text_decode(a, pg_get_bytes(s->db, answer, row, 0)),
            .token = (uint64_t)pg_get_i64(s->db, answer, row, 1),
            .holder = text_decode(a, pg_get_bytes(s->db, answer, row, 2)),
            .expires_ms = get_host_now(s) + pg_get_i64(s->db, answer, row, 3),
            .has_own_clock = true,
        };
        if (lease_is_live(s->store.host, lease, (sv){0})) {
            return STORE_CONFLICT;
        }
    }
    *lease = (struct store_lease){0};
    return STORE_OK;
}

/* The lock on the whole table keeps everybody else from taking, renewing and checking a lease until the end. */
enum store_result postgres_begin_alone(struct store *store, struct arena *a, struct store_lease *lease) {
    struct postgres_store *s = postgres_of(store);
    *lease = (struct store_lease){0};
    enum store_result result = postgres_begin(store, NULL);
    if (result != STORE_OK) {
        return result;
    }
    struct query queries[2] = {{.statement = STMT_LOCK_LEASES}, {.statement = STMT_LIST_LEASES}};
    size_t first = 0;
    s->tx.is_alone = true;
    result = ask_server(s, queries, 2, &first);
    result = result == STORE_OK ? find_live_lease(s, a, first + 1, lease) : result;
    if (result != STORE_OK) {
        postgres_rollback(store);
    }
    return result;
}

/* --- Rows in place --- */

enum store_result postgres_list_owners(struct store *store, struct arena *a, sv **ids, size_t *count) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_LIST_OWNERS};
    size_t first = 0;
    *ids = NULL;
    *count = 0;
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result == STORE_OK) {
        *count = pg_get_row_count(s->db, first);
        *ids = ARENA_ARRAY(a, sv, *count + 1);
    }
    for (size_t i = 0; i < *count; i++) {
        (*ids)[i] = text_decode(a, pg_get_bytes(s->db, first, i, 0));
    }
    return result;
}

static void add_text(struct postgres_store *s, struct query *q, sv text) {
    query_add_text(q, text_encode(&s->tx.arena, text));
}

static enum store_result rewrite(struct postgres_store *s, const struct query *q) {
    int64_t changes = 0;
    enum store_result result = write_row(s, q, &changes);
    return result == STORE_OK && changes == 0 ? STORE_NOT_FOUND : result;
}

enum store_result postgres_rewrite_journal(struct store *store, sv instance_id, const struct journal_row *row) {
    struct postgres_store *s = postgres_of(store);
    assert(s->in_transaction);
    struct query q = {.statement = STMT_REWRITE_JOURNAL};
    add_text(s, &q, instance_id);
    query_add_i64(&q, row->sequence);
    query_add_i64(&q, (int64_t)row->kind);
    add_text(s, &q, row->run_id);
    query_add_i64(&q, (int64_t)row->token);
    query_add_i64(&q, row->wall_ms);
    add_text(s, &q, row->operation);
    add_text(s, &q, row->address);
    add_text(s, &q, row->action);
    add_text(s, &q, row->body);
    query_add_bytes(&q, arena_copy_sv(&s->tx.arena, sv_make((const char *)row->mac, sizeof row->mac)).data,
                    sizeof row->mac);
    return rewrite(s, &q);
}

enum store_result postgres_rewrite_history(struct store *store, sv instance_id, const struct store_history *h) {
    struct postgres_store *s = postgres_of(store);
    assert(s->in_transaction);
    struct query q = {.statement = STMT_REWRITE_HISTORY};
    add_text(s, &q, instance_id);
    query_add_i64(&q, h->number);
    add_text(s, &q, h->run_id);
    add_text(s, &q, h->kind);
    add_text(s, &q, h->actor);
    add_text(s, &q, h->outcome);
    query_add_i64(&q, h->started_ms);
    query_add_i64(&q, h->ended_ms);
    add_text(s, &q, h->body);
    return rewrite(s, &q);
}
