/* The format of the state, step by step. Steps are never changed, only added. */
#include "stores/sqlite/internal.h"

#include <fcntl.h>
#include <unistd.h>

const struct migration state_migrations[] = {
    {"CREATE TABLE migrations (version INTEGER PRIMARY KEY, applied_ms INTEGER NOT NULL, lintel TEXT NOT NULL) STRICT;"
     "CREATE TABLE meta (name TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT;"
     "CREATE TABLE serial (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL) STRICT;"
     "INSERT INTO serial VALUES (1, 1);"
     "CREATE TABLE instances ("
     " number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, context TEXT NOT NULL, name TEXT NOT NULL,"
     " dialect TEXT NOT NULL, status TEXT NOT NULL, version INTEGER NOT NULL, created_ms INTEGER NOT NULL,"
     " updated_ms INTEGER NOT NULL, body TEXT NOT NULL, digest BLOB NOT NULL, UNIQUE (context, name)) STRICT;"
     "CREATE TABLE elements ("
     " number INTEGER PRIMARY KEY, instance INTEGER NOT NULL REFERENCES instances (number) ON DELETE CASCADE,"
     " address TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL, precise_status TEXT NOT NULL,"
     " physical_id TEXT NOT NULL, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, body TEXT NOT NULL,"
     " digest BLOB NOT NULL, UNIQUE (instance, address)) STRICT;"
     "CREATE INDEX elements_in_order ON elements (instance);" /* rows of an instance by number: loading sorts nothing */
     "CREATE TABLE journal ("
     " instance INTEGER NOT NULL REFERENCES instances (number) ON DELETE CASCADE, sequence INTEGER NOT NULL,"
     " kind INTEGER NOT NULL, run_id TEXT NOT NULL, token INTEGER NOT NULL, wall_ms INTEGER NOT NULL,"
     " operation TEXT NOT NULL, address TEXT NOT NULL, action TEXT NOT NULL, body TEXT NOT NULL, mac BLOB NOT NULL,"
     " digest BLOB NOT NULL, PRIMARY KEY (instance, sequence)) STRICT, WITHOUT ROWID;"
     "CREATE TABLE history ("
     " instance_id TEXT NOT NULL, number INTEGER NOT NULL, run_id TEXT NOT NULL, kind TEXT NOT NULL,"
     " actor TEXT NOT NULL, outcome TEXT NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL,"
     " body TEXT NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (instance_id, number)) STRICT, WITHOUT ROWID;"
     "CREATE TABLE leases ("
     " instance_id TEXT PRIMARY KEY, token INTEGER NOT NULL, holder TEXT NOT NULL, expires_ms INTEGER NOT NULL,"
     " boot_id TEXT NOT NULL, digest BLOB NOT NULL) STRICT, WITHOUT ROWID;"},
    {"CREATE TABLE queue ("
     " number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, status INTEGER NOT NULL,"
     " instance_id TEXT NOT NULL, instance_name TEXT NOT NULL, context TEXT NOT NULL, kind TEXT NOT NULL,"
     " actor TEXT NOT NULL, created_ms INTEGER NOT NULL, taken_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL,"
     " takes INTEGER NOT NULL, exit_code INTEGER NOT NULL, outcome TEXT NOT NULL, body TEXT NOT NULL,"
     " digest BLOB NOT NULL) STRICT;"
     "CREATE INDEX queue_of_instance ON queue (instance_id, number);"
     "CREATE INDEX queue_open ON queue (instance_id, status, number) WHERE status < 3;"
     "CREATE TABLE queued_plans (run_id TEXT PRIMARY KEY REFERENCES queue (id) ON DELETE CASCADE, plan TEXT NOT NULL,"
     " digest BLOB NOT NULL) STRICT;"
     "CREATE TABLE events (number INTEGER PRIMARY KEY, run_id TEXT NOT NULL, sequence INTEGER NOT NULL,"
     " instance_id TEXT NOT NULL, body TEXT NOT NULL, digest BLOB NOT NULL, UNIQUE (run_id, sequence)) STRICT;"
     "CREATE INDEX events_of_instance ON events (instance_id, run_id);"},
    {"CREATE TABLE data_keys (context TEXT PRIMARY KEY, wrapped TEXT NOT NULL, digest BLOB NOT NULL) STRICT,"
     " WITHOUT ROWID;"},
    {"CREATE INDEX elements_by_object ON elements (physical_id, type) WHERE physical_id <> '';"},
};
const size_t state_migration_count = sizeof state_migrations / sizeof state_migrations[0];

enum store_result read_i64(struct sqlite_store *s, const char *sql, int64_t *result) {
    struct sql_stmt *stmt = NULL;
    enum sql_result r = sql_prepare(s->db, sv_from_cstr(sql), &stmt);
    if (r == SQL_OK) {
        r = sql_step(stmt);
        *result = r == SQL_ROW ? sql_get_i64(stmt, 0) : 0;
        sql_reset(stmt);
    }
    sql_finish(stmt);
    return r == SQL_ROW || r == SQL_DONE ? STORE_OK : report_sql(s, r, "cannot be read");
}

static enum sql_result add_store_key(struct sqlite_store *s) {
    struct sql_stmt *stmt;
    enum sql_result r = sql_prepare(s->db, SV("INSERT INTO meta (name, data) VALUES ('key', ?1)"), &stmt);
    if (r != SQL_OK) {
        return r;
    }
    uint8_t key[STATE_KEY];
    s->store.host->ops->fill_random(s->store.host->user, key, sizeof key);
    sql_bind_blob(stmt, 1, key, sizeof key);
    r = sql_run(stmt);
    sql_finish(stmt);
    return r;
}

static enum sql_result note_migration(struct sqlite_store *s, size_t version) {
    struct sql_stmt *stmt;
    enum sql_result r =
        sql_prepare(s->db, SV("INSERT INTO migrations (version, applied_ms, lintel) VALUES (?1, ?2, ?3)"), &stmt);
    if (r != SQL_OK) {
        return r;
    }
    sql_bind_i64(stmt, 1, (int64_t)version);
    sql_bind_i64(stmt, 2, s->store.host->ops->get_wall_ms(s->store.host->user));
    sql_bind_text(stmt, 3, SV(LINTEL_VERSION));
    r = sql_run(stmt);
    sql_finish(stmt);
    return r;
}

/* user_version last: as long as it is old, the step has not happened. */
static enum sql_result apply(struct sqlite_store *s, const struct migration *m, size_t version) {
    struct arena scratch = {0};
    enum sql_result r = sql_exec(s->db, sv_from_cstr(m->sql));
    if (r == SQL_OK && version == 1) {
        r = add_store_key(s);
    }
    if (r == SQL_OK) {
        r = note_migration(s, version);
    }
    if (r == SQL_OK && version == 1) {
        r = sql_exec(s->db, arena_printf(&scratch, "PRAGMA application_id = %d", STATE_APPLICATION_ID));
    }
    if (r == SQL_OK) {
        r = sql_exec(s->db, arena_printf(&scratch, "PRAGMA user_version = %zu", version));
    }
    arena_fini(&scratch);
    return r;
}

static enum sql_result make_backup(struct sqlite_store *s) {
    sv path = arena_printf(&s->arena, "%.*s.bak", SV_ARG(s->path));
    unlink(path.data);
    int fd = open(path.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return SQL_CANT_OPEN;
    }
    close(fd);
    return sql_backup(s->db, path);
}

enum store_result migrate(struct sqlite_store *s, const struct migration *migrations, size_t count) {
    int64_t version = 0;
    enum store_result result = read_i64(s, "PRAGMA user_version", &version);
    if (result != STORE_OK || (size_t)version >= count) {
        return result;
    }
    enum sql_result r = version > 0 ? make_backup(s) : SQL_OK;
    if (r != SQL_OK) {
        return report_sql(s, r, "cannot be copied before its format is changed");
    }
    r = sql_begin(s->db);
    for (size_t next = (size_t)version; r == SQL_OK && next < count; next++) {
        r = apply(s, &migrations[next], next + 1);
    }
    if (r == SQL_OK) {
        r = sql_commit(s->db);
    }
    if (r != SQL_OK) {
        sql_rollback(s->db);
        return report_sql(s, r, "cannot be brought to the format of this version");
    }
    return STORE_OK;
}
