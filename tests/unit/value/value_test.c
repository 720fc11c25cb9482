/* Values: constructors, marks, maps with an index, equality, copies (BP-030…034, BP-270, BP-280). */
#include "value/type.h"
#include "value/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

_Static_assert(sizeof(value) == 16, "values are passed in two registers");

static value text(struct arena *a, const char *s) {
    return value_string(a, sv_from_cstr(s));
}

static void test_absent_leaves_containers(void **state) {
    (void)state; /* BP-270, FN-014 */
    struct arena a = {0};
    value items[] = {value_int(1), value_absent(), value_int(2)};
    value list = value_list_of(&a, items, 3);
    assert_int_equal(list.list->len, 2);
    assert_int_equal(list.list->items[1].integer, 2);
    struct map_builder b = {.arena = &a};
    map_add(&b, SV("x"), value_int(1));
    map_add(&b, SV("y"), value_absent());
    map_set(&b, SV("z"), value_int(3));
    map_set(&b, SV("x"), value_absent());
    value map = map_done(&b);
    assert_int_equal(map.map->len, 1);
    assert_true(value_map_has(map, SV("z")));
    arena_fini(&a);
}

static void test_marks_are_joined_upwards(void **state) {
    (void)state; /* BP-280: kept per part */
    struct arena a = {0};
    value secret = value_mark(text(&a, "s"), MARK_SENSITIVE);
    value items[] = {value_int(1), secret, value_unknown(&type_string)};
    value list = value_list_of(&a, items, 3);
    assert_true(value_is_sensitive(list));
    assert_false(value_is_known(list));
    assert_int_equal(list.marks, 0);
    value outer = value_list_of(&a, &list, 1);
    assert_int_equal(outer.within, MARK_SENSITIVE | WITHIN_UNKNOWN);
    value own = value_mark(outer, MARK_PROVISIONAL);
    assert_int_equal(own.marks, MARK_PROVISIONAL);
    assert_int_equal(value_unmark(own, MARK_PROVISIONAL).within, outer.within);
    assert_int_equal(value_unmark(secret, MARK_SENSITIVE).within, 0);
    arena_fini(&a);
}

static void test_large_maps_are_indexed(void **state) {
    (void)state;
    struct arena a = {0};
    struct map_builder b = {.arena = &a};
    for (int64_t i = 0; i < 1000; i++) {
        map_add(&b, arena_printf(&a, "key%d", (int)i), value_int(i));
    }
    for (int64_t i = 0; i < 1000; i += 2) {
        map_set(&b, arena_printf(&a, "key%d", (int)i), value_int(-i));
    }
    map_set(&b, SV("new"), value_null());
    value map = map_done(&b);
    assert_non_null(map.map->index);
    assert_int_equal(map.map->len, 1001);
    for (int64_t i = 0; i < 1000; i++) {
        sv key = arena_printf(&a, "key%d", (int)i);
        assert_int_equal(value_map_find(map, key).integer, i % 2 == 0 ? -i : i);
        assert_true(sv_eq(map.map->entries[i].key, key)); /* order kept (BP-021) */
    }
    assert_false(value_is_set(value_map_find(map, SV("key1000"))));
    value less = value_map_with(&a, map, SV("key5"), value_absent());
    assert_int_equal(less.map->len, 1000);
    assert_false(value_map_has(less, SV("key5")));
    assert_true(value_map_has(less, SV("key999")));
    arena_fini(&a);
}

static void test_equality(void **state) {
    (void)state; /* BP-034 */
    struct arena a = {0};
    assert_true(value_eq(value_int(1), value_float(1.0)));
    assert_false(value_eq(value_int(9007199254740993), value_float(9007199254740992.0)));
    assert_false(value_eq(value_int(1), text(&a, "1")));
    assert_false(value_eq(value_unknown(NULL), value_unknown(NULL)));
    assert_true(value_eq(value_null(), value_null()));
    assert_false(value_eq(value_null(), value_absent()));
    struct map_builder x = {.arena = &a}, y = {.arena = &a};
    map_add(&x, SV("a"), value_int(1));
    map_add(&x, SV("b"), value_int(2));
    map_add(&y, SV("b"), value_float(2));
    map_add(&y, SV("a"), value_int(1));
    value mx = map_done(&x), my = map_done(&y);
    assert_true(value_eq(mx, my));
    value lx[] = {mx, value_int(1)}, ly[] = {my, value_int(2)};
    assert_false(value_eq(value_list_of(&a, lx, 2), value_list_of(&a, ly, 2)));
    assert_false(value_eq(value_list_of(&a, lx, 2), value_list_of(&a, lx, 1)));
    value unknown = value_unknown(NULL);
    value with = value_list_of(&a, &unknown, 1);
    assert_false(value_eq(with, with));
    arena_fini(&a);
}

static void test_copy_outlives_its_source(void **state) {
    (void)state;
    struct arena shorter = {0}, longer = {0};
    struct map_builder b = {.arena = &shorter};
    value secret = value_mark(value_string_copy(&shorter, SV("hidden")), MARK_SENSITIVE);
    secret.word = 7;
    map_add(&b, arena_copy_sv(&shorter, SV("name")), secret);
    value list = map_done(&b);
    map_add(&b, arena_copy_sv(&shorter, SV("inner")), value_list_of(&shorter, &list, 1));
    value copy = value_copy(&longer, map_done(&b));
    arena_fini(&shorter);
    assert_int_equal(copy.map->len, 2);
    value name = value_map_find(copy, SV("name"));
    assert_true(sv_eq_cstr(value_get_text(name), "hidden"));
    assert_int_equal(name.marks, MARK_SENSITIVE);
    assert_int_equal(name.word, 7);
    value inner = value_map_find(copy, SV("inner")).list->items[0];
    assert_true(value_map_has(inner, SV("name")));
    arena_fini(&longer);
}

static value nest(struct arena *a, size_t depth) {
    value v = value_int(1);
    for (size_t i = 0; i < depth; i++) {
        if (i % 2 == 0) {
            v = value_list_of(a, &v, 1);
        } else {
            struct map_builder b = {.arena = a};
            map_add(&b, SV("k"), v);
            v = map_done(&b);
        }
    }
    return v;
}

static void test_deep_values_need_no_stack(void **state) {
    (void)state; /* 100 000 levels through everything that walks */
    struct arena a = {0};
    value x = nest(&a, 100000), y = nest(&a, 100000);
    assert_true(value_eq(x, y));
    assert_true(value_eq(value_copy(&a, x), y));
    sv json = value_print_json(&a, x, 0, REVEAL);
    assert_int_equal(json.len, 1 + 50000 * 2 + 50000 * 6);
    assert_non_null(type_of_value(&a, x));
    struct buf line = BUF(&a);
    value_render(&line, x, 20, REDACT);
    assert_true(line.len < 40);
    arena_fini(&a);
}

static void test_kind_names(void **state) {
    (void)state;
    assert_string_equal(value_get_kind_name(VALUE_MAP), "object");
    assert_string_equal(value_get_kind_name(VALUE_LIST), "array");
    assert_string_equal(value_get_kind_name(VALUE_ABSENT), "none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absent_leaves_containers),
        cmocka_unit_test(test_marks_are_joined_upwards),
        cmocka_unit_test(test_large_maps_are_indexed),
        cmocka_unit_test(test_equality),
        cmocka_unit_test(test_copy_outlives_its_source),
        cmocka_unit_test(test_deep_values_need_no_stack),
        cmocka_unit_test(test_kind_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
