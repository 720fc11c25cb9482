/* The data keys of name spaces (LC-050), and what changing them needs (LC-052). */
#include "base/vec.h"
#include "model/lease.h"
#include "stores/sqlite/internal.h"

#include <assert.h>

/* --- Data keys --- */

static enum store_result find_row(struct sqlite_store *s, struct arena *a, sv context, sv *wrapped) {
    enum store_result result;
    *wrapped = (sv){0};
    if (s->format < FORMAT_OF_KEYS) {
        return STORE_NOT_FOUND; /* open for reading only: the table is not there yet */
    }
    struct sql_stmt *stmt = get_statement(s, STMT_FIND_DATA_KEY, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, context);
    enum sql_result r = sql_step(stmt);
    if (r != SQL_ROW) {
        return r == SQL_DONE ? STORE_NOT_FOUND : report_sql(s, r, "cannot be read");
    }
    struct row_reader row = row_read(s, stmt, a, 'k', context);
    *wrapped = row_get_text(&row);
    bool ok = row_check_digest(&row);
    sql_reset(stmt);
    return ok ? STORE_OK : report_damage(s, "holds a data key that was edited or damaged");
}

enum store_result sqlite_find_data_key(struct store *store, struct arena *a, sv context, sv *wrapped) {
    return find_row(sqlite_of(store), a, context, wrapped);
}

enum store_result sqlite_put_data_key(struct store *store, sv context, sv expected, sv wrapped) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    struct arena scratch = {0};
    sv there;
    enum store_result result = find_row(s, &scratch, context, &there);
    result = result == STORE_NOT_FOUND ? STORE_OK : result;
    bool fits = sv_eq(there, expected);
    arena_fini(&scratch);
    if (result != STORE_OK || !fits) {
        return result == STORE_OK ? STORE_CONFLICT : result;
    }
    struct sql_stmt *stmt = get_statement(s, STMT_PUT_DATA_KEY, &result);
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'k', context);
    row_put_owner(&row, context);
    row_put_text(&row, wrapped);
    return finish_write(s, row_run(&row));
}

/* --- Alone --- */

/* The first live lease there is; token 0 when there is none. */
static enum store_result find_live_lease(struct sqlite_store *s, struct arena *a, struct store_lease *lease) {
    VEC(sv) ids = {0};
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LIST_LEASES, &result);
    enum sql_result r = stmt == NULL ? SQL_DONE : sql_step(stmt);
    for (; r == SQL_ROW; r = sql_step(stmt)) {
        VEC_PUSH(a, &ids, arena_copy_sv(a, sql_get_text(stmt, 0)));
    }
    if (r != SQL_DONE) {
        result = report_sql(s, r, "cannot be read");
    }
    for (size_t i = 0; result == STORE_OK && i < ids.len; i++) {
        sv boot_id;
        result = load_lease(s, a, ids.items[i], lease, &boot_id);
        if (result == STORE_OK && lease_is_live(s->store.host, lease, boot_id)) {
            return STORE_OK;
        }
    }
    *lease = (struct store_lease){0};
    return result;
}

/* The write lock of the database keeps everybody else from taking a lease until the end. */
enum store_result sqlite_begin_alone(struct store *store, struct arena *a, struct store_lease *lease) {
    *lease = (struct store_lease){0};
    enum store_result result = sqlite_begin(store, NULL);
    if (result != STORE_OK) {
        return result;
    }
    result = find_live_lease(sqlite_of(store), a, lease);
    result = result == STORE_OK && lease->token > 0 ? STORE_CONFLICT : result;
    if (result != STORE_OK) {
        sqlite_rollback(store);
    }
    return result;
}

/* --- Rows in place --- */

enum store_result sqlite_list_owners(struct store *store, struct arena *a, sv **ids, size_t *count) {
    struct sqlite_store *s = sqlite_of(store);
    VEC(sv) found = {0};
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LIST_OWNERS, &result);
    enum sql_result r = stmt == NULL ? SQL_DONE : sql_step(stmt);
    for (; r == SQL_ROW; r = sql_step(stmt)) {
        VEC_PUSH(a, &found, arena_copy_sv(a, sql_get_text(stmt, 0)));
    }
    *ids = found.items;
    *count = found.len;
    return r == SQL_DONE ? result : report_sql(s, r, "cannot be read");
}

static enum store_result finish_rewrite(struct sqlite_store *s, struct row_writer *row) {
    enum store_result result = finish_write(s, row_run(row));
    return result == STORE_OK && sql_get_changes(s->db) == 0 ? STORE_NOT_FOUND : result;
}

enum store_result sqlite_rewrite_journal(struct store *store, sv instance_id, const struct journal_row *j) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    int64_t number = 0;
    enum store_result result = find_number(s, instance_id, &number);
    struct sql_stmt *stmt = result == STORE_OK ? get_statement(s, STMT_REWRITE_JOURNAL, &result) : NULL;
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'j', instance_id);
    row_put_key(&row, number);
    put_journal_columns(&row, j);
    return finish_rewrite(s, &row);
}

enum store_result sqlite_rewrite_history(struct store *store, sv instance_id, const struct store_history *h) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_REWRITE_HISTORY, &result);
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'h', instance_id);
    put_history_columns(&row, h);
    row_put_owner(&row, instance_id);
    return finish_rewrite(s, &row);
}
