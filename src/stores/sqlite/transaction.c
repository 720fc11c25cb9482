/* Transactions and checkpoints: invariants (1) to (3) and (6) of internal.h. */
#include "stores/sqlite/internal.h"

#include "model/lease.h"

#include <assert.h>

enum {
    CHECKPOINT_FROM = 4096,  /* pages of log from which a commit tries to move them into the database */
    CHECKPOINT_MUST = 16384, /* from which it waits for others */
    CHECKPOINT_WAIT_MS = 2000,
    CLOSE_WAIT_MS = 500,
};

static void end_transaction(struct sqlite_store *s) {
    s->in_transaction = false;
    side_unlock(&s->side);
    forget_number(s);
}

/* LC-031: token and expiry, inside the transaction. */
static enum store_result check_lease(struct sqlite_store *s, const struct store_lease *lease) {
    struct arena scratch = {0};
    struct host *host = s->store.host;
    struct store_lease now;
    sv boot_id;
    enum store_result result = load_lease(s, &scratch, lease->instance_id, &now, &boot_id);
    bool holds = now.token == lease->token && now.token > 0 && now.holder.len > 0 &&
                 now.expires_ms > host->ops->get_monotonic_ms(host->user) &&
                 sv_eq(boot_id, host->ops->get_boot_id(host->user, &scratch));
    arena_fini(&scratch);
    return result == STORE_OK && !holds ? STORE_LOST_LEASE : result;
}

static enum store_result begin_locked(struct sqlite_store *s, const struct store_lease *lease) {
    enum store_result result = connect_db(s);
    if (result != STORE_OK) {
        return result;
    }
    enum sql_result r = sql_begin(s->db);
    if (r != SQL_OK) {
        return report_sql(s, r, "cannot be written");
    }
    return lease == NULL ? STORE_OK : check_lease(s, lease);
}

enum store_result sqlite_begin(struct store *store, const struct store_lease *lease) {
    struct sqlite_store *s = sqlite_of(store);
    assert(!s->in_transaction);
    if (s->is_damaged) {
        return report_damage(s, "is damaged and is not written to");
    }
    if (s->read_only) {
        return report(s, STORE_READ_ONLY, DIAG_state_not_available, "is open for reading only",
                      "this command does not write");
    }
    if (!side_lock(&s->side, store->host, false, s->busy_timeout_ms)) {
        return report(s, STORE_BUSY, DIAG_state_busy, "is locked by another program", "try again when that has ended");
    }
    s->in_transaction = true;
    enum store_result result = begin_locked(s, lease);
    if (result != STORE_OK) {
        sqlite_rollback(store);
    }
    return result;
}

static enum sql_result raise_serial(struct sqlite_store *s) {
    enum store_result unused;
    struct sql_stmt *stmt = get_statement(s, STMT_SET_SERIAL, &unused);
    if (stmt == NULL) {
        return SQL_ERROR;
    }
    enum sql_result r = sql_step(stmt);
    if (r == SQL_ROW) {
        s->serial = sql_get_i64(stmt, 0);
        sql_reset(stmt);
    }
    return r == SQL_ROW ? SQL_OK : r;
}

enum store_result sqlite_commit(struct store *store) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    if (s->db == NULL) {
        end_transaction(s);
        return STORE_FAILED; /* reported when the connection broke */
    }
    int64_t serial = s->serial;
    enum sql_result r = raise_serial(s);
    if (r == SQL_OK) {
        r = sql_commit(s->db);
    }
    if (r != SQL_OK) {
        s->serial = serial; /* (6): what is noted when the file is closed is never ahead of it */
        enum store_result result =
            s->db == NULL ? STORE_FAILED : report_sql(s, r, "could not be saved, nothing of the last step counts");
        drop_db(s);
        end_transaction(s);
        return result;
    }
    side_write(&s->side, (struct side_note){.serial = s->serial});
    end_transaction(s);
    checkpoint(s, false);
    return STORE_OK;
}

void sqlite_rollback(struct store *store) {
    struct sqlite_store *s = sqlite_of(store);
    if (s->db != NULL) {
        sql_rollback(s->db);
    }
    end_transaction(s);
}

/* A log that was moved completely starts again from its beginning with the next commit, so the pages are counted, not
 * the bytes of the file. */
static bool is_due(struct sqlite_store *s, bool at_close, int64_t *wait_ms) {
    int64_t size = 0, mtime_ns = 0;
    size_t pages = sql_get_log_pages(s->db);
    *wait_ms = pages >= CHECKPOINT_MUST ? CHECKPOINT_WAIT_MS : 0;
    if (!at_close) {
        return pages >= CHECKPOINT_FROM;
    }
    *wait_ms = CLOSE_WAIT_MS;
    return files_get_stamp(s->wal_path, &size, &mtime_ns) && size > 0;
}

void checkpoint(struct sqlite_store *s, bool at_close) {
    int64_t wait_ms = 0;
    if (!is_due(s, at_close, &wait_ms) || !side_lock(&s->side, s->store.host, true, wait_ms)) {
        return;
    }
    sql_set_deadline(s->db, 1); /* has passed: wait for nobody */
    enum sql_result r = sql_checkpoint(s->db, at_close);
    sql_set_deadline(s->db, 0);
    side_unlock(&s->side);
    if (r != SQL_OK && r != SQL_BUSY) {
        drop_db(s); /* the commit is safe in the log; the next call reads anew */
    }
}
