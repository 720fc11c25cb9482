/* Expanded templates (model/template.h): instances, copies of children, groups, scopes, edges and links. BP-150 to
 * BP-155, BP-164, BP-177, BP-293. */
#include "lang/blueprint/harness.h"
#include "lang/blueprint/test_provider.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static const struct template *expand(struct harness *h, const char *text, struct evaluation *e) {
    harness_init(h, &test_providers);
    harness_load_source(h, sources_add(&h->sources, SV("t.yaml"), sv_from_cstr(text)));
    bool ok = harness_evaluate(h, e);
    for (size_t i = 0; i < h->diags.items.len; i++) {
        print_message("# %s\n", h->diags.items.items[i]->message.data);
    }
    assert_true(ok);
    assert_int_equal(h->diags.errors, 0);
    assert_true(h->expanded->is_expanded);
    return h->expanded;
}

static uint32_t number_of(const struct template *t, const char *address) {
    const struct element *e = template_find(t, sv_from_cstr(address));
    if (e == NULL) {
        print_message("# no element %s\n", address);
    }
    assert_non_null(e);
    return template_get_number(t, e);
}

static const struct element *get(const struct template *t, const char *address) {
    return &t->elements[number_of(t, address)];
}

static void assert_value(struct harness *h, struct evaluation *e, const char *address, const char *json) {
    value v = eval_cell(e->evaluator, &e->cells[number_of(e->template, address)].main);
    sv text = v.kind == VALUE_ABSENT  ? SV("none")
              : v.kind == VALUE_ERROR ? SV("error")
                                      : value_print_json(&h->arena, v, 0, REDACT);
    assert_string_equal(arena_copy_cstr(&h->arena, text), json);
}

static size_t count_uses(const struct template *t, const char *from, const char *to, enum edge_kind kind) {
    const struct element *e = get(t, from);
    size_t count = 0;
    for (size_t i = 0; i < e->use_count; i++) {
        sv name = e->uses[i].kind == EDGE_LINK ? t->links[e->uses[i].to].address.text
                                               : t->elements[e->uses[i].to].address.text;
        count += e->uses[i].kind == kind && sv_eq_cstr(name, to);
    }
    return count;
}

/* What has nothing to expand is expanded already. */
static void test_nothing(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {0};
    const struct template *t = expand(&h,
                                      "version: 2025-11-02\n"
                                      "resources:\n"
                                      "  app: {type: test/app, spec: {}, linkSelector: {byLabel: {k: v}}}\n"
                                      "  b: {type: test/base, spec: {}, metadata: {labels: {k: v}, annotations: "
                                      "{base.owner: me}}}\n",
                                      &e);
    assert_ptr_equal(t, h.template);
    assert_int_equal((uintptr_t)map_find(&t->link_by_address, SV("links.app::b")), 1);
    harness_fini(&h);
}

static const char *const templates = "version: 2025-11-02\n"
                                     "variables: {v: {type: string, default: x}}\n"
                                     "values:\n"
                                     "  list: {type: array, value: [a, b, c]}\n"
                                     "resources:\n"
                                     "  before: {type: test/plain, spec: {text: \"${t[1].spec.text}\"}}\n"
                                     "  t:\n"
                                     "    type: test/plain\n"
                                     "    each: ${values.list}\n"
                                     "    condition: {not: \"${eq(i, 1)}\"}\n"
                                     "    metadata: {displayName: \"${elem}!\"}\n"
                                     "    spec: {text: \"${elem}${i}${variables.v}\"}\n"
                                     "  u: {type: test/plain, each: \"${values.list}\", dependsOn: t, spec: {text: "
                                     "\"${t[0].spec.text}${t[2].spec.text}\"}}\n"
                                     "  none: {type: test/plain, each: \"${jsondecode('[]')}\", spec: {text: x}}\n";

/* A TEMPLATE element stands before its instances, which know it. */
static void test_groups(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {0};
    const struct template *t = expand(&h, templates, &e);
    const char *const wanted[] = {"variables.v",   "values.list",   "resources.before", "resources.t",
                                  "resources.t_0", "resources.t_1", "resources.t_2",    "resources.u",
                                  "resources.u_0", "resources.u_1", "resources.u_2",    "resources.none"};
    assert_int_equal(t->element_count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < t->element_count; i++) {
        assert_string_equal(arena_copy_cstr(&h.arena, t->elements[i].address.text), wanted[i]);
    }
    const struct element *group = get(t, "resources.t"), *one = get(t, "resources.t_1");
    assert_int_equal(group->kind, ELEMENT_TEMPLATE);
    assert_int_equal(group->group_end, 7);
    assert_int_equal(group->group, 0);
    assert_int_equal(one->kind, ELEMENT_RESOURCE);
    assert_int_equal(one->group, 4);
    assert_true(sv_eq_cstr(one->name, "t_1"));
    assert_true(sv_eq_cstr(one->template_name, "t"));
    assert_null(one->each);
    assert_int_equal(get(t, "resources.none")->group_end, 12);
    harness_fini(&h);
}

static void test_scopes(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {0};
    const struct template *t = expand(&h, templates, &e);
    assert_value(&h, &e, "resources.t_0", "{\"text\":\"a0x\"}");
    assert_value(&h, &e, "resources.t_2", "{\"text\":\"c2x\"}");
    assert_value(&h, &e, "resources.before", "{}"); /* t_1 is not there (BP-142) */
    assert_value(&h, &e, "resources.u_1", "{\"text\":\"a0xc2x\"}");
    value name = eval_cell(e.evaluator, e.cells[number_of(t, "resources.t_2")].display_name);
    assert_true(sv_eq_cstr(value_get_text(name), "c!"));
    value there = template_find_condition(&e, number_of(t, "resources.t_1"));
    assert_true(there.kind == VALUE_BOOL && !there.boolean);
    there = template_find_condition(&e, number_of(t, "resources.t_0"));
    assert_true(there.kind == VALUE_BOOL && there.boolean);
    harness_fini(&h);
}

/* A reference with an index uses that instance only, dependsOn the whole. */
static void test_template_edges(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {0};
    const struct template *t = expand(&h, templates, &e);
    assert_int_equal(get(t, "resources.before")->use_count, 1);
    assert_int_equal(count_uses(t, "resources.before", "resources.t_1", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "resources.u_2", "resources.t_0", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "resources.u_2", "resources.t_2", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "resources.u_2", "resources.t_1", EDGE_REFERENCE), 0);
    assert_int_equal(count_uses(t, "resources.u_2", "resources.t", EDGE_DEPENDS_ON), 1);
    assert_int_equal(count_uses(t, "resources.t", "values.list", EDGE_REFERENCE), 1);
    assert_int_equal(get(t, "resources.t")->use_count, 1);
    harness_fini(&h);
}

static const char *const children =
    "version: 2025-11-02\n"
    "variables: {many: {type: string, default: '[\"p\",\"q\"]'}}\n"
    "include:\n"
    "  core: {path: core.yaml, variables: {names: \"${variables.many}\", from: \"${r.spec.text}\"}}\n"
    "  more: {path: core.yaml, variables: {names: '[\"z\"]', from: \"${none}\", size: 2}}\n"
    "resources:\n"
    "  r: {type: test/plain, spec: {text: root}}\n"
    "  s: {type: test/plain, spec: {text: \"${children.core.all} ${children.more.all} ${children.core.size}\"}}\n"
    "exports:\n"
    "  inner: {type: string, field: children.core.deep}\n"
    "#--- core.yaml\n"
    "version: 2025-11-02\n"
    "variables:\n"
    "  names: {type: string}\n"
    "  from: {type: string, default: nobody}\n"
    "  size: {type: float, default: 1.5}\n"
    "values:\n"
    "  names: {type: array, value: \"${jsondecode(variables.names)}\"}\n"
    "  all: {type: string, value: \"${join(values.names, '+')} of ${variables.from}\"}\n"
    "include:\n"
    "  deep: {path: deep.yaml, variables: {x: \"${one[0].spec.text}\"}}\n"
    "resources:\n"
    "  one: {type: test/plain, each: \"${values.names}\", spec: {text: \"${elem} ${variables.from}\"}}\n"
    "exports:\n"
    "  all: {type: string, field: values.all}\n"
    "  size: {type: float, field: variables.size}\n"
    "  deep: {type: string, field: children.deep.x}\n"
    "#--- deep.yaml\n"
    "version: 2025-11-02\n"
    "variables: {x: {type: string}}\n"
    "resources: {d: {type: test/plain, spec: {text: \"<${variables.x}>\"}}}\n"
    "exports: {x: {type: string, field: d.spec.text}}\n";

/* Copies of one file have their own variables, instances and addresses. */
static void test_children(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {0};
    const struct template *t = expand(&h, children, &e);
    assert_value(&h, &e, "children.core/resources.one_1", "{\"text\":\"q root\"}");
    assert_value(&h, &e, "children.more/resources.one_0", "{\"text\":\"z nobody\"}");
    assert_value(&h, &e, "resources.s", "{\"text\":\"p+q of root z of nobody 1.5\"}");
    assert_value(&h, &e, "exports.inner", "\"<p root>\"");
    assert_value(&h, &e, "children.more/variables.size", "2.0"); /* BP-032 */
    assert_value(&h, &e, "children.core/children.deep/variables.x", "\"p root\"");
    assert_null(template_find(t, SV("children.more/resources.one_1")));
    const struct element *core = get(t, "children.core"), *deep = get(t, "children.core/children.deep");
    assert_int_equal(core->kind, ELEMENT_CHILD);
    uint32_t first = number_of(t, "children.core");
    assert_int_equal(t->elements[first + 1].group, first + 1);
    assert_int_equal(core->group_end, number_of(t, "children.more"));
    assert_int_equal(deep->group, first + 1);
    assert_int_equal(get(t, "children.core/children.deep/resources.d")->group,
                     number_of(t, "children.core/children.deep") + 1);
    assert_int_equal(get(t, "children.core/resources.one_1")->group, number_of(t, "children.core/resources.one") + 1);
    harness_fini(&h);
}

static void test_child_edges(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {0};
    const struct template *t = expand(&h, children, &e);
    assert_int_equal(count_uses(t, "resources.s", "children.core", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "resources.s", "children.core/exports.all", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "resources.s", "children.core/exports.size", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "resources.s", "children.core/exports.deep", EDGE_REFERENCE), 0);
    assert_int_equal(count_uses(t, "children.core", "resources.r", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "children.core/variables.from", "resources.r", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "children.core/children.deep", "children.core/resources.one_0", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "children.core/exports.all", "children.core/values.all", EDGE_REFERENCE), 1);
    harness_fini(&h);
}

/* 1.20: a blueprint as a resource, here several of it. */
static void test_blueprints_as_resources(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {0};
    const struct template *t = expand(&h,
                                      "version: 2025-11-02\n"
                                      "resources:\n"
                                      "  web:\n"
                                      "    type: lintel/blueprint\n"
                                      "    each: ${list(\"a\", \"b\", \"c\")}\n"
                                      "    condition: ${not(eq(elem, \"c\"))}\n"
                                      "    spec: {path: site.yaml, variables: {name: \"${elem}${i}\"}}\n"
                                      "  one: {type: lintel/blueprint, spec: {path: site.yaml, variables: {name: x}}}\n"
                                      "  user:\n"
                                      "    type: test/plain\n"
                                      "    spec:\n"
                                      "      text: ${web[1].state.url} ${one.spec.url} ${one.spec.path} "
                                      "${web[0].spec.variables.name} ${web[2].state.url}\n"
                                      "#--- site.yaml\n"
                                      "version: 2025-11-02\n"
                                      "variables: {name: {type: string}}\n"
                                      "resources: {r: {type: test/plain, spec: {text: \"at ${variables.name}\"}}}\n"
                                      "exports: {url: {type: string, field: r.spec.text}}\n",
                                      &e);
    assert_value(&h, &e, "resources.user", "{\"text\":\"at b1 at x site.yaml a0 \"}");
    assert_int_equal(get(t, "resources.web")->kind, ELEMENT_TEMPLATE);
    assert_int_equal(get(t, "resources.web_1")->kind, ELEMENT_CHILD);
    assert_int_equal(get(t, "resources.web_1/resources.r")->group, number_of(t, "resources.web_1") + 1);
    assert_int_equal(get(t, "resources.web")->group_end, number_of(t, "resources.one"));
    assert_int_equal(count_uses(t, "resources.user", "resources.web_1", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "resources.user", "resources.web_1/exports.url", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "resources.user", "resources.one/exports.url", EDGE_REFERENCE), 1);
    value there = template_find_condition(&e, number_of(t, "resources.web_2/resources.r"));
    assert_true(there.kind == VALUE_BOOL && !there.boolean);
    harness_fini(&h);
}

/* BP-164: every instance with a plain resource, instances of two templates in pairs. */
static void test_links(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {0};
    const struct template *t =
        expand(&h,
               "version: 2025-11-02\n"
               "values: {two: {type: array, value: [1, 2]}}\n"
               "resources:\n"
               "  app: {type: test/app, each: \"${values.two}\", spec: {}, linkSelector: {byLabel: {k: v}}}\n"
               "  user: {type: test/plain, spec: {text: \"${link(app[1], 'base_1').linkData.route}\"}}\n"
               "  one: {type: test/base, spec: {}, metadata: {labels: {k: v}, annotations: {base.owner: me}}}\n"
               "  base: {type: test/base, each: \"${values.two}\", spec: {}, metadata: {labels: {k: v}, annotations: "
               "{base.owner: me}}}\n",
               &e);
    const char *const wanted[] = {"links.app_0::one", "links.app_1::one", "links.app_0::base_0", "links.app_1::base_1"};
    assert_int_equal(t->link_count, 4);
    for (size_t i = 0; i < 4; i++) {
        uintptr_t number = (uintptr_t)map_find(&t->link_by_address, sv_from_cstr(wanted[i]));
        assert_true(number > 0);
        sv a = t->elements[t->links[number - 1].a].name;
        assert_true(sv_find(sv_from_cstr(wanted[i]), a) == 6);
    }
    assert_int_equal(count_uses(t, "resources.user", "links.app_1::base_1", EDGE_LINK), 1);
    assert_int_equal(count_uses(t, "resources.user", "resources.app_1", EDGE_REFERENCE), 1);
    assert_int_equal(count_uses(t, "resources.user", "resources.base_1", EDGE_REFERENCE), 1);
    harness_fini(&h);
}

/* --- data sources --- */

static const char *const with_data =
    "# schemas: types.yaml\n"
    "version: 2025-11-02\n"
    "include: {core: {path: core.yaml, variables: {id: one}}}\n"
    "datasources:\n"
    "  late: {type: x/net, filter: {field: id, operator: '=', search: '${r.spec.id}'}, exports: {id: {type: string}}}\n"
    "resources:\n"
    "  r: {type: test/thing, spec: {name: r}}\n"
    "  s: {type: test/plain, spec: {text: '${datasources.late.id}'}}\n"
    "#--- types.yaml\n"
    "datasources:\n"
    "  x/net:\n"
    "    schema: {type: object, attributes: {id: {type: string}, names: {type: array, items: {type: string}}}}\n"
    "    filterFields: {id: ['=']}\n"
    "#--- core.yaml\n"
    "version: 2025-11-02\n"
    "variables: {id: {type: string}}\n"
    "datasources:\n"
    "  net:\n"
    "    type: x/net\n"
    "    filter: {field: id, operator: '=', search: '${variables.id}'}\n"
    "    exports: {names: {type: array}, id: {type: string}}\n"
    "values:\n"
    "  second: {type: string, value: '${datasources.net.names[1]}'}\n"
    "  third: {type: string, value: '${datasources.net.names[2]}'}\n"
    "  none: {type: string, value: '<${datasources.net.id}>'}\n"
    "resources:\n"
    "  t: {type: test/plain, each: '${datasources.net.names}', spec: {text: "
    "'${elem}${values.second}${values.third}'}}\n"
    "  u: {type: test/plain, spec: {text: '${values.none}'}}\n";

struct asked {
    size_t count;
    sv address, search;
};

static value serve(void *user, struct evaluation *e, uint32_t element, const value *searches) {
    struct asked *a = user;
    a->count++;
    a->address = e->template->elements[element].address.text;
    a->search = value_get_text(searches[0]);
    const value names[] = {value_string(e->arena, SV("a")), value_string(e->arena, SV("b"))};
    struct map_builder map = {.arena = e->arena};
    map_add(&map, SV("names"), value_list_of(e->arena, names, 2));
    return map_done(&map);
}

/* BP-110: what is known is asked for, by the address of the copy, for `each` and for all others. */
static void test_data_sources(void **state) {
    (void)state;
    struct harness h;
    struct asked asked = {0};
    harness_init(&h, &test_providers);
    harness_load_source(&h, sources_add(&h.sources, SV("t.yaml"), sv_from_cstr(with_data)));
    assert_int_equal(h.diags.errors, 0);
    const struct evaluation_request world = {.limits = &h.limits};
    struct expand_request r = {
        .arena = &h.arena, .diags = &h.diags, .world = world, .demand_data = serve, .user = &asked};
    const struct template *t = template_expand(h.template, &r);
    assert_non_null(t);
    assert_int_equal(asked.count, 1);
    assert_true(sv_eq_cstr(asked.address, "children.core/datasources.net"));
    assert_true(sv_eq_cstr(asked.search, "one"));
    struct evaluation e = {.template = t, .arena = &h.arena, .diags = &h.diags, .demand_data = serve, .user = &asked};
    t->ops->start_evaluation(t, &e, &world);
    assert_value(&h, &e, "children.core/values.second", "\"b\"");
    assert_value(&h, &e, "children.core/values.none", "\"<>\""); /* BP-109: no data gives none */
    assert_int_equal(asked.count, 2);
    assert_true(sv_eq_cstr(asked.address, "children.core/datasources.net"));
    assert_value(&h, &e, "resources.s", "{\"text\":{\"$lintel\":\"unknown\"}}"); /* its search is not known */
    assert_int_equal(asked.count, 2);
    assert_value(&h, &e, "children.core/values.third", "error");
    assert_int_equal(h.diags.items.items[h.diags.items.len - 1]->code, DIAG_data_source_prop_array_index_out_of_bounds);
    harness_fini(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_template_edges),
        cmocka_unit_test(test_children),
        cmocka_unit_test(test_child_edges),
        cmocka_unit_test(test_blueprints_as_resources),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_data_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
