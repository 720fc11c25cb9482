/* Growing arrays, growing text, interned names, the depth guard. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/sym.h"
#include "unit/base/check.h"

#include <string.h>

struct point {
    int x, y;
};

static void test_vec_grows_and_zeroes(void **state) {
    (void)state;
    struct arena a = {0};
    VEC(struct point) points = {0};
    for (int i = 0; i < 1000; i++) {
        int untouched = VEC_ADD(&a, &points)->y;
        assert_int_equal(untouched, 0);
        VEC_LAST(&points)->x = i;
        VEC_LAST(&points)->y = -1;
    }
    assert_int_equal(points.len, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(points.items[i].x, i);
    }
    arena_fini(&a);
}

static void test_buf_appends(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf b = BUF(&a);
    CHECK_SV(buf_get_sv(&b), "");
    buf_append(&b, SV("ab"));
    buf_append(&b, (sv){0});
    buf_append_cstr(&b, "cd");
    buf_append_char(&b, 'e');
    buf_append_repeat(&b, '-', 3);
    buf_append_repeat(&b, '-', 0);
    buf_append_codepoint(&b, 0x20AC);
    buf_append_codepoint(&b, 0xD800); /* no character: nothing */
    buf_printf(&b, "%d%s", 42, "!");
    CHECK_SV(buf_get_sv(&b), "abcde---\xE2\x82\xAC"
                             "42!");
    assert_int_equal(buf_get_sv(&b).data[b.len], '\0');
    arena_fini(&a);
}

static void test_buf_holds_much(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf b = BUF(&a);
    for (int i = 0; i < 100000; i++) {
        buf_append(&b, SV("0123456789"));
        (void)arena_alloc(&a, (size_t)(i % 3) * 8); /* others allocate in between */
    }
    sv text = buf_get_sv(&b);
    assert_int_equal(text.len, 1000000);
    for (size_t i = 0; i < text.len; i++) {
        assert_int_equal(text.data[i], '0' + (int)(i % 10));
    }
    arena_fini(&a);
}

static void test_buf_prints_more_than_its_room(void **state) {
    (void)state;
    struct arena a = {0};
    for (size_t len = 100; len < 400; len++) {
        struct buf b = BUF(&a);
        char wide[400] = {0};
        memset(wide, 'w', len);
        buf_printf(&b, "%s|%s", wide, wide);
        assert_int_equal(b.len, 2 * len + 1);
        assert_int_equal(buf_get_sv(&b).data[len], '|');
    }
    arena_fini(&a);
}

static void test_buf_reserve_is_room_to_write(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf b = BUF(&a);
    memcpy(buf_reserve(&b, 5000), "hello", 5);
    b.len += 5;
    CHECK_SV(buf_get_sv(&b), "hello");
    arena_fini(&a);
}

static void test_symbols(void **state) {
    (void)state;
    struct arena a = {0};
    struct symtab t;
    symtab_init(&t, &a);
    char name[] = "one";
    sym one = symtab_put(&t, sv_from_cstr(name));
    name[0] = 'x'; /* the table has its own copy */
    sym two = symtab_put(&t, SV("two"));
    assert_true(one != 0 && two != 0 && one != two);
    assert_int_equal(symtab_put(&t, SV("one")), one);
    assert_int_equal(symtab_find(&t, SV("two")), two);
    assert_int_equal(symtab_find(&t, SV("three")), 0);
    CHECK_SV(symtab_get_text(&t, one), "one");
    CHECK_SV(symtab_get_text(&t, 0), "");
    sym empty = symtab_put(&t, (sv){0}); /* the empty name is a name */
    assert_true(empty != 0);
    CHECK_SV(symtab_get_text(&t, empty), "");
    arena_fini(&a);
}

/* LC-080 */
static void test_depth_guard(void **state) {
    (void)state;
    struct depth_guard g = {.limit = 2};
    assert_true(depth_enter(&g));
    assert_true(depth_enter(&g));
    assert_false(depth_enter(&g));
    assert_int_equal(g.depth, 2);
    depth_leave(&g);
    assert_true(depth_enter(&g));
    assert_false(depth_enter(&(struct depth_guard){0}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vec_grows_and_zeroes),
        cmocka_unit_test(test_buf_appends),
        cmocka_unit_test(test_buf_holds_much),
        cmocka_unit_test(test_buf_prints_more_than_its_room),
        cmocka_unit_test(test_buf_reserve_is_room_to_write),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_depth_guard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
