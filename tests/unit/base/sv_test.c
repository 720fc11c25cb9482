#include "unit/base/check.h"

static void test_equality_looks_at_bytes(void **state) {
    (void)state;
    assert_true(sv_eq(SV("ab"), sv_make("abc", 2)));
    assert_true(sv_eq((sv){0}, SV("")));
    assert_false(sv_eq(SV("ab"), SV("aB")));
    assert_false(sv_eq(sv_make("a\0b", 3), sv_make("a\0c", 3)));
    assert_true(sv_eq_cstr(SV("ab"), "ab"));
    assert_false(sv_eq_cstr(sv_make("ab\0", 3), "ab"));
    assert_true(sv_eq_cstr((sv){0}, ""));
}

static void test_equality_without_case_is_for_ascii(void **state) {
    (void)state;
    assert_true(sv_eq_nocase(SV("aZ09_"), SV("Az09_")));
    assert_false(sv_eq_nocase(SV("@["), SV("`{")));             /* 32 apart, but no letters */
    assert_false(sv_eq_nocase(SV("\xC3\xA4"), SV("\xC3\x84"))); /* a and A with dots */
    assert_false(sv_eq_nocase(SV("a"), SV("ab")));
}

static void test_order_is_by_bytes_then_length(void **state) {
    (void)state;
    assert_true(sv_cmp(SV("a"), SV("b")) < 0);
    assert_true(sv_cmp(SV("ab"), SV("a")) > 0);
    assert_true(sv_cmp((sv){0}, SV("a")) < 0);
    assert_true(sv_cmp(SV("a"), SV("\xC3\xA4")) < 0);
    assert_int_equal(sv_cmp(SV("a"), SV("a")), 0);
    assert_int_equal(sv_cmp((sv){0}, (sv){0}), 0);
}

static void test_prefix_and_suffix(void **state) {
    (void)state;
    assert_true(sv_has_prefix(SV("abc"), SV("ab")));
    assert_true(sv_has_prefix(SV("abc"), (sv){0}));
    assert_false(sv_has_prefix(SV("ab"), SV("abc")));
    assert_true(sv_has_suffix(SV("abc"), SV("bc")));
    assert_true(sv_has_suffix(SV("abc"), SV("abc")));
    assert_false(sv_has_suffix(SV("abc"), SV("ab")));
    assert_true(sv_has_suffix((sv){0}, (sv){0}));
}

static void test_find(void **state) {
    (void)state;
    assert_int_equal(sv_find(SV("abcabc"), SV("ca")), 2);
    assert_int_equal(sv_find(SV("abc"), (sv){0}), 0);
    assert_true(sv_find(SV("abc"), SV("abcd")) == SIZE_MAX);
    assert_true(sv_find((sv){0}, SV("a")) == SIZE_MAX);
    assert_int_equal(sv_find_char(SV("abab"), 'b'), 1);
    assert_int_equal(sv_rfind_char(SV("abab"), 'b'), 3);
    assert_true(sv_find_char((sv){0}, 'b') == SIZE_MAX);
    assert_true(sv_rfind_char(SV("abab"), 'c') == SIZE_MAX);
}

static void test_slices_are_clamped(void **state) {
    (void)state;
    CHECK_SV(sv_slice(SV("abc"), 1, 2), "b");
    CHECK_SV(sv_slice(SV("abc"), 1, 99), "bc");
    CHECK_SV(sv_slice(SV("abc"), 2, 1), "");
    CHECK_SV(sv_slice(SV("abc"), 99, 100), "");
    CHECK_SV(sv_slice((sv){0}, 0, 1), "");
}

static void test_trim(void **state) {
    (void)state;
    CHECK_SV(sv_trim(SV(" \t\r\na b\n ")), "a b");
    CHECK_SV(sv_trim(SV(" \n")), "");
    CHECK_SV(sv_trim((sv){0}), "");
    CHECK_SV(sv_trim(SV("\va\v")), "\va\v");
}

static void test_cut_walks_the_parts(void **state) {
    (void)state;
    sv rest = SV("a,,b");
    CHECK_SV(sv_cut(&rest, ','), "a");
    CHECK_SV(sv_cut(&rest, ','), "");
    CHECK_SV(rest, "b");
    CHECK_SV(sv_cut(&rest, ','), "b");
    CHECK_SV(rest, "");
    CHECK_SV(sv_cut(&rest, ','), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equality_looks_at_bytes),
        cmocka_unit_test(test_equality_without_case_is_for_ascii),
        cmocka_unit_test(test_order_is_by_bytes_then_length),
        cmocka_unit_test(test_prefix_and_suffix),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_slices_are_clamped),
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_cut_walks_the_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
