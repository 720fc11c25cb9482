/* Leases (LC-030 to LC-033). */
#include "model/lease.h"

#include "stores/sqlite/internal.h"

enum store_result load_lease(struct sqlite_store *s, struct arena *a, sv instance_id, struct store_lease *lease,
                             sv *boot_id) {
    *lease = (struct store_lease){.instance_id = arena_copy_sv(a, instance_id)};
    *boot_id = (sv){0};
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LOAD_LEASE, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, instance_id);
    enum sql_result r = sql_step(stmt);
    if (r != SQL_ROW) {
        return r == SQL_DONE ? STORE_OK : report_sql(s, r, "cannot be read");
    }
    struct row_reader row = row_read(s, stmt, a, 'l', instance_id);
    lease->token = (uint64_t)row_get_i64(&row);
    lease->holder = row_get_text(&row);
    lease->expires_ms = row_get_i64(&row);
    *boot_id = row_get_text(&row);
    bool ok = row_check_digest(&row);
    sql_reset(stmt);
    return ok ? STORE_OK : report_damage(s, "holds a lease that was edited or damaged");
}

static enum store_result put_lease(struct sqlite_store *s, const struct store_lease *lease, sv boot_id) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_PUT_LEASE, &result);
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'l', lease->instance_id);
    row_put_owner(&row, lease->instance_id);
    row_put_i64(&row, (int64_t)lease->token);
    row_put_text(&row, lease->holder);
    row_put_i64(&row, lease->expires_ms);
    row_put_text(&row, boot_id);
    enum sql_result r = row_run(&row);
    return r == SQL_OK ? STORE_OK : report_sql(s, r, "cannot be written");
}

static enum store_result end(struct store *store, enum store_result result) {
    if (result == STORE_OK) {
        return store->ops->commit(store);
    }
    store->ops->rollback(store);
    return result;
}

static sv get_boot_id(struct store *store, struct arena *a) {
    return store->host->ops->get_boot_id(store->host->user, a);
}

static int64_t get_now(struct store *store) {
    return store->host->ops->get_monotonic_ms(store->host->user);
}

enum store_result take_lease_inside(struct sqlite_store *s, struct arena *a, const struct store_lease_request *request,
                                    struct store_lease *lease) {
    struct store *store = &s->store;
    sv boot_id;
    enum store_result result = load_lease(s, a, request->instance_id, lease, &boot_id);
    if (result != STORE_OK) {
        return result;
    }
    if (!request->steal && lease_is_live(store->host, lease, boot_id)) {
        return STORE_CONFLICT;
    }
    lease->token++;
    lease->holder = arena_copy_sv(a, request->holder);
    lease->expires_ms = get_now(store) + request->ttl_ms;
    return put_lease(s, lease, get_boot_id(store, a));
}

enum store_result sqlite_take_lease(struct store *store, struct arena *a, const struct store_lease_request *request,
                                    struct store_lease *lease) {
    enum store_result result = sqlite_begin(store, NULL);
    return result == STORE_OK ? end(store, take_lease_inside(sqlite_of(store), a, request, lease)) : result;
}

enum store_result sqlite_renew_lease(struct store *store, struct store_lease *lease, int64_t ttl_ms) {
    enum store_result result = sqlite_begin(store, lease);
    if (result != STORE_OK) {
        return result;
    }
    struct arena scratch = {0};
    struct store_lease now;
    sv boot_id;
    result = load_lease(sqlite_of(store), &scratch, lease->instance_id, &now, &boot_id);
    if (result == STORE_OK) {
        now.expires_ms = get_now(store) + ttl_ms;
        result = put_lease(sqlite_of(store), &now, boot_id);
    }
    arena_fini(&scratch);
    result = end(store, result);
    if (result == STORE_OK) {
        lease->expires_ms = now.expires_ms;
    }
    return result;
}

enum store_result sqlite_release_lease(struct store *store, const struct store_lease *lease) {
    enum store_result result = sqlite_begin(store, NULL);
    if (result != STORE_OK) {
        return result;
    }
    struct arena scratch = {0};
    struct store_lease now;
    sv boot_id;
    result = load_lease(sqlite_of(store), &scratch, lease->instance_id, &now, &boot_id);
    if (result == STORE_OK && (now.token != lease->token || now.holder.len == 0)) {
        result = STORE_LOST_LEASE;
    }
    if (result == STORE_OK) {
        now.holder = (sv){0};
        now.expires_ms = 0;
        result = put_lease(sqlite_of(store), &now, boot_id);
    }
    arena_fini(&scratch);
    return end(store, result);
}
