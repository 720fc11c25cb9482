/* Texts with substitutions: tokens, nesting, interpolation, and what other implementations get wrong (1.14, 1.15). */
#include "fn_bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void define(struct bench *b) {
    struct arena *a = &b->arena;
    value hosts[] = {value_string(a, SV("http://a")), value_string(a, SV("http://b"))};
    struct map_builder m = {.arena = a};
    map_add(&m, SV("hosts"), value_list_of(a, hosts, 2));
    map_add(&m, SV("n"), value_float(2.0));
    map_add(&m, SV("a.b"), value_int(7));
    map_add(&m, SV("true"), value_int(8));
    map_add(&m, SV("nil"), value_null());
    bench_define_value(b, "cfg", map_done(&m));
    bench_define_value(b, "nonexistent", value_string(a, SV("there")));
    bench_define_value(b, "s", value_string(a, SV("x}y")));
}

#define RUN(samples) \
    assert_int_equal(bench_run_samples((samples), sizeof(samples) / sizeof *(samples), true, define), 0)
#define SYNTAX "!invalid_reference_substitution"

/* BP-210 to BP-215. */
static const struct bench_sample texts[] = {
    {"", ""},
    {"plain", "plain"},
    {"$", "$"},
    {"$$", "$$"},
    {"$x {y} }", "$x {y} }"},
    {"${true}", "true"},
    {" ${1} ", " 1 "},
    {"a${1}b${2}c", "a1b2c"},
    {"${1}${2}", "12"},
    {"$${1}", "$1"},
    {"$$${1}$", "$$1$"},
    {"${\"}\"}", "}"},
    {"${'}'}", "}"},
    {"${\"${\"}HOME}", "${HOME}"},
    {"${'${'}${'}'}", "${}"},
    {"${'{'}", "{"},
    {"\\${1}", "\\1"},
    {"{${1}}", "{1}"},
    {"[${none}]", "[]"},
    {"${none}", "none"},
    {"${none}${none}", ""},
    {"${values.s}", "x}y"},
    {"${ \n\t 1 \r\n }", "1"},
    {"é${'日'}😀", "é日😀"},
    {"${'it\\'s'}", "it's"},
    {"${\"say \\\"hi\\\"\"}", "say \"hi\""},
    {"${\"it's\"}", "it's"},
    {"${'a\"b'}", "a\"b"},
    {"${'a\\nb'}", "a\\nb"},
    {"${'\\\\ x'}", "\\\\ x"},
    {"${\"\\'\"}", "\\'"},
    {"${'\\\"'}", "\\\""},
    {"${'a\nb'}", "a\nb"},
    {"${''}", ""},
    {"${len('\\\\u00e9')}", "7"},
    {"x${''}y", "xy"},
    /* what is left open, or too much */
    {"${", SYNTAX},
    {"${}", SYNTAX},
    {"${ }", SYNTAX},
    {"a ${\n} b", SYNTAX},
    {"${1", SYNTAX},
    {"${values.s", SYNTAX},
    {"${'a}", SYNTAX},
    {"${\"a'}", SYNTAX},
    {"${'a\\'}", SYNTAX},
    {"${trim('a'}", SYNTAX},
    {"${trim('a')", SYNTAX},
    {"${${1}}", SYNTAX},
    {"${trim(${'a'})}", SYNTAX},
    {"${1} ${", SYNTAX},
    {"${1 2}", SYNTAX},
    {"${true false}", SYNTAX},
    {"${'a''b'}", SYNTAX},
    {"${1,2}", SYNTAX},
    {"${1)}", SYNTAX},
    {"${(1)}", SYNTAX},
    {"${[1]}", SYNTAX},
    {"${{}}", SYNTAX},
    {"${trim('a') x}", SYNTAX},
    {"${trim('a'))}", SYNTAX},
    {"${trim(, 'a')}", SYNTAX},
    {"${trim('a',)}", SYNTAX},
    {"${trim 'a'}", SYNTAX},
    {"${1 + 2}", SYNTAX},
    {"${values.s == 'a'}", SYNTAX},
    {"${!true}", SYNTAX},
    {"${a ? 1 : 2}", SYNTAX},
    {"${values}", SYNTAX},
    {"${values.}", SYNTAX},
    {"${values.1}", SYNTAX},
    {"${values..s}", SYNTAX},
    {"${values[0]}", SYNTAX},
    {"${values.cfg.hosts[-1]}", SYNTAX},
    {"${values.cfg.hosts[1.0]}", SYNTAX},
    {"${values.cfg.hosts[a]}", SYNTAX},
    {"${values.cfg.hosts[99999999999999999999]}", SYNTAX},
    {"${values.cfg[\"a b\"]}", SYNTAX},
    {"${values.cfg[\"\"]}", SYNTAX},
    {"${values.cfg[\"a.b]}", SYNTAX},
    {"${'a'.b}", SYNTAX},
    {"${1[0]}", SYNTAX},
    {"${i.x}", SYNTAX},
    {"${i[0]}", SYNTAX},
    {"${\xC2\xA0"
     "1}",
     SYNTAX},
    {"${é}", SYNTAX},
    {"${@}", SYNTAX},
    {"${a#b}", SYNTAX},
    {"${`a`}", SYNTAX},
};

/* BP-221 to BP-226. */
static const struct bench_sample tokens[] = {
    {"${values.nonexistent}", "there"},
    {"${values.cfg.true}", "8"},
    {"${values.cfg[\"true\"]}", "8"},
    {"${values.cfg[\"a.b\"]}", "7"},
    {"${values.cfg['a.b']}", "7"},
    {"${values . cfg [ 'hosts' ] [ 0 ]}", "http://a"},
    {"${values[\"cfg\"].hosts[]}", "http://a"},
    {"${values.cfg.hosts[01]}", "http://b"},
    {"${values.cfg.hosts[2]}", "!index_out_of_bounds"},
    {"${trueValue.spec.a}", "!invalid_reference"},
    {"${falsey}", "!invalid_reference"},
    {"${none1}", "!invalid_reference"},
    {"${true-ish}", "!invalid_reference"},
    {"${nonexistent}", "!invalid_reference"},
    {"${i2}", "!invalid_reference"},
    {"${element}", "!invalid_reference"},
    {"${valuesx.a}", "!invalid_reference"},
    {"${TRUE}", "!invalid_reference"},
    {"${null}", "!invalid_reference"},
    {"${true}", "true"},
    {"${true()}", SYNTAX},
    {"${i(1)}", SYNTAX},
    {"${values('a')}", SYNTAX},
    {"${split('a.b', '.')(1)}", SYNTAX},
    {"${split('a.b', '.')[1]}", "b"},
    {"${split('a.b', '.')[]}", "a"},
    {"${split('a.b', '.') [ 1 ]}", "b"},
    {"${object(a=object(b=list(1,2))).a.b[1]}", "2"},
    {"${object(a=1)['a']}", "1"},
    {"${trim ( ' a ' )}", "a"},
    {"${object( a = 1 , b = 2 ).b}", "2"},
    {"${object(object = 1).object}", "1"},
    {"${map(values.cfg.hosts, trimprefix_g(\"http://\"))[1]}", "b"},
    {"${map(values.cfg.hosts, trim)}", "[\"http://a\",\"http://b\"]"},
    {"${getattr(\"id\")}", "?higher_order_function_not_supported"},
    {"${getattr(\"id\")(elem)}", SYNTAX},
    {"x${split_g(',')}", "?higher_order_function_not_supported"},
};

/* BP-224, BP-031, BP-213. */
static const struct bench_sample numbers[] = {
    {"${0}", "0"},
    {"${-0}", "0"},
    {"${007}", "7"},
    {"${-5}", "-5"},
    {"${9223372036854775807}", "9223372036854775807"},
    {"${-9223372036854775808}", "-9223372036854775808"},
    {"${9223372036854775808}", SYNTAX},
    {"${-9223372036854775809}", SYNTAX},
    {"${99999999999999999999999999}", SYNTAX},
    {"n=${values.cfg.n}", "n=2.0"},
    {"${1.50}", "1.5"},
    {"x${1.5}", "x1.5"},
    {"x${100.0}", "x100.0"},
    {"x${0.1}", "x0.1"},
    {"x${0.30000000000000004}", "x0.30000000000000004"},
    {"x${-0.0}", "x-0.0"},
    {"x${0.0001}", "x0.0001"},
    {"x${0.00001}", "x1e-5"},
    {"x${0.00000025}", "x2.5e-7"},
    {"x${9999999999999998.0}", "x9999999999999998.0"},
    {"x${10000000000000000.0}", "x1e16"},
    {"x${123456789012345678.0}", "x1.2345678901234568e17"},
    {"x${9007199254740993.0}", "x9007199254740992.0"},
    {"x${9007199254740993}", "x9007199254740993"},
    {"x${179769313486231570000000000000000000000000000000000000000.0}", "x1.7976931348623158e56"},
    {"${00.5}", "0.5"},
    {"${1.}", SYNTAX},
    {"${.5}", SYNTAX},
    {"${+1}", SYNTAX},
    {"${1e5}", SYNTAX},
    {"${1.5e3}", SYNTAX},
    {"${0x10}", SYNTAX},
    {"${1_000}", SYNTAX},
    {"${- 1}", SYNTAX},
    {"${-}", SYNTAX},
    {"${--1}", SYNTAX},
    {"${5-3}", SYNTAX},
    {"${1.2.3}", SYNTAX},
    {"${5x}", SYNTAX},
};

/* Chapter 5 of the functions, and BP-213: what can stand in text. */
static const struct bench_sample results[] = {
    {"${values.cfg}", "{\"hosts\":[\"http://a\",\"http://b\"],\"n\":2.0,\"a.b\":7,\"true\":8,\"nil\":null}"},
    {"x-${values.cfg}", "?invalid_resolved_sub_value"},
    {"x-${values.cfg.hosts}", "?invalid_resolved_sub_value"},
    {"x-${values.cfg.nil}", "?invalid_resolved_sub_value"},
    {"x-${jsondecode('null')}", "!invalid_resolved_sub_value"},
    {"x-${jsondecode('[]')}", "!invalid_resolved_sub_value"},
    {"x-${jsondecode('\"a\"')}", "x-a"},
    {"x-${base64decode('SGk=')}", "x-Hi"},
    {"x-${base64decode('/w==')}", "!invalid_resolved_sub_value"},
    {"${object(a = none, b = 1)}", "{\"b\":1}"},
    {"${eq('prod', 'prod')}", "true"},
    {"v${eq('prod', 'prod')}", "vtrue"},
    {"${list()}${1}", "?invalid_resolved_sub_value"},
    {"${utf8(file('cert.pem'))}", "-----BEGIN-----"},
    {"<${file('cert.pem')}>", "<-----BEGIN----->"},
    {"${list(list(list(list())))}", "[[[[]]]]"},
    {"${values.cfg.nil}", "null"},
    {"${values.cfg.nil.x}", "?sub_func_path_field_on_non_object"},
    {"${values.cfg.n[0]}", "?sub_func_path_index_on_non_array"},
    {"${values.cfg.zz}", "?invalid_mapping_path"},
    {"${jsondecode('{\"a\":1}').b}", "!invalid_mapping_path"},
    {"${jsondecode('[1]')[1]}", "!index_out_of_bounds"},
    {"${jsondecode('5').b}", "!sub_func_path_field_on_non_object"},
    {"${jsondecode('{}')[0]}", "!sub_func_path_index_on_non_array"},
    {"${lookup(object(a=1), 'b').x.y[3]}", "none"},
};

static void test_texts(void **state) {
    (void)state;
    RUN(texts);
}

static void test_tokens(void **state) {
    (void)state;
    RUN(tokens);
}

static void test_numbers(void **state) {
    (void)state;
    RUN(numbers);
}

static void test_results(void **state) {
    (void)state;
    RUN(results);
}

/* --- what is deep or long (FN-007, LC-080) --- */

static sv repeat(struct bench *b, const char *open, const char *middle, const char *close, size_t count) {
    struct buf out = BUF(&b->arena);
    for (size_t i = 0; i < count; i++) {
        buf_append_cstr(&out, open);
    }
    buf_append_cstr(&out, middle);
    for (size_t i = 0; i < count; i++) {
        buf_append_cstr(&out, close);
    }
    return buf_get_sv(&out);
}

static void test_nested_calls(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    size_t limit = b.limits.expr_depth;
    value v = bench_eval_in(&b, "deep.yaml", repeat(&b, "trim(", "' x '", ")", limit - 1));
    assert_true(sv_eq_cstr(bench_print(&b, v), "x"));
    bench_check_expr(&b, bench_parse_in(&b, "deep.yaml", repeat(&b, "list(", "1", ")", limit - 1)));
    assert_int_equal(b.diags.errors, 0);
    v = bench_eval_in(&b, "deep.yaml", repeat(&b, "trim(", "' x '", ")", limit));
    assert_int_equal(v.kind, VALUE_ERROR);
    assert_true(bench_has(&b, DIAG_limit_exceeded, "nested deeper than 128 levels"));
    bench_fini(&b);
    bench_init(&b);
    v = bench_eval_in(&b, "deep.yaml", repeat(&b, "trim(", "' x '", ")", 1000000));
    assert_int_equal(v.kind, VALUE_ERROR);
    assert_int_equal(b.diags.errors, 1);
    bench_fini(&b);
}

/* A chain of values takes no C frames. */
static void test_long_chain(void **state) {
    (void)state;
    enum { LENGTH = 2000 };
    struct bench b;
    bench_init(&b);
    bench_define(&b, "v0", "${'x'}");
    struct cell *last = NULL;
    for (size_t i = 1; i <= LENGTH; i++) {
        sv name = arena_printf(&b.arena, "v%zu", i), text = arena_printf(&b.arena, "${trim(values.v%zu)}", i - 1);
        last = bench_define(&b, name.data, text.data);
    }
    assert_true(sv_eq_cstr(bench_print(&b, eval_cell(b.ev, last)), "x"));
    assert_int_equal(b.diags.errors, 0);
    bench_fini(&b);
}

static void test_long_texts(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    struct buf text = BUF(&b.arena);
    for (size_t i = 0; i < 50000; i++) {
        buf_append_cstr(&text, "${'ab'} ");
    }
    const struct expr *e = bench_parse_text(&b, buf_get_sv(&text));
    value v = eval_expr(b.ev, e, NULL);
    assert_int_equal(value_get_text(v).len, 150000);
    struct buf many = BUF(&b.arena);
    buf_append_cstr(&many, "len(list(0");
    for (size_t i = 1; i < 20000; i++) {
        buf_append_cstr(&many, ",'é'");
    }
    buf_append_cstr(&many, "))");
    assert_true(sv_eq_cstr(bench_print(&b, bench_eval_in(&b, "many.yaml", buf_get_sv(&many))), "20000"));
    bench_fini(&b);
}

/* All mistakes of one text are told (BP-302). */
static void test_several_mistakes(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    bench_parse_text(&b, SV("${1 2} ${'}'} ${} ${trim(} x"));
    assert_true(sv_eq_cstr(bench_list_codes(&b), "invalid_reference_substitution invalid_reference_substitution "
                                                 "invalid_reference_substitution"));
    bench_fini(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),      cmocka_unit_test(test_tokens),           cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_results),    cmocka_unit_test(test_nested_calls),     cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_long_texts), cmocka_unit_test(test_several_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
