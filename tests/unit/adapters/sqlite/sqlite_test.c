/* The door to SQLite: results, texts of errors, confinement, deadlines, backup. */
#include "adapters/sqlite/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    char dir[64];
    sv path;
    struct sql_db *db;
};

static const struct sql_options writable = {.create = true, .busy_timeout_ms = 100};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    strcpy(f->dir, "/tmp/lintel-sqlite-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    f->path = arena_printf(&f->arena, "%s/a b?mode=memory.db", f->dir);
    assert_int_equal(sql_open(&f->arena, f->path, &writable, &f->db, NULL), SQL_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    sql_close(f->db);
    static const char *const names[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unlink(arena_printf(&f->arena, "%.*s%s", SV_ARG(f->path), names[i]).data);
    }
    unlink(arena_printf(&f->arena, "%s/copy.db", f->dir).data);
    unlink(arena_printf(&f->arena, "%s/junk.db", f->dir).data);
    rmdir(f->dir);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void binds_and_reads_any_bytes(void **state) {
    struct fixture *f = *state;
    assert_int_equal(SQL_EXEC(f->db, "CREATE TABLE t(n INTEGER, x REAL, s TEXT, b BLOB) STRICT; -- two\n SELECT 1;"),
                     SQL_OK);
    struct sql_stmt *s;
    assert_int_equal(sql_prepare(f->db, SV("INSERT INTO t VALUES (?1, ?2, ?3, ?4)"), &s), SQL_OK);
    sql_bind_i64(s, 1, INT64_MIN);
    sql_bind_double(s, 2, 0.5);
    sql_bind_text(s, 3, SV("it's\0\"x\""));
    sql_bind_blob(s, 4, "\0\xff", 2);
    assert_int_equal(sql_run(s), SQL_OK);
    assert_int_equal(sql_get_changes(f->db), 1);
    sql_bind_text(s, 3, (sv){0});
    assert_int_equal(sql_run(s), SQL_OK); /* bindings were cleared */
    sql_finish(s);
    assert_int_equal(sql_prepare(f->db, SV("SELECT n, x, s, b FROM t ORDER BY rowid"), &s), SQL_OK);
    assert_int_equal(sql_step(s), SQL_ROW);
    assert_true(sql_get_i64(s, 0) == INT64_MIN && sql_get_double(s, 1) == 0.5);
    assert_true(sv_eq(sql_get_text(s, 2), SV("it's\0\"x\"")));
    assert_true(sv_eq(sql_get_text(s, 3), SV("\0\xff")));
    assert_int_equal(sql_step(s), SQL_ROW);
    assert_true(sql_is_null(s, 0) && !sql_is_null(s, 2) && sql_get_text(s, 2).len == 0);
    assert_int_equal(sql_step(s), SQL_DONE);
    sql_finish(s);
}

static void mistakes_have_words(void **state) {
    struct fixture *f = *state;
    struct sql_stmt *s;
    assert_int_equal(sql_prepare(f->db, SV("SELEC 1"), &s), SQL_ERROR);
    assert_null(s);
    assert_true(sv_find(sql_get_error(f->db), SV("SELEC")) != SIZE_MAX);
    assert_int_equal(sql_prepare(f->db, SV("SELECT 1; SELECT 2"), &s), SQL_ERROR);
    assert_int_equal(sql_prepare(f->db, SV(" -- nothing"), &s), SQL_ERROR);
    assert_int_equal(sql_exec(f->db, SV("SELECT 1;\0SELECT 2")), SQL_ERROR);
    assert_int_equal(SQL_EXEC(f->db, "CREATE TABLE u(a UNIQUE); INSERT INTO u VALUES (1); INSERT INTO u VALUES (1)"),
                     SQL_CONSTRAINT);
    assert_int_equal(sql_prepare(f->db, SV("SELECT 1"), &s), SQL_OK);
    sql_bind_i64(s, 1, 1); /* no such parameter */
    assert_int_equal(sql_step(s), SQL_ERROR);
    assert_int_equal(sql_step(s), SQL_ROW);
}

static void opening_fails_in_words(void **state) {
    struct fixture *f = *state;
    struct sql_db *db;
    sv why = {0};
    sv missing = arena_printf(&f->arena, "%s/none.db", f->dir);
    assert_int_equal(sql_open(&f->arena, missing, &(struct sql_options){0}, &db, &why), SQL_CANT_OPEN);
    assert_null(db);
    assert_true(why.len > 0);
    assert_int_equal(sql_open(&f->arena, SV("a\0b"), &writable, &db, &why), SQL_CANT_OPEN);
    assert_int_equal(sql_open(&f->arena, (sv){0}, &writable, &db, &why), SQL_CANT_OPEN);
    assert_int_equal(access(missing.data, F_OK), -1);
    sv junk = arena_printf(&f->arena, "%s/junk.db", f->dir);
    FILE *file = fopen(junk.data, "w");
    for (int i = 0; i < 100; i++) {
        fputs("this is no database at all\n", file);
    }
    fclose(file);
    assert_int_equal(sql_open(&f->arena, junk, &writable, &db, &why), SQL_OK);
    assert_int_equal(SQL_EXEC(db, "SELECT * FROM sqlite_schema"), SQL_NOT_A_DB);
    sql_close(db);
}

static void a_lock_is_waited_for_and_given_up(void **state) {
    struct fixture *f = *state;
    struct sql_db *other;
    assert_int_equal(sql_begin(f->db), SQL_OK);
    assert_int_equal(sql_open(&f->arena, f->path, &writable, &other, NULL), SQL_OK);
    int64_t before = now_ms();
    assert_int_equal(sql_begin(other), SQL_BUSY);
    assert_in_range(now_ms() - before, 90, 5000);
    sql_set_deadline(other, now_ms() + 20);
    assert_int_equal(sql_begin(other), SQL_BUSY);
    sql_set_deadline(other, 0);
    sql_rollback(f->db);
    assert_int_equal(sql_begin(other), SQL_OK);
    sql_rollback(other);
    sql_close(other);
}

static void statements_of_others_are_confined(void **state) {
    struct fixture *f = *state;
    assert_int_equal(sql_begin(f->db), SQL_OK);
    sql_set_confined(f->db, true);
    assert_int_equal(SQL_EXEC(f->db, "CREATE TABLE t(a); COMMIT"), SQL_DENIED);
    assert_int_equal(SQL_EXEC(f->db, "ATTACH '/tmp/x.db' AS x"), SQL_DENIED);
    assert_int_equal(SQL_EXEC(f->db, "PRAGMA writable_schema=ON"), SQL_DENIED);
    assert_true(sql_is_in_transaction(f->db));
    assert_int_equal(sql_commit(f->db), SQL_OK);
    assert_int_equal(SQL_EXEC(f->db, "BEGIN"), SQL_DENIED); /* still on */
}

static void a_rollback_keeps_the_error(void **state) {
    struct fixture *f = *state;
    assert_int_equal(sql_begin(f->db), SQL_OK);
    assert_int_equal(SQL_EXEC(f->db, "CREATE TABLE gone(a); INSERT INTO nowhere VALUES (1)"), SQL_ERROR);
    sql_rollback(f->db);
    assert_true(sv_find(sql_get_error(f->db), SV("nowhere")) != SIZE_MAX);
    assert_int_equal(SQL_EXEC(f->db, "SELECT * FROM gone"), SQL_ERROR);
}

static void a_deadline_ends_long_statements(void **state) {
    struct fixture *f = *state;
    int64_t before = now_ms();
    sql_set_deadline(f->db, before + 100);
    assert_int_equal(SQL_EXEC(f->db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) "
                                     "SELECT count(*) FROM n"),
                     SQL_INTERRUPTED);
    assert_in_range(now_ms() - before, 90, 5000);
}

static void backups_are_whole(void **state) {
    struct fixture *f = *state;
    assert_int_equal(SQL_EXEC(f->db, "PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES (7)"), SQL_OK);
    sv copy = arena_printf(&f->arena, "%s/copy.db", f->dir);
    assert_int_equal(sql_backup(f->db, copy), SQL_OK);
    assert_int_equal(sql_checkpoint(f->db, true), SQL_OK);
    struct sql_db *db;
    assert_int_equal(sql_open(&f->arena, copy, &(struct sql_options){.read_only = true}, &db, NULL), SQL_OK);
    sv why;
    assert_int_equal(sql_check_integrity(db, &why), SQL_OK);
    assert_int_equal(SQL_EXEC(db, "INSERT INTO t VALUES (8)"), SQL_READ_ONLY);
    struct sql_stmt *s;
    assert_int_equal(sql_prepare(db, SV("SELECT a FROM t"), &s), SQL_OK);
    assert_int_equal(sql_step(s), SQL_ROW);
    assert_int_equal(sql_get_i64(s, 0), 7);
    sql_close(db); /* finishes the statement */
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(binds_and_reads_any_bytes),
        CASE(mistakes_have_words),
        CASE(opening_fails_in_words),
        CASE(a_lock_is_waited_for_and_given_up),
        CASE(statements_of_others_are_confined),
        CASE(a_rollback_keeps_the_error),
        CASE(a_deadline_ends_long_statements),
        CASE(backups_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
