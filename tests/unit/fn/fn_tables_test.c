/* The tables: sorted, complete, without two functions of one name; and what is printed from them. */
#include "fn/fn.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* FN-001: every function of chapter 4. */
static const char *const core[] = {
    "abs",          "and",          "base64decode",
    "base64encode", "cidrsubnet",   "coalesce",
    "compose",      "contains",     "contains_g",
    "cwd",          "datetime",     "eq",
    "file",         "filter",       "first",
    "flatmap",      "fromjson",     "fromjson_g",
    "ge",           "getattr",      "getelem",
    "gt",           "has_prefix",   "has_prefix_g",
    "has_suffix",   "has_suffix_g", "http_resource",
    "if",           "index",        "join",
    "jsondecode",   "keys",         "last_index",
    "le",           "len",          "link",
    "list",         "lookup",       "lt",
    "map",          "max",          "md5",
    "min",          "not",          "object",
    "or",           "pipe",         "reduce",
    "replace",      "replace_g",    "sha1",
    "sha256",       "sort",         "split",
    "split_g",      "substr",       "substr_g",
    "to_lower",     "to_upper",     "trim",
    "trimprefix",   "trimprefix_g", "trimsuffix",
    "trimsuffix_g", "utf8",         "uuid",
    "vals",
};

static size_t count_defs(void) {
    size_t count = 0;
    for (size_t i = 0; i < fn_core_registry.count; i++) {
        count += fn_core_registry.tables[i]->count;
    }
    return count;
}

static void test_core_is_complete(void **state) {
    (void)state;
    assert_int_equal(sizeof core / sizeof *core, 67);
    assert_int_equal(count_defs(), 67);
    for (size_t i = 0; i < sizeof core / sizeof *core; i++) {
        assert_non_null(fn_find(&fn_core_registry, sv_from_cstr(core[i])));
    }
}

static void test_tables_are_sorted(void **state) {
    (void)state;
    for (size_t i = 0; i < fn_core_registry.count; i++) {
        const struct fn_table *t = fn_core_registry.tables[i];
        for (size_t k = 1; k < t->count; k++) {
            assert_true(sv_cmp(t->defs[k - 1]->name, t->defs[k]->name) < 0);
        }
    }
}

static void test_entries_are_documented(void **state) {
    (void)state;
    for (size_t i = 0; i < fn_core_registry.count; i++) {
        for (size_t k = 0; k < fn_core_registry.tables[i]->count; k++) {
            const struct fn_def *f = fn_core_registry.tables[i]->defs[k];
            bool has_example = f->example.len > 0 || (f->flags & (FN_HOST | FN_SYNTACTIC)) != 0;
            assert_true(sv_has_prefix(f->rule, SV("FN-")) && f->family.len > 0 && f->summary.len > 0 && has_example);
            assert_non_null(f->call);
            assert_non_null(f->result);
        }
    }
}

static void test_docs(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf out = BUF(&a);
    fn_render_docs(&out, &fn_core_registry);
    sv text = buf_get_sv(&out);
    assert_true(sv_find(text, SV("### substr\n\n`substr(string text, integer start, integer end?) → string`")) !=
                SIZE_MAX);
    assert_true(sv_find(text, SV("`trim(\"  x \")` gives `x`")) != SIZE_MAX);
    arena_fini(&a);
}

static void test_json(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf out = BUF(&a);
    struct jsonw w = JSONW(&out, 0);
    fn_write_json(&w, &fn_core_registry, fn_find(&fn_core_registry, SV("uuid")));
    assert_true(
        sv_has_prefix(buf_get_sv(&out), SV("[{\"name\":\"uuid\",\"rule\":\"FN-222\",\"family\":\"Environment\"")));
    assert_true(sv_find(buf_get_sv(&out), SV("\"supported\":true")) != SIZE_MAX);
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core_is_complete),
        cmocka_unit_test(test_tables_are_sorted),
        cmocka_unit_test(test_entries_are_documented),
        cmocka_unit_test(test_docs),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
