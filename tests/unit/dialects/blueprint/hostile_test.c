/* Hostile blueprints: each ends soon, with one clear located error or none, and without more memory than its size calls
 * for (LC-080, BP-024). */
#include "lang/blueprint/harness.h"
#include "lang/blueprint/test_provider.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <time.h>

static const char *const head = "version: 2025-11-02\nresources:\n  r: {type: test/plain, spec: {text: \"";
static const char *const tail = "\"}}\n";

/* A blueprint whose only text is `piece` repeated between `before` and `after`. */
static void load_repeated(struct harness *h, const char *before, const char *piece, size_t count, const char *after) {
    harness_init(h, &test_providers);
    struct buf text = BUF(&h->arena);
    buf_append_cstr(&text, before);
    for (size_t i = 0; i < count; i++) {
        buf_append_cstr(&text, piece);
    }
    buf_append_cstr(&text, after);
    harness_load_source(h, sources_add(&h->sources, SV("hostile.yaml"), buf_get_sv(&text)));
}

static void assert_one_error(const struct harness *h, enum diag_code code) {
    assert_int_equal(h->diags.errors, 1);
    assert_int_equal(h->diags.items.items[0]->code, code);
    assert_int_not_equal(h->diags.items.items[0]->at.source, 0);
}

static void test_deep_data(void **state) {
    (void)state;
    struct harness h;
    load_repeated(&h, "version: 2025-11-02\nvalues:\n  v: {type: array, value: ", "[", 100000, "");
    assert_true(h.diags.errors >= 1);
    assert_int_equal(h.diags.items.items[0]->code, DIAG_limit_exceeded);
    harness_fini(&h);
}

static void test_deep_expression(void **state) { /* F77 */
    (void)state;
    struct harness h;
    load_repeated(&h, "version: 2025-11-02\nresources:\n  r: {type: test/plain, spec: {text: \"${", "not(", 100000,
                  "true\"}}\n");
    assert_one_error(&h, DIAG_limit_exceeded);
    harness_fini(&h);
}

static void test_large_scalar(void **state) {
    (void)state;
    struct harness h;
    load_repeated(&h, head, "0123456789abcdef", 10 << 16, tail);
    assert_int_equal(h.diags.errors, 0);
    assert_true(h.arena.total < (size_t)64 << 20);
    harness_fini(&h);
}

static void test_many_substitutions(void **state) {
    (void)state;
    struct harness h;
    load_repeated(&h, head, "${true}", 100000, tail);
    assert_int_equal(h.diags.errors, 0);
    harness_fini(&h);
}

static void test_many_steps(void **state) { /* F78 */
    (void)state;
    struct harness h;
    load_repeated(&h, "version: 2025-11-02\nresources:\n  r: {type: test/plain, spec: {text: '${jsondecode(\"{}\")",
                  ".a", 100000, "}'}}\n");
    assert_true(h.diags.errors <= 1);
    harness_fini(&h);
}

/* BP-015: aliases are refused before anything grows. */
static void test_billion_laughs(void **state) {
    (void)state;
    struct harness h;
    load_repeated(&h, "version: 2025-11-02\nvalues:\n  a: &a {type: array, value: [x]}\n  b: {type: array, value: [",
                  "*a,", 1000, "]}\nresources:\n  r: {type: test/plain, spec: {}}\n");
    assert_true(h.diags.errors > 0);
    for (size_t i = 0; i < h.diags.items.len; i++) {
        assert_int_equal(h.diags.items.items[i]->code, DIAG_yaml_unsupported_feature);
    }
    assert_true(h.arena.total < (size_t)8 << 20);
    harness_fini(&h);
}

/* Text that doubles with every value ends at the limit (FN-007), not with the memory. */
static void test_doubling(void **state) { /* F79 */
    (void)state;
    struct harness h;
    harness_init(&h, &test_providers);
    struct buf text = BUF(&h.arena);
    buf_append_cstr(&text, "version: 2025-11-02\nvalues:\n  v0: {type: string, value: aaaaaaaaaaaaaaaa}\n");
    for (int i = 1; i < 40; i++) {
        buf_printf(&text, "  v%d: {type: string, value: \"${values.v%d}${values.v%d}\"}\n", i, i - 1, i - 1);
    }
    buf_append_cstr(&text, "resources:\n  r: {type: test/plain, spec: {text: \"${values.v39}\"}}\n");
    harness_load_source(&h, sources_add(&h.sources, SV("hostile.yaml"), buf_get_sv(&text)));
    assert_int_equal(h.diags.errors, 0);
    struct evaluation e = {.template = h.template, .arena = &h.arena, .diags = &h.diags};
    e.template->ops->start_evaluation(e.template, &e, &(const struct evaluation_request){.limits = &h.limits});
    value v = eval_cell(e.evaluator, &e.cells[e.template->element_count - 1].main);
    assert_int_equal(v.kind, VALUE_ERROR);
    assert_one_error(&h, DIAG_limit_exceeded);
    assert_true(h.arena.total < (size_t)256 << 20);
    harness_fini(&h);
}

/* Places of mistakes are not sought from the start each time. */
static void test_many_wrong_fields(void **state) {
    (void)state;
    enum { FIELDS = 100000, SECONDS_MAX = 10 };
    struct harness h;
    harness_init(&h, &test_providers);
    struct buf text = BUF(&h.arena);
    buf_append_cstr(&text, "version: 2025-11-02\nresources:\n  r:\n    type: test/plain\n    spec:\n");
    for (int i = 0; i < FIELDS; i++) {
        buf_printf(&text, "      field%d: 1\n", i);
    }
    clock_t start = clock();
    harness_load_source(&h, sources_add(&h.sources, SV("hostile.yaml"), buf_get_sv(&text)));
    assert_true(clock() - start < SECONDS_MAX * CLOCKS_PER_SEC);
    assert_int_equal(h.diags.errors, FIELDS);
    assert_int_equal(source_get_pos(h.sources.items.items[0], h.diags.items.items[999]->at.offset).line, 1005);
    harness_fini(&h);
}

static void assert_load_fails(sv file, size_t limit, enum diag_code code) {
    struct harness h;
    harness_init(&h, &test_providers);
    h.limits.document_bytes = limit;
    struct load_request r = {.arena = &h.arena,
                             .sources = &h.sources,
                             .diags = &h.diags,
                             .limits = &h.limits,
                             .providers = &test_providers,
                             .file = file};
    assert_null(blueprint_load(&r));
    assert_int_equal(h.diags.errors, 1);
    assert_int_equal(h.diags.items.items[0]->code, code);
    harness_fini(&h);
}

/* BP-011, and files that are not there to be read. */
static void test_files(void **state) {
    (void)state;
    assert_load_fails(SV("blueprint.txt"), 1000, DIAG_invalid_spec_ext);
    assert_load_fails(SV("-"), 1000, DIAG_invalid_spec_ext);
    assert_load_fails(SV("/no/such/blueprint.yaml"), 1000, DIAG_file_not_readable);
    assert_load_fails(SV("/proc/self/maps.yaml"), 1000, DIAG_file_not_readable);
}

/* --- expanding --- */

static const struct template *load_and_expand(struct harness *h, sv text) {
    struct evaluation e = {0};
    harness_load_source(h, sources_add(&h->sources, SV("hostile.yaml"), text));
    return harness_evaluate(h, &e) ? h->expanded : NULL;
}

/* BP-152: at most 10 000 instances, whether they are known at once or only from an input. */
static void test_many_instances(void **state) {
    (void)state;
    static const char *const forms[] = {
        "version: 2025-11-02\nresources:\n  t: {type: test/plain, each: '${split(\"%s\", \",\")}', spec: {}}\n",
        "# staged\nversion: 2025-11-02\nvariables: {v: {type: string, default: '%s'}}\n"
        "resources:\n  t: {type: test/plain, each: \"${split(variables.v, ',')}\", spec: {}}\n"};
    for (size_t form = 0; form < 2; form++) {
        for (size_t extra = 0; extra < 2; extra++) {
            struct harness h;
            harness_init(&h, &test_providers);
            struct buf items = BUF(&h.arena), text = BUF(&h.arena);
            for (size_t i = 0; i + 1 < 10000 + extra; i++) {
                buf_append_cstr(&items, "x,");
            }
            const char *at = strchr(forms[form], '%');
            buf_append(&text, sv_make(forms[form], (size_t)(at - forms[form])));
            buf_append(&text, buf_get_sv(&items));
            buf_append_cstr(&text, at + 2);
            const struct template *t = load_and_expand(&h, buf_get_sv(&text));
            if (extra > 0) {
                assert_one_error(&h, DIAG_limit_exceeded);
            } else {
                assert_int_equal(h.diags.errors, 0);
                assert_int_equal(t->element_count, 10001 + form);
            }
            harness_fini(&h);
        }
    }
}

/* Instances of blueprints with instances of blueprints: the sum is bounded, too. */
static void test_multiplied_instances(void **state) {
    (void)state;
    struct harness h;
    harness_init(&h, &test_providers);
    h.limits.elements = 50000;
    struct buf text = BUF(&h.arena);
    buf_append_cstr(&text, "# staged\nversion: 2025-11-02\n"
                           "variables: {v: {type: string, default: 'x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x'}}\n");
    for (size_t i = 1; i < 8; i++) {
        buf_append(&text,
                   arena_printf(&h.arena,
                                "resources:\n  t: {type: lintel/blueprint, each: \"${split(variables.v, ',')}\", "
                                "spec: {path: %zu.yaml, variables: {v: \"${variables.v}\"}}}\n",
                                i));
        buf_append(&text,
                   arena_printf(&h.arena, "#--- %zu.yaml\nversion: 2025-11-02\nvariables: {v: {type: string}}\n", i));
    }
    buf_append_cstr(&text, "resources: {r: {type: test/plain, spec: {text: \"${variables.v}\"}}}\n");
    assert_null(load_and_expand(&h, buf_get_sv(&text)));
    assert_int_equal(h.diags.errors, 1);
    assert_int_equal(h.diags.items.items[0]->code, DIAG_limit_exceeded);
    harness_fini(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deep_data),
        cmocka_unit_test(test_deep_expression),
        cmocka_unit_test(test_large_scalar),
        cmocka_unit_test(test_many_substitutions),
        cmocka_unit_test(test_many_steps),
        cmocka_unit_test(test_billion_laughs),
        cmocka_unit_test(test_doubling),
        cmocka_unit_test(test_many_wrong_fields),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_many_instances),
        cmocka_unit_test(test_multiplied_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
