/* What plain scalars mean (BP-013, BP-014, BP-018, F70, F71). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "doc/scalar.h"
#include "doc/writer.h"

static void expect_kinds(scalar_resolver resolver, enum scalar_kind kind, const char *const *texts) {
    for (; *texts; texts++) {
        enum scalar_kind got = resolver(sv_from_cstr(*texts)).kind;
        if (got != kind)
            print_error("'%s' is of kind %d\n", *texts, got);
        assert_int_equal(got, kind);
    }
}

static void test_BP_013_core_schema(void **state) {
    (void)state;
    static const char *const nulls[] = {"", "null", "Null", "NULL", "~", NULL};
    static const char *const bools[] = {"true", "True", "TRUE", "false", "False", "FALSE", NULL};
    static const char *const ints[] = {
        "0", "-1", "+12", "007", "0o17", "0xfF", "9223372036854775807", "-9223372036854775808", NULL};
    static const char *const floats[] = {"1.", ".5", "-1.5", "+.5e-3", "1e3", "2E+2", "0.0", "1e-999", NULL};
    static const char *const strings[] = {"yes",      "no",    "on",   "off",   "y",     "N",     "2023-04-20",
                                          "12:30:45", "nULL",  "tRUE", "1_000", "0x",    "0o8",   "-0x1",
                                          "1e",       ".",     "-",    "+",     "e3",    "1.2.3", "1e3.5",
                                          ".e3",      "+true", "0b11", "--1",   ".inf.", NULL};
    expect_kinds(scalar_resolve_core, SCALAR_NULL, nulls);
    expect_kinds(scalar_resolve_core, SCALAR_BOOL, bools);
    expect_kinds(scalar_resolve_core, SCALAR_INT, ints);
    expect_kinds(scalar_resolve_core, SCALAR_FLOAT, floats);
    expect_kinds(scalar_resolve_core, SCALAR_STRING, strings);
}

static void test_BP_018_numbers_out_of_range(void **state) {
    (void)state;
    static const char *const bad[] = {"9223372036854775808",
                                      "-9223372036854775809",
                                      "0x8000000000000000",
                                      "1e999",
                                      "-1e999",
                                      ".inf",
                                      "-.Inf",
                                      "+.INF",
                                      ".nan",
                                      ".NaN",
                                      ".NAN",
                                      NULL};
    expect_kinds(scalar_resolve_core, SCALAR_BAD_NUMBER, bad);
}

static void test_json_literals_only(void **state) {
    (void)state;
    static const char *const strings[] = {"", "True", "~", "+1", "01", "0x1", ".5", "1.", "1.e3", "-", "-.5", NULL};
    static const char *const floats[] = {"1.5", "-0.5e3", "1E3", NULL};
    static const char *const ints[] = {"0", "-0", "12", NULL};
    expect_kinds(scalar_resolve_json, SCALAR_STRING, strings);
    expect_kinds(scalar_resolve_json, SCALAR_FLOAT, floats);
    expect_kinds(scalar_resolve_json, SCALAR_INT, ints);
    assert_int_equal(scalar_resolve_json(SV("null")).kind, SCALAR_NULL);
    assert_int_equal(scalar_resolve_json(SV("true")).kind, SCALAR_BOOL);
}

static void test_values(void **state) {
    (void)state;
    assert_int_equal(scalar_resolve_core(SV("0x1F")).integer, 31);
    assert_int_equal(scalar_resolve_core(SV("0o17")).integer, 15);
    assert_int_equal(scalar_resolve_core(SV("-12")).integer, -12);
    assert_true(scalar_resolve_core(SV("True")).boolean);
    assert_float_equal((float)scalar_resolve_core(SV("-2.5e1")).number, -25.0F, 0.0F);
}

static void test_BP_014_quoted_is_always_text(void **state) {
    (void)state;
    struct arena a = {0};
    static const enum node_style quoted[] = {NODE_SINGLE_QUOTED, NODE_DOUBLE_QUOTED, NODE_LITERAL, NODE_FOLDED};
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
        const struct node *n = node_new_scalar(&a, SV("5"), quoted[i]);
        assert_int_equal(scalar_resolve_node(n, scalar_resolve_core).kind, SCALAR_STRING);
    }
    const struct node *plain = node_new_scalar(&a, SV("5"), NODE_PLAIN);
    assert_int_equal(scalar_resolve_node(plain, scalar_resolve_core).kind, SCALAR_INT);
    assert_string_equal(node_get_kind_name(plain), "an integer");
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_BP_013_core_schema),           cmocka_unit_test(test_BP_018_numbers_out_of_range),
        cmocka_unit_test(test_json_literals_only),           cmocka_unit_test(test_values),
        cmocka_unit_test(test_BP_014_quoted_is_always_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
