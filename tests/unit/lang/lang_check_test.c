/* Static checks: types bottom up, arity, argument types, callbacks, steps, text (FN-015, FN-021 … FN-033, BP-213,
 * BP-241, BP-314). */
#include "test_dialect.h"

#include "lang/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct check_case {
    const char *text, *type, *diags;
};

static void define_typed(struct world *w, const char *name, const struct type *type) {
    world_define_value(w, name, value_unknown(type))->type = type;
}

static void check_cases(const struct dialect *d, const struct check_case *cases, size_t count) {
    static const struct type_field fields[] = {{SV_INIT("port"), &type_int, false, false},
                                               {SV_INIT("hosts"), &type_list_of_strings, false, false}};
    static const struct type config = {.kind = TYPE_OBJECT, .fields = fields, .field_count = 2};
    for (size_t i = 0; i < count; i++) {
        struct world w;
        world_init(&w, d);
        define_typed(&w, "cfg", &config);
        define_typed(&w, "s", &type_string);
        define_typed(&w, "n", &type_int);
        define_typed(&w, "b", &type_bool);
        define_typed(&w, "x", &type_any);
        define_typed(&w, "l", &type_list_of_strings);
        const struct type *t = world_check(&w, cases[i].text);
        struct buf out = BUF(&w.arena);
        if (t != NULL) {
            type_print(&out, t);
        }
        const char *shown = arena_copy_cstr(&w.arena, buf_get_sv(&out));
        if (strcmp(shown, cases[i].type) != 0 || strcmp(world_list_diags(&w), cases[i].diags) != 0) {
            print_error("text: %s\n", cases[i].text);
        }
        assert_string_equal(world_list_diags(&w), cases[i].diags);
        assert_string_equal(shown, cases[i].type);
        world_fini(&w);
    }
}

#define CHECK(d, cases) check_cases(&(d), cases, sizeof(cases) / sizeof *(cases))

static void test_types(void **state) {
    (void)state;
    static const struct check_case cases[] = {
        {"text", "string", ""},
        {"${values.n}", "integer", ""},
        {"n=${values.n}", "string", ""},
        {"${none}", "none", ""},
        {"${1.5}", "float", ""},
        {"${values.cfg.port}", "integer", ""},
        {"${values.cfg.hosts[0]}", "string", ""},
        {"${join(values.s, values.n)}", "string", ""},
        {"${map(values.l, cut_g(1))}", "array", ""},
        {"${map(values.l, kind)}", "array of strings", ""}, /* FN-033 */
        {"${map(values.l, kind)[0]}", "string", ""},
        {"${list(1)[0]}", "any value", ""},
        {"${list(1)[0].x}", "any value", ""},
        {"${values.x.a.b}", "any value", ""},
        {"${none.x}", "", "invalid_reference_substitution@6+1"},
    };
    CHECK(dialect_plain, cases);
    static const struct check_case rich[] = {
        {"<( [1, 2] )>", "array of integers", ""},
        {"<( [1, 2.0] )>", "array of numbers", ""},
        {"<( [1, \"a\"] )>", "array", ""},
        {"<( {a: [1]}.a[0] )>", "integer", ""},
        {"<( b ? 1 : 2 )>", "integer", ""},
        {"<( b ? \"a\" : none )>", "string", ""},
        {"<( n + 1 )>", "integer", ""},
        {"<( |x| -> x )>", "function", ""},
    };
    CHECK(dialect_rich, rich);
}

static void test_mistakes(void **state) {
    (void)state;
    static const struct check_case cases[] = {
        {"${cut(values.s)}", "", "invalid_substitution@2+13"}, /* FN-030 */
        {"${cut(values.s, 1, 2)}", "", "invalid_substitution@2+19"},
        {"${cut(values.n, 'a')}", "string",
         "invalid_substitution@6+8 invalid_substitution@16+3"},          /* FN-031: all arguments */
        {"${cut(values.x, values.x)}", "string", ""},                    /* any is for run time */
        {"${cut(values.s, -1)}", "string", "invalid_substitution@16+2"}, /* FN-032 */
        {"${join(values.l)}", "string", "invalid_substitution@7+8"},
        {"${join(list())}", "string", "invalid_substitution@7+6"},
        {"a${values.l}b${values.cfg}", "string",
         "invalid_resolved_sub_value@3+8 invalid_resolved_sub_value@15+10"}, /* BP-213 */
        {"a${values.missing}${values.other}", "string", "missing_value@3+14 missing_value@20+12"},
        {"${join(values.missing, values.l)}", "string", "missing_value@7+14 invalid_substitution@23+8"},
        {"${values.cfg.prot}", "", "invalid_mapping_path@12+5"}, /* BP-241 */
        {"${values.s.x}", "", "sub_func_path_field_on_non_object@10+2"},
        {"${values.s[0]}", "", "sub_func_path_index_on_non_array@10+3"},
        {"${values.cfg[0]}", "", "sub_func_path_index_on_non_array@12+3"},
        {"${kind(1).x}", "", "sub_func_path_field_on_non_object@9+2"},
        {"${cut_g(1)}", "", "higher_order_function_not_supported@2+8"}, /* FN-023 */
        {"a${cut_g(1)}", "string", "higher_order_function_not_supported@3+8"},
        {"${list(cut_g(1))}", "array", "higher_order_function_not_supported@7+8"},
        {"${map(values.l, cut)}", "array", "invalid_substitution@16+3"}, /* FN-024: takes two */
        {"${compose(kind, cut)}", "", "invalid_substitution@16+3 higher_order_function_not_supported@2+18"},
        {"${map(values.l, values.s)}", "array", "invalid_substitution@16+8"},
        {"${cut(s = values.s, from = 1)}", "string",
         "named_argument_ignored@6+1 named_argument_ignored@20+4"},     /* FN-015 */
        {"${object(a = 1, 2)}", "object", "invalid_substitution@16+1"}, /* FN-141 */
        {"${object(a = 1, a = 2)}", "object", "invalid_substitution@16+1"},
        {"${nofn(values.missing)}", "", "function_not_found@2+4 missing_value@7+14"}, /* BP-302 */
    };
    CHECK(dialect_plain, cases);
    static const struct check_case rich[] = {
        {"<( n ? 1 : 2 )>", "integer", "invalid_substitution@3+1"},
        {"<( \"a\" + 1 )>", "integer", "invalid_substitution@3+3"},
        {"<( {a: 1}.b )>", "", "invalid_mapping_path@9+2"},
        {"<( l[missing] )>", "any value", "missing_value@5+7"},
    };
    CHECK(dialect_rich, rich);
}

static void test_messages(void **state) {
    (void)state; /* FN-031 names parameter, wanted and given type */
    struct world w;
    world_init(&w, &dialect_plain);
    define_typed(&w, "n", &type_int);
    world_check(&w, "${cut(values.n, 1)}");
    assert_true(sv_eq_cstr(w.diags.items.items[0]->message, "'cut': parameter 's' takes 'string', not 'integer'"));
    world_check(&w, "${cut('a')}");
    assert_true(sv_eq_cstr(w.diags.items.items[1]->message, "'cut': 1 argument is given, 2 must be"));
    world_fini(&w);
}

static void see_syntactic(void *user, const struct expr *call) {
    *(bool *)user = call->call.args[0]->kind == EXPR_REF;
}

static const struct type *no_ref(void *user, const struct expr *ref) {
    (void)user, (void)ref;
    fail_msg("a reference that is not evaluated was checked");
    return NULL;
}

static void test_syntactic_functions(void **state) {
    (void)state; /* FN-232: names, not values */
    struct world w;
    bool seen = false;
    world_init(&w, &dialect_plain);
    static const struct check_ops ops = {.ref_type = no_ref, .check_syntactic = see_syntactic};
    struct parse_context c = {&w.arena, &w.diags, &w.limits, &w.dialect};
    assert_ptr_equal(lang_check_expr(&c, world_parse(&w, "${link(api)}"), &ops, &seen), &type_string);
    assert_true(seen);
    world_fini(&w);
}

static void test_function_tables(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_plain);
    const struct fn_registry *r = w.dialect.functions;
    struct fn_registry *indexed = fn_registry_new(&w.arena, r->tables, r->count);
    for (size_t i = 0; i < r->tables[0]->count; i++) {
        const struct fn_def *f = r->tables[0]->defs[i];
        assert_ptr_equal(fn_find(r, f->name), f);
        assert_ptr_equal(fn_find(indexed, f->name), f);
    }
    assert_null(fn_find(r, SV("nope")));
    assert_null(fn_find(indexed, SV("nope")));
    assert_true(sv_eq_cstr(fn_find_close(indexed, SV("maap")), "map"));
    const struct fn_def *join = fn_find(r, SV("join")), *cut = fn_find(r, SV("cut"));
    assert_int_equal(fn_get_min_args(join), 0);
    assert_int_equal(fn_get_max_args(join), SIZE_MAX);
    assert_int_equal(fn_get_min_args(cut), 2);
    assert_int_equal(fn_get_max_args(cut), 2);
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),           cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_messages),        cmocka_unit_test(test_syntactic_functions),
        cmocka_unit_test(test_function_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
