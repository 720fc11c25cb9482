/* Differences of two texts, and that time stays bounded. */
#include "text/diff.h"
#include "unit/base/check.h"

static void expect(const char *before, const char *after, const char *wanted) {
    struct arena arena = {0};
    struct buf out = BUF(&arena);
    diff_render(&out, SV("f"), sv_from_cstr(before), sv_from_cstr(after));
    CHECK_SV(buf_get_sv(&out), wanted);
    arena_fini(&arena);
}

static void test_equal_texts_have_none(void **state) {
    (void)state;
    expect("", "", "");
    expect("a\nb\n", "a\nb\n", "");
}

static void test_hunks_with_context(void **state) {
    (void)state;
    expect("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
           "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    expect("", "a\n", "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
    expect("a\n", "", "--- f\n+++ f\n@@ -1 +0,0 @@\n-a\n");
}

static void test_far_changes_are_hunks_of_their_own(void **state) {
    (void)state;
    expect("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
           "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

static void test_missing_line_ends_are_told(void **state) {
    (void)state;
    expect("a", "a\n", "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

static void test_smallest_for_moved_lines(void **state) {
    (void)state;
    expect("a\nb\nc\nd\n", "b\nc\nd\na\n", "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-a\n b\n c\n d\n+a\n");
}

static void test_texts_without_anything_in_common(void **state) {
    (void)state;
    struct arena arena = {0};
    struct buf before = BUF(&arena), after = BUF(&arena), out = BUF(&arena);
    for (int i = 0; i < 100000; i++) {
        buf_printf(&before, "a%d\n", i);
        buf_printf(&after, "b%d\n", i);
    }
    diff_render(&out, SV("f"), buf_get_sv(&before), buf_get_sv(&after));
    assert_true(sv_has_prefix(buf_get_sv(&out), SV("--- f\n+++ f\n@@ -1,100000 +1,100000 @@\n-a0\n")));
    assert_int_equal(out.len, 12 + strlen("@@ -1,100000 +1,100000 @@\n") + before.len + after.len + 200000);
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_texts_have_none),
        cmocka_unit_test(test_hunks_with_context),
        cmocka_unit_test(test_far_changes_are_hunks_of_their_own),
        cmocka_unit_test(test_missing_line_ends_are_told),
        cmocka_unit_test(test_smallest_for_moved_lines),
        cmocka_unit_test(test_texts_without_anything_in_common),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
