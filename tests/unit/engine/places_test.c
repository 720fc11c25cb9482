/* Elements come in document order, whatever order their operations ended in (BP-021). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "world.h"

/* The names of the resources, then the addresses of links, as they are given out. */
static void expect_order(struct world *w, const char *expected) {
    struct trip t;
    struct instance_view view;
    trip_init(&t, w);
    assert_true(run_view_instance(&t.config, &view));
    struct buf out = BUF(&t.arena);
    for (size_t i = 0; i < view.resource_count; i++) {
        buf_printf(&out, "%s%.*s", i == 0 ? "" : " ", SV_ARG(view.resources[i].name));
    }
    for (size_t i = 0; i < view.link_count; i++) {
        buf_printf(&out, " %.*s", SV_ARG(view.links[i].address.text));
    }
    expect_text(buf_get_sv(&out).data, expected);
    trip_fini(&t);
}

static void deploy_parallel(struct world *w, const char *blueprint) {
    struct trip t;
    trip_init(&t, w);
    t.config.parallel = 8;
    trip_plan(&t, blueprint);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
}

static void comes_in_the_order_of_the_document(void **state) { /* BP-021, F83 */
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct world w;
        world_init(&w);
        world_script(&w, "create resources.a", PROVIDER_TRANSIENT, (unsigned)i);
        world_script(&w, "create resources.d", PROVIDER_TRANSIENT, (unsigned)(3 - i));
        deploy_parallel(&w, "resources:\n"
                            "  z: {type: fake/thing, dependsOn: [a, b, c], spec: {name: z}}\n"
                            "  a: {type: fake/slow, spec: {name: a}}\n"
                            "  d: {type: fake/thing, linkSelector: {byLabel: {app: x}}, spec: {name: d}}\n"
                            "  b: {type: fake/thing, linkSelector: {byLabel: {app: x}}, spec: {name: b}}\n"
                            "  c: {type: fake/place, metadata: {labels: {app: x}}, spec: {path: c}}\n");
        expect_order(&w, "z a d b c links.d::c links.b::c");
        world_fini(&w);
    }
}

/* Rows of what did not change are not written anew, and yet what is new stands in its place. */
static void a_new_element_stands_between_its_neighbours(void **state) { /* BP-021 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy_parallel(&w, "resources:\n"
                        "  m: {type: fake/thing, spec: {name: m}}\n"
                        "  k: {type: fake/thing, spec: {name: k}}\n");
    deploy_parallel(&w, "resources:\n"
                        "  z: {type: fake/thing, spec: {name: z}}\n"
                        "  m: {type: fake/thing, spec: {name: m}}\n"
                        "  x: {type: fake/thing, spec: {name: x}}\n"
                        "  b: {type: fake/thing, spec: {name: b}}\n"
                        "  k: {type: fake/thing, spec: {name: changed}}\n"
                        "  a: {type: fake/thing, spec: {name: a}}\n");
    expect_order(&w, "z m x b k a");
    deploy_parallel(&w, "resources:\n"
                        "  y: {type: fake/thing, spec: {name: y}}\n"
                        "  z: {type: fake/thing, spec: {name: z}}\n"
                        "  x: {type: fake/thing, spec: {name: x}}\n"
                        "  c: {type: fake/thing, spec: {name: c}}\n"
                        "  b: {type: fake/thing, spec: {name: b}}\n"
                        "  a: {type: fake/thing, spec: {name: a}}\n");
    expect_order(&w, "y z x c b a");
    /* One that moves gets another place once it changes; the others keep theirs. */
    deploy_parallel(&w, "resources:\n"
                        "  a: {type: fake/thing, spec: {name: changed}}\n"
                        "  y: {type: fake/thing, spec: {name: y}}\n"
                        "  z: {type: fake/thing, spec: {name: z}}\n"
                        "  x: {type: fake/thing, spec: {name: x}}\n"
                        "  c: {type: fake/thing, spec: {name: c}}\n"
                        "  b: {type: fake/thing, spec: {name: b}}\n");
    expect_order(&w, "a y z x c b");
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_in_the_order_of_the_document),
        cmocka_unit_test(a_new_element_stands_between_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
