/* The reader of stored JSON against the general one: same values, same refusals. */
#include "seal/stored.h"
#include "unit/model/check.h"

static void check_same(struct arena *a, sv text) {
    struct stored_json info;
    sv why;
    size_t offset;
    value want = value_parse_json(a, text, &limits_default, false, &why, &offset);
    value got = stored_parse(a, text, &info);
    if (value_is_error(want) != value_is_error(got) || (!value_is_error(want) && !value_eq(want, got))) {
        print_error("%.*s: %s\n", SV_ARG(text), info.why == NULL ? "read" : info.why);
        fail();
    }
    assert_true(value_is_error(got) == (info.why != NULL));
    if (!value_is_error(got)) { /* order of keys and kinds of numbers too */
        assert_true(sv_eq(value_print_json(a, want, 0, REVEAL), value_print_json(a, got, 0, REVEAL)));
        assert_int_equal(want.within, got.within);
    }
}

static const char *const texts[] = {
    "null",
    " true ",
    "false",
    "0",
    "-0",
    "-12",
    "9223372036854775807",
    "9223372036854775808",
    "1.5",
    "1e3",
    "1E+2",
    "-1.25e-3",
    "1e999",
    "01",
    "+1",
    "1.",
    ".5",
    "1e",
    "nul",
    "nulll",
    "NaN",
    "\"\"",
    "\"a\"",
    "\"a\\n\\\"\\u00e9\\u0000\\/\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"a",
    "\"a\\",
    "\"a\tb\"",
    "\"a\\nb\tc\"",
    "\"\xc3\xa9\"",
    "\"\xff\"",
    "[]",
    "[ ]",
    "[1,2,3]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1",
    "[1}",
    "]",
    "{}",
    "{ }",
    "{\"a\":1,\"b\":{\"c\":[{},[],null]}}",
    "{\"a\":1,\"a\":2}",
    "{\"a\":1,\"a\":1}",
    "{\"a\" : 1 , \"b\" : 2 }",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{a:1}",
    "{1:1}",
    "{\"a\":1]",
    "{\"a\":1",
    "",
    " ",
    "1 2",
    "[1] x",
    "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]",
    "{\"$lintel\":\"unknown\"}",
    "\"$lintel\"",
};

static void test_texts(void **state) {
    (void)state;
    struct arena a = {0};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_same(&a, sv_from_cstr(texts[i]));
    }
    check_same(&a, SV("[1\0,2]"));
    check_same(&a, SV("\"a\0b\""));
    arena_fini(&a);
}

/* Cut and changed anywhere. */
static void test_broken_texts(void **state) {
    (void)state;
    static const char text[] = "{\"a\":[1,-2.5e1,true,null,\"x\\u0041\\\\\"],\"b\":{\"c\":\"\xc3\xa9\",\"d\":[]}}";
    static const char changes[] = "\"\\{}[],:0e \x01u";
    for (size_t i = 0; i < sizeof text - 1; i++) {
        struct arena a = {0};
        check_same(&a, sv_make(text, i));
        for (size_t j = 0; j < sizeof changes - 1; j++) {
            char *copy = arena_copy_cstr(&a, SV(text));
            copy[i] = changes[j];
            check_same(&a, sv_make(copy, sizeof text - 1));
        }
        arena_fini(&a);
    }
}

static void test_markers(void **state) {
    (void)state;
    struct arena a = {0};
    struct stored_json info;
    stored_parse(&a, SV("{\"a\":{\"$lintel\":1}}"), &info);
    assert_true(info.has_marker);
    stored_parse(&a, SV("{\"a\":{\"\\u0024lintel\":1}}"), &info);
    assert_true(info.has_marker);
    stored_parse(&a, SV("{\"a\":\"$lintel\"}"), &info);
    assert_false(info.has_marker);
    arena_fini(&a);
}

static void test_large(void **state) {
    (void)state;
    struct arena a = {0};
    struct stored_json info;
    struct buf text = BUF(&a);
    for (int i = 0; i < 20000; i++) {
        buf_printf(&text, "%s\"k%d\":[%d,\"v\"]", i == 0 ? "{" : ",", i, i);
    }
    buf_append_char(&text, '}');
    value v = stored_parse(&a, buf_get_sv(&text), &info);
    assert_int_equal(v.map->len, 20000);
    assert_int_equal(value_map_find(v, SV("k19999")).list->items[0].integer, 19999);
    text.len--;
    buf_append(&text, SV(",\"k7\":[7,\"v\"]}"));
    assert_true(value_is_error(stored_parse(&a, buf_get_sv(&text), &info)));
    text.len = 0;
    buf_append_repeat(&text, '[', 1000000);
    buf_append_repeat(&text, ']', 1000000);
    assert_int_equal(stored_parse(&a, buf_get_sv(&text), &info).kind, VALUE_LIST);
    text.len = 1999999;
    assert_true(value_is_error(stored_parse(&a, buf_get_sv(&text), &info)));
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_broken_texts),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
