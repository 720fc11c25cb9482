/* Opening, connecting, closing. */
#include "stores/sqlite/sqlite_store.h"

#include "adapters/crypto/crypto.h"
#include "stores/sqlite/internal.h"

#include <errno.h>

enum { OPEN_LOCK_MS = 30000 };

static const char *const statement_texts[STMT_COUNT] = {
    [STMT_SET_SERIAL] = "UPDATE serial SET number = number + 1 RETURNING number",
    [STMT_FIND_NUMBER] = "SELECT number FROM instances WHERE id = ?1",
#define INSTANCE_COLUMNS "id, context, name, dialect, status, version, created_ms, updated_ms, body, digest"
    [STMT_LOAD_INSTANCE] = "SELECT " INSTANCE_COLUMNS " FROM instances WHERE id = ?1",
    [STMT_FIND_INSTANCE] = "SELECT " INSTANCE_COLUMNS " FROM instances WHERE context = ?1 AND name = ?2",
    [STMT_LIST_INSTANCES] =
        "SELECT " INSTANCE_COLUMNS " FROM instances WHERE ?1 = '' OR context = ?1 ORDER BY context, name",
    [STMT_LOAD_ELEMENTS] = "SELECT address, type, status, precise_status, physical_id, created_ms, updated_ms, body,"
                           " digest FROM elements WHERE instance = ?1 ORDER BY number",
    [STMT_LOAD_JOURNAL] = "SELECT sequence, kind, run_id, token, wall_ms, operation, address, action, body, mac, digest"
                          " FROM journal WHERE instance = ?1 ORDER BY sequence",
    [STMT_LIST_HISTORY] = "SELECT number, run_id, kind, actor, outcome, started_ms, ended_ms, body, digest"
                          " FROM history WHERE instance_id = ?1 ORDER BY number",
    [STMT_FIND_CLAIMS] = "SELECT i.id, i.name, i.context, e.address FROM elements AS e JOIN instances AS i"
                         " ON i.number = e.instance WHERE e.type = ?1 AND e.physical_id = ?2 AND e.physical_id <> ''"
                         " ORDER BY i.context, i.name, e.number",
    [STMT_LOAD_LEASE] = "SELECT token, holder, expires_ms, boot_id, digest FROM leases WHERE instance_id = ?1",
    [STMT_PUT_LEASE] = "INSERT INTO leases (instance_id, token, holder, expires_ms, boot_id, digest)"
                       " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (instance_id) DO UPDATE SET token = ?2,"
                       " holder = ?3, expires_ms = ?4, boot_id = ?5, digest = ?6",
    [STMT_INSERT_INSTANCE] =
        "INSERT INTO instances (" INSTANCE_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [STMT_UPDATE_INSTANCE] = "UPDATE instances SET context = ?2, name = ?3, dialect = ?4, status = ?5, version = ?6,"
                             " created_ms = ?7, updated_ms = ?8, body = ?9, digest = ?10"
                             " WHERE id = ?1 AND version = ?11",
    [STMT_DELETE_INSTANCE] = "DELETE FROM instances WHERE id = ?1",
    [STMT_PUT_ELEMENT] = "INSERT INTO elements (instance, address, type, status, precise_status, physical_id,"
                         " created_ms, updated_ms, body, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
                         " ON CONFLICT (instance, address) DO UPDATE SET type = ?3, status = ?4, precise_status = ?5,"
                         " physical_id = ?6, created_ms = ?7, updated_ms = ?8, body = ?9, digest = ?10",
    [STMT_DELETE_ELEMENT] = "DELETE FROM elements WHERE instance = ?1 AND address = ?2",
    [STMT_LAST_SEQUENCE] = "SELECT max(sequence) FROM journal WHERE instance = ?1",
    [STMT_APPEND_JOURNAL] = "INSERT INTO journal (instance, sequence, kind, run_id, token, wall_ms, operation, address,"
                            " action, body, mac, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    [STMT_CLEAR_JOURNAL] = "DELETE FROM journal WHERE instance = ?1",
    [STMT_LAST_HISTORY] = "SELECT max(number) FROM history WHERE instance_id = ?1",
    [STMT_ADD_HISTORY] = "INSERT INTO history (number, run_id, kind, actor, outcome, started_ms, ended_ms, body,"
                         " instance_id, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [STMT_PRUNE_HISTORY] = "DELETE FROM history WHERE instance_id = ?1 AND number NOT IN"
                           " (SELECT number FROM history WHERE instance_id = ?1 ORDER BY number DESC LIMIT ?2)",

    [STMT_FIND_DATA_KEY] = "SELECT wrapped, digest FROM data_keys WHERE context = ?1",
    [STMT_PUT_DATA_KEY] = "INSERT INTO data_keys (context, wrapped, digest) VALUES (?1, ?2, ?3)"
                          " ON CONFLICT (context) DO UPDATE SET wrapped = ?2, digest = ?3",
    [STMT_LIST_LEASES] = "SELECT instance_id FROM leases WHERE holder <> '' ORDER BY instance_id",
    [STMT_LIST_OWNERS] = "SELECT DISTINCT instance_id FROM history ORDER BY instance_id",
    [STMT_REWRITE_JOURNAL] = "UPDATE journal SET kind = ?3, run_id = ?4, token = ?5, wall_ms = ?6, operation = ?7,"
                             " address = ?8, action = ?9, body = ?10, mac = ?11, digest = ?12"
                             " WHERE instance = ?1 AND sequence = ?2",
    [STMT_REWRITE_HISTORY] = "UPDATE history SET run_id = ?2, kind = ?3, actor = ?4, outcome = ?5, started_ms = ?6,"
                             " ended_ms = ?7, body = ?8, digest = ?10 WHERE instance_id = ?9 AND number = ?1",

/* Statuses are those of store.h: queued 1, running 2; from 3 on it is over. */
#define RUN_COLUMNS                                                                                         \
    "number, id, status, instance_id, instance_name, context, kind, actor, created_ms, taken_ms, ended_ms," \
    " takes, exit_code, outcome, body, digest"
    [STMT_ADD_RUN] = "INSERT INTO queue (id, status, instance_id, instance_name, context, kind, actor, created_ms,"
                     " taken_ms, ended_ms, takes, exit_code, outcome, body, digest)"
                     " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    [STMT_FIND_RUN] = "SELECT " RUN_COLUMNS " FROM queue WHERE id = ?1",
    [STMT_UPDATE_RUN] = "UPDATE queue SET status = ?2, instance_id = ?3, instance_name = ?4, context = ?5, kind = ?6,"
                        " actor = ?7, created_ms = ?8, taken_ms = ?9, ended_ms = ?10, takes = ?11, exit_code = ?12,"
                        " outcome = ?13, body = ?14, digest = ?15 WHERE id = ?1",
    [STMT_LIST_RUNS] = "SELECT " RUN_COLUMNS " FROM queue WHERE (?1 = '' OR context = ?1) AND (?2 = 0 OR status < 3)"
                       " ORDER BY number",
    [STMT_NEXT_RUNS] = "SELECT " RUN_COLUMNS
                       " FROM queue AS q WHERE context = ?1 AND status < 3 AND NOT EXISTS (SELECT 1 FROM queue AS o"
                       " WHERE o.status < 3 AND o.instance_id = q.instance_id"
                       " AND (o.status > q.status OR (o.status = q.status AND o.number < q.number))) ORDER BY number",
    [STMT_PRUNE_RUNS] = "DELETE FROM queue WHERE instance_id = ?1 AND status >= 3 AND number NOT IN"
                        " (SELECT number FROM queue WHERE instance_id = ?1 AND status >= 3"
                        " ORDER BY number DESC LIMIT ?2)",
    [STMT_PUT_PLAN] = "INSERT INTO queued_plans (run_id, plan, digest) VALUES (?1, ?2, ?3)",
    [STMT_LOAD_PLAN] = "SELECT plan, digest FROM queued_plans WHERE run_id = ?1",
    [STMT_DROP_PLAN] = "DELETE FROM queued_plans WHERE run_id = ?1",

    [STMT_LAST_EVENTS] = "SELECT max(sequence) FROM events WHERE run_id = ?1",
    [STMT_ADD_EVENTS] = "INSERT INTO events (run_id, sequence, instance_id, body, digest) VALUES (?1, ?2, ?3, ?4, ?5)",
    [STMT_LIST_EVENTS] = "SELECT sequence, instance_id, body, digest FROM events WHERE run_id = ?1 AND sequence > ?2"
                         " ORDER BY sequence LIMIT ?3",
    [STMT_PRUNE_EVENTS] = "DELETE FROM events WHERE instance_id = ?1 AND run_id NOT IN"
                          " (SELECT run_id FROM history WHERE instance_id = ?1) AND run_id NOT IN"
                          " (SELECT id FROM queue WHERE instance_id = ?1)",
};

/* The connection */

void forget_number(struct sqlite_store *s) {
    arena_fini(&s->cache_arena);
    s->cached_id = (sv){0};
}

void drop_db(struct sqlite_store *s) {
    sql_close(s->db);
    s->db = NULL;
    memset(s->statements, 0, sizeof s->statements);
    arena_fini(&s->db_arena);
    forget_number(s);
}

static enum store_result open_db(struct sqlite_store *s) {
    struct sql_options options = {
        .read_only = s->read_only,
        .no_follow = true,
        .no_checkpoint_on_close = true,
        .busy_timeout_ms = s->busy_timeout_ms,
    };
    sv why = {0};
    enum sql_result r = sql_open(&s->db_arena, s->path, &options, &s->db, &why);
    if (r != SQL_OK) {
        struct diag *d = diags_add(s->store.diags, DIAG_state_not_available, SPAN_NONE,
                                   "state file '%.*s' cannot be opened: %.*s", SV_ARG(s->path), SV_ARG(why));
        diag_set_hint(s->store.diags, d, "look at the rights of the file and its directory");
        return STORE_FAILED;
    }
    r = SQL_EXEC(s->db, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;"
                        "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA secure_delete = ON;"
                        "PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000");
    if (r != SQL_OK) {
        return report_sql(s, r, "cannot be opened");
    }
    sql_watch_log(s->db);
    return STORE_OK;
}

enum store_result connect_db(struct sqlite_store *s) {
    return s->db != NULL ? STORE_OK : open_db(s);
}

struct sql_stmt *get_statement(struct sqlite_store *s, enum statement which, enum store_result *result) {
    *result = STORE_FAILED;
    if (s->db == NULL && s->in_transaction) {
        return NULL; /* what broke the connection has been reported */
    }
    *result = connect_db(s);
    if (*result == STORE_OK && s->statements[which] == NULL) {
        enum sql_result r = sql_prepare(s->db, sv_from_cstr(statement_texts[which]), &s->statements[which]);
        *result = r == SQL_OK ? STORE_OK : report_sql(s, r, "cannot be used");
    }
    return *result == STORE_OK ? s->statements[which] : NULL;
}

enum store_result find_number(struct sqlite_store *s, sv instance_id, int64_t *number) {
    if (s->cached_id.len > 0 && sv_eq(s->cached_id, instance_id)) {
        *number = s->cached_number;
        return STORE_OK;
    }
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_FIND_NUMBER, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, instance_id);
    enum sql_result r = sql_step(stmt);
    if (r == SQL_ROW) {
        *number = sql_get_i64(stmt, 0);
        sql_reset(stmt);
        forget_number(s);
        s->cached_id = arena_copy_sv(&s->cache_arena, instance_id);
        s->cached_number = *number;
        return STORE_OK;
    }
    return r == SQL_DONE ? STORE_NOT_FOUND : report_sql(s, r, "cannot be read");
}

/* Checks at opening */

static enum store_result check_version(struct sqlite_store *s, int64_t *version) {
    int64_t tables = 0;
    enum store_result result = read_i64(s, "PRAGMA user_version", version);
    if (result != STORE_OK) {
        return result;
    }
    if (*version < 0 || (uint64_t)*version > state_migration_count) {
        struct diag *d = diags_add(s->store.diags, DIAG_state_newer, SPAN_NONE,
                                   "state file '%.*s' has format %lld, this lintel knows formats up to %zu",
                                   SV_ARG(s->path), (long long)*version, state_migration_count);
        diag_set_hint(s->store.diags, d, "use the lintel that wrote it, or a newer one");
        return STORE_NEWER;
    }
    result = *version > 0 ? STORE_OK : read_i64(s, "SELECT count(*) FROM sqlite_schema", &tables);
    if (tables > 0) {
        return report(s, STORE_FOREIGN, DIAG_state_foreign, "holds tables that are not lintel's",
                      "name another file with --state");
    }
    if (result == STORE_OK && s->read_only && (uint64_t)*version < state_migration_count) {
        return report(s, STORE_READ_ONLY, DIAG_state_not_available, "is of an older format",
                      "run a command that writes, such as deploy: it changes the format and keeps a copy");
    }
    return result;
}

/* After a clean end the note tells size and time of the file and the log is empty. */
static bool ended_cleanly(struct sqlite_store *s, struct side_note note) {
    int64_t size = 0, mtime_ns = 0, wal_size = 0, wal_mtime_ns = 0;
    bool has_file = files_get_stamp(s->path, &size, &mtime_ns);
    bool has_wal = files_get_stamp(s->wal_path, &wal_size, &wal_mtime_ns);
    return has_file && note.size > 0 && note.size == size && note.mtime_ns == mtime_ns && (!has_wal || wal_size == 0);
}

static enum store_result check_integrity(struct sqlite_store *s) {
    sv why = {0};
    enum sql_result r = sql_check_integrity(s->db, &why);
    if (r == SQL_OK) {
        return STORE_OK;
    }
    if (r != SQL_CORRUPT && r != SQL_NOT_A_DB) {
        return report_sql(s, r, "cannot be checked");
    }
    struct arena scratch = {0};
    enum store_result result = report_damage(s, arena_printf(&scratch, "is damaged: %.*s", SV_ARG(why)).data);
    arena_fini(&scratch);
    return result;
}

static enum store_result load_key(struct sqlite_store *s) {
    struct sql_stmt *stmt;
    enum sql_result r = sql_prepare(s->db, SV("SELECT data FROM meta WHERE name = 'key'"), &stmt);
    if (r != SQL_OK) {
        return report_sql(s, r, "cannot be read");
    }
    r = sql_step(stmt);
    sv key = r == SQL_ROW ? sql_get_text(stmt, 0) : (sv){0};
    bool ok = key.len == sizeof s->key;
    if (ok) {
        memcpy(s->key, key.data, sizeof s->key);
    }
    sql_finish(stmt);
    if (r != SQL_ROW && r != SQL_DONE) {
        return report_sql(s, r, "cannot be read");
    }
    return ok ? STORE_OK : report_damage(s, "has lost its key");
}

/* (6) */
static enum store_result check_serial(struct sqlite_store *s, struct side_note note, bool is_new) {
    enum store_result result = read_i64(s, "SELECT number FROM serial", &s->serial);
    if (result != STORE_OK) {
        return result;
    }
    if (is_new) {
        side_write(&s->side, (struct side_note){.serial = s->serial});
    } else if (note.serial > s->serial) {
        struct diag *d =
            diags_add(s->store.diags, DIAG_journal_chain_broken, SPAN_NONE,
                      "state file '%.*s' is an older copy: its last change has number %lld, %lld was here before",
                      SV_ARG(s->path), (long long)s->serial, (long long)note.serial);
        diag_set_hint(s->store.diags, d,
                      "what was made since then is not in it; put the newer file back, or remove '%.*s-lock' to go on "
                      "with this one",
                      SV_ARG(s->path));
        return STORE_CORRUPT;
    }
    return STORE_OK;
}

/* Nothing has been changed yet: of the file nothing is to be but what it was. */
static enum store_result ask_before_migration(struct sqlite_store *s, int64_t version) {
    bool is_old = version > 0 && (uint64_t)version < state_migration_count;
    if (!is_old || s->may_migrate == NULL) {
        return STORE_OK;
    }
    enum store_result result = load_key(s);
    s->format = version;
    if (result == STORE_OK && !s->may_migrate(s->user, &s->store)) {
        result = STORE_FAILED;
    }
    return result;
}

/* With the exclusive lock. The note is read first, so that the database can only be newer. */
static enum store_result open_locked(struct sqlite_store *s) {
    bool exists = false;
    enum store_result result = files_check_header(s, &exists);
    if (result == STORE_OK && !exists && s->read_only) {
        return report(s, STORE_FAILED, DIAG_state_not_available, "does not exist",
                      "deploy something first, or name another file with --state");
    }
    if (result == STORE_OK && !s->read_only) {
        result = files_prepare(s);
    }
    struct side_note note = side_read(&s->side);
    bool must_check = exists && side_enter_alone(&s->side) && !ended_cleanly(s, note);
    int64_t version = 0;
    result = result == STORE_OK ? open_db(s) : result;
    result = result == STORE_OK ? check_version(s, &version) : result;
    if (result == STORE_OK && must_check) {
        result = check_integrity(s);
    }
    if (result == STORE_OK && !s->read_only) {
        result = ask_before_migration(s, version);
    }
    if (result == STORE_OK && !s->read_only) {
        result = migrate(s, state_migrations, state_migration_count);
    }
    s->format = s->read_only ? version : (int64_t)state_migration_count;
    if (result == STORE_OK && !s->read_only) {
        enum sql_result r = SQL_EXEC(s->db, "PRAGMA journal_mode = WAL");
        result = r == SQL_OK ? STORE_OK : report_sql(s, r, "cannot be written");
    }
    result = result == STORE_OK ? load_key(s) : result;
    return result == STORE_OK ? check_serial(s, note, version == 0) : result;
}

static enum store_result open_side(struct sqlite_store *s) {
    if (!side_open(&s->side, &s->arena, s->path, !s->read_only)) {
        struct diag *d = diags_add(s->store.diags, DIAG_state_not_available, SPAN_NONE,
                                   "state file '%.*s' cannot be locked: '%.*s-lock': %s", SV_ARG(s->path),
                                   SV_ARG(s->path), describe_error(errno));
        diag_set_hint(s->store.diags, d, "look at the rights of the directory, and whether it is mounted read-only");
        return errno == EROFS ? STORE_READ_ONLY : STORE_FAILED;
    }
    int64_t timeout_ms = s->busy_timeout_ms > 0 ? s->busy_timeout_ms : OPEN_LOCK_MS;
    if (!side_lock(&s->side, s->store.host, true, timeout_ms)) {
        return report(s, STORE_BUSY, DIAG_state_busy, "is being opened or written by another program",
                      "try again when that has ended");
    }
    return STORE_OK;
}

/* Whether the file is ours is looked at before anything is made beside it. */
static enum store_result open_all(struct sqlite_store *s, sv path) {
    sv resolved = files_resolve(s, path, !s->read_only);
    if (resolved.len == 0) {
        return STORE_FAILED;
    }
    s->path = resolved;
    s->wal_path = arena_printf(&s->arena, "%.*s-wal", SV_ARG(resolved));
    s->description = arena_printf(&s->arena, "SQLite, %.*s", SV_ARG(resolved));
    bool exists = false;
    enum store_result result = files_check_header(s, &exists);
    result = result == STORE_OK ? open_side(s) : result;
    if (result == STORE_OK) {
        result = open_locked(s);
        side_enter(&s->side);
        side_unlock(&s->side);
    }
    return result;
}

/* Callbacks */

/* A clean end: everything is in the database file and nobody else has it open. */
static void note_clean_end(struct sqlite_store *s) {
    struct side_note note = {.serial = s->serial};
    int64_t wal_size = 0, unused = 0;
    bool has_wal = files_get_stamp(s->wal_path, &wal_size, &unused);
    if (side_enter_alone(&s->side) && (!has_wal || wal_size == 0) &&
        files_get_stamp(s->path, &note.size, &note.mtime_ns) && side_read(&s->side).serial <= s->serial) {
        side_write(&s->side, note);
    }
}

static void sqlite_close(struct store *store) {
    struct sqlite_store *s = sqlite_of(store);
    if (s->in_transaction) {
        sqlite_rollback(store);
    }
    bool writes = s->db != NULL && !s->read_only && !s->is_damaged;
    if (writes) {
        checkpoint(s, true);
        writes = s->db != NULL;
    }
    drop_db(s);
    if (writes) {
        note_clean_end(s);
    }
    side_close(&s->side);
    arena_fini(&s->row_arena);
    arena_fini(&s->cache_arena);
    arena_fini(&s->arena);
}

static sv sqlite_get_description(struct store *store) {
    return sqlite_of(store)->description;
}

static enum store_result sqlite_get_store_key(struct store *store, uint8_t key[32]) {
    memcpy(key, sqlite_of(store)->key, STATE_KEY);
    return STORE_OK;
}

static const struct store_ops sqlite_ops = {
    .close = sqlite_close,
    .get_description = sqlite_get_description,
    .get_store_key = sqlite_get_store_key,
    .begin = sqlite_begin,
    .begin_alone = sqlite_begin_alone,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .take_lease = sqlite_take_lease,
    .renew_lease = sqlite_renew_lease,
    .release_lease = sqlite_release_lease,
    .load_tree = sqlite_load_tree,
    .find_instance = sqlite_find_instance,
    .list_instances = sqlite_list_instances,
    .list_history = sqlite_list_history,
    .list_owners = sqlite_list_owners,
    .find_data_key = sqlite_find_data_key,
    .put_data_key = sqlite_put_data_key,
    .find_claims = sqlite_find_claims,
    .put_instance = sqlite_put_instance,
    .delete_instance = sqlite_delete_instance,
    .put_element = sqlite_put_element,
    .delete_element = sqlite_delete_element,
    .append_journal = sqlite_append_journal,
    .compact_journal = sqlite_compact_journal,
    .rewrite_journal = sqlite_rewrite_journal,
    .rewrite_history = sqlite_rewrite_history,
    .add_run = sqlite_add_run,
    .change_run = sqlite_change_run,
    .take_run = sqlite_take_run,
    .list_runs = sqlite_list_runs,
    .find_run = sqlite_find_run,
    .append_events = sqlite_append_events,
    .list_events = sqlite_list_events,
    .await_news = sqlite_await_news,
};

struct store *sqlite_store_open(struct arena *a, sv path, const struct store_options *options,
                                enum store_result *result) {
    struct sqlite_store *s = ARENA_NEW(a, struct sqlite_store);
    s->store = (struct store){.ops = &sqlite_ops, .diags = options->diags, .host = options->host};
    s->read_only = options->read_only;
    s->may_migrate = options->may_migrate;
    s->user = options->user;
    s->busy_timeout_ms = options->busy_timeout_ms;
    s->side.fd = -1;
    s->row = BUF(&s->row_arena);
    crypto_start();
    enum store_result opened = open_all(s, path);
    if (result != NULL) {
        *result = opened;
    }
    if (opened == STORE_OK) {
        return &s->store;
    }
    s->is_damaged = true; /* nothing more is written */
    sqlite_close(&s->store);
    return NULL;
}
