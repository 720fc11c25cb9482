/* What the files of this room share.
 *
 * Invariants: (1) every write happens in a transaction that holds a row lock on its lease after having checked token
 * and expiry by the database's clock, so that a take-over waits for its end (LC-031); advisory locks keep two
 * migrations apart and guard nothing else; (2) the first write of every transaction moves the number of this handle's
 * row in `handles` from N-1 to N and fails when it is anything else: of a transaction and its repetitions at most one
 * is committed, whatever becomes of connections, and the row tells whether one was; (3) a transaction keeps what it
 * wrote until it is over, so that it can be repeated after a lost connection, a deadlock or a restart of the server; a
 * repetition that is answered otherwise than the caller was told ends the transaction; (4) a schema that is foreign or
 * newer is not written to; (5) no text of a statement holds a value; messages hold no password and no row. */
#ifndef LINTEL_STORES_POSTGRES_INTERNAL_H
#define LINTEL_STORES_POSTGRES_INTERNAL_H

#include "adapters/postgres/postgres.h"
#include "base/vec.h"
#include "model/store.h"

enum {
    STATE_KEY = 32,
    ADDRESS_KEY = 16,
    FORMAT_OF_KEYS = 3, /* has data keys */
    PARAMS = 12,
};

enum statement {
    STMT_BEGIN,
    STMT_BEGIN_READ,
    STMT_COMMIT,
    STMT_ROLLBACK,
    STMT_ADD_HANDLE,
    STMT_DROP_HANDLE,
    STMT_PRUNE_HANDLES,
    STMT_LOOK_MARK,
    STMT_MARK,
    STMT_END_BACKEND,
    STMT_CHECK_LEASE,
    STMT_LOOK,
    STMT_ADD_LEASE,
    STMT_LOCK_LEASE,
    STMT_TAKE_LEASE,
    STMT_RENEW_LEASE,
    STMT_RELEASE_LEASE,
    STMT_LOAD_LEASE,
    STMT_LOAD_INSTANCE,
    STMT_FIND_INSTANCE,
    STMT_LIST_INSTANCES,
    STMT_LOAD_ELEMENTS,
    STMT_LOAD_JOURNAL,
    STMT_LIST_HISTORY,
    STMT_FIND_CLAIMS,
    STMT_INSERT_INSTANCE,
    STMT_UPDATE_INSTANCE,
    STMT_DELETE_INSTANCE,
    STMT_PUT_ELEMENT,
    STMT_DELETE_ELEMENT,
    STMT_APPEND_JOURNAL,
    STMT_CLEAR_JOURNAL,
    STMT_LAST_HISTORY,
    STMT_ADD_HISTORY,
    STMT_PRUNE_HISTORY,
    STMT_LOOK_SERVER,
    STMT_LOOK_SCHEMA,
    STMT_LOOK_FORMAT,
    STMT_SET_META,
    STMT_GET_KEY,
    STMT_NOTE_MIGRATION,
    STMT_SET_UP,
    STMT_NOTIFY,
    STMT_ADD_RUN,
    STMT_ADD_PLAN,
    STMT_FIND_RUN,
    STMT_LIST_RUNS,
    STMT_NEXT_RUNS,
    STMT_LOCK_RUN,
    STMT_TAKE_RUN,
    STMT_LOAD_PLAN,
    STMT_CHANGE_RUN,
    STMT_DROP_PLAN,
    STMT_PRUNE_RUNS,
    STMT_ADD_EVENTS,
    STMT_LIST_EVENTS,
    STMT_PRUNE_EVENTS,
    STMT_FIND_DATA_KEY,
    STMT_ADD_DATA_KEY,
    STMT_SET_DATA_KEY,
    STMT_LOCK_LEASES,
    STMT_LIST_LEASES,
    STMT_LIST_OWNERS,
    STMT_REWRITE_JOURNAL,
    STMT_REWRITE_HISTORY,
    STMT_COUNT
};
_Static_assert((int)STMT_COUNT <= (int)PG_STATEMENTS, "the adapter knows so many statements");

extern const char *const postgres_statements[STMT_COUNT];

/* One statement with what it takes. */
struct query {
    enum statement statement;
    struct pg_param params[PARAMS];
    size_t count;
};

/* A write of the transaction under way. */
struct tx_write {
    struct query query;   /* texts in the transaction's arena */
    int64_t told_changes; /* what the caller knows of its answer; -1: nothing */
};

struct transaction {
    struct arena arena;
    bool has_lease, is_committed;
    bool is_alone; /* holds all leases: is not repeated */
    struct store_lease lease;
    int64_t number; /* of the handle: (2) */
    VEC(struct tx_write) writes;
    enum store_result over; /* why it cannot go on; 0 while it can */
    sv known_id;            /* an instance that exists … */
    int64_t last_sequence;  /* … and the last number of its journal */
};

struct postgres_store {
    struct store store;
    struct arena arena;    /* of the handle; secret: the address may hold a password */
    struct arena db_arena; /* of the present connection */
    struct pg *db;         /* NULL: none */
    struct pg_address address;
    sv schema, description;
    bool read_only, in_transaction, has_handle;
    bool is_pooled;       /* a session lasts for a transaction: nothing is set up, prepared or listened to in it */
    bool is_listening;    /* on the present connection */
    int64_t announced_ms; /* when events were announced last */
    int64_t busy_timeout_ms;
    bool (*may_migrate)(void *user, struct store *old);
    void *user;          /* of may_migrate */
    int64_t format;      /* of the schema; older than the present one only when read_only, or as may_migrate sees it */
    sv session;          /* random name, seen by the server's people */
    sv handle;           /* name of the row of (2) */
    int64_t number;      /* of its last transaction that was committed */
    int64_t old_backend; /* served the connection before this one; 0: none */
    int64_t lease_until_ms; /* on the host's clock: up to then a lost connection is made anew */
    uint8_t key[STATE_KEY];
    struct transaction tx;
};

/* --- url.c --- */
/* Takes `schema=NAME` out of the URL. False after a report. */
bool url_parse(struct postgres_store *s, sv url);

/* --- text.c --- */
/* Text columns hold UTF-8 without NUL; other bytes are written as SUB and two digits, and back. */
sv text_encode(struct arena *a, sv text);
sv text_decode(struct arena *a, sv text);

/* --- parameters --- */
static inline void query_add_text(struct query *q, sv text) {
    q->params[q->count++] = (struct pg_param){.kind = PG_TEXT, .bytes = text};
}
static inline void query_add_i64(struct query *q, int64_t n) {
    q->params[q->count++] = (struct pg_param){.kind = PG_I64, .number = n};
}
static inline void query_add_bytes(struct query *q, const void *data, size_t len) {
    q->params[q->count++] = (struct pg_param){.kind = PG_BYTES, .bytes = sv_make(data, len)};
}

/* --- report.c --- */
/* One diagnostic for the last failure of the connection. */
enum store_result report_pg(struct postgres_store *s, enum pg_outcome r, const char *what);
enum store_result report_state(struct postgres_store *s, enum store_result result, enum diag_code code,
                               const char *what, const char *hint);
/* The connection could not be made or made anew. */
enum store_result report_unreachable(struct postgres_store *s, enum pg_outcome r, sv why);

/* --- open.c --- */
/* Another row for (2), not there yet. */
void handle_renew(struct postgres_store *s);
int64_t get_host_now(struct postgres_store *s);
/* A connection, made anew until `until_ms` when it was lost; OK or after a report. */
enum store_result connect_server(struct postgres_store *s, int64_t until_ms);
void drop_connection(struct postgres_store *s);
/* When to give up what cannot reach the server. */
int64_t get_patience(struct postgres_store *s);

/* --- migrate.c --- */
struct migration {
    const char *sql;
};
extern const struct migration postgres_migrations[];
extern const size_t postgres_migration_count;
/* Looks at the schema; makes or changes it unless read-only. NOT_FOUND: read-only and not there. */
/* The store's own key, into the handle. */
enum store_result load_key(struct postgres_store *s);
enum store_result check_format(struct postgres_store *s, const struct migration *migrations, size_t count);

/* --- transaction.c --- */
/* BEGIN of one kind or another and, where a pooler gives each transaction a session, what that needs. */
size_t queue_begin(struct postgres_store *s, enum statement begin);
/* A transaction around what needs one only behind a pooler. */
enum pg_outcome begin_pooled(struct postgres_store *s);
enum pg_outcome commit_pooled(struct postgres_store *s);
enum store_result postgres_begin(struct store *store, const struct store_lease *lease);
enum store_result postgres_commit(struct store *store);
void postgres_rollback(struct store *store);
/* Asks, in the transaction if one is under way, else each call in one of its own (the queries then go out together);
 * repeats after failures that pass. `*first` is the number of the answer to the first query. OK, CONFLICT (constraint),
 * or after a report. */
enum store_result ask_server(struct postgres_store *s, const struct query *queries, size_t count, size_t *first);
/* Adds a write to the transaction, whose arena its texts live in (or one that lives longer). With `changes`, waits for
 * its answer. */
enum store_result write_row(struct postgres_store *s, const struct query *query, int64_t *changes);
/* Whether the instance exists, and the last sequence of its journal: into the transaction. NOT_FOUND without report. */
enum store_result know_instance(struct postgres_store *s, sv instance_id);

/* --- keys.c: callbacks --- */
enum store_result postgres_find_data_key(struct store *store, struct arena *a, sv context, sv *wrapped);
enum store_result postgres_put_data_key(struct store *store, sv context, sv expected, sv wrapped);
enum store_result postgres_begin_alone(struct store *store, struct arena *a, struct store_lease *lease);
enum store_result postgres_list_owners(struct store *store, struct arena *a, sv **ids, size_t *count);
enum store_result postgres_rewrite_journal(struct store *store, sv instance_id, const struct journal_row *row);
enum store_result postgres_rewrite_history(struct store *store, sv instance_id, const struct store_history *h);

/* --- queue.c, events.c: callbacks --- */
enum store_result postgres_add_run(struct store *store, const struct store_run *run);
enum store_result postgres_change_run(struct store *store, const struct store_run_change *to);
enum store_result postgres_take_run(struct store *store, struct arena *a, sv context,
                                    const struct store_lease_request *request, struct store_run *run,
                                    struct store_lease *lease);
enum store_result postgres_list_runs(struct store *store, struct arena *a, sv context, bool is_open,
                                     struct store_run **items, size_t *count);
enum store_result postgres_find_run(struct store *store, struct arena *a, sv id, struct store_run *run);
enum store_result postgres_append_events(struct store *store, sv instance_id, sv run_id, sv body);
enum store_result postgres_list_events(struct store *store, struct arena *a, const struct store_events_request *request,
                                       struct store_events **items, size_t *count);
void postgres_await_news(struct store *store, int64_t timeout_ms);
/* Part of compacting. `id` is encoded and lives as long as the transaction. */
enum store_result prune_queue(struct postgres_store *s, sv id, size_t keep);
/* NOTIFY when the transaction is committed. */
enum store_result announce(struct postgres_store *s, sv what);

/* --- lease.c, read.c, write.c: the callbacks --- */
/* Inside a transaction. CONFLICT with `is_held`: a live lease of another, which `lease` shows; without: one that came
 * in between. */
enum store_result take_lease_locked(struct postgres_store *s, struct arena *a,
                                    const struct store_lease_request *request, struct store_lease *lease,
                                    bool *is_held);
enum store_result postgres_take_lease(struct store *store, struct arena *a, const struct store_lease_request *request,
                                      struct store_lease *lease);
enum store_result postgres_renew_lease(struct store *store, struct store_lease *lease, int64_t ttl_ms);
enum store_result postgres_release_lease(struct store *store, const struct store_lease *lease);
/* A row of token, holder, time left. */
void read_lease(struct postgres_store *s, struct arena *a, size_t answer, sv instance_id, struct store_lease *lease);
enum store_result postgres_load_tree(struct store *store, struct arena *a, sv instance_id, struct store_tree *tree);
enum store_result postgres_find_instance(struct store *store, struct arena *a, sv context, sv name,
                                         struct store_instance *result);
enum store_result postgres_list_instances(struct store *store, struct arena *a, sv context,
                                          struct store_instance **items, size_t *count);
enum store_result postgres_list_history(struct store *store, struct arena *a, sv instance_id,
                                        struct store_history **items, size_t *count);
enum store_result postgres_find_claims(struct store *store, struct arena *a, const struct store_object *objects,
                                       size_t object_count, struct store_claim **items, size_t *count);
enum store_result postgres_put_instance(struct store *store, const struct store_instance *instance,
                                        int64_t expected_version);
enum store_result postgres_delete_instance(struct store *store, sv instance_id);
enum store_result postgres_put_element(struct store *store, sv instance_id, const struct store_element *element);
enum store_result postgres_delete_element(struct store *store, sv instance_id, sv address);
enum store_result postgres_append_journal(struct store *store, sv instance_id, const struct journal_row *row);
enum store_result postgres_compact_journal(struct store *store, sv instance_id, const struct store_history *entry,
                                           size_t keep_history);

static inline struct postgres_store *postgres_of(struct store *store) {
    return (struct postgres_store *)store;
}

#endif
