/* Data source sqlite/query on real databases: every operator of 1.8 on rows, and what the source promises (BP-108). */
#include "adapters/sqlite/sqlite.h"
#include "data_world.h"
#include "providers/sqlite/sqlite_provider.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define BASE                  "[\"database\", \"=\", \"x.db\"], [\"table\", \"=\", \"things\"]"
#define ON(field, op, search) "[" BASE ", [\"" field "\", \"" op "\", " search "]]"

static struct sql_db *open_db(struct world *w, const char *name) {
    struct sql_db *db;
    assert_int_equal(sql_open(&w->arena, world_path(w, name), &(struct sql_options){.create = true}, &db, NULL),
                     SQL_OK);
    return db;
}

static void fill(struct world *w) {
    struct sql_db *db = open_db(w, "x.db");
    assert_int_equal(SQL_EXEC(db, "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INTEGER,"
                                  " raw BLOB, note TEXT);"
                                  "INSERT INTO things VALUES (3, 'cup', 2.5, 0, x'00ff', NULL);"
                                  "INSERT INTO things VALUES (1, 'bowl', 12.0, 7, NULL, 'round');"
                                  "INSERT INTO things VALUES (2, 'größe', 0.5, 7, NULL, 'x');"
                                  "CREATE TABLE plain (word TEXT PRIMARY KEY) WITHOUT ROWID;"
                                  "INSERT INTO plain VALUES ('b'), ('a');"
                                  "CREATE VIEW few AS SELECT name FROM things WHERE stock > 0;"
                                  "CREATE TABLE \"odd \"\"name\" (\"a b\" TEXT);"
                                  "INSERT INTO \"odd \"\"name\" VALUES ('here');"
                                  "CREATE TABLE blank (a)"),
                     SQL_OK);
    sql_close(db);
}

static void the_contract_holds(void **state) {
    struct world *w = *state;
    fill(w);
    data_check_contract(w, &sqlite_query_data, SV("[" BASE "]"));
    data_check_contract(w, &sqlite_query_data,
                        SV("[[\"database\", \"=\", \"x.db\"], [\"query\", \"=\", \"SELECT 1 AS one, NULL AS two\"]]"));
}

static void every_operator_works_on_rows(void **state) {
    static const struct data_row rows[] = {
        {"[" BASE "]", "row.name", "\"bowl\""}, /* in the order of the rowid */
        {ON("row.name", "=", "\"cup\""), "row.id", "3"},
        {ON("row.name", "!=", "\"bowl\""), "row.id", "2"},
        {ON("row.name", "in", "[\"cup\", \"mug\"]"), "row.id", "3"},
        {ON("row.name", "not in", "[\"bowl\", \"cup\"]"), "row.id", "2"},
        {ON("row.id", "in", "[2, 3]"), "row.id", "2"},
        {ON("row.name", "contains", "\"ö\""), "row.id", "2"},
        {ON("row.name", "not contains", "\"o\""), "row.id", "2"},
        {ON("row.name", "starts with", "\"c\""), "row.id", "3"},
        {ON("row.name", "not starts with", "\"b\""), "row.id", "2"},
        {ON("row.name", "ends with", "\"p\""), "row.id", "3"},
        {ON("row.name", "not ends with", "\"l\""), "row.id", "2"},
        {ON("row.name", ">", "\"d\""), "row.id", "2"},
        {ON("row.name", "<", "\"bz\""), "row.id", "1"},
        {ON("row.price", ">", "3.5"), "row.id", "1"},
        {ON("row.price", "<=", "2.5"), "row.id", "2"},
        {ON("row.stock", "<", "7"), "row.id", "3"},
        {ON("row.stock", ">=", "7"), "row.id", "1"},
        {ON("row.note", "=", "\"x\""), "row.id", "2"},
        {ON("row.note", "!=", "\"round\""), "row.id", "2"},
        {ON("row", "has key", "\"price\""), "row.id", "1"},
        {ON("row", "not has key", "\"price\""), "row.id", "none"},
        {ON("columns", "contains", "\"stock\""), "count", "3"},
        {ON("columns", "=", "[\"id\"]"), "count", "none"},
        {ON("column.id", "contains", "3"), "row.id", "1"},
        {ON("column.note", "=", "[\"round\", \"x\"]"), "number", "0"}, /* without NULLs */
        {ON("number", "=", "2"), "row.name", "\"cup\""},
        {ON("count", ">", "5"), "row.name", "none"},
        /* BP-120, BP-121, BP-122 */
        {ON("row.stock", "=", "\"7\""), "row.id", "refused"},
        {ON("row.stock", "=", "7.0"), "row.id", "refused"},
        {ON("row.price", ">", "3"), "row.id", "refused"},
        {ON("row", "contains", "\"x\""), "row.id", "refused"},
        {ON("row.raw", "=", "\"AP8=\""), "row.id", "3"},
        {ON("row.none", "=", "1"), "row.id", "none"},
        {ON("row.none", "!=", "1"), "row.id", "1"},
    };
    struct world *w = *state;
    fill(w);
    DATA_CHECK_ROWS(w, &sqlite_query_data, rows);
}

#define QUERY(text) "[[\"database\", \"=\", \"x.db\"], [\"query\", \"=\", \"" text "\"]]"
#define TABLE(name) "[[\"database\", \"=\", \"x.db\"], [\"table\", \"=\", \"" name "\"]]"

static void tables_views_and_queries_are_read(void **state) {
    static const struct data_row rows[] = {
        {QUERY("SELECT name, price * 2 AS twice FROM things ORDER BY price DESC"), "row",
         "{\"name\":\"bowl\",\"twice\":24.0}"},
        {QUERY("SELECT name FROM things ORDER BY name"), "column.name", "[\"bowl\",\"cup\",\"größe\"]"},
        {QUERY("SELECT count(*) AS n FROM things"), "row.n", "3"},
        {QUERY("SELECT 1 AS n WHERE 0"), "row.n", "none"},
        {QUERY("SELECT raw FROM things WHERE id = 3"), "row.raw", "\"AP8=\""},
        {QUERY("SELECT CAST(x'ff' AS TEXT) AS t"), "row.t", "\"/w==\""},
        {QUERY("SELECT 9e999 AS t"), "row.t", "null"},
        {TABLE("plain"), "column.word", "[\"a\",\"b\"]"},
        {TABLE("few"), "count", "2"},
        {TABLE("odd \\\"name"), "row.a b", "\"here\""},
        {TABLE("blank"), "count", "none"},
        {TABLE("things"), "columns", "[\"id\",\"name\",\"price\",\"stock\",\"raw\",\"note\"]"},
        {TABLE("things"), "query", "null"},
    };
    struct world *w = *state;
    fill(w);
    DATA_CHECK_ROWS(w, &sqlite_query_data, rows);
}

static sv read_all(struct world *w) {
    char *text = arena_alloc(&w->arena, 1 << 16);
    FILE *file = fopen(world_path(w, "x.db").data, "r");
    assert_non_null(file);
    size_t len = fread(text, 1, 1 << 16, file);
    fclose(file);
    return sv_make(text, len);
}

/* Whatever the query says. */
static void nothing_is_ever_written(void **state) {
    static const char *const texts[] = {
        QUERY("DELETE FROM things"),
        QUERY("UPDATE things SET stock = 1 RETURNING id"),
        QUERY("CREATE TABLE t (a)"),
        QUERY("ATTACH 'y.db' AS y"),
        QUERY("VACUUM INTO 'y.db'"),
        QUERY("PRAGMA user_version = 5"),
        QUERY("PRAGMA journal_mode = delete"),
        QUERY("SELECT 1; DELETE FROM things"),
        QUERY("BEGIN"),
        QUERY("not SQL"),
        QUERY("SELECT 1 AS a, 2 AS a"),
        QUERY("SELECT load_extension('x')"),
        TABLE("things; DROP TABLE things"),
        TABLE("none"),
    };
    struct world *w = *state;
    fill(w);
    sv before = read_all(w);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct data_call c = data_make_call(w, sv_from_cstr(texts[i]));
        if (sqlite_query_data.fetch(&c) != PROVIDER_TERMINAL || c.reasons.items.len != 1) {
            fail_msg("%s is not refused", texts[i]);
        }
    }
    assert_true(sv_eq(before, read_all(w)));
    assert_int_equal(access(world_path(w, "y.db").data, F_OK), -1);
}

static void failures_say_why(void **state) {
    struct world *w = *state;
    fill(w);
    const struct data_type *t = &sqlite_query_data;
    data_expect_failure(w, t, SV("[]"), PROVIDER_TERMINAL, "a filter 'database'");
    data_expect_failure(w, t, SV("[[\"database\", \"=\", \"x.db\"]]"), PROVIDER_TERMINAL,
                        "a filter 'table' or 'query'");
    data_expect_failure(w, t, SV("[[\"database\", \"=\", \"none.db\"], [\"table\", \"=\", \"t\"]]"), PROVIDER_TERMINAL,
                        "none.db");
    assert_int_equal(access(world_path(w, "none.db").data, F_OK), -1);
    FILE *file = fopen(world_path(w, "text.db").data, "w");
    assert_non_null(file);
    for (int i = 0; i < 200; i++) {
        fputs("this is no database ", file);
    }
    fclose(file);
    data_expect_failure(w, t, SV("[[\"database\", \"=\", \"text.db\"], [\"table\", \"=\", \"t\"]]"), PROVIDER_TERMINAL,
                        "text.db");
    data_expect_failure(w, t, SV("[[\"database\", \"=\", \".\"], [\"table\", \"=\", \"t\"]]"), PROVIDER_TERMINAL,
                        "cannot open");
    data_expect_failure(w, t,
                        SV(QUERY("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")),
                        PROVIDER_TERMINAL, "more than 10000 rows");
    data_expect_failure(w, t, SV(QUERY("SELECT hex(zeroblob(20000000)) AS big")), PROVIDER_TERMINAL, "more than");
}

/* An endless query ends at its deadline; a locked database can be asked again. */
static void time_and_locks_pass(void **state) {
    struct world *w = *state;
    fill(w);
    struct data_call c =
        data_make_call(w, SV(QUERY("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS m "
                                   "FROM n")));
    c.deadline_ms = w->host.ops->get_monotonic_ms(w->host.user) + 300;
    assert_int_equal(sqlite_query_data.fetch(&c), PROVIDER_TRANSIENT);
    struct sql_db *db = open_db(w, "x.db");
    assert_int_equal(SQL_EXEC(db, "BEGIN EXCLUSIVE"), SQL_OK);
    c = data_make_call(w, SV(TABLE("things")));
    c.deadline_ms = w->host.ops->get_monotonic_ms(w->host.user) + 300;
    assert_int_equal(sqlite_query_data.fetch(&c), PROVIDER_TRANSIENT);
    sql_close(db);
    assert_true(sv_eq(data_get(w, &sqlite_query_data, SV(TABLE("things")), "count"), SV("3")));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, world_set_up, world_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(the_contract_holds),
        CASE(every_operator_works_on_rows),
        CASE(tables_views_and_queries_are_read),
        CASE(nothing_is_ever_written),
        CASE(failures_say_why),
        CASE(time_and_locks_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
