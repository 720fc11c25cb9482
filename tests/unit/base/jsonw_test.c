#include "base/jsonw.h"
#include "base/utf8.h"
#include "unit/base/check.h"

#include <string.h>

static void write_sample(struct jsonw *w) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "name", SV("x"));
    jsonw_put_i64(w, "n", INT64_MIN);
    jsonw_put_bool(w, "yes", true);
    jsonw_key(w, SV("list"));
    jsonw_begin_array(w);
    jsonw_null(w);
    jsonw_u64(w, UINT64_MAX);
    jsonw_double(w, 1e16);
    jsonw_double(w, 2);
    jsonw_begin_object(w);
    jsonw_end_object(w);
    jsonw_begin_array(w);
    jsonw_end_array(w);
    jsonw_raw(w, SV("[1]"));
    jsonw_end_array(w);
    jsonw_key(w, SV("last"));
    jsonw_bool(w, false);
    jsonw_end_object(w);
}

static void test_one_line(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf out = BUF(&a);
    struct jsonw w = JSONW(&out, 0);
    write_sample(&w);
    CHECK_SV(buf_get_sv(&out),
             "{\"name\":\"x\",\"n\":-9223372036854775808,\"yes\":true,\"list\":[null,18446744073709551615,"
             "1e16,2.0,{},[],[1]],\"last\":false}");
    arena_fini(&a);
}

static void test_indented(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf out = BUF(&a);
    struct jsonw w = JSONW(&out, 2);
    write_sample(&w);
    CHECK_SV(buf_get_sv(&out), "{\n"
                               "  \"name\": \"x\",\n"
                               "  \"n\": -9223372036854775808,\n"
                               "  \"yes\": true,\n"
                               "  \"list\": [\n"
                               "    null,\n"
                               "    18446744073709551615,\n"
                               "    1e16,\n"
                               "    2.0,\n"
                               "    {},\n"
                               "    [],\n"
                               "    [1]\n"
                               "  ],\n"
                               "  \"last\": false\n"
                               "}");
    arena_fini(&a);
}

static sv quote(struct arena *a, sv text) {
    struct buf out = BUF(a);
    jsonw_quote(&out, text);
    return buf_get_sv(&out);
}

static void test_escapes(void **state) {
    (void)state;
    struct arena a = {0};
    CHECK_SV(quote(&a, (sv){0}), "\"\"");
    CHECK_SV(quote(&a, SV("a\"b\\c/d")), "\"a\\\"b\\\\c/d\"");
    CHECK_SV(quote(&a, sv_make("\n\r\t\0\x1b\x7F", 6)), "\"\\n\\r\\t\\u0000\\u001b\\u007f\"");
    CHECK_SV(quote(&a, SV("\xC2\x9B[2J")), "\"\\u009b[2J\""); /* LC-062: a control sequence of one character */
    CHECK_SV(quote(&a, SV("\xC3\xA4\xE6\x97\xA5\xF0\x9F\x98\x80")), "\"\xC3\xA4\xE6\x97\xA5\xF0\x9F\x98\x80\"");
    arena_fini(&a);
}

static void test_invalid_bytes_become_replacement_characters(void **state) {
    (void)state;
    struct arena a = {0};
    CHECK_SV(quote(&a, SV("a\xFFz")), "\"a\xEF\xBF\xBDz\"");
    CHECK_SV(quote(&a, SV("\xE6\x97")), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    CHECK_SV(quote(&a, SV("\xED\xA0\x80")), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    uint64_t random = 9;
    for (int i = 0; i < 20000; i++) { /* whatever goes in, what comes out is valid and printable */
        char bytes[32];
        for (size_t at = 0; at < sizeof bytes; at++) {
            bytes[at] = (char)next_random(&random);
        }
        sv text = quote(&a, sv_make(bytes, sizeof bytes));
        assert_int_equal(utf8_check(text), text.len);
        for (size_t at = 0; at < text.len; at++) {
            assert_true((unsigned char)text.data[at] >= 0x20);
        }
    }
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_line),
        cmocka_unit_test(test_indented),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_invalid_bytes_become_replacement_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
