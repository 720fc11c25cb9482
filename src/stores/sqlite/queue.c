/* The queue of runs (LC-045). Plans have a table of their own, so that looking at the queue reads none. */
#include "base/vec.h"
#include "model/lease.h"
#include "stores/sqlite/internal.h"

#include <assert.h>

enum { POLL_MS = 200 };

/* --- Rows --- */

static void put_columns(struct row_writer *row, const struct store_run *run) {
    row_put_i64(row, (int64_t)run->status);
    row_put_text(row, run->instance_id);
    row_put_text(row, run->instance_name);
    row_put_text(row, run->context);
    row_put_text(row, run->kind);
    row_put_text(row, run->actor);
    row_put_i64(row, run->created_ms);
    row_put_i64(row, run->taken_ms);
    row_put_i64(row, run->ended_ms);
    row_put_i64(row, run->takes);
    row_put_i64(row, run->exit_code);
    row_put_text(row, run->outcome);
    row_put_text(row, run->body);
}

static bool read_run(struct sqlite_store *s, struct sql_stmt *stmt, struct arena *a, struct store_run *run) {
    *run = (struct store_run){.number = sql_get_i64(stmt, 0), .id = arena_copy_sv(a, sql_get_text(stmt, 1))};
    struct row_reader row = row_read(s, stmt, a, 'q', run->id);
    row.column = 2; /* the number is no part of the digest, the id is its owner */
    run->status = (enum store_run_status)row_get_i64(&row);
    run->instance_id = row_get_text(&row);
    run->instance_name = row_get_text(&row);
    run->context = row_get_text(&row);
    run->kind = row_get_text(&row);
    run->actor = row_get_text(&row);
    run->created_ms = row_get_i64(&row);
    run->taken_ms = row_get_i64(&row);
    run->ended_ms = row_get_i64(&row);
    run->takes = row_get_i64(&row);
    run->exit_code = row_get_i64(&row);
    run->outcome = row_get_text(&row);
    run->body = row_get_text(&row);
    return row_check_digest(&row);
}

struct runs {
    VEC(struct store_run) items;
};

/* Of a statement that is bound. */
static enum store_result read_runs(struct sqlite_store *s, struct sql_stmt *stmt, struct arena *a, struct runs *runs) {
    enum sql_result r = sql_step(stmt);
    bool ok = true;
    for (; ok && r == SQL_ROW; r = ok ? sql_step(stmt) : r) {
        ok = read_run(s, stmt, a, VEC_ADD(a, &runs->items));
    }
    if (!ok) {
        sql_reset(stmt);
        return report_damage(s, "holds a queued run that was edited or damaged");
    }
    return r == SQL_DONE ? STORE_OK : report_sql(s, r, "cannot be read");
}

static enum store_result write_run(struct sqlite_store *s, enum statement which, const struct store_run *run) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, which, &result);
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'q', run->id);
    row_put_owner(&row, run->id);
    put_columns(&row, run);
    return finish_write(s, row_run(&row));
}

/* --- Plans --- */

static enum store_result put_plan(struct sqlite_store *s, sv run_id, sv plan) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_PUT_PLAN, &result);
    if (stmt == NULL) {
        return result;
    }
    struct row_writer row = row_start(s, stmt, 'p', run_id);
    row_put_owner(&row, run_id);
    row_put_text(&row, plan);
    return finish_write(s, row_run(&row));
}

static enum store_result load_plan(struct sqlite_store *s, struct arena *a, struct store_run *run) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LOAD_PLAN, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, run->id);
    enum sql_result r = sql_step(stmt);
    if (r != SQL_ROW) {
        return r == SQL_DONE ? report_damage(s, "has lost the plan of a queued run")
                             : report_sql(s, r, "cannot be read");
    }
    struct row_reader row = row_read(s, stmt, a, 'p', run->id);
    run->plan = row_get_text(&row);
    bool ok = row_check_digest(&row);
    sql_reset(stmt);
    return ok ? STORE_OK : report_damage(s, "holds a queued plan that was edited or damaged");
}

static enum store_result drop_plan(struct sqlite_store *s, sv run_id) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_DROP_PLAN, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, run_id);
    return finish_write(s, sql_run(stmt));
}

/* --- Writing --- */

enum store_result sqlite_add_run(struct store *store, const struct store_run *run) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    enum store_result result = write_run(s, STMT_ADD_RUN, run);
    return result == STORE_OK ? put_plan(s, run->id, run->plan) : result;
}

static enum store_result change(struct sqlite_store *s, struct arena *a, const struct store_run_change *to) {
    struct store_run run = {0};
    enum store_result result = sqlite_find_run(&s->store, a, to->id, &run);
    if (result != STORE_OK || run.status != to->from) {
        return result != STORE_OK ? result : STORE_CONFLICT;
    }
    run.status = to->to;
    bool is_over = run.status == STORE_RUN_ENDED || run.status == STORE_RUN_CANCELLED;
    if (is_over) {
        run.ended_ms = to->wall_ms;
        run.exit_code = to->exit_code;
        run.outcome = to->outcome;
        result = drop_plan(s, run.id);
    }
    return result == STORE_OK ? write_run(s, STMT_UPDATE_RUN, &run) : result;
}

enum store_result sqlite_change_run(struct store *store, const struct store_run_change *to) {
    struct sqlite_store *s = sqlite_of(store);
    assert(s->in_transaction);
    struct arena scratch = {0};
    enum store_result result = change(s, &scratch, to);
    arena_fini(&scratch);
    return result;
}

enum store_result prune_runs(struct sqlite_store *s, sv instance_id, size_t keep) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_PRUNE_RUNS, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, instance_id);
    sql_bind_i64(stmt, 2, (int64_t)keep);
    return finish_write(s, sql_run(stmt));
}

/* --- Taking --- */

static enum store_result list_next(struct sqlite_store *s, struct arena *a, sv context, struct runs *runs) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_NEXT_RUNS, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, context);
    return read_runs(s, stmt, a, runs);
}

/* Looks without the write lock, so that idle workers are in nobody's way. */
static enum store_result has_next(struct sqlite_store *s, sv context, bool *found) {
    struct arena scratch = {0};
    struct runs runs = {0};
    *found = false;
    enum store_result result = list_next(s, &scratch, context, &runs);
    for (size_t i = 0; result == STORE_OK && !*found && i < runs.items.len; i++) {
        struct store_lease lease;
        sv boot_id;
        result = load_lease(s, &scratch, runs.items.items[i].instance_id, &lease, &boot_id);
        *found = result == STORE_OK && !lease_is_live(s->store.host, &lease, boot_id);
    }
    arena_fini(&scratch);
    return result;
}

static enum store_result mark_taken(struct sqlite_store *s, struct arena *a, struct store_run *run) {
    run->status = STORE_RUN_RUNNING;
    run->taken_ms = s->store.host->ops->get_wall_ms(s->store.host->user);
    run->takes++;
    enum store_result result = write_run(s, STMT_UPDATE_RUN, run);
    return result == STORE_OK ? load_plan(s, a, run) : result;
}

/* Inside a transaction. */
static enum store_result take_next(struct sqlite_store *s, struct arena *a, sv context,
                                   const struct store_lease_request *request, struct store_run *run,
                                   struct store_lease *lease) {
    struct runs runs = {0};
    struct store_lease_request with_id = *request;
    with_id.steal = false;
    enum store_result result = list_next(s, a, context, &runs);
    if (result != STORE_OK) {
        return result;
    }
    for (size_t i = 0; i < runs.items.len; i++) {
        with_id.instance_id = runs.items.items[i].instance_id;
        result = take_lease_inside(s, a, &with_id, lease);
        if (result == STORE_OK) {
            *run = runs.items.items[i];
            return mark_taken(s, a, run);
        }
        if (result != STORE_CONFLICT) {
            return result;
        }
    }
    return STORE_NOT_FOUND;
}

enum store_result sqlite_take_run(struct store *store, struct arena *a, sv context,
                                  const struct store_lease_request *request, struct store_run *run,
                                  struct store_lease *lease) {
    struct sqlite_store *s = sqlite_of(store);
    bool found = s->read_only; /* the transaction says so */
    enum store_result result = s->read_only ? STORE_OK : has_next(s, context, &found);
    if (result != STORE_OK || !found) {
        return result == STORE_OK ? STORE_NOT_FOUND : result;
    }
    result = sqlite_begin(store, NULL);
    if (result != STORE_OK) {
        return result;
    }
    result = take_next(s, a, context, request, run, lease);
    if (result == STORE_OK) {
        return store->ops->commit(store);
    }
    store->ops->rollback(store);
    return result;
}

/* --- Reading --- */

enum store_result sqlite_list_runs(struct store *store, struct arena *a, sv context, bool is_open,
                                   struct store_run **items, size_t *count) {
    struct sqlite_store *s = sqlite_of(store);
    struct runs runs = {0};
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_LIST_RUNS, &result);
    *items = NULL;
    *count = 0;
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, context);
    sql_bind_i64(stmt, 2, is_open);
    result = read_runs(s, stmt, a, &runs);
    *items = runs.items.items;
    *count = result == STORE_OK ? runs.items.len : 0;
    return result;
}

enum store_result sqlite_find_run(struct store *store, struct arena *a, sv id, struct store_run *run) {
    struct sqlite_store *s = sqlite_of(store);
    struct runs runs = {0};
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_FIND_RUN, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, id);
    result = read_runs(s, stmt, a, &runs);
    if (result != STORE_OK || runs.items.len == 0) {
        return result == STORE_OK ? STORE_NOT_FOUND : result;
    }
    *run = runs.items.items[0];
    return STORE_OK;
}

void sqlite_await_news(struct store *store, int64_t timeout_ms) {
    store->host->ops->sleep_ms(store->host->user, timeout_ms < POLL_MS ? timeout_ms : POLL_MS);
}
