/* Rolling back: what a run changed becomes what it was (BP-520 to BP-523, BP-540 to BP-543, LC-001, LC-025). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/edit.h"
#include "engine/rollback.h"
#include "world.h"

static void expect_state(struct world *w, const char *expected) {
    struct trip t;
    trip_init(&t, w);
    expect_text(trip_state(&t), expected);
    trip_fini(&t);
}

/* A plan of the rollback, printed; the reason why there is none in front of it. */
static const char *plan_rollback(struct trip *t) {
    sv why_not;
    t->plan = run_plan_rollback(&t->config, &why_not, &t->code);
    if (why_not.len > 0) {
        return arena_printf(&t->arena, "nothing: %.*s\n", SV_ARG(why_not)).data;
    }
    return t->plan == NULL ? trip_errors(t) : trip_print_plan(t);
}

static void expect_plan(struct world *w, const char *expected) {
    struct trip t;
    trip_init(&t, w);
    expect_text(plan_rollback(&t), expected);
    trip_fini(&t);
}

/* One after the other, so that objects have the same names each time. */
static void deploy(struct world *w, const char *blueprint, enum exit_code expected) {
    struct trip t;
    trip_init(&t, w);
    t.config.parallel = 1;
    const char *text = trip_plan(&t, blueprint);
    if (t.plan == NULL) {
        fail_msg("no plan: %s", text);
        return;
    }
    if (trip_deploy(&t) != expected) {
        fail_msg("exit code %d instead of %d\n%s", t.code, expected, trip_errors(&t));
    }
    trip_fini(&t);
}

static void destroy(struct world *w, enum exit_code expected) {
    struct trip t;
    trip_init(&t, w);
    t.config.parallel = 1;
    trip_plan_destroy(&t);
    assert_int_equal(trip_deploy(&t), expected);
    trip_fini(&t);
}

static void roll_back(struct world *w, enum exit_code expected) {
    struct trip t;
    trip_init(&t, w);
    t.config.actor_command = SV("lintel rollback");
    t.config.parallel = 1;
    const char *text = plan_rollback(&t);
    if (t.plan == NULL) {
        fail_msg("no plan: %s", text);
        return;
    }
    t.code = run_deploy(&t.config, t.plan->expanded, t.plan);
    if (t.code != expected) {
        fail_msg("exit code %d instead of %d\n%s", t.code, expected, trip_errors(&t));
    }
    trip_fini(&t);
}

static const char one_of_two[] = "resources:\n"
                                 "  a: {type: fake/thing, spec: {name: one}}\n"
                                 "  b: {type: fake/thing, spec: {name: two, note: '${a.spec.id} here'}}\n";

/* Everything created is destroyed, the instance record stays without elements (BP-521). */
static void rolls_a_first_deployment_back(void **state) { /* BP-521, BP-541 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "create resources.b", PROVIDER_TERMINAL, 1);
    deploy(&w, one_of_two, EXIT_PART_WAY);
    expect_plan(&w, "delete resources.a\n"
                    "delete resources.b\n"
                    "D(resources.a) late\n"
                    "D(resources.b) late\n");
    roll_back(&w, EXIT_OK);
    assert_int_equal(world_count_objects(&w), 0);
    expect_state(&w, "deploy_rollback_complete\n");
    expect_plan(&w, "nothing: the last run was a rollback, which is not rolled back\n");
    deploy(&w, one_of_two, EXIT_OK); /* and from there on as ever */
    expect_state(&w, "deployed\n"
                     "resources.a created thing-2\n"
                     "resources.b created thing-3\n");
    world_fini(&w);
}

/* --- a failed update: of everything something --- */

static const char before_update[] = "resources:\n"
                                    "  changed: {type: fake/thing, spec: {name: c, size: 1, secret: first-secret}}\n"
                                    "  new_first: {type: fake/thing, spec: {name: n, kind: x}}\n"
                                    "  old_first: {type: fake/first, spec: {name: o, kind: x}}\n"
                                    "  gone: {type: fake/thing, spec: {name: g}, dependsOn: changed}\n"
                                    "  left: {type: fake/thing, removalPolicy: retain, spec: {name: l}}\n"
                                    "  same: {type: fake/thing, spec: {name: s, note: '${old_first.spec.kind}'}}\n"
                                    "exports:\n"
                                    "  size: {type: integer, field: resources.changed.spec.size}\n";
static const char after_update[] = "resources:\n"
                                   "  changed: {type: fake/thing, spec: {name: c, size: 2, secret: second-secret}}\n"
                                   "  new_first: {type: fake/thing, spec: {name: n, kind: y}}\n"
                                   "  old_first: {type: fake/first, spec: {name: o, kind: y}}\n"
                                   "  same: {type: fake/thing, spec: {name: s, note: 'x'}}\n"
                                   "  added: {type: fake/thing, removalPolicy: retain, spec: {name: a}}\n"
                                   "  last: {type: fake/thing, dependsOn: [changed, new_first, old_first, added], "
                                   "spec: {name: z}}\n"
                                   "exports:\n"
                                   "  size: {type: integer, field: resources.changed.spec.size}\n";

static sv read_text(struct world *w, const char *id, const char *field) {
    const struct object *o = world_find(w, id);
    return o == NULL ? SV("(gone)") : value_get_text(value_map_find(o->spec, sv_from_cstr(field)));
}

static void expect_before_update(struct world *w, const char *old_first) {
    struct trip t;
    trip_init(&t, w);
    const char *expected = arena_printf(&t.arena,
                                        "update_rollback_complete\n"
                                        "resources.changed update_rollback_complete thing-1\n"
                                        "resources.new_first update_rollback_complete thing-2\n"
                                        "resources.old_first update_rollback_complete %s\n"
                                        "resources.gone created thing-4\n"
                                        "resources.left created thing-5\n"
                                        "resources.same created thing-6\n"
                                        "export size 1\n",
                                        old_first)
                               .data;
    expect_text(trip_state(&t), expected);
    trip_fini(&t);
    assert_true(sv_eq_cstr(read_text(w, "thing-1", "secret"), "first-secret"));
    assert_true(sv_eq_cstr(read_text(w, "thing-2", "kind"), "x"));
    assert_true(sv_eq_cstr(read_text(w, old_first, "kind"), "x"));
    assert_int_equal(world_count_objects(w), 6);
}

/* Updated back; of a replacement the old object kept where it still exists, else created again; what was created goes,
 * whatever its removalPolicy; what was not come to is not touched (BP-521). */
static void rolls_an_update_back(void **state) { /* BP-520, BP-521, BP-523, BP-542 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, before_update, EXIT_OK);
    world_script(&w, "create resources.last", PROVIDER_TERMINAL, 1);
    deploy(&w, after_update, EXIT_PART_WAY);
    expect_plan(&w, "update resources.changed ~spec.size ~spec.secret\n"
                    "replace resources.old_first destroy-first ~spec.kind because:spec.kind\n"
                    "delete-deposed resources.new_first\n"
                    "delete resources.added\n"
                    "delete resources.last\n"
                    "C(resources.changed)\n"
                    "C(resources.old_first) after D(resources.old_first)\n"
                    "D(resources.old_first)\n"
                    "D(resources.new_first#2) late\n"
                    "D(resources.added) late\n"
                    "D(resources.last) late\n");
    roll_back(&w, EXIT_OK);
    expect_before_update(&w, "thing-10");
    deploy(&w, before_update, EXIT_OK);
    assert_int_equal(world_count_objects(&w), 6);
    world_fini(&w);
}

/* After a success the history tells what was before: what was removed is created again, what was retained is taken
 * back (BP-520, BP-521, LC-025). */
static void rolls_a_success_back(void **state) { /* BP-520, BP-521, LC-025 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, before_update, EXIT_OK);
    deploy(&w, after_update, EXIT_OK);
    size_t creates = world_count_calls(&w, "create");
    roll_back(&w, EXIT_OK);
    expect_state(&w, "update_rollback_complete\n"
                     "resources.changed update_rollback_complete thing-1\n"
                     "resources.new_first update_rollback_complete thing-11\n"
                     "resources.old_first update_rollback_complete thing-13\n"
                     "resources.gone destroy_rollback_complete thing-12\n"
                     "resources.left destroy_rollback_complete thing-5\n"
                     "resources.same created thing-6\n"
                     "export size 1\n");
    assert_int_equal(world_count_calls(&w, "create"), creates + 3);
    assert_int_equal(world_count_objects(&w), 6);
    expect_plan(&w, "nothing: the last run was a rollback, which is not rolled back\n");
    world_fini(&w);
}

/* A destruction that failed: what is gone is created again. */
static void rolls_a_destruction_back(void **state) { /* BP-521, BP-541 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, one_of_two, EXIT_OK);
    world_script(&w, "destroy resources.a", PROVIDER_TERMINAL, 1);
    destroy(&w, EXIT_PART_WAY);
    struct trip t;
    trip_init(&t, &w);
    expect_text(plan_rollback(&t), "update resources.a\n"
                                   "create resources.b\n"
                                   "C(resources.a)\n"
                                   "C(resources.b) after C(resources.a)*\n");
    assert_int_equal(t.diags.items.len, 0); /* a stays as it is, so does what b knows of it */
    trip_fini(&t);
    roll_back(&w, EXIT_OK);
    expect_state(&w, "destroy_rollback_complete\n"
                     "resources.a update_rollback_complete thing-1\n"
                     "resources.b destroy_rollback_complete thing-3\n");
    assert_true(sv_eq_cstr(read_text(&w, "thing-3", "note"), "thing-1 here"));
    world_fini(&w);
}

/* The state holds values, not where they came from: who is led back to a value of an object that is made again is
 * named. */
static void warns_of_values_that_change(void **state) { /* BP-521 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, one_of_two, EXIT_OK);
    deploy(&w, "resources:\n  c: {type: fake/thing, spec: {name: three}}\n", EXIT_OK);
    struct trip t;
    trip_init(&t, &w);
    plan_rollback(&t);
    assert_int_equal(t.diags.items.len, 1);
    const struct diag *d = t.diags.items.items[0];
    assert_true(sv_eq_cstr(diag_get_code_name(d), "rollback_value_may_change"));
    assert_true(sv_eq_cstr(d->message, "'spec.note' of 'resources.b' goes back to a value that 'resources.a' had "
                                       "computed, which is created again and may get another one"));
    trip_fini(&t);
    world_fini(&w);
}

/* What was cut off and of which nobody can tell is skipped and listed; the rest goes on. Then the rollback is not
 * complete: once that is settled it can be gone on with. */
static void skips_what_nobody_can_tell(void **state) { /* BP-522, BP-523 */
    (void)state;
    struct world w;
    world_init(&w);
    w.signal_at = SV("create resources.b");
    w.signal_count = 2;
    deploy(&w, one_of_two, EXIT_SIGINT);
    w.signals = 0;
    world_script(&w, "recover resources.b", PROVIDER_CANNOT_TELL, 2);
    struct trip t;
    trip_init(&t, &w);
    expect_text(plan_rollback(&t), "delete resources.a\nD(resources.a) late\n");
    const struct rollback *rb = t.plan->rollback;
    assert_int_equal(rb->skipped.len, 1);
    assert_true(sv_eq_cstr(rb->skipped.items[0].address, "resources.b"));
    assert_true(sv_eq_cstr(rb->skipped.items[0].name, "b"));
    assert_true(sv_eq_cstr(rb->skipped.items[0].type, "fake/thing"));
    assert_int_equal(rb->skipped.items[0].status, STATUS_create_interrupted);
    assert_int_equal(run_deploy(&t.config, t.plan->expanded, t.plan), EXIT_PART_WAY);
    trip_fini(&t);
    expect_state(&w, "deploy_rollback_failed\n"
                     "resources.b creating \n"
                     "open 1\n");
    roll_back(&w, EXIT_OK); /* now the provider can tell */
    assert_int_equal(world_count_objects(&w), 0);
    expect_state(&w, "deploy_rollback_complete\n");
    world_fini(&w);
}

/* A rollback that fails is gone on with by the next: it leads to the same state, and is not rolled back itself. */
static void goes_on_with_a_rollback(void **state) { /* BP-523 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, before_update, EXIT_OK);
    world_script(&w, "create resources.last", PROVIDER_TERMINAL, 1);
    deploy(&w, after_update, EXIT_PART_WAY);
    world_script(&w, "create resources.old_first", PROVIDER_TERMINAL, 1);
    roll_back(&w, EXIT_PART_WAY);
    struct trip t;
    trip_init(&t, &w);
    assert_true(sv_has_prefix(sv_from_cstr(trip_state(&t)), SV("update_rollback_failed\n")));
    assert_true(sv_find(sv_from_cstr(trip_state(&t)), SV("resources.old_first destroy_rollback_failed")) == SIZE_MAX);
    trip_fini(&t);
    roll_back(&w, EXIT_OK);
    expect_before_update(&w, "thing-10");
    world_fini(&w);
}

/* The snapshot is the state before the first run since the last success; a later run does not take its place. */
static void keeps_the_earliest_state(void **state) { /* BP-520 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, before_update, EXIT_OK);
    world_script(&w, "create resources.last", PROVIDER_TERMINAL, 3);
    deploy(&w, after_update, EXIT_PART_WAY);
    deploy(&w,
           "resources:\n"
           "  changed: {type: fake/thing, spec: {name: c, size: 7}}\n"
           "  new_first: {type: fake/thing, spec: {name: n, kind: z}}\n"
           "  left: {type: fake/thing, removalPolicy: retain, spec: {name: l2}}\n"
           "  last: {type: fake/thing, dependsOn: [changed, new_first, left], spec: {name: z}}\n",
           EXIT_PART_WAY);
    roll_back(&w, EXIT_OK);
    struct trip t;
    trip_init(&t, &w);
    const char *text = trip_state(&t);
    assert_non_null(strstr(text, "resources.changed update_rollback_complete thing-1\n"));
    assert_non_null(strstr(text, "resources.left update_rollback_complete thing-5\n"));
    assert_true(sv_eq_cstr(read_text(&w, "thing-5", "name"), "l"));
    assert_int_equal(value_map_find(world_find(&w, "thing-1")->spec, SV("size")).integer, 1);
    assert_int_equal(world_count_objects(&w), 6);
    trip_fini(&t);
    world_fini(&w);
}

/* Many behind one name stay many behind one name; what a link has put into its side is put there anew, once. */
static void rolls_groups_and_links_back(void **state) { /* BP-521, BP-481, BP-491 */
    (void)state;
    static const char before[] =
        "resources:\n"
        "  many: {type: fake/thing, each: '${split(\"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t\", \",\")}', spec: {name: "
        "'${elem}', size: 1}}\n"
        "  user: {type: fake/thing, dependsOn: many, spec: {name: u}}\n"
        "  spot: {type: fake/place, metadata: {labels: {app: x}}, spec: {path: one}}\n"
        "  api: {type: fake/thing, linkSelector: {byLabel: {app: x}}, spec: {name: api}}\n";
    static const char after[] = "resources:\n"
                                "  many: {type: fake/thing, each: '${split(\"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r\", "
                                "\",\")}', spec: {name: '${elem}', size: 2}}\n"
                                "  user: {type: fake/thing, dependsOn: many, spec: {name: u2}}\n"
                                "  spot: {type: fake/place, metadata: {labels: {app: x}}, spec: {path: two}}\n"
                                "  api: {type: fake/thing, linkSelector: {byLabel: {app: x}}, spec: {name: api}}\n";
    struct world w;
    world_init(&w);
    deploy(&w, before, EXIT_OK);
    struct trip t;
    trip_init(&t, &w);
    struct instance_view was, is;
    assert_true(run_view_instance(&t.config, &was));
    deploy(&w, after, EXIT_OK);
    plan_rollback(&t);
    assert_int_equal(t.diags.items.len, 0); /* no warning: what links set is set anew */
    roll_back(&w, EXIT_OK);
    assert_true(run_view_instance(&t.config, &is));
    assert_int_equal(is.resource_count, was.resource_count);
    assert_int_equal(is.link_count, 1);
    assert_int_equal(is.links[0].status, STATUS_update_rollback_complete);
    size_t found = 0;
    for (size_t i = 0; i < is.resource_count; i++) {
        for (size_t n = 0; n < was.resource_count; n++) {
            const struct resource_record *x = &was.resources[n], *y = &is.resources[i];
            if (!sv_eq(x->address.text, y->address.text)) {
                continue;
            }
            found++;
            assert_int_equal(y->depends_on_count, x->depends_on_count);
            if (!sv_eq_cstr(y->name, "api")) { /* it got the name of a place that was made anew */
                assert_true(value_eq(y->spec, x->spec));
            }
        }
    }
    assert_int_equal(found, was.resource_count);
    sv place = value_get_text(value_map_find(is.links[0].data, SV("place"))), held = {0}, real = {0};
    for (size_t i = 0; i < is.resource_count; i++) {
        const struct resource_record *r = &is.resources[i];
        value environment = value_map_find(r->spec, SV("environment"));
        if (sv_eq_cstr(r->name, "api") && environment.kind == VALUE_MAP) {
            assert_int_equal(environment.map->len, 1);
            held = value_get_text(value_map_find(environment, SV("PLACE")));
        }
        real = sv_eq_cstr(r->name, "spot") ? r->physical_id : real;
    }
    assert_true(real.len > 0 && sv_eq(place, real) && sv_eq(held, real));
    assert_int_equal(world_count_objects(&w), was.resource_count);
    trip_fini(&t);
    deploy(&w, before, EXIT_OK);
    deploy(&w, before, EXIT_OK); /* once for what api got from the new place, once for nothing */
    expect_plan(&w, "nothing: the last run has changed nothing\n");
    world_fini(&w);
}

/* What a run is called while it goes back, and what the history keeps of the runs (LC-001, LC-025). */
static void tells_what_it_does(void **state) { /* BP-542, LC-001, LC-020 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, one_of_two, EXIT_OK);
    w.signal_at = SV("destroy resources.b");
    w.signal_count = 2;
    struct trip t;
    trip_init(&t, &w);
    t.config.parallel = 1;
    plan_rollback(&t);
    assert_int_equal(run_deploy(&t.config, t.plan->expanded, t.plan), EXIT_SIGINT);
    trip_fini(&t);
    w.signals = 0;
    expect_state(&w, "deploy_rolling_back\n"
                     "resources.a created thing-1\n"
                     "resources.b create_rolling_back thing-2\n"
                     "open 1\n");
    roll_back(&w, EXIT_OK);
    expect_state(&w, "deploy_rollback_complete\n");
    trip_init(&t, &w);
    struct past_runs runs;
    assert_true(edit_list_runs(&t.config, &runs));
    assert_int_equal(runs.items.len, 3);
    assert_true(sv_eq_cstr(runs.items.items[1].kind, "rollback"));
    assert_true(sv_eq_cstr(runs.items.items[1].outcome, "interrupted"));
    assert_true(sv_eq_cstr(runs.items.items[2].outcome, "succeeded"));
    assert_int_equal(runs.items.items[2].number, 3);
    trip_fini(&t);
    world_fini(&w);
}

/* --- phases of links --- */

static const char with_link[] =
    "resources:\n"
    "  p:\n"
    "    type: fake/place\n"
    "    linkSelector: {byLabel: {app: x}}\n"
    "    spec: {path: /p}\n"
    "  t: {type: fake/thing, dependsOn: p, metadata: {labels: {app: x}}, spec: {name: one}}\n";
static const char with_other_link[] =
    "resources:\n"
    "  p:\n"
    "    type: fake/place\n"
    "    linkSelector: {byLabel: {app: x}}\n"
    "    metadata: {annotations: {fake.port: '80'}}\n"
    "    spec: {path: /p}\n"
    "  t: {type: fake/thing, dependsOn: p, metadata: {labels: {app: x}}, spec: {name: one}}\n";

static void expect_link(struct world *w, enum status status, enum status precise) {
    struct trip t;
    struct instance_view view;
    trip_init(&t, w);
    assert_true(run_view_instance(&t.config, &view));
    assert_int_equal(view.link_count, 1);
    expect_text(status_get_text(view.links[0].status).data, status_get_text(status).data);
    expect_text(status_get_text(view.links[0].precise_status).data, status_get_text(precise).data);
    trip_fini(&t);
}

/* While a run goes back, the phases of its links say so; what was cut off or failed goes on behind what is done. */
static void tells_which_phase_of_a_link_goes_back(void **state) { /* BP-543, BP-490, BP-521 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, with_link, EXIT_OK);
    deploy(&w, with_other_link, EXIT_OK);
    w.signal_at = SV("link-b links.p::t");
    w.signal_count = 2;
    struct trip t;
    trip_init(&t, &w);
    t.config.parallel = 1;
    plan_rollback(&t);
    assert_int_equal(run_deploy(&t.config, t.plan->expanded, t.plan), EXIT_SIGINT);
    trip_fini(&t);
    w.signals = 0;
    expect_link(&w, STATUS_update_rolling_back, STATUS_resource_b_update_rolling_back);
    world_script(&w, "link-between links.p::t", PROVIDER_TERMINAL, 1);
    w.calls.len = 0;
    roll_back(&w, EXIT_PART_WAY);
    assert_int_equal(world_count_calls(&w, "link-a links.p::t"), 0); /* A is back already */
    assert_int_equal(world_count_calls(&w, "link-b links.p::t"), 1);
    expect_link(&w, STATUS_update_rollback_failed, STATUS_intermediaries_update_rollback_failed);
    w.signal_at = SV("link-between links.p::t");
    w.signal_count = 2;
    trip_init(&t, &w);
    t.config.parallel = 1;
    plan_rollback(&t);
    assert_int_equal(run_deploy(&t.config, t.plan->expanded, t.plan), EXIT_SIGINT);
    trip_fini(&t);
    w.signals = 0;
    expect_link(&w, STATUS_update_rolling_back, STATUS_intermediaries_update_rolling_back);
    roll_back(&w, EXIT_OK);
    expect_link(&w, STATUS_update_rollback_complete, STATUS_update_rollback_complete);
    deploy(&w, with_link, EXIT_OK);
    expect_plan(&w, "nothing: the last run has changed nothing\n");
    world_fini(&w);
}

/* --- after a destruction that has succeeded --- */

static sv find_id(struct world *w) {
    struct trip t;
    trip_init(&t, w);
    struct instance_view view = {0};
    assert_true(run_view_instance(&t.config, &view));
    sv id = arena_copy_sv(&w->arena, view.instance.id);
    trip_fini(&t);
    return id;
}

static const char with_retained[] = "resources:\n"
                                    "  a: {type: fake/thing, spec: {name: one, secret: hidden}}\n"
                                    "  b: {type: fake/thing, spec: {name: two}, dependsOn: a}\n"
                                    "  left: {type: fake/thing, removalPolicy: retain, spec: {name: l}}\n"
                                    "exports:\n"
                                    "  name: {type: string, field: resources.a.spec.name}\n";

static void makes_a_destroyed_instance_again(void **state) { /* BP-524, BP-541, LC-022, LC-025 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, with_retained, EXIT_OK);
    sv id = find_id(&w), key = world_find(&w, "thing-1")->key;
    destroy(&w, EXIT_OK);
    assert_int_equal(world_count_objects(&w), 1);
    roll_back(&w, EXIT_OK);
    expect_state(&w, "destroy_rollback_complete\n"
                     "resources.a destroy_rollback_complete thing-4\n"
                     "resources.b destroy_rollback_complete thing-5\n"
                     "resources.left destroy_rollback_complete thing-3\n"
                     "export name \"one\"\n");
    assert_true(sv_eq_cstr(read_text(&w, "thing-4", "secret"), "hidden"));
    assert_true(sv_eq(find_id(&w), id));
    assert_false(sv_eq(world_find(&w, "thing-4")->key, key));
    expect_plan(&w, "nothing: the last run was a rollback, which is not rolled back\n");
    deploy(&w, with_retained, EXIT_OK); /* and from there on as ever */
    assert_int_equal(world_count_calls(&w, "create resources.a"), 2);
    destroy(&w, EXIT_OK);
    roll_back(&w, EXIT_OK); /* each destruction */
    world_fini(&w);
}

static void goes_on_making_a_destroyed_instance(void **state) { /* BP-523, BP-524, BP-541 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, with_retained, EXIT_OK);
    destroy(&w, EXIT_OK);
    world_script(&w, "create resources.b", PROVIDER_TERMINAL, 1);
    roll_back(&w, EXIT_PART_WAY);
    expect_state(&w, "destroy_rollback_failed\n"
                     "resources.a destroy_rollback_complete thing-4\n"
                     "resources.b destroy_rollback_failed \n"
                     "resources.left destroy_rollback_complete thing-3\n");
    roll_back(&w, EXIT_OK);
    expect_state(&w, "destroy_rollback_complete\n"
                     "resources.a destroy_rollback_complete thing-4\n"
                     "resources.b destroy_rollback_complete thing-5\n"
                     "resources.left destroy_rollback_complete thing-3\n"
                     "export name \"one\"\n");
    world_fini(&w);
}

static void leaves_the_name_to_who_has_it(void **state) { /* BP-524, BP-410 */
    (void)state;
    struct world w;
    struct trip t;
    world_init(&w);
    trip_init(&t, &w);
    expect_text(plan_rollback(&t), "instance_not_found: there is no instance 'test'\n");
    trip_fini(&t);
    deploy(&w, with_retained, EXIT_OK);
    sv id = find_id(&w);
    destroy(&w, EXIT_OK);
    deploy(&w, one_of_two, EXIT_OK);
    trip_init(&t, &w);
    t.config.instance_id = id;
    t.config.instance_name = SV("");
    expect_text(plan_rollback(&t), "instance_not_found: the name of instance 'test', which was destroyed, is "
                                   "another's now\n");
    trip_fini(&t);
    expect_plan(&w, "delete resources.a\n" /* the name means the one that is there */
                    "delete resources.b\n"
                    "D(resources.a) late after D(resources.b)\n"
                    "D(resources.b) late\n");
    destroy(&w, EXIT_OK);
    expect_plan(&w, "create resources.a\n" /* of two, the last */
                    "create resources.b\n"
                    "C(resources.a)\n"
                    "C(resources.b) after C(resources.a)*\n");
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rolls_a_first_deployment_back),
        cmocka_unit_test(rolls_an_update_back),
        cmocka_unit_test(rolls_a_success_back),
        cmocka_unit_test(rolls_a_destruction_back),
        cmocka_unit_test(warns_of_values_that_change),
        cmocka_unit_test(skips_what_nobody_can_tell),
        cmocka_unit_test(goes_on_with_a_rollback),
        cmocka_unit_test(keeps_the_earliest_state),
        cmocka_unit_test(rolls_groups_and_links_back),
        cmocka_unit_test(tells_what_it_does),
        cmocka_unit_test(tells_which_phase_of_a_link_goes_back),
        cmocka_unit_test(makes_a_destroyed_instance_again),
        cmocka_unit_test(goes_on_making_a_destroyed_instance),
        cmocka_unit_test(leaves_the_name_to_who_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
