/* What only the run knows: conditions, data sources, results that last, links as values, children (BP-142, BP-143,
 * BP-424, BP-455, BP-458, BP-464 to BP-468, FN-230 to FN-233). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "world.h"

static void expect_plan(struct world *w, const char *blueprint, const char *expected) {
    struct trip t;
    trip_init(&t, w);
    expect_text(trip_plan(&t, blueprint), expected);
    trip_fini(&t);
}

static void expect_state(struct world *w, const char *expected) {
    struct trip t;
    trip_init(&t, w);
    expect_text(trip_state(&t), expected);
    trip_fini(&t);
}

/* --- conditions --- */

static const char guarded[] = "variables:\n"
                              "  on: {type: boolean, default: %s}\n"
                              "resources:\n"
                              "  a: {type: fake/thing, condition: '${variables.on}', spec: {name: one}}\n"
                              "  b: {type: fake/thing, dependsOn: a, spec: {name: two, note: '${a.spec.name}'}}\n";

static const char *say(struct world *w, const char *format, const char *text) {
    struct buf b = BUF(&w->arena);
    sv rest = sv_from_cstr(format);
    size_t at = sv_find(rest, SV("%s"));
    buf_append(&b, sv_slice(rest, 0, at));
    buf_append_cstr(&b, text);
    buf_append(&b, sv_slice(rest, at + 2, rest.len));
    return buf_get_sv(&b).data;
}

static void leaves_out_what_is_excluded(void **state) { /* BP-142: absent, dependsOn satisfied, references yield none */
    (void)state;
    struct world w;
    world_init(&w);
    const char *off = say(&w, guarded, "false");
    expect_plan(&w, off, "create resources.b\nC(resources.b)\n");
    world_deploy(&w, off, EXIT_OK);
    assert_int_equal(world_count_objects(&w), 1);
    assert_false(value_map_has(world_find(&w, "thing-1")->spec, SV("note")));
    expect_plan(&w, off, "");
    world_fini(&w);
}

static void removes_what_is_excluded_now(void **state) { /* BP-142, BP-134: as if it had left the blueprint */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, say(&w, guarded, "true"), EXIT_OK);
    expect_plan(&w, say(&w, guarded, "false"),
                "update resources.b -spec.note\n"
                "delete resources.a\n"
                "C(resources.b)\n"
                "D(resources.a) late after C(resources.b)\n");
    world_deploy(&w, say(&w, guarded, "false"), EXIT_OK);
    expect_state(&w, "updated\nresources.b updated thing-2\n");
    world_fini(&w);
}

static void retains_what_is_excluded_with_the_policy_of_the_template(void **state) { /* BP-134 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, "resources:\n  a: {type: fake/thing, spec: {name: one}}\n", EXIT_OK);
    expect_plan(&w,
                "resources:\n"
                "  a: {type: fake/thing, condition: '${eq(1, 2)}', removalPolicy: retain, spec: {name: one}}\n",
                "retain resources.a\nD(resources.a) late\n");
    world_fini(&w);
}

/* The condition is a field that `first` gets only when it is made. */
static const char open_condition[] = "resources:\n"
                                     "  first: {type: fake/thing, spec: {name: one, kind: %s}}\n"
                                     "  a:\n"
                                     "    type: fake/thing\n"
                                     "    condition: '${eq(first.spec.id, \"thing-1\")}'\n"
                                     "    spec: {name: two}\n"
                                     "  b: {type: fake/thing, spec: {name: three, note: '${a.spec.name}'}}\n"
                                     "exports:\n"
                                     "  name: {type: string, field: resources.a.spec.name}\n";

static void stages_unknown_conditions_as_true(void **state) { /* BP-143, BP-455, BP-458 */
    (void)state;
    struct world w;
    world_init(&w);
    const char *before = say(&w, open_condition, "k");
    expect_plan(&w, before,
                "create resources.first\n"
                "create resources.a ?condition\n"
                "create resources.b ?spec.note\n"
                "create exports.name ?value\n"
                "C(resources.first)\n"
                "C(resources.a) after C(resources.first)*\n"
                "C(resources.b) after C(resources.a)*\n");
    world_deploy(&w, before, EXIT_OK); /* BP-468: it turns out to be true */
    assert_int_equal(world_count_objects(&w), 3);
    expect_plan(&w, before, "");
    world_fini(&w);
}

static void skips_a_creation_whose_condition_is_false(void **state) { /* BP-468 */
    (void)state;
    struct world w;
    world_init(&w);
    w.next_id = 7; /* the first object is thing-8 */
    world_deploy(&w, say(&w, open_condition, "k"), EXIT_OK);
    expect_state(&w, "deployed\nresources.first created thing-8\nresources.b created thing-9\n");
    assert_false(value_map_has(world_find(&w, "thing-9")->spec, SV("note")));
    expect_plan(&w, say(&w, open_condition, "k"), "");
    world_fini(&w);
}

static void removes_late_what_turns_out_to_be_excluded(void **state) { /* BP-468, BP-484 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, say(&w, open_condition, "k"), EXIT_OK);
    const char *after = say(&w, open_condition, "other"); /* first is replaced by thing-4 */
    expect_plan(&w, after,
                "replace resources.first create-first ~spec.kind because:spec.kind\n"
                "check resources.a ?condition\n"
                "check resources.b ?spec.note\n"
                "update exports.name ?value\n"
                "C(resources.first)\n"
                "C(resources.a) after C(resources.first)*\n"
                "C(resources.b) after C(resources.a)*\n"
                "D(resources.first) late after C(resources.first) C(resources.a) D(resources.a)\n"
                "D(resources.a) late if-excluded after C(resources.a) C(resources.b)\n");
    world_deploy(&w, after, EXIT_OK);
    expect_state(&w, "updated\nresources.first updated thing-4\nresources.b updated thing-3\n");
    assert_null(world_find(&w, "thing-2"));
    assert_false(value_map_has(world_find(&w, "thing-3")->spec, SV("note")));
    expect_plan(&w, after, "");
    world_fini(&w);
}

static void keeps_what_stays_included(void **state) { /* BP-468: the removal in reserve is not carried out */
    (void)state;
    static const char format[] = "resources:\n"
                                 "  first: {type: fake/thing, spec: {name: one, kind: %s}}\n"
                                 "  a:\n"
                                 "    type: fake/thing\n"
                                 "    condition: '${has_prefix(first.spec.id, \"thing-\")}'\n"
                                 "    spec: {name: two}\n";
    struct world w;
    world_init(&w);
    world_deploy(&w, say(&w, format, "k"), EXIT_OK);
    world_deploy(&w, say(&w, format, "other"), EXIT_OK);
    expect_state(&w, "updated\nresources.first updated thing-3\nresources.a created thing-2\n");
    assert_int_equal(world_count_calls(&w, "destroy resources.a"), 0);
    world_fini(&w);
}

static const char linked[] = "variables:\n"
                             "  on: {type: boolean, default: %s}\n"
                             "resources:\n"
                             "  svc:\n"
                             "    type: fake/thing\n"
                             "    linkSelector: {byLabel: {app: x}}\n"
                             "    spec: {name: one}\n"
                             "  place:\n"
                             "    type: fake/place\n"
                             "    condition: '${variables.on}'\n"
                             "    metadata: {labels: {app: x}}\n"
                             "    spec: {path: /p}\n";

static void drops_links_of_the_excluded(void **state) { /* BP-142, BP-164, BP-432 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, say(&w, linked, "true"), EXIT_OK);
    expect_plan(&w, say(&w, linked, "false"),
                "update resources.svc -spec.environment.PLACE\n"
                "delete resources.place\n"
                "delete links.svc::place\n"
                "C(resources.svc)\n"
                "D(resources.place) late after U(svc::place) C(resources.svc)\n"
                "U(svc::place) late\n");
    world_deploy(&w, say(&w, linked, "false"), EXIT_OK);
    expect_state(&w, "updated\nresources.svc updated thing-2\n");
    world_fini(&w);
}

static const char linked_late[] = "resources:\n"
                                  "  first: {type: fake/thing, spec: {name: one, kind: %s}}\n"
                                  "  svc:\n"
                                  "    type: fake/thing\n"
                                  "    linkSelector: {byLabel: {app: x}}\n"
                                  "    spec: {name: one}\n"
                                  "  place:\n"
                                  "    type: fake/place\n"
                                  "    condition: '${eq(first.spec.id, \"thing-1\")}'\n"
                                  "    metadata: {labels: {app: x}}\n"
                                  "    spec: {path: /p}\n";

static void links_follow_late_conditions(void **state) { /* BP-468, BP-142: contributions and links of the excluded */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, say(&w, linked_late, "k"), EXIT_OK);
    expect_state(&w, "deployed\nresources.first created thing-1\nresources.svc created thing-3\n"
                     "resources.place created place-2\nlinks.svc::place created\n");
    world_deploy(&w, say(&w, linked_late, "other"), EXIT_OK);
    expect_state(&w, "updated\nresources.first updated thing-4\nresources.svc updated thing-3\n");
    assert_false(value_map_has(world_find(&w, "thing-3")->spec, SV("environment")));
    expect_plan(&w, say(&w, linked_late, "other"), "");
    world_fini(&w);
}

/* --- data sources --- */

static const char hosts[] =
    "[{\"name\": \"alpha\", \"size\": 1, \"load\": 1, \"tags\": [\"x\"], \"secret\": \"hush-hush\"},"
    " {\"name\": \"beta\", \"size\": 2, \"load\": 0.5, \"tags\": null}]";

static const char reads[] = "datasources:\n"
                            "  host:\n"
                            "    type: fake/host\n"
                            "    filter: {field: %s}\n"
                            "    exports:\n"
                            "      name: {type: string}\n"
                            "      load: {type: float}\n"
                            "      labels: {type: array, aliasFor: tags}\n"
                            "resources:\n"
                            "  a: {type: fake/thing, spec: {name: '${datasources.host.name}', note: "
                            "'${datasources.host.load}'}}\n";

static void fetches_while_planning(void **state) { /* BP-108 to BP-110: the first that passes all filters; once */
    (void)state;
    struct world w;
    struct trip t;
    world_init(&w);
    world_set_data(&w, hosts);
    trip_init(&t, &w);
    trip_plan(&t, say(&w, reads, "size, operator: '>=', search: 1"));
    assert_non_null(t.plan);
    assert_int_equal(world_count_calls(&w, "fetch"), 1);
    world_set_data(&w, "[]"); /* deployment uses what was staged (BP-424) */
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    assert_int_equal(world_count_calls(&w, "fetch"), 1);
    struct object *o = world_find(&w, "thing-1");
    assert_true(sv_eq_cstr(value_get_text(value_map_find(o->spec, SV("name"))), "alpha"));
    assert_true(sv_eq_cstr(value_get_text(value_map_find(o->spec, SV("note"))), "1.0")); /* widened (BP-109) */
    trip_fini(&t);
    world_fini(&w);
}

static void tells_what_it_did_not_find(void **state) { /* BP-108, BP-109, BP-120 */
    (void)state;
    struct world w;
    world_init(&w);
    world_set_data(&w, hosts);
    expect_plan(&w, say(&w, reads, "name, operator: '=', search: gamma"),
                "empty_data_source_data: none of 2 objects passes the filters of 'host'\n");
    world_set_data(&w, "[{\"name\": \"alpha\", \"size\": 1}]");
    expect_plan(&w, say(&w, reads, "size, operator: '=', search: 1"),
                "missing_data_source_prop: 'load' is not in what the provider found\n"
                "missing_data_source_prop: 'tags' is not in what the provider found\n");
    world_set_data(&w, "[{\"name\": 7, \"size\": 1, \"load\": 1, \"tags\": []}]");
    expect_plan(&w, say(&w, reads, "size, operator: '=', search: 1"),
                "invalid_data_source_field_type: 'name' is declared as string, but is an integer in what the provider "
                "found\n");
    world_fini(&w);
}

static void tries_to_fetch_again(void **state) { /* BP-500 */
    (void)state;
    struct world w;
    world_init(&w);
    world_set_data(&w, hosts);
    world_script(&w, "fetch datasources.host", PROVIDER_TRANSIENT, 2);
    world_deploy(&w, say(&w, reads, "size, operator: '=', search: 2"), EXIT_OK);
    assert_int_equal(world_count_calls(&w, "fetch"), 3);
    world_script(&w, "fetch datasources.host", PROVIDER_TERMINAL, 1);
    expect_plan(&w, say(&w, reads, "size, operator: '=', search: 2"),
                "provider_error: fetching 'datasources.host' failed: as scripted\n");
    world_fini(&w);
}

static const char late_reads[] = "datasources:\n"
                                 "  host:\n"
                                 "    type: fake/host\n"
                                 "    filter: {field: name, operator: '=', search: '${maker.spec.id}'}\n"
                                 "    exports: {name: {type: string}, secret: {type: string}}\n"
                                 "resources:\n"
                                 "  maker: {type: fake/thing, spec: {name: m}}\n"
                                 "  a: {type: fake/thing, spec: {name: '${datasources.host.name}'}}\n"
                                 "  b: {type: fake/thing, spec: {name: '${datasources.host.secret}'}}\n";

static void fetches_late_and_once(void **state) { /* BP-110, BP-467, BP-280 */
    (void)state;
    struct world w;
    struct trip t;
    world_init(&w);
    world_set_data(&w, "[{\"name\": \"thing-1\", \"secret\": \"hush-hush\"}]");
    trip_init(&t, &w);
    expect_text(trip_plan(&t, late_reads), "create resources.maker\n"
                                           "create resources.a ?spec.name\n"
                                           "create resources.b ?spec.name\n"
                                           "read datasources.host\n"
                                           "C(resources.maker)\n"
                                           "C(resources.a) after C(resources.maker)*\n"
                                           "C(resources.b) after C(resources.maker)*\n");
    assert_int_equal(world_count_calls(&w, "fetch"), 0);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    assert_int_equal(world_count_calls(&w, "fetch"), 1);
    struct instance_view view;
    assert_true(run_view_instance(&t.config, &view));
    assert_true(value_is_sensitive(view.resources[2].spec));
    assert_false(value_is_sensitive(view.resources[1].spec));
    trip_fini(&t);
    expect_plan(&w, late_reads, "");
    world_fini(&w);
}

/* --- results that last --- */

static const char unique[] = "resources:\n"
                             "  a: {type: fake/thing, spec: {name: '${uuid()}', kind: '${uuid()}'}}\n"
                             "  b: {type: fake/thing, spec: {name: '%s'}}\n";

static void keeps_uuids_with_the_instance(void **state) { /* FN-231 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, say(&w, unique, "x"), EXIT_OK);
    value spec = world_find(&w, "thing-1")->spec;
    assert_false(value_eq(value_map_find(spec, SV("name")), value_map_find(spec, SV("kind"))));
    expect_plan(&w, say(&w, unique, "x"), "");
    expect_plan(&w, say(&w, unique, "y"), "update resources.b ~spec.name\nC(resources.b)\n");
    world_fini(&w);
}

static void keeps_uuids_of_a_run_that_failed(void **state) { /* FN-231, BP-413 */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "create resources.b", PROVIDER_TERMINAL, 1);
    world_deploy(&w, say(&w, unique, "x"), EXIT_PART_WAY);
    expect_plan(&w, say(&w, unique, "x"), "create resources.b\nC(resources.b)\n");
    world_deploy(&w, say(&w, unique, "x"), EXIT_OK);
    assert_int_equal(world_count_calls(&w, "create resources.a"), 1);
    world_fini(&w);
}

static void forgets_uuids_nobody_asks_for(void **state) { /* FN-231: under a new key a new value is made */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, say(&w, unique, "x"), EXIT_OK);
    world_deploy(&w, "resources:\n  a: {type: fake/thing, spec: {name: plain}}\n", EXIT_OK);
    struct trip t;
    trip_init(&t, &w);
    struct store_instance instance;
    assert_int_equal(w.store->ops->find_instance(w.store, &t.arena, SV("default"), SV("test"), &instance), STORE_OK);
    assert_true(sv_find(instance.body, SV("uuid|")) == SIZE_MAX);
    trip_fini(&t);
    world_fini(&w);
}

static sv save_plan(struct trip *t) {
    struct buf out = BUF(&t->arena);
    struct jsonw w = JSONW(&out, 0);
    plan_write_json(&w, t->plan, t->world->sealer);
    return buf_get_sv(&out);
}

/* Plans in one process, deploys in another. */
static void deploy_saved(struct world *w, const char *blueprint, enum exit_code expected) {
    struct trip planned, deployed;
    trip_init(&planned, w);
    trip_plan(&planned, blueprint);
    assert_non_null(planned.plan);
    sv file = save_plan(&planned);
    w->wall_ms += 3600000;
    trip_init(&deployed, w);
    deployed.plan = plan_read_json(&deployed.arena, arena_copy_sv(&deployed.arena, file), w->sealer, &deployed.diags);
    assert_non_null(deployed.plan);
    trip_fini(&planned);
    deployed.pins = deployed.plan->pins;
    deployed.pin_count = deployed.plan->pin_count;
    assert_true(trip_load(&deployed, blueprint));
    assert_int_equal(trip_deploy(&deployed), expected);
    trip_fini(&deployed);
}

static void a_saved_plan_brings_its_results(void **state) { /* BP-424, FN-230, FN-231 */
    (void)state;
    struct world w;
    world_init(&w);
    world_set_data(&w, hosts);
    static const char blueprint[] = "datasources:\n"
                                    "  host:\n"
                                    "    type: fake/host\n"
                                    "    filter: {field: size, operator: '=', search: 1}\n"
                                    "    exports: {secret: {type: string}}\n"
                                    "resources:\n"
                                    "  first: {type: fake/thing, spec: {name: m}}\n"
                                    "  a:\n"
                                    "    type: fake/thing\n"
                                    "    spec:\n"
                                    "      name: '${first.spec.id} ${datetime(\"unix\")} ${datasources.host.secret}'\n"
                                    "      note: '${uuid()}'\n";
    deploy_saved(&w, blueprint, EXIT_OK);
    assert_int_equal(world_count_calls(&w, "fetch"), 1);
    sv name = value_get_text(value_map_find(world_find(&w, "thing-2")->spec, SV("name")));
    assert_true(sv_eq_cstr(name, "thing-1 1700000000 hush-hush"));
    w.wall_ms = 1700000000000;
    expect_plan(&w, blueprint, "");
    world_fini(&w);
}

static void a_saved_plan_holds_no_secret(void **state) { /* BP-282, LC-011 (5) */
    (void)state;
    struct world w;
    struct trip t;
    world_init(&w);
    world_set_data(&w, hosts);
    trip_init(&t, &w);
    trip_plan(&t, "datasources:\n"
                  "  host:\n"
                  "    type: fake/host\n"
                  "    filter: {field: size, operator: '=', search: 1}\n"
                  "    exports: {secret: {type: string}}\n"
                  "resources:\n"
                  "  a: {type: fake/thing, spec: {name: '${datasources.host.secret}'}}\n");
    assert_non_null(t.plan);
    assert_true(sv_find(save_plan(&t), SV("hush-hush")) == SIZE_MAX);
    assert_true(sv_find(save_plan(&t), SV("data|datasources.host")) != SIZE_MAX);
    trip_fini(&t);
    world_fini(&w);
}

/* --- links as values --- */

static const char asks_link[] = "resources:\n"
                                "  svc:\n"
                                "    type: fake/thing\n"
                                "    linkSelector: {byLabel: {app: x}}\n"
                                "    spec: {name: one}\n"
                                "  place:\n"
                                "    type: fake/place\n"
                                "    metadata: {labels: {app: x}}\n"
                                "    spec: {path: /p, kind: %s}\n"
                                "  user: {type: fake/thing, spec: {name: '${link(svc, place).linkData.place}'}}\n";

static void links_are_known_from_the_state(void **state) { /* BP-455, BP-481 (3), FN-223, FN-233 */
    (void)state;
    struct world w;
    world_init(&w);
    const char *text = say(&w, asks_link, "k");
    expect_plan(&w, text,
                "create resources.svc ?spec.environment.PLACE\n"
                "create resources.place\n"
                "create resources.user ?spec.name\n"
                "create links.svc::place ?data.place\n"
                "C(resources.svc) after C(resources.place)*\n"
                "C(resources.place)\n"
                "C(resources.user) after C(resources.svc)* C(resources.place)* L(svc::place)\n"
                "L(svc::place) after C(resources.svc) C(resources.place)\n");
    world_deploy(&w, text, EXIT_OK);
    assert_true(sv_eq_cstr(value_get_text(value_map_find(world_find(&w, "thing-3")->spec, SV("name"))), "place-1"));
    expect_plan(&w, text, "");
    world_deploy(&w, say(&w, asks_link, "other"), EXIT_OK); /* the place is replaced, the link made anew */
    assert_true(sv_eq_cstr(value_get_text(value_map_find(world_find(&w, "thing-3")->spec, SV("name"))), "place-4"));
    world_fini(&w);
}

/* --- each and children --- */

static const char templated[] = "variables:\n"
                                "  names: {type: string, default: '%s'}\n"
                                "resources:\n"
                                "  t: {type: fake/thing, each: '${split(variables.names, \",\")}', spec: {name: "
                                "'${elem}', size: '${i}'}}\n"
                                "  user: {type: fake/thing, dependsOn: t, spec: {name: u, note: '${t[0].spec.id}'}}\n";

static void deploys_instances(void **state) { /* BP-152, BP-155 */
    (void)state;
    struct world w;
    world_init(&w);
    expect_plan(&w, say(&w, templated, "x,y"),
                "create resources.t_0\n"
                "create resources.t_1\n"
                "create resources.user ?spec.note\n"
                "C(resources.t_0)\n"
                "C(resources.t_1)\n"
                "C(resources.user) after C(resources.t_0)* C(resources.t_1)*\n");
    world_deploy(&w, say(&w, templated, "x,y"), EXIT_OK);
    expect_plan(&w, say(&w, templated, "x"), "delete resources.t_1\nD(resources.t_1) late\n");
    world_fini(&w);
}

static const char parent[] =
    "include:\n"
    "  core: {path: core.yaml, variables: {size: 3, name: '${first.spec.id}'}}\n"
    "resources:\n"
    "  first: {type: fake/thing, spec: {name: f}}\n"
    "  user: {type: fake/thing, spec: {name: u, note: '${children.core.id}'}}\n"
    "exports:\n"
    "  id: {type: string, field: children.core.id}\n"
    "#--- core.yaml\n"
    "version: 2025-11-02\n"
    "variables:\n"
    "  size: {type: integer}\n"
    "  name: {type: string}\n"
    "resources:\n"
    "  inner: {type: fake/thing, spec: {name: '${variables.name}', size: '${variables.size}'}}\n"
    "  plain: {type: fake/thing, condition: '${eq(1, 2)}', spec: {name: p}}\n"
    "exports:\n"
    "  id: {type: string, field: resources.inner.spec.id}\n"
    "  none: {type: string, field: resources.plain.spec.name}\n";

static void deploys_children(void **state) { /* BP-180, BP-193, BP-455 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, parent, EXIT_OK);
    struct trip t;
    trip_init(&t, &w);
    struct instance_view view;
    assert_true(run_view_instance(&t.config, &view));
    assert_int_equal(view.export_count, 1);
    assert_true(sv_eq_cstr(view.exports[0].name, "id"));
    assert_int_equal(view.child_export_count, 1); /* what yields none is left out */
    assert_true(sv_eq_cstr(view.child_exports[0].name, "children.core/exports.id"));
    assert_true(value_eq(view.exports[0].item, view.child_exports[0].item));
    trip_fini(&t);
    expect_plan(&w, parent, "");
    /* a child that is gone takes all that it made with it */
    static const char without[] = "resources:\n"
                                  "  first: {type: fake/thing, spec: {name: f}}\n"
                                  "  user: {type: fake/thing, spec: {name: u}}\n";
    world_deploy(&w, without, EXIT_OK);
    expect_state(&w, "updated\nresources.first created thing-1\nresources.user updated thing-3\n");
    world_fini(&w);
}

static void a_changed_include_is_refused(void **state) { /* BP-174 */
    (void)state;
    struct world w;
    struct trip t;
    world_init(&w);
    trip_init(&t, &w);
    trip_plan(&t, parent);
    assert_non_null(t.plan);
    assert_true(t.plan->pin_count >= 1);
    struct trip later;
    trip_init(&later, &w);
    later.pins = t.plan->pins;
    later.pin_count = t.plan->pin_count;
    sv changed = arena_printf(&later.arena, "%s# changed\n", parent);
    assert_false(trip_load(&later, changed.data));
    assert_non_null(strstr(trip_errors(&later), "include_changed_since_staging"));
    trip_fini(&later);
    trip_fini(&t);
    deploy_saved(&w, parent, EXIT_OK);
    world_fini(&w);
}

static const char detached[] = "resources:\n"
                               "  app: {type: lintel/blueprint, removalPolicy: retain, spec: {path: app.yaml}}\n"
                               "  other: {type: fake/thing, spec: {name: o}}\n"
                               "#--- app.yaml\n"
                               "version: 2025-11-02\n"
                               "resources:\n"
                               "  inner: {type: fake/thing, spec: {name: i, kind: k}}\n";

static void detaches_a_child_as_a_whole(void **state) { /* BP-294 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, detached, EXIT_OK);
    expect_plan(&w, "resources:\n  other: {type: fake/thing, spec: {name: o}}\n",
                "retain resources.app/resources.inner\nD(resources.app/resources.inner) late\n");
    world_fini(&w);
}

static const char guarded_child[] =
    "resources:\n"
    "  first: {type: fake/thing, spec: {name: f, kind: %s}}\n"
    "  app:\n"
    "    type: lintel/blueprint\n"
    "    condition: '${eq(first.spec.id, \"thing-1\")}'\n"
    "    spec: {path: app.yaml}\n"
    "  user: {type: fake/thing, dependsOn: app, spec: {name: u, note: '${app.state.id}'}}\n"
    "#--- app.yaml\n"
    "version: 2025-11-02\n"
    "resources:\n"
    "  inner: {type: fake/thing, spec: {name: i}}\n"
    "  second: {type: fake/thing, dependsOn: inner, spec: {name: s}}\n"
    "exports:\n"
    "  id: {type: string, field: resources.inner.spec.id}\n";

static void a_late_condition_takes_out_a_whole_child(void **state) { /* BP-142, BP-292, BP-468 */
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, say(&w, guarded_child, "k"), EXIT_OK);
    assert_int_equal(world_count_objects(&w), 4);
    expect_plan(&w, say(&w, guarded_child, "k"), "");
    world_deploy(&w, say(&w, guarded_child, "other"), EXIT_OK); /* first is another thing now */
    expect_state(&w, "updated\nresources.first updated thing-5\nresources.user updated thing-4\n");
    assert_int_equal(world_count_objects(&w), 2);
    assert_false(value_map_has(world_find(&w, "thing-4")->spec, SV("note")));
    expect_plan(&w, say(&w, guarded_child, "other"), "");
    world_fini(&w);
}

static void fetches_for_each_once(void **state) { /* BP-150, BP-110: what expansion asked for is there for planning */
    (void)state;
    static const char blueprint[] = "datasources:\n"
                                    "  host:\n"
                                    "    type: fake/host\n"
                                    "    filter: {field: size, operator: '=', search: 1}\n"
                                    "    exports: {name: {type: string}, tags: {type: array}}\n"
                                    "resources:\n"
                                    "  t: {type: fake/thing, each: '${datasources.host.tags}', spec: {name: '${elem}', "
                                    "note: '${datasources.host.name}'}}\n";
    struct world w;
    world_init(&w);
    world_set_data(&w, "[{\"name\": \"alpha\", \"size\": 1, \"tags\": [\"x\", \"y\"]}]");
    expect_plan(&w, blueprint, "create resources.t_0\ncreate resources.t_1\nC(resources.t_0)\nC(resources.t_1)\n");
    assert_int_equal(world_count_calls(&w, "fetch"), 1);
    deploy_saved(&w, blueprint, EXIT_OK);
    assert_int_equal(world_count_calls(&w, "fetch"), 2); /* the second staging; no deployment */
    world_fini(&w);
}

static void a_condition_that_fails_is_told(void **state) { /* BP-141, BP-468 */
    (void)state;
    static const char blueprint[] = "resources:\n"
                                    "  first: {type: fake/thing, spec: {name: f}}\n"
                                    "  a:\n"
                                    "    type: fake/thing\n"
                                    "    condition: '${jsondecode(first.spec.id)}'\n"
                                    "    spec: {name: x}\n";
    struct world w;
    struct trip t;
    world_init(&w);
    trip_init(&t, &w);
    trip_plan(&t, blueprint);
    assert_non_null(t.plan);
    assert_int_equal(trip_deploy(&t), EXIT_PART_WAY);
    assert_non_null(strstr(trip_errors(&t), "its condition cannot be evaluated"));
    assert_int_equal(world_count_calls(&w, "create resources.a"), 0);
    trip_fini(&t);
    world_fini(&w);
}

static void provisional_conditions_are_open(void **state) { /* BP-458: known, but only as it was */
    (void)state;
    static const char format[] = "resources:\n"
                                 "  first: {type: fake/thing, spec: {name: %s}}\n"
                                 "  a:\n"
                                 "    type: fake/thing\n"
                                 "    condition: '${has_prefix(first.spec.id, \"thing-\")}'\n"
                                 "    spec: {name: two}\n";
    struct world w;
    world_init(&w);
    world_deploy(&w, say(&w, format, "x"), EXIT_OK);
    expect_plan(&w, say(&w, format, "y"),
                "update resources.first ~spec.name\n"
                "check resources.a ?condition\n"
                "C(resources.first)\n"
                "C(resources.a) after C(resources.first)*\n"
                "D(resources.a) late if-excluded after C(resources.a)\n");
    world_deploy(&w, say(&w, format, "y"), EXIT_OK);
    expect_state(&w, "updated\nresources.first updated thing-1\nresources.a created thing-2\n");
    assert_int_equal(world_count_calls(&w, "update resources.a"), 0);
    world_fini(&w);
}

static void descriptions_that_fail_are_told_before(void **state) { /* BP-425: nothing is changed by then */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    const char *text = trip_plan(&t, "variables:\n"
                                     "  json: {type: string, default: '{'}\n"
                                     "resources:\n"
                                     "  a: {type: fake/thing, description: '${jsondecode(variables.json)}', spec: "
                                     "{name: x}}\n");
    assert_null(t.plan);
    assert_non_null(strstr(text, "jsondecode"));
    trip_fini(&t);
    world_fini(&w);
}

static void records_evaluated_descriptions(void **state) { /* BP-551 */
    (void)state;
    struct world w;
    struct trip t;
    world_init(&w);
    trip_init(&t, &w);
    trip_plan(&t, "resources:\n"
                  "  first: {type: fake/thing, spec: {name: f}}\n"
                  "  a: {type: fake/thing, description: 'beside ${first.spec.id}', spec: {name: x}}\n");
    assert_non_null(t.plan);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    struct instance_view view;
    assert_true(run_view_instance(&t.config, &view));
    assert_true(sv_eq_cstr(view.resources[1].description, "beside thing-1"));
    trip_fini(&t);
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_out_what_is_excluded),
        cmocka_unit_test(removes_what_is_excluded_now),
        cmocka_unit_test(retains_what_is_excluded_with_the_policy_of_the_template),
        cmocka_unit_test(stages_unknown_conditions_as_true),
        cmocka_unit_test(skips_a_creation_whose_condition_is_false),
        cmocka_unit_test(removes_late_what_turns_out_to_be_excluded),
        cmocka_unit_test(keeps_what_stays_included),
        cmocka_unit_test(drops_links_of_the_excluded),
        cmocka_unit_test(links_follow_late_conditions),
        cmocka_unit_test(fetches_while_planning),
        cmocka_unit_test(tells_what_it_did_not_find),
        cmocka_unit_test(tries_to_fetch_again),
        cmocka_unit_test(fetches_late_and_once),
        cmocka_unit_test(keeps_uuids_with_the_instance),
        cmocka_unit_test(keeps_uuids_of_a_run_that_failed),
        cmocka_unit_test(forgets_uuids_nobody_asks_for),
        cmocka_unit_test(a_saved_plan_brings_its_results),
        cmocka_unit_test(a_saved_plan_holds_no_secret),
        cmocka_unit_test(links_are_known_from_the_state),
        cmocka_unit_test(deploys_instances),
        cmocka_unit_test(deploys_children),
        cmocka_unit_test(a_changed_include_is_refused),
        cmocka_unit_test(detaches_a_child_as_a_whole),
        cmocka_unit_test(a_late_condition_takes_out_a_whole_child),
        cmocka_unit_test(fetches_for_each_once),
        cmocka_unit_test(a_condition_that_fails_is_told),
        cmocka_unit_test(provisional_conditions_are_open),
        cmocka_unit_test(descriptions_that_fail_are_told_before),
        cmocka_unit_test(records_evaluated_descriptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
