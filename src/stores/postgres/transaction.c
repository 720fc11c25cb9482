/* Transactions, and what becomes of them when connections do not last: invariants (1) to (3) of internal.h. */
#include "stores/postgres/internal.h"

#include <assert.h>

enum { WAIT_MS = 10 };

/* --- Queueing --- */

static size_t queue(struct postgres_store *s, const struct query *q) {
    return pg_queue(s->db, (struct pg_statement){q->statement, postgres_statements[q->statement]}, q->params, q->count);
}

static size_t queue_plain(struct postgres_store *s, enum statement statement) {
    return queue(s, &(struct query){.statement = statement});
}

/* Behind a pooler the session may be another one each time, and what was set up in it would stay for others. */
static void queue_set_up(struct postgres_store *s) {
    struct query q = {.statement = STMT_SET_UP};
    query_add_text(&q, s->schema);
    query_add_i64(&q, s->busy_timeout_ms > 0 ? s->busy_timeout_ms : 1);
    queue(s, &q);
}

size_t queue_begin(struct postgres_store *s, enum statement begin) {
    size_t answer = queue_plain(s, begin);
    if (s->is_pooled) {
        queue_set_up(s);
    }
    return answer;
}

enum pg_outcome begin_pooled(struct postgres_store *s) {
    if (!s->is_pooled) {
        return PG_OK;
    }
    queue_begin(s, s->read_only ? STMT_BEGIN_READ : STMT_BEGIN);
    return pg_run(s->db);
}

enum pg_outcome commit_pooled(struct postgres_store *s) {
    if (!s->is_pooled) {
        return PG_OK;
    }
    queue_plain(s, STMT_COMMIT);
    return pg_run(s->db);
}

static size_t queue_mark(struct postgres_store *s) {
    struct query q = {.statement = STMT_MARK};
    query_add_text(&q, s->handle);
    query_add_i64(&q, s->tx.number);
    return queue(s, &q);
}

/* (1) */
static size_t queue_lease(struct postgres_store *s) {
    struct query q = {.statement = STMT_CHECK_LEASE};
    query_add_text(&q, s->tx.lease.instance_id);
    query_add_i64(&q, (int64_t)s->tx.lease.token);
    return queue(s, &q);
}

static struct query make_look(sv instance_id) {
    struct query q = {.statement = STMT_LOOK};
    query_add_text(&q, instance_id);
    return q;
}

/* --- Ending --- */

static void forget_transaction(struct postgres_store *s) {
    struct arena arena = s->tx.arena;
    arena_fini(&arena);
    s->tx = (struct transaction){0};
    s->in_transaction = false;
}

/* The server's side of it; a connection that does not do even that is dropped, which ends it as well. */
static void undo(struct postgres_store *s) {
    if (s->db != NULL && !pg_is_lost(s->db)) {
        pg_run(s->db);
    }
    if (s->db != NULL && !pg_is_lost(s->db)) {
        queue_plain(s, STMT_ROLLBACK);
        pg_run(s->db);
    }
    if (s->db != NULL && pg_is_lost(s->db)) {
        drop_connection(s);
    }
}

void postgres_rollback(struct store *store) {
    struct postgres_store *s = postgres_of(store);
    undo(s);
    forget_transaction(s);
}

/* Why the transaction cannot go on; all that follows is answered the same. */
static enum store_result end(struct postgres_store *s, enum store_result why) {
    s->tx.over = why;
    return why;
}

static enum store_result fail(struct postgres_store *s, enum pg_outcome r) {
    if (r == PG_CONSTRAINT) {
        return STORE_CONFLICT;
    }
    return report_pg(s, r, s->in_transaction ? "cannot be written" : "cannot be read");
}

static bool is_passing(enum pg_outcome r) {
    return r == PG_LOST || r == PG_RETRY;
}

/* --- Repeating (3) --- */

/* (2): whether the transaction was committed before its connection went. */
static enum store_result look_mark(struct postgres_store *s, enum pg_outcome *r) {
    struct query q = {.statement = STMT_LOOK_MARK};
    query_add_text(&q, s->handle);
    queue_begin(s, STMT_BEGIN);
    size_t answer = queue(s, &q);
    *r = pg_run(s->db);
    if (*r != PG_OK) {
        return STORE_OK;
    }
    int64_t number = pg_get_row_count(s->db, answer) == 0 ? -1 : pg_get_i64(s->db, answer, 0, 0);
    s->tx.is_committed = number == s->tx.number;
    if (!s->tx.is_committed && number != s->tx.number - 1) {
        return report_state(s, STORE_FAILED, DIAG_state_not_available,
                            "is not the one that was written to: the server has lost what it had confirmed",
                            "look at how it was restored or failed over; the state is read anew by the next command");
    }
    return STORE_OK;
}

/* The writes once more; whoever called knows of some of them what came of it. */
static enum store_result write_again(struct postgres_store *s, enum pg_outcome *r) {
    queue_mark(s);
    size_t lease = s->tx.has_lease ? queue_lease(s) : 0;
    *r = pg_run(s->db);
    if (*r == PG_OK && s->tx.has_lease && pg_get_row_count(s->db, lease) == 0) {
        return STORE_LOST_LEASE;
    }
    for (size_t i = 0; *r == PG_OK && i < s->tx.writes.len; i++) {
        const struct tx_write *w = &s->tx.writes.items[i];
        size_t answer = queue(s, &w->query);
        if (w->told_changes >= 0) {
            *r = pg_run(s->db);
            if (*r == PG_OK && pg_get_changes(s->db, answer) != w->told_changes) {
                return STORE_CONFLICT;
            }
        }
    }
    *r = *r == PG_OK ? pg_run(s->db) : *r;
    return STORE_OK;
}

static enum store_result repeat(struct postgres_store *s, enum pg_outcome *r) {
    enum store_result result = look_mark(s, r);
    if (result != STORE_OK || *r != PG_OK || s->tx.is_committed) {
        return result;
    }
    if (s->tx.is_alone) { /* others may have been there meanwhile */
        return report_state(s, STORE_FAILED, DIAG_state_not_available,
                            "was cut off: nothing of the last step was written", "run the command again");
    }
    return write_again(s, r);
}

/* Brings the transaction back to where it was, or finds that it is committed. Waits as long as the lease lives. */
static enum store_result recover(struct postgres_store *s) {
    int64_t until = get_patience(s);
    for (;;) {
        undo(s);
        enum store_result result = connect_server(s, until);
        enum pg_outcome r = PG_OK;
        result = result == STORE_OK ? repeat(s, &r) : result;
        if (result != STORE_OK || r == PG_OK) {
            return result;
        }
        if (!is_passing(r) || get_host_now(s) >= until) {
            return fail(s, r);
        }
        s->store.host->ops->sleep_ms(s->store.host->user, WAIT_MS);
    }
}

/* --- Asking --- */

static enum store_result ask_inside(struct postgres_store *s, const struct query *queries, size_t count,
                                    size_t *first) {
    if (s->tx.over != 0) {
        return s->tx.over;
    }
    for (int64_t until = get_patience(s);;) {
        enum pg_outcome r = s->db == NULL ? PG_LOST : PG_OK;
        for (size_t i = 0; r == PG_OK && i < count; i++) { /* behind the writes that are queued already */
            size_t answer = queue(s, &queries[i]);
            *first = i == 0 ? answer : *first;
        }
        r = r == PG_OK ? pg_run(s->db) : r;
        if (r == PG_OK) {
            return STORE_OK;
        }
        if (!is_passing(r) || get_host_now(s) >= until) {
            return end(s, fail(s, r));
        }
        enum store_result result = recover(s);
        if (result != STORE_OK || s->tx.is_committed) {
            return end(s, result);
        }
    }
}

static enum pg_outcome ask_once(struct postgres_store *s, const struct query *queries, size_t count, size_t *first) {
    if (s->is_pooled) {
        queue_begin(s, s->read_only ? STMT_BEGIN_READ : STMT_BEGIN);
    }
    for (size_t i = 0; i < count; i++) {
        size_t answer = queue(s, &queries[i]);
        *first = i == 0 ? answer : *first;
    }
    if (s->is_pooled) {
        queue_plain(s, STMT_COMMIT);
    }
    return pg_run(s->db);
}

static enum store_result ask_outside(struct postgres_store *s, const struct query *queries, size_t count,
                                     size_t *first) {
    for (int64_t until = get_patience(s);;) {
        enum store_result result = connect_server(s, until);
        if (result != STORE_OK) {
            return result;
        }
        enum pg_outcome r = ask_once(s, queries, count, first);
        if (r == PG_OK) {
            return STORE_OK;
        }
        if (!is_passing(r) || get_host_now(s) >= until) {
            result = fail(s, r);
            undo(s);
            return result;
        }
        undo(s);
    }
}

enum store_result ask_server(struct postgres_store *s, const struct query *queries, size_t count, size_t *first) {
    return s->in_transaction ? ask_inside(s, queries, count, first) : ask_outside(s, queries, count, first);
}

/* --- Writing --- */

enum store_result write_row(struct postgres_store *s, const struct query *query, int64_t *changes) {
    assert(s->in_transaction);
    if (s->tx.over != 0) {
        return s->tx.over;
    }
    size_t first = 0;
    if (changes != NULL) {
        enum store_result result = ask_server(s, query, 1, &first);
        if (result != STORE_OK) {
            return result;
        }
        *changes = pg_get_changes(s->db, first);
    } else if (s->db != NULL) {
        queue(s, query);
    }
    struct tx_write w = {.query = *query, .told_changes = changes == NULL ? -1 : *changes};
    VEC_PUSH(&s->tx.arena, &s->tx.writes, w);
    return STORE_OK;
}

enum store_result know_instance(struct postgres_store *s, sv instance_id) {
    if (s->tx.known_id.len > 0 && sv_eq(s->tx.known_id, instance_id)) {
        return STORE_OK;
    }
    struct query q = make_look(instance_id);
    size_t first = 0;
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result != STORE_OK) {
        return result;
    }
    if (pg_get_row_count(s->db, first) == 0) {
        return STORE_NOT_FOUND;
    }
    s->tx.known_id = arena_copy_sv(&s->tx.arena, instance_id);
    s->tx.last_sequence = pg_get_i64(s->db, first, 0, 0);
    return STORE_OK;
}

/* --- Beginning --- */

/* The row of this handle: (2). */
static enum store_result add_handle(struct postgres_store *s) {
    if (s->has_handle) {
        return STORE_OK;
    }
    struct query queries[2] = {{.statement = STMT_ADD_HANDLE}, {.statement = STMT_PRUNE_HANDLES}};
    size_t first = 0;
    query_add_text(&queries[0], s->handle);
    enum store_result result = ask_outside(s, queries, 2, &first);
    s->has_handle = result == STORE_OK;
    return result;
}

/* NOT_FOUND: the row of the handle is gone. */
static enum store_result start(struct postgres_store *s, enum pg_outcome *r) {
    queue_begin(s, STMT_BEGIN);
    size_t mark = queue_mark(s), lease = 0, look = 0;
    if (s->tx.has_lease) {
        struct query q = make_look(s->tx.lease.instance_id);
        lease = queue_lease(s);
        look = queue(s, &q);
    }
    *r = pg_run(s->db);
    if (*r == PG_OK && pg_get_changes(s->db, mark) == 0) {
        return STORE_NOT_FOUND;
    }
    if (*r != PG_OK || !s->tx.has_lease) {
        return STORE_OK;
    }
    if (pg_get_row_count(s->db, lease) == 0) {
        return STORE_LOST_LEASE;
    }
    if (pg_get_row_count(s->db, look) > 0) {
        s->tx.known_id = s->tx.lease.instance_id;
        s->tx.last_sequence = pg_get_i64(s->db, look, 0, 0);
    }
    return STORE_OK;
}

static enum store_result begin(struct postgres_store *s) {
    enum store_result result = connect_server(s, get_patience(s));
    result = result == STORE_OK ? add_handle(s) : result;
    if (result != STORE_OK) {
        return result;
    }
    enum pg_outcome r = PG_OK;
    result = start(s, &r);
    if (result == STORE_NOT_FOUND) { /* pruned, since it was not used for so long */
        undo(s);
        handle_renew(s);
        s->tx.number = 1;
        result = add_handle(s);
        result = result == STORE_OK ? start(s, &r) : result;
    }
    if (r == PG_OK) {
        return result;
    }
    return is_passing(r) ? recover(s) : fail(s, r);
}

enum store_result postgres_begin(struct store *store, const struct store_lease *lease) {
    struct postgres_store *s = postgres_of(store);
    assert(!s->in_transaction);
    if (s->read_only) {
        return report_state(s, STORE_READ_ONLY, DIAG_state_not_available, "is open for reading only",
                            "this command does not write");
    }
    s->tx = (struct transaction){.has_lease = lease != NULL, .number = s->number + 1};
    if (lease != NULL) {
        s->tx.lease.instance_id = text_encode(&s->tx.arena, lease->instance_id);
        s->tx.lease.token = lease->token;
    }
    s->in_transaction = true;
    enum store_result result = begin(s);
    if (result != STORE_OK) {
        postgres_rollback(store);
    }
    return result;
}

/* --- Committing --- */

static enum store_result commit(struct postgres_store *s) {
    struct query q = {.statement = STMT_COMMIT};
    size_t first = 0;
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result != STORE_OK || s->tx.is_committed) {
        return result;
    }
    return pg_is_commit(s->db, first)
               ? STORE_OK
               : report_state(s, STORE_FAILED, DIAG_state_not_available,
                              "could not be saved, nothing of the last step counts", "look at the server's log");
}

enum store_result postgres_commit(struct store *store) {
    struct postgres_store *s = postgres_of(store);
    assert(s->in_transaction);
    enum store_result result = commit(s);
    if (result == STORE_OK) {
        s->number = s->tx.number;
        bool is_open = s->tx.is_committed; /* the look at the mark has a transaction of its own */
        forget_transaction(s);
        if (is_open) {
            undo(s);
        }
        return STORE_OK;
    }
    postgres_rollback(store);
    if (result != STORE_CONFLICT && result != STORE_LOST_LEASE) {
        handle_renew(s); /* whether it was committed may not be known: its mark is not built upon */
    }
    return result;
}
