/* Reconciliation where nobody can tell what became of an operation, and of parts of an instance (BP-532, BP-533). */
#include "engine/reconcile.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const char one[] = "resources:\n  keep: {type: fake/thing, spec: {name: k}}\n"
                          "  a: {type: fake/thing, spec: {name: one, note: '${keep.spec.id}'}}\n";
static const char two[] = "resources:\n  keep: {type: fake/thing, spec: {name: k}}\n"
                          "  a: {type: fake/thing, spec: {name: two, note: '${keep.spec.id}'}}\n";
static const char none[] = "resources:\n  keep: {type: fake/thing, spec: {name: k}}\n";

/* Deploys until the call, which the user cuts off; its provider cannot tell later what it did. */
static void cut_off(struct world *w, const char *blueprint, const char *call) {
    w->signal_at = sv_from_cstr(call);
    w->signal_count = 2;
    world_deploy(w, blueprint, EXIT_SIGINT);
    atomic_store(&w->signals, 0);
    world_script(w, "recover resources.a", PROVIDER_CANNOT_TELL, 100);
}

static void look(struct trip *t, struct reconciliation *r, struct reconcile_request request) {
    assert_int_equal(run_reconcile_look(&t->config, &request, r), EXIT_OK);
}

static void expect_state(struct world *w, const char *expected) {
    struct trip t;
    trip_init(&t, w);
    expect_text(trip_state(&t), expected);
    trip_fini(&t);
}

/* Without the word of a person there is nothing to apply; with it the element is given up. */
static void give_up(struct world *w, const char *operation, enum status wanted) {
    struct trip t;
    trip_init(&t, w);
    struct reconciliation r;
    look(&t, &r, (struct reconcile_request){.interrupted_only = true});
    assert_int_equal(r.count, 1);
    assert_int_equal(r.items[0].action, RECONCILE_CLEAN_UP);
    assert_false(r.items[0].chosen);
    look(&t, &r, (struct reconcile_request){.interrupted_only = true, .is_cleaned_up = true});
    assert_int_equal(r.count, 1);
    assert_int_equal(r.items[0].type, RECONCILE_INTERRUPTED);
    assert_int_equal(r.items[0].action, RECONCILE_UPDATE_STATUS);
    assert_true(sv_eq_cstr(r.items[0].operation, operation));
    assert_int_equal(r.items[0].new_status, wanted);
    size_t calls = w->calls.len;
    assert_int_equal(run_reconcile_apply(&t.config, &r), EXIT_OK);
    assert_int_equal(w->calls.len, calls); /* nothing outside is touched, nor asked again */
    trip_fini(&t);
}

static void a_creation_that_was_cleaned_up_has_failed(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    cut_off(&w, one, "create resources.a");
    give_up(&w, "create", STATUS_create_failed);
    expect_state(&w, "deploy_failed\nresources.keep created thing-1\nresources.a create_failed \n");
    world_deploy(&w, one, EXIT_OK);
    assert_int_equal(world_count_calls(&w, "create resources.a"), 2);
    world_fini(&w);
}

static void an_update_that_was_cleaned_up_is_run_again(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, one, EXIT_OK);
    cut_off(&w, two, "update resources.a");
    world_script(&w, "read resources.a", PROVIDER_OK, 0);
    struct trip t;
    trip_init(&t, &w);
    struct reconciliation r;
    look(&t, &r, (struct reconcile_request){.interrupted_only = true, .is_cleaned_up = true});
    assert_int_equal(r.count, 1);
    assert_true(sv_eq_cstr(r.items[0].operation, "update"));
    assert_int_equal(run_reconcile_apply(&t.config, &r), EXIT_OK);
    trip_fini(&t);
    world_deploy(&w, two, EXIT_OK);
    assert_true(sv_eq_cstr(value_get_text(value_map_find(world_find(&w, "thing-2")->spec, SV("name"))), "two"));
    world_fini(&w);
}

static void a_removal_that_was_cleaned_up_is_done(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, one, EXIT_OK);
    cut_off(&w, none, "destroy resources.a");
    world_script(&w, "read resources.a", PROVIDER_TERMINAL, 100);
    struct trip t;
    trip_init(&t, &w);
    struct reconciliation r;
    look(&t, &r, (struct reconcile_request){.interrupted_only = true, .is_cleaned_up = true});
    assert_int_equal(r.count, 1);
    assert_true(sv_eq_cstr(r.items[0].operation, "destroy"));
    assert_int_equal(run_reconcile_apply(&t.config, &r), EXIT_OK);
    trip_fini(&t);
    world_deploy(&w, none, EXIT_OK);
    expect_state(&w, "updated\nresources.keep created thing-1\n");
    world_fini(&w);
}

/* --- parts of an instance --- */

static const char parent[] = "include:\n  core: {path: core.yaml}\n"
                             "resources:\n  own: {type: fake/thing, spec: {name: o}}\n"
                             "#--- core.yaml\n"
                             "version: 2025-11-02\n"
                             "resources:\n  inner: {type: fake/thing, spec: {name: i}}\n"
                             "  other: {type: fake/thing, spec: {name: p}}\n";

static const char *print_results(struct trip *t, struct reconcile_request request) {
    struct reconciliation r;
    look(t, &r, request);
    struct buf out = BUF(&t->arena);
    for (size_t i = 0; i < r.count; i++) {
        buf_printf(&out, "%.*s\n", SV_ARG(r.items[i].address.text));
    }
    return out.len > 0 ? buf_get_sv(&out).data : "";
}

static void children_are_left_out_or_named(void **state) { /* BP-532: children optional */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    t.config.parallel = 1; /* rows are kept in the order in which their operations ended */
    trip_plan(&t, parent);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    for (size_t i = 0; i < w.objects.len; i++) {
        w.objects.items[i].gone = true;
    }
    trip_fini(&t);
    trip_init(&t, &w);
    expect_text(print_results(&t, (struct reconcile_request){0}),
                "children.core/resources.inner\nchildren.core/resources.other\nresources.own\n");
    expect_text(print_results(&t, (struct reconcile_request){.no_children = true}), "resources.own\n");
    static const sv child[] = {SV_INIT("children.core")};
    expect_text(print_results(&t, (struct reconcile_request){.addresses = child, .address_count = 1}),
                "children.core/resources.inner\nchildren.core/resources.other\n");
    static const sv inner[] = {SV_INIT("children.core/resources.inner"), SV_INIT("resources.own")};
    expect_text(print_results(&t, (struct reconcile_request){.addresses = inner, .address_count = 2}),
                "children.core/resources.inner\nresources.own\n");
    trip_fini(&t);
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_creation_that_was_cleaned_up_has_failed),
        cmocka_unit_test(an_update_that_was_cleaned_up_is_run_again),
        cmocka_unit_test(a_removal_that_was_cleaned_up_is_done),
        cmocka_unit_test(children_are_left_out_or_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
