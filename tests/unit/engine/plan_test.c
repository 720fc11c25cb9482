/* Planning: what changes, why, and in which order (BP-421 to BP-458, BP-480 to BP-485). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "world.h"

static const char two_things[] = "resources:\n"
                                 "  a:\n"
                                 "    type: fake/thing\n"
                                 "    spec: {name: one}\n"
                                 "  b:\n"
                                 "    type: fake/thing\n"
                                 "    spec: {name: two, note: '${a.spec.id} here'}\n";

static void expect_plan(struct world *w, const char *blueprint, const char *expected) {
    struct trip t;
    trip_init(&t, w);
    expect_text(trip_plan(&t, blueprint), expected);
    trip_fini(&t);
}

static void plans_a_new_instance(void **state) { /* BP-455, BP-480, BP-481 (1), BP-482 */
    (void)state;
    struct world w;
    world_init(&w);
    expect_plan(&w, two_things,
                "create resources.a\n"
                "create resources.b ?spec.note\n"
                "C(resources.a)\n"
                "C(resources.b) after C(resources.a)*\n");
    assert_int_equal(w.calls.len, 0); /* BP-425 */
    world_fini(&w);
}

static void finds_nothing_to_do(void **state) { /* BP-426, BP-455: known from the state */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, two_things, EXIT_OK);
    expect_plan(&w, two_things, "");
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_a_new_instance),
        cmocka_unit_test(finds_nothing_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
