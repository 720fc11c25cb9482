#include "adapters/sqlite/sqlite.h"

#include <limits.h>
#include <sqlite3.h>
#include <time.h>

enum {
    PROGRESS_STEPS = 20000, /* virtual machine steps between looks at the clock */
    WAIT_STEP_MS = 5,       /* first wait for a lock; grows */
    WAIT_STEP_MAX_MS = 50,
    BACKUP_PAGES = 256, /* copied per step */
};

struct sql_db {
    struct arena *arena;
    sqlite3 *handle;
    int64_t busy_timeout_ms;
    int64_t busy_since_ms;
    int64_t deadline_ms;
    sv error;
    int error_code, system_error;
    size_t log_pages;
    bool confined;
};

struct sql_stmt {
    struct sql_db *db;
    sqlite3_stmt *handle;
    bool bad_bind;
};

/* --- Errors --- */

static enum sql_result translate(int code) {
    switch (code & 0xff) {
    case SQLITE_OK:
        return SQL_OK;
    case SQLITE_ROW:
        return SQL_ROW;
    case SQLITE_DONE:
        return SQL_DONE;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return SQL_BUSY;
    case SQLITE_CONSTRAINT:
        return SQL_CONSTRAINT;
    case SQLITE_CORRUPT:
        return SQL_CORRUPT;
    case SQLITE_NOTADB:
        return SQL_NOT_A_DB;
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return SQL_READ_ONLY;
    case SQLITE_FULL:
        return SQL_FULL;
    case SQLITE_IOERR:
    case SQLITE_PROTOCOL:
        return SQL_IO;
    case SQLITE_CANTOPEN:
        return SQL_CANT_OPEN;
    case SQLITE_AUTH:
        return SQL_DENIED;
    case SQLITE_INTERRUPT:
        return SQL_INTERRUPTED;
    case SQLITE_NOMEM:
        return SQL_NO_MEMORY;
    default:
        return SQL_ERROR;
    }
}

/* Keeps what the handle says of its last call. */
static enum sql_result remember(struct sql_db *db, int code) {
    enum sql_result result = translate(code);
    if (result == SQL_OK || result == SQL_ROW || result == SQL_DONE) {
        return result;
    }
    db->error_code = code;
    db->system_error = sqlite3_system_errno(db->handle);
    db->error = arena_copy_sv(db->arena, sv_from_cstr(sqlite3_errmsg(db->handle)));
    return result;
}

/* A mistake that SQLite was not asked about. */
static enum sql_result refuse(struct sql_db *db, const char *why) {
    db->error_code = SQLITE_MISUSE;
    db->system_error = 0;
    db->error = sv_from_cstr(why);
    return SQL_ERROR;
}

sv sql_get_error(const struct sql_db *db) {
    return db->error;
}

int sql_get_error_code(const struct sql_db *db) {
    return db->error_code;
}

int sql_get_system_error(const struct sql_db *db) {
    return db->system_error;
}

/* --- Time --- */

static int64_t get_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int on_progress(void *user) {
    struct sql_db *db = user;
    return db->deadline_ms != 0 && get_now_ms() >= db->deadline_ms;
}

/* Called while a lock is held by another; 0 gives up. */
static int on_busy(void *user, int count) {
    struct sql_db *db = user;
    int64_t now = get_now_ms();
    if (count == 0) {
        db->busy_since_ms = now;
    }
    bool is_late = db->deadline_ms != 0 && now >= db->deadline_ms;
    if (is_late || now - db->busy_since_ms >= db->busy_timeout_ms) {
        return 0;
    }
    int wait_ms = WAIT_STEP_MS * (count + 1);
    sqlite3_sleep(wait_ms < WAIT_STEP_MAX_MS ? wait_ms : WAIT_STEP_MAX_MS);
    return 1;
}

void sql_set_deadline(struct sql_db *db, int64_t deadline_ms) {
    db->deadline_ms = deadline_ms;
    sqlite3_progress_handler(db->handle, deadline_ms == 0 ? 0 : PROGRESS_STEPS, on_progress, db);
}

void sql_interrupt(struct sql_db *db) {
    sqlite3_interrupt(db->handle);
}

/* --- What statements of others may do --- */

static int on_authorize(void *user, int action, const char *first, const char *second, const char *database,
                        const char *trigger) {
    (void)user;
    (void)first;
    (void)database;
    (void)trigger;
    bool is_denied = action == SQLITE_TRANSACTION || action == SQLITE_ATTACH || action == SQLITE_DETACH ||
                     (action == SQLITE_PRAGMA && second != NULL);
    return is_denied ? SQLITE_DENY : SQLITE_OK;
}

void sql_set_confined(struct sql_db *db, bool on) {
    db->confined = on;
    sqlite3_set_authorizer(db->handle, on ? on_authorize : NULL, db);
}

/* --- Opening and closing --- */

static void set_up(struct sql_db *db, const struct sql_options *options) {
    sqlite3_extended_result_codes(db->handle, 1);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, options->no_checkpoint_on_close ? 1 : 0, NULL);
    db->busy_timeout_ms = options->busy_timeout_ms;
    sqlite3_busy_handler(db->handle, on_busy, db);
}

static int get_flags(const struct sql_options *options) {
    int flags = options->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (options->memory) {
        return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
    }
    if (options->create && !options->read_only) {
        flags |= SQLITE_OPEN_CREATE;
    }
    return flags | SQLITE_OPEN_NOMUTEX | (options->no_follow ? SQLITE_OPEN_NOFOLLOW : 0);
}

/* As SQLite is to see it: "file:x", ":memory:" and the empty name mean something else to it. */
static const char *get_file_name(struct arena *a, sv path) {
    bool is_plain = path.len > 0 && path.data[0] == '/';
    return arena_printf(a, "%s%.*s", is_plain ? "" : "./", SV_ARG(path)).data;
}

enum sql_result sql_open(struct arena *a, sv path, const struct sql_options *options, struct sql_db **result, sv *why) {
    *result = NULL;
    struct sql_db *db = ARENA_NEW(a, struct sql_db);
    *db = (struct sql_db){.arena = a};
    if (!options->memory && (path.len == 0 || path.len > INT_MAX || sv_find_char(path, 0) != SIZE_MAX)) {
        if (why != NULL) {
            *why = SV("the file name is empty or has a NUL in it");
        }
        return SQL_CANT_OPEN;
    }
    const char *name = options->memory ? ":memory:" : get_file_name(a, path);
    int code = sqlite3_open_v2(name, &db->handle, get_flags(options), NULL);
    if (db->handle == NULL || code != SQLITE_OK) {
        enum sql_result failure = db->handle == NULL ? SQL_NO_MEMORY : remember(db, code);
        if (why != NULL) {
            *why = db->handle == NULL ? SV("out of memory") : db->error;
        }
        sqlite3_close_v2(db->handle);
        return failure;
    }
    set_up(db, options);
    *result = db;
    return SQL_OK;
}

void sql_close(struct sql_db *db) {
    if (db == NULL || db->handle == NULL) {
        return;
    }
    for (sqlite3_stmt *s = sqlite3_next_stmt(db->handle, NULL); s != NULL; s = sqlite3_next_stmt(db->handle, NULL)) {
        sqlite3_finalize(s);
    }
    sqlite3_close(db->handle);
    db->handle = NULL;
}

/* --- Statements --- */

/* Compiles the first statement of `*rest` and moves on; NULL where only blanks and comments are left. */
static enum sql_result compile(struct sql_db *db, sv *rest, unsigned flags, sqlite3_stmt **s) {
    const char *tail = NULL;
    int len = rest->len > INT_MAX ? INT_MAX : (int)rest->len;
    enum sql_result result = remember(db, sqlite3_prepare_v3(db->handle, rest->data, len, flags, s, &tail));
    if (result == SQL_OK) {
        *rest = sv_slice(*rest, (size_t)(tail - rest->data), rest->len);
    }
    return result;
}

/* NULL when the text can be compiled. */
static const char *find_text_mistake(sv text) {
    if (text.len > INT_MAX) {
        return "the SQL text is too long";
    }
    return text.len > 0 && sv_find_char(text, 0) != SIZE_MAX ? "the SQL text has a NUL in it" : NULL;
}

enum sql_result sql_exec(struct sql_db *db, sv text) {
    const char *mistake = find_text_mistake(text);
    if (mistake != NULL) {
        return refuse(db, mistake);
    }
    sv rest = text;
    while (rest.len > 0) {
        sqlite3_stmt *s = NULL;
        enum sql_result result = compile(db, &rest, 0, &s);
        if (result != SQL_OK) {
            return result;
        }
        int code = SQLITE_DONE;
        do {
            code = s == NULL ? SQLITE_DONE : sqlite3_step(s);
        } while (code == SQLITE_ROW);
        if (code != SQLITE_DONE) {
            result = remember(db, code);
            sqlite3_finalize(s);
            return result;
        }
        sqlite3_finalize(s);
    }
    return SQL_OK;
}

enum sql_result sql_prepare(struct sql_db *db, sv text, struct sql_stmt **result) {
    *result = NULL;
    const char *mistake = find_text_mistake(text);
    if (mistake != NULL) {
        return refuse(db, mistake);
    }
    sqlite3_stmt *s = NULL;
    sv rest = text;
    enum sql_result code = compile(db, &rest, SQLITE_PREPARE_PERSISTENT, &s);
    if (code != SQL_OK) {
        return code;
    }
    if (s == NULL || sv_trim(rest).len > 0) {
        sqlite3_finalize(s);
        return refuse(db, s == NULL ? "there is no statement in the SQL text" : "there is more than one statement");
    }
    struct sql_stmt *stmt = ARENA_NEW(db->arena, struct sql_stmt);
    *stmt = (struct sql_stmt){.db = db, .handle = s};
    *result = stmt;
    return SQL_OK;
}

static void note_bind(struct sql_stmt *s, int code) {
    if (code != SQLITE_OK) {
        remember(s->db, code);
        s->bad_bind = true;
    }
}

void sql_bind_i64(struct sql_stmt *s, int index, int64_t n) {
    note_bind(s, sqlite3_bind_int64(s->handle, index, n));
}

void sql_bind_double(struct sql_stmt *s, int index, double x) {
    note_bind(s, sqlite3_bind_double(s->handle, index, x));
}

void sql_bind_text(struct sql_stmt *s, int index, sv text) {
    const char *data = text.data == NULL ? "" : text.data;
    note_bind(s, sqlite3_bind_text64(s->handle, index, data, text.len, SQLITE_STATIC, SQLITE_UTF8));
}

void sql_bind_blob(struct sql_stmt *s, int index, const void *data, size_t len) {
    note_bind(s, sqlite3_bind_blob64(s->handle, index, data == NULL ? "" : data, len, SQLITE_STATIC));
}

void sql_bind_null(struct sql_stmt *s, int index) {
    note_bind(s, sqlite3_bind_null(s->handle, index));
}

void sql_reset(struct sql_stmt *s) {
    sqlite3_reset(s->handle);
    sqlite3_clear_bindings(s->handle);
    s->bad_bind = false;
}

enum sql_result sql_step(struct sql_stmt *s) {
    if (s->bad_bind) {
        sql_reset(s);
        return SQL_ERROR;
    }
    enum sql_result result = remember(s->db, sqlite3_step(s->handle));
    if (result != SQL_ROW) {
        sql_reset(s);
    }
    return result;
}

enum sql_result sql_run(struct sql_stmt *s) {
    enum sql_result result = sql_step(s);
    if (result == SQL_ROW) {
        sql_reset(s);
    }
    return result == SQL_ROW || result == SQL_DONE ? SQL_OK : result;
}

void sql_finish(struct sql_stmt *s) {
    if (s != NULL) {
        sqlite3_finalize(s->handle);
        s->handle = NULL;
    }
}

int64_t sql_get_i64(struct sql_stmt *s, int column) {
    return sqlite3_column_int64(s->handle, column);
}

double sql_get_double(struct sql_stmt *s, int column) {
    return sqlite3_column_double(s->handle, column);
}

sv sql_get_text(struct sql_stmt *s, int column) {
    bool is_blob = sqlite3_column_type(s->handle, column) == SQLITE_BLOB;
    const void *data =
        is_blob ? sqlite3_column_blob(s->handle, column) : (const void *)sqlite3_column_text(s->handle, column);
    return data == NULL ? (sv){0} : sv_make(data, (size_t)sqlite3_column_bytes(s->handle, column));
}

bool sql_is_null(struct sql_stmt *s, int column) {
    return sqlite3_column_type(s->handle, column) == SQLITE_NULL;
}

enum sql_kind sql_get_kind(struct sql_stmt *s, int column) {
    switch (sqlite3_column_type(s->handle, column)) {
    case SQLITE_INTEGER:
        return SQL_INTEGER;
    case SQLITE_FLOAT:
        return SQL_FLOAT;
    case SQLITE_TEXT:
        return SQL_TEXT;
    case SQLITE_BLOB:
        return SQL_BLOB;
    }
    return SQL_NULL;
}

size_t sql_get_column_count(struct sql_stmt *s) {
    return (size_t)sqlite3_column_count(s->handle);
}

sv sql_get_column_name(struct sql_stmt *s, int column) {
    return sv_from_cstr(sqlite3_column_name(s->handle, column));
}

bool sql_is_read_only(struct sql_stmt *s) {
    return sqlite3_stmt_readonly(s->handle) != 0;
}

/* --- Transactions --- */

/* Our own transaction control passes where that of others is refused. */
static enum sql_result control(struct sql_db *db, sv text) {
    bool was_confined = db->confined;
    sql_set_confined(db, false);
    enum sql_result result = sql_exec(db, text);
    sql_set_confined(db, was_confined);
    return result;
}

enum sql_result sql_begin(struct sql_db *db) {
    return control(db, SV("BEGIN IMMEDIATE"));
}

enum sql_result sql_commit(struct sql_db *db) {
    return control(db, SV("COMMIT"));
}

/* A failed statement may have ended the transaction already. What made the rollback necessary stays the error. */
void sql_rollback(struct sql_db *db) {
    if (!sql_is_in_transaction(db)) {
        return;
    }
    struct sql_db before = *db;
    sql_set_deadline(db, 0);
    control(db, SV("ROLLBACK"));
    sql_set_deadline(db, before.deadline_ms);
    db->error = before.error;
    db->error_code = before.error_code;
    db->system_error = before.system_error;
}

bool sql_is_in_transaction(const struct sql_db *db) {
    return sqlite3_get_autocommit(db->handle) == 0;
}

int64_t sql_get_changes(const struct sql_db *db) {
    return sqlite3_changes64(db->handle);
}

/* --- Whole databases --- */

static enum sql_result copy_pages(struct sql_db *db, struct sql_db *target) {
    sqlite3_backup *backup = sqlite3_backup_init(target->handle, "main", db->handle, "main");
    if (backup == NULL) {
        return remember(target, sqlite3_errcode(target->handle));
    }
    int code = SQLITE_OK;
    for (int waits = 0; code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED;) {
        code = sqlite3_backup_step(backup, BACKUP_PAGES);
        if ((code == SQLITE_BUSY || code == SQLITE_LOCKED) && on_busy(db, waits++) == 0) {
            break;
        }
    }
    int finished = sqlite3_backup_finish(backup);
    return code == SQLITE_DONE ? remember(target, finished) : remember(target, code);
}

enum sql_result sql_backup(struct sql_db *db, sv path) {
    struct sql_options options = {.create = true, .busy_timeout_ms = db->busy_timeout_ms};
    struct sql_db *target;
    sv why = {0};
    enum sql_result result = sql_open(db->arena, path, &options, &target, &why);
    if (result != SQL_OK || target == NULL) {
        db->error = why;
        return result;
    }
    result = SQL_EXEC(target, "PRAGMA synchronous=FULL");
    if (result == SQL_OK) {
        result = copy_pages(db, target);
    }
    if (result != SQL_OK) {
        db->error = target->error;
        db->error_code = target->error_code;
        db->system_error = target->system_error;
    }
    sql_close(target);
    return result;
}

static int on_log(void *user, sqlite3 *handle, const char *name, int pages) {
    (void)handle;
    (void)name;
    ((struct sql_db *)user)->log_pages = pages > 0 ? (size_t)pages : 0;
    return SQLITE_OK;
}

void sql_watch_log(struct sql_db *db) {
    sqlite3_wal_hook(db->handle, on_log, db);
}

size_t sql_get_log_pages(const struct sql_db *db) {
    return db->log_pages;
}

enum sql_result sql_checkpoint(struct sql_db *db, bool truncate) {
    int mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
    int in_log = 0, moved = 0;
    enum sql_result result = remember(db, sqlite3_wal_checkpoint_v2(db->handle, NULL, mode, &in_log, &moved));
    return result == SQL_OK && moved < in_log ? SQL_BUSY : result;
}

enum sql_result sql_check_integrity(struct sql_db *db, sv *why) {
    struct sql_stmt *s;
    enum sql_result result = sql_prepare(db, SV("PRAGMA integrity_check(1)"), &s);
    if (result != SQL_OK) {
        *why = db->error;
        return result;
    }
    result = sql_step(s);
    if (result == SQL_ROW) {
        sv found = sql_get_text(s, 0);
        result = sv_eq(found, SV("ok")) ? SQL_OK : SQL_CORRUPT;
        *why = arena_copy_sv(db->arena, found);
    } else {
        *why = db->error;
        result = result == SQL_DONE ? SQL_CORRUPT : result;
    }
    sql_finish(s);
    return result;
}
