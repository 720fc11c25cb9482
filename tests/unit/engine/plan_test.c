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

/* What is only promised to happen at least once is said before it is made. */
static void warns_of_what_may_happen_twice(void **state) { /* LC-024 */
    (void)state;
    struct world w;
    world_init(&w);
    static const char loose[] = "resources:\n"
                                "  a: {type: fake/thing, spec: {name: one}}\n"
                                "  b: {type: fake/loose, spec: {name: two}}\n";
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, loose);
    assert_int_equal(t.diags.items.len, 1);
    const struct diag *d = t.diags.items.items[0];
    expect_text(diag_get_code_name(d).data, "operation_may_repeat");
    assert_int_equal(d->level, DIAG_WARNING);
    expect_text(arena_copy_sv(&t.arena, d->path).data, "resources.b");
    expect_text(arena_copy_sv(&t.arena, d->message).data,
                "'resources.b' is made at least once: when its creation is cut off, 'fake/loose' cannot find out what "
                "it did");
    assert_true(d->hint.len > 0 && !span_is_none(d->at));
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    trip_init(&t, &w);
    trip_plan(&t, "resources:\n" /* an update writes a full state: it may be repeated */
                  "  a: {type: fake/thing, spec: {name: one}}\n"
                  "  b: {type: fake/loose, spec: {name: three}}\n");
    assert_int_equal(t.diags.items.len, 0);
    trip_fini(&t);
    trip_init(&t, &w);
    trip_plan(&t, "resources:\n  b: {type: fake/loose, spec: {name: two, kind: other}}\n"); /* a replacement */
    assert_int_equal(t.diags.items.len, 1);
    trip_fini(&t);
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

/* --- field differences and replacement --- */

static const char one_thing[] = "resources:\n  a: {type: fake/thing, spec: {name: one, note: x, kind: k}}\n";

static void tells_field_changes(void **state) { /* BP-435, BP-436 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, one_thing, EXIT_OK);
    expect_plan(&w, "resources:\n  a: {type: fake/thing, spec: {name: two, kind: k, size: 3}}\n",
                "update resources.a ~spec.name ~spec.size -spec.note\nC(resources.a)\n");
    world_fini(&w);
}

static void compares_metadata(void **state) { /* BP-439 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, one_thing, EXIT_OK);
    expect_plan(&w,
                "resources:\n"
                "  a:\n"
                "    type: fake/thing\n"
                "    metadata: {labels: {app: x}}\n"
                "    spec: {name: one, note: x, kind: k}\n",
                "update resources.a +metadata.labels.app\nC(resources.a)\n");
    expect_plan(&w,
                "resources:\n"
                "  a:\n"
                "    type: fake/thing\n"
                "    description: another\n"
                "    spec: {name: one, note: x, kind: k}\n",
                "");
    world_fini(&w);
}

static void replaces_for_a_flagged_field(void **state) { /* BP-445, BP-446, BP-481 (6), BP-483 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, one_thing, EXIT_OK);
    expect_plan(&w, "resources:\n  a: {type: fake/thing, spec: {name: one, note: x, kind: other}}\n",
                "replace resources.a create-first ~spec.kind because:spec.kind\n"
                "C(resources.a)\n"
                "D(resources.a) late after C(resources.a)\n");
    /* removed counts too */
    expect_plan(&w, "resources:\n  a: {type: fake/thing, spec: {name: one, note: x}}\n",
                "replace resources.a create-first -spec.kind because:spec.kind\n"
                "C(resources.a)\n"
                "D(resources.a) late after C(resources.a)\n");
    /* another type */
    expect_plan(&w, "resources:\n  a: {type: fake/first, spec: {name: one, note: x, kind: k}}\n",
                "replace resources.a destroy-first because:type\n"
                "C(resources.a) after D(resources.a)\n"
                "D(resources.a)\n");
    world_fini(&w);
}

static void destroys_first_where_the_type_wants_it(void **state) { /* BP-446 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, "resources:\n  a: {type: fake/first, spec: {name: one, kind: k}}\n", EXIT_OK);
    expect_plan(&w, "resources:\n  a: {type: fake/first, spec: {name: one, kind: other}}\n",
                "replace resources.a destroy-first ~spec.kind because:spec.kind\n"
                "C(resources.a) after D(resources.a)\n"
                "D(resources.a)\n");
    world_fini(&w);
}

static void propagates_replacement(void **state) { /* BP-447, BP-448, BP-481 (5) */
    (void)state;
    struct world w;
    world_init(&w);
    static const char before[] = "resources:\n"
                                 "  a: {type: fake/first, spec: {name: one, kind: k}}\n"
                                 "  b: {type: fake/thing, spec: {name: two, kind: '${a.spec.id}'}}\n"
                                 "  c: {type: fake/thing, spec: {name: three, note: '${b.spec.id}'}}\n"
                                 "  d: {type: fake/thing, spec: {name: four, note: '${a.spec.name}'}}\n";
    static const char after[] = "resources:\n"
                                "  a: {type: fake/first, spec: {name: one, kind: other}}\n"
                                "  b: {type: fake/thing, spec: {name: two, kind: '${a.spec.id}'}}\n"
                                "  c: {type: fake/thing, spec: {name: three, note: '${b.spec.id}'}}\n"
                                "  d: {type: fake/thing, spec: {name: four, note: '${a.spec.name}'}}\n";
    world_deploy(&w, before, EXIT_OK);
    /* d uses only what is known and stays as it is */
    expect_plan(&w, after,
                "replace resources.a destroy-first ~spec.kind because:spec.kind\n"
                "replace resources.b destroy-first ~spec.kind ?spec.kind because:spec.kind because:resources.a\n"
                "update resources.c ~spec.note ?spec.note\n"
                "C(resources.a) after D(resources.a)\n"
                "C(resources.b) after C(resources.a)* D(resources.b)\n"
                "C(resources.c) after C(resources.b)*\n"
                "D(resources.a) after D(resources.b)\n"
                "D(resources.b)\n");
    world_fini(&w);
}

static void retains_the_old_object(void **state) { /* BP-449 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w,
                 "resources:\n"
                 "  a: {type: fake/thing, removalPolicy: retain, spec: {name: one, kind: k}}\n"
                 "  b: {type: fake/first, removalPolicy: retain, spec: {name: two, kind: k}}\n",
                 EXIT_OK);
    expect_plan(&w,
                "resources:\n"
                "  a: {type: fake/thing, removalPolicy: retain, spec: {name: one, kind: other}}\n"
                "  b: {type: fake/first, removalPolicy: retain, spec: {name: two, kind: k}}\n",
                "replace resources.a create-first ~spec.kind because:spec.kind retain\n"
                "C(resources.a)\n"
                "D(resources.a) late after C(resources.a)\n");
    expect_plan(&w,
                "resources:\n"
                "  a: {type: fake/thing, removalPolicy: retain, spec: {name: one, kind: k}}\n"
                "  b: {type: fake/first, removalPolicy: retain, spec: {name: two, kind: other}}\n",
                "replacement_blocked_by_retain: 'b' must be destroyed before its replacement is made, but is to be "
                "retained\n");
    expect_plan(&w, "resources:\n  a: {type: fake/thing, removalPolicy: retain, spec: {name: one, kind: k}}\n",
                "retain resources.b\nD(resources.b) late\n");
    world_fini(&w);
}

/* --- unknown and provisional --- */

static void carries_provisional_values(void **state) { /* BP-456, BP-457 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, two_things, EXIT_OK);
    expect_plan(&w,
                "resources:\n"
                "  a: {type: fake/thing, spec: {name: another}}\n"
                "  b: {type: fake/thing, spec: {name: two, note: '${a.spec.id} here'}}\n",
                "update resources.a ~spec.name\n"
                "check resources.b ?spec.note\n"
                "C(resources.a)\n"
                "C(resources.b) after C(resources.a)*\n");
    world_fini(&w);
}

static void finds_uses_through_values(void **state) { /* BP-248, BP-481 */
    (void)state;
    struct world w;
    world_init(&w);
    expect_plan(&w,
                "values:\n"
                "  v: {type: string, value: 'x ${resources.a.spec.id}'}\n"
                "  u: {type: string, value: 'y ${values.v}'}\n"
                "resources:\n"
                "  b: {type: fake/thing, spec: {name: two, note: '${values.u}'}}\n"
                "  c: {type: fake/slow, dependsOn: [b, a], spec: {name: three}}\n"
                "  a: {type: fake/slow, spec: {name: one}}\n",
                "create resources.b ?spec.note\n"
                "create resources.c\n"
                "create resources.a\n"
                "C(resources.b) after C(resources.a)*\n"
                "C(resources.c) after C(resources.b)* C(resources.a)\n"
                "C(resources.a)\n");
    world_fini(&w);
}

/* --- removal --- */

static void removes_in_order_of_use(void **state) { /* BP-481 (5), BP-483 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w,
                 "resources:\n"
                 "  a: {type: fake/thing, spec: {name: one}}\n"
                 "  b: {type: fake/thing, spec: {name: two, note: '${a.spec.id}'}}\n"
                 "  c: {type: fake/thing, spec: {name: three, note: '${a.spec.id}'}}\n",
                 EXIT_OK);
    expect_plan(&w, "resources:\n  c: {type: fake/thing, spec: {name: three}}\n",
                "update resources.c -spec.note\n"
                "delete resources.a\n"
                "delete resources.b\n"
                "C(resources.c)\n"
                "D(resources.a) late after D(resources.b) C(resources.c)\n"
                "D(resources.b) late\n");
    world_fini(&w);
}

static void removes_early_what_has_the_same_identity(void **state) { /* BP-481 (8), BP-483 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, "resources:\n  a: {type: fake/place, spec: {path: /p}}\n", EXIT_OK);
    expect_plan(&w, "resources:\n  b: {type: fake/place, spec: {path: /p}}\n",
                "create resources.b\n"
                "delete resources.a\n"
                "C(resources.b) after D(resources.a)\n"
                "D(resources.a)\n");
    /* an object cannot be made beside one of its own identity */
    expect_plan(&w, "resources:\n  a: {type: fake/place, spec: {path: /p, kind: k}}\n",
                "replace resources.a destroy-first +spec.kind because:spec.kind\n"
                "C(resources.a) after D(resources.a)\n"
                "D(resources.a)\n");
    world_fini(&w);
}

static void destroys_first_what_is_in_the_way(void **state) { /* BP-446, BP-481 (8) */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w,
                 "resources:\n"
                 "  a: {type: fake/place, spec: {path: /p}}\n"
                 "  b: {type: fake/place, spec: {path: /q}}\n"
                 "  c: {type: fake/thing, spec: {name: one, kind: k, note: '${b.spec.id}'}}\n",
                 EXIT_OK);
    /* two exchange their places: one of them must go first */
    expect_plan(&w,
                "resources:\n"
                "  a: {type: fake/place, spec: {path: /q}}\n"
                "  b: {type: fake/place, spec: {path: /p}}\n",
                "replace resources.a create-first ~spec.path because:spec.path\n"
                "replace resources.b destroy-first ~spec.path because:spec.path\n"
                "delete resources.c\n"
                "C(resources.a) after D(resources.b)\n"
                "C(resources.b) after D(resources.b) D(resources.a)\n"
                "D(resources.a) after C(resources.a)\n"
                "D(resources.b) after D(resources.c)\n"
                "D(resources.c)\n");
    /* renamed, with a user that is replaced too */
    expect_plan(&w,
                "resources:\n"
                "  a: {type: fake/place, spec: {path: /p}}\n"
                "  renamed: {type: fake/place, spec: {path: /q}}\n"
                "  c: {type: fake/thing, spec: {name: one, kind: other, note: '${renamed.spec.id}'}}\n",
                "create resources.renamed\n"
                "replace resources.c destroy-first ~spec.kind ~spec.note ?spec.note because:spec.kind\n"
                "delete resources.b\n"
                "C(resources.renamed) after D(resources.b)\n"
                "C(resources.c) after C(resources.renamed)* D(resources.c)\n"
                "D(resources.c)\n"
                "D(resources.b) after D(resources.c)\n");
    world_fini(&w);
}

/* What is to be retained cannot go first. */
static void names_cycles_of_operations(void **state) { /* BP-485 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w,
                 "resources:\n"
                 "  b: {type: fake/place, spec: {path: /q}}\n"
                 "  c: {type: fake/thing, removalPolicy: retain, spec: {name: one, kind: k, note: '${b.spec.id}'}}\n",
                 EXIT_OK);
    expect_plan(
        &w,
        "resources:\n"
        "  renamed: {type: fake/place, spec: {path: /q}}\n"
        "  c: {type: fake/thing, removalPolicy: retain, spec: {name: one, kind: x, note: '${renamed.spec.id}'}}\n",
        "operation_cycle: operations wait for each other in a circle: C(resources.renamed) waits for "
        "D(resources.b) waits for D(resources.c) waits for C(resources.c) waits for C(resources.renamed)\n");
    world_fini(&w);
}

static void destroys_everything(void **state) { /* BP-510 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, two_things, EXIT_OK);
    struct trip t;
    trip_init(&t, &w);
    expect_text(trip_plan_destroy(&t), "delete resources.a\n"
                                       "delete resources.b\n"
                                       "D(resources.a) late after D(resources.b)\n"
                                       "D(resources.b) late\n");
    trip_fini(&t);
    world_fini(&w);
}

/* --- links --- */

static const char linked[] = "resources:\n"
                             "  a:\n"
                             "    type: fake/thing\n"
                             "    linkSelector: {byLabel: {app: x}}\n"
                             "    metadata: {annotations: {fake.variable: WHERE}}\n"
                             "    spec: {name: one}\n"
                             "  p:\n"
                             "    type: fake/place\n"
                             "    metadata: {labels: {app: x}}\n"
                             "    spec: {path: /p}\n";

static void orders_a_hard_link(void **state) { /* BP-430, BP-432, BP-481 (2) (3) */
    (void)state;
    struct world w;
    world_init(&w);
    expect_plan(&w, linked,
                "create resources.a ?spec.environment.WHERE\n"
                "create resources.p\n"
                "create links.a::p ?data.place\n"
                "C(resources.a) after C(resources.p)*\n"
                "C(resources.p)\n"
                "L(a::p) after C(resources.a) C(resources.p)\n");
    world_fini(&w);
}

static void removes_a_link_with_its_side(void **state) { /* BP-431, BP-481 (7) */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    expect_plan(&w, linked, "");
    expect_plan(&w,
                "resources:\n"
                "  a: {type: fake/thing, metadata: {annotations: {fake.variable: WHERE}}, spec: {name: one}}\n",
                "update resources.a -spec.environment.WHERE\n"
                "delete resources.p\n"
                "delete links.a::p\n"
                "C(resources.a)\n"
                "D(resources.p) late after U(a::p) C(resources.a)\n"
                "U(a::p) late\n");
    world_fini(&w);
}

static void reports_conflicting_contributions(void **state) { /* BP-432 */
    (void)state;
    struct world w;
    world_init(&w);
    static const char two_places[] = "resources:\n"
                                     "  p: {type: fake/place, metadata: {labels: {app: x}}, spec: {path: /p}}\n"
                                     "  q: {type: fake/place, metadata: {labels: {app: x}}, spec: {path: /q}}\n"
                                     "  a:\n"
                                     "    type: fake/thing\n"
                                     "    linkSelector: {byLabel: {app: x}}\n"
                                     "    spec: {name: one}\n";
    world_deploy(&w,
                 "resources:\n"
                 "  p: {type: fake/place, metadata: {labels: {app: x}}, spec: {path: /p}}\n"
                 "  q: {type: fake/place, metadata: {labels: {app: x}}, spec: {path: /q}}\n",
                 EXIT_OK);
    expect_plan(&w, two_places,
                "link_contribution_conflict: 'links.a::p' and 'links.a::q' set 'spec.environment.PLACE' of 'a' to "
                "different values\n");
    world_fini(&w);
}

/* --- drift --- */

static void goes_on_from_what_is_there(void **state) { /* BP-421 (3), BP-531 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, two_things, EXIT_OK);
    struct object *a = world_find(&w, "thing-1");
    a->spec = value_map_with(&w.arena, a->spec, SV("name"), value_string(&w.arena, SV("changed")));
    expect_plan(&w, two_things,
                "drift resources.a\n"
                "update resources.a ~spec.name\n"
                "check resources.b ?spec.note\n"
                "C(resources.a)\n"
                "C(resources.b) after C(resources.a)*\n");
    a->gone = true;
    expect_plan(&w, two_things,
                "drift resources.a missing\n"
                "create resources.a\n"
                "update resources.b ~spec.note ?spec.note\n"
                "C(resources.a)\n"
                "C(resources.b) after C(resources.a)*\n");
    world_fini(&w);
}

/* --- exports --- */

static void compares_exports(void **state) { /* BP-421 (9) */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w,
                 "resources:\n  a: {type: fake/thing, spec: {name: one}}\n"
                 "exports:\n"
                 "  id: {type: string, field: resources.a.spec.id}\n"
                 "  old: {type: string, field: resources.a.spec.name}\n",
                 EXIT_OK);
    expect_plan(&w,
                "resources:\n  a: {type: fake/thing, spec: {name: one}}\n"
                "exports:\n"
                "  id: {type: string, field: resources.a.spec.id}\n"
                "  new: {type: string, field: resources.a.spec.name}\n",
                "create exports.new\n"
                "delete exports.old\n");
    world_fini(&w);
}

static void is_deterministic(void **state) { /* LC-004, BP-425, F83 */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip first, second;
    trip_init(&first, &w);
    trip_init(&second, &w);
    const char *text = trip_plan(&first, linked);
    expect_text(trip_plan(&second, linked), text);
    trip_fini(&first);
    trip_fini(&second);
    world_fini(&w);
}

static void knows_its_instances(void **state) { /* BP-411 */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    expect_text(trip_plan_destroy(&t), "instance_not_found: there is no instance 'test'\n");
    assert_int_equal(t.code, EXIT_FAILED);
    trip_fini(&t);
    trip_init(&t, &w);
    t.config.instance_id = SV("nobody");
    expect_text(trip_plan(&t, two_things),
                "instance_id_and_name_provided: both a name and an id of the instance are given\n");
    trip_fini(&t);
    trip_init(&t, &w);
    t.config.instance_id = SV("nobody");
    t.config.instance_name = (sv){0};
    expect_text(trip_plan(&t, two_things), "instance_not_found: there is no instance with the id 'nobody'\n");
    trip_fini(&t);
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_a_new_instance),
        cmocka_unit_test(warns_of_what_may_happen_twice),
        cmocka_unit_test(finds_nothing_to_do),
        cmocka_unit_test(tells_field_changes),
        cmocka_unit_test(compares_metadata),
        cmocka_unit_test(replaces_for_a_flagged_field),
        cmocka_unit_test(destroys_first_where_the_type_wants_it),
        cmocka_unit_test(propagates_replacement),
        cmocka_unit_test(retains_the_old_object),
        cmocka_unit_test(carries_provisional_values),
        cmocka_unit_test(finds_uses_through_values),
        cmocka_unit_test(removes_in_order_of_use),
        cmocka_unit_test(removes_early_what_has_the_same_identity),
        cmocka_unit_test(destroys_first_what_is_in_the_way),
        cmocka_unit_test(names_cycles_of_operations),
        cmocka_unit_test(destroys_everything),
        cmocka_unit_test(orders_a_hard_link),
        cmocka_unit_test(removes_a_link_with_its_side),
        cmocka_unit_test(reports_conflicting_contributions),
        cmocka_unit_test(goes_on_from_what_is_there),
        cmocka_unit_test(compares_exports),
        cmocka_unit_test(is_deterministic),
        cmocka_unit_test(knows_its_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
