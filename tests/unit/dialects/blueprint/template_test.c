/* The template that the dialect hands over (model/template.h): elements, edges, links, and how an evaluation asks back.
 */
#include "lang/blueprint/harness.h"
#include "lang/blueprint/test_provider.h"
#include "model/schema.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static const struct template *load(struct harness *h, const char *text) {
    harness_init(h, &test_providers);
    harness_load_source(h, sources_add(&h->sources, SV("t.yaml"), sv_from_cstr(text)));
    for (size_t i = 0; i < h->diags.items.len; i++) {
        print_message("# %s\n", h->diags.items.items[i]->message.data);
    }
    assert_int_equal(h->diags.errors, 0);
    assert_non_null(h->template);
    return h->template;
}

static const char *const sample =
    "version: 2025-11-02\n"
    "variables: {v: {type: string, default: x}, s: {type: string, secret: true}}\n"
    "values:\n"
    "  w: {type: string, value: '${a.spec.name}${variables.v}'}\n"
    "resources:\n"
    "  a: {type: test/thing, spec: {name: '${variables.v}${variables.v}'}}\n"
    "  b: {type: test/thing, spec: {name: '${values.w}', code: '${a}'},\n"
    "      dependsOn: [a, a], removalPolicy: retain, description: 'about ${a.state.id}'}\n"
    "exports:\n"
    "  e: {type: string, field: b.spec.id, description: text}\n";

static const struct element *get(const struct template *t, const char *address) {
    const struct element *e = map_find(&t->by_address, sv_from_cstr(address));
    assert_non_null(e);
    return e;
}

static void test_elements(void **state) {
    (void)state;
    struct harness h;
    const struct template *t = load(&h, sample);
    assert_int_equal(t->element_count, 6);
    const struct element *b = get(t, "resources.b");
    assert_int_equal(b->kind, ELEMENT_RESOURCE);
    assert_int_equal(b->removal, REMOVAL_RETAIN);
    assert_int_equal(get(t, "resources.a")->removal, REMOVAL_DELETE);
    assert_true(sv_eq_cstr(b->type_text, "test/thing"));
    assert_non_null(b->resource_type);
    assert_non_null(b->description_expr);
    assert_true(sv_eq_cstr(get(t, "exports.e")->field_text, "b.spec.id"));
    assert_true(sv_eq_cstr(get(t, "exports.e")->description, "text"));
    assert_true(get(t, "variables.s")->secret);
    assert_null(get(t, "variables.s")->expr);
    assert_true(t->policies.late_removals && t->policies.create_before_destroy);
    harness_fini(&h);
}

static void assert_use(const struct template *t, const struct element *e, size_t at, const char *to,
                       enum edge_kind kind) {
    assert_true(at < e->use_count);
    assert_true(sv_eq_cstr(t->elements[e->uses[at].to].address.text, to));
    assert_int_equal(e->uses[at].kind, kind);
    assert_true(e->uses[at].direct);
}

/* No duplicates per target and kind, in the order of the text. */
static void test_edges(void **state) {
    (void)state;
    struct harness h;
    const struct template *t = load(&h, sample);
    const struct element *a = get(t, "resources.a"), *b = get(t, "resources.b");
    assert_int_equal(a->use_count, 1);
    assert_use(t, a, 0, "variables.v", EDGE_REFERENCE);
    assert_int_equal(b->use_count, 3);
    assert_use(t, b, 0, "resources.a", EDGE_REFERENCE);
    assert_use(t, b, 1, "values.w", EDGE_REFERENCE);
    assert_use(t, b, 2, "resources.a", EDGE_DEPENDS_ON);
    assert_use(t, get(t, "exports.e"), 0, "resources.b", EDGE_REFERENCE);
    harness_fini(&h);
}

static void test_links(void **state) {
    (void)state;
    struct harness h;
    const struct template *t = load(
        &h, "version: 2025-11-02\n"
            "resources:\n"
            "  app: {type: test/app, spec: {}, linkSelector: {byLabel: {k: v}, exclude: b2}}\n"
            "  b1: {type: test/base, spec: {}, metadata: {labels: {k: v}, annotations: {base.owner: me}}}\n"
            "  other: {type: test/app, spec: {}, linkSelector: {byLabel: {k: v}}}\n"
            "  b2: {type: test/base, spec: {}, metadata: {labels: {k: v, z: y}, annotations: {base.owner: me}}}\n");
    const char *const wanted[] = {"links.app::b1", "links.other::b1", "links.other::b2"};
    assert_int_equal(t->link_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(sv_eq_cstr(t->links[i].address.text, wanted[i]));
        assert_non_null(t->links[i].type);
    }
    assert_int_equal(t->links[0].a, 0);
    assert_int_equal(t->links[0].b, 1);
    harness_fini(&h);
}

/* --- evaluation with an engine that answers --- */

struct engine {
    size_t asked;
};

static value answer(void *user, struct evaluation *e, uint32_t number, bool state) {
    struct engine *engine = user;
    engine->asked++;
    struct map_builder computed = {.arena = e->arena};
    map_add(&computed, SV("id"), value_string(e->arena, state ? SV("stored") : SV("made")));
    return state ? map_done(&computed) : schema_merge(e->arena, e->cells[number].main.result, map_done(&computed));
}

static value evaluate(struct evaluation *e, const char *address) {
    const struct element *element = get(e->template, address);
    return eval_cell(e->evaluator, &e->cells[element - e->template->elements].main);
}

static void assert_text(struct harness *h, value v, const char *json) {
    sv text = value_print_json(&h->arena, v, 0, REDACT);
    assert_string_equal(arena_copy_cstr(&h->arena, text), json);
}

static void test_engine_answers(void **state) {
    (void)state;
    struct harness h;
    struct engine engine = {0};
    struct evaluation e = {
        .template = load(&h, sample), .arena = &h.arena, .diags = &h.diags, .demand_resource = answer, .user = &engine};
    e.template->ops->start_evaluation(e.template, &e, &(const struct evaluation_request){.limits = &h.limits});
    assert_text(&h, evaluate(&e, "exports.e"), "\"made\"");
    assert_text(&h, evaluate(&e, "resources.b"), "{\"name\":\"xxx\",\"code\":\"made\",\"size\":3}");
    const struct element *b = get(e.template, "resources.b");
    assert_text(&h, eval_cell(e.evaluator, e.cells[b - e.template->elements].description), "\"about stored\"");
    assert_int_equal(engine.asked, 3); /* a and b for what they have, a for its state: once each */
    harness_fini(&h);
}

/* A cell that was set before is taken as it is. */
static void test_cells_set_before(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {.template = load(&h, sample), .arena = &h.arena, .diags = &h.diags};
    e.template->ops->start_evaluation(e.template, &e, &(const struct evaluation_request){.limits = &h.limits});
    struct map_builder made = {.arena = &h.arena};
    map_add(&made, SV("name"), value_string(&h.arena, SV("n")));
    map_add(&made, SV("id"), value_string(&h.arena, SV("iii")));
    e.cells[get(e.template, "resources.a") - e.template->elements].merged = map_done(&made);
    assert_text(&h, evaluate(&e, "values.w"), "\"nx\"");
    assert_text(&h, evaluate(&e, "resources.b"), "{\"name\":\"nx\",\"code\":\"iii\",\"size\":3}");
    harness_fini(&h);
}

/* Without an engine computed fields are unknown of their type. */
static void test_unknowns(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {.template = load(&h, sample), .arena = &h.arena, .diags = &h.diags};
    e.template->ops->start_evaluation(e.template, &e, &(const struct evaluation_request){.limits = &h.limits});
    value v = evaluate(&e, "exports.e");
    assert_int_equal(v.kind, VALUE_UNKNOWN);
    assert_int_equal(v.type->kind, TYPE_STRING);
    value secret = evaluate(&e, "variables.s");
    assert_int_equal(secret.kind, VALUE_UNKNOWN);
    assert_true(value_is_sensitive(secret));
    harness_fini(&h);
}

/* What only now became known is checked in full, at its place. */
static void test_recheck(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {.template = load(&h, sample), .arena = &h.arena, .diags = &h.diags};
    const struct template *t = e.template;
    t->ops->start_evaluation(t, &e, &(const struct evaluation_request){.limits = &h.limits});
    uint32_t number = (uint32_t)(get(t, "resources.b") - t->elements);
    struct map_builder spec = {.arena = &h.arena};
    map_add(&spec, SV("name"), value_int(5));
    map_add(&spec, SV("ratio"), value_int(2));
    map_add(&spec, SV("password"), value_string(&h.arena, SV("pw")));
    assert_text(&h, t->ops->recheck_spec(t, &e, number, map_done(&spec)),
                "{\"name\":\"5\",\"ratio\":2.0,\"password\":\"(sensitive)\",\"size\":3}");
    struct map_builder bad = {.arena = &h.arena};
    map_add(&bad, SV("name"), value_string(&h.arena, SV("n")));
    map_add(&bad, SV("code"), value_string(&h.arena, SV("NO")));
    assert_int_equal(t->ops->recheck_spec(t, &e, number, map_done(&bad)).kind, VALUE_ERROR);
    const struct diag *d = h.diags.items.items[h.diags.items.len - 1];
    assert_int_equal(d->code, DIAG_resource_def_pattern_constraint_failure);
    assert_true(sv_eq_cstr(d->path, "resources.b.spec.code"));
    assert_int_equal(source_get_pos(h.source, d->at.offset).line, 7);
    harness_fini(&h);
}

/* --- what is reported beside code and place --- */

static void test_paths_and_groups(void **state) {
    (void)state;
    struct harness h;
    const char *text = "version: 2025-11-02\n"
                       "variables: {v: {type: nothing}}\n"
                       "values: {a.b: {type: array, value: [1, '${values.x}']}}\n"
                       "resources:\n"
                       "  r: {type: test/thing, spec: {name: x, tags: {odd.key: '${lne(1)}'}}}\n"
                       "exports: {e: {type: string, field: variables.zz}}\n";
    harness_init(&h, &test_providers);
    harness_load_source(&h, sources_add(&h.sources, SV("t.yaml"), sv_from_cstr(text)));
    diags_sort(&h.diags);
    static const struct {
        const char *path, *group;
    } wanted[] = {
        {"variables.v", "variable_validation_errors"},
        {"values[\"a.b\"].value[1]", ""},
        {"resources.r.spec.tags[\"odd.key\"]", "resource_validation_errors"},
        {"exports.e.field", "export_validation_errors"},
    };
    assert_int_equal(h.diags.items.len, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(arena_copy_cstr(&h.arena, h.diags.items.items[i]->path), wanted[i].path);
        assert_string_equal(arena_copy_cstr(&h.arena, h.diags.items.items[i]->group), wanted[i].group);
    }
    harness_fini(&h);
}

/* What fails in evaluation belongs to the element whose expression it is, not to those that use it. */
static void test_path_of_failure(void **state) {
    (void)state;
    struct harness h;
    struct evaluation e = {
        .template = load(&h, "version: 2025-11-02\n"
                             "values:\n"
                             "  inner: {type: string, value: \"${substr('a', 2)}\"}\n"
                             "  outer: {type: string, value: \"${values.inner}\"}\n"
                             "resources:\n"
                             "  r: {type: test/plain, spec: {text: \"${values.outer} ${jsondecode('5').x}\"}}\n"),
        .arena = &h.arena,
        .diags = &h.diags};
    e.template->ops->start_evaluation(e.template, &e, &(const struct evaluation_request){.limits = &h.limits});
    assert_int_equal(evaluate(&e, "resources.r").kind, VALUE_ERROR);
    assert_int_equal(h.diags.errors, 1);
    assert_true(sv_eq_cstr(h.diags.items.items[0]->path, "values.inner"));
    harness_fini(&h);
}

/* BP-304: --strict raises unknown keys. */
static void test_strict(void **state) {
    (void)state;
    struct harness h;
    harness_init(&h, &test_providers);
    h.diags.strict = true;
    const char *text = "version: 2025-11-02\nresources: {r: {type: test/plain, spec: {}, x: 1}}\n";
    harness_load_source(&h, sources_add(&h.sources, SV("t.yaml"), sv_from_cstr(text)));
    assert_int_equal(h.diags.errors, 1);
    harness_fini(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_engine_answers),
        cmocka_unit_test(test_cells_set_before),
        cmocka_unit_test(test_unknowns),
        cmocka_unit_test(test_recheck),
        cmocka_unit_test(test_paths_and_groups),
        cmocka_unit_test(test_path_of_failure),
        cmocka_unit_test(test_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
