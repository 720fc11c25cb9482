/* Values as text: JSON, lines for people, trees; text as values (BP-018, BP-031, BP-033, BP-281, FN-103). */
#include "doc/writer.h"
#include "value/convert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define assert_sv(actual, expected)                                  \
    do {                                                             \
        sv actual_ = (actual);                                       \
        assert_string_equal(arena_copy_cstr(&a, actual_), expected); \
    } while (0)

static value parse_internal(struct arena *a, const char *json, bool internal) {
    sv why = {0};
    size_t offset = 0;
    return value_parse_json(a, sv_from_cstr(json), &limits_default, internal, &why, &offset);
}

static void test_round_trip(void **state) {
    (void)state;
    static const char *const texts[] = {
        "null",
        "true",
        "-5",
        "2.0",
        "1e16",
        "\"a\\\"\\\\\\n\"",
        "[]",
        "{}",
        "[1,[2,{\"a\":null}],\"\xc3\xa9\"]",
        "{\"b\":1,\"a\":[true,false],\"\":{}}",
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        value v = parse_internal(&a, texts[i], false);
        assert_sv(value_print_json(&a, v, 0, REVEAL), texts[i]);
        value again = parse_internal(&a, arena_copy_cstr(&a, value_print_json(&a, v, 2, REVEAL)), false);
        assert_true(value_eq(v, again));
    }
    arena_fini(&a);
}

static void test_bad_json(void **state) {
    (void)state; /* FN-103 */
    static const char *const texts[] = {"",      "{",   "[1,]", "{\"a\":1,\"a\":2}", "99999999999999999999",
                                        "1e999", "nul", "01",   "\"\\x\"",           "1 2"};
    struct arena a = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sv why = {0};
        size_t offset = 99;
        value v = value_parse_json(&a, sv_from_cstr(texts[i]), &limits_default, false, &why, &offset);
        assert_true(value_is_error(v));
        assert_true(why.len > 0);
        assert_true(offset <= strlen(texts[i]));
    }
    arena_fini(&a);
}

static void test_unknown_survives_internally_only(void **state) {
    (void)state;
    struct arena a = {0};
    value items[] = {value_unknown(NULL), parse_internal(&a, "{\"$lintel\":\"unknown\"}", false)};
    assert_int_equal(items[1].kind, VALUE_MAP);
    value list = value_list_of(&a, items, 2);
    sv json = value_print_json(&a, list, 0, REVEAL);
    assert_sv(json, "[{\"$lintel\":\"unknown\"},{\"$lintel\":\"map\",\"entries\":{\"$lintel\":\"unknown\"}}]");
    value back = parse_internal(&a, arena_copy_cstr(&a, json), true);
    assert_int_equal(back.list->items[0].kind, VALUE_UNKNOWN);
    assert_int_equal(back.list->items[1].kind, VALUE_MAP);
    assert_true(value_eq(back.list->items[1], items[1]));
    sv spread = value_print_json(&a, list, 2, REVEAL);
    assert_false(value_is_known(parse_internal(&a, arena_copy_cstr(&a, spread), true)));
    arena_fini(&a);
}

static void test_secrets_come_out_only_when_asked(void **state) {
    (void)state; /* BP-281 */
    struct arena a = {0};
    struct map_builder b = {.arena = &a};
    value inner = value_int(5);
    map_add(&b, SV("s"), value_mark(value_string(&a, SV("geheim")), MARK_SENSITIVE));
    map_add(&b, SV("l"), value_mark(value_list_of(&a, &inner, 1), MARK_SENSITIVE));
    map_add(&b, SV("n"), value_int(1));
    value v = map_done(&b);
    assert_sv(value_print_json(&a, v, 0, REDACT), "{\"s\":\"(sensitive)\",\"l\":\"(sensitive)\",\"n\":1}");
    assert_sv(value_print_json(&a, v, 0, REVEAL), "{\"s\":\"geheim\",\"l\":[5],\"n\":1}");
    struct buf line = BUF(&a);
    value_render(&line, v, 80, REDACT);
    assert_sv(buf_get_sv(&line), "{\"s\": (sensitive), \"l\": (sensitive), \"n\": 1}");
    struct buf yaml = BUF(&a);
    doc_write_yaml(&yaml, value_to_node(&a, v, REDACT), &yaml_style_default);
    assert_true(sv_find(buf_get_sv(&yaml), SV("geheim")) == SIZE_MAX);
    arena_fini(&a);
}

static void test_every_character_survives(void **state) {
    (void)state; /* the quick way for plain text must never be taken for what needs an escape */
    struct arena a = {0};
    for (unsigned c = 1; c < 256; c++) {
        for (size_t at = 0; at < 20; at++) {
            char text[21] = "abcdefghijklmnopqrst";
            text[at] = (char)(c < 128 ? c : 'x');
            if (c >= 128 && at + 1 < 20) {
                text[at] = (char)(0xc2 + (c >= 0xc0));
                text[at + 1] = (char)(0x80 | (c & 0x3f));
            }
            value v = value_string(&a, sv_make(text, 20));
            sv json = value_print_json(&a, v, 0, REVEAL);
            struct buf plain = BUF(&a);
            jsonw_quote(&plain, sv_make(text, 20));
            assert_true(sv_eq(json, buf_get_sv(&plain)));
        }
    }
    arena_fini(&a);
}

static void test_bytes(void **state) {
    (void)state;
    struct arena a = {0};
    assert_sv(value_print_json(&a, value_bytes(&a, SV("Hi")), 0, REVEAL), "\"Hi\"");
    assert_sv(value_print_json(&a, value_bytes(&a, SV("\xff\xfe\x00")), 0, REVEAL),
              "{\"$lintel\":\"bytes\",\"base64\":\"//4A\"}");
    assert_sv(value_print_json(&a, value_bytes(&a, SV("\xff")), 0, REVEAL),
              "{\"$lintel\":\"bytes\",\"base64\":\"/w==\"}");
    arena_fini(&a);
}

static void test_render_is_short_and_safe(void **state) {
    (void)state; /* LC-062 */
    struct arena a = {0};
    struct buf line = BUF(&a);
    value_render(&line, value_string(&a, SV("a\x1b[31mb\"")), 80, REDACT);
    assert_null(memchr(line.data, 0x1b, line.len));
    struct buf cut = BUF(&a);
    value_render(&cut, value_string(&a, SV("0123456789012345678901234567890123456789")), 10, REDACT);
    assert_sv(buf_get_sv(&cut), "\"01234567\xe2\x80\xa6");
    struct buf unknown = BUF(&a);
    value_render(&unknown, value_unknown(NULL), 80, REDACT);
    assert_sv(buf_get_sv(&unknown), "(known on deploy)");
    arena_fini(&a);
}

static sv scalar_text(struct arena *a, value v) {
    struct buf out = BUF(a);
    value_print_scalar(&out, v);
    return buf_get_sv(&out);
}

static void test_text_of_scalars(void **state) {
    (void)state; /* BP-031 */
    struct arena a = {0};
    assert_sv(scalar_text(&a, value_float(2)), "2.0");
    assert_sv(scalar_text(&a, value_float(1e16)), "1e16");
    assert_sv(scalar_text(&a, value_float(2.5e-7)), "2.5e-7");
    assert_sv(scalar_text(&a, value_bool(true)), "true");
    assert_sv(scalar_text(&a, value_int(-3)), "-3");
    arena_fini(&a);
}

static void test_text_as_scalar(void **state) {
    (void)state; /* BP-033 */
    struct arena a = {0};
    assert_int_equal(value_parse_scalar(&a, SV(" -12 "), VALUE_INT).integer, -12);
    assert_false(value_is_set(value_parse_scalar(&a, SV("+1"), VALUE_INT)));
    assert_false(value_is_set(value_parse_scalar(&a, SV("1.0"), VALUE_INT)));
    assert_false(value_is_set(value_parse_scalar(&a, SV(""), VALUE_INT)));
    assert_false(value_is_set(value_parse_scalar(&a, SV("9223372036854775808"), VALUE_INT)));
    assert_true(value_parse_scalar(&a, SV("1"), VALUE_FLOAT).number > 0.5);
    assert_true(value_parse_scalar(&a, SV("-2.5e3"), VALUE_FLOAT).number < -2499);
    assert_false(value_is_set(value_parse_scalar(&a, SV("nan"), VALUE_FLOAT)));
    assert_false(value_is_set(value_parse_scalar(&a, SV(".5"), VALUE_FLOAT)));
    assert_true(value_parse_scalar(&a, SV("true\n"), VALUE_BOOL).boolean);
    assert_false(value_is_set(value_parse_scalar(&a, SV("True"), VALUE_BOOL)));
    assert_sv(value_get_text(value_parse_scalar(&a, SV(" x "), VALUE_STRING)), " x ");
    arena_fini(&a);
}

struct yaml_case {
    struct arena arena;
    struct sources sources;
    struct diags diags;
};

static value from_yaml(struct yaml_case *c, const char *yaml) {
    sources_init(&c->sources, &c->arena);
    diags_init(&c->diags, &c->arena, &c->sources);
    struct source *s = sources_add(&c->sources, SV("t.yaml"), sv_from_cstr(yaml));
    struct doc_options options = doc_options_yaml;
    options.duplicate_keys = DOC_ALLOW;
    struct doc_stream *stream = doc_read(&c->arena, s, &options, &c->diags);
    assert_false(stream->has_errors);
    return value_from_node(&c->arena, stream->documents.items[0].root, scalar_resolve_core, &limits_default, &c->diags);
}

static void test_from_tree(void **state) {
    (void)state; /* BP-013, BP-014; of duplicates the last wins, at the first's place */
    struct yaml_case c = {0};
    value v = from_yaml(&c, "a: 1\nb: [x, '2', ~, 2.5]\na: {c: yes}\nd: &k [1]\ne: *k\n");
    struct arena a = {0};
    assert_sv(value_print_json(&a, v, 0, REVEAL),
              "{\"a\":{\"c\":\"yes\"},\"b\":[\"x\",\"2\",null,2.5],\"d\":[1],\"e\":[1]}");
    assert_int_equal(c.diags.errors, 0);
    arena_fini(&a);
    arena_fini(&c.arena);
}

static void test_bad_numbers_are_reported(void **state) {
    (void)state; /* BP-018 */
    struct yaml_case c = {0};
    value v = from_yaml(&c, "[1, 9223372036854775808, .inf]");
    assert_int_equal(c.diags.errors, 2);
    assert_int_equal(c.diags.items.items[0]->code, DIAG_unsupported_number);
    assert_true((v.within & WITHIN_ERROR) != 0);
    arena_fini(&c.arena);
}

static void test_billion_laughs(void **state) {
    (void)state;
    struct yaml_case c = {0};
    value v = from_yaml(&c, "- &a [x,x,x,x,x,x,x,x,x,x]\n"
                            "- &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                            "- &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
                            "- &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                            "- &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
                            "- &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
                            "- &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n");
    assert_true(c.diags.errors > 0);
    assert_int_equal(c.diags.items.items[0]->code, DIAG_limit_exceeded);
    assert_true((v.within & WITHIN_ERROR) != 0);
    arena_fini(&c.arena);
}

static void test_to_tree_and_back(void **state) {
    (void)state;
    struct yaml_case c = {0};
    value v = from_yaml(&c, "a: '1'\nb: [true, 'true', 2.0, '', null, 'null']\n\"x: y\": {k: []}\n");
    struct buf out = BUF(&c.arena);
    doc_write_yaml(&out, value_to_node(&c.arena, v, REVEAL), &yaml_style_default);
    struct yaml_case d = {0};
    value back = from_yaml(&d, arena_copy_cstr(&c.arena, buf_get_sv(&out)));
    assert_true(value_eq(v, back));
    arena_fini(&c.arena);
    arena_fini(&d.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bad_json),
        cmocka_unit_test(test_unknown_survives_internally_only),
        cmocka_unit_test(test_secrets_come_out_only_when_asked),
        cmocka_unit_test(test_every_character_survives),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_render_is_short_and_safe),
        cmocka_unit_test(test_text_of_scalars),
        cmocka_unit_test(test_text_as_scalar),
        cmocka_unit_test(test_from_tree),
        cmocka_unit_test(test_bad_numbers_are_reported),
        cmocka_unit_test(test_billion_laughs),
        cmocka_unit_test(test_to_tree_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
