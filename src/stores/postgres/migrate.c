/* The format of the state, step by step. Steps are never changed, only added. */
#include "stores/postgres/internal.h"

#define APPLICATION "lintel state"

const struct migration postgres_migrations[] = {
    {"CREATE TABLE meta (name text PRIMARY KEY, data bytea NOT NULL);"
     "CREATE TABLE migrations (version bigint PRIMARY KEY CHECK (version > 0), applied_ms bigint NOT NULL,"
     " lintel text NOT NULL);"
     "CREATE TABLE handles (id text COLLATE \"C\" PRIMARY KEY, number bigint NOT NULL CHECK (number >= 0),"
     " seen timestamptz NOT NULL DEFAULT now());"
     "CREATE TABLE leases (instance_id text COLLATE \"C\" PRIMARY KEY, token bigint NOT NULL CHECK (token >= 0),"
     " holder text NOT NULL, expires_ms bigint NOT NULL);"
     "CREATE TABLE instances ("
     " id text COLLATE \"C\" PRIMARY KEY CHECK (id <> ''), context text COLLATE \"C\" NOT NULL,"
     " name text COLLATE \"C\" NOT NULL, dialect text NOT NULL, status text NOT NULL,"
     " version bigint NOT NULL CHECK (version > 0), created_ms bigint NOT NULL, updated_ms bigint NOT NULL,"
     " body text NOT NULL, UNIQUE (context, name));"
     "CREATE TABLE elements ("
     " instance_id text COLLATE \"C\" NOT NULL REFERENCES instances (id) ON DELETE CASCADE,"
     " number bigint GENERATED ALWAYS AS IDENTITY, key bytea NOT NULL CHECK (octet_length(key) = 16),"
     " address text NOT NULL, type text NOT NULL, status text NOT NULL, precise_status text NOT NULL,"
     " physical_id text NOT NULL, created_ms bigint NOT NULL, updated_ms bigint NOT NULL, body text NOT NULL,"
     " PRIMARY KEY (instance_id, key), UNIQUE (instance_id, number));"
     "CREATE TABLE journal ("
     " instance_id text COLLATE \"C\" NOT NULL REFERENCES instances (id) ON DELETE CASCADE,"
     " sequence bigint NOT NULL CHECK (sequence > 0), kind bigint NOT NULL CHECK (kind > 0), run_id text NOT NULL,"
     " token bigint NOT NULL, wall_ms bigint NOT NULL, operation text NOT NULL, address text NOT NULL,"
     " action text NOT NULL, body text NOT NULL, mac bytea NOT NULL CHECK (octet_length(mac) = 32),"
     " PRIMARY KEY (instance_id, sequence));"
     "CREATE TABLE history ("
     " instance_id text COLLATE \"C\" NOT NULL, number bigint NOT NULL CHECK (number > 0), run_id text NOT NULL,"
     " kind text NOT NULL, actor text NOT NULL, outcome text NOT NULL, started_ms bigint NOT NULL,"
     " ended_ms bigint NOT NULL, body text NOT NULL, PRIMARY KEY (instance_id, number));"},
    {"CREATE TABLE queue ("
     " number bigint GENERATED ALWAYS AS IDENTITY UNIQUE, id text COLLATE \"C\" PRIMARY KEY CHECK (id <> ''),"
     " status bigint NOT NULL CHECK (status > 0), instance_id text COLLATE \"C\" NOT NULL,"
     " instance_name text NOT NULL, context text COLLATE \"C\" NOT NULL, kind text NOT NULL, actor text NOT NULL,"
     " created_ms bigint NOT NULL, taken_ms bigint NOT NULL, ended_ms bigint NOT NULL, takes bigint NOT NULL,"
     " exit_code bigint NOT NULL, outcome text NOT NULL, body text NOT NULL);"
     "CREATE INDEX queue_of_instance ON queue (instance_id, number);"
     "CREATE INDEX queue_open ON queue (instance_id, status, number) WHERE status < 3;"
     "CREATE TABLE queued_plans ("
     " run_id text COLLATE \"C\" PRIMARY KEY REFERENCES queue (id) ON DELETE CASCADE, plan text NOT NULL);"
     "CREATE TABLE events ("
     " run_id text COLLATE \"C\" NOT NULL, sequence bigint NOT NULL CHECK (sequence > 0),"
     " instance_id text COLLATE \"C\" NOT NULL, body text NOT NULL, PRIMARY KEY (run_id, sequence));"
     "CREATE INDEX events_of_instance ON events (instance_id, run_id);"},
    {"CREATE TABLE data_keys (context text COLLATE \"C\" PRIMARY KEY, wrapped text NOT NULL CHECK (wrapped <> ''));"},
    {"CREATE INDEX elements_by_object ON elements (md5(physical_id), type) WHERE physical_id <> '';"},
};
const size_t postgres_migration_count = sizeof postgres_migrations / sizeof postgres_migrations[0];

static enum pg_outcome run_one(struct postgres_store *s, const struct query *q) {
    pg_queue(s->db, (struct pg_statement){q->statement, postgres_statements[q->statement]}, q->params, q->count);
    return pg_run(s->db);
}

/* What there is of a state. */
struct look {
    bool has_schema;
    int64_t tables, version;
};

static enum store_result report_foreign(struct postgres_store *s) {
    return report_state(s, STORE_FOREIGN, DIAG_state_foreign,
                        "cannot be kept there: the schema holds tables that are not lintel's",
                        "name another one with '?schema=NAME' behind the address");
}

static enum store_result look_format(struct postgres_store *s, size_t known, struct look *look) {
    struct query q = {.statement = STMT_LOOK_FORMAT};
    enum pg_outcome r = run_one(s, &q);
    if (r == PG_UNDEFINED) {
        return report_foreign(s);
    }
    if (r != PG_OK) {
        return report_pg(s, r, "cannot be read");
    }
    if (!sv_eq_cstr(pg_get_bytes(s->db, 0, 0, 0), APPLICATION)) {
        return report_foreign(s);
    }
    look->version = pg_get_i64(s->db, 0, 0, 1);
    if (look->version > 0 && (uint64_t)look->version <= known) {
        return STORE_OK;
    }
    struct arena scratch = {0};
    sv what =
        arena_printf(&scratch, "has format %lld, this lintel knows formats up to %zu", (long long)look->version, known);
    report_state(s, STORE_NEWER, DIAG_state_newer, what.data, "use the lintel that wrote it, or a newer one");
    arena_fini(&scratch);
    return STORE_NEWER;
}

static enum store_result look(struct postgres_store *s, size_t known, struct look *look) {
    struct query q = {.statement = STMT_LOOK_SCHEMA};
    query_add_text(&q, s->schema);
    enum pg_outcome r = run_one(s, &q);
    if (r != PG_OK) {
        return report_pg(s, r, "cannot be read");
    }
    *look = (struct look){.has_schema = pg_get_i64(s->db, 0, 0, 0) > 0, .tables = pg_get_i64(s->db, 0, 0, 1)};
    int64_t ours = pg_get_i64(s->db, 0, 0, 2);
    if (look->tables == 0) {
        return STORE_OK;
    }
    return ours == 4 ? look_format(s, known, look) : report_foreign(s);
}

static enum pg_outcome put_meta(struct postgres_store *s, const char *name, sv data) {
    struct query q = {.statement = STMT_SET_META};
    query_add_text(&q, sv_from_cstr(name));
    query_add_bytes(&q, data.data, data.len);
    return run_one(s, &q);
}

static enum pg_outcome note_migration(struct postgres_store *s, size_t version) {
    struct query q = {.statement = STMT_NOTE_MIGRATION};
    query_add_i64(&q, (int64_t)version);
    query_add_i64(&q, s->store.host->ops->get_wall_ms(s->store.host->user));
    query_add_text(&q, SV(LINTEL_VERSION));
    return run_one(s, &q);
}

static enum pg_outcome apply(struct postgres_store *s, const struct migration *m, size_t version) {
    enum pg_outcome r = pg_exec(s->db, sv_from_cstr(m->sql));
    if (r == PG_OK && version == 1) {
        uint8_t key[STATE_KEY];
        s->store.host->ops->fill_random(s->store.host->user, key, sizeof key);
        r = put_meta(s, "application", SV(APPLICATION));
        r = r == PG_OK ? put_meta(s, "key", sv_make((const char *)key, sizeof key)) : r;
    }
    return r == PG_OK ? note_migration(s, version) : r;
}

static enum pg_outcome make_schema(struct postgres_store *s) {
    return pg_exec(s->db, arena_printf(&s->db_arena, "CREATE SCHEMA IF NOT EXISTS \"%.*s\"", SV_ARG(s->schema)));
}

/* In a transaction whose lock keeps other migrations away; what there is is looked at anew. */
static enum store_result migrate_locked(struct postgres_store *s, const struct migration *migrations, size_t count) {
    struct look now = {0};
    enum store_result result = look(s, count, &now);
    if (result != STORE_OK) {
        return result;
    }
    enum pg_outcome r = now.has_schema ? PG_OK : make_schema(s);
    for (size_t next = (size_t)now.version; r == PG_OK && next < count; next++) {
        r = apply(s, &migrations[next], next + 1);
    }
    r = r == PG_OK ? pg_exec(s->db, SV("COMMIT")) : r;
    return r == PG_OK ? STORE_OK : report_pg(s, r, "cannot be brought to the format of this version");
}

static enum store_result migrate(struct postgres_store *s, const struct migration *migrations, size_t count) {
    enum pg_outcome r = s->is_pooled ? begin_pooled(s) : pg_exec(s->db, SV("BEGIN"));
    r = r == PG_OK ? pg_exec(s->db, SV("SELECT pg_advisory_xact_lock(1280201804)")) : r; /* "LNTL" */
    if (r != PG_OK) {
        return report_pg(s, r, "cannot be changed to the format of this version");
    }
    enum store_result result = migrate_locked(s, migrations, count);
    if (result != STORE_OK && !pg_is_lost(s->db)) {
        pg_exec(s->db, SV("ROLLBACK"));
    }
    return result;
}

enum store_result check_format(struct postgres_store *s, const struct migration *migrations, size_t count) {
    struct look now = {0};
    enum pg_outcome r = begin_pooled(s);
    enum store_result result = r == PG_OK ? look(s, count, &now) : report_pg(s, r, "cannot be read");
    commit_pooled(s); /* nothing was written */
    s->format = s->read_only ? now.version : (int64_t)count;
    if (result != STORE_OK || (uint64_t)now.version == count) {
        return result;
    }
    if (!s->read_only && now.version > 0 && s->may_migrate != NULL) {
        s->format = now.version;
        result = load_key(s);
        if (result != STORE_OK || !s->may_migrate(s->user, &s->store)) {
            return result == STORE_OK ? STORE_FAILED : result;
        }
        s->format = (int64_t)count;
    }
    if (!s->read_only) {
        return migrate(s, migrations, count);
    }
    if (now.version == 0) {
        return STORE_NOT_FOUND;
    }
    return report_state(
        s, STORE_READ_ONLY, DIAG_state_not_available, "is of an older format",
        "run a command that writes, such as deploy: it changes the format; make a copy with pg_dump before");
}
