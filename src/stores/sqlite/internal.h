/* What the files of this room share.
 *
 * Invariants (LC-043): (1) one connection per handle commits and checkpoints; (2) a write transaction holds the side
 * file's flock shared from before its begin until after its end, a checkpoint holds it exclusively; (3) after an I/O
 * error or a failed commit the connection is closed and the next call opens a new one: no sync is ever tried twice;
 * (4) a file that is foreign, newer or damaged is not written to; (5) every row carries a keyed digest of its columns,
 * checked whenever it is read; (6) the serial number of the last commit stands in the database and, after the commit,
 * in the side file: a database with a smaller one is an older copy. */
#ifndef LINTEL_STORES_SQLITE_INTERNAL_H
#define LINTEL_STORES_SQLITE_INTERNAL_H

#include "adapters/sqlite/sqlite.h"
#include "base/buf.h"
#include "model/store.h"

enum {
    STATE_APPLICATION_ID = 0x4c4e544c, /* "LNTL" */
    STATE_KEY = 32,
    ROW_DIGEST = 16,
    FORMAT_OF_KEYS = 3, /* has data keys */
};

enum statement {

    STMT_SET_SERIAL,
    STMT_FIND_NUMBER,
    STMT_LOAD_INSTANCE,
    STMT_FIND_INSTANCE,
    STMT_LIST_INSTANCES,
    STMT_LOAD_ELEMENTS,
    STMT_LOAD_JOURNAL,
    STMT_LIST_HISTORY,
    STMT_FIND_CLAIMS,
    STMT_LOAD_LEASE,
    STMT_PUT_LEASE,
    STMT_INSERT_INSTANCE,
    STMT_UPDATE_INSTANCE,
    STMT_DELETE_INSTANCE,
    STMT_PUT_ELEMENT,
    STMT_DELETE_ELEMENT,
    STMT_LAST_SEQUENCE,
    STMT_APPEND_JOURNAL,
    STMT_CLEAR_JOURNAL,
    STMT_LAST_HISTORY,
    STMT_ADD_HISTORY,
    STMT_PRUNE_HISTORY,
    STMT_ADD_RUN,
    STMT_FIND_RUN,
    STMT_UPDATE_RUN,
    STMT_LIST_RUNS,
    STMT_NEXT_RUNS,
    STMT_PRUNE_RUNS,
    STMT_PUT_PLAN,
    STMT_LOAD_PLAN,
    STMT_DROP_PLAN,
    STMT_LAST_EVENTS,
    STMT_ADD_EVENTS,
    STMT_LIST_EVENTS,
    STMT_PRUNE_EVENTS,
    STMT_FIND_DATA_KEY,
    STMT_PUT_DATA_KEY,
    STMT_LIST_LEASES,
    STMT_LIST_OWNERS,
    STMT_REWRITE_JOURNAL,
    STMT_REWRITE_HISTORY,
    STMT_COUNT
};

/* The side file PATH-lock: locks, and one line about the last commit. */
struct side_file {
    int fd; /* -1: none */
    bool can_write;
};

struct side_note {
    int64_t serial;         /* 0: not told */
    int64_t size, mtime_ns; /* of the database after a clean end; size 0 otherwise */
};

struct sqlite_store {
    struct store store;
    struct arena arena;    /* of the handle: path, description */
    struct arena db_arena; /* of the present connection */
    struct sql_db *db;     /* NULL: to be opened by the next call */
    struct sql_stmt *statements[STMT_COUNT];
    sv path; /* absolute, directories resolved */
    sv wal_path;
    sv description;
    bool read_only, in_transaction, is_damaged;
    bool (*may_migrate)(void *user, struct store *old);
    void *user;     /* of may_migrate */
    int64_t format; /* of the file; older than the present one only when read_only, and while may_migrate is asked */
    int64_t busy_timeout_ms;
    struct side_file side;
    uint8_t key[STATE_KEY];
    int64_t serial; /* of the transaction under way, else of the last one seen */
    sv cached_id;   /* instance whose number is known in this transaction */
    int64_t cached_number;
    struct arena cache_arena;
    struct arena row_arena;
    struct buf row; /* columns of one row, for its digest */
};

/* --- report.c --- */
/* One diagnostic for the last failure of the connection; drops the connection where (3) demands it. */
enum store_result report_sql(struct sqlite_store *s, enum sql_result r, const char *what);
enum store_result report_damage(struct sqlite_store *s, const char *what);
enum store_result report(struct sqlite_store *s, enum store_result result, enum diag_code code, const char *what,
                         const char *hint);

/* --- files.c --- */
/* What an errno means, in words. */
const char *describe_error(int error);
bool is_network_file_system(unsigned long type);
/* Makes missing directories (0700) and gives the path with all links of its directory resolved; empty after a report.
 */
sv files_resolve(struct sqlite_store *s, sv path, bool create);
/* What the first bytes say: OK (a state, or nothing there yet), FOREIGN, …; nothing is reported for OK. */
enum store_result files_check_header(struct sqlite_store *s, bool *exists);
/* Makes an empty file with mode 0600, or takes rights of others away. */
enum store_result files_prepare(struct sqlite_store *s);
bool files_get_stamp(sv path, int64_t *size, int64_t *mtime_ns);

/* --- side.c --- */
bool side_open(struct side_file *side, struct arena *a, sv state_path, bool create);
void side_close(struct side_file *side);
/* Waits up to `timeout_ms`; true without a side file. */
bool side_lock(struct side_file *side, struct host *host, bool exclusive, int64_t timeout_ms);
void side_unlock(struct side_file *side);
/* Presence: that a process has the state open. True when nobody else has. */
bool side_enter_alone(struct side_file *side);
void side_enter(struct side_file *side);
struct side_note side_read(struct side_file *side);
void side_write(struct side_file *side, struct side_note note);

/* --- open.c --- */
/* The connection, opened anew when it was dropped. */
enum store_result connect_db(struct sqlite_store *s);
void drop_db(struct sqlite_store *s);
/* NULL with `result` set, after a report. */
struct sql_stmt *get_statement(struct sqlite_store *s, enum statement which, enum store_result *result);
/* The number of an instance; NOT_FOUND without a report. */
enum store_result find_number(struct sqlite_store *s, sv instance_id, int64_t *number);
void forget_number(struct sqlite_store *s);

/* --- migrate.c --- */
struct migration {
    const char *sql;
};
extern const struct migration state_migrations[];
extern const size_t state_migration_count;
/* Brings the format from the present version to `count`, each step in a transaction whose last write is user_version;
 * before the first step of an existing state a copy PATH.bak is made. */
enum store_result migrate(struct sqlite_store *s, const struct migration *migrations, size_t count);
enum store_result read_i64(struct sqlite_store *s, const char *sql, int64_t *result);

/* --- lease.c, read.c, write.c: the callbacks --- */
enum store_result sqlite_take_lease(struct store *store, struct arena *a, const struct store_lease_request *request,
                                    struct store_lease *lease);
enum store_result sqlite_renew_lease(struct store *store, struct store_lease *lease, int64_t ttl_ms);
enum store_result sqlite_release_lease(struct store *store, const struct store_lease *lease);
/* Inside a transaction; CONFLICT when a live one is held, which `lease` then shows. */
enum store_result take_lease_inside(struct sqlite_store *s, struct arena *a, const struct store_lease_request *request,
                                    struct store_lease *lease);
/* The lease as stored, with the boot it counts in; token 0 when there is none. Inside a transaction. */
enum store_result load_lease(struct sqlite_store *s, struct arena *a, sv instance_id, struct store_lease *lease,
                             sv *boot_id);
enum store_result sqlite_load_tree(struct store *store, struct arena *a, sv instance_id, struct store_tree *tree);
enum store_result sqlite_find_instance(struct store *store, struct arena *a, sv context, sv name,
                                       struct store_instance *result);
enum store_result sqlite_list_instances(struct store *store, struct arena *a, sv context, struct store_instance **items,
                                        size_t *count);
enum store_result sqlite_list_history(struct store *store, struct arena *a, sv instance_id,
                                      struct store_history **items, size_t *count);
enum store_result sqlite_find_claims(struct store *store, struct arena *a, const struct store_object *objects,
                                     size_t object_count, struct store_claim **items, size_t *count);
enum store_result sqlite_put_instance(struct store *store, const struct store_instance *instance,
                                      int64_t expected_version);
enum store_result sqlite_delete_instance(struct store *store, sv instance_id);
enum store_result sqlite_put_element(struct store *store, sv instance_id, const struct store_element *element);
enum store_result sqlite_delete_element(struct store *store, sv instance_id, sv address);
enum store_result sqlite_append_journal(struct store *store, sv instance_id, const struct journal_row *row);
enum store_result sqlite_compact_journal(struct store *store, sv instance_id, const struct store_history *entry,
                                         size_t keep_history);

/* Columns in the order of their tables, without keys. */
struct row_writer;
void put_journal_columns(struct row_writer *row, const struct journal_row *j);
void put_history_columns(struct row_writer *row, const struct store_history *h);
/* What a write comes to: constraints are conflicts. */
enum store_result finish_write(struct sqlite_store *s, enum sql_result r);
/* One number of the first row, 0 when there is none. */
enum store_result read_last(struct sqlite_store *s, struct sql_stmt *stmt, int64_t *last);

/* --- keys.c --- */
enum store_result sqlite_find_data_key(struct store *store, struct arena *a, sv context, sv *wrapped);
enum store_result sqlite_put_data_key(struct store *store, sv context, sv expected, sv wrapped);
enum store_result sqlite_begin_alone(struct store *store, struct arena *a, struct store_lease *lease);
enum store_result sqlite_list_owners(struct store *store, struct arena *a, sv **ids, size_t *count);
enum store_result sqlite_rewrite_journal(struct store *store, sv instance_id, const struct journal_row *j);
enum store_result sqlite_rewrite_history(struct store *store, sv instance_id, const struct store_history *h);

/* --- queue.c --- */
enum store_result sqlite_add_run(struct store *store, const struct store_run *run);
enum store_result sqlite_change_run(struct store *store, const struct store_run_change *to);
enum store_result sqlite_take_run(struct store *store, struct arena *a, sv context,
                                  const struct store_lease_request *request, struct store_run *run,
                                  struct store_lease *lease);
enum store_result sqlite_list_runs(struct store *store, struct arena *a, sv context, bool is_open,
                                   struct store_run **items, size_t *count);
enum store_result sqlite_find_run(struct store *store, struct arena *a, sv id, struct store_run *run);
void sqlite_await_news(struct store *store, int64_t timeout_ms);
/* Of the instance: all but the last `keep` that are over. */
enum store_result prune_runs(struct sqlite_store *s, sv instance_id, size_t keep);

/* --- events.c --- */
enum store_result sqlite_append_events(struct store *store, sv instance_id, sv run_id, sv body);
enum store_result sqlite_list_events(struct store *store, struct arena *a, const struct store_events_request *request,
                                     struct store_events **items, size_t *count);
/* Of the instance: those of runs that are neither in the history nor in the queue. */
enum store_result prune_events(struct sqlite_store *s, sv instance_id);

/* --- transaction.c --- */
enum store_result sqlite_begin(struct store *store, const struct store_lease *lease);
enum store_result sqlite_commit(struct store *store);
void sqlite_rollback(struct store *store);
/* Moves the log into the database; `at_close`: all of it, and cuts it. Failures only cost time later. */
void checkpoint(struct sqlite_store *s, bool at_close);

/* --- rows.c: binding, reading and the digests of rows --- */
/* Columns are bound in order; the digest is the last one. `table` and `owner` (an instance id, or empty) go into the
 * digest, so that a row cannot be moved. */
struct row_writer {
    struct sqlite_store *s;
    struct sql_stmt *stmt;
    int column;
};
struct row_writer row_start(struct sqlite_store *s, struct sql_stmt *stmt, char table, sv owner);
void row_put_text(struct row_writer *w, sv text);
void row_put_i64(struct row_writer *w, int64_t n);
void row_put_blob(struct row_writer *w, const uint8_t *data, size_t len);
/* Not part of the digest: the owner is in it already, and a row's number within the file may change. */
void row_put_key(struct row_writer *w, int64_t n);
void row_put_owner(struct row_writer *w, sv id);
enum sql_result row_run(struct row_writer *w);

struct row_reader {
    struct sqlite_store *s;
    struct sql_stmt *stmt;
    struct arena *arena; /* texts are copied here */
    int column;
};
struct row_reader row_read(struct sqlite_store *s, struct sql_stmt *stmt, struct arena *a, char table, sv owner);
sv row_get_text(struct row_reader *r);
int64_t row_get_i64(struct row_reader *r);
void row_get_blob(struct row_reader *r, uint8_t *data, size_t len);
/* Whether the row is what was written. */
bool row_check_digest(struct row_reader *r);

static inline struct sqlite_store *sqlite_of(struct store *store) {
    return (struct sqlite_store *)store;
}

#endif
