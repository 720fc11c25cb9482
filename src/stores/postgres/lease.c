/* Leases (LC-030 to LC-033), by the clock of the database. What callers see of times is on their host's clock. */
#include "model/lease.h"

#include "stores/postgres/internal.h"

enum { TAKE_ATTEMPTS = 20 };

void read_lease(struct postgres_store *s, struct arena *a, size_t answer, sv instance_id, struct store_lease *lease) {
    *lease = (struct store_lease){.instance_id = arena_copy_sv(a, instance_id), .has_own_clock = true};
    if (pg_get_row_count(s->db, answer) == 0) {
        return;
    }
    lease->token = (uint64_t)pg_get_i64(s->db, answer, 0, 0);
    lease->holder = text_decode(a, pg_get_bytes(s->db, answer, 0, 1));
    if (lease->holder.len > 0) {
        lease->expires_ms = get_host_now(s) + pg_get_i64(s->db, answer, 0, 2);
    }
}

static enum store_result end(struct store *store, enum store_result result) {
    if (result == STORE_OK) {
        return store->ops->commit(store);
    }
    store->ops->rollback(store);
    return result;
}

/* The row, made when missing, is locked from here on. */
static enum store_result lock_lease(struct postgres_store *s, struct arena *a, sv instance_id,
                                    struct store_lease *lease) {
    struct query add = {.statement = STMT_ADD_LEASE}, lock = {.statement = STMT_LOCK_LEASE};
    sv id = text_encode(a, instance_id);
    query_add_text(&add, id);
    query_add_text(&lock, id);
    size_t first = 0;
    enum store_result result = write_row(s, &add, NULL);
    result = result == STORE_OK ? ask_server(s, &lock, 1, &first) : result;
    if (result == STORE_OK) {
        read_lease(s, a, first, instance_id, lease);
    }
    return result;
}

/* Only the token that was seen is replaced: should the transaction have to be repeated, and another have come first,
 * this fails. */
static enum store_result put_lease(struct postgres_store *s, struct arena *a, const struct store_lease_request *request,
                                   struct store_lease *lease) {
    struct query q = {.statement = STMT_TAKE_LEASE};
    int64_t changes = 0;
    query_add_text(&q, text_encode(a, request->instance_id));
    query_add_i64(&q, (int64_t)lease->token);
    query_add_text(&q, text_encode(a, request->holder));
    query_add_i64(&q, request->ttl_ms);
    lease->token++;
    lease->holder = arena_copy_sv(a, request->holder);
    enum store_result result = write_row(s, &q, &changes);
    return result == STORE_OK && changes == 0 ? STORE_CONFLICT : result;
}

enum store_result take_lease_locked(struct postgres_store *s, struct arena *a,
                                    const struct store_lease_request *request, struct store_lease *lease,
                                    bool *is_held) {
    *is_held = false;
    int64_t asked_ms = get_host_now(s);
    enum store_result result = lock_lease(s, a, request->instance_id, lease);
    if (result == STORE_OK && !request->steal && lease_is_live(s->store.host, lease, (sv){0})) {
        *is_held = true;
        return STORE_CONFLICT;
    }
    if (result == STORE_OK) {
        lease->expires_ms = asked_ms + request->ttl_ms;
        result = put_lease(s, a, request, lease);
    }
    return result;
}

static enum store_result take_once(struct store *store, struct arena *a, const struct store_lease_request *request,
                                   struct store_lease *lease, bool *is_held) {
    struct postgres_store *s = postgres_of(store);
    enum store_result result = postgres_begin(store, NULL);
    if (result != STORE_OK) {
        return result;
    }
    result = end(store, take_lease_locked(s, a, request, lease, is_held));
    s->lease_until_ms = result == STORE_OK ? lease->expires_ms : s->lease_until_ms;
    return result;
}

enum store_result postgres_take_lease(struct store *store, struct arena *a, const struct store_lease_request *request,
                                      struct store_lease *lease) {
    bool is_held = false;
    enum store_result result = STORE_CONFLICT;
    for (int i = 0; i < TAKE_ATTEMPTS && result == STORE_CONFLICT && !is_held; i++) {
        result = take_once(store, a, request, lease, &is_held);
    }
    return result;
}

enum store_result postgres_renew_lease(struct store *store, struct store_lease *lease, int64_t ttl_ms) {
    struct postgres_store *s = postgres_of(store);
    int64_t asked_ms = get_host_now(s), changes = 0;
    enum store_result result = postgres_begin(store, lease);
    if (result != STORE_OK) {
        return result;
    }
    struct query q = {.statement = STMT_RENEW_LEASE};
    query_add_text(&q, s->tx.lease.instance_id);
    query_add_i64(&q, (int64_t)lease->token);
    query_add_i64(&q, ttl_ms);
    result = write_row(s, &q, &changes);
    result = end(store, result == STORE_OK && changes == 0 ? STORE_LOST_LEASE : result);
    if (result == STORE_OK) {
        lease->expires_ms = s->lease_until_ms = asked_ms + ttl_ms;
    }
    return result;
}

enum store_result postgres_release_lease(struct store *store, const struct store_lease *lease) {
    struct postgres_store *s = postgres_of(store);
    enum store_result result = postgres_begin(store, NULL);
    if (result != STORE_OK) {
        return result;
    }
    struct query q = {.statement = STMT_RELEASE_LEASE};
    int64_t changes = 0;
    query_add_text(&q, text_encode(&s->tx.arena, lease->instance_id));
    query_add_i64(&q, (int64_t)lease->token);
    result = write_row(s, &q, &changes);
    result = end(store, result == STORE_OK && changes == 0 ? STORE_LOST_LEASE : result);
    s->lease_until_ms = 0;
    return result;
}
