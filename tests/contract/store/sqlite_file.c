/* The SQLite store as a file (LC-040, LC-043): rights, what is refused and stays untouched, migration, older copies. */
#include "adapters/sqlite/sqlite.h"
#include "contract/store/fixture.h"
#include "stores/sqlite/internal.h"
#include "stores/sqlite/sqlite_store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct store *open_at(struct fixture *f, sv path, bool read_only, enum store_result *result) {
    struct store_options options = fixture_get_options(f, read_only);
    return sqlite_store_open(&f->arena, path, &options, result);
}

static struct store *open_default(struct fixture *f, bool read_only) {
    return open_at(f, fixture_get_path(f, ".lintel/state.db"), read_only, NULL);
}

static const struct store_kind kind = {.name = "sqlite", .open = open_default, .is_lasting = true};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    fixture_init(f, &kind);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture_fini(*state);
    free(*state);
    return 0;
}

static void close_store(struct fixture *f) {
    f->store->ops->close(f->store);
    f->store = NULL;
}

static mode_t get_mode(sv path) {
    struct stat st;
    assert_int_equal(stat(path.data, &st), 0);
    return st.st_mode & 07777;
}

static sv read_file(struct fixture *f, sv path) {
    int fd = open(path.data, O_RDONLY);
    assert_true(fd >= 0);
    off_t size = lseek(fd, 0, SEEK_END);
    char *data = arena_alloc_array(&f->arena, (size_t)size + 1, 1);
    assert_int_equal(pread(fd, data, (size_t)size, 0), size);
    close(fd);
    return sv_make(data, (size_t)size);
}

static void write_file(sv path, sv text) {
    int fd = open(path.data, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.data, text.len), (ssize_t)text.len);
    close(fd);
}

/* Statements of somebody who goes round the store. */
static void run_sql(struct fixture *f, sv path, sv text) {
    struct sql_options options = {.create = true, .busy_timeout_ms = 1000};
    struct sql_db *db;
    sv why = {0};
    assert_int_equal(sql_open(&f->arena, path, &options, &db, &why), SQL_OK);
    if (sql_exec(db, text) != SQL_OK) {
        print_error("%.*s\n", SV_ARG(sql_get_error(db)));
        fail();
    }
    sql_close(db);
}

static void check_refused(struct fixture *f, sv path, enum store_result want, enum diag_code code) {
    diags_init(&f->diags, &f->arena, &f->sources);
    for (int read_only = 0; read_only < 2; read_only++) {
        enum store_result result;
        assert_null(open_at(f, path, read_only == 1, &result));
        assert_int_equal(result, want);
    }
    assert_int_equal(f->diags.items.len, 1); /* the same twice */
    const struct diag *d = f->diags.items.items[0];
    assert_int_equal(d->code, code);
    assert_int_not_equal(sv_find(d->message, path), SIZE_MAX); /* names the file */
    assert_true(d->hint.len > 0);                              /* and what to do */
}

/* File mode 0600, directory 0700, log and side file alike. */
static void test_rights(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    assert_int_equal(get_mode(fixture_get_path(f, ".lintel")), 0700);
    static const char *const names[] = {".lintel/state.db", ".lintel/state.db-wal", ".lintel/state.db-shm",
                                        ".lintel/state.db-lock"};
    for (size_t n = 0; n < 4; n++) {
        assert_int_equal(get_mode(fixture_get_path(f, names[n])), 0600);
    }
    close_store(f);
    chmod(fixture_get_path(f, names[0]).data, 0644);
    f->store = open_default(f, false);
    assert_non_null(f->store);
    assert_int_equal(get_mode(fixture_get_path(f, names[0])), 0600);
}

static void test_settings(void **state) {
    struct fixture *f = *state;
    struct sqlite_store *s = sqlite_of(f->store);
    const struct {
        const char *pragma;
        int64_t want;
    } settings[] = {
        {"PRAGMA synchronous", 2},
        {"PRAGMA foreign_keys", 1},
        {"PRAGMA trusted_schema", 0},
        {"PRAGMA cell_size_check", 1},
        {"PRAGMA secure_delete", 1},
        {"PRAGMA wal_autocheckpoint", 0},
        {"PRAGMA user_version", (int64_t)state_migration_count},
        {"PRAGMA application_id", STATE_APPLICATION_ID},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        int64_t value = -1;
        assert_int_equal(read_i64(s, settings[i].pragma, &value), STORE_OK);
        assert_int_equal(value, settings[i].want);
    }
    struct sql_stmt *stmt;
    assert_int_equal(sql_prepare(s->db, SV("PRAGMA journal_mode"), &stmt), SQL_OK);
    assert_int_equal(sql_step(stmt), SQL_ROW);
    CHECK_SV(sql_get_text(stmt, 0), SV("wal"));
    sql_finish(stmt);
    int64_t loose = -1; /* every table is STRICT */
    assert_int_equal(read_i64(s,
                              "SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND NOT strict"
                              " AND name NOT LIKE 'sqlite_%'",
                              &loose),
                     STORE_OK);
    assert_int_equal(loose, 0);
}

static void test_foreign_files(void **state) {
    struct fixture *f = *state;
    sv text = fixture_get_path(f, "notes.txt"), database = fixture_get_path(f, "other.db");
    struct buf long_text = BUF(&f->arena);
    buf_append_repeat(&long_text, 'x', 9000);
    static const char *const starts[] = {"x", "my notes", "SQLite format 3"};
    for (size_t i = 0; i < 3; i++) {
        write_file(text, sv_from_cstr(starts[i]));
        check_refused(f, text, STORE_FOREIGN, DIAG_state_foreign);
        CHECK_SV(read_file(f, text), sv_from_cstr(starts[i]));
    }
    write_file(text, buf_get_sv(&long_text));
    check_refused(f, text, STORE_FOREIGN, DIAG_state_foreign);
    run_sql(f, database, SV("CREATE TABLE t (x); INSERT INTO t VALUES (1)"));
    sv before = read_file(f, database);
    check_refused(f, database, STORE_FOREIGN, DIAG_state_foreign);
    assert_true(sv_eq(read_file(f, database), before));
    assert_int_not_equal(access(arena_printf(&f->arena, "%s-lock", database.data).data, F_OK),
                         0); /* nothing beside it */
    assert_int_not_equal(access(arena_printf(&f->arena, "%s-wal", database.data).data, F_OK), 0);
}

static void test_odd_places(void **state) {
    struct fixture *f = *state;
    enum store_result result;
    sv link = fixture_get_path(f, "link.db");
    assert_int_equal(symlink("/tmp/nowhere", link.data), 0);
    assert_null(open_at(f, link, false, &result));
    assert_null(open_at(f, fixture_get_path(f, ".lintel"), false, &result)); /* a directory */
    assert_null(open_at(f, fixture_get_path(f, ".lintel/"), false, &result));
    assert_null(open_at(f, (sv){0}, false, &result));
    assert_null(open_at(f, SV("/proc/nowhere/state.db"), false, &result));
    sv fifo = fixture_get_path(f, "fifo");
    assert_int_equal(mkfifo(fifo.data, 0600), 0);
    assert_null(open_at(f, fifo, false, &result));
    assert_true(f->diags.errors >= 6);
    /* names that mean something to SQLite are just names */
    static const char *const names[] = {"file:x?mode=memory", ":memory:", "a b%20c.db", "x?immutable=1", "'q\".db"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sv path = fixture_get_path(f, names[i]);
        struct store *s = open_at(f, path, false, NULL);
        assert_non_null(s);
        s->ops->close(s);
        assert_int_equal(access(path.data, F_OK), 0);
    }
}

/* A state that does not exist is not made by looking. */
static void test_reading_makes_nothing(void **state) {
    struct fixture *f = *state;
    enum store_result result;
    sv path = fixture_get_path(f, "none/state.db");
    assert_null(open_at(f, path, true, &result));
    assert_int_not_equal(access(fixture_get_path(f, "none").data, F_OK), 0);
    path = fixture_get_path(f, "none.db");
    assert_null(open_at(f, path, true, &result));
    assert_int_not_equal(access(path.data, F_OK), 0);
    assert_int_equal(f->diags.items.items[0]->code, DIAG_state_not_available);
}

/* F36 */
static void test_newer(void **state) {
    struct fixture *f = *state;
    sv path = fixture_get_path(f, ".lintel/state.db");
    close_store(f);
    run_sql(f, path, SV("PRAGMA user_version = 99"));
    sv before = read_file(f, path);
    check_refused(f, path, STORE_NEWER, DIAG_state_newer);
    assert_int_not_equal(sv_find(f->diags.items.items[0]->message, SV("99")), SIZE_MAX);
    assert_true(sv_eq(read_file(f, path), before));
}

/* F37: a row that somebody edited. */
static void test_edited_rows(void **state) {
    static const char *const edits[] = {
        "UPDATE elements SET body = '{\"x\":2}'",
        "UPDATE elements SET status = 'destroyed'",
        "UPDATE elements SET address = 'resources.b'",
        "UPDATE journal SET token = 2",
        "UPDATE journal SET mac = zeroblob(32)",
        "UPDATE instances SET version = 7",
        "UPDATE leases SET token = 9",
    };
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    struct store_element e = sample_element("resources.a", SV("{\"x\":1}"));
    save_element(f->store, "id-1", &e);
    struct journal_row row = sample_row(1, 1);
    f->store->ops->begin(f->store, NULL);
    assert_int_equal(f->store->ops->append_journal(f->store, SV("id-1"), &row), STORE_OK);
    assert_int_equal(f->store->ops->commit(f->store), STORE_OK);
    struct store_lease lease;
    struct store_lease_request request = {.instance_id = SV("id-1"), .holder = SV("{}"), .ttl_ms = 1000};
    assert_int_equal(f->store->ops->take_lease(f->store, &f->arena, &request, &lease), STORE_OK);
    close_store(f);
    sv path = fixture_get_path(f, ".lintel/state.db"), good = read_file(f, path);
    for (size_t n = 0; n < sizeof edits / sizeof edits[0]; n++) {
        write_file(path, good);
        run_sql(f, path, sv_from_cstr(edits[n]));
        diags_init(&f->diags, &f->arena, &f->sources);
        f->store = open_default(f, false);
        assert_non_null(f->store);
        struct store_tree tree;
        assert_int_equal(f->store->ops->load_tree(f->store, &f->arena, SV("id-1"), &tree), STORE_CORRUPT);
        assert_int_equal(f->diags.items.items[0]->code, DIAG_state_corrupt);
        assert_int_equal(f->store->ops->begin(f->store, NULL), STORE_CORRUPT); /* never written to */
        close_store(f);
        unlink(fixture_get_path(f, ".lintel/state.db-wal").data);
        unlink(fixture_get_path(f, ".lintel/state.db-shm").data);
    }
}

/* F37: an older copy put back is noticed, unless the user says that it is meant. */
static void test_older_copy(void **state) {
    struct fixture *f = *state;
    sv path = fixture_get_path(f, ".lintel/state.db");
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    close_store(f);
    sv old = read_file(f, path);
    f->store = open_default(f, false);
    i.version = 2;
    save_instance(f->store, &i, 1);
    close_store(f);
    write_file(path, old);
    check_refused(f, path, STORE_CORRUPT, DIAG_journal_chain_broken);
    assert_true(sv_eq(read_file(f, path), old));
    unlink(fixture_get_path(f, ".lintel/state.db-lock").data);
    f->store = open_default(f, false);
    assert_non_null(f->store);
    /* a state that was removed altogether is simply new */
    close_store(f);
    unlink(path.data);
    f->store = open_default(f, false);
    assert_non_null(f->store);
    struct store_tree tree;
    assert_int_equal(f->store->ops->load_tree(f->store, &f->arena, SV("id-1"), &tree), STORE_OK);
    assert_false(tree.found);
}

/* F4: one transaction, a copy before, user_version last. */
static void test_migration(void **state) {
    enum { MIGRATIONS_MAX = 64 };
    struct migration steps[MIGRATIONS_MAX] = {{NULL}};
    size_t last = state_migration_count; /* the next one */
    assert_true(last < MIGRATIONS_MAX);
    struct fixture *f = *state;
    struct sqlite_store *s = sqlite_of(f->store);
    int64_t number = 0;
    steps[last].sql = "ALTER TABLE elements ADD COLUMN extra TEXT; SELECT nonsense";
    assert_int_not_equal(migrate(s, steps, last + 1), STORE_OK);
    assert_int_equal(connect_db(s), STORE_OK);
    assert_int_equal(read_i64(s, "PRAGMA user_version", &number), STORE_OK);
    assert_int_equal(number, last);
    assert_int_equal(read_i64(s, "SELECT count(*) FROM pragma_table_info('elements') WHERE name = 'extra'", &number),
                     STORE_OK);
    assert_int_equal(number, 0); /* nothing of it */
    steps[last].sql = "ALTER TABLE elements ADD COLUMN extra TEXT";
    assert_int_equal(migrate(s, steps, last + 1), STORE_OK);
    assert_int_equal(read_i64(s, "PRAGMA user_version", &number), STORE_OK);
    assert_int_equal(number, last + 1);
    assert_int_equal(read_i64(s, "SELECT max(version) FROM migrations", &number), STORE_OK);
    assert_int_equal(number, last + 1);
    assert_int_equal(get_mode(fixture_get_path(f, ".lintel/state.db.bak")), 0600);
    close_store(f);
    /* the copy is a state of the old format, complete */
    struct store *old = open_at(f, fixture_get_path(f, ".lintel/state.db.bak"), false, NULL);
    assert_non_null(old);
    old->ops->close(old);
    /* and this lintel refuses the new one */
    check_refused(f, fixture_get_path(f, ".lintel/state.db"), STORE_NEWER, DIAG_state_newer);
}

/* F34 */
static void test_network_file_systems(void **state) {
    (void)state;
    assert_true(is_network_file_system(0x6969));
    assert_true(is_network_file_system(0xff534d42));
    assert_true(is_network_file_system(0x01021997));
    assert_false(is_network_file_system(0xef53));     /* ext4 */
    assert_false(is_network_file_system(0x01021994)); /* tmpfs */
    assert_false(is_network_file_system(0x794c7630)); /* overlay */
}

/* After a clean end the log is empty and nothing needs checking; after an unclean one it does. */
static void test_clean_end(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    assert_true(read_file(f, fixture_get_path(f, ".lintel/state.db-wal")).len > 0);
    sv note = read_file(f, fixture_get_path(f, ".lintel/state.db-lock"));
    assert_true(sv_has_prefix(note, SV("lintel-state-1 2 0 0 ")));
    close_store(f);
    assert_int_equal(read_file(f, fixture_get_path(f, ".lintel/state.db-wal")).len, 0);
    note = read_file(f, fixture_get_path(f, ".lintel/state.db-lock"));
    assert_true(sv_has_prefix(note, SV("lintel-state-1 2 ")));
    assert_false(sv_has_prefix(note, SV("lintel-state-1 2 0 0 ")));
}

/* Two handles see each other's commits; a reader keeps its view while another writes. */
static void test_two_handles(void **state) {
    struct fixture *f = *state;
    struct store *second = open_default(f, false);
    assert_non_null(second);
    struct store_instance i = sample_instance("id-1", "shop"), other = sample_instance("id-2", "other");
    save_instance(f->store, &i, 0);
    save_instance(second, &other, 0);
    struct store_instance *items;
    size_t count;
    assert_int_equal(f->store->ops->list_instances(f->store, &f->arena, (sv){0}, &items, &count), STORE_OK);
    assert_int_equal(count, 2);
    assert_int_equal(f->store->ops->begin(f->store, NULL), STORE_OK);
    i.version = 2;
    assert_int_equal(f->store->ops->put_instance(f->store, &i, 1), STORE_OK);
    struct store_tree tree; /* not committed yet */
    assert_int_equal(second->ops->load_tree(second, &f->arena, SV("id-1"), &tree), STORE_OK);
    assert_int_equal(tree.instance.version, 1);
    assert_int_equal(f->store->ops->commit(f->store), STORE_OK);
    assert_int_equal(second->ops->load_tree(second, &f->arena, SV("id-1"), &tree), STORE_OK);
    assert_int_equal(tree.instance.version, 2);
    /* F33: who waits too long is told */
    sqlite_of(second)->busy_timeout_ms = 50;
    drop_db(sqlite_of(second));
    assert_int_equal(f->store->ops->begin(f->store, NULL), STORE_OK);
    assert_int_equal(second->ops->begin(second, NULL), STORE_BUSY);
    assert_int_equal(f->diags.items.items[0]->code, DIAG_state_busy);
    f->store->ops->rollback(f->store);
    assert_int_equal(second->ops->begin(second, NULL), STORE_OK);
    second->ops->rollback(second);
    second->ops->close(second);
}

/* The log does not grow without bounds while one program writes. */
static void test_log_is_emptied(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    struct buf body = BUF(&f->arena);
    buf_append_char(&body, '"');
    buf_append_repeat(&body, 'x', 1 << 20);
    buf_append_char(&body, '"');
    struct store_element e = sample_element("resources.a", buf_get_sv(&body));
    for (int n = 0; n < 60; n++) {
        save_element(f->store, "id-1", &e);
    }
    assert_true(read_file(f, fixture_get_path(f, ".lintel/state.db-wal")).len < (size_t)40 << 20);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(test_rights),
        CASE(test_settings),
        CASE(test_foreign_files),
        CASE(test_odd_places),
        CASE(test_reading_makes_nothing),
        CASE(test_newer),
        CASE(test_edited_rows),
        CASE(test_older_copy),
        CASE(test_migration),
        CASE(test_network_file_systems),
        CASE(test_clean_end),
        CASE(test_two_handles),
        CASE(test_log_is_emptied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
