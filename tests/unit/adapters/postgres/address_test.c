/* What is added to addresses of PostgreSQL servers, and which are refused (LC-044). */
#include "adapters/postgres/postgres.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

static const char *find(const struct pg_address *a, const char *keyword) {
    const char *text = NULL;
    for (size_t i = 0; a->keywords[i] != NULL; i++) {
        text = strcmp(a->keywords[i], keyword) == 0 ? a->values[i] : text;
    }
    return text;
}

static int clear_environment(void **state) {
    (void)state;
    static const char *const names[] = {"PGHOST", "PGHOSTADDR", "PGSERVICE", "PGSSLROOTCERT"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsetenv(names[i]);
    }
    return setenv("PGSSLMODE", "disable", 1); /* does not weaken anything */
}

static void check_mode(const char *url, const char *mode, bool is_local) {
    struct arena a = {0};
    struct pg_address address;
    assert_true(pg_address_parse(&a, sv_from_cstr(url), &address));
    const char *found = find(&address, "sslmode");
    if (mode == NULL) {
        assert_null(found);
    } else {
        assert_non_null(found);
        assert_string_equal(found, mode);
    }
    assert_int_equal(address.is_local, is_local);
    arena_fini(&a);
}

/* Servers elsewhere are verified unless the address says otherwise. */
static void test_tls(void **state) {
    (void)state;
    check_mode("postgres://db.example/x", "verify-full", false);
    check_mode("postgresql://u@192.0.2.1:5433/x", "verify-full", false);
    check_mode("postgres://[2001:db8::1]/x", "verify-full", false);
    check_mode("postgres://localhost,db.example/x", "verify-full", false);
    check_mode("postgres://127.0.0.1,192.0.2.1/x", "verify-full", false);
    check_mode("postgres://127.evil.example/x", "verify-full", false);
    check_mode("postgres://localhost.evil.example/x", "verify-full", false);
    check_mode("postgres://localhost/x?hostaddr=192.0.2.1", "verify-full", false);
    check_mode("postgres:///x?service=elsewhere", "verify-full", false);
    check_mode("postgres://db.example/x?sslmode=require", "require", false);
    check_mode("postgres://db.example/x?sslmode=disable", "disable", false);
}

/* What does not leave the machine needs no TLS. */
static void test_local(void **state) {
    (void)state;
    check_mode("postgres:///x", NULL, true);
    check_mode("postgres://%2Fvar%2Frun/x", NULL, true);
    check_mode("postgres:///x?host=/var/run/postgresql", NULL, true);
    check_mode("postgres://localhost/x", NULL, true);
    check_mode("postgres://127.0.0.2:6000/x", NULL, true);
    check_mode("postgres://[::1]/x", NULL, true);
    check_mode("postgres://localhost/x?sslmode=verify-full", "verify-full", true);
    setenv("PGHOST", "db.example", 1);
    check_mode("postgres:///x", "verify-full", false);
    setenv("PGHOSTADDR", "192.0.2.1", 1);
    check_mode("postgres://localhost/x", "verify-full", false);
    clear_environment(NULL);
}

static void check_shown(const char *url, const char *shown, bool has_password) {
    struct arena a = {0};
    struct pg_address address;
    assert_true(pg_address_parse(&a, sv_from_cstr(url), &address));
    assert_string_equal(arena_copy_cstr(&a, address.shown), shown);
    assert_int_equal(address.has_password, has_password);
    arena_fini(&a);
}

static void test_shown(void **state) {
    (void)state;
    check_shown("postgres://u:secret@db.example/x", "u@db.example:5432/x", true);
    check_shown("postgres://u@db.example:1/x?password=secret", "u@db.example:1/x", true);
    check_shown("postgres://u@db.example/x?sslpassword=secret", "u@db.example:5432/x", true);
    check_shown("postgres://u@/x?host=/run/pg", "u@/run/pg/x", false);
    check_shown("postgres://u:a%40b%2Fc@h/x", "u@h:5432/x", true);
}

/* Where an unescaped password would end up in what is shown, the address is none. */
static void test_refused(void **state) {
    (void)state;
    static const char *const urls[] = {
        "postgres://u:a@b@h/x", "postgres://u:a/b@h/x", "postgres://u:1/b@h/x",
        "postgres://h:port/x",  "postgres://h/%00",     "postgres://h/x?colour=blue",
        "postgres://h/x%zz",    "postgres://[::1/x",    "http://h/x",
    };
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        struct arena a = {0};
        struct pg_address address;
        assert_false(pg_address_parse(&a, sv_from_cstr(urls[i]), &address));
        arena_fini(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_tls, clear_environment),
        cmocka_unit_test_setup(test_local, clear_environment),
        cmocka_unit_test_setup(test_shown, clear_environment),
        cmocka_unit_test_setup(test_refused, clear_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
