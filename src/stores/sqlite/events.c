/* Stored events of runs (LC-060). */
#include "stores/sqlite/internal.h"

#include <assert.h>

static enum store_result get_last(struct sqlite_store *s, sv run_id, int64_t *last) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LAST_EVENTS, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, run_id);
    return read_last(s, stmt, last);
}

enum store_result sqlite_append_events(struct store *store, sv instance_id, sv run_id, sv body) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    int64_t last = 0;
    enum store_result result = get_last(s, run_id, &last);
    struct sql_stmt *stmt = result == STORE_OK ? get_statement(s, STMT_ADD_EVENTS, &result) : NULL;
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'v', run_id);
    row_put_owner(&row, run_id);
    row_put_i64(&row, last + 1);
    row_put_text(&row, instance_id);
    row_put_text(&row, body);
    return finish_write(s, row_run(&row));
}

static bool read_events(struct sqlite_store *s, struct sql_stmt *stmt, struct arena *a, sv run_id,
                        struct store_events *e) {
    struct row_reader row = row_read(s, stmt, a, 'v', run_id);
    e->sequence = row_get_i64(&row);
    row_get_text(&row);
    e->body = row_get_text(&row);
    return row_check_digest(&row);
}

enum store_result sqlite_list_events(struct store *store, struct arena *a, const struct store_events_request *request,
                                     struct store_events **items, size_t *count) {
    struct sqlite_store *s = sqlite_of(store);
    VEC(struct store_events) found = {0};
    *items = NULL;
    *count = 0;
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LIST_EVENTS, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, request->run_id);
    sql_bind_i64(stmt, 2, request->after);
    sql_bind_i64(stmt, 3, request->limit > INT32_MAX ? INT32_MAX : (int64_t)request->limit);
    enum sql_result r = sql_step(stmt);
    bool ok = true;
    for (; ok && r == SQL_ROW; r = ok ? sql_step(stmt) : r) {
        ok = read_events(s, stmt, a, request->run_id, VEC_ADD(a, &found));
    }
    if (!ok) {
        sql_reset(stmt);
        return report_damage(s, "holds events that were edited or damaged");
    }
    *items = found.items;
    *count = found.len;
    return r == SQL_DONE ? STORE_OK : report_sql(s, r, "cannot be read");
}

enum store_result prune_events(struct sqlite_store *s, sv instance_id) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_PRUNE_EVENTS, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, instance_id);
    return finish_write(s, sql_run(stmt));
}
