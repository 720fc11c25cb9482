/* The one door to SQLite.
 *
 * A connection belongs to one thread at a time. Every call answers with a small result; `sql_get_error` then says in
 * words what went wrong, and keeps saying so until the next failure. Extended result codes are on; untrusted schemas
 * are (functions with side effects cannot be called from them); extensions cannot be loaded. Texts are bound by view
 * and may hold any bytes; SQL itself ends at a NUL, so SQL texts with a NUL are refused. Connection and statements are
 * structs of the arena given to sql_open; the caller closes. */
#ifndef LINTEL_ADAPTERS_SQLITE_SQLITE_H
#define LINTEL_ADAPTERS_SQLITE_SQLITE_H

#include "base/arena.h"

struct sql_db;
struct sql_stmt;

enum sql_result {
    SQL_OK = 1,
    SQL_ROW,  /* step: a row is there */
    SQL_DONE, /* step: no more rows */
    SQL_BUSY, /* locked by another connection beyond the busy timeout */
    SQL_CONSTRAINT,
    SQL_CORRUPT,
    SQL_NOT_A_DB, /* the file is no SQLite database (or encrypted) */
    SQL_READ_ONLY,
    SQL_FULL, /* disk full */
    SQL_IO,   /* reading, writing or syncing failed: drop the connection (LC-043) */
    SQL_CANT_OPEN,
    SQL_DENIED,      /* refused by sql_set_confined */
    SQL_INTERRUPTED, /* by the deadline of sql_set_deadline or by sql_interrupt */
    SQL_NO_MEMORY,
    SQL_ERROR, /* anything else, mistakes in SQL text first of all */
};

struct sql_options {
    bool read_only;
    bool create;    /* make the file when absent; else SQL_CANT_OPEN */
    bool memory;    /* a private database in memory; the path is not looked at */
    bool no_follow; /* refuse symbolic links anywhere in the path */
    bool no_checkpoint_on_close;
    int64_t busy_timeout_ms; /* 0: do not wait */
};

/* On failure nothing stays open, `*result` is NULL and `why` (may be NULL) is one sentence in `a`. A path is a plain
 * file name, never a URI. */
enum sql_result sql_open(struct arena *a, sv path, const struct sql_options *options, struct sql_db **result, sv *why);
/* Finishes statements left over. NULL is fine. */
void sql_close(struct sql_db *db);

/* What the last failed call of this connection said; lives in the arena of the connection. Never empty after a failure.
 */
sv sql_get_error(const struct sql_db *db);
/* SQLite's extended code of the last failure, for tests and logs; errno of the system call behind it, 0 without one. */
int sql_get_error_code(const struct sql_db *db);
int sql_get_system_error(const struct sql_db *db);

/* Runs every statement of the text, rows ignored. Stops at the first failure. */
enum sql_result sql_exec(struct sql_db *db, sv text);
/* The same for constant text. */
#define SQL_EXEC(db, lit) sql_exec((db), SV(lit))

/* One statement, kept for reuse. Exactly one: text behind it is an error, and so is text without one. */
enum sql_result sql_prepare(struct sql_db *db, sv text, struct sql_stmt **result);
/* Indexes from 1. Texts and blobs are borrowed until the statement is reset or bound anew. Binding fails only for an
 * index out of range (SQL_ERROR); step then fails too, so that callers may look at step alone. */
void sql_bind_i64(struct sql_stmt *s, int index, int64_t n);
void sql_bind_double(struct sql_stmt *s, int index, double x);
void sql_bind_text(struct sql_stmt *s, int index, sv text);
void sql_bind_blob(struct sql_stmt *s, int index, const void *data, size_t len);
void sql_bind_null(struct sql_stmt *s, int index);
/* SQL_ROW, SQL_DONE or a failure. After SQL_DONE and failures the statement is reset (bindings cleared): it can be
 * bound and stepped anew. */
enum sql_result sql_step(struct sql_stmt *s);
/* For statements without rows: SQL_OK where sql_step says SQL_DONE or SQL_ROW. */
enum sql_result sql_run(struct sql_stmt *s);
/* Ends a statement before its last row. */
void sql_reset(struct sql_stmt *s);
void sql_finish(struct sql_stmt *s); /* NULL is fine */

/* Columns from 0, of the row that step has brought; texts and blobs live until the next step, reset or finish: copy
 * them. NULL gives the empty text, 0. */
int64_t sql_get_i64(struct sql_stmt *s, int column);
double sql_get_double(struct sql_stmt *s, int column);
sv sql_get_text(struct sql_stmt *s, int column); /* blobs come out as bytes */
bool sql_is_null(struct sql_stmt *s, int column);
/* What the row has in the column. */
enum sql_kind {
    SQL_NULL = 1,
    SQL_INTEGER,
    SQL_FLOAT,
    SQL_TEXT,
    SQL_BLOB,
};
enum sql_kind sql_get_kind(struct sql_stmt *s, int column);
size_t sql_get_column_count(struct sql_stmt *s); /* 0 for statements without rows */
sv sql_get_column_name(struct sql_stmt *s, int column);
/* Whether the statement changes no database (it may still be a PRAGMA). */
bool sql_is_read_only(struct sql_stmt *s);

/* Begins a write transaction at once (BEGIN IMMEDIATE); commit; rollback never fails visibly. */
enum sql_result sql_begin(struct sql_db *db);
enum sql_result sql_commit(struct sql_db *db);
void sql_rollback(struct sql_db *db);
bool sql_is_in_transaction(const struct sql_db *db);
/* Rows changed by the last INSERT, UPDATE or DELETE. */
int64_t sql_get_changes(const struct sql_db *db);

/* Statements of others: while on, transaction control, ATTACH, DETACH and PRAGMAs that write are refused with
 * SQL_DENIED. */
void sql_set_confined(struct sql_db *db, bool on);
/* SQL_INTERRUPTED once CLOCK_BOOTTIME reaches `deadline_ms`; 0: no deadline. Lock waits too end by then (the busy
 * timeout is cut short). */
void sql_set_deadline(struct sql_db *db, int64_t deadline_ms);
/* From any thread. */
void sql_interrupt(struct sql_db *db);

/* Copies the whole database into the file `path`, which is replaced, by the online backup; durable when OK. */
enum sql_result sql_backup(struct sql_db *db, sv path);
/* Moves the log into the database as far as nobody reads; `truncate`: and cuts the log to nothing. SQL_BUSY when not
 * all could be moved. */
enum sql_result sql_checkpoint(struct sql_db *db, bool truncate);
/* Pages in the log after the last commit of this connection, those included that have been moved already; 0 until
 * sql_watch_log was called, which also ends automatic checkpoints. */
void sql_watch_log(struct sql_db *db);
size_t sql_get_log_pages(const struct sql_db *db);
/* PRAGMA integrity_check; `why` is what it found first (lives in the arena of the connection). */
enum sql_result sql_check_integrity(struct sql_db *db, sv *why);

#endif
