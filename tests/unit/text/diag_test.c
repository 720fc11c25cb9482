#include "text/diag.h"
#include "unit/text/fixture.h"

static struct diag *add(struct fixture *f, enum diag_code code, const struct source *s, size_t offset, size_t length) {
    return diags_add(&f->diags, code, span_make(s, offset, length), "message");
}

static void test_codes_are_sorted_and_found(void **state) {
    (void)state;
    for (int code = 1; code < DIAG_CODE_COUNT; code++) {
        const struct diag_info *info = diag_get_info((enum diag_code)code);
        assert_true(info->name.len > 0 && info->title.len > 0 && info->level != 0);
        assert_int_equal(diag_find_code(info->name), code);
        assert_true(code == 1 || sv_cmp(diag_get_info((enum diag_code)(code - 1))->name, info->name) < 0);
        assert_true(!info->strict_error || info->level == DIAG_WARNING);
    }
    assert_int_equal(diag_find_code(SV("no_such_code")), DIAG_NO_CODE);
    assert_int_equal(diag_find_code((sv){0}), DIAG_NO_CODE);
    CHECK_SV(diag_get_info(DIAG_unknown_key)->name, "unknown_key");
}

static void test_bp_304_strict_raises_two_codes(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "a", "text");
    assert_int_equal(add(&f, DIAG_unknown_key, s, 0, 1)->level, DIAG_WARNING);
    f.diags.strict = true;
    assert_int_equal(add(&f, DIAG_unknown_key, s, 1, 1)->level, DIAG_ERROR);
    assert_int_equal(add(&f, DIAG_include_unknown_variable, s, 1, 1)->level, DIAG_ERROR);
    assert_int_equal(add(&f, DIAG_unused_element, s, 1, 1)->level, DIAG_WARNING);
    assert_int_equal(add(&f, DIAG_export_omitted, s, 1, 1)->level, DIAG_INFO);
    size_t raised = 0;
    for (int code = 1; code < DIAG_CODE_COUNT; code++) { /* of the blueprint's: others have rules of their own */
        const struct diag_info *info = diag_get_info((enum diag_code)code);
        bool is_other = sv_has_prefix(info->name, SV("cfn_")) || sv_has_prefix(info->name, SV("module_"));
        raised += info->strict_error && !is_other;
    }
    assert_int_equal(raised, 2);
    assert_int_equal(f.diags.errors, 2);
    assert_int_equal(f.diags.warnings, 2);
    fixture_fini(&f);
}

static void test_bp_303_equal_code_and_span_once(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "a", "text");
    struct diag *first = add(&f, DIAG_invalid_value, s, 0, 2);
    struct diag *again = add(&f, DIAG_invalid_value, s, 0, 2);
    assert_non_null(again);
    assert_ptr_not_equal(again, first);
    diag_set_hint(&f.diags, again, "a hint that goes nowhere"); /* harmless */
    diag_add_related(&f.diags, again, SPAN_NONE, "nowhere");
    add(&f, DIAG_invalid_value, s, 0, 3);
    add(&f, DIAG_invalid_value, s, 1, 2);
    add(&f, DIAG_invalid_map, s, 0, 2);
    assert_int_equal(f.diags.items.len, 4);
    assert_int_equal(f.diags.errors, 4);
    assert_int_equal(first->hint.len, 0);
    assert_int_equal(first->related.len, 0);
    fixture_fini(&f);
}

static void test_without_place_the_message_tells_apart(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    diags_add(&f.diags, DIAG_required_variable_missing, SPAN_NONE, "variable '%s' has no value", "a");
    diags_add(&f.diags, DIAG_required_variable_missing, SPAN_NONE, "variable '%s' has no value", "b");
    diags_add(&f.diags, DIAG_required_variable_missing, SPAN_NONE, "variable '%s' has no value", "a");
    assert_int_equal(f.diags.items.len, 2);
    fixture_fini(&f);
}

static void test_bp_313_foreign_codes(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "a", "text");
    span at = span_make(s, 0, 1);
    struct diag *d = diags_add_foreign(&f.diags, DIAG_provider_error, SV("bad_port"), at, "port %d", 0);
    diags_add_foreign(&f.diags, DIAG_provider_error, SV("bad_host"), at, "host");
    diags_add_foreign(&f.diags, DIAG_provider_error, SV("bad_host"), at, "host");
    assert_int_equal(f.diags.items.len, 2);
    CHECK_SV(diag_get_code_name(d), "bad_port");
    CHECK_SV(d->message, "port 0");
    diags_sort(&f.diags);
    CHECK_SV(diag_get_code_name(f.diags.items.items[0]), "bad_host");
    fixture_fini(&f);
}

static void test_bp_303_order(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *root = fixture_add_source(&f, "z-root", "line one\nline two\n");
    struct source *child = fixture_add_source(&f, "a-child", "text");
    struct diag *want[7];
    want[6] = diags_add(&f.diags, DIAG_usage_error, SPAN_NONE, "no place");
    want[5] = add(&f, DIAG_invalid_map, child, 0, 1);
    want[4] = add(&f, DIAG_invalid_map, root, 10, 1);
    want[2] = add(&f, DIAG_invalid_map, root, 3, 1);
    want[3] = add(&f, DIAG_invalid_value, root, 3, 1);
    want[0] = add(&f, DIAG_unknown_key, root, 0, 4);
    want[1] = add(&f, DIAG_unknown_key, root, 0, 2); /* equal in order: as created */
    diags_sort(&f.diags);
    assert_int_equal(f.diags.items.len, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_ptr_equal(f.diags.items.items[i], want[i]);
    }
    fixture_fini(&f);
}

static void test_sorting_is_stable_for_any_number(void **state) {
    (void)state;
    for (size_t count = 0; count < 70; count++) {
        struct fixture f;
        fixture_init(&f);
        struct source *s = fixture_add_source(&f, "a", "0123456789");
        uint64_t random = count;
        for (size_t i = 0; i < count; i++) {
            sv code = arena_printf(&f.arena, "code_%zu", i); /* told apart until it is kept */
            struct diag *d = diags_add_foreign(&f.diags, DIAG_invalid_value, code, span_make(s, 0, 0), "m");
            d->foreign_code = SV("same");
            d->at.offset = next_random(&random) % 5;
            d->message = arena_printf(&f.arena, "%02zu", i);
        }
        diags_sort(&f.diags);
        assert_int_equal(f.diags.items.len, count);
        for (size_t i = 1; i < count; i++) {
            const struct diag *a = f.diags.items.items[i - 1];
            const struct diag *b = f.diags.items.items[i];
            assert_true(a->at.offset < b->at.offset ||
                        (a->at.offset == b->at.offset && sv_cmp(a->message, b->message) < 0));
        }
        fixture_fini(&f);
    }
}

static void test_bp_305_result_code(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "a", "text");
    CHECK_SV(diags_get_result_code(&f.diags, false), "");
    add(&f, DIAG_unknown_key, s, 0, 1);
    CHECK_SV(diags_get_result_code(&f.diags, false), ""); /* a warning fails nothing */
    assert_false(diags_has_errors(&f.diags));
    add(&f, DIAG_invalid_value, s, 0, 1);
    CHECK_SV(diags_get_result_code(&f.diags, false), "invalid_value");
    CHECK_SV(diags_get_result_code(&f.diags, true), "invalid_value");
    assert_true(diags_has_errors(&f.diags));
    add(&f, DIAG_invalid_map, s, 0, 1);
    CHECK_SV(diags_get_result_code(&f.diags, false), "multiple_validation_errors");
    CHECK_SV(diags_get_result_code(&f.diags, true), "multiple_run_errors");
    fixture_fini(&f);
}

/* LC-080: more are counted, not kept, and memory stays bounded. */
static void test_limit(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.diags.limit = 3;
    struct source *s = fixture_add_source(&f, "a", "text");
    for (size_t i = 0; i < 100; i++) {
        diags_add(&f.diags, DIAG_unused_element, SPAN_NONE, "warning %zu", i);
    }
    struct diag *error = add(&f, DIAG_invalid_value, s, 0, 1); /* warnings do not push an error out */
    assert_ptr_equal(f.diags.items.items[3], error);
    CHECK_SV(diags_get_result_code(&f.diags, false), "invalid_value");
    for (size_t i = 0; i < 10; i++) {
        diags_add(&f.diags, DIAG_invalid_value, SPAN_NONE, "error %zu", i);
    }
    size_t used = f.arena.total;
    for (size_t i = 0; i < 100000; i++) {
        struct diag *d = diags_add(&f.diags, DIAG_invalid_value, SPAN_NONE, "more %zu", i);
        assert_non_null(d);
        diag_set_hint(&f.diags, d, "hint %zu", i);
    }
    assert_int_equal(f.arena.total, used);
    assert_int_equal(f.diags.items.len, 6);
    assert_int_equal(f.diags.errors, 100011);
    assert_int_equal(f.diags.warnings, 100);
    fixture_fini(&f);
}

static void test_the_limit_by_default(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < 1500; i++) {
        diags_add(&f.diags, DIAG_invalid_value, SPAN_NONE, "error %zu", i);
    }
    assert_int_equal(f.diags.items.len, 1000);
    assert_int_equal(f.diags.errors, 1500);
    fixture_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_are_sorted_and_found),
        cmocka_unit_test(test_bp_304_strict_raises_two_codes),
        cmocka_unit_test(test_bp_303_equal_code_and_span_once),
        cmocka_unit_test(test_without_place_the_message_tells_apart),
        cmocka_unit_test(test_bp_313_foreign_codes),
        cmocka_unit_test(test_bp_303_order),
        cmocka_unit_test(test_sorting_is_stable_for_any_number),
        cmocka_unit_test(test_bp_305_result_code),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_the_limit_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
