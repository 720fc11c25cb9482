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
    /* physical ids may be longer than an index takes */
    [STMT_FIND_CLAIMS] =
        "SELECT w.ordinality, i.id, i.name, i.context, e.address FROM json_array_elements($1::text::json)"
        " WITH ORDINALITY AS w (object, ordinality) JOIN elements AS e ON e.physical_id <> ''"
        " AND md5(e.physical_id) = md5(w.object->>1) AND e.physical_id = w.object->>1 AND e.type = w.object->>0"
        " JOIN instances AS i ON i.id = e.instance_id ORDER BY w.ordinality, i.context, i.name, e.number",

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

    [STMT_FIND_DATA_KEY] = "SELECT wrapped FROM data_keys WHERE context = $1",
    [STMT_ADD_DATA_KEY] = "INSERT INTO data_keys (context, wrapped) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    [STMT_SET_DATA_KEY] = "UPDATE data_keys SET wrapped = $2 WHERE context = $1 AND wrapped = $3",
    [STMT_LOCK_LEASES] = "LOCK TABLE leases IN EXCLUSIVE MODE",
    [STMT_LIST_LEASES] = "SELECT instance_id, token, holder, expires_ms - " NOW_MS
                         " FROM leases WHERE holder <> '' ORDER BY instance_id",
    [STMT_LIST_OWNERS] = "SELECT DISTINCT instance_id FROM history ORDER BY instance_id",
    [STMT_REWRITE_JOURNAL] =
        "UPDATE journal SET kind = $3, run_id = $4, token = $5, wall_ms = $6, operation = $7, address = $8,"
        " action = $9, body = $10, mac = $11 WHERE instance_id = $1 AND sequence = $2",
    [STMT_REWRITE_HISTORY] =
        "UPDATE history SET run_id = $3, kind = $4, actor = $5, outcome = $6, started_ms = $7, ended_ms = $8,"
        " body = $9 WHERE instance_id = $1 AND number = $2",

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

    [STMT_SET_UP] =
        "SELECT set_config('search_path', '\"' || $1 || '\", pg_temp', true), set_config('statement_timeout', '40000',"
        " true), set_config('lock_timeout', $2::text, true), set_config('idle_in_transaction_session_timeout', '60000',"
        " true), set_config('synchronous_commit', 'on', true), set_config('row_security', 'off', true),"
        " set_config('jit', 'off', true)",
    [STMT_NOTIFY] = "SELECT pg_notify($1, $2)",

/* Statuses are those of store.h: queued 1, running 2; from 3 on it is over. */
#define RUN_COLUMNS                                                                                       \
    "q.number, q.id, q.status, q.instance_id, q.instance_name, q.context, q.kind, q.actor, q.created_ms," \
    " q.taken_ms, q.ended_ms, q.takes, q.exit_code, q.outcome, q.body"
    [STMT_ADD_RUN] = "INSERT INTO queue (id, status, instance_id, instance_name, context, kind, actor, created_ms,"
                     " taken_ms, ended_ms, takes, exit_code, outcome, body)"
                     " VALUES ($1, 1, $2, $3, $4, $5, $6, $7, 0, 0, 0, 0, '', $8) ON CONFLICT DO NOTHING",
    [STMT_ADD_PLAN] = "INSERT INTO queued_plans (run_id, plan) VALUES ($1, $2)",
    [STMT_FIND_RUN] = "SELECT " RUN_COLUMNS " FROM queue AS q WHERE q.id = $1",
    [STMT_LIST_RUNS] = "SELECT " RUN_COLUMNS " FROM queue AS q WHERE ($1 = '' OR q.context = $1)"
                       " AND ($2 = 0 OR q.status < 3) ORDER BY q.number",
    [STMT_NEXT_RUNS] =
        "SELECT " RUN_COLUMNS ", coalesce(l.token, 0), coalesce(l.holder, ''), coalesce(l.expires_ms, 0) - " NOW_MS
        " FROM queue AS q LEFT JOIN leases AS l ON l.instance_id = q.instance_id"
        " WHERE q.context = $1 AND q.status < 3 AND NOT EXISTS (SELECT 1 FROM queue AS o"
        " WHERE o.status < 3 AND o.instance_id = q.instance_id"
        " AND (o.status > q.status OR (o.status = q.status AND o.number < q.number))) ORDER BY q.number LIMIT 1000",
    [STMT_LOCK_RUN] = "SELECT 1 FROM queue WHERE id = $1 AND status < 3 FOR UPDATE SKIP LOCKED",
    [STMT_TAKE_RUN] = "UPDATE queue SET status = 2, taken_ms = $3, takes = takes + 1"
                      " WHERE id = $1 AND takes = $2 AND status < 3",
    [STMT_LOAD_PLAN] = "SELECT plan FROM queued_plans WHERE run_id = $1",
    [STMT_CHANGE_RUN] = "UPDATE queue SET status = $3, ended_ms = $4, exit_code = $5, outcome = $6"
                        " WHERE id = $1 AND status = $2",
    [STMT_DROP_PLAN] = "DELETE FROM queued_plans WHERE run_id = $1",
    [STMT_PRUNE_RUNS] = "DELETE FROM queue WHERE instance_id = $1 AND status >= 3 AND number NOT IN"
                        " (SELECT number FROM queue WHERE instance_id = $1 AND status >= 3"
                        " ORDER BY number DESC LIMIT $2)",

    [STMT_ADD_EVENTS] = "INSERT INTO events (instance_id, run_id, sequence, body)"
                        " SELECT $1, $2, coalesce(max(sequence), 0) + 1, $3 FROM events WHERE run_id = $2",
    [STMT_LIST_EVENTS] = "SELECT sequence, body FROM events WHERE run_id = $1 AND sequence > $2"
                         " ORDER BY sequence LIMIT $3",
    [STMT_PRUNE_EVENTS] = "DELETE FROM events WHERE instance_id = $1 AND run_id NOT IN"
                          " (SELECT run_id FROM history WHERE instance_id = $1) AND run_id NOT IN"
                          " (SELECT id FROM queue WHERE instance_id = $1)",
};
