/* Writing, inside a transaction. */
#include "stores/sqlite/internal.h"

#include <assert.h>

enum store_result finish_write(struct sqlite_store *s, enum sql_result r) {
    if (r == SQL_CONSTRAINT) {
        return STORE_CONFLICT;
    }
    return r == SQL_OK ? STORE_OK : report_sql(s, r, "cannot be written");
}

static void put_instance_columns(struct row_writer *row, const struct store_instance *i) {
    row_put_text(row, i->id);
    row_put_text(row, i->context);
    row_put_text(row, i->name);
    row_put_text(row, i->dialect);
    row_put_text(row, i->status);
    row_put_i64(row, i->version);
    row_put_i64(row, i->created_ms);
    row_put_i64(row, i->updated_ms);
    row_put_text(row, i->body);
}

enum store_result sqlite_put_instance(struct store *store, const struct store_instance *instance,
                                      int64_t expected_version) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    bool is_new = expected_version == 0;
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, is_new ? STMT_INSERT_INSTANCE : STMT_UPDATE_INSTANCE, &result);
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'i', (sv){0});
    put_instance_columns(&row, instance);
    if (!is_new) {
        sql_bind_i64(stmt, 11, expected_version);
    }
    result = finish_write(s, row_run(&row));
    return result == STORE_OK && sql_get_changes(s->db) == 0 ? STORE_CONFLICT : result;
}

enum store_result sqlite_delete_instance(struct store *store, sv instance_id) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_DELETE_INSTANCE, &result);
    if (stmt == NULL) {
        return result;
    }
    forget_number(s);
    sql_bind_text(stmt, 1, instance_id);
    result = finish_write(s, sql_run(stmt));
    return result == STORE_OK && sql_get_changes(s->db) == 0 ? STORE_NOT_FOUND : result;
}

enum store_result sqlite_put_element(struct store *store, sv instance_id, const struct store_element *element) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    int64_t number = 0;
    enum store_result result = find_number(s, instance_id, &number);
    struct sql_stmt *stmt = result == STORE_OK ? get_statement(s, STMT_PUT_ELEMENT, &result) : NULL;
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'e', instance_id);
    row_put_key(&row, number);
    row_put_text(&row, element->address);
    row_put_text(&row, element->type);
    row_put_text(&row, element->status);
    row_put_text(&row, element->precise_status);
    row_put_text(&row, element->physical_id);
    row_put_i64(&row, element->created_ms);
    row_put_i64(&row, element->updated_ms);
    row_put_text(&row, element->body);
    return finish_write(s, row_run(&row));
}

enum store_result sqlite_delete_element(struct store *store, sv instance_id, sv address) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    int64_t number = 0;
    enum store_result result = find_number(s, instance_id, &number);
    if (result == STORE_NOT_FOUND) {
        return STORE_OK;
    }
    struct sql_stmt *stmt = result == STORE_OK ? get_statement(s, STMT_DELETE_ELEMENT, &result) : NULL;
    if (stmt == NULL) {
        return result;
    }
    sql_bind_i64(stmt, 1, number);
    sql_bind_text(stmt, 2, address);
    return finish_write(s, sql_run(stmt));
}

enum store_result read_last(struct sqlite_store *s, struct sql_stmt *stmt, int64_t *last) {
    enum sql_result r = sql_step(stmt);
    *last = r == SQL_ROW ? sql_get_i64(stmt, 0) : 0;
    sql_reset(stmt);
    return r == SQL_ROW || r == SQL_DONE ? STORE_OK : report_sql(s, r, "cannot be read");
}

static enum store_result get_last_sequence(struct sqlite_store *s, int64_t number, int64_t *last) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LAST_SEQUENCE, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_i64(stmt, 1, number);
    return read_last(s, stmt, last);
}

void put_journal_columns(struct row_writer *row, const struct journal_row *j) {
    row_put_i64(row, j->sequence);
    row_put_i64(row, (int64_t)j->kind);
    row_put_text(row, j->run_id);
    row_put_i64(row, (int64_t)j->token);
    row_put_i64(row, j->wall_ms);
    row_put_text(row, j->operation);
    row_put_text(row, j->address);
    row_put_text(row, j->action);
    row_put_text(row, j->body);
    row_put_blob(row, j->mac, sizeof j->mac);
}

static enum store_result insert_journal(struct sqlite_store *s, sv instance_id, int64_t number,
                                        const struct journal_row *j) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_APPEND_JOURNAL, &result);
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'j', instance_id);
    row_put_key(&row, number);
    put_journal_columns(&row, j);
    return finish_write(s, row_run(&row));
}

enum store_result sqlite_append_journal(struct store *store, sv instance_id, const struct journal_row *row) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    int64_t number = 0, last = 0;
    enum store_result result = find_number(s, instance_id, &number);
    result = result == STORE_OK ? get_last_sequence(s, number, &last) : result;
    if (result == STORE_OK && row->sequence <= last) {
        return STORE_CONFLICT;
    }
    return result == STORE_OK ? insert_journal(s, instance_id, number, row) : result;
}

static enum store_result clear_journal(struct sqlite_store *s, sv instance_id) {
    int64_t number = 0;
    enum store_result result = find_number(s, instance_id, &number);
    if (result == STORE_NOT_FOUND) {
        return STORE_OK; /* the instance is gone, its history stays */
    }
    struct sql_stmt *stmt = result == STORE_OK ? get_statement(s, STMT_CLEAR_JOURNAL, &result) : NULL;
    if (stmt == NULL) {
        return result;
    }
    sql_bind_i64(stmt, 1, number);
    return finish_write(s, sql_run(stmt));
}

void put_history_columns(struct row_writer *row, const struct store_history *h) {
    row_put_i64(row, h->number);
    row_put_text(row, h->run_id);
    row_put_text(row, h->kind);
    row_put_text(row, h->actor);
    row_put_text(row, h->outcome);
    row_put_i64(row, h->started_ms);
    row_put_i64(row, h->ended_ms);
    row_put_text(row, h->body);
}

static enum store_result add_history(struct sqlite_store *s, sv instance_id, const struct store_history *h) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LAST_HISTORY, &result);
    int64_t last = 0;
    if (stmt != NULL) {
        sql_bind_text(stmt, 1, instance_id);
        result = read_last(s, stmt, &last);
    }
    if (result == STORE_OK && h->number <= last) {
        return STORE_CONFLICT;
    }
    stmt = result == STORE_OK ? get_statement(s, STMT_ADD_HISTORY, &result) : NULL;
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'h', instance_id);
    put_history_columns(&row, h);
    row_put_owner(&row, instance_id);
    return finish_write(s, row_run(&row));
}

static enum store_result prune_history(struct sqlite_store *s, sv instance_id, size_t keep_history) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_PRUNE_HISTORY, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, instance_id);
    sql_bind_i64(stmt, 2, (int64_t)keep_history);
    return finish_write(s, sql_run(stmt));
}

enum store_result sqlite_compact_journal(struct store *store, sv instance_id, const struct store_history *entry,
                                         size_t keep_history) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    enum store_result result = add_history(s, instance_id, entry);
    result = result == STORE_OK ? clear_journal(s, instance_id) : result;
    result = result == STORE_OK ? prune_history(s, instance_id, keep_history) : result;
    result = result == STORE_OK ? prune_runs(s, instance_id, keep_history) : result;
    return result == STORE_OK ? prune_events(s, instance_id) : result;
}
