/* What sqlite/database promises beyond the contract. */
#include "adapters/sqlite/sqlite.h"
#include "providers/sqlite/sqlite_provider.h"
#include "seal/seal.h"
#include "suite.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { KEY = 0x51, OTHER_KEY = 0x52 };

static const struct resource_type *const type = &sqlite_database_type;

static struct provider_call make_call(struct world *w, uint8_t key, const char *migrations) {
    sv json = arena_printf(&w->arena, "{\"path\": \"%s/x.db\", \"migrations\": [%s]}", w->dir, migrations);
    return world_make_call(w, type, key, world_make_spec(w, type, json), (value){0});
}

static struct sql_db *open_db(struct world *w) {
    struct sql_db *db;
    assert_int_equal(sql_open(&w->arena, world_path(w, "x.db"), &(struct sql_options){.create = true}, &db, NULL),
                     SQL_OK);
    return db;
}

static void run_sql(struct world *w, const char *text) {
    struct sql_db *db = open_db(w);
    assert_int_equal(sql_exec(db, sv_from_cstr(text)), SQL_OK);
    sql_close(db);
}

static int64_t query(struct world *w, const char *text) {
    struct sql_db *db = open_db(w);
    struct sql_stmt *s;
    assert_int_equal(sql_prepare(db, sv_from_cstr(text), &s), SQL_OK);
    assert_int_equal(sql_step(s), SQL_ROW);
    int64_t result = sql_get_i64(s, 0);
    sql_close(db);
    return result;
}

static void expect_reason(const struct provider_call *c, const char *part) {
    if (sv_find(world_get_reason(c), sv_from_cstr(part)) == SIZE_MAX) {
        fail_msg("'%s' is not in '%.*s'", part, SV_ARG(world_get_reason(c)));
    }
}

static void each_migration_runs_once_in_order(void **state) {
    struct world *w = *state;
    struct provider_call c = make_call(w, KEY, "\"CREATE TABLE t(n)\", \"INSERT INTO t VALUES (1)\"");
    assert_int_equal(type->create(&c), PROVIDER_OK);
    assert_int_equal(type->create(&c), PROVIDER_OK);
    c = make_call(
        w, OTHER_KEY,
        "\"CREATE TABLE t(n)\", \"INSERT INTO t VALUES (1)\", \"UPDATE t SET n = n + 10; CREATE TABLE a(x)\"");
    assert_int_equal(type->update(&c), PROVIDER_OK);
    assert_int_equal(type->update(&c), PROVIDER_OK);
    assert_int_equal(query(w, "SELECT sum(n) FROM t"), 11);
    assert_int_equal(provider_get_i64(c.computed, SV("migrationsApplied"), 0), 3);
    value tables = value_map_find(c.computed, SV("tables"));
    assert_int_equal(tables.list->len, 2);
    assert_true(sv_eq(value_get_text(tables.list->items[0]), SV("a")));
    struct stat st;
    assert_int_equal(stat(world_path(w, "x.db").data, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void an_applied_migration_must_not_change_or_go(void **state) {
    struct world *w = *state;
    struct provider_call c = make_call(w, KEY, "\"CREATE TABLE t(n)\"");
    assert_int_equal(type->create(&c), PROVIDER_OK);
    c = make_call(w, KEY, "\"CREATE TABLE t(n, m)\", \"CREATE TABLE u(n)\"");
    assert_int_equal(type->update(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "migration 1 was applied with another text");
    c = make_call(w, KEY, "");
    assert_int_equal(type->update(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "no longer in the list");
    assert_int_equal(query(w, "SELECT count(*) FROM sqlite_schema WHERE name = 'u'"), 0);
}

/* Invariant 1: a migration and its record come together or not at all. */
static void a_failing_migration_leaves_nothing_of_itself(void **state) {
    struct world *w = *state;
    struct provider_call c =
        make_call(w, KEY, "\"CREATE TABLE t(n)\", \"CREATE TABLE u(n); INSERT INTO nowhere VALUES (1)\"");
    assert_int_equal(type->create(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "migration 2 failed");
    expect_reason(&c, "nowhere");
    assert_int_equal(query(w, "SELECT count(*) FROM lintel_migrations"), 1);
    assert_int_equal(query(w, "SELECT count(*) FROM sqlite_schema WHERE name = 'u'"), 0);
    c = make_call(w, KEY, "\"CREATE TABLE t(n)\", \"CREATE TABLE u(n)\""); /* the one that failed may change */
    assert_int_equal(type->create(&c), PROVIDER_OK);
}

static void migrations_cannot_leave_their_transaction(void **state) {
    struct world *w = *state;
    static const char *const texts[] = {
        "\"CREATE TABLE t(n); COMMIT; CREATE TABLE u(n)\"", "\"ROLLBACK\"",
        "\"ATTACH '/tmp/lintel-other.db' AS o\"",           "\"PRAGMA writable_schema = ON\"",
        "\"VACUUM INTO '/tmp/lintel-other.db'\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct provider_call c = make_call(w, KEY, texts[i]);
        assert_int_equal(type->create(&c), PROVIDER_TERMINAL);
        assert_int_equal(query(w, "SELECT count(*) FROM sqlite_schema WHERE name IN ('t', 'u')"), 0);
        assert_int_equal(query(w, "SELECT count(*) FROM lintel_migrations"), 0);
    }
    assert_int_not_equal(access("/tmp/lintel-other.db", F_OK), 0);
}

static void a_foreign_database_is_refused_unless_adopted(void **state) {
    struct world *w = *state;
    run_sql(w, "CREATE TABLE precious(n); INSERT INTO precious VALUES (7)");
    struct provider_call c = make_call(w, KEY, "\"CREATE TABLE t(n)\"");
    assert_int_equal(type->create(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "'adopt: true'");
    c.spec = value_map_with(&w->arena, c.spec, SV("adopt"), value_bool(true));
    assert_int_equal(type->create(&c), PROVIDER_OK);
    assert_int_equal(query(w, "SELECT n FROM precious"), 7);
}

static void what_is_no_database_is_left_alone(void **state) {
    struct world *w = *state;
    FILE *file = fopen(world_path(w, "x.db").data, "w");
    for (int i = 0; i < 200; i++) {
        fputs("a letter to my aunt\n", file);
    }
    fclose(file);
    struct provider_call c = make_call(w, KEY, "\"CREATE TABLE t(n)\"");
    assert_int_equal(type->create(&c), PROVIDER_TERMINAL);
    assert_int_equal(type->read(&c), PROVIDER_TERMINAL);
    struct stat st;
    assert_int_equal(stat(world_path(w, "x.db").data, &st), 0);
    assert_int_equal(st.st_size, 4000);
    unlink(world_path(w, "x.db").data);
    assert_int_equal(symlink("/tmp/lintel-nowhere.db", world_path(w, "x.db").data), 0);
    c = make_call(w, KEY, "");
    assert_int_equal(type->create(&c), PROVIDER_TERMINAL);
    assert_int_not_equal(access("/tmp/lintel-nowhere.db", F_OK), 0);
}

/* A dead attempt may have left the empty file. */
static void an_empty_file_is_taken(void **state) {
    struct world *w = *state;
    close(open(world_path(w, "x.db").data, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    struct provider_call c = make_call(w, KEY, "\"CREATE TABLE t(n)\"");
    assert_int_equal(type->recover(&c), PROVIDER_ABSENT);
    assert_int_equal(type->create(&c), PROVIDER_OK);
    assert_int_equal(type->recover(&c), PROVIDER_OK);
}

static void drift_is_told_by_the_records(void **state) {
    struct world *w = *state;
    struct provider_call c = make_call(w, KEY, "\"CREATE TABLE t(n)\", \"CREATE TABLE u(n)\"");
    assert_int_equal(type->create(&c), PROVIDER_OK);
    run_sql(w, "DELETE FROM lintel_migrations WHERE number = 2; DROP TABLE u;"
               "UPDATE lintel_migrations SET digest = 'abc'");
    assert_int_equal(type->read(&c), PROVIDER_OK);
    value found = value_map_find(c.found_spec, SV("migrations"));
    assert_int_equal(found.list->len, 1);
    assert_true(sv_eq(value_get_text(found.list->items[0]), SV("(a migration with SHA-256 abc)")));
    assert_int_equal(value_map_find(c.computed, SV("tables")).list->len, 1);
    assert_int_equal(type->recover(&c), PROVIDER_ABSENT);
}

static void destroying_removes_what_stands_beside(void **state) {
    struct world *w = *state;
    struct provider_call c = make_call(w, KEY, "\"CREATE TABLE t(n)\"");
    assert_int_equal(type->create(&c), PROVIDER_OK);
    struct sql_db *user = open_db(w); /* a service that is still there */
    assert_int_equal(SQL_EXEC(user, "PRAGMA journal_mode=WAL; INSERT INTO t VALUES (1)"), SQL_OK);
    assert_int_equal(access(world_path(w, "x.db-wal").data, F_OK), 0);
    assert_int_equal(type->read(&c), PROVIDER_OK);
    assert_int_equal(type->destroy(&c), PROVIDER_OK);
    static const char *const names[] = {"x.db", "x.db-wal", "x.db-shm", "x.db-journal"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_not_equal(access(world_path(w, names[i]).data, F_OK), 0);
    }
    sql_close(user);
}

static void what_another_resource_took_over_stays(void **state) {
    struct world *w = *state;
    struct provider_call c = make_call(w, KEY, "\"CREATE TABLE t(n)\"");
    assert_int_equal(type->create(&c), PROVIDER_OK);
    struct provider_call other = make_call(w, OTHER_KEY, "\"CREATE TABLE t(n)\"");
    other.address.text = SV("resources.other");
    assert_int_equal(type->create(&other), PROVIDER_TERMINAL);
    other.spec = value_map_with(&w->arena, other.spec, SV("adopt"), value_bool(true));
    assert_int_equal(type->create(&other), PROVIDER_OK);
    assert_int_equal(type->destroy(&c), PROVIDER_ABSENT);
    assert_int_equal(access(world_path(w, "x.db").data, F_OK), 0);
}

static void a_lock_of_another_is_a_passing_failure(void **state) {
    struct world *w = *state;
    struct provider_call c = make_call(w, KEY, "\"CREATE TABLE t(n)\"");
    assert_int_equal(type->create(&c), PROVIDER_OK);
    struct sql_db *user = open_db(w);
    assert_int_equal(sql_begin(user), SQL_OK);
    c = make_call(w, KEY, "\"CREATE TABLE t(n)\", \"CREATE TABLE u(n)\"");
    int64_t before = w->host.ops->get_monotonic_ms(NULL);
    c.deadline_ms = before + 300;
    assert_int_equal(type->update(&c), PROVIDER_TRANSIENT);
    assert_in_range(w->host.ops->get_monotonic_ms(NULL) - before, 200, 1300);
    sql_close(user);
}

struct attempt {
    struct provider_call call;
    enum provider_result result;
};

static void *update_database(void *user) {
    struct attempt *attempt = user;
    attempt->result = type->update(&attempt->call);
    return NULL;
}

/* F20, F26: a run that was taken for dead wakes up and applies what the one after it is about to apply. */
static void migrations_of_another_attempt_count(void **state) {
    struct world *w = *state;
    enum { READS_MS = 300 };
    struct provider_call c = make_call(w, KEY, "\"CREATE TABLE t(n)\"");
    assert_int_equal(type->create(&c), PROVIDER_OK);
    struct attempt attempt = {
        .call = make_call(w, KEY, "\"CREATE TABLE t(n)\", \"CREATE TABLE u(n)\", \"CREATE TABLE v(n)\"")};
    sv digest = seal_sha256(&w->arena, SV("CREATE TABLE u(n)"));
    sv same =
        arena_printf(&w->arena, "CREATE TABLE u(n); INSERT INTO lintel_migrations(number, digest) VALUES (2, '%.*s')",
                     SV_ARG(digest));
    struct sql_db *other = open_db(w);
    assert_int_equal(sql_begin(other), SQL_OK);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, update_database, &attempt), 0);
    usleep(READS_MS * 1000); /* it has read what is recorded, and waits for the lock */
    assert_int_equal(sql_exec(other, same), SQL_OK);
    assert_int_equal(sql_commit(other), SQL_OK);
    sql_close(other);
    pthread_join(thread, NULL);
    assert_int_equal(attempt.result, PROVIDER_OK);
    assert_int_equal(query(w, "SELECT count(*) FROM lintel_migrations"), 3);
}

static void a_long_migration_ends_with_the_deadline(void **state) {
    struct world *w = *state;
    struct provider_call c =
        make_call(w, KEY,
                  "\"CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)"
                  " SELECT max(i) FROM n\"");
    int64_t before = w->host.ops->get_monotonic_ms(NULL);
    c.deadline_ms = before + 300;
    assert_int_equal(type->create(&c), PROVIDER_TRANSIENT);
    assert_in_range(w->host.ops->get_monotonic_ms(NULL) - before, 200, 1300);
}

static void bad_migrations_are_found_by_validation(void **state) {
    struct world *w = *state;
    struct provider_call c = make_call(w, KEY, "\"  \", \"a\\u0000b\", \"SELECT 1\"");
    struct diags diags;
    diags_init(&diags, &w->arena, NULL);
    type->validate(&w->arena, c.spec, &diags, SPAN_NONE, SV("resources.x.spec"));
    assert_int_equal(diags.errors, 2);
    assert_int_equal(type->create(&c), PROVIDER_TERMINAL);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, world_set_up, world_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(each_migration_runs_once_in_order),
        CASE(an_applied_migration_must_not_change_or_go),
        CASE(a_failing_migration_leaves_nothing_of_itself),
        CASE(migrations_cannot_leave_their_transaction),
        CASE(a_foreign_database_is_refused_unless_adopted),
        CASE(what_is_no_database_is_left_alone),
        CASE(an_empty_file_is_taken),
        CASE(drift_is_told_by_the_records),
        CASE(destroying_removes_what_stands_beside),
        CASE(what_another_resource_took_over_stays),
        CASE(a_lock_of_another_is_a_passing_failure),
        CASE(migrations_of_another_attempt_count),
        CASE(a_long_migration_ends_with_the_deadline),
        CASE(bad_migrations_are_found_by_validation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
