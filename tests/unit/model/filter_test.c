/* Filter operators, row by row of the table in 1.8 (BP-102, BP-103, BP-120 to BP-123). */
#include "model/filter.h"

#include "check.h"

enum { YES = FILTER_HOLDS, NO = FILTER_FAILS, BAD = FILTER_BAD_OPERANDS };

struct row {
    const char *op, *field, *search; /* JSON; field NULL: absent */
    int wanted;
};

static enum filter_operator find_operator(const char *text) {
    enum filter_operator op = filter_find_operator(sv_from_cstr(text));
    assert_int_not_equal(op, 0);
    return op;
}

static void check_row_with(const struct row *r, bool is_float) {
    struct arena a = {0};
    struct buf why = BUF(&a);
    value field = r->field == NULL ? (value){0} : from_json(&a, r->field);
    int got = (int)filter_apply(find_operator(r->op), field, from_json(&a, r->search), is_float, &why);
    if (got != r->wanted) {
        sv text = buf_get_sv(&why);
        fail_msg("%s %s %s: %d, not %d: %.*s", r->field == NULL ? "absent" : r->field, r->op, r->search, got, r->wanted,
                 SV_ARG(text));
    }
    assert_int_equal(why.len > 0, got == BAD);
    assert_int_equal(filter_apply(find_operator(r->op), field, from_json(&a, r->search), is_float, NULL), got);
    arena_fini(&a);
}

static void check_rows(const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        check_row_with(&rows[i], false);
    }
}
#define CHECK_ROWS(rows) check_rows((rows), sizeof(rows) / sizeof *(rows))

/* BP-102 */
static void operators_are_spelt_exactly(void **state) {
    (void)state;
    static const char *const texts[] = {
        "=",           "!=",
        "in",          "not in",
        "has key",     "not has key",
        "contains",    "not contains",
        "starts with", "not starts with",
        "ends with",   "not ends with",
        ">",           ">=",
        "<",           "<=",
    };
    assert_int_equal(sizeof texts / sizeof *texts, FILTER_OPERATOR_COUNT);
    for (size_t i = 0; i < FILTER_OPERATOR_COUNT; i++) {
        CHECK_SV(filter_get_text(find_operator(texts[i])), texts[i]);
    }
    static const char *const wrong[] = {"",   "==",          "IN",         "notin",   "not  in",
                                        " =", "starts_with", "startswith", "has key "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(filter_find_operator(sv_from_cstr(wrong[i])), 0);
    }
}

/* 1.8 `=`: scalars of one type; arrays of scalars of one item type, in order. */
static void equals_takes_scalars_and_arrays(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"=", "\"a\"", "\"a\"", YES},  {"=", "\"a\"", "\"A\"", NO},       {"=", "7", "7", YES},
        {"=", "7", "8", NO},           {"=", "1.5", "1.5", YES},          {"=", "true", "true", YES},
        {"=", "true", "false", NO},    {"=", "\"\"", "\"\"", YES},        {"=", "[1, 2]", "[1, 2]", YES},
        {"=", "[1, 2]", "[2, 1]", NO}, {"=", "[1, 2]", "[1, 2, 3]", NO},  {"=", "[]", "[]", YES},
        {"=", "[]", "[1]", NO},        {"=", "[\"a\"]", "[]", NO},        {"!=", "7", "8", YES},
        {"!=", "7", "7", NO},          {"!=", "[\"a\"]", "[\"b\"]", YES}, {"=", "\"7\"", "7", BAD},
        {"!=", "\"7\"", "7", BAD},     {"=", "true", "\"true\"", BAD},    {"=", "[1]", "1", BAD},
        {"=", "1", "[1]", BAD},        {"=", "[1]", "[\"1\"]", BAD},      {"=", "[1, \"1\"]", "[1, \"1\"]", BAD},
        {"=", "{\"a\": 1}", "1", BAD}, {"=", "[[1]]", "[1]", BAD},
    };
    CHECK_ROWS(rows);
}

/* 1.8 `in`: a scalar, and an array of scalars of that type. */
static void in_looks_for_the_field(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"in", "\"a\"", "[\"b\", \"a\"]", YES},
        {"in", "\"a\"", "[\"b\"]", NO},
        {"in", "2", "[1, 2]", YES},
        {"in", "2.5", "[2.5]", YES},
        {"in", "false", "[true, false]", YES},
        {"in", "\"a\"", "[]", NO},
        {"not in", "\"a\"", "[]", YES},
        {"not in", "2", "[1, 2]", NO},
        {"not in", "3", "[1, 2]", YES},
        {"in", "\"a\"", "\"abc\"", BAD},
        {"in", "1", "[\"1\"]", BAD},
        {"not in", "1", "[\"1\"]", BAD},
        {"in", "1", "[1, \"1\"]", BAD},
        {"in", "[1]", "[1]", BAD},
        {"in", "{}", "[1]", BAD},
    };
    CHECK_ROWS(rows);
}

/* 1.8 `has key`: a mapping of anything, and a string. */
static void has_key_looks_into_mappings(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"has key", "{\"a\": 1, \"b\": [{}]}", "\"b\"", YES},
        {"has key", "{\"a\": null}", "\"a\"", YES},
        {"has key", "{\"a\": 1}", "\"c\"", NO},
        {"has key", "{}", "\"a\"", NO},
        {"not has key", "{\"a\": 1}", "\"c\"", YES},
        {"not has key", "{\"a\": 1}", "\"a\"", NO},
        {"has key", "{\"1\": 1}", "1", BAD},
        {"has key", "[\"a\"]", "\"a\"", BAD},
        {"has key", "\"a\"", "\"a\"", BAD},
        {"not has key", "\"a\"", "\"a\"", BAD},
        {"has key", "{\"a\": 1}", "[\"a\"]", BAD},
    };
    CHECK_ROWS(rows);
}

/* 1.8 `contains`: items of arrays, substrings, values of mappings. */
static void contains_takes_arrays_strings_and_mappings(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"contains", "[\"a\", \"b\"]", "\"b\"", YES},
        {"contains", "[\"abc\"]", "\"b\"", NO},
        {"contains", "[1, 2]", "2", YES},
        {"contains", "[1.5]", "1.5", YES},
        {"contains", "[true]", "false", NO},
        {"contains", "[]", "1", NO},
        {"contains", "\"abc\"", "\"bc\"", YES},
        {"contains", "\"abc\"", "\"\"", YES},
        {"contains", "\"abc\"", "\"d\"", NO},
        {"contains", "{\"k\": \"v\"}", "\"v\"", YES},
        {"contains", "{\"k\": \"v\"}", "\"k\"", NO},
        {"contains", "{\"k\": 3}", "3", YES},
        {"contains", "{}", "3", NO},
        {"not contains", "[1]", "2", YES},
        {"not contains", "\"abc\"", "\"b\"", NO},
        {"not contains", "{\"k\": 3}", "3", NO},
        {"contains", "[1]", "\"1\"", BAD},
        {"contains", "[1, \"a\"]", "1", BAD},
        {"contains", "\"1\"", "1", BAD},
        {"contains", "12", "1", BAD},
        {"contains", "{\"k\": 3, \"l\": \"m\"}", "3", BAD},
        {"contains", "{\"k\": [3]}", "3", BAD},
        {"contains", "[1]", "[1]", BAD},
        {"not contains", "[1]", "[1]", BAD},
        {"contains", "[null]", "\"a\"", BAD},
    };
    CHECK_ROWS(rows);
}

/* 1.8 `starts with`, `ends with`: two strings. */
static void prefixes_and_suffixes_are_of_strings(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"starts with", "\"abc\"", "\"ab\"", YES},
        {"starts with", "\"abc\"", "\"bc\"", NO},
        {"starts with", "\"a\"", "\"ab\"", NO},
        {"starts with", "\"a\"", "\"\"", YES},
        {"ends with", "\"abc\"", "\"bc\"", YES},
        {"ends with", "\"abc\"", "\"ab\"", NO},
        {"not starts with", "\"abc\"", "\"x\"", YES},
        {"not starts with", "\"abc\"", "\"a\"", NO},
        {"not ends with", "\"abc\"", "\"x\"", YES},
        {"not ends with", "\"abc\"", "\"c\"", NO},
        {"starts with", "[\"a\"]", "\"a\"", BAD},
        {"starts with", "12", "1", BAD},
        {"ends with", "\"12\"", "2", BAD},
        {"not starts with", "12", "\"1\"", BAD},
        {"not ends with", "true", "\"e\"", BAD},
    };
    CHECK_ROWS(rows);
}

/* 1.8 order: numbers by number, strings by code point; no booleans. */
static void order_is_of_strings_and_numbers(void **state) {
    (void)state;
    static const struct row rows[] = {
        {">", "3", "2", YES},
        {">", "2", "2", NO},
        {">=", "2", "2", YES},
        {">=", "1", "2", NO},
        {"<", "1", "2", YES},
        {"<", "2", "2", NO},
        {"<=", "2", "2", YES},
        {"<=", "3", "2", NO},
        {">", "2.5", "2.25", YES},
        {"<", "-0.5", "0.0", YES},
        {"<=", "1.5", "1.5", YES},
        {">=", "1.25", "1.5", NO},
        {">", "-3", "-4", YES},
        {"<", "\"a\"", "\"b\"", YES},
        {"<", "\"a\"", "\"B\"", NO},
        {"<", "\"10\"", "\"9\"", YES},
        {">", "\"ab\"", "\"a\"", YES},
        {">", "9223372036854775807", "9223372036854775806", YES},
        /* U+10000 stands behind U+FFFF, though its UTF-16 form does not */
        {">", "\"\\ud800\\udc00\"", "\"\\uffff\"", YES},
        {"<", "\"z\"", "\"\\u00e9\"", YES},
        {">", "true", "false", BAD},
        {">", "3", "\"2\"", BAD},
        {">=", "\"3\"", "2", BAD},
        {"<", "[1]", "[2]", BAD},
        {"<=", "{}", "1", BAD},
    };
    CHECK_ROWS(rows);
}

/* BP-121 */
static void integers_and_floats_do_not_mix(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"=", "1", "1.0", BAD},        {"=", "1.0", "1", BAD},  {"in", "1.0", "[1]", BAD},
        {">", "1.5", "1", BAD},        {"<=", "1", "1.5", BAD}, {"contains", "[1.5]", "1", BAD},
        {"=", "[1, 1.0]", "[1]", BAD}, {"!=", "1", "1.0", BAD},
    };
    CHECK_ROWS(rows);
    static const struct row widened[] = {
        {"=", "1.0", "1", YES},
        {"!=", "1.5", "1", YES},
        {"in", "2.0", "[1, 2]", YES},
        {"in", "2.5", "[1, 2.5]", YES},
        {">", "1.5", "1", YES},
        {"<=", "1.5", "1", NO},
        {"not in", "2.0", "[1, 2]", NO},
        {"=", "1.0", "\"1\"", BAD},
        {"=", "1.0", "9007199254740993", BAD}, /* BP-032: not exact */
        {"=", "1", "1.0", BAD},                /* a search float is never narrowed */
    };
    for (size_t i = 0; i < sizeof widened / sizeof *widened; i++) {
        check_row_with(&widened[i], true);
    }
}

/* BP-122 */
static void absent_and_null_fail_the_positive_operator(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"=", NULL, "1", NO},
        {"=", "null", "1", NO},
        {"!=", NULL, "1", YES},
        {"!=", "null", "\"x\"", YES},
        {"in", NULL, "[1]", NO},
        {"not in", "null", "[1]", YES},
        {"has key", NULL, "\"a\"", NO},
        {"not has key", NULL, "\"a\"", YES},
        {"contains", "null", "\"a\"", NO},
        {"not contains", NULL, "\"a\"", YES},
        {"starts with", NULL, "\"\"", NO},
        {"not starts with", NULL, "\"\"", YES},
        {"ends with", NULL, "\"\"", NO},
        {"not ends with", "null", "\"\"", YES},
        {">", NULL, "1", NO},
        {">=", NULL, "1", NO},
        {"<", "null", "1", NO},
        {"<=", "null", "1", NO},
        {">", NULL, "true", BAD}, /* no field could have been accepted */
        {"in", NULL, "[1, \"a\"]", BAD},
    };
    CHECK_ROWS(rows);
}

/* BP-120: operator, both types and what is accepted are named; values, secrets among them, never are. */
static void refusals_name_types_and_no_values(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf why = BUF(&a);
    value secret = value_mark(value_string(&a, SV("hunter2")), MARK_SENSITIVE);
    assert_int_equal(filter_apply(FILTER_GREATER, value_int(4711), secret, false, &why), FILTER_BAD_OPERANDS);
    CHECK_SV(buf_get_sv(&why), "operator '>' takes two strings, two integers or two floats, not a field of type "
                               "'integer' and a search of type 'string'");
    why = BUF(&a);
    value mixed = from_json(&a, "[\"hunter2\", 5]");
    assert_int_equal(filter_apply(FILTER_NOT_IN, from_json(&a, "{\"hunter2\": \"hunter2\"}"), mixed, false, &why),
                     FILTER_BAD_OPERANDS);
    CHECK_SV(buf_get_sv(&why), "operator 'not in' takes a scalar and an array of scalars of its type, not a field of "
                               "type 'mapping to strings' and a search of type 'array of mixed items'");
    arena_fini(&a);
}

/* BP-123 */
static void declared_types_are_checked(void **state) {
    (void)state;
    struct arena a = {0};
    const struct type *ints = type_new_list(&a, &type_int), *map = type_new_map(&a, &type_int);
    const struct {
        const char *op;
        const struct type *field, *search;
        int wanted;
    } rows[] = {
        {"=", &type_int, &type_int, YES},
        {"=", &type_int, &type_string, BAD},
        {"=", &type_any, &type_string, YES},
        {"=", NULL, &type_list, YES},
        {"=", &type_string, &type_any, YES},
        {"=", &type_string, &type_scalar, YES},
        {"=", ints, ints, YES},
        {"=", ints, &type_list_of_strings, BAD},
        {"=", &type_float, &type_int, YES}, /* BP-121 */
        {"=", &type_int, &type_float, BAD},
        {"contains", type_new_list(&a, &type_float), &type_int, YES},
        {"in", &type_float, ints, YES},
        {"in", &type_string, ints, BAD},
        {"in", &type_string, &type_list, YES},
        {"in", &type_string, &type_string, BAD},
        {"has key", map, &type_string, YES},
        {"has key", map, &type_int, BAD},
        {"has key", &type_string, &type_string, BAD},
        {"contains", map, &type_int, YES},
        {"contains", map, &type_string, BAD},
        {"contains", ints, &type_int, YES},
        {"contains", &type_string, &type_string, YES},
        {"contains", &type_bool, &type_bool, BAD},
        {"not starts with", &type_int, &type_string, BAD},
        {">", &type_bool, &type_bool, BAD},
        {">", &type_number, &type_int, YES},
        {"<", &type_null, &type_int, YES}, /* BP-122 */
        {"=", &type_string, &type_map, BAD},
        {"=", &type_string, &type_function, BAD},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf why = BUF(&a);
        int got = (int)filter_check_types(find_operator(rows[i].op), rows[i].field, rows[i].search, &why);
        if (got != rows[i].wanted) {
            fail_msg("row %zu (%s): %d, not %d", i, rows[i].op, got, rows[i].wanted);
        }
        assert_int_equal(why.len > 0, got == BAD);
    }
    arena_fini(&a);
}

/* BP-123: a literal search has its exact shape. */
static void literal_searches_are_checked(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf why = BUF(&a);
    assert_int_equal(filter_check_search(FILTER_IN, &type_any, from_json(&a, "[1, \"a\"]"), &why), BAD);
    CHECK_SV(buf_get_sv(&why), "operator 'in' takes a scalar and an array of scalars of its type, not a field of type "
                               "'any value' and a search of type 'array of mixed items'");
    assert_int_equal(filter_check_search(FILTER_IN, &type_string, from_json(&a, "[]"), NULL), YES);
    assert_int_equal(filter_check_search(FILTER_IN, &type_float, from_json(&a, "[1, 2.5]"), NULL), YES);
    assert_int_equal(filter_check_search(FILTER_GREATER, &type_float, from_json(&a, "1"), NULL), YES);
    assert_int_equal(filter_check_search(FILTER_GREATER, &type_int, from_json(&a, "1.0"), NULL), BAD);
    arena_fini(&a);
}

/* BP-103 */
static void fields_are_found_by_path(void **state) {
    (void)state;
    struct arena a = {0};
    value object = from_json(&a, "{\"name\": \"x\", \"meta\": {\"tags\": [{\"key\": \"k\", \"m\": [[1, 2], [3]]}]},"
                                 " \"a b\": 7, \"nothing\": null}");
    const struct {
        const char *path, *json; /* NULL: not there */
    } rows[] = {
        {"name", "\"x\""},
        {"meta.tags[0].key", "\"k\""},
        {"meta.tags[].key", "\"k\""},
        {"meta.tags[].m[][1]", "2"},
        {"meta.tags[0].m[1][]", "3"},
        {"meta.tags[1].key", NULL},
        {"meta.tags[99999999999999999999999999]", NULL},
        {"name.x", NULL},
        {"name[0]", NULL},
        {"none", NULL},
        {"a b", "7"},
        {"nothing", "null"},
        {"nothing.x", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        value v;
        assert_true(filter_find_field(&a, object, sv_from_cstr(rows[i].path), &v));
        if (rows[i].json == NULL) {
            assert_int_equal(v.kind, 0);
        } else {
            CHECK_JSON(&a, v, rows[i].json);
        }
    }
    static const char *const malformed[] = {"",    ".",    "a.",    ".a",    "a..b", "[0]",      "a[",
                                            "a[0", "a[x]", "a[-1]", "a[0]b", "a]",   "a[\"k\"]", "a.[0]"};
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        value v;
        if (filter_find_field(&a, object, sv_from_cstr(malformed[i]), &v)) {
            fail_msg("'%s' is taken for a path", malformed[i]);
        }
    }
    struct buf deep = BUF(&a);
    buf_append_cstr(&deep, "a");
    buf_append_repeat(&deep, '[', 1);
    buf_append_cstr(&deep, "]");
    for (int i = 0; i < 200; i++) {
        buf_append_cstr(&deep, "[]");
    }
    struct path p;
    assert_false(filter_parse_path(&a, buf_get_sv(&deep), &p));
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_are_spelt_exactly),
        cmocka_unit_test(equals_takes_scalars_and_arrays),
        cmocka_unit_test(in_looks_for_the_field),
        cmocka_unit_test(has_key_looks_into_mappings),
        cmocka_unit_test(contains_takes_arrays_strings_and_mappings),
        cmocka_unit_test(prefixes_and_suffixes_are_of_strings),
        cmocka_unit_test(order_is_of_strings_and_numbers),
        cmocka_unit_test(integers_and_floats_do_not_mix),
        cmocka_unit_test(absent_and_null_fail_the_positive_operator),
        cmocka_unit_test(refusals_name_types_and_no_values),
        cmocka_unit_test(declared_types_are_checked),
        cmocka_unit_test(literal_searches_are_checked),
        cmocka_unit_test(fields_are_found_by_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
