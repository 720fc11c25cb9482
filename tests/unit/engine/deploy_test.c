/* Deploying: what is done, recorded, retried, refused and left behind (BP-464 to BP-469, BP-484, BP-500 to BP-510,
 * LC-010 to LC-046). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "world.h"

static const char two_things[] = "resources:\n"
                                 "  a: {type: fake/thing, spec: {name: one, secret: hidden-text}}\n"
                                 "  b: {type: fake/thing, spec: {name: two, note: '${a.spec.id} here'}}\n"
                                 "exports:\n"
                                 "  note: {type: string, field: resources.b.spec.note}\n"
                                 "  token: {type: string, field: resources.a.spec.token}\n";

static void expect_state(struct world *w, const char *expected) {
    struct trip t;
    trip_init(&t, w);
    expect_text(trip_state(&t), expected);
    trip_fini(&t);
}

static void expect_plan(struct world *w, const char *blueprint, const char *expected) {
    struct trip t;
    trip_init(&t, w);
    expect_text(trip_plan(&t, blueprint), expected);
    trip_fini(&t);
}

static struct store_tree load_rows(struct world *w) {
    struct store_instance instance;
    struct store_tree tree = {0};
    assert_int_equal(w->store->ops->find_instance(w->store, &w->arena, SV("default"), SV("test"), &instance), STORE_OK);
    assert_int_equal(w->store->ops->load_tree(w->store, &w->arena, instance.id, &tree), STORE_OK);
    return tree;
}

static void deploys_and_destroys(void **state) { /* BP-466, BP-469, BP-510, LC-025 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, two_things, EXIT_OK);
    expect_state(&w, "deployed\n"
                     "resources.a created thing-1\n"
                     "resources.b created thing-2\n"
                     "export note \"thing-1 here\"\n"
                     "export token \"(sensitive)\"\n");
    assert_string_equal(value_get_text(value_map_find(world_find(&w, "thing-2")->spec, SV("note"))).data,
                        "thing-1 here");
    assert_int_equal(load_rows(&w).journal.len, 0);
    world_destroy(&w, EXIT_OK);
    assert_int_equal(world_count_objects(&w), 0);
    expect_state(&w, "instance_not_found: there is no instance 'test'\n");
    world_fini(&w);
}

/* No row holds a secret in clear (LC-011 (5), BP-282); also while the run is cut off half-way. */
static void seals_what_is_secret(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    w.signal_at = SV("create resources.b");
    w.signal_count = 2;
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, two_things);
    assert_int_equal(trip_deploy(&t), EXIT_SIGINT);
    trip_fini(&t);
    struct store_tree tree = load_rows(&w);
    assert_true(tree.journal.len >= 4);
    for (size_t i = 0; i < tree.journal.len; i++) {
        assert_int_equal(sv_find(tree.journal.items[i].body, SV("hidden-text")), SIZE_MAX);
        assert_int_equal(sv_find(tree.journal.items[i].body, SV("token-of")), SIZE_MAX);
    }
    for (size_t i = 0; i < tree.elements.len; i++) {
        assert_int_equal(sv_find(tree.elements.items[i].body, SV("hidden-text")), SIZE_MAX);
        assert_int_equal(sv_find(tree.elements.items[i].body, SV("token-of")), SIZE_MAX);
    }
    world_fini(&w);
}

static void masks_reasons(void **state) { /* BP-281 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "create resources.a", PROVIDER_TERMINAL, 1);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, two_things);
    assert_int_equal(trip_deploy(&t), EXIT_FAILED);
    expect_text(trip_errors(&t),
                "resource_deploy_failed: 'create' of 'resources.a' failed: as scripted, secret (sensitive)\n");
    trip_fini(&t);
    world_fini(&w);
}

static void ends_part_way(void **state) { /* BP-501, BP-502; exit 9 once something was done */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, "resources:\n  z: {type: fake/thing, spec: {name: zero}}\n", EXIT_OK);
    static const char next[] = "resources:\n"
                               "  a: {type: fake/thing, spec: {name: one}}\n"
                               "  b: {type: fake/thing, spec: {name: two, note: '${a.spec.id}'}}\n"
                               "  c: {type: fake/thing, spec: {name: three, note: '${b.spec.id}'}}\n";
    world_script(&w, "create resources.b", PROVIDER_TERMINAL, 1);
    world_deploy(&w, next, EXIT_PART_WAY);
    /* the late removal of z did not run, c was not started */
    expect_state(&w, "update_failed\n"
                     "resources.a created thing-2\n"
                     "resources.z created thing-1\n"
                     "resources.b create_failed \n");
    assert_int_equal(world_count_calls(&w, "create resources.c"), 0);
    world_deploy(&w, next, EXIT_OK);
    expect_state(&w, "updated\n"
                     "resources.a created thing-2\n"
                     "resources.b created thing-3\n"
                     "resources.c created thing-4\n");
    world_fini(&w);
}

static void tries_again(void **state) { /* BP-500 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "create resources.a", PROVIDER_TRANSIENT, 5);
    world_deploy(&w, two_things, EXIT_OK);
    assert_int_equal(world_count_calls(&w, "create resources.a"), 6);
    world_script(&w, "destroy resources.a", PROVIDER_TRANSIENT, 6);
    world_destroy(&w, EXIT_PART_WAY);
    assert_int_equal(world_count_calls(&w, "destroy resources.a"), 6);
    expect_state(&w, "destroy_failed\n"
                     "resources.a destroy_failed thing-1\n"
                     "export note \"thing-1 here\"\n"
                     "export token \"(sensitive)\"\n");
    world_destroy(&w, EXIT_OK);
    world_fini(&w);
}

static void keeps_a_deposed_object(void **state) { /* BP-446, BP-450 */
    (void)state;
    struct world w;
    world_init(&w);
    static const char next[] = "resources:\n  a: {type: fake/thing, spec: {name: one, kind: other}}\n";
    world_deploy(&w, "resources:\n  a: {type: fake/thing, spec: {name: one, kind: k}}\n", EXIT_OK);
    world_script(&w, "destroy resources.a", PROVIDER_TERMINAL, 1);
    world_deploy(&w, next, EXIT_PART_WAY);
    assert_non_null(world_find(&w, "thing-1"));
    expect_state(&w, "update_failed\nresources.a destroy_failed thing-2 deposed:thing-1\n");
    expect_plan(&w, next,
                "update resources.a\n"
                "delete-deposed resources.a\n"
                "C(resources.a)\n"
                "D(resources.a#1) late\n");
    world_deploy(&w, next, EXIT_OK);
    expect_state(&w, "updated\nresources.a updated thing-2\n");
    assert_int_equal(world_count_objects(&w), 1);
    world_fini(&w);
}

static void replaces_destroy_first(void **state) { /* BP-446 */
    (void)state;
    struct world w;
    world_init(&w);
    static const char next[] = "resources:\n  a: {type: fake/first, spec: {name: one, kind: other}}\n";
    world_deploy(&w, "resources:\n  a: {type: fake/first, spec: {name: one, kind: k}}\n", EXIT_OK);
    world_script(&w, "create resources.a", PROVIDER_TERMINAL, 1);
    world_deploy(&w, next, EXIT_PART_WAY);
    expect_state(&w, "update_failed\nresources.a create_failed \n");
    assert_int_equal(world_count_objects(&w), 0);
    world_deploy(&w, next, EXIT_OK);
    expect_state(&w, "updated\nresources.a created thing-2\n");
    world_fini(&w);
}

static void forgets_what_is_retained(void **state) { /* BP-134, BP-449 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, "resources:\n  a: {type: fake/thing, removalPolicy: retain, spec: {name: one, kind: k}}\n",
                 EXIT_OK);
    world_deploy(&w, "resources:\n  a: {type: fake/thing, removalPolicy: retain, spec: {name: one, kind: x}}\n",
                 EXIT_OK);
    expect_state(&w, "updated\nresources.a updated thing-2\n");
    world_destroy(&w, EXIT_OK);
    assert_int_equal(world_count_objects(&w), 2);
    assert_int_equal(world_count_calls(&w, "destroy"), 0);
    world_fini(&w);
}

static void checks_what_was_provisional(void **state) { /* BP-457 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, two_things, EXIT_OK);
    world_deploy(&w,
                 "resources:\n"
                 "  a: {type: fake/thing, spec: {name: another}}\n"
                 "  b: {type: fake/thing, spec: {name: two, note: '${a.spec.id} here'}}\n",
                 EXIT_OK);
    assert_int_equal(world_count_calls(&w, "update resources.a"), 1);
    assert_int_equal(world_count_calls(&w, "update resources.b"), 0);
    world_fini(&w);
}

static void waits_until_stable(void **state) { /* BP-466, BP-482 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "stable resources.a", PROVIDER_NOT_YET, 3);
    static const char slow[] = "resources:\n"
                               "  a: {type: fake/slow, spec: {name: one}}\n"
                               "  b: {type: fake/slow, spec: {name: two, note: '${a.spec.id}'}}\n";
    world_deploy(&w, slow, EXIT_OK);
    assert_int_equal(world_count_calls(&w, "stable resources.a"), 4);
    size_t stable = 0, create = 0;
    for (size_t i = 0; i < w.calls.len; i++) {
        stable = sv_eq_cstr(w.calls.items[i], "stable resources.a") ? i : stable;
        create = sv_eq_cstr(w.calls.items[i], "create resources.b") ? i : create;
    }
    assert_true(create > stable); /* the type wants what it uses to be stable */
    expect_state(&w, "deployed\nresources.a created thing-1\nresources.b created thing-2\n");
    world_script(&w, "stable resources.a", PROVIDER_NOT_YET, 100000);
    world_deploy(&w, "resources:\n  a: {type: fake/slow, spec: {name: other}}\n", EXIT_FAILED);
    world_fini(&w);
}

static void refuses_a_stale_plan(void **state) { /* BP-464, LC-003, exit 7 */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip first, second;
    trip_init(&first, &w);
    trip_init(&second, &w);
    trip_plan(&first, two_things);
    trip_plan(&second, two_things);
    assert_int_equal(trip_deploy(&first), EXIT_OK);
    assert_int_equal(trip_deploy(&first), EXIT_STALE); /* twice (F42) */
    assert_int_equal(trip_deploy(&second), EXIT_STALE);
    assert_int_equal(world_count_objects(&w), 2);
    trip_fini(&first);
    trip_fini(&second);
    trip_init(&first, &w);
    trip_plan(&first, "resources:\n  a: {type: fake/thing, spec: {name: changed}}\n");
    struct template other = *first.t;
    other.digest = SV("0000");
    first.t = &other;
    assert_int_equal(trip_deploy(&first), EXIT_STALE);
    trip_fini(&first);
    world_fini(&w);
}

static void refuses_another_version_of_a_provider(void **state) { /* LC-003 */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, two_things);
    assert_int_equal(t.plan->changes[0].type_version, 3);
    t.plan->changes[0].type_version = 2;
    assert_int_equal(trip_deploy(&t), EXIT_STALE);
    trip_fini(&t);
    world_fini(&w);
}

static void gives_up_a_call_that_hangs(void **state) { /* F43, LC-024 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "create resources.a", PROVIDER_NOT_YET, 1);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, two_things);
    w.leap_at = SV("create resources.a");
    assert_int_equal(trip_deploy(&t), EXIT_PART_WAY);
    assert_non_null(strstr(trip_errors(&t), "operation_interrupted: 'create' of 'resources.a' did not end in time"));
    trip_fini(&t);
    expect_state(&w, "deploy_interrupted\nresources.a creating \nopen 1\n");
    world_deploy(&w, two_things, EXIT_OK); /* the provider says that nothing was made */
    world_fini(&w);
}

static void asks_before_it_undoes_drift(void **state) { /* BP-421 (3), exit 3 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, two_things, EXIT_OK);
    world_find(&w, "thing-1")->gone = true;
    world_deploy(&w, two_things, EXIT_DRIFT);
    struct trip t;
    trip_init(&t, &w);
    t.config.accept_drift = true;
    trip_plan(&t, two_things);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    expect_state(&w, "updated\n"
                     "resources.a created thing-3\n"
                     "resources.b updated thing-2\n"
                     "export note \"thing-3 here\"\n"
                     "export token \"(sensitive)\"\n");
    world_fini(&w);
}

static void links_with_what_they_contribute(void **state) { /* BP-432, BP-491 */
    (void)state;
    struct world w;
    world_init(&w);
    static const char linked[] = "resources:\n"
                                 "  a:\n"
                                 "    type: fake/thing\n"
                                 "    linkSelector: {byLabel: {app: x}}\n"
                                 "    spec: {name: one}\n"
                                 "  p:\n"
                                 "    type: fake/place\n"
                                 "    metadata: {labels: {app: x}}\n"
                                 "    spec: {path: /p}\n";
    world_deploy(&w, linked, EXIT_OK);
    expect_state(&w, "deployed\n"
                     "resources.a created thing-2\n"
                     "resources.p created place-1\n"
                     "links.a::p created\n");
    value environment = value_map_find(world_find(&w, "thing-2")->spec, SV("environment"));
    assert_string_equal(value_get_text(value_map_find(environment, SV("PLACE"))).data, "place-1");
    assert_int_equal(world_count_calls(&w, "update"), 0); /* made once, with its environment */
    world_destroy(&w, EXIT_OK);
    size_t a = 0, p = 0;
    for (size_t i = 0; i < w.calls.len; i++) {
        a = sv_eq_cstr(w.calls.items[i], "destroy resources.a") ? i : a;
        p = sv_eq_cstr(w.calls.items[i], "destroy resources.p") ? i : p;
    }
    assert_true(a < p);
    world_fini(&w);
}

/* --- leases --- */

static void takes_turns(void **state) { /* LC-032, exit 6 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, two_things, EXIT_OK);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, "resources:\n  a: {type: fake/thing, spec: {name: changed}}\n");
    struct store_lease lease;
    sv holder = SV("{\"actor\":\"other@there\",\"host\":\"there\",\"pid\":1,\"startTime\":1,\"bootId\":\"x\","
                   "\"command\":\"lintel deploy\",\"since\":1699999990000}");
    struct store_lease_request request = {.instance_id = t.plan->instance_id, .holder = holder, .ttl_ms = 50000000};
    assert_int_equal(w.store->ops->take_lease(w.store, &w.arena, &request, &lease), STORE_OK);
    assert_int_equal(trip_deploy(&t), EXIT_LOCKED);
    expect_text(trip_errors(&t),
                "instance_in_progress: instance 'test' is held by other@there, process 1, since 10 s: lintel deploy\n");
    assert_int_equal(w.store->ops->release_lease(w.store, &lease), STORE_OK);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    world_fini(&w);
}

/* Another run takes over while this one waits for a provider: nothing more is written (LC-031, F20, F26). */
static void steal_lease(void *user, const struct event *e) {
    struct trip *t = user;
    struct store_lease lease;
    if (e->kind == EVENT_ELEMENT_STARTED && sv_eq_cstr(e->address.text, "resources.b")) {
        struct store_lease_request request = {
            .instance_id = t->plan->instance_id, .holder = SV("{}"), .ttl_ms = 1000, .steal = true};
        t->world->store->ops->take_lease(t->world->store, &t->arena, &request, &lease);
    }
}

static void stops_writing_when_the_lease_is_lost(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, two_things);
    t.config.on_event = steal_lease;
    assert_int_equal(trip_deploy(&t), EXIT_LOCKED);
    assert_non_null(strstr(trip_errors(&t), "lease_lost"));
    trip_fini(&t);
    expect_state(&w, "deploying\nresources.a created thing-1\nresources.b creating \nopen 1\n");
    world_fini(&w);
}

/* --- interrupts and resuming --- */

static void stops_at_the_first_signal(void **state) { /* LC-061, F16 */
    (void)state;
    struct world w;
    world_init(&w);
    w.signal_at = SV("create resources.a");
    w.signal_count = 1;
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, two_things);
    assert_int_equal(trip_deploy(&t), EXIT_SIGINT);
    trip_fini(&t);
    expect_state(&w, "deploy_failed\nresources.a created thing-1\n"); /* what was under way is recorded */
    atomic_store(&w.signals, 0);
    world_deploy(&w, two_things, EXIT_OK);
    assert_int_equal(world_count_objects(&w), 2);
    world_fini(&w);
}

static void leaves_intents_at_the_second_signal(void **state) { /* LC-023, F17 */
    (void)state;
    struct world w;
    world_init(&w);
    w.signal_at = SV("create resources.b");
    w.signal_count = 2;
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, two_things);
    assert_int_equal(trip_deploy(&t), EXIT_SIGINT);
    expect_state(&w, "deploying\nresources.a created thing-1\nresources.b creating \nopen 1\n");
    atomic_store(&w.signals, 0);
    /* the very plan goes on where it was cut off */
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    expect_state(&w, "deployed\n"
                     "resources.a created thing-1\n"
                     "resources.b created thing-2\n"
                     "export note \"thing-1 here\"\n"
                     "export token \"(sensitive)\"\n");
    assert_int_equal(world_count_objects(&w), 2);
    assert_int_equal(world_count_calls(&w, "create resources.a"), 1);
    assert_int_equal(world_count_calls(&w, "create resources.b"), 1);
    world_fini(&w);
}

static void plans_anew_after_a_crash(void **state) { /* LC-023 */
    (void)state;
    struct world w;
    world_init(&w);
    w.signal_at = SV("create resources.b");
    w.signal_count = 2;
    world_deploy(&w, two_things, EXIT_SIGINT);
    atomic_store(&w.signals, 0);
    expect_plan(&w, two_things, "create exports.note\ncreate exports.token\n");
    world_deploy(&w, two_things, EXIT_OK);
    assert_int_equal(world_count_objects(&w), 2);
    world_fini(&w);
}

static void says_what_nobody_can_tell(void **state) { /* LC-023, BP-412, exit 9 */
    (void)state;
    struct world w;
    world_init(&w);
    w.signal_at = SV("create resources.b");
    w.signal_count = 2;
    static const char three[] = "resources:\n"
                                "  a: {type: fake/thing, spec: {name: one}}\n"
                                "  b: {type: fake/thing, spec: {name: two, note: '${a.spec.id}'}}\n"
                                "  c: {type: fake/thing, spec: {name: three, note: '${b.spec.id}'}}\n"
                                "  d: {type: fake/thing, dependsOn: [a], spec: {name: four, note: x}}\n";
    world_deploy(&w, three, EXIT_SIGINT);
    atomic_store(&w.signals, 0);
    world_script(&w, "recover resources.b", PROVIDER_CANNOT_TELL, 4);
    world_deploy(&w, three, EXIT_PART_WAY); /* planning and deploying ask */
    struct trip t;
    trip_init(&t, &w);
    t.config.force = true;
    trip_plan(&t, three);
    assert_true(t.plan->has_interrupted);
    assert_int_equal(trip_deploy(&t), EXIT_PART_WAY);
    trip_fini(&t);
    assert_int_equal(world_count_calls(&w, "create resources.c"), 0);
    assert_int_equal(world_count_calls(&w, "create resources.d"), 1);
    trip_init(&t, &w);
    const char *text = trip_state(&t);
    assert_non_null(strstr(text, "open 1"));
    trip_fini(&t);
    world_deploy(&w, three, EXIT_OK); /* now the provider can tell */
    assert_int_equal(world_count_objects(&w), 4);
    world_fini(&w);
}

static void notices_an_edited_journal(void **state) { /* LC-020, F37 */
    (void)state;
    struct world w;
    world_init(&w);
    w.signal_at = SV("create resources.b");
    w.signal_count = 2;
    world_deploy(&w, two_things, EXIT_SIGINT);
    atomic_store(&w.signals, 0);
    struct store_tree tree = load_rows(&w);
    struct journal_row forged = *VEC_LAST(&tree.journal);
    forged.sequence++;
    assert_int_equal(w.store->ops->begin(w.store, NULL), STORE_OK);
    assert_int_equal(w.store->ops->append_journal(w.store, tree.instance.id, &forged), STORE_OK);
    assert_int_equal(w.store->ops->commit(w.store), STORE_OK);
    struct trip t;
    trip_init(&t, &w);
    assert_non_null(strstr(trip_plan(&t, two_things), "journal_chain_broken"));
    trip_fini(&t);
    world_fini(&w);
}

static void forces_a_destruction(void **state) { /* BP-510 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, two_things, EXIT_OK);
    world_script(&w, "destroy resources.a", PROVIDER_TERMINAL, 1);
    struct trip t;
    trip_init(&t, &w);
    t.config.force = true;
    trip_plan_destroy(&t);
    assert_int_equal(trip_deploy(&t), EXIT_PART_WAY);
    trip_fini(&t);
    expect_state(&w, "instance_not_found: there is no instance 'test'\n");
    world_fini(&w);
}

/* Without sealing only digests are kept: comparison works, nothing is planned anew (LC-051, BP-438). */
static void compares_secrets_by_digest(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    sealer_close(w.sealer);
    struct sealer_options seal = {.arena = &w.arena, .diags = &w.store_diags, .host = &w.host, .no_seal = true};
    w.store->ops->get_store_key(w.store, seal.store_key);
    w.sealer = sealer_open(&seal);
    world_deploy(&w, "resources:\n  a: {type: fake/thing, spec: {name: one, secret: hidden-text}}\n", EXIT_OK);
    expect_plan(&w, "resources:\n  a: {type: fake/thing, spec: {name: one, secret: hidden-text}}\n", "");
    expect_plan(&w, "resources:\n  a: {type: fake/thing, spec: {name: one, secret: hidden-more}}\n",
                "update resources.a ~spec.secret\nC(resources.a)\n");
    world_fini(&w);
}

/* A store that cannot be written any more (LC-046, F7, F8): what was done is told the caller, who saves it. */
struct failing_store {
    struct store base;
    struct store *inner;
    size_t commits_left;
    struct buf rescued;
};

static struct failing_store *failing_of(struct store *s) {
    return (struct failing_store *)s;
}

static enum store_result failing_begin(struct store *s, const struct store_lease *lease) {
    return failing_of(s)->inner->ops->begin(failing_of(s)->inner, lease);
}

static enum store_result failing_commit(struct store *s) {
    struct failing_store *f = failing_of(s);
    if (f->commits_left == 0) {
        f->inner->ops->rollback(f->inner);
        diags_add(s->diags, DIAG_state_not_available, SPAN_NONE, "no space left");
        return STORE_FAILED;
    }
    f->commits_left--;
    return f->inner->ops->commit(f->inner);
}

static void failing_rollback(struct store *s) {
    failing_of(s)->inner->ops->rollback(failing_of(s)->inner);
}

static enum store_result failing_take(struct store *s, struct arena *a, const struct store_lease_request *request,
                                      struct store_lease *lease) {
    return failing_of(s)->inner->ops->take_lease(failing_of(s)->inner, a, request, lease);
}

static enum store_result failing_renew(struct store *s, struct store_lease *lease, int64_t ttl_ms) {
    return failing_of(s)->inner->ops->renew_lease(failing_of(s)->inner, lease, ttl_ms);
}

static enum store_result failing_release(struct store *s, const struct store_lease *lease) {
    return failing_of(s)->inner->ops->release_lease(failing_of(s)->inner, lease);
}

static enum store_result failing_load(struct store *s, struct arena *a, sv id, struct store_tree *tree) {
    return failing_of(s)->inner->ops->load_tree(failing_of(s)->inner, a, id, tree);
}

static enum store_result failing_find(struct store *s, struct arena *a, sv context, sv name, struct store_instance *i) {
    return failing_of(s)->inner->ops->find_instance(failing_of(s)->inner, a, context, name, i);
}

static enum store_result failing_put(struct store *s, const struct store_instance *i, int64_t expected) {
    return failing_of(s)->inner->ops->put_instance(failing_of(s)->inner, i, expected);
}

static enum store_result failing_put_element(struct store *s, sv id, const struct store_element *e) {
    return failing_of(s)->inner->ops->put_element(failing_of(s)->inner, id, e);
}

static enum store_result failing_append(struct store *s, sv id, const struct journal_row *row) {
    return failing_of(s)->inner->ops->append_journal(failing_of(s)->inner, id, row);
}

static enum store_result failing_compact(struct store *s, sv id, const struct store_history *entry, size_t keep) {
    return failing_of(s)->inner->ops->compact_journal(failing_of(s)->inner, id, entry, keep);
}

static enum store_result failing_append_events(struct store *s, sv id, sv run_id, sv body) {
    return failing_of(s)->inner->ops->append_events(failing_of(s)->inner, id, run_id, body);
}

static const struct store_ops failing_ops = {
    .begin = failing_begin,
    .commit = failing_commit,
    .rollback = failing_rollback,
    .take_lease = failing_take,
    .renew_lease = failing_renew,
    .release_lease = failing_release,
    .load_tree = failing_load,
    .find_instance = failing_find,
    .put_instance = failing_put,
    .put_element = failing_put_element,
    .append_journal = failing_append,
    .compact_journal = failing_compact,
    .append_events = failing_append_events,
};

static void rescue(void *user, sv run_id, sv line) {
    struct trip *t = user;
    assert_int_equal(run_id.len, 26);
    buf_append(&failing_of(t->config.store)->rescued, line);
    buf_append_char(&failing_of(t->config.store)->rescued, '\n');
}

static void rescues_outcomes(void **state) {
    (void)state;
    for (size_t commits = 0; commits < 4; commits++) {
        struct world w;
        world_init(&w);
        struct trip t;
        trip_init(&t, &w);
        struct failing_store f = {
            .base = *w.store, .inner = w.store, .commits_left = commits, .rescued = BUF(&t.arena)};
        f.base.ops = &failing_ops;
        t.config.store = &f.base;
        t.config.on_rescue = rescue;
        trip_plan(&t, two_things);
        enum exit_code code = trip_deploy(&t);
        /* 0: the new instance, 1: the claim, 2: the intent of a, 3: its outcome and the intent of b */
        size_t made = commits < 3 ? 0 : 1;
        assert_int_equal(world_count_objects(&w), made);
        assert_int_equal(code, made == 0 ? EXIT_FAILED : EXIT_PART_WAY);
        const char *rescued = f.rescued.len == 0 ? "" : buf_get_sv(&f.rescued).data;
        assert_true((strstr(rescued, "\"kind\":\"outcome\",\"operation\":\"C(resources.a)\"") != NULL) == (made == 1));
        assert_null(strstr(rescued, "hidden-text"));
        assert_null(strstr(rescued, "token-of"));
        trip_fini(&t);
        world_fini(&w);
    }
}

/* Intents and outcomes that are ready together share a transaction (LC-012). */
static void commits_in_groups(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    struct failing_store f = {.base = *w.store, .inner = w.store, .commits_left = 1000, .rescued = BUF(&t.arena)};
    f.base.ops = &failing_ops;
    t.config.store = &f.base;
    t.config.parallel = 100;
    struct buf text = BUF(&t.arena);
    buf_append_cstr(&text, "resources:\n");
    for (int i = 0; i < 100; i++) {
        buf_printf(&text, "  r%d: {type: fake/thing, spec: {name: n}}\n", i);
    }
    trip_plan(&t, buf_get_sv(&text).data);
    assert_int_equal(t.plan->op_count, 100);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    assert_true(1000 - f.commits_left < 100);
    assert_int_equal(world_count_objects(&w), 100);
    trip_fini(&t);
    world_fini(&w);
}

/* What touches nothing outside waits for no commit, what uses it does (LC-011 (1)). */
static void effectless_ones_share_a_commit(void **state) {
    (void)state;
    for (size_t commits = 1; commits < 8; commits++) {
        struct world w;
        world_init(&w);
        struct trip t;
        trip_init(&t, &w);
        struct failing_store f = {
            .base = *w.store, .inner = w.store, .commits_left = commits, .rescued = BUF(&t.arena)};
        f.base.ops = &failing_ops;
        t.config.store = &f.base;
        t.config.on_rescue = rescue;
        struct buf text = BUF(&t.arena);
        buf_append_cstr(&text, "resources:\n  user: {type: fake/thing, spec: {name: n, note: '${p5.spec.id}'}}\n");
        for (int i = 0; i < 6; i++) { /* the clock ticks with each look: more would not fit a turn */
            buf_printf(&text, "  p%d: {type: fake/pure, spec: {name: n}}\n", i);
        }
        trip_plan(&t, buf_get_sv(&text).data);
        enum exit_code code = trip_deploy(&t);
        /* instance, claim, all of the first kind with the intent of the user, its outcome, end */
        assert_int_equal(code == EXIT_OK, commits >= 5);
        assert_int_equal(world_count_calls(&w, "create resources.user"), commits >= 3);
        trip_fini(&t);
        world_fini(&w);
    }
}

/* Hundreds of resources, more than run at once, in chains and alone. */
static void deploys_many(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    struct buf text = BUF(&w.arena);
    buf_append_cstr(&text, "resources:\n");
    for (int i = 0; i < 300; i++) {
        buf_printf(&text, "  r%d: {type: fake/thing, spec: {name: n", i);
        if (i % 3 == 2) {
            buf_printf(&text, ", note: '${r%d.spec.id}'", i - 1);
        }
        buf_append_cstr(&text, "}}\n");
    }
    world_deploy(&w, buf_get_sv(&text).data, EXIT_OK);
    assert_int_equal(world_count_objects(&w), 300);
    expect_plan(&w, buf_get_sv(&text).data, "");
    world_destroy(&w, EXIT_OK);
    assert_int_equal(world_count_objects(&w), 0);
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deploys_and_destroys),
        cmocka_unit_test(seals_what_is_secret),
        cmocka_unit_test(masks_reasons),
        cmocka_unit_test(ends_part_way),
        cmocka_unit_test(tries_again),
        cmocka_unit_test(keeps_a_deposed_object),
        cmocka_unit_test(replaces_destroy_first),
        cmocka_unit_test(forgets_what_is_retained),
        cmocka_unit_test(checks_what_was_provisional),
        cmocka_unit_test(waits_until_stable),
        cmocka_unit_test(refuses_a_stale_plan),
        cmocka_unit_test(refuses_another_version_of_a_provider),
        cmocka_unit_test(gives_up_a_call_that_hangs),
        cmocka_unit_test(asks_before_it_undoes_drift),
        cmocka_unit_test(links_with_what_they_contribute),
        cmocka_unit_test(takes_turns),
        cmocka_unit_test(stops_writing_when_the_lease_is_lost),
        cmocka_unit_test(stops_at_the_first_signal),
        cmocka_unit_test(leaves_intents_at_the_second_signal),
        cmocka_unit_test(plans_anew_after_a_crash),
        cmocka_unit_test(says_what_nobody_can_tell),
        cmocka_unit_test(notices_an_edited_journal),
        cmocka_unit_test(forces_a_destruction),
        cmocka_unit_test(compares_secrets_by_digest),
        cmocka_unit_test(rescues_outcomes),
        cmocka_unit_test(commits_in_groups),
        cmocka_unit_test(effectless_ones_share_a_commit),
        cmocka_unit_test(deploys_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
