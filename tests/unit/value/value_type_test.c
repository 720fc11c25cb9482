/* Static types (BP-032, BP-314, FN-033) and paths (BP-307). */
#include "value/path.h"
#include "value/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_fits(void **state) {
    (void)state; /* BP-032 */
    struct arena a = {0};
    assert_true(type_fits(&type_float, &type_int));
    assert_false(type_fits(&type_int, &type_float));
    assert_true(type_fits(&type_any, &type_list));
    assert_true(type_fits(&type_string, &type_any));
    assert_true(type_fits(&type_text, &type_bytes));
    assert_false(type_fits(&type_string, &type_bytes));
    assert_true(type_fits(&type_scalar, &type_bool));
    assert_false(type_fits(&type_scalar, &type_null));
    assert_true(type_fits(&type_string, &type_absent));
    const struct type *ints = type_new_list(&a, &type_int);
    assert_true(type_fits(type_new_list(&a, &type_float), ints));
    assert_false(type_fits(&type_list_of_strings, ints));
    assert_true(type_fits(&type_list, ints));
    assert_true(type_fits_value(&type_float, value_int(1)));
    assert_false(type_fits_value(&type_float, value_int((INT64_C(1) << 53) + 1)));
    arena_fini(&a);
}

static void test_objects(void **state) {
    (void)state;
    struct arena a = {0};
    struct type_field fields[] = {{SV_INIT("n"), &type_int, false, false}, {SV_INIT("s"), &type_string, false, true}};
    struct type object = {.kind = TYPE_OBJECT, .fields = fields, .field_count = 2};
    struct map_builder b = {.arena = &a};
    map_add(&b, SV("n"), value_int(1));
    assert_true(type_fits_value(&object, map_done(&b)));
    map_add(&b, SV("x"), value_int(1));
    assert_false(type_fits_value(&object, map_done(&b)));
    object.open = true;
    assert_true(type_fits_value(&object, map_done(&b)));
    assert_ptr_equal(type_find_field(&object, SV("n")), &type_int);
    assert_ptr_equal(type_find_field(&object, SV("other")), &type_any);
    object.open = false;
    assert_null(type_find_field(&object, SV("other")));
    assert_null(type_get_item(&object));
    assert_null(type_find_field(&type_string, SV("n")));
    struct map_builder empty = {.arena = &a};
    assert_false(type_fits_value(&object, map_done(&empty)));
    arena_fini(&a);
}

static void test_join(void **state) {
    (void)state; /* FN-033 */
    struct arena a = {0};
    assert_ptr_equal(type_join(&a, &type_int, &type_int), &type_int);
    assert_ptr_equal(type_join(&a, &type_int, &type_float), &type_number);
    assert_ptr_equal(type_join(&a, &type_int, &type_string), &type_any);
    assert_ptr_equal(type_join(&a, &type_string, &type_absent), &type_string);
    assert_int_equal(type_join(&a, &type_list_of_strings, type_new_list(&a, &type_string))->item->kind, TYPE_STRING);
    arena_fini(&a);
}

/* Objects with the same fields stay objects; else only maps are left. */
static void test_join_objects(void **state) {
    (void)state;
    struct arena a = {0};
    const struct type_field one[] = {{.name = SV("n"), .type = &type_int}, {.name = SV("s"), .type = &type_string}};
    const struct type_field turned[] = {{.name = SV("s"), .type = &type_string, .sensitive = true},
                                        {.name = SV("n"), .type = &type_float}};
    const struct type x = {.kind = TYPE_OBJECT, .fields = one, .field_count = 2};
    const struct type y = {.kind = TYPE_OBJECT, .fields = turned, .field_count = 2};
    const struct type less = {.kind = TYPE_OBJECT, .fields = one, .field_count = 1};
    const struct type *joined = type_join(&a, &x, &y);
    assert_int_equal(joined->kind, TYPE_OBJECT);
    assert_int_equal(joined->field_count, 2);
    assert_ptr_equal(joined->fields[0].type, &type_number);
    assert_true(joined->fields[1].sensitive);
    assert_null(type_find_field(joined, SV("other")));
    assert_int_equal(type_join(&a, &x, &less)->kind, TYPE_MAP);
    arena_fini(&a);
}

static void test_print(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf out = BUF(&a);
    type_print(&out, &type_list_of_strings);
    buf_append_char(&out, '|');
    type_print(&out, &type_text);
    buf_append_char(&out, '|');
    struct type_field either[] = {{.type = &type_string}, {.type = &type_list}, {.type = &type_map}};
    struct type choice = {.kind = TYPE_UNION, .fields = either, .field_count = 3};
    type_print(&out, &choice);
    assert_true(sv_eq_cstr(buf_get_sv(&out), "array of strings|string or bytes|string, array or object"));
    assert_true(type_fits(&choice, &type_map));
    assert_false(type_fits(&choice, &type_bool));
    arena_fini(&a);
}

static void test_paths(void **state) {
    (void)state; /* BP-307 */
    struct arena a = {0};
    static const char *const texts[] = {"spec.a[0][\"odd.name\"]", "a", "[\"\"].b", "x[3][4].y-z", "[\"q\\\"\\\\\"]",
                                        "spec[\"\xc3\xa9\"]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct path p;
        assert_true(path_parse(&a, sv_from_cstr(texts[i]), &p));
        assert_true(sv_eq_cstr(path_to_text(&a, p), texts[i]));
    }
    static const char *const bad[] = {"a..b", "a[", "a[x]", "a[\"b]", "a[1", ".a", "a.", "a[1]b", "a[-1]", "a[\"x\"b]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct path p;
        assert_false(path_parse(&a, sv_from_cstr(bad[i]), &p));
    }
    arena_fini(&a);
}

static bool is_secret(value v) {
    return (v.marks & MARK_SENSITIVE) != 0;
}

static void test_values_at_paths(void **state) {
    (void)state;
    struct arena a = {0};
    value root = {.kind = 0};
    struct path p;
    assert_true(path_parse(&a, SV("a.b"), &p));
    value secret = value_mark(value_int(1), MARK_SENSITIVE);
    value items[] = {value_int(5), secret};
    root = value_with_path(&a, root, p, value_list_of(&a, items, 2));
    assert_true(path_parse(&a, SV("a.b[0]"), &p));
    assert_int_equal(value_find_path(root, p).integer, 5);
    root = value_with_path(&a, root, p, value_int(6));
    assert_int_equal(value_find_path(root, p).integer, 6);
    assert_true(path_parse(&a, SV("a.b[2]"), &p));
    assert_false(value_is_set(value_find_path(root, p)));
    assert_true(value_eq(value_with_path(&a, root, p, value_int(6)), root));
    struct path_list found = {0};
    value_find_paths(&a, root, is_secret, &found);
    assert_int_equal(found.items.len, 1);
    assert_true(sv_eq_cstr(path_to_text(&a, found.items.items[0]), "a.b[1]"));
    assert_true(path_parse(&a, SV("a.u.x"), &p));
    value unknown = value_with_path(&a, root, (struct path){p.steps, 2}, value_unknown(NULL));
    assert_int_equal(value_find_path(unknown, p).kind, VALUE_UNKNOWN);
    arena_fini(&a);
}

/* Many at once are the same as one after the other. */
static void test_values_at_many_paths(void **state) {
    (void)state;
    struct arena a = {0};
    static const char *const texts[] = {"e.x", "z", "e.y", "e.x", "y", "l[0].k", "l[0].m", "s.deep", "gone", "s.other"};
    struct path_item items[sizeof texts / sizeof *texts];
    struct map_builder start = {.arena = &a}, inner = {.arena = &a};
    map_add(&inner, SV("k"), value_int(9));
    value item = map_done(&inner);
    map_add(&start, SV("gone"), value_int(1));
    map_add(&start, SV("l"), value_list_of(&a, &item, 1));
    map_add(&start, SV("s"), value_int(2));
    value root = map_done(&start), one = root;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(path_parse(&a, sv_from_cstr(texts[i]), &items[i].path));
        items[i].item = sv_eq_cstr(sv_from_cstr(texts[i]), "gone") ? value_absent() : value_int((int64_t)i);
        one = value_with_path(&a, one, items[i].path, items[i].item);
    }
    value many = value_with_paths(&a, root, items, sizeof texts / sizeof *texts);
    sv text = value_print_json(&a, many, 0, REVEAL);
    assert_true(sv_eq(text, value_print_json(&a, one, 0, REVEAL)));
    assert_true(sv_eq_cstr(text, "{\"l\":[{\"k\":5,\"m\":6}],\"s\":{\"deep\":7,\"other\":9},"
                                 "\"e\":{\"x\":3,\"y\":2},\"z\":1,\"y\":4}"));
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_join_objects),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_values_at_paths),
        cmocka_unit_test(test_values_at_many_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
