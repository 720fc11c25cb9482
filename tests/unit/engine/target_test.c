/* Plans of a part (CLI-013): what links do to it, and objects that are made anew because somebody says so (BP-445 to
 * BP-449). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "world.h"

/* One plan; `target`, `exclude` and `replace` may be NULL. */
struct part {
    const char *target, *exclude, *replace;
};

static struct target_list list_of(struct arena *a, const char *address) {
    struct target_address *items = ARENA_NEW(a, struct target_address);
    items->text = address == NULL ? (sv){0} : sv_from_cstr(address);
    return (struct target_list){items, address != NULL};
}

static void limit(struct trip *t, struct part part) {
    t->config.scope = (struct target_request){list_of(&t->arena, part.target), list_of(&t->arena, part.exclude),
                                              list_of(&t->arena, part.replace)};
}

static void expect_part(struct world *w, const char *blueprint, struct part part, const char *expected) {
    struct trip t;
    trip_init(&t, w);
    limit(&t, part);
    expect_text(trip_plan(&t, blueprint), expected);
    trip_fini(&t);
}

static void deploy_part(struct world *w, const char *blueprint, struct part part) {
    struct trip t;
    trip_init(&t, w);
    limit(&t, part);
    (void)trip_plan(&t, blueprint);
    assert_non_null(t.plan);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
}

static const char linked[] = "resources:\n"
                             "  a:\n"
                             "    type: fake/thing\n"
                             "    linkSelector: {byLabel: {app: x}}\n"
                             "    spec: {name: one}\n"
                             "  p:\n"
                             "    type: fake/place\n"
                             "    metadata: {labels: {app: x}}\n"
                             "    spec: {path: /p}\n";

static void ordered_links_are_uses(void **state) { /* CLI-013, BP-430 */
    (void)state;
    struct world w;
    world_init(&w);
    expect_part(&w, linked, (struct part){.target = "resources.p"}, "create resources.p\nC(resources.p)\n");
    expect_part(&w, linked, (struct part){.exclude = "resources.a"}, "create resources.p\nC(resources.p)\n");
    expect_part(&w, linked, (struct part){.exclude = "resources.p"}, "");
    expect_part(&w, linked, (struct part){.target = "resources.a"},
                "create resources.a ?spec.environment.PLACE\n"
                "create resources.p\n"
                "create links.a::p ?data.place\n"
                "C(resources.a) after C(resources.p)*\n"
                "C(resources.p)\n"
                "L(a::p) after C(resources.a) C(resources.p)\n");
    expect_part(&w, linked, (struct part){.exclude = "links.a::p"},
                "create resources.a ?spec.environment.PLACE\n"
                "create resources.p\n"
                "C(resources.a) after C(resources.p)*\n"
                "C(resources.p)\n");
    deploy_part(&w, linked, (struct part){.target = "resources.p"});
    expect_part(&w, linked, (struct part){0},
                "create resources.a\n"
                "create links.a::p\n"
                "C(resources.a)\n"
                "L(a::p) after C(resources.a)\n");
    world_fini(&w);
}

static const char friends[] = "resources:\n"
                              "  a: {type: fake/thing, linkSelector: {byLabel: {app: x}}, spec: {name: one}}\n"
                              "  b: {type: fake/thing, metadata: {labels: {app: x}}, spec: {name: two}}\n";

static void a_torn_link_is_made_anew(void **state) { /* CLI-013, BP-431 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, friends, EXIT_OK);
    expect_part(&w, friends, (struct part){.target = "resources.b"}, "");
    expect_part(&w, friends, (struct part){.target = "resources.b", .replace = "resources.b"},
                "replace resources.b create-first because:--replace\n"
                "update links.a::b\n"
                "C(resources.b)\n"
                "L(a::b) after C(resources.b)\n"
                "D(resources.b) late after C(resources.b)\n");
    deploy_part(&w, friends, (struct part){.target = "resources.b", .replace = "resources.b"});
    expect_part(&w, friends, (struct part){0}, "");
    world_fini(&w);
}

static const char things[] = "resources:\n"
                             "  x: {type: fake/thing, spec: {name: one}}\n"
                             "  y: {type: fake/thing, spec: {name: '${x.spec.id}'}}\n";

static const char firsts[] = "resources:\n"
                             "  x: {type: fake/first, spec: {name: one}}\n"
                             "  y: {type: fake/first, spec: {name: '${x.spec.id}'}}\n";

static void replaced_in_both_orders(void **state) { /* BP-446, BP-448, CLI-012 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, things, EXIT_OK);
    expect_part(&w, things, (struct part){.replace = "resources.x"},
                "replace resources.x create-first because:--replace\n"
                "update resources.y ~spec.name ?spec.name\n"
                "C(resources.x)\n"
                "C(resources.y) after C(resources.x)*\n"
                "D(resources.x) late after C(resources.x) C(resources.y)\n");
    size_t before = world_count_objects(&w);
    deploy_part(&w, things, (struct part){.replace = "resources.x"});
    assert_int_equal(world_count_objects(&w), before);
    assert_int_equal(world_count_calls(&w, "create resources.x"), 2);
    expect_part(&w, things, (struct part){0}, "");
    world_fini(&w);
    world_init(&w);
    world_deploy(&w, firsts, EXIT_OK);
    expect_part(&w, firsts, (struct part){.replace = "resources.x"},
                "replace resources.x destroy-first because:--replace\n"
                "update resources.y ~spec.name ?spec.name\n"
                "C(resources.x) after D(resources.x)\n"
                "C(resources.y) after C(resources.x)*\n"
                "D(resources.x)\n");
    deploy_part(&w, firsts, (struct part){.replace = "resources.x"});
    expect_part(&w, firsts, (struct part){0}, "");
    world_fini(&w);
}

static void a_retained_object_cannot_go_first(void **state) { /* BP-449 */
    (void)state;
    static const char retained[] = "resources:\n"
                                   "  x: {type: fake/first, removalPolicy: retain, spec: {name: one}}\n";
    struct world w;
    world_init(&w);
    world_deploy(&w, retained, EXIT_OK);
    expect_part(&w, retained, (struct part){.replace = "resources.x"},
                "replacement_blocked_by_retain: 'x' must be destroyed before its replacement is made, but is to be "
                "retained\n");
    world_fini(&w);
}

/* What is gone and left out stays gone, and what uses it is no part of the plan. */
static void what_is_gone_may_be_left_out(void **state) { /* CLI-013, BP-531 */
    (void)state;
    static const char three[] = "resources:\n"
                                "  x: {type: fake/thing, spec: {name: one}}\n"
                                "  y: {type: fake/thing, spec: {name: '${x.spec.id}'}}\n"
                                "  z: {type: fake/thing, spec: {name: three}}\n"
                                "exports:\n"
                                "  y: {type: string, field: y.spec.name}\n";
    struct world w;
    world_init(&w);
    world_deploy(&w, three, EXIT_OK);
    w.objects.items[0].gone = true;
    struct trip t;
    trip_init(&t, &w);
    limit(&t, (struct part){.exclude = "resources.x"});
    t.config.accept_drift = true;
    (void)trip_plan(&t, three);
    assert_non_null(t.plan);
    assert_int_equal(t.plan->change_count, 0);
    assert_int_equal(t.plan->drift_count, 1);
    assert_int_equal(t.plan->scope.left_out_count, 3);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    trip_init(&t, &w);
    expect_text(trip_plan(&t, three), "create resources.x\n"
                                      "update resources.y ~spec.name ?spec.name\n"
                                      "update exports.y ?value\n"
                                      "C(resources.x)\n"
                                      "C(resources.y) after C(resources.x)*\n");
    trip_fini(&t);
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordered_links_are_uses),       cmocka_unit_test(a_torn_link_is_made_anew),
        cmocka_unit_test(replaced_in_both_orders),      cmocka_unit_test(a_retained_object_cannot_go_first),
        cmocka_unit_test(what_is_gone_may_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
