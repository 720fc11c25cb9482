/* Opening, connecting, closing. */
#include "adapters/crypto/crypto.h"
#include "stores/postgres/internal.h"
#include "stores/postgres/postgres_store.h"

enum {
    ANSWER_MS = 45000,   /* longer than any statement may take */
    START_MS = 15000,    /* how long opening waits for a server that is starting */
    RETRY_MIN_MS = 20,   /* between attempts to connect; doubled … */
    RETRY_MAX_MS = 1000, /* … up to this */
};

int64_t get_host_now(struct postgres_store *s) {
    return s->store.host->ops->get_monotonic_ms(s->store.host->user);
}

void handle_renew(struct postgres_store *s) {
    uint8_t bits[12];
    s->store.host->ops->fill_random(s->store.host->user, bits, sizeof bits);
    s->handle = crypto_print_hex(&s->arena, bits, sizeof bits);
    s->has_handle = false;
    s->number = 0;
}

int64_t get_patience(struct postgres_store *s) {
    int64_t now = get_host_now(s);
    return s->lease_until_ms > now ? s->lease_until_ms : now + s->busy_timeout_ms;
}

/* --- The connection --- */

void drop_connection(struct postgres_store *s) {
    if (s->db != NULL) {
        s->old_backend = pg_get_backend(s->db);
        pg_close(s->db);
    }
    s->db = NULL;
    s->is_listening = false;
    arena_fini(&s->db_arena);
}

static sv get_application(struct postgres_store *s, struct arena *a) {
    return arena_printf(a, "lintel %.*s", SV_ARG(s->session));
}

/* What the session needs, whatever is set up for the user or the database. */
static enum pg_outcome set_up(struct postgres_store *s) {
    if (s->is_pooled) {
        return PG_OK;
    }
    struct arena scratch = {0};
    sv text = arena_printf(
        &scratch,
        "SET statement_timeout = 40000; SET lock_timeout = %lld; SET idle_in_transaction_session_timeout = 60000;"
        "SET search_path = \"%.*s\", pg_temp; SET synchronous_commit = on; SET row_security = off;"
        "SET application_name = '%.*s'; SET jit = off%s",
        (long long)(s->busy_timeout_ms > 0 ? s->busy_timeout_ms : 1), SV_ARG(s->schema),
        SV_ARG(get_application(s, &scratch)), s->read_only ? "; SET default_transaction_read_only = on" : "");
    enum pg_outcome r = pg_exec(s->db, text);
    arena_fini(&scratch);
    return r;
}

/* What served the connection before may still hold locks. That it cannot be ended only costs time. */
static void end_old_backend(struct postgres_store *s) {
    struct query q = {.statement = STMT_END_BACKEND};
    if (s->old_backend != 0 && !s->is_pooled) {
        query_add_i64(&q, s->old_backend);
        query_add_text(&q, get_application(s, &s->db_arena));
        pg_queue(s->db, (struct pg_statement){q.statement, postgres_statements[q.statement]}, q.params, q.count);
        if (pg_run(s->db) == PG_OK) {
            s->old_backend = 0;
        }
    }
}

static enum pg_outcome open_once(struct postgres_store *s, sv *why) {
    enum pg_outcome r = pg_open(&s->db_arena, &s->address, ANSWER_MS, &s->db, why);
    r = r == PG_OK ? set_up(s) : r;
    if (r == PG_OK) {
        end_old_backend(s);
    }
    if (s->db != NULL && (r != PG_OK || pg_is_lost(s->db))) {
        *why = arena_copy_sv(&s->arena, pg_get_error(s->db));
        int64_t old = s->old_backend; /* of the connection that worked */
        drop_connection(s);
        s->old_backend = old;
        return r == PG_OK || r == PG_LOST ? PG_STARTING : r;
    }
    return r;
}

static enum store_result check_server(struct postgres_store *s);

static void wait_a_little(struct postgres_store *s, int64_t *wait_ms) {
    s->store.host->ops->sleep_ms(s->store.host->user, *wait_ms);
    *wait_ms = *wait_ms * 2 < RETRY_MAX_MS ? *wait_ms * 2 : RETRY_MAX_MS;
}

enum store_result connect_server(struct postgres_store *s, int64_t until_ms) {
    if (s->db != NULL && pg_is_lost(s->db)) {
        drop_connection(s);
    }
    for (int64_t wait_ms = RETRY_MIN_MS; s->db == NULL; wait_a_little(s, &wait_ms)) {
        sv why = {0};
        enum pg_outcome r = open_once(s, &why);
        if (r != PG_OK && get_host_now(s) >= until_ms) {
            return report_unreachable(s, r, why);
        }
        if (r == PG_OK) {
            return check_server(s);
        }
    }
    return STORE_OK;
}

static enum store_result check_server(struct postgres_store *s) {
    struct query q = {.statement = STMT_LOOK_SERVER};
    pg_queue(s->db, (struct pg_statement){q.statement, postgres_statements[q.statement]}, q.params, q.count);
    enum pg_outcome r = pg_run(s->db);
    if (r != PG_OK) {
        return r == PG_LOST ? STORE_OK : report_pg(s, r, "cannot be read"); /* lost: whoever uses it will see */
    }
    if (pg_get_i64(s->db, 0, 0, 1) == 0) {
        return report_state(s, STORE_FAILED, DIAG_state_not_available,
                            "cannot be kept there: the database is not in UTF-8",
                            "make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0");
    }
    if (!s->read_only && pg_get_i64(s->db, 0, 0, 0) != 0) {
        return report_state(s, STORE_READ_ONLY, DIAG_state_not_available,
                            "can only be read: the server is a standby or takes no writes", "name the primary server");
    }
    return STORE_OK;
}

/* --- Opening --- */

enum store_result load_key(struct postgres_store *s) {
    struct query q = {.statement = STMT_GET_KEY};
    size_t first = 0;
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result != STORE_OK) {
        return result;
    }
    sv key = pg_get_bytes(s->db, first, 0, 0);
    if (key.len != sizeof s->key) {
        return report_state(s, STORE_CORRUPT, DIAG_state_corrupt, "has lost its key", "restore it from a backup");
    }
    memcpy(s->key, key.data, sizeof s->key);
    return STORE_OK;
}

/* Waits for a server that is starting, for no other. */
static enum store_result connect_first(struct postgres_store *s) {
    int64_t until = get_host_now(s) + START_MS;
    for (int64_t wait_ms = RETRY_MIN_MS;; wait_a_little(s, &wait_ms)) {
        sv why = {0};
        enum pg_outcome r = open_once(s, &why);
        if (r == PG_OK) {
            return check_server(s);
        }
        if (r != PG_STARTING || get_host_now(s) >= until) {
            return report_unreachable(s, r, why);
        }
    }
}

static enum store_result open_all(struct postgres_store *s, sv url) {
    if (!url_parse(s, url)) {
        return STORE_FAILED;
    }
    handle_renew(s);
    s->session = s->handle;
    enum store_result result = connect_first(s);
    result = result == STORE_OK ? check_format(s, postgres_migrations, postgres_migration_count) : result;
    return result == STORE_OK ? load_key(s) : result;
}

/* --- Callbacks --- */

static void drop_handle(struct postgres_store *s) {
    struct query q = {.statement = STMT_DROP_HANDLE};
    query_add_text(&q, s->handle);
    if (s->db != NULL && s->has_handle && !pg_is_lost(s->db) && begin_pooled(s) == PG_OK) {
        pg_queue(s->db, (struct pg_statement){q.statement, postgres_statements[q.statement]}, q.params, q.count);
        pg_run(s->db); /* what stays is pruned by others */
        commit_pooled(s);
    }
}

static void postgres_close(struct store *store) {
    struct postgres_store *s = postgres_of(store);
    if (s->in_transaction) {
        postgres_rollback(store);
    }
    drop_handle(s);
    drop_connection(s);
    arena_fini(&s->tx.arena);
    arena_fini(&s->arena);
}

static sv postgres_get_description(struct store *store) {
    return postgres_of(store)->description;
}

static enum store_result postgres_get_store_key(struct store *store, uint8_t key[32]) {
    memcpy(key, postgres_of(store)->key, STATE_KEY);
    return STORE_OK;
}

static const struct store_ops postgres_ops = {
    .close = postgres_close,
    .get_description = postgres_get_description,
    .get_store_key = postgres_get_store_key,
    .begin = postgres_begin,
    .begin_alone = postgres_begin_alone,
    .commit = postgres_commit,
    .rollback = postgres_rollback,
    .take_lease = postgres_take_lease,
    .renew_lease = postgres_renew_lease,
    .release_lease = postgres_release_lease,
    .load_tree = postgres_load_tree,
    .find_instance = postgres_find_instance,
    .list_instances = postgres_list_instances,
    .list_history = postgres_list_history,
    .list_owners = postgres_list_owners,
    .find_data_key = postgres_find_data_key,
    .put_data_key = postgres_put_data_key,
    .find_claims = postgres_find_claims,
    .put_instance = postgres_put_instance,
    .delete_instance = postgres_delete_instance,
    .put_element = postgres_put_element,
    .delete_element = postgres_delete_element,
    .append_journal = postgres_append_journal,
    .compact_journal = postgres_compact_journal,
    .rewrite_journal = postgres_rewrite_journal,
    .rewrite_history = postgres_rewrite_history,
    .add_run = postgres_add_run,
    .change_run = postgres_change_run,
    .take_run = postgres_take_run,
    .list_runs = postgres_list_runs,
    .find_run = postgres_find_run,
    .append_events = postgres_append_events,
    .list_events = postgres_list_events,
    .await_news = postgres_await_news,
};

struct store *postgres_store_open(struct arena *a, sv url, const struct store_options *options,
                                  enum store_result *result) {
    struct postgres_store *s = ARENA_NEW(a, struct postgres_store);
    s->store = (struct store){.ops = &postgres_ops, .diags = options->diags, .host = options->host};
    s->arena.secret = true;
    s->read_only = options->read_only;
    s->may_migrate = options->may_migrate;
    s->user = options->user;
    s->busy_timeout_ms = options->busy_timeout_ms;
    crypto_start();
    enum store_result opened = open_all(s, url);
    if (result != NULL) {
        *result = opened;
    }
    if (opened == STORE_OK) {
        return &s->store;
    }
    postgres_close(&s->store);
    return NULL;
}
