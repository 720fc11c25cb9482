/* What is known of calls before they run: types of results, messages, provider functions. */
#include "fn_bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* --- FN-033, BP-314 --- */

static const struct {
    const char *text, *type;
} types[] = {
    {"if(true, 'a', 'b')", "string"},
    {"if(true, 1, 2.5)", "number"},
    {"if(true, 1, 'a')", "any value"},
    {"if(true, none, 'a')", "string"},
    {"first('a', 'b')", "string"},
    {"coalesce(none, list('a'))", "array of strings"},
    {"list(1, 2)", "array of integers"},
    {"list(1, 'a')", "array"},
    {"list(list('a'))", "array of arrays of strings"},
    {"object(a=1).a", "integer"},
    {"map(list('a'), len)", "array of integers"},
    {"map(list('a'), trimprefix_g('x'))", "array of strings"},
    {"map(list('a'), pipe(trim, len))", "array of integers"},
    {"map(list('a'), compose(split_g(','), trim))", "array of arrays of strings"},
    {"filter(list('a'), has_prefix_g('x'))", "array of strings"},
    {"sort(list(1, 2), min)", "array of integers"},
    {"flatmap(list('a'), split_g(','))", "array of strings"},
    {"jsondecode('1')", "any value"},
    {"fromjson('1', '')", "any value"},
    {"reduce(list(1), max, 0)", "number"},
    {"reduce(list('a'), trimprefix, 'x')", "string"},
    {"reduce(list(), lookup, jsondecode('1'))", "any value"},
    {"lookup(object(a=1), 'a')", "integer"},
    {"lookup(object(a=1), 'a', 'x')", "integer"},
    {"lookup(object(a=1), 'b', 'x')", "string"},
    {"lookup(object(a=1), 'b')", "none"},
    {"lookup(jsondecode('{}'), 'b')", "any value"},
    {"vals(object(a='x', b='y'))", "array of strings"},
    {"vals(object(a='x', b=1))", "array"},
    {"keys(object(a=1))", "array of strings"},
    {"min(1, 2)", "integer"},
    {"max(1, 2.5)", "float"},
    {"abs(jsondecode('1'))", "number"},
    {"file('x')", "bytes"},
    {"utf8(file('x'))", "string"},
    {"datetime('unix')", "string"},
    {"uuid()", "string"},
    {"cwd()", "string"},
    {"contains(list(1), 2)", "boolean"},
    {"map(list(object(a=1)), getattr('a'))", "array"},
};

static void test_result_types(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct bench b;
        bench_init(&b);
        const struct type *t = bench_check(&b, types[i].text);
        struct buf out = BUF(&b.arena);
        if (t != NULL) {
            type_print(&out, t);
        }
        bool ok = b.diags.errors == 0 && sv_eq_cstr(buf_get_sv(&out), types[i].type);
        if (!ok) {
            print_error("%s: %.*s; %.*s\n", types[i].text, SV_ARG(buf_get_sv(&out)), SV_ARG(bench_list_codes(&b)));
            fail();
        }
        bench_fini(&b);
    }
}

/* --- FN-015, FN-030, FN-031: what is said --- */

static const struct {
    const char *text;
    enum diag_code code;
    const char *said;
} mistakes[] = {
    {"trim(s = ' a ')", DIAG_named_argument_ignored, "the name 's' has no effect"},
    {"len()", DIAG_invalid_substitution, "'len': 0 arguments are given, 1 must be"},
    {"substr('a')", DIAG_invalid_substitution, "1 argument is given, 2 to 3 must be"},
    {"max()", DIAG_invalid_substitution, "0 arguments are given, at least 1 must be"},
    {"trim(5)", DIAG_invalid_substitution, "parameter 'text' takes 'string', not 'integer'"},
    {"trim(file('x'))", DIAG_invalid_substitution, "make text of bytes with utf8"},
    {"eq(1, '1')", DIAG_invalid_substitution, "an integer and a string cannot be compared"},
    {"object(1)", DIAG_invalid_substitution, "argument 1 has no name"},
    {"object(a = 1, a = 2)", DIAG_invalid_substitution, "'a' is given twice"},
    {"sort(list(1, 2), lt)", DIAG_invalid_substitution, "the function must give an integer, but gives a boolean"},
    {"map(list(1), trim)", DIAG_invalid_substitution, "the function takes a string, but an item is an integer"},
    {"reduce(list(1), max, 'a')", DIAG_invalid_substitution, "takes a number, but the initial value is a string"},
    {"map(list('a'), pipe(len, trim))", DIAG_invalid_substitution,
     "takes a string, but the one before it gives an integer"},
    {"map(list(true), and)", DIAG_invalid_substitution, "called with 1 argument, which it does not take"},
    {"datetime('iso')", DIAG_invalid_substitution, "a format is unix, rfc3339, tag or tagcompact"},
    {"file('ftp://x/y')", DIAG_invalid_substitution, "http_resource"},
    {"http_resource('x')", DIAG_invalid_substitution, "read files with file"},
    {"trimm('a')", DIAG_function_not_found, "did you mean 'trim'?"},
    {"map(list('a'), Trim)", DIAG_function_not_found, "did you mean 'trim'?"},
    {"join(list(list(1)), '')", DIAG_invalid_substitution, "an item is an array of integers, only scalars"},
};

static void test_messages(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct bench b;
        bench_init(&b);
        bench_check(&b, mistakes[i].text);
        if (b.diags.items.len != 1 || !bench_has(&b, mistakes[i].code, mistakes[i].said)) {
            print_error("%s: %.*s\n", mistakes[i].text,
                        SV_ARG(b.diags.items.len > 0 ? b.diags.items.items[0]->message : SV("nothing")));
            fail();
        }
        bench_fini(&b);
    }
}

/* The same at run time, with articles (FN-018). */
static const struct {
    const char *text, *said;
} failures[] = {
    {"abs(jsondecode('\"x\"'))", "'abs': 'of' must be a number, not a string"},
    {"substr('abc', jsondecode('1.5'))", "'start' must be an integer, not a float"},
    {"keys(jsondecode('[]'))", "'of' must be an object, not an array"},
    {"len(jsondecode('null'))", "'of' must be a string, array or object, not null"},
    {"and(true, jsondecode('1'))", "a boolean is wanted, not an integer"},
    {"eq(jsondecode('[]'), '1')", "an array and a string cannot be compared"},
    {"join(jsondecode('[{}]'), '')", "item 0 is an object, only scalars can be joined"},
    {"map(jsondecode('[1]'), trim)", "'text' must be a string, not an integer"},
    {"trim(lookup(object(a=base64decode('SGk=')), join(list('a'), '')))", "make text of bytes with utf8"},
};

static void test_failures(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        struct bench b;
        bench_init(&b);
        bench_eval(&b, failures[i].text);
        if (!bench_has(&b, DIAG_invalid_function_argument, failures[i].said)) {
            print_error("%s: %.*s\n", failures[i].text,
                        SV_ARG(b.diags.items.len > 0 ? b.diags.items.items[0]->message : SV("nothing")));
            fail();
        }
        bench_fini(&b);
    }
}

/* --- FN-002, BP-324: functions of providers --- */

static value call_cmp(struct fn_call *c) {
    return value_int(sv_cmp(value_get_text(c->args[0]), value_get_text(c->args[1])));
}

static const struct fn_param cmp_params[] = {{SV_INIT("a"), &type_string, 0, SV_INIT("")},
                                             {SV_INIT("b"), &type_string, 0, SV_INIT("")}};
static const struct fn_param shout_params[] = {{SV_INIT("text"), &type_string, 0, SV_INIT("")}};

static const struct fn_def fn_cmp = {.name = SV_INIT("cmp"),
                                     .params = cmp_params,
                                     .param_count = 2,
                                     .result = &type_int,
                                     .flags = FN_PURE,
                                     .call = call_cmp};
static const struct fn_def fn_shout = {
    .name = SV_INIT("shout"), .params = shout_params, .param_count = 1, .result = &type_string};
static const struct fn_def fn_trim = {
    .name = SV_INIT("trim"), .params = shout_params, .param_count = 1, .result = &type_int, .call = call_cmp};

static const struct fn_def *const texts_defs[] = {&fn_cmp, &fn_trim};
static const struct fn_def *const declared_defs[] = {&fn_cmp, &fn_shout};
static const struct fn_table texts_table = {texts_defs, 2}, declared_table = {declared_defs, 2};
static const struct fn_table cmp_table = {texts_defs, 1}, shout_table = {declared_defs + 1, 1};

static void provide(struct bench *b, const struct fn_table *first, const struct fn_table *second) {
    struct provider *p = ARENA_ARRAY(&b->arena, struct provider, 3);
    const struct provider **items = ARENA_ARRAY(&b->arena, const struct provider *, 3);
    p[0] = (struct provider){.name = SV("text"), .functions = first};
    p[1] = (struct provider){.name = SV("none")};
    p[2] = (struct provider){.name = SV("declared"), .functions = second};
    for (size_t i = 0; i < 3; i++) {
        items[i] = &p[i];
    }
    struct providers all = {items, 3};
    b->dialect.functions = fn_registry_for(&b->arena, &fn_core_registry, &all, &b->diags);
}

static void test_provider_functions(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    assert_ptr_equal(fn_registry_for(&b.arena, &fn_core_registry, NULL, &b.diags), &fn_core_registry);
    provide(&b, &cmp_table, &shout_table);
    assert_int_equal(b.diags.errors, 0);
    assert_true(sv_eq_cstr(bench_print(&b, bench_eval(&b, "sort(list('b', 'a', 'c'), cmp)")), "[\"a\",\"b\",\"c\"]"));
    assert_true(sv_eq_cstr(bench_print(&b, bench_eval(&b, "trim(' a ')")), "a"));
    assert_int_equal(bench_check(&b, "shout('a')")->kind, TYPE_STRING);
    bench_check(&b, "trim(shot('a'))");
    assert_true(bench_has(&b, DIAG_function_not_found, "did you mean 'shout'?"));
    bench_fini(&b);
}

/* Declared, but implemented by nobody: unknown in validation, a failure in a run. */
static void test_declared_functions(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    provide(&b, &cmp_table, &shout_table);
    value v = bench_eval(&b, "len(shout('a'))");
    assert_int_equal(v.kind, VALUE_ERROR);
    assert_true(bench_has(&b, DIAG_function_call_error, "'shout': no provider here implements this function"));
    b.is_validation = true;
    bench_restart(&b);
    v = bench_eval(&b, "shout('a')");
    assert_true(v.kind == VALUE_UNKNOWN && v.type == &type_string);
    /* FN-034: validation does not run those that could be run, either. */
    v = bench_eval(&b, "cmp('a', 'b')");
    assert_true(v.kind == VALUE_UNKNOWN && v.type == &type_int);
    v = bench_eval(&b, "sort(list('b', 'a'), cmp)");
    assert_int_equal(v.kind, VALUE_UNKNOWN);
    bench_fini(&b);
}

/* FN-002: each name is told once; the core function, or the first offer, counts. */
static void test_names_offered_twice(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    provide(&b, &texts_table, &declared_table);
    assert_int_equal(b.diags.errors, 2);
    assert_true(
        bench_has(&b, DIAG_function_already_provided, "'trim' of provider 'text' has the name of a core function"));
    assert_true(sv_find(b.diags.items.items[1]->message, SV("'cmp' is offered by provider 'text' and again by provider "
                                                            "'declared'")) != SIZE_MAX);
    assert_true(sv_eq_cstr(bench_print(&b, bench_eval(&b, "cmp(trim(' b '), 'a')")), "1"));
    bench_fini(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result_types),       cmocka_unit_test(test_messages),
        cmocka_unit_test(test_failures),           cmocka_unit_test(test_provider_functions),
        cmocka_unit_test(test_declared_functions), cmocka_unit_test(test_names_offered_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
