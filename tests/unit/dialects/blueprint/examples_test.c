/* Every example of the function tables, evaluated (house rule: a function has a language test and documentation). */
#include "dialects/blueprint/blueprint.h"
#include "fn/fn.h"
#include "lang/dialect.h"
#include "value/convert.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

static enum resolve_result resolve_nothing(void *user, struct evaluator *ev, const struct expr *ref,
                                           const struct scope *scope, struct resolved *out) {
    (void)user;
    (void)scope;
    (void)out;
    eval_fail(ev, DIAG_invalid_reference, ref->at, "an example refers to nothing");
    return RESOLVE_ERROR;
}

static const struct eval_ops ops = {.resolve = resolve_nothing};

struct bench {
    struct arena arena;
    struct sources sources;
    struct diags diags;
};

static value evaluate_in(struct bench *b, const struct dialect *d, sv text) {
    sources_init(&b->sources, &b->arena);
    diags_init(&b->diags, &b->arena, &b->sources);
    struct source *s = sources_add(&b->sources, SV("example"), arena_copy_sv(&b->arena, text));
    struct parse_context c = {&b->arena, &b->diags, &limits_default, d};
    struct expr_text t = {.text = s->bytes, .source = s->id};
    const struct expr *e = lang_parse_expr(&c, &t, 0, s->bytes.len);
    const struct eval_options options = {
        .arena = &b->arena, .diags = &b->diags, .limits = &limits_default, .ops = &ops, .policy = d->policy};
    return eval_expr(eval_new(&options), e, NULL);
}

static value evaluate(struct bench *b, sv text) {
    return evaluate_in(b, &blueprint_dialect, text);
}

static sv print(struct bench *b, value v) {
    if (value_is_scalar(v)) {
        struct buf out = BUF(&b->arena);
        value_print_scalar(&out, v);
        return buf_get_sv(&out);
    }
    return v.kind == VALUE_ABSENT ? SV("none") : value_print_json(&b->arena, v, 0, REVEAL);
}

static void check_example(const struct fn_def *f) {
    struct bench b = {0};
    value v = evaluate(&b, f->example);
    sv text = print(&b, v);
    if (b.diags.errors > 0 || !sv_eq(text, f->example_result)) {
        const char *why = b.diags.errors > 0 ? b.diags.items.items[0]->message.data : "";
        print_error("%.*s: given %.*s, wanted %.*s %s\n", SV_ARG(f->example), SV_ARG(text), SV_ARG(f->example_result),
                    why);
        fail();
    }
    arena_fini(&b.arena);
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
    assert_true(count >= 45);
}

struct sample {
    const char *text, *result; /* NULL: an error */
};

static void run_samples(const struct sample *samples, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct bench b = {0};
        value v = evaluate(&b, sv_from_cstr(samples[i].text));
        sv text = print(&b, v);
        bool ok = samples[i].result == NULL ? v.kind == VALUE_ERROR && b.diags.errors == 1
                                            : sv_eq_cstr(text, samples[i].result) && b.diags.errors == 0;
        if (!ok) {
            print_error("%s: given %.*s\n", samples[i].text, SV_ARG(text));
            for (size_t k = 0; k < b.diags.items.len; k++) {
                print_error("  %.*s\n", SV_ARG(b.diags.items.items[k]->message));
            }
            fail();
        }
        arena_fini(&b.arena);
    }
}

/* The worked lines of chapter 4, and edges of each rule. */
static const struct sample samples[] = {
    {"jsondecode(\"[1,2.0]\")", "[1,2.0]"},
    {"jsondecode(\"{\\\"a\\\":1,\\\"a\\\":2}\")", NULL},
    {"jsondecode(\"9223372036854775808\")", NULL},
    {"jsondecode(\"\")", NULL},
    {"fromjson(\"{\\\"a\\\":{\\\"b/c\\\":7}}\", \"/a/b~1c\")", "7"},
    {"fromjson(\"{\\\"a/b\\\":7}\", \"a/b\")", "7"},
    {"fromjson(\"[1,2]\", \"/01\")", NULL},
    {"fromjson(\"[1,2]\", \"/-\")", NULL},
    {"fromjson(\"[1,2]\", \"1\")", "2"},
    {"fromjson(\"5\", \"\")", "5"},
    {"fromjson(\"{\\\"\\\":5}\", \"/\")", "5"},
    {"fromjson(\"{\\\"a b\\\":5}\", \"#/a%20b\")", "5"},
    {"fromjson(\"{\\\"#x\\\":5}\", \"#x\")", "5"},
    {"fromjson(\"{}\", \"/a%2\")", NULL},
    {"fromjson(\"{}\", \"#/%2\")", NULL},
    {"len(list())", "0"},
    {"len(object(a=1))", "1"},
    {"len(jsondecode(\"5\"))", NULL},
    {"substr(\"abc\", 1)", "bc"},
    {"substr(\"abc\", 3)", ""},
    {"substr(\"abc\", 4)", NULL},
    {"substr(\"abc\", 2, 1)", NULL},
    {"replace(\"ab\", \"\", \".\")", ".a.b."},
    {"replace(\"aaa\", \"aa\", \"b\")", "ba"},
    {"trim(\"\xE3\x80\x80\xC2\xA0x\xE2\x80\x83\")", "x"},
    {"trim(\"\xE2\x80\x8Bx\")", "\xE2\x80\x8Bx"}, /* zero width space is no white space */
    {"trimprefix(\"aab\", \"a\")", "ab"},
    {"trimsuffix(\"b\", \"abc\")", "b"},
    {"split(\"\", \",\")", "[\"\"]"},
    {"split(\"\", \"\")", "[]"},
    {"join(list(), \",\")", ""},
    {"join(list(1.0, false), \"\")", "1.0false"},
    {"join(list(list(1)), \",\")", NULL},
    {"index(\"abc\", \"z\")", "-1"},
    {"index(\"abc\", \"\")", "0"},
    {"last_index(\"h\xC3\xA9h\", \"\")", "3"},
    {"last_index(\"h\xC3\xA9h\", \"h\")", "2"},
    {"contains(\"abc\", \"bc\")", "true"},
    {"contains(\"abc\", \"\")", "true"},
    {"contains(\"a1\", 1)", NULL},
    {"contains(list(1), \"1\")", "false"},
    {"contains(none, 1)", "false"},
    {"has_prefix(none, \"a\")", "false"},
    {"trim(none)", "none"},
    {"reduce(list(true, false), and, true)", "false"},
    {"reduce(list(), max, 7)", "7"},
    {"reduce(list(1), list, 0)", NULL},
    {"filter(list(1), abs)", NULL},
    {"flatmap(list(\"a\"), trim)", NULL},
    {"map(list(list(1)), getelem(1))", NULL},
    {"map(list(object(a=1)), getattr(\"b\"))", NULL},
    {"map(list(), trim)", "[]"},
    {"sort(list(), min)", "[]"},
    {"sort(list(\"b\"), eq)", "[\"b\"]"},
    {"sort(list(1, 2), eq)", NULL},
    {"map(list(1, 2), and)", NULL},
    {"lookup(object(a=1), \"b\")", "none"},
    {"lookup(none, \"b\", 3)", "3"},
    {"lookup(object(a=1), none)", "none"},
    {"lookup(object(a=1), \"a\", jsondecode(\"x\"))", "1"},
    {"first(0, 1)", "0"},
    {"first(none, list(), \"\")", ""},
    {"coalesce(none, none)", "none"},
    {"and(true, none)", "false"},
    {"and(true, jsondecode(\"1\"))", NULL},
    {"or(true, jsondecode(\"x\"))", "true"},
    {"eq(1, 1.0)", "true"},
    {"eq(jsondecode(\"1\"), \"1\")", NULL},
    {"eq(jsondecode(\"null\"), \"1\")", "false"},
    {"eq(none, none)", "true"},
    {"eq(none, 1)", "false"},
    {"eq(list(1, 2), list(1))", "false"},
    {"eq(list(1), list(\"1\"))", "false"},
    {"if(none, 1, 2)", "2"},
    {"if(true, 1, jsondecode(\"x\"))", "1"},
    {"if(jsondecode(\"1\"), 1, 2)", NULL},
    {"gt(9007199254740993, 9007199254740992.0)", "true"},
    {"gt(none, 1)", "false"},
    {"max(1, 2.5)", "2.5"},
    {"abs(-9223372036854775808)", NULL},
    {"abs(-5)", "5"},
    {"abs(-0.0)", "0.0"},
    {"base64decode(\"SGk\")", NULL},
    {"utf8(base64decode(\"SA==\"))", "H"},
    {"base64decode(\"SB==\")", NULL},
    {"base64decode(\"S Gk=\")", NULL},
    {"utf8(base64decode(\"/w==\"))", NULL},
    {"base64encode(\"\")", ""},
    {"trim(base64decode(\"SGk=\"))", NULL},
    {"to_upper(\"\xC4\xB1\xC3\xBF\")", "I\xC5\xB8"},
    {"to_lower(\"\xCE\xA3\xC4\xB0\")", "\xCF\x83i"},
    {"cidrsubnet(\"10.1.2.3/8\", 4, 2)", "10.32.0.0/12"},
    {"cidrsubnet(\"fd00::/64\", 8, 1)", "fd00::100:0:0:0/72"},
    {"cidrsubnet(\"10.0.0.0/8\", 24, 16777215)", "10.255.255.255/32"},
    {"cidrsubnet(\"10.0.0.0/8\", 0, 0)", "10.0.0.0/8"},
    {"cidrsubnet(\"10.0.0.0/8\", 25, 0)", NULL},
    {"cidrsubnet(\"10.0.0.0/8\", 4, 16)", NULL},
    {"cidrsubnet(\"10.0.0.0/8\", -1, 0)", NULL},
    {"cidrsubnet(\"10.0.0.0/33\", 0, 0)", NULL},
    {"cidrsubnet(\"10.0.0.0\", 0, 0)", NULL},
    {"cidrsubnet(\"10.0.0/8\", 0, 0)", NULL},
    {"object(a = none, b = 1)", "{\"b\":1}"},
    {"list(none, 1)", "[1]"},
};

static void test_samples(void **state) {
    (void)state;
    run_samples(samples, sizeof samples / sizeof *samples);
}

/* FN-007: what would be too large is refused before it is made. */
static void test_limits(void **state) {
    (void)state;
    struct bench b = {0};
    struct buf text = BUF(&b.arena);
    buf_append_cstr(&text, "replace(\"");
    buf_append_repeat(&text, 'a', 9000);
    buf_append_cstr(&text, "\", \"a\", \"");
    buf_append_repeat(&text, 'b', 9000);
    buf_append_cstr(&text, "\")");
    value v = evaluate(&b, buf_get_sv(&text));
    assert_int_equal(v.kind, VALUE_ERROR);
    assert_int_equal(b.diags.items.items[0]->code, DIAG_limit_exceeded);
    arena_fini(&b.arena);
}

/* --- functions as providers bring them: an order, a callback that takes the index --- */

static value call_cmp(struct fn_call *c) {
    return value_int(c->args[0].integer / 10 - c->args[1].integer / 10);
}

static value call_at(struct fn_call *c) {
    return value_list_of(c->arena, c->args, c->count);
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
static const struct fn_def *const provided_defs[] = {&fn_at, &fn_cmp};
static const struct fn_table provided = {provided_defs, 2};

static struct dialect make_dialect(struct arena *a) {
    const struct fn_table **tables = ARENA_ARRAY(a, const struct fn_table *, fn_core_registry.count + 1);
    memcpy(tables, fn_core_registry.tables, fn_core_registry.count * sizeof *tables);
    tables[fn_core_registry.count] = &provided;
    struct dialect d = blueprint_dialect;
    d.functions = fn_registry_new(a, tables, fn_core_registry.count + 1);
    return d;
}

/* Every length is sorted, and items that are equal (here: the same tens) keep their order (FN-147). */
static void test_sort(void **state) {
    (void)state;
    for (size_t n = 1; n < 70; n++) {
        struct bench b = {0};
        struct dialect d = make_dialect(&b.arena);
        struct buf text = BUF(&b.arena);
        buf_append_cstr(&text, "sort(list(");
        for (size_t i = 0; i < n; i++) {
            buf_printf(&text, "%s%zu", i > 0 ? "," : "", (i * 37 + 11) % 101);
        }
        buf_append_cstr(&text, "), cmp)");
        value v = evaluate_in(&b, &d, buf_get_sv(&text));
        assert_int_equal(v.kind, VALUE_LIST);
        assert_int_equal(v.list->len, n);
        for (size_t i = 1; i < n; i++) {
            int64_t before = v.list->items[i - 1].integer, after = v.list->items[i].integer;
            assert_true(before / 10 <= after / 10);
            /* 37 is invertible modulo 101, so a number tells where it stood: its inverse times 41 (37 * 71 = 1). */
            int64_t place = (before - 11 + 101) * 71 % 101, next = (after - 11 + 101) * 71 % 101;
            assert_true(before / 10 < after / 10 || place < next);
        }
        arena_fini(&b.arena);
    }
}

/* FN-024. */
static void test_index(void **state) {
    (void)state;
    struct bench b = {0};
    struct dialect d = make_dialect(&b.arena);
    assert_true(sv_eq_cstr(print(&b, evaluate_in(&b, &d, SV("map(list(\"a\", \"b\"), at)"))), "[[\"a\",0],[\"b\",1]]"));
    assert_true(sv_eq_cstr(print(&b, evaluate_in(&b, &d, SV("filter(list(), at)"))), "[]"));
    arena_fini(&b.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples), cmocka_unit_test(test_samples), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_sort),     cmocka_unit_test(test_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
