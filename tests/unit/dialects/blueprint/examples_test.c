/* Every example of the function tables, evaluated (house rule: a function has a language test and documentation). */
#include "unit/fn/fn_bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void check_example(const struct fn_def *f) {
    struct bench b;
    bench_init(&b);
    value v = bench_eval_in(&b, "example.yaml", f->example);
    sv text = bench_print(&b, v);
    if (b.diags.errors > 0 || !sv_eq(text, f->example_result)) {
        const char *why = b.diags.errors > 0 ? b.diags.items.items[0]->message.data : "";
        print_error("%.*s: given %.*s, wanted %.*s %s\n", SV_ARG(f->example), SV_ARG(text), SV_ARG(f->example_result),
                    why);
        fail();
    }
    bench_fini(&b);
}

static void test_examples(void **state) {
    (void)state;
    size_t count = 0;
    for (size_t i = 0; i < fn_core_registry.count; i++) {
        for (size_t k = 0; k < fn_core_registry.tables[i]->count; k++) {
            const struct fn_def *f = fn_core_registry.tables[i]->defs[k];
            if (f->example.len > 0) {
                check_example(f);
                count++;
            }
        }
    }
    assert_true(count >= 63); /* all but cwd, uuid and link, which have no result to tell, and some of no example */
}

/* FN-007: what would be too large is refused before it is made. */
static void test_limits(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    struct buf text = BUF(&b.arena);
    buf_append_cstr(&text, "replace(\"");
    buf_append_repeat(&text, 'a', 9000);
    buf_append_cstr(&text, "\", \"a\", \"");
    buf_append_repeat(&text, 'b', 9000);
    buf_append_cstr(&text, "\")");
    value v = bench_eval_in(&b, "big.yaml", buf_get_sv(&text));
    assert_int_equal(v.kind, VALUE_ERROR);
    assert_int_equal(b.diags.items.items[0]->code, DIAG_limit_exceeded);
    bench_fini(&b);
}

/* --- functions as providers bring them: an order, a callback that takes the index --- */

static value call_cmp(struct fn_call *c) {
    return value_int(c->args[0].integer / 10 - c->args[1].integer / 10);
}

static value call_at(struct fn_call *c) {
    return value_list_of(c->arena, c->args, c->count);
}

/* Whether no index has come. */
static value call_count(struct fn_call *c) {
    return value_bool(c->count == 1);
}

static value call_add(struct fn_call *c) {
    return value_int(c->args[0].integer + c->args[1].integer + c->args[2].integer);
}

static const struct fn_param cmp_params[] = {{SV_INIT("a"), &type_int, 0, SV_INIT("")},
                                             {SV_INIT("b"), &type_int, 0, SV_INIT("")}};
static const struct fn_param at_params[] = {{SV_INIT("item"), &type_any, 0, SV_INIT("")},
                                            {SV_INIT("index"), &type_int, FN_INDEX | FN_OPTIONAL, SV_INIT("")}};
static const struct fn_def fn_at = {.name = SV_INIT("at"),
                                    .params = at_params,
                                    .param_count = 2,
                                    .result = &type_list,
                                    .flags = FN_PURE,
                                    .call = call_at};
static const struct fn_def fn_cmp = {.name = SV_INIT("cmp"),
                                     .params = cmp_params,
                                     .param_count = 2,
                                     .result = &type_int,
                                     .flags = FN_PURE,
                                     .call = call_cmp};
static const struct fn_def fn_count = {.name = SV_INIT("count"),
                                       .params = at_params,
                                       .param_count = 2,
                                       .result = &type_bool,
                                       .flags = FN_PURE,
                                       .call = call_count};
static const struct fn_param add_params[] = {{SV_INIT("sum"), &type_int, 0, SV_INIT("")},
                                             {SV_INIT("item"), &type_int, 0, SV_INIT("")},
                                             {SV_INIT("index"), &type_int, FN_INDEX | FN_OPTIONAL, SV_INIT("")}};
static const struct fn_def fn_add = {.name = SV_INIT("add"),
                                     .params = add_params,
                                     .param_count = 3,
                                     .result = &type_int,
                                     .flags = FN_PURE,
                                     .call = call_add};
static const struct fn_def *const provided_defs[] = {&fn_add, &fn_at, &fn_cmp, &fn_count};
static const struct fn_table provided = {provided_defs, 4};

static void add_functions(struct bench *b) {
    const struct fn_table **tables = ARENA_ARRAY(&b->arena, const struct fn_table *, fn_core_registry.count + 1);
    memcpy(tables, fn_core_registry.tables, fn_core_registry.count * sizeof *tables);
    tables[fn_core_registry.count] = &provided;
    b->dialect.functions = fn_registry_new(&b->arena, tables, fn_core_registry.count + 1);
}

/* Every length is sorted, and items that are equal (here: the same tens) keep their order (FN-147). */
static void test_sort(void **state) {
    (void)state;
    for (size_t n = 1; n < 70; n++) {
        struct bench b;
        bench_init(&b);
        add_functions(&b);
        struct buf text = BUF(&b.arena);
        buf_append_cstr(&text, "sort(list(");
        for (size_t i = 0; i < n; i++) {
            buf_printf(&text, "%s%zu", i > 0 ? "," : "", (i * 37 + 11) % 101);
        }
        buf_append_cstr(&text, "), cmp)");
        value v = bench_eval_in(&b, "sort.yaml", buf_get_sv(&text));
        assert_int_equal(v.kind, VALUE_LIST);
        assert_int_equal(v.list->len, n);
        for (size_t i = 1; i < n; i++) {
            int64_t before = v.list->items[i - 1].integer, after = v.list->items[i].integer;
            assert_true(before / 10 <= after / 10);
            /* 37 is invertible modulo 101, so a number tells where it stood: its inverse times 41 (37 * 71 = 1). */
            int64_t place = (before - 11 + 101) * 71 % 101, next = (after - 11 + 101) * 71 % 101;
            assert_true(before / 10 < after / 10 || place < next);
        }
        bench_fini(&b);
    }
}

/* FN-024: map, flatmap and reduce pass the index to functions that mark a parameter for it; filter does not. */
static void test_index(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    add_functions(&b);
    assert_true(sv_eq_cstr(bench_print(&b, bench_eval(&b, "map(list('a', 'b'), at)")), "[[\"a\",0],[\"b\",1]]"));
    assert_true(sv_eq_cstr(bench_print(&b, bench_eval(&b, "flatmap(list('a', 'b'), at)")), "[\"a\",0,\"b\",1]"));
    assert_true(sv_eq_cstr(bench_print(&b, bench_eval(&b, "filter(list(true), count)")), "[true]"));
    assert_true(sv_eq_cstr(bench_print(&b, bench_eval(&b, "reduce(list(5, 5), add, 1)")), "12"));
    bench_fini(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
