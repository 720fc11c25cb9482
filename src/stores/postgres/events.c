/* Stored events of runs, and announcements (LC-044, LC-060). */
#include "stores/postgres/internal.h"

#include <assert.h>

enum {
    ANNOUNCE_MS = 250, /* events of a run are announced no more often: announcing makes commits wait for each other */
    POLL_MS = 500,     /* where nothing is announced */
    LISTEN_WAIT_MS = 1000 /* an announcement may be lost with its connection */
};

static sv get_channel(struct postgres_store *s, struct arena *a) {
    return arena_printf(a, "lintel_%.*s", SV_ARG(sv_slice(s->schema, 0, 55))); /* a name has 63 bytes at most */
}

enum store_result announce(struct postgres_store *s, sv what) {
    struct query q = {.statement = STMT_NOTIFY};
    query_add_text(&q, get_channel(s, &s->tx.arena));
    query_add_text(&q, what);
    return write_row(s, &q, NULL);
}

enum store_result postgres_append_events(struct store *store, sv instance_id, sv run_id, sv body) {
    struct postgres_store *s = postgres_of(store);
    assert(s->in_transaction);
    struct query q = {.statement = STMT_ADD_EVENTS};
    query_add_text(&q, text_encode(&s->tx.arena, instance_id));
    query_add_text(&q, text_encode(&s->tx.arena, run_id));
    query_add_text(&q, text_encode(&s->tx.arena, body));
    enum store_result result = write_row(s, &q, NULL);
    int64_t now = get_host_now(s);
    if (result != STORE_OK || (s->announced_ms != 0 && now - s->announced_ms < ANNOUNCE_MS)) {
        return result;
    }
    s->announced_ms = now;
    return announce(s, SV("events"));
}

enum store_result postgres_list_events(struct store *store, struct arena *a, const struct store_events_request *request,
                                       struct store_events **items, size_t *count) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_LIST_EVENTS};
    size_t first = 0;
    query_add_text(&q, text_encode(a, request->run_id));
    query_add_i64(&q, request->after);
    query_add_i64(&q, request->limit > INT32_MAX ? INT32_MAX : (int64_t)request->limit);
    *items = NULL;
    *count = 0;
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result != STORE_OK) {
        return result;
    }
    *count = pg_get_row_count(s->db, first);
    *items = ARENA_ARRAY(a, struct store_events, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        (*items)[i].sequence = pg_get_i64(s->db, first, i, 0);
        (*items)[i].body = text_decode(a, pg_get_bytes(s->db, first, i, 1));
    }
    return STORE_OK;
}

/* What changed before anybody listened is found by looking once more: the first call ends at once. */
static bool start_listening(struct postgres_store *s) {
    struct arena scratch = {0};
    s->is_listening = pg_listen(s->db, get_channel(s, &scratch)) == PG_OK;
    arena_fini(&scratch);
    return s->is_listening;
}

void postgres_await_news(struct store *store, int64_t timeout_ms) {
    struct postgres_store *s = postgres_of(store);
    struct host *host = store->host;
    bool can_listen = s->db != NULL && !pg_is_lost(s->db) && !s->is_pooled && !s->in_transaction;
    if (can_listen && s->is_listening) {
        pg_await_notice(s->db, timeout_ms < LISTEN_WAIT_MS ? timeout_ms : LISTEN_WAIT_MS);
    } else if (!can_listen || !start_listening(s)) {
        host->ops->sleep_ms(host->user, timeout_ms < POLL_MS ? timeout_ms : POLL_MS);
    }
}
