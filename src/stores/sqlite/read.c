/* Reading: a consistent snapshot per call, every row checked. */
#include "stores/sqlite/internal.h"

/* The end of a loop over rows. */
static enum store_result finish(struct sqlite_store *s, enum sql_result r, bool ok) {
    if (!ok) {
        return report_damage(s, "holds a row that was edited or damaged");
    }
    return r == SQL_DONE ? STORE_OK : report_sql(s, r, "cannot be read");
}

static bool read_instance(struct sqlite_store *s, struct sql_stmt *stmt, struct arena *a, struct store_instance *i) {
    struct row_reader row = row_read(s, stmt, a, 'i', (sv){0});
    i->id = row_get_text(&row);
    i->context = row_get_text(&row);
    i->name = row_get_text(&row);
    i->dialect = row_get_text(&row);
    i->status = row_get_text(&row);
    i->version = row_get_i64(&row);
    i->created_ms = row_get_i64(&row);
    i->updated_ms = row_get_i64(&row);
    i->body = row_get_text(&row);
    return row_check_digest(&row);
}

static bool read_element(struct sqlite_store *s, struct sql_stmt *stmt, struct arena *a, sv owner,
                         struct store_element *e) {
    struct row_reader row = row_read(s, stmt, a, 'e', owner);
    e->address = row_get_text(&row);
    e->type = row_get_text(&row);
    e->status = row_get_text(&row);
    e->precise_status = row_get_text(&row);
    e->physical_id = row_get_text(&row);
    e->created_ms = row_get_i64(&row);
    e->updated_ms = row_get_i64(&row);
    e->body = row_get_text(&row);
    return row_check_digest(&row);
}

static bool read_journal_row(struct sqlite_store *s, struct sql_stmt *stmt, struct arena *a, sv owner,
                             struct journal_row *j) {
    struct row_reader row = row_read(s, stmt, a, 'j', owner);
    j->sequence = row_get_i64(&row);
    j->kind = (enum journal_kind)row_get_i64(&row);
    j->run_id = row_get_text(&row);
    j->token = (uint64_t)row_get_i64(&row);
    j->wall_ms = row_get_i64(&row);
    j->operation = row_get_text(&row);
    j->address = row_get_text(&row);
    j->action = row_get_text(&row);
    j->body = row_get_text(&row);
    row_get_blob(&row, j->mac, sizeof j->mac);
    return row_check_digest(&row);
}

static bool read_history(struct sqlite_store *s, struct sql_stmt *stmt, struct arena *a, sv owner,
                         struct store_history *h) {
    struct row_reader row = row_read(s, stmt, a, 'h', owner);
    h->number = row_get_i64(&row);
    h->run_id = row_get_text(&row);
    h->kind = row_get_text(&row);
    h->actor = row_get_text(&row);
    h->outcome = row_get_text(&row);
    h->started_ms = row_get_i64(&row);
    h->ended_ms = row_get_i64(&row);
    h->body = row_get_text(&row);
    return row_check_digest(&row);
}

static enum store_result load_one(struct sqlite_store *s, struct sql_stmt *stmt, struct arena *a,
                                  struct store_instance *result) {
    enum sql_result r = sql_step(stmt);
    if (r != SQL_ROW) {
        return r == SQL_DONE ? STORE_NOT_FOUND : report_sql(s, r, "cannot be read");
    }
    bool ok = read_instance(s, stmt, a, result);
    sql_reset(stmt);
    return finish(s, SQL_DONE, ok);
}

static enum store_result load_instance(struct sqlite_store *s, struct arena *a, sv id, struct store_tree *tree) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LOAD_INSTANCE, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, id);
    result = load_one(s, stmt, a, &tree->instance);
    tree->found = result == STORE_OK;
    return result == STORE_NOT_FOUND ? STORE_OK : result;
}

static enum store_result load_elements(struct sqlite_store *s, struct arena *a, int64_t number,
                                       struct store_tree *tree) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LOAD_ELEMENTS, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_i64(stmt, 1, number);
    enum sql_result r = sql_step(stmt);
    bool ok = true;
    for (; ok && r == SQL_ROW; r = ok ? sql_step(stmt) : r) {
        ok = read_element(s, stmt, a, tree->instance.id, VEC_ADD(a, &tree->elements));
    }
    if (!ok) {
        sql_reset(stmt);
    }
    return finish(s, r, ok);
}

static enum store_result load_journal(struct sqlite_store *s, struct arena *a, int64_t number,
                                      struct store_tree *tree) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LOAD_JOURNAL, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_i64(stmt, 1, number);
    enum sql_result r = sql_step(stmt);
    bool ok = true;
    for (; ok && r == SQL_ROW; r = ok ? sql_step(stmt) : r) {
        ok = read_journal_row(s, stmt, a, tree->instance.id, VEC_ADD(a, &tree->journal));
    }
    if (!ok) {
        sql_reset(stmt);
    }
    return finish(s, r, ok);
}

static enum store_result load_rows(struct sqlite_store *s, struct arena *a, sv instance_id, struct store_tree *tree) {
    sv boot_id;
    enum store_result result = load_lease(s, a, instance_id, &tree->lease, &boot_id);
    result = result == STORE_OK ? load_instance(s, a, instance_id, tree) : result;
    if (result != STORE_OK || !tree->found) {
        return result;
    }
    int64_t number = 0;
    result = find_number(s, instance_id, &number);
    result = result == STORE_OK ? load_elements(s, a, number, tree) : result;
    return result == STORE_OK ? load_journal(s, a, number, tree) : result;
}

enum store_result sqlite_load_tree(struct store *store, struct arena *a, sv instance_id, struct store_tree *tree) {
    struct sqlite_store *s = sqlite_of(store);
    *tree = (struct store_tree){0};
    if (s->in_transaction) {
        return load_rows(s, a, instance_id, tree);
    }
    enum store_result result = connect_db(s);
    enum sql_result r = result == STORE_OK ? SQL_EXEC(s->db, "BEGIN") : SQL_OK;
    if (r != SQL_OK) {
        return report_sql(s, r, "cannot be read");
    }
    result = result == STORE_OK ? load_rows(s, a, instance_id, tree) : result;
    if (s->db != NULL) {
        sql_rollback(s->db); /* nothing was written */
    }
    forget_number(s);
    return result;
}

enum store_result sqlite_find_instance(struct store *store, struct arena *a, sv context, sv name,
                                       struct store_instance *result) {
    struct sqlite_store *s = sqlite_of(store);
    enum store_result found;
    struct sql_stmt *stmt = get_statement(s, STMT_FIND_INSTANCE, &found);
    if (stmt == NULL) {
        return found;
    }
    sql_bind_text(stmt, 1, context);
    sql_bind_text(stmt, 2, name);
    return load_one(s, stmt, a, result);
}

enum store_result sqlite_list_instances(struct store *store, struct arena *a, sv context, struct store_instance **items,
                                        size_t *count) {
    struct sqlite_store *s = sqlite_of(store);
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LIST_INSTANCES, &result);
    if (stmt == NULL) {
        return result;
    }
    VEC(struct store_instance) found = {0};
    sql_bind_text(stmt, 1, context);
    enum sql_result r = sql_step(stmt);
    bool ok = true;
    for (; ok && r == SQL_ROW; r = ok ? sql_step(stmt) : r) {
        ok = read_instance(s, stmt, a, VEC_ADD(a, &found));
    }
    if (!ok) {
        sql_reset(stmt);
    }
    *items = found.items;
    *count = found.len;
    return finish(s, r, ok);
}

enum store_result sqlite_list_history(struct store *store, struct arena *a, sv instance_id,
                                      struct store_history **items, size_t *count) {
    struct sqlite_store *s = sqlite_of(store);
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LIST_HISTORY, &result);
    if (stmt == NULL) {
        return result;
    }
    VEC(struct store_history) found = {0};
    sql_bind_text(stmt, 1, instance_id);
    enum sql_result r = sql_step(stmt);
    bool ok = true;
    for (; ok && r == SQL_ROW; r = ok ? sql_step(stmt) : r) {
        ok = read_history(s, stmt, a, instance_id, VEC_ADD(a, &found));
    }
    if (!ok) {
        sql_reset(stmt);
    }
    *items = found.items;
    *count = found.len;
    return finish(s, r, ok);
}
