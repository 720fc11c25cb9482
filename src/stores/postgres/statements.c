/* Every statement but those that make the tables. */
#include "stores/postgres/internal.h"

/* Milliseconds by the database's clock, not of the transaction's start. */
#define NOW_MS           "(extract(epoch from clock_timestamp()) * 1000)::bigint"
#define INSTANCE_COLUMNS "id, context, name, dialect, status, version, created_ms, updated_ms, body"

const char *const postgres_statements[STMT_COUNT] = {
    [STMT_BEGIN] = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    [STMT_BEGIN_READ] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    [STMT_COMMIT] = "COMMIT",
    [STMT_ROLLBACK] = "ROLLBACK",

    [STMT_ADD_HANDLE] = "INSERT INTO handles (id, number) VALUES ($1, 0) ON CONFLICT DO NOTHING",
    [STMT_DROP_HANDLE] = "DELETE FROM handles WHERE id = $1",
    [STMT_PRUNE_HANDLES] = "DELETE FROM handles WHERE seen < now() - interval '30 days'",
    [STMT_LOOK_MARK] = "SELECT number FROM handles WHERE id = $1 FOR UPDATE",
    /* anything but N-1 gives NULL, which the column does not take: invariant (2) */
    [STMT_MARK] =
        "UPDATE handles SET number = CASE WHEN number = $2 - 1 THEN $2 END, seen = clock_timestamp() WHERE id = $1",
    [STMT_END_BACKEND] = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                         " WHERE pid = $1 AND application_name = $2 AND pid <> pg_backend_pid()",

    [STMT_CHECK_LEASE] = "SELECT 1 FROM leases WHERE instance_id = $1 AND token = $2 AND holder <> ''"
                         " AND expires_ms > " NOW_MS " FOR SHARE",
    [STMT_LOOK] = "SELECT (SELECT max(sequence) FROM journal WHERE instance_id = $1) FROM instances WHERE id = $1",
    [STMT_ADD_LEASE] = "INSERT INTO leases (instance_id, token, holder, expires_ms) VALUES ($1, 0, '', 0)"
                       " ON CONFLICT DO NOTHING",
    [STMT_LOCK_LEASE] = "SELECT token, holder, expires_ms - " NOW_MS " FROM leases WHERE instance_id = $1 FOR UPDATE",
    [STMT_TAKE_LEASE] = "UPDATE leases SET token = token + 1, holder = $3, expires_ms = " NOW_MS " + $4"
                        " WHERE instance_id = $1 AND token = $2",
    [STMT_RENEW_LEASE] = "UPDATE leases SET expires_ms = " NOW_MS " + $3 WHERE instance_id = $1 AND token = $2",
    [STMT_RELEASE_LEASE] = "UPDATE leases SET holder = '', expires_ms = 0"
                           " WHERE instance_id = $1 AND token = $2 AND holder <> ''",
    [STMT_LOAD_LEASE] = "SELECT token, holder, expires_ms - " NOW_MS " FROM leases WHERE instance_id = $1",

    [STMT_LOAD_INSTANCE] = "SELECT " INSTANCE_COLUMNS " FROM instances WHERE id = $1",
    [STMT_FIND_INSTANCE] = "SELECT " INSTANCE_COLUMNS " FROM instances WHERE context = $1 AND name = $2",
    [STMT_LIST_INSTANCES] =
        "SELECT " INSTANCE_COLUMNS " FROM instances WHERE $1 = '' OR context = $1 ORDER BY context, name",
    [STMT_LOAD_ELEMENTS] =
        "SELECT number, address, type, status, precise_status, physical_id, created_ms, updated_ms, body"
        " FROM elements WHERE instance_id = $1 AND number > $2 ORDER BY number LIMIT $3",
    [STMT_LOAD_JOURNAL] = "SELECT sequence, kind, run_id, token, wall_ms, operation, address, action, body, mac"
                          " FROM journal WHERE instance_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
    [STMT_LIST_HISTORY] = "SELECT number, run_id, kind, actor, outcome, started_ms, ended_ms, body"
                          " FROM history WHERE instance_id = $1 ORDER BY number",

    [STMT_INSERT_INSTANCE] = "INSERT INTO instances (" INSTANCE_COLUMNS
                             ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
    [STMT_UPDATE_INSTANCE] =
        "UPDATE instances SET context = $2, name = $3, dialect = $4, status = $5, version = $6, created_ms = $7,"
        " updated_ms = $8, body = $9 WHERE id = $1 AND version = $10 AND NOT EXISTS"
        " (SELECT 1 FROM instances AS other WHERE other.context = $2 AND other.name = $3 AND other.id <> $1)",
    [STMT_DELETE_INSTANCE] = "DELETE FROM instances WHERE id = $1",
    [STMT_PUT_ELEMENT] =
        "INSERT INTO elements (instance_id, key, address, type, status, precise_status, physical_id, created_ms,"
        " updated_ms, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        " ON CONFLICT (instance_id, key) DO UPDATE SET type = $4, status = $5, precise_status = $6, physical_id = $7,"
        " created_ms = $8, updated_ms = $9, body = $10",
    [STMT_DELETE_ELEMENT] = "DELETE FROM elements WHERE instance_id = $1 AND key = $2",
    [STMT_APPEND_JOURNAL] =
        "INSERT INTO journal (instance_id, sequence, kind, run_id, token, wall_ms, operation, address, action, body,"
        " mac) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    [STMT_CLEAR_JOURNAL] = "DELETE FROM journal WHERE instance_id = $1",
    [STMT_LAST_HISTORY] = "SELECT max(number) FROM history WHERE instance_id = $1",
    [STMT_ADD_HISTORY] =
        "INSERT INTO history (instance_id, number, run_id, kind, actor, outcome, started_ms, ended_ms, body)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    [STMT_PRUNE_HISTORY] = "DELETE FROM history WHERE instance_id = $1 AND number NOT IN"
                           " (SELECT number FROM history WHERE instance_id = $1 ORDER BY number DESC LIMIT $2)",

    [STMT_LOOK_SERVER] = "SELECT (current_setting('transaction_read_only') = 'on')::int::bigint,"
                         " (current_setting('server_encoding') = 'UTF8')::int::bigint,"
                         " current_setting('server_version_num')::bigint",
    [STMT_LOOK_SCHEMA] =
        "SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = $1),"
        " (SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        "  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')),"
        " (SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        "  WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relname IN ('meta', 'migrations', 'instances', 'leases'))",
    [STMT_LOOK_FORMAT] = "SELECT (SELECT data FROM meta WHERE name = 'application'),"
                         " (SELECT max(version) FROM migrations)",
    [STMT_SET_META] = "INSERT INTO meta (name, data) VALUES ($1, $2)",
    [STMT_GET_KEY] = "SELECT data FROM meta WHERE name = 'key'",
    [STMT_NOTE_MIGRATION] = "INSERT INTO migrations (version, applied_ms, lintel) VALUES ($1, $2, $3)",
};
