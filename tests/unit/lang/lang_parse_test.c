/* The parser: cutting (BP-210 … BP-215), grammar (BP-220 … BP-226), exact places of mistakes, and the operator grammar
 * of another dialect. */
#include "test_dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void dump(struct buf *out, const struct expr *e);

static void dump_args(struct buf *out, const struct expr *e, size_t count) {
    for (size_t i = 0; i < count; i++) {
        buf_append_char(out, ' ');
        if (e->kind != EXPR_ERROR && e->call.names != NULL && e->call.names[i].len > 0) {
            buf_append(out, e->call.names[i]);
            buf_append_char(out, '=');
        }
        dump(out, e->call.args[i]);
    }
    buf_append_char(out, ')');
}

static void dump_steps(struct buf *out, const struct expr *e) {
    for (size_t i = 0; i < e->count; i++) {
        const struct step *s = &e->ref.steps[i];
        if (s->kind == STEP_NAME) {
            buf_append_char(out, '.');
            buf_append(out, s->name);
        } else if (s->kind == STEP_INDEX) {
            buf_printf(out, "[%zu]", s->index);
        } else {
            buf_append_char(out, '[');
            dump(out, s->expr);
            buf_append_char(out, ']');
        }
    }
}

static void dump_literal(struct buf *out, value v) {
    if (v.kind == VALUE_FUNCTION) {
        buf_append(out, SV("fn:"));
    } else if (v.kind == VALUE_ABSENT) {
        buf_append(out, SV("none"));
    } else {
        buf_append(out, value_print_json(out->arena, v, 0, REVEAL));
    }
}

static void dump(struct buf *out, const struct expr *e) {
    switch ((enum expr_kind)e->kind) {
    case EXPR_LITERAL:
        dump_literal(out, e->literal);
        return;
    case EXPR_REF:
        buf_append(out, e->ref.name);
        dump_steps(out, e);
        return;
    case EXPR_INDEX:
        dump(out, e->ref.base);
        dump_steps(out, e);
        return;
    case EXPR_CALL:
        buf_append_char(out, '(');
        if (e->call.fn != NULL) {
            buf_append(out, e->call.fn->name);
        } else {
            buf_append(out, SV("call "));
            dump(out, e->call.callee);
        }
        dump_args(out, e, e->count);
        return;
    case EXPR_TEMPLATE:
        buf_append(out, SV("(text"));
        dump_args(out, e, e->count);
        return;
    case EXPR_COND:
        buf_append(out, SV("(if"));
        dump_args(out, e, e->count);
        return;
    case EXPR_LIST:
        buf_append(out, SV("(list"));
        dump_args(out, e, e->count);
        return;
    case EXPR_OBJECT:
        buf_append(out, SV("(object"));
        dump_args(out, e, (size_t)e->count * (e->op == EXPR_COMPUTED_KEYS ? 2 : 1));
        return;
    case EXPR_LAMBDA:
        buf_printf(out, "(lambda/%u ", e->count);
        dump(out, e->lambda.body);
        buf_append_char(out, ')');
        return;
    case EXPR_DIRECTIVE:
    case EXPR_ERROR:
        buf_append(out, SV("(error"));
        dump_args(out, e, e->call.args == NULL ? 0 : e->count);
        return;
    }
}

static const char *dump_text(struct world *w, const struct expr *e) {
    struct buf out = BUF(&w->arena);
    dump(&out, e);
    return arena_copy_cstr(&w->arena, buf_get_sv(&out));
}

struct good_case {
    const char *text, *wanted;
};

static void check_good(const struct dialect *d, const struct good_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct world w;
        world_init(&w, d);
        assert_string_equal(dump_text(&w, world_parse(&w, cases[i].text)), cases[i].wanted);
        assert_string_equal(world_list_diags(&w), "");
        world_fini(&w);
    }
}

#define CHECK_GOOD(d, cases) check_good(&(d), cases, sizeof(cases) / sizeof *(cases))

static void test_grammar(void **state) {
    (void)state;
    static const struct good_case cases[] = {
        {"plain", "\"plain\""},
        {"", "\"\""},
        {"${variables.a}", "variables.a"},
        {"${ variables . a }", "variables.a"}, /* BP-220 */
        {"${\nvalues.a\n[0]\n}", "values.a[0]"},
        {"a${values.x}b", "(text \"a\" values.x \"b\")"}, /* BP-211 */
        {"${values.x} ", "(text values.x \" \")"},
        {"${values.x}${values.y}", "(text values.x values.y)"},
        {"$${values.x}", "(text \"$\" values.x)"}, /* BP-215 */
        {"${\"${\"}", "\"${\""},
        {"${\"}\"}${'}'}", "(text \"}\" \"}\")"}, /* BP-210 */
        {"$ {x} $x }", "\"$ {x} $x }\""},
        {"${values[\"a.b\"].c['d-e']}", "values.a.b.c.d-e"},
        {"${values.a[]}", "values.a[0]"},                        /* [] is [0] */
        {"${res.spec.values.i.true}", "res.spec.values.i.true"}, /* BP-221 */
        {"${nonexistent}", "nonexistent"},
        {"${i2}", "i2"},
        {"${i}", "i"},
        {"${none}", "none"},
        {"${trueValue.spec.a}", "trueValue.spec.a"},
        {"${elem[0].x}", "elem[0].x"},
        {"${-5}", "-5"},
        {"${-1.50}", "-1.5"},
        {"${007}", "7"},
        {"${9223372036854775807}", "9223372036854775807"},
        {"${\"a\\\"b\\n\"}", "\"a\\\"b\\\\n\""}, /* BP-223 */
        {"${'it\\'s'}", "\"it's\""},
        {"${join(1, 'a',true)}", "(join 1 \"a\" true)"},
        {"${list()}", "(list)"},
        {"${object(a = none, b = 1)}", "(object a=none b=1)"},
        {"${list(x, y = 2, z)}", "(list x y=2 z)"},
        {"${map(values.l, cut)[1]}", "(map values.l fn:)[1]"}, /* FN-021 */
        {"${map(values.l, cut_g(2))[1].x}", "(map values.l (cut_g 2))[1].x"},
        {"${map(values.l, cut.x)}", "(map values.l cut.x)"},
        {"${list(cut)}", "(list cut)"}, /* a resource (BP-225) */
        {"${compose(cut, cut_g(1))}", "(compose fn: (cut_g 1))"},
        {"${children.c[0].x}", "children.c[0].x"},
    };
    CHECK_GOOD(dialect_plain, cases);
}

static void check_bad(const struct dialect *d, const char *text, const char *diags) {
    struct world w;
    world_init(&w, d);
    world_parse(&w, text);
    if (strcmp(world_list_diags(&w), diags) != 0) {
        print_error("text: %s\n", text);
    }
    assert_string_equal(world_list_diags(&w), diags);
    world_fini(&w);
}

#define SYNTAX "invalid_reference_substitution"

static void test_mistakes_have_exact_places(void **state) {
    (void)state;
    static const struct good_case cases[] = {
        {"ab${variables.env", SYNTAX "@2+2"}, /* BP-214 */
        {"${}", SYNTAX "@0+3"},
        {"${  }", SYNTAX "@0+5"},
        {"${a ${b}", SYNTAX "@4+2"},
        {"${a b}", SYNTAX "@4+1"}, /* BP-220: text behind it */
        {"${\"abc}", SYNTAX "@2+5"},
        {"${'abc\\'}", SYNTAX "@2+7"},              /* BP-223: no closing quote */
        {"${9223372036854775808}", SYNTAX "@2+19"}, /* BP-224 */
        {"${1e5}", SYNTAX "@2+3"},
        {"${+1}", SYNTAX "@2+1"},
        {"${-}", SYNTAX "@2+1"},
        {"${0x10}", SYNTAX "@2+4"},
        {"${values.a[-1]}", SYNTAX "@11+2"},
        {"${values.a[x]}", SYNTAX "@11+1"},
        {"${values.a[\"b c\"]}", SYNTAX "@11+5"},
        {"${values.a[\"\"]}", SYNTAX "@11+2"},
        {"${values.a[1}", SYNTAX "@12+1"},
        {"${values}", SYNTAX "@8+1"},
        {"${values[0]}", SYNTAX "@8+1"},
        {"${children.a}", SYNTAX "@12+1"},
        {"${i.x}", SYNTAX "@3+1"},
        {"${values.}", SYNTAX "@9+1"},
        {"${values.1}", SYNTAX "@9+1"},
        {"${true.x}", SYNTAX "@6+1"},
        {"${true(1)}", SYNTAX "@6+1"}, /* BP-222 */
        {"${values(1)}", SYNTAX "@8+1"},
        {"${cut_g(1)(elem)}", SYNTAX "@10+1"}, /* BP-226 */
        {"${list(1,)}", SYNTAX "@9+1"},
        {"${list(,1)}", SYNTAX "@7+1"},
        {"${list(1 2)}", SYNTAX "@9+1"},
        {"${list(1}", SYNTAX "@8+1"},
        {"${list(1", SYNTAX "@8+0"},
        {"${a + b}", SYNTAX "@4+1"}, /* no operators */
        {"${(a)}", SYNTAX "@2+1"},
        {"${[1]}", SYNTAX "@2+1"},
        {"${\xc3\xa9}", SYNTAX "@2+2"},
        {"${nofn(1)}", "function_not_found@2+4"},
        {"${map(values.l, nofn)}", "function_not_found@16+4"},
        {"${map(values.l, link)}", "invalid_substitution@16+4"},   /* takes names, not values */
        {"${map(values.l, object)}", "invalid_substitution@16+6"}, /* needs names of arguments */
        {"${nofn(nofn2(1), values.x)} ${nofn3()}",
         "function_not_found@2+4 function_not_found@7+5 function_not_found@30+5"},
        {"${a b} x ${} y ${values} z", SYNTAX "@4+1 " SYNTAX "@9+3 " SYNTAX "@23+1"}, /* each on its own */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_bad(&dialect_plain, cases[i].text, cases[i].wanted);
    }
}

static void test_hint_for_function_names(void **state) {
    (void)state; /* FN-002 */
    struct world w;
    world_init(&w, &dialect_plain);
    world_parse(&w, "${lst(1)}");
    assert_true(sv_find(w.diags.items.items[0]->hint, SV("'list'")) != SIZE_MAX);
    world_fini(&w);
}

static void test_places_in_escaped_scalars(void **state) {
    (void)state; /* BP-301: offsets of a folded scalar */
    struct world w;
    world_init(&w, &dialect_plain);
    const char *file = "\"\\u0061${values. 1}\"";
    struct source *s = sources_add(&w.sources, SV("f"), sv_from_cstr(file));
    static const uint32_t offsets[] = {1, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    struct expr_text t = {.text = SV("a${values. 1}"), .source = s->id, .offsets = offsets};
    struct parse_context c = {&w.arena, &w.diags, &w.limits, &w.dialect};
    lang_parse_text(&c, &t, false, NULL);
    assert_string_equal(world_list_diags(&w), SYNTAX "@17+1");
    world_fini(&w);
}

static void test_sole_and_trim(void **state) {
    (void)state; /* BP-211, BP-212 */
    static const struct {
        const char *text;
        bool trim, sole;
    } cases[] = {{"${values.x}", false, true},
                 {" ${values.x}\n", false, false},
                 {" ${values.x}\n", true, true},
                 {"x ${values.x}", true, false},
                 {"x", true, false},
                 {"${values.x} ${values.y}", true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w;
        world_init(&w, &dialect_plain);
        struct expr_text t = {.text = sv_from_cstr(cases[i].text)};
        struct parse_context c = {&w.arena, &w.diags, &w.limits, &w.dialect};
        bool sole = !cases[i].sole;
        const struct expr *e = lang_parse_text(&c, &t, cases[i].trim, &sole);
        assert_int_equal(sole, cases[i].sole);
        assert_int_equal(e->kind == EXPR_REF, cases[i].sole);
        world_fini(&w);
    }
}

static void test_depth_is_limited(void **state) { /* BP-024, F77 */
    (void)state;
    struct world w;
    world_init(&w, &dialect_plain);
    struct buf text = BUF(&w.arena);
    buf_append(&text, SV("${"));
    for (size_t i = 0; i < 100000; i++) {
        buf_append(&text, SV("list("));
    }
    const struct expr *e = world_parse(&w, arena_copy_cstr(&w.arena, buf_get_sv(&text)));
    assert_int_equal(e->kind, EXPR_ERROR);
    assert_string_equal(world_list_diags(&w), "limit_exceeded@642+4");
    world_fini(&w);
}

static void test_operators(void **state) {
    (void)state; /* precedence, associativity, prefix operators, conditions, containers, calls of values */
    static const struct good_case cases[] = {
        {"<( 1 + 2 * 3 )>", "(+ 1 (* 2 3))"},
        {"<( 1 * 2 + 3 )>", "(+ (* 1 2) 3)"},
        {"<( 1 - 2 - 3 )>", "(- (- 1 2) 3)"},
        {"<( 2 ** 3 ** 2 )>", "(** 2 (** 3 2))"},
        {"<( -a ** 2 )>", "(** (- a) 2)"},
        {"<( !a == b )>", "(== (! a) b)"},
        {"<( a and b && c || d )>", "(|| (&& (&& a b) c) d)"},
        {"<( andy )>", "andy"},
        {"<( (1 + 2) * 3 )>", "(* (+ 1 2) 3)"},
        {"<( a ? b : c ? d : e )>", "(if a b (if c d e))"},
        {"<( a == 1 ? 2 : 3 )>", "(if (== a 1) 2 3)"},
        {"<( if a then 1 else 2 + 3 )>", "(if a 1 (+ 2 3))"},
        {"<( 1 + if c then 1 else 2 + 3 )>", "(+ 1 (if c 1 (+ 2 3)))"},
        {"<( [1, [2], ] )>", "(list 1 (list 2))"},
        {"<( [1,,3] )>", "(list 1 3)"},
        {"<( [,] )>", "(list)"},
        {"<( {a: 1, \"b\" : 2, (x): 3} )>", "(object \"a\" 1 \"b\" 2 x 3)"},
        {"<( {a: {b: 1}}.a.b )>", "(object \"a\" (object \"b\" 1)).a.b"},
        {"<( |x, y| -> x + y )>", "(lambda/2 (+ x y))"},
        {"<( (|x| -> x)(1)(2) )>", "(call (call (lambda/1 x) 1) 2)"},
        {"<( a.b[c + 1].d )>", "a.b[(+ c 1)].d"},
        {"<( a[\"k\"][0] )>", "a.k[0]"},
        {"<( cut_g(1)(\"abc\") )>", "(call (cut_g 1) \"abc\")"},
        {"<( 0x1F + 1e3 )>", "(+ 31 1000.0)"},
        {"<( \"\\u00e9\\ud83d\\ude00\\n\" )>", "\"\xc3\xa9\xf0\x9f\x98\x80\\n\""},
        {"\\<( <( 1 )>", "(text \"<(\" \" \" 1)"}, /* an escaped opening delimiter */
    };
    CHECK_GOOD(dialect_rich, cases);
    static const struct good_case bad[] = {
        {"<( 1 + )>", SYNTAX "@7+2"},     {"<( [1 )>", SYNTAX "@6+2"},          {"<( {a 1} )>", SYNTAX "@6+1"},
        {"<( |x -> x )>", SYNTAX "@6+1"}, {"<( \"\\ud800\" )>", SYNTAX "@4+2"}, {"<( if a then b )>", SYNTAX "@15+2"},
        {"<( a ? b )>", SYNTAX "@9+2"},   {"<( then )>", SYNTAX "@3+4"},        {"<( 3x )>", SYNTAX "@3+2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_bad(&dialect_rich, bad[i].text, bad[i].wanted);
    }
}

static void test_expression_without_delimiters(void **state) {
    (void)state; /* exports.field (BP-191) */
    struct world w;
    world_init(&w, &dialect_plain);
    assert_string_equal(dump_text(&w, world_parse_expr(&w, "values.a[0]")), "values.a[0]");
    assert_string_equal(world_list_diags(&w), "");
    assert_int_equal(world_parse_expr(&w, "values.a }")->kind, EXPR_ERROR);
    assert_int_equal(world_parse_expr(&w, "")->kind, EXPR_ERROR);
    assert_int_equal(w.diags.errors, 2);
    world_fini(&w);
}

static bool count_refs(void *user, const struct expr *e) {
    *(size_t *)user += e->kind == EXPR_REF;
    return true;
}

static void test_walk_finds_references(void **state) {
    (void)state; /* also below what is broken: BP-302 */
    struct world w;
    world_init(&w, &dialect_plain);
    size_t refs = 0;
    expr_walk(world_parse(&w, "${values.a} ${nofn(list(values.b, x.y))[0].z}"), count_refs, &refs);
    assert_int_equal(refs, 3);
    assert_true(expr_is_literal(world_parse(&w, "${join(1, 'a')}")));
    assert_false(expr_is_literal(world_parse(&w, "${join(1, values.a)}")));
    world_fini(&w);
}

static void test_literal_text_is_not_copied(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_plain);
    struct expr_text t = {.text = SV("${'view'}")};
    struct parse_context c = {&w.arena, &w.diags, &w.limits, &w.dialect};
    const struct expr *e = lang_parse_text(&c, &t, false, NULL);
    assert_ptr_equal(value_get_text(e->literal).data, t.text.data + 3);
    assert_false(lang_has_substitution(&w.dialect, SV("no $ { here")));
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),
        cmocka_unit_test(test_mistakes_have_exact_places),
        cmocka_unit_test(test_hint_for_function_names),
        cmocka_unit_test(test_places_in_escaped_scalars),
        cmocka_unit_test(test_sole_and_trim),
        cmocka_unit_test(test_depth_is_limited),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_expression_without_delimiters),
        cmocka_unit_test(test_walk_finds_references),
        cmocka_unit_test(test_literal_text_is_not_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
