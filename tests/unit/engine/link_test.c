/* Links that do something: their phases, what is recorded of them, locks, capabilities, drift (BP-401 to BP-403,
 * BP-430, BP-431, BP-481, BP-490 to BP-492, BP-530, BP-543, BP-552, LC-070). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "world.h"

#include "engine/drift.h"
#include "engine/reconcile.h"

static const char linked[] = "resources:\n"
                             "  p:\n"
                             "    type: fake/place\n"
                             "    linkSelector: {byLabel: {app: x}}\n"
                             "    spec: {path: /p}\n"
                             "  t:\n"
                             "    type: fake/thing\n"
                             "    dependsOn: p\n"
                             "    metadata: {labels: {app: x}}\n"
                             "    spec: {name: one}\n";
static const char with_port[] = "resources:\n"
                                "  p:\n"
                                "    type: fake/place\n"
                                "    linkSelector: {byLabel: {app: x}}\n"
                                "    metadata: {annotations: {fake.port: '80'}}\n"
                                "    spec: {path: /p}\n"
                                "  t:\n"
                                "    type: fake/thing\n"
                                "    dependsOn: p\n"
                                "    metadata: {labels: {app: x}}\n"
                                "    spec: {name: one}\n";
static const char idle[] = "resources:\n"
                           "  p:\n"
                           "    type: fake/place\n"
                           "    linkSelector: {byLabel: {app: x}}\n"
                           "    metadata: {annotations: {fake.idle: 'yes'}}\n"
                           "    spec: {path: /p}\n"
                           "  t:\n"
                           "    type: fake/thing\n"
                           "    dependsOn: p\n"
                           "    metadata: {labels: {app: x}}\n"
                           "    spec: {name: one}\n";
static const char unlinked[] =
    "resources:\n"
    "  p: {type: fake/place, spec: {path: /p}}\n"
    "  t: {type: fake/thing, dependsOn: p, metadata: {labels: {app: x}}, spec: {name: one}}\n";

/* The calls for links, in their order, without keys. */
static void expect_calls(struct world *w, const char *expected) {
    struct buf out = BUF(&w->arena);
    for (size_t i = 0; i < w->calls.len; i++) {
        sv call = w->calls.items[i];
        if (sv_find(call, SV("link-")) != SIZE_MAX && !sv_has_prefix(call, SV("key "))) {
            buf_append(&out, call);
            buf_append_char(&out, '\n');
        }
    }
    expect_text(buf_get_sv(&out).data == NULL ? "" : buf_get_sv(&out).data, expected);
    w->calls.len = 0;
}

static struct link_record load_link(struct trip *t, struct world *w) {
    struct instance_view view;
    trip_init(t, w);
    assert_true(run_view_instance(&t->config, &view));
    assert_int_equal(view.link_count, 1);
    return view.links[0];
}

static sv note_of(struct world *w, const char *id) {
    return provider_get_text(world_find(w, id)->spec, SV("note"));
}

/* --- phases --- */

static void updates_a_then_b_then_what_is_between(void **state) { /* BP-490, BP-491, BP-492, BP-552 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    expect_calls(&w, "link-a links.p::t\nlink-b links.p::t\nlink-between links.p::t\n");
    assert_string_equal(note_of(&w, "place-1").data, "thing-2");
    assert_non_null(world_find(&w, "policy-p-t"));
    struct trip t;
    struct link_record l = load_link(&t, &w);
    assert_int_equal(l.status, STATUS_created);
    assert_int_equal(l.precise_status, STATUS_created);
    expect_text(value_print_json(&t.arena, l.fields, 0, REVEAL).data,
                "{\"p::spec.note\":\"route\",\"t::spec.environment.FROM_p\":\"from\"}");
    expect_text(value_print_json(&t.arena, l.intermediaries, 0, REVEAL).data,
                "{\"policy-p-t\":{\"resourceType\":\"fake/policy\",\"owned\":true,"
                "\"resourceSpecData\":{\"target\":\"thing-2\"}}}");
    trip_fini(&t);
    trip_init(&t, &w);
    expect_text(trip_plan(&t, linked), ""); /* and nothing differs from then on */
    trip_fini(&t);
    world_fini(&w);
}

static void removes_in_the_opposite_order(void **state) { /* BP-490, BP-481 edge 7 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    w.calls.len = 0;
    world_deploy(&w, unlinked, EXIT_OK);
    expect_calls(&w, "unlink-between links.p::t\nunlink-b links.p::t\nunlink-a links.p::t\n");
    assert_null(world_find(&w, "policy-p-t"));
    assert_int_equal(note_of(&w, "place-1").len, 0);
    world_deploy(&w, linked, EXIT_OK);
    w.calls.len = 0;
    world_destroy(&w, EXIT_OK);
    expect_calls(&w, "unlink-between links.p::t\nunlink-b links.p::t\nunlink-a links.p::t\n");
    assert_int_equal(world_count_objects(&w), 0);
    world_fini(&w);
}

static void calls_nothing_for_a_link_that_has_nothing_to_do(void **state) { /* BP-431 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, idle, EXIT_OK);
    expect_calls(&w, "");
    world_deploy(&w, linked, EXIT_OK);
    expect_calls(&w, "link-a links.p::t\nlink-b links.p::t\nlink-between links.p::t\n");
    world_deploy(&w, idle, EXIT_OK); /* takes back what it did */
    expect_calls(&w, "link-a links.p::t\nlink-b links.p::t\nlink-between links.p::t\n");
    assert_null(world_find(&w, "policy-p-t"));
    assert_int_equal(note_of(&w, "place-1").len, 0);
    world_deploy(&w, unlinked, EXIT_OK);
    expect_calls(&w, "");
    world_fini(&w);
}

static void shows_data_and_intermediaries_in_the_plan(void **state) { /* BP-423, BP-431 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    struct trip t;
    trip_init(&t, &w);
    expect_text(trip_plan(&t, with_port), "update resources.p +metadata.annotations[\"fake.port\"]\n"
                                          "update links.p::t ~data.port\n"
                                          "C(resources.p)\n"
                                          "L(p::t) after C(resources.p)\n");
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    trip_init(&t, &w);
    expect_text(trip_plan(&t, unlinked),
                "update resources.p -metadata.annotations[\"fake.port\"]\n"
                "delete links.p::t -intermediaries.policy-p-t.resourceType "
                "-intermediaries.policy-p-t.owned -intermediaries.policy-p-t.resourceSpecData.target\n"
                "C(resources.p)\n"
                "U(p::t) late\n");
    trip_fini(&t);
    world_fini(&w);
}

static void keeps_its_fields_when_a_side_is_updated(void **state) { /* BP-491 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    w.calls.len = 0;
    static const char bigger[] = "resources:\n"
                                 "  p:\n"
                                 "    type: fake/place\n"
                                 "    linkSelector: {byLabel: {app: x}}\n"
                                 "    spec: {path: /p}\n"
                                 "  t:\n"
                                 "    type: fake/thing\n"
                                 "    dependsOn: p\n"
                                 "    metadata: {labels: {app: x}}\n"
                                 "    spec: {name: two, environment: {OWN: mine}}\n";
    world_deploy(&w, bigger, EXIT_OK);
    expect_calls(&w, "link-a links.p::t\nlink-b links.p::t\nlink-between links.p::t\n"); /* its id is provisional */
    value environment = value_map_find(world_find(&w, "thing-2")->spec, SV("environment"));
    assert_string_equal(provider_get_text(environment, SV("FROM_p")).data, "place-1");
    assert_string_equal(provider_get_text(environment, SV("OWN")).data, "mine");
    struct trip t;
    trip_init(&t, &w);
    expect_text(trip_plan(&t, bigger), "");
    trip_fini(&t);
    world_fini(&w);
}

static void moves_to_the_object_that_replaces_a_side(void **state) { /* BP-431, BP-402 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    w.calls.len = 0;
    static const char other_kind[] = "resources:\n"
                                     "  p:\n"
                                     "    type: fake/place\n"
                                     "    linkSelector: {byLabel: {app: x}}\n"
                                     "    spec: {path: /p}\n"
                                     "  t:\n"
                                     "    type: fake/thing\n"
                                     "    dependsOn: p\n"
                                     "    metadata: {labels: {app: x}}\n"
                                     "    spec: {name: one, kind: other}\n";
    world_deploy(&w, other_kind, EXIT_OK);
    expect_calls(&w, "unlink-between links.p::t\nunlink-b links.p::t\nunlink-a links.p::t\n"
                     "link-a links.p::t\nlink-b links.p::t\nlink-between links.p::t\n");
    assert_string_equal(note_of(&w, "place-1").data, "thing-3");
    assert_null(world_find(&w, "thing-2"));
    struct trip t;
    struct link_record l = load_link(&t, &w);
    assert_int_equal(l.status, STATUS_updated);
    trip_fini(&t);
    world_fini(&w);
}

/* --- failures --- */

static void each_phase_is_tried_again_by_itself(void **state) { /* BP-490, BP-500 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "link-a links.p::t", PROVIDER_TRANSIENT, 4);
    world_script(&w, "link-b links.p::t", PROVIDER_TRANSIENT, 4);
    world_script(&w, "link-between links.p::t", PROVIDER_TRANSIENT, 4);
    world_deploy(&w, linked, EXIT_OK);
    assert_int_equal(world_count_calls(&w, "link-a"), 5);
    assert_int_equal(world_count_calls(&w, "link-b "), 5);
    assert_int_equal(world_count_calls(&w, "link-between"), 5);
    world_fini(&w);
}

static void a_failed_phase_is_recorded_and_gone_on_with(void **state) { /* BP-403, BP-502, BP-543 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "link-b links.p::t", PROVIDER_TERMINAL, 1);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, linked);
    assert_int_equal(trip_deploy(&t), EXIT_PART_WAY);
    assert_non_null(strstr(trip_errors(&t), "link_deploy_failed: 'create' of 'links.p::t' failed: as scripted"));
    trip_fini(&t);
    struct link_record l = load_link(&t, &w);
    assert_int_equal(l.status, STATUS_create_failed);
    assert_int_equal(l.precise_status, STATUS_resource_b_update_failed);
    assert_int_equal(l.failure_reason_count, 1);
    trip_fini(&t);
    w.calls.len = 0;
    world_deploy(&w, linked, EXIT_OK);
    expect_calls(&w, "link-b links.p::t\nlink-between links.p::t\n"); /* A has it already */
    l = load_link(&t, &w);
    assert_int_equal(l.status, STATUS_created);
    assert_int_equal(l.failure_reason_count, 0);
    trip_fini(&t);
    world_fini(&w);
}

static void a_fatal_failure_of_a_phase_ends_the_run(void **state) { /* BP-403, BP-503 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "link-a links.p::t", PROVIDER_FATAL, 1);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, linked);
    assert_int_equal(trip_deploy(&t), EXIT_PART_WAY);
    trip_fini(&t);
    assert_int_equal(world_count_calls(&w, "link-a"), 1);
    assert_int_equal(world_count_calls(&w, "link-b "), 0);
    world_fini(&w);
}

static void what_is_wanted_otherwise_begins_anew(void **state) { /* BP-490, LC-022 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "link-b links.p::t", PROVIDER_TERMINAL, 1);
    world_deploy(&w, linked, EXIT_PART_WAY);
    w.calls.len = 0;
    world_deploy(&w, with_port, EXIT_OK);
    expect_calls(&w, "link-a links.p::t\nlink-b links.p::t\nlink-between links.p::t\n");
    world_fini(&w);
}

/* The removal of a link that was half made takes back what may have been made. */
static void what_was_half_made_is_removed(void **state) { /* BP-492 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "link-b links.p::t", PROVIDER_TERMINAL, 1);
    world_deploy(&w, linked, EXIT_PART_WAY);
    w.calls.len = 0;
    world_deploy(&w, unlinked, EXIT_OK);
    expect_calls(&w, "unlink-between links.p::t\nunlink-b links.p::t\nunlink-a links.p::t\n");
    assert_int_equal(note_of(&w, "place-1").len, 0);
    world_fini(&w);
}

/* --- cut off --- */

/* The user ends the run at once while the call is under way: nobody hears what became of it. */
static void cut_off_at(struct world *w, const char *blueprint, const char *call) {
    w->signal_at = sv_from_cstr(call);
    w->signal_count = 2;
    struct trip t;
    trip_init(&t, w);
    trip_plan(&t, blueprint);
    trip_deploy(&t);
    trip_fini(&t);
    atomic_store(&w->signals, 0);
}

static sv find_key(struct world *w, const char *call) {
    sv prefix = arena_printf(&w->arena, "key %s ", call);
    for (size_t i = w->calls.len; i > 0; i--) {
        if (sv_has_prefix(w->calls.items[i - 1], prefix)) {
            return sv_slice(w->calls.items[i - 1], prefix.len, w->calls.items[i - 1].len);
        }
    }
    return (sv){0};
}

static void goes_on_at_the_phase_that_was_cut_off(void **state) { /* BP-490, BP-543, LC-023, LC-011 (6) and (7) */
    (void)state;
    struct world w;
    world_init(&w);
    cut_off_at(&w, linked, "link-b links.p::t");
    struct trip t;
    struct link_record l = load_link(&t, &w);
    assert_int_equal(l.status, STATUS_creating);
    assert_int_equal(l.precise_status, STATUS_updating_resource_b);
    trip_fini(&t);
    sv key_a = find_key(&w, "link-a");
    w.calls.len = 0;
    world_deploy(&w, linked, EXIT_OK);
    assert_int_equal(world_count_calls(&w, "link-a"), 0);
    assert_int_equal(world_count_calls(&w, "recover links.p::t"), 2); /* planning looks, deploying asks */
    assert_true(key_a.len == 32 && sv_eq(find_key(&w, "link-b"), key_a));
    expect_calls(&w, "link-b links.p::t\nlink-between links.p::t\n");
    l = load_link(&t, &w);
    assert_int_equal(l.status, STATUS_created);
    trip_fini(&t);
    world_fini(&w);
}

static void a_phase_that_is_found_done_is_not_run_again(void **state) { /* LC-023 */
    (void)state;
    struct world w;
    world_init(&w);
    cut_off_at(&w, linked, "link-a links.p::t");
    world_script(&w, "recover links.p::t", PROVIDER_OK, 2);
    w.calls.len = 0;
    world_deploy(&w, linked, EXIT_OK);
    expect_calls(&w, "link-b links.p::t\nlink-between links.p::t\n");
    world_fini(&w);
}

static void what_nobody_can_tell_is_interrupted(void **state) { /* LC-023, BP-543, BP-532 */
    (void)state;
    struct world w;
    world_init(&w);
    cut_off_at(&w, linked, "link-a links.p::t");
    world_script(&w, "recover links.p::t", PROVIDER_CANNOT_TELL, 3);
    world_deploy(&w, linked, EXIT_PART_WAY);
    struct trip t;
    struct link_record l = load_link(&t, &w);
    assert_int_equal(l.status, STATUS_create_interrupted);
    assert_int_equal(l.precise_status, STATUS_resource_a_update_interrupted);
    struct reconcile_request request = {.is_cleaned_up = true};
    struct reconciliation r;
    assert_int_equal(run_reconcile_look(&t.config, &request, &r), EXIT_OK);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.items[0].new_status, STATUS_create_failed);
    assert_int_equal(run_reconcile_apply(&t.config, &r), EXIT_OK);
    trip_fini(&t);
    w.calls.len = 0;
    world_deploy(&w, linked, EXIT_OK);
    expect_calls(&w, "link-a links.p::t\nlink-b links.p::t\nlink-between links.p::t\n");
    world_fini(&w);
}

static void a_removal_goes_on_where_it_was_cut_off(void **state) { /* BP-490 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    cut_off_at(&w, unlinked, "unlink-b links.p::t");
    w.calls.len = 0;
    world_deploy(&w, unlinked, EXIT_OK);
    expect_calls(&w, "unlink-b links.p::t\nunlink-a links.p::t\n");
    struct trip t;
    trip_init(&t, &w);
    expect_text(trip_state(&t), "updated\nresources.p created place-1\nresources.t created thing-2\n");
    trip_fini(&t);
    world_fini(&w);
}

/* --- what is secret, what is unknown --- */

static const char with_secret[] = "variables:\n"
                                  "  token: {type: string, secret: true, default: hidden-text}\n"
                                  "resources:\n"
                                  "  p:\n"
                                  "    type: fake/place\n"
                                  "    linkSelector: {byLabel: {app: x}}\n"
                                  "    metadata: {annotations: {fake.port: '${variables.token}'}}\n"
                                  "    spec: {path: /p}\n"
                                  "  t:\n"
                                  "    type: fake/thing\n"
                                  "    dependsOn: p\n"
                                  "    metadata: {labels: {app: x}}\n"
                                  "    spec: {name: one}\n";

static void expect_sealed(struct world *w) {
    struct store_instance instance;
    struct store_tree tree = {0};
    assert_int_equal(w->store->ops->find_instance(w->store, &w->arena, SV("default"), SV("test"), &instance), STORE_OK);
    assert_int_equal(w->store->ops->load_tree(w->store, &w->arena, instance.id, &tree), STORE_OK);
    size_t sealed = 0;
    for (size_t i = 0; i < tree.elements.len; i++) {
        assert_int_equal(sv_find(tree.elements.items[i].body, SV("hidden-text")), SIZE_MAX);
        sealed += sv_find(tree.elements.items[i].body, SV("sealed")) != SIZE_MAX;
    }
    for (size_t i = 0; i < tree.journal.len; i++) {
        assert_int_equal(sv_find(tree.journal.items[i].body, SV("hidden-text")), SIZE_MAX);
    }
    assert_true(sealed > 1); /* p, and its link */
}

static void seals_what_is_secret_in_data(void **state) { /* LC-011 (5) */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "link-b links.p::t", PROVIDER_TERMINAL, 1);
    world_deploy(&w, with_secret, EXIT_PART_WAY); /* with its journal */
    expect_sealed(&w);
    world_deploy(&w, with_secret, EXIT_OK);
    expect_sealed(&w);
    world_fini(&w);
}

/* Nothing is forgotten that nobody can take back. */
static void a_removal_needs_its_type(void **state) { /* BP-502 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    struct provider without = *world_providers.items[0];
    without.link_count = 0;
    const struct provider *items[] = {&without};
    const struct providers none = {items, 1};
    struct trip t;
    trip_init(&t, &w);
    t.config.providers = &none;
    trip_plan(&t, unlinked);
    assert_int_equal(trip_deploy(&t), EXIT_FAILED);
    assert_non_null(strstr(trip_errors(&t), "no provider offers its type"));
    trip_fini(&t);
    world_deploy(&w, unlinked, EXIT_OK);
    assert_null(world_find(&w, "policy-p-t"));
    world_fini(&w);
}

/* The condition of one side is known only when `first` is there. */
static const char guarded[] = "resources:\n"
                              "  first: {type: fake/thing, spec: {name: first, kind: k}}\n"
                              "  p:\n"
                              "    type: fake/place\n"
                              "    dependsOn: first\n"
                              "    linkSelector: {byLabel: {app: x}}\n"
                              "    spec: {path: /p}\n"
                              "  t:\n"
                              "    type: fake/thing\n"
                              "    dependsOn: p\n"
                              "    condition: '${eq(first.spec.id, \"thing-1\")}'\n"
                              "    metadata: {labels: {app: x}}\n"
                              "    spec: {name: one}\n";
static const char guarded_other[] = "resources:\n"
                                    "  first: {type: fake/thing, spec: {name: first, kind: other}}\n"
                                    "  p:\n"
                                    "    type: fake/place\n"
                                    "    dependsOn: first\n"
                                    "    linkSelector: {byLabel: {app: x}}\n"
                                    "    spec: {path: /p}\n"
                                    "  t:\n"
                                    "    type: fake/thing\n"
                                    "    dependsOn: p\n"
                                    "    condition: '${eq(first.spec.id, \"thing-1\")}'\n"
                                    "    metadata: {labels: {app: x}}\n"
                                    "    spec: {name: one}\n";

static void a_side_that_is_excluded_late_takes_its_link_along(void **state) { /* BP-142, BP-468 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, guarded, EXIT_OK);
    expect_calls(&w, "link-a links.p::t\nlink-b links.p::t\nlink-between links.p::t\n");
    world_deploy(&w, guarded_other, EXIT_OK); /* `first` is replaced: another id */
    expect_calls(&w, "unlink-between links.p::t\nunlink-b links.p::t\nunlink-a links.p::t\n");
    assert_null(world_find(&w, "policy-p-t"));
    assert_null(world_find(&w, "thing-3"));
    assert_int_equal(note_of(&w, "place-2").len, 0);
    world_fini(&w);
}

static void what_is_only_checked_is_not_done_again(void **state) { /* BP-457 */
    (void)state;
    static const char checked[] = "resources:\n"
                                  "  first: {type: fake/thing, spec: {name: first}}\n"
                                  "  t:\n"
                                  "    type: fake/thing\n"
                                  "    dependsOn: first\n"
                                  "    metadata: {labels: {app: x}}\n"
                                  "    spec: {name: one}\n"
                                  "  p:\n"
                                  "    type: fake/place\n"
                                  "    dependsOn: t\n"
                                  "    condition: '${eq(first.spec.id, \"thing-1\")}'\n"
                                  "    linkSelector: {byLabel: {app: x}}\n"
                                  "    spec: {path: /p}\n";
    struct world w;
    world_init(&w);
    world_deploy(&w, checked, EXIT_OK);
    w.calls.len = 0;
    struct object *first = world_find(&w, "thing-1");
    first->spec = value_map_with(&w.arena, first->spec, SV("note"), value_string(&w.arena, SV("by hand")));
    struct trip t;
    trip_init(&t, &w);
    t.config.accept_drift = true;
    const char *plan = trip_plan(&t, checked); /* `first` is put right, so that its id is provisional */
    assert_non_null(strstr(plan, "check links.p::t ?condition"));
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    expect_calls(&w, "");
    world_fini(&w);
}

/* --- locks --- */

static const char two_of_one[] = "resources:\n"
                                 "  p: {type: fake/place, linkSelector: {byLabel: {app: x}}, spec: {path: /p}}\n"
                                 "  q: {type: fake/place, linkSelector: {byLabel: {app: x}}, spec: {path: /q}}\n"
                                 "  r: {type: fake/place, linkSelector: {byLabel: {app: x}}, spec: {path: /r}}\n"
                                 "  t:\n"
                                 "    type: fake/thing\n"
                                 "    dependsOn: [p, q, r]\n"
                                 "    metadata: {labels: {app: x}}\n"
                                 "    spec: {name: one}\n";

static void two_links_do_not_write_one_resource_at_once(void **state) { /* BP-490 */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, two_of_one);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    value environment = value_map_find(world_find(&w, "thing-4")->spec, SV("environment"));
    assert_int_equal(environment.map->len, 3);
    assert_int_equal(world_count_calls(&w, "link-b "), 3);
    assert_int_equal(w.most_in_b, 1);
    world_fini(&w);
}

static void a_lock_is_waited_for_only_so_long(void **state) { /* BP-490, BP-502 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "link-b links.p::t", PROVIDER_NOT_YET, 1); /* hangs */
    world_script(&w, "link-b links.q::t", PROVIDER_NOT_YET, 1);
    world_script(&w, "link-b links.r::t", PROVIDER_NOT_YET, 1);
    struct trip t;
    trip_init(&t, &w);
    t.config.resource_lock_ms = 100;
    t.config.drain_ms = 20;
    trip_plan(&t, two_of_one);
    assert_int_equal(trip_deploy(&t), EXIT_PART_WAY);
    assert_non_null(strstr(trip_errors(&t), "resource_lock_timeout: "));
    assert_non_null(strstr(trip_errors(&t), "did not let go of 'resources.t' in time"));
    assert_int_equal(world_count_calls(&w, "link-b "), 1);
    trip_fini(&t);
    world_fini(&w);
}

/* --- capabilities --- */

static void a_link_waits_for_the_capability_it_needs(void **state) { /* BP-481 edge 4, BP-165 */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    expect_text(trip_plan(&t, "resources:\n"
                              "  s: {type: fake/slow, linkSelector: {byLabel: {app: x}}, spec: {name: s}}\n"
                              "  f: {type: fake/first, linkSelector: {byLabel: {app: x}}, spec: {name: f}}\n"
                              "  t: {type: fake/thing, metadata: {labels: {app: x}}, spec: {name: t}}\n"),
                "create resources.s\ncreate resources.f\ncreate resources.t\n"
                "create links.s::t\ncreate links.f::t\n"
                "C(resources.s)\nC(resources.f)\nC(resources.t)\n"
                "L(s::t) after C(resources.s) C(resources.t) L(f::t)\n"
                "L(f::t) after C(resources.f) C(resources.t)\n");
    trip_fini(&t);
    world_fini(&w);
}

static void capabilities_in_a_circle_are_refused(void **state) { /* BP-485 */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    expect_text(trip_plan(&t, "resources:\n"
                              "  f: {type: fake/first, linkSelector: {byLabel: {app: y}}, spec: {name: f}}\n"
                              "  s:\n"
                              "    type: fake/slow\n"
                              "    metadata: {labels: {app: y}}\n"
                              "    linkSelector: {byLabel: {app: x}}\n"
                              "    spec: {name: s}\n"
                              "  t: {type: fake/thing, metadata: {labels: {app: x}}, spec: {name: t}}\n"),
                "link_capability_cycle_detected: links need each other's capabilities in a circle: "
                "L(f::s) waits for L(s::t) waits for L(f::s)\n");
    trip_fini(&t);
    world_fini(&w);
}

/* --- drift --- */

static void an_intermediary_that_is_gone_is_drift(void **state) { /* BP-530, BP-531 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    world_find(&w, "policy-p-t")->gone = true;
    struct trip t;
    trip_init(&t, &w);
    struct drift_report report;
    assert_int_equal(run_drift(&t.config, &report), EXIT_DRIFT);
    assert_int_equal(report.count, 1);
    assert_int_equal(report.checked, 3);
    assert_true(report.items[0].missing && sv_eq_cstr(report.items[0].address.text, "links.p::t"));
    trip_fini(&t);
    struct link_record l = load_link(&t, &w);
    assert_true(value_is_set(l.drift) && l.drift_ms > 0);
    trip_fini(&t);
    world_deploy(&w, linked, EXIT_DRIFT); /* without consent (BP-421) */
    trip_init(&t, &w);
    t.config.accept_drift = true;
    expect_text(trip_plan(&t, linked), "drift links.p::t missing\nupdate links.p::t\nL(p::t)\n");
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    assert_non_null(world_find(&w, "policy-p-t"));
    l = load_link(&t, &w);
    assert_false(value_is_set(l.drift));
    trip_fini(&t);
    world_fini(&w);
}

static void an_intermediary_that_was_changed_is_drift(void **state) { /* BP-530, BP-532 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    struct object *policy = world_find(&w, "policy-p-t");
    policy->spec = value_map_with(&w.arena, policy->spec, SV("target"), value_string(&w.arena, SV("elsewhere")));
    struct trip t;
    trip_init(&t, &w);
    struct reconcile_request request = {0};
    struct reconciliation r;
    assert_int_equal(run_reconcile_look(&t.config, &request, &r), EXIT_OK);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.items[0].type, RECONCILE_DRIFT);
    expect_text(path_to_text(&t.arena, r.items[0].diff.changes.items[0].path).data,
                "intermediaries.policy-p-t.resourceSpecData.target");
    assert_int_equal(run_reconcile_apply(&t.config, &r), EXIT_OK);
    trip_fini(&t);
    struct link_record l = load_link(&t, &w);
    assert_int_equal(l.status, STATUS_UNKNOWN); /* it is recorded; the next deployment sees to it */
    trip_fini(&t);
    world_deploy(&w, linked, EXIT_OK);
    assert_string_equal(provider_get_text(world_find(&w, "policy-p-t")->spec, SV("target")).data, "thing-2");
    world_fini(&w);
}

/* What a link has set is laid over the stored spec; changed, it is drift of the resource, and the link sets it again.
 */
static void a_field_of_a_link_that_was_changed_is_set_again(void **state) { /* BP-530, BP-491 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, linked, EXIT_OK);
    struct object *place = world_find(&w, "place-1");
    place->spec = value_map_with(&w.arena, place->spec, SV("note"), value_string(&w.arena, SV("by hand")));
    struct trip t;
    trip_init(&t, &w);
    t.config.accept_drift = true;
    expect_text(trip_plan(&t, linked), "drift resources.p\nupdate links.p::t\nL(p::t)\n");
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    assert_string_equal(note_of(&w, "place-1").data, "thing-2");
    trip_init(&t, &w);
    expect_text(trip_plan(&t, linked), "");
    trip_fini(&t);
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_a_then_b_then_what_is_between),
        cmocka_unit_test(removes_in_the_opposite_order),
        cmocka_unit_test(calls_nothing_for_a_link_that_has_nothing_to_do),
        cmocka_unit_test(shows_data_and_intermediaries_in_the_plan),
        cmocka_unit_test(keeps_its_fields_when_a_side_is_updated),
        cmocka_unit_test(moves_to_the_object_that_replaces_a_side),
        cmocka_unit_test(each_phase_is_tried_again_by_itself),
        cmocka_unit_test(a_failed_phase_is_recorded_and_gone_on_with),
        cmocka_unit_test(a_fatal_failure_of_a_phase_ends_the_run),
        cmocka_unit_test(what_is_wanted_otherwise_begins_anew),
        cmocka_unit_test(what_was_half_made_is_removed),
        cmocka_unit_test(goes_on_at_the_phase_that_was_cut_off),
        cmocka_unit_test(a_phase_that_is_found_done_is_not_run_again),
        cmocka_unit_test(what_nobody_can_tell_is_interrupted),
        cmocka_unit_test(a_removal_goes_on_where_it_was_cut_off),
        cmocka_unit_test(seals_what_is_secret_in_data),
        cmocka_unit_test(a_removal_needs_its_type),
        cmocka_unit_test(a_side_that_is_excluded_late_takes_its_link_along),
        cmocka_unit_test(what_is_only_checked_is_not_done_again),
        cmocka_unit_test(two_links_do_not_write_one_resource_at_once),
        cmocka_unit_test(a_lock_is_waited_for_only_so_long),
        cmocka_unit_test(a_link_waits_for_the_capability_it_needs),
        cmocka_unit_test(capabilities_in_a_circle_are_refused),
        cmocka_unit_test(an_intermediary_that_is_gone_is_drift),
        cmocka_unit_test(an_intermediary_that_was_changed_is_drift),
        cmocka_unit_test(a_field_of_a_link_that_was_changed_is_set_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
