/* The real host. */
#include "model/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void the_clocks_run(void **state) {
    (void)state;
    const struct host_ops *ops = host_system.ops;
    int64_t before = ops->get_monotonic_ms(NULL);
    ops->sleep_ms(NULL, 30);
    assert_in_range(ops->get_monotonic_ms(NULL) - before, 29, 5000);
    ops->sleep_ms(NULL, -5);
    assert_true(ops->get_wall_ms(NULL) > 1700000000000);
}

static void randomness_fills_the_whole(void **state) {
    (void)state;
    uint8_t bytes[1000] = {0}, zeros[100] = {0};
    host_system.ops->fill_random(NULL, bytes, sizeof bytes);
    assert_memory_not_equal(bytes + sizeof bytes - sizeof zeros, zeros, sizeof zeros);
    host_system.ops->fill_random(NULL, bytes, 0);
}

static void the_environment_is_read_anew(void **state) {
    (void)state;
    struct arena a = {0};
    sv text;
    setenv("LINTEL_TEST_B", "x=y", 1);
    setenv("LINTEL_TEST_A", "", 1);
    assert_true(host_system.ops->find_env(NULL, &a, SV("LINTEL_TEST_B"), &text));
    assert_true(sv_eq(text, SV("x=y")));
    assert_false(host_system.ops->find_env(NULL, &a, SV("LINTEL_TEST_"), &text));
    struct host_env *all;
    assert_int_equal(host_list_env(&a, SV("LINTEL_TEST_"), &all), 2);
    assert_true(sv_eq(all[0].name, SV("LINTEL_TEST_A")) && all[0].text.len == 0);
    assert_true(sv_eq(all[1].name, SV("LINTEL_TEST_B")));
    unsetenv("LINTEL_TEST_A");
    unsetenv("LINTEL_TEST_B");
    assert_int_equal(host_list_env(&a, SV("LINTEL_TEST_"), &all), 0);
    arena_fini(&a);
}

static void it_knows_where_and_who_it_is(void **state) {
    (void)state;
    struct arena a = {0};
    const struct host_ops *ops = host_system.ops;
    assert_int_equal(ops->get_pid(NULL), getpid());
    assert_true(ops->get_cwd(NULL, &a).data[0] == '/');
    assert_true(sv_find_char(ops->get_actor(NULL, &a), '@') != SIZE_MAX);
    assert_int_equal(ops->get_boot_id(NULL, &a).len, 36);
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clocks_run),
        cmocka_unit_test(randomness_fills_the_whole),
        cmocka_unit_test(the_environment_is_read_anew),
        cmocka_unit_test(it_knows_where_and_who_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
