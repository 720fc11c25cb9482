/* The evaluator under the standard policy: values, marks, unknown, none, calls, laziness, callbacks, templates, steps,
 * limits. */
#include "test_dialect.h"

#include "lang/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct eval_case {
    const char *expr, *wanted, *diags;
};

static void define_world(struct world *w) {
    struct arena *a = &w->arena;
    struct map_builder parts = {.arena = a};
    map_add(&parts, SV("pub"), value_int(1));
    map_add(&parts, SV("sec"), value_mark(value_string(a, SV("geheim")), MARK_SENSITIVE));
    map_add(&parts, SV("unk"), value_unknown(&type_string));
    value list[] = {value_int(10), value_int(20), value_int(30)};
    map_add(&parts, SV("list"), value_list_of(a, list, 3));
    map_add(&parts, SV("null"), value_null());
    world_define_value(w, "m", map_done(&parts));
    world_define_value(w, "unk", value_unknown(NULL));
    world_define_value(w, "prov", value_mark(value_int(7), MARK_PROVISIONAL));
    world_define_value(w, "gone", value_absent());
    world_define_value(w, "bytes", value_bytes(a, SV("\xff")));
    world_define(w, "seven", "3 + 4");
}

static void check_cases(const struct dialect *d, const struct eval_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct world w;
        world_init(&w, d);
        define_world(&w);
        world_restart(&w);
        value v = cases[i].expr[0] == '@' ? eval_expr(w.ev, world_parse(&w, cases[i].expr + 1), NULL)
                                          : world_eval(&w, cases[i].expr);
        const char *shown = world_show(&w, v);
        if (strcmp(shown, cases[i].wanted) != 0 || strcmp(world_list_diags(&w), cases[i].diags) != 0) {
            print_error("expression: %s\n", cases[i].expr);
        }
        assert_string_equal(shown, cases[i].wanted);
        assert_string_equal(world_list_diags(&w), cases[i].diags);
        world_fini(&w);
    }
}

#define CHECK(d, cases) check_cases(&(d), cases, sizeof(cases) / sizeof *(cases))

static void test_values(void **state) {
    (void)state;
    static const struct eval_case cases[] = {
        {"1 + 2 * 3", "7", ""},
        {"seven - 1", "6", ""},
        {"m.list[1]", "20", ""},
        {"m.list[1 + 1]", "30", ""},
        {"m[\"pub\"]", "1", ""},
        {"m[\"p\" == \"p\" ? \"pub\" : \"sec\"]", "1", ""},
        {"[1, [seven]]", "[1,[7]]", ""},
        {"{a: seven, (\"b\"): {c: nil}}", "{\"a\":7,\"b\":{\"c\":null}}", ""},
        {"{a: 1, b: 2, a: 3}", "{\"a\":3,\"b\":2}", ""},
        {"true ? 1 : missing", "1", ""},
        {"if false then missing else 2", "2", ""},
        {"(|x, y| -> x - y)(5, 3)", "2", ""},
        {"(|x| -> |y| -> x - y)(5)(3)", "2", ""}, /* closures keep their scope */
        {"map([1, 2], |x| -> x * 10)", "[10,20]", ""},
        {"map([5, 6], |x, i| -> i)", "[0,1]", ""},                       /* the index where it is wanted (FN-024) */
        {"map([\"abc\", \"xyz\"], cut_g(1))", "[\"bc\",\"yz\"]", ""},    /* FN-022 */
        {"map([\"abcd\"], compose(cut_g(1), cut_g(2)))", "[\"d\"]", ""}, /* FN-149 */
        {"cut_g(1)(\"abc\")", "\"bc\"", ""},
        {"join(1, \"-\", 2.0, true)", "\"1-2.0true\"", ""},
        {"false && missing", "false", ""}, /* FN-011 */
        {"map([], |x| -> missing)", "[]", ""},
    };
    CHECK(dialect_rich, cases);
}

static void test_unknown(void **state) {
    (void)state; /* FN-012, BP-261, BP-262 */
    static const struct eval_case cases[] = {
        {"unk + 1", "unknown", ""},
        {"join(m)", "unknown", ""}, /* at any depth */
        {"list(unk, 1)", "[{\"$lintel\":\"unknown\"},1]", ""},
        {"list(unk, 1)[1]", "1", ""}, /* accessors reach the known ones */
        {"m.unk", "unknown", ""},
        {"unk.any.thing[0]", "unknown", ""},
        {"false && unk", "false", ""},
        {"unk && false", "unknown", ""},
        {"unk ? 1 : 2", "unknown", ""},
        {"unk + missing", "ERROR", "missing_value@6+7"}, /* an error is still found */
        {"m[m.unk]", "unknown", ""},
        {"@a<( unk )>", "unknown", ""},
        {"kind(unk)", "\"unknown\"", ""},
    };
    CHECK(dialect_rich, cases);
}

static void test_unknown_keeps_its_type(void **state) {
    (void)state; /* BP-263 */
    struct world w;
    world_init(&w, &dialect_rich);
    define_world(&w);
    assert_ptr_equal(world_eval(&w, "unk + 1").type, &type_int);
    assert_ptr_equal(world_eval(&w, "m.unk").type, &type_string);
    world_define_value(&w, "l", value_unknown(&type_list_of_strings));
    assert_ptr_equal(world_eval(&w, "l[0]").type, &type_string);
    world_fini(&w);
}

static void test_none(void **state) {
    (void)state; /* FN-014, BP-241, BP-270 */
    static const struct eval_case cases[] = {
        {"none", "none", ""},
        {"gone + 1", "none", ""},
        {"gone + unk", "none", ""},
        {"gone.a.b[0]", "none", ""},
        {"[1, gone, 2]", "[1,2]", ""},
        {"list(1, none)", "[1]", ""},
        {"{a: none, b: 1}", "{\"b\":1}", ""},
        {"map([1, 2], |x| -> x == 1 ? none : x)", "[2]", ""},
        {"@[<( none )>]", "\"[]\"", ""},
        {"defined(none)", "true", ""},
    };
    CHECK(dialect_rich, cases);
}

static void test_secrets(void **state) {
    (void)state; /* FN-013, BP-280: per part, and joined by every operation */
    static const struct eval_case cases[] = {
        {"m.sec", "\"(sensitive)\"", ""},
        {"m.pub", "1", ""},
        {"cut(m.sec, 1)", "\"(sensitive)\"", ""},
        {"kind(m.sec)", "\"(sensitive)\"", ""},
        {"list(m.sec, 1)", "[\"(sensitive)\",1]", ""},
        {"[m.sec, 1]", "[\"(sensitive)\",1]", ""},
        {"m.sec == \"x\" ? 1 : 2", "\"(sensitive)\"", ""}, /* a secret decided */
        {"@a<( m.sec )>b", "\"(sensitive)\"", ""},
        {"m.list[m.sec == \"x\" ? 0 : 1]", "\"(sensitive)\"", ""},
        {"map([m.sec], |x| -> 1)", "\"(sensitive)\"", ""},
        {"(|x| -> [x, 2])(m.sec)", "[\"(sensitive)\",2]", ""},
        {"cut_g(m.sec == \"x\" ? 1 : 2)(\"abcdef\")", "\"(sensitive)\"", ""}, /* captured */
    };
    CHECK(dialect_rich, cases);
}

static void test_provisional_marks(void **state) {
    (void)state; /* BP-456 */
    struct world w;
    world_init(&w, &dialect_rich);
    define_world(&w);
    assert_int_equal(world_eval(&w, "prov + 1").marks, MARK_PROVISIONAL);
    value list = world_eval(&w, "[prov, 1]");
    assert_int_equal(list.marks, 0);
    assert_int_equal(list.within, MARK_PROVISIONAL);
    assert_int_equal(world_eval(&w, "[prov, 1][1]").marks, 0);
    world_fini(&w);
}

static void test_failures(void **state) {
    (void)state;
    static const struct eval_case cases[] = {
        {"missing", "ERROR", "missing_value@0+7"},
        {"missing + other", "ERROR", "missing_value@0+7"}, /* FN-010: the first ends it */
        {"[missing, other]", "ERROR", "missing_value@1+7"},
        {"m.nope", "ERROR", "invalid_mapping_path@1+5"},
        {"m.pub.x", "ERROR", "sub_func_path_field_on_non_object@5+2"},
        {"m.pub[0]", "ERROR", "sub_func_path_index_on_non_array@5+3"},
        {"m.null.x", "ERROR", "sub_func_path_field_on_non_object@6+2"},
        {"m.list[3]", "ERROR", "index_out_of_bounds@6+3"},
        {"m.list[\"a\"]", "ERROR", "sub_func_path_field_on_non_object@6+5"},
        {"m.list[-1]", "ERROR", "invalid_substitution@7+2"},
        {"1 + \"a\"", "ERROR", "invalid_function_argument@4+3"},
        {"1 ? 2 : 3", "ERROR", "invalid_substitution@0+1"},
        {"seven(1)", "ERROR", "function_not_found@0+5"},
        {"(1)(2)", "ERROR", "invalid_substitution@1+1"},
        {"(|x| -> x)(1, 2)", "ERROR", "invalid_substitution@1+15"},
        {"@a<( m.list )>", "ERROR", "invalid_resolved_sub_value@4+6"}, /* BP-213 */
        {"@a<( nil )>", "ERROR", "invalid_resolved_sub_value@4+3"},
        {"@a<( bytes )>", "ERROR", "invalid_resolved_sub_value@4+5"},
        {"{(1): 2}", "ERROR", "invalid_substitution@2+1"},
        {"repeat(\"ab\", 2)", "\"abab\"", ""},
    };
    CHECK(dialect_rich, cases);
}

static void test_failed_items_stay_where_the_policy_keeps_them(void **state) {
    (void)state; /* other fields of a resource are still checked (BP-302) */
    struct world w;
    world_init(&w, &dialect_rich);
    w.policy.failed_item = OPERAND_PASS;
    value v = world_eval(&w, "{a: missing, b: other, c: 1}");
    assert_int_equal(v.kind, VALUE_MAP);
    assert_int_equal(v.map->len, 3);
    assert_true((v.within & WITHIN_ERROR) != 0);
    assert_int_equal(w.diags.errors, 2);
    world_define_value(&w, "part", v);
    assert_int_equal(world_eval(&w, "part.c + 1").integer, 2);
    assert_true(value_is_error(world_eval(&w, "kind(part)")));
    assert_int_equal(w.diags.errors, 2); /* reported already: silent */
    world_fini(&w);
}

static void test_messages_keep_secrets(void **state) {
    (void)state; /* FN-018: a secret used as a key */
    struct world w;
    world_init(&w, &dialect_rich);
    define_world(&w);
    assert_true(value_is_error(world_eval(&w, "m[m.sec]")));
    assert_string_equal(world_list_diags(&w), "invalid_mapping_path@1+7");
    assert_true(sv_find(w.diags.items.items[0]->message, SV("geheim")) == SIZE_MAX);
    world_fini(&w);
}

static void test_enclosing_calls_are_related(void **state) {
    (void)state; /* FN-018, FN-026 */
    struct world w;
    world_init(&w, &dialect_rich);
    assert_true(value_is_error(world_eval(&w, "list(map([\"abc\", \"d\"], |x| -> cut(x, 2)))")));
    assert_string_equal(world_list_diags(&w), "invalid_function_argument@37+1");
    const struct diag *d = w.diags.items.items[0];
    assert_true(sv_eq_cstr(d->message, "'cut': position 2 is outside of the text"));
    assert_int_equal(d->related.len, 2);
    assert_true(sv_eq_cstr(d->related.items[0].text, "in item 1 of this call of 'map'"));
    assert_true(sv_eq_cstr(d->related.items[1].text, "in this call of 'list'"));
    world_fini(&w);
}

static void test_functions_have_no_place_in_values(void **state) {
    (void)state; /* FN-023, where the policy says so */
    struct world w;
    world_init(&w, &dialect_rich);
    w.policy.function_code = DIAG_higher_order_function_not_supported;
    assert_true(value_is_error(world_eval(&w, "[|x| -> x]")));
    assert_string_equal(world_list_diags(&w), "higher_order_function_not_supported@1+8");
    world_fini(&w);
}

static void test_plain_dialect(void **state) {
    (void)state;
    static const struct eval_case cases[] = {
        {"@n=${values.seven}", "\"n=7\"", ""},
        {"@${map(list('abc', 'def'), cut_g(1))[1]}", "\"ef\"", ""},
        {"@${object(a = none, b = 1)}", "{\"b\":1}", ""},
        {"@[${none}]", "\"[]\"", ""},
        {"@${\"${\"}HOME}", "\"${HOME}\"", ""},
        {"@${link(api.x)}", "\"api\"", ""}, /* syntactic: not evaluated (FN-232) */
        {"@x-${values.m}", "ERROR", "invalid_resolved_sub_value@4+8"},
        {"@x-${cut_g(1)}", "ERROR", "higher_order_function_not_supported@4+8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w;
        world_init(&w, &dialect_plain);
        world_define_value(&w, "seven", value_int(7));
        struct map_builder none = {.arena = &w.arena};
        world_define_value(&w, "m", map_done(&none));
        world_restart(&w);
        value v = eval_expr(w.ev, world_parse(&w, cases[i].expr + 1), NULL);
        assert_string_equal(world_show(&w, v), cases[i].wanted);
        assert_string_equal(world_list_diags(&w), cases[i].diags);
        world_fini(&w);
    }
}

static void test_cells_are_evaluated_once(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    world_define(&w, "a", "b + b + b");
    world_define(&w, "b", "c + c");
    world_define(&w, "c", "1");
    assert_int_equal(world_get(&w, "a").integer, 6);
    assert_int_equal(w.resolved, 5);
    assert_int_equal(world_get(&w, "a").integer, 6);
    assert_int_equal(w.resolved, 5);
    struct cell *c = map_find(&w.cells, SV("c"));
    cell_set(c, value_int(5));
    cell_reset(map_find(&w.cells, SV("b")));
    cell_reset(map_find(&w.cells, SV("a")));
    assert_int_equal(world_get(&w, "a").integer, 30);
    world_fini(&w);
}

static void test_cycle_is_a_path(void **state) {
    (void)state; /* BP-248 */
    struct world w;
    world_init(&w, &dialect_rich);
    world_define(&w, "values.a", "1");
    map_put(&w.cells, SV("a"), world_define(&w, "values.a", "1 + b"));
    map_put(&w.cells, SV("b"), world_define(&w, "values.b", "[c, 2]"));
    map_put(&w.cells, SV("c"), world_define(&w, "values.c", "kind(b)"));
    assert_true(value_is_error(world_get(&w, "a")));
    assert_true(value_is_error(world_get(&w, "c")));
    assert_int_equal(w.diags.errors, 1); /* once */
    const struct diag *d = w.diags.items.items[0];
    assert_int_equal(d->code, DIAG_reference_cycle);
    assert_true(sv_eq_cstr(d->message, "a cycle of references: values.b → values.c → values.b"));
    assert_int_equal(d->at.offset, 5);
    assert_int_equal(d->related.len, 1);
    assert_int_equal(d->related.items[0].at.offset, 1);
    assert_true(sv_eq_cstr(d->related.items[0].text, "'values.b' uses 'values.c' here"));
    world_fini(&w);
}

static void test_self_reference(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    world_define(&w, "a", "a");
    assert_true(value_is_error(world_get(&w, "a")));
    assert_string_equal(world_list_diags(&w), "reference_cycle@0+1");
    world_fini(&w);
}

/* A million cells, each `previous`, by one shared expression and a resolver that goes from the cell at work to the one
 * before it. */
struct chain {
    struct world w;
    struct cell *cells;
    size_t next;
};

static enum resolve_result resolve_chain(void *user, struct evaluator *ev, const struct expr *ref,
                                         const struct scope *scope, struct resolved *out) {
    struct chain *c = user;
    (void)ev, (void)ref, (void)scope;
    if (c->next == 0) {
        out->item = value_int(1);
        return RESOLVE_VALUE;
    }
    c->next--;
    out->cell = &c->cells[c->next];
    return RESOLVE_CELL;
}

static void test_chain_of_a_million(void **state) { /* F76: needs no C stack */
    (void)state;
    enum { LENGTH = 1000000 };
    struct chain *c = calloc(1, sizeof *c);
    world_init(&c->w, &dialect_rich);
    c->cells = ARENA_ARRAY(&c->w.arena, struct cell, LENGTH);
    const struct expr *e = world_parse_expr(&c->w, "previous + 1");
    for (size_t i = 0; i < LENGTH; i++) {
        c->cells[i].expr = e;
    }
    struct eval_ops ops = {.resolve = resolve_chain};
    struct eval_options options = {.arena = &c->w.arena,
                                   .diags = &c->w.diags,
                                   .limits = &c->w.limits,
                                   .ops = &ops,
                                   .user = c,
                                   .policy = &c->w.policy};
    struct evaluator *ev = eval_new(&options);
    c->next = LENGTH - 1;
    value v = eval_cell(ev, &c->cells[LENGTH - 1]);
    assert_int_equal(v.kind, VALUE_INT);
    assert_int_equal(v.integer, LENGTH + 1);
    world_fini(&c->w);
    free(c);
}

static void test_deep_expressions_need_no_stack(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    const struct expr *e = world_parse_expr(&w, "1");
    const struct expr *add = world_parse_expr(&w, "1 + 1");
    for (size_t i = 0; i < 200000; i++) {
        const struct expr **args = ARENA_ARRAY(&w.arena, const struct expr *, 2);
        args[0] = e;
        args[1] = add->call.args[1];
        e = expr_new_call(&w.arena, add->at, add->call.fn, args, 2);
    }
    world_restart(&w);
    assert_int_equal(eval_expr(w.ev, e, NULL).integer, 200001);
    static const struct check_ops no_refs = {0};
    struct parse_context c = {&w.arena, &w.diags, &w.limits, &w.dialect};
    assert_ptr_equal(lang_check_expr(&c, e, &no_refs, NULL), &type_int);
    world_fini(&w);
}

static void test_limits(void **state) {
    (void)state; /* LC-080, FN-007 */
    struct world w;
    world_init(&w, &dialect_rich);
    w.limits.eval_steps = 1000;
    world_define(&w, "f", "|x| -> (f)(x + 1)");
    assert_true(value_is_error(world_eval(&w, "(f)(1)")));
    assert_int_equal(w.diags.errors, 1);
    assert_int_equal(w.diags.items.items[0]->code, DIAG_limit_exceeded);
    world_fini(&w);

    world_init(&w, &dialect_rich);
    world_define(&w, "f", "|x| -> (f)(x + 1)"); /* unbounded recursion */
    assert_true(value_is_error(world_eval(&w, "(f)(1)")));
    assert_int_equal(w.diags.items.items[0]->code, DIAG_limit_exceeded);
    world_fini(&w);

    world_init(&w, &dialect_rich);
    w.limits.result_text = 100;
    assert_true(value_is_error(world_eval(&w, "repeat(\"0123456789\", 11)")));
    assert_string_equal(world_list_diags(&w), "limit_exceeded@0+24");
    world_fini(&w);
}

/* Observers hear of every evaluation once, with its place and value. */

static void note(void *user, const struct expr *e, const struct cell *in, value result) {
    struct buf *out = user;
    sv where = in == NULL ? SV("-") : in->path;
    buf_printf(out, "%.*s@%u+%u=", SV_ARG(where), e->at.offset, e->at.length);
    value_print_scalar(out, result);
    buf_append_char(out, ' ');
}

static void test_observer(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    struct buf out = BUF(&w.arena);
    struct observer observer = {.user = &out, .evaluated = note};
    w.observer = &observer;
    world_define(&w, "a", "b.x + 1");
    world_define(&w, "b", "{x: 4}");
    world_restart(&w);
    assert_int_equal(world_get(&w, "a").integer, 5);
    assert_true(sv_eq_cstr(buf_get_sv(&out), "b@1+1=x b@4+1=4 b@0+6= a@0+3=4 a@6+1=1 a@0+7=5 "));
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_unknown_keeps_its_type),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_provisional_marks),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_failed_items_stay_where_the_policy_keeps_them),
        cmocka_unit_test(test_messages_keep_secrets),
        cmocka_unit_test(test_enclosing_calls_are_related),
        cmocka_unit_test(test_functions_have_no_place_in_values),
        cmocka_unit_test(test_plain_dialect),
        cmocka_unit_test(test_cells_are_evaluated_once),
        cmocka_unit_test(test_cycle_is_a_path),
        cmocka_unit_test(test_self_reference),
        cmocka_unit_test(test_chain_of_a_million),
        cmocka_unit_test(test_deep_expressions_need_no_stack),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_observer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
