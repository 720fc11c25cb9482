#include "base/num.h"
#include "unit/base/check.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_arithmetic_notices_overflow(void **state) { /* F82 */
    (void)state;
    size_t size = 5;
    assert_true(num_add_size(SIZE_MAX - 1, 1, &size) && size == SIZE_MAX);
    assert_false(num_add_size(SIZE_MAX, 1, &size));
    assert_true(num_mul_size(SIZE_MAX, 0, &size) && size == 0);
    assert_false(num_mul_size(SIZE_MAX / 2, 3, &size));
    assert_true(size == 0); /* left alone */
    int64_t n = 5;
    assert_true(num_add_i64(INT64_MAX, INT64_MIN, &n) && n == -1);
    assert_false(num_add_i64(INT64_MAX, 1, &n));
    assert_true(num_sub_i64(-1, INT64_MAX, &n) && n == INT64_MIN);
    assert_false(num_sub_i64(0, INT64_MIN, &n));
    assert_true(num_mul_i64(INT64_MIN, 1, &n) && n == INT64_MIN);
    assert_false(num_mul_i64(INT64_MIN, -1, &n));
    assert_true(n == INT64_MIN);
}

static void test_parse_i64(void **state) {
    (void)state;
    int64_t n = 77;
    assert_int_equal(num_parse_i64(SV("9223372036854775807"), 10, &n), NUM_OK);
    assert_true(n == INT64_MAX);
    assert_int_equal(num_parse_i64(SV("-9223372036854775808"), 10, &n), NUM_OK);
    assert_true(n == INT64_MIN);
    assert_int_equal(num_parse_i64(SV("+00000000000000000000000012"), 10, &n), NUM_OK);
    assert_true(n == 12);
    assert_int_equal(num_parse_i64(SV("-fF"), 16, &n), NUM_OK);
    assert_true(n == -255);
    assert_int_equal(num_parse_i64(SV("9223372036854775808"), 10, &n), NUM_RANGE);
    assert_int_equal(num_parse_i64(SV("-9223372036854775809"), 10, &n), NUM_RANGE);
    assert_int_equal(num_parse_i64(SV("99999999999999999999999"), 10, &n), NUM_RANGE);
    assert_int_equal(num_parse_i64(SV("99999999999999999999999x"), 10, &n), NUM_SYNTAX);
    assert_true(n == -255); /* left alone */
    const char *wrong[] = {"", "-", "+", "--1", "1 ", " 1", "0x1", "1_0", "8", "1.0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(num_parse_i64(sv_from_cstr(wrong[i]), 8, &n), NUM_SYNTAX);
    }
    assert_int_equal(num_parse_i64(sv_make("1\0", 2), 10, &n), NUM_SYNTAX);
}

static void test_parse_u64(void **state) {
    (void)state;
    uint64_t n = 77;
    assert_int_equal(num_parse_u64(SV("18446744073709551615"), 10, &n), NUM_OK);
    assert_true(n == UINT64_MAX);
    assert_int_equal(num_parse_u64(SV("-0"), 10, &n), NUM_OK);
    assert_true(n == 0);
    assert_int_equal(num_parse_u64(SV("-1"), 10, &n), NUM_RANGE);
    assert_int_equal(num_parse_u64(SV("18446744073709551616"), 10, &n), NUM_RANGE);
    assert_int_equal(num_parse_u64(SV("zz"), 36, &n), NUM_OK);
    assert_true(n == 35 * 36 + 35);
}

static void test_print_i64(void **state) {
    (void)state;
    const struct {
        int64_t n;
        const char *text;
    } cases[] = {{0, "0"}, {-1, "-1"}, {INT64_MAX, "9223372036854775807"}, {INT64_MIN, "-9223372036854775808"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUM_TEXT_MAX];
        assert_int_equal(num_print_i64(cases[i].n, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

/* BP-031: positional from 1e-4 to below 1e16, always with a point or exponent. */
static void test_print_double_forms(void **state) {
    (void)state;
    const struct {
        double x;
        const char *text;
    } cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.5, "1.5"},
        {2.0, "2.0"},
        {-100.0, "-100.0"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e-4, "0.0001"},
        {0.00012345, "0.00012345"},
        {9.999e-5, "9.999e-5"},
        {2.5e-7, "2.5e-7"},
        {1e15, "1000000000000000.0"},
        {9999999999999998.0, "9999999999999998.0"},
        {1e16, "1e16"},
        {123456789012345680.0, "1.2345678901234568e17"},
        {DBL_MAX, "1.7976931348623157e308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {0x1p-1074, "5e-324"},
        {-0x1p-1074, "-5e-324"},
        {0x1p-44, "5.684341886080802e-14"}, /* the nearest decimal of 16 digits does not read back, the next does */
        {1.0 / 3, "0.3333333333333333"},
        {123456.789, "123456.789"},
        {0x1p53 + 2, "9007199254740994.0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUM_TEXT_MAX];
        size_t len = num_print_double(cases[i].x, text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(len, strlen(text));
    }
}

static size_t count_digits(const char *text) {
    size_t count = 0;
    size_t zeros = 0;
    bool has_started = false;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '0' && *text <= '9') {
            has_started = has_started || *text != '0';
            zeros = *text == '0' ? zeros + 1 : 0;
            count += has_started;
        }
    }
    return count - (zeros < count ? zeros : 0);
}

/* By the C library: the fewest digits of which the nearest decimal, or one of its neighbours, reads back. */
static size_t find_fewest_digits(double x) {
    for (int digits = 1; digits < 17; digits++) {
        char text[64];
        snprintf(text, sizeof text, "%.*e", digits - 1, x);
        double unit = pow(10, strtod(strchr(text, 'e') + 1, NULL) - digits + 1);
        for (int step = -1; step <= 1; step++) {
            char near[64];
            snprintf(near, sizeof near, "%.*e", digits - 1, strtod(text, NULL) + step * unit);
            if (strtod(near, NULL) == x) {
                return (size_t)digits;
            }
        }
    }
    return 17;
}

static void check_double(double x, bool compare_digits) {
    char text[NUM_TEXT_MAX];
    size_t len = num_print_double(x, text);
    assert_true(len == strlen(text) && len < NUM_TEXT_MAX);
    double back = 0;
    if (num_parse_double(sv_make(text, len), &back) != NUM_OK || back != x || strtod(text, NULL) != x) {
        print_error("%a prints as %s\n", x, text);
        fail();
    }
    if (compare_digits && count_digits(text) > find_fewest_digits(fabs(x))) {
        print_error("%a prints as %s, which is not the shortest\n", x, text);
        fail();
    }
}

static double random_double(uint64_t *random) {
    double x;
    do {
        uint64_t bits = (uint64_t)next_random(random) << 32 | next_random(random);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

static void test_random_doubles_read_back_and_are_short(void **state) {
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < 100000; i++) {
        check_double(random_double(&random), i % 10 == 0);
        double decimal = (double)(int32_t)next_random(&random) / pow(10, next_random(&random) % 12);
        check_double(decimal, i % 10 == 0);
    }
}

static void test_powers_and_their_neighbours(void **state) {
    (void)state;
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        double x = ldexp(1, exponent);
        check_double(x, true);
        check_double(nextafter(x, 0), true);
        check_double(nextafter(x, 1), true);
    }
    for (int exponent = -323; exponent <= 308; exponent++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", exponent);
        check_double(strtod(text, NULL), true);
    }
}

static void check_parse(const char *text) {
    double x = 0;
    assert_int_equal(num_parse_double(sv_from_cstr(text), &x), NUM_OK);
    double expected = strtod(text, NULL);
    if (x != expected || signbit(x) != signbit(expected)) {
        print_error("%s reads as %a, not as %a\n", text, x, expected);
        fail();
    }
}

static void test_parse_double(void **state) {
    (void)state;
    const char *right[] = {"0",
                           "-0",
                           "-0.0",
                           "1.",
                           ".5",
                           "+1.5e3",
                           "1E-2",
                           "1e+2",
                           "00012.50",
                           "1e22",
                           "1e23",
                           "123456789012345e22",
                           "1e-400",
                           "0e999999999999999999999",
                           "4.9e-324",
                           "2.4703282292062327e-324",
                           "9007199254740993",
                           "179769313486231580793e288",
                           "0.000000000000000000000000000000000001e36"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        check_parse(right[i]);
    }
    double x = 7;
    const char *wrong[] = {"",    "-",   ".",  "e1", "1e",  "1e+",   "1.2.3", "0x10",
                           "inf", "nan", "1 ", " 1", "1,5", "1e1.0", "--1",   "+-1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(num_parse_double(sv_from_cstr(wrong[i]), &x), NUM_SYNTAX);
    }
    const char *large[] = {"1e309", "-1.8e308", "1e99999999999999999999999999", "17976931348623159e292"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        assert_int_equal(num_parse_double(sv_from_cstr(large[i]), &x), NUM_RANGE);
    }
    assert_true(x == 7);
    assert_int_equal(num_parse_double(sv_make("1\0", 2), &x), NUM_SYNTAX);
}

/* Exactly half way between two doubles, then a little above and below, in all its up to 767 digits. */
static void test_parse_decides_ties_by_all_digits(void **state) {
    (void)state;
    uint64_t random = 13;
    for (int i = 0; i < 2000; i++) {
        double x = fabs(random_double(&random));
        if (!(x > DBL_MIN && x < DBL_MAX / 2)) {
            continue;
        }
        long double middle = ((long double)x + (long double)nextafter(x, HUGE_VAL)) / 2;
        char text[1200];
        snprintf(text, sizeof text, "%.900Le", middle);
        check_parse(text);
        text[900] = '1'; /* a digit behind the last that is not zero */
        check_parse(text);
        snprintf(text, sizeof text, "%.900Le", nextafterl(middle, 0));
        check_parse(text);
    }
}

static void test_very_long_numbers(void **state) {
    (void)state;
    enum { LONG = 1000000 };
    struct arena a = {0};
    char *text = arena_alloc(&a, LONG + 9);
    memset(text, '0', LONG);
    (void)snprintf(text + LONG, 9, "1e0");
    double x = 0;
    assert_int_equal(num_parse_double(sv_make(text, LONG + 3), &x), NUM_OK);
    assert_true(x == 1);
    text[0] = '1';
    assert_int_equal(num_parse_double(sv_make(text, LONG), &x), NUM_RANGE);
    (void)snprintf(text + LONG, 9, "e-999999");
    assert_int_equal(num_parse_double(sv_make(text, LONG + 8), &x), NUM_OK);
    assert_true(x == 1);
    arena_fini(&a);
}

/* Makes a locale with a decimal comma in a directory of its own and puts it in force. */
static bool use_comma_locale(char *directory) {
    char command[200];
    if (mkdtemp(directory) == NULL) {
        return false;
    }
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/comma.UTF-8 >/dev/null 2>&1", directory);
    return system(command) == 0 && setenv("LOCPATH", directory, 1) == 0 && setlocale(LC_ALL, "comma.UTF-8") != NULL;
}

static void test_the_locale_does_not_matter(void **state) { /* F84 */
    (void)state;
    char directory[] = "/tmp/lintel-locale-XXXXXX";
    bool is_comma = use_comma_locale(directory);
    char text[NUM_TEXT_MAX];
    char c_text[NUM_TEXT_MAX];
    num_print_double(1.0 / 3, text);
    snprintf(c_text, sizeof c_text, "%.1f", 0.5);
    double x = 0;
    enum num_parse parsed = num_parse_double(SV("0.12345678901234567890"), &x);
    setlocale(LC_ALL, "C");
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
    if (!is_comma) {
        print_message("localedef or its data (package locales) is missing\n");
        skip();
    }
    assert_string_equal(c_text, "0,5"); /* the locale is in force */
    assert_string_equal(text, "0.3333333333333333");
    assert_int_equal(parsed, NUM_OK);
    assert_true(x == 0.12345678901234567890);
}

static void test_integers_compare_exactly_with_doubles(void **state) {
    (void)state;
    const struct {
        int64_t n;
        double x;
        int order;
    } cases[] = {
        {0, 0.0, 0},
        {0, -0.0, 0},
        {0, 0x1p-1074, -1},
        {0, -0x1p-1074, 1},
        {5, 5.5, -1},
        {-5, -5.5, 1},
        {-5, -4.5, -1},
        {(INT64_C(1) << 53) + 1, 0x1p53, 1},
        {INT64_MAX, 0x1p63, -1},
        {INT64_MIN, -0x1p63, 0},
        {INT64_MIN, -0x1.0000000000001p63, 1},
        {INT64_MAX, HUGE_VAL, -1},
        {INT64_MIN, -HUGE_VAL, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int order = num_cmp_i64_double(cases[i].n, cases[i].x);
        assert_int_equal((order > 0) - (order < 0), cases[i].order);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic_notices_overflow),
        cmocka_unit_test(test_parse_i64),
        cmocka_unit_test(test_parse_u64),
        cmocka_unit_test(test_print_i64),
        cmocka_unit_test(test_print_double_forms),
        cmocka_unit_test(test_random_doubles_read_back_and_are_short),
        cmocka_unit_test(test_powers_and_their_neighbours),
        cmocka_unit_test(test_parse_double),
        cmocka_unit_test(test_parse_decides_ties_by_all_digits),
        cmocka_unit_test(test_very_long_numbers),
        cmocka_unit_test(test_the_locale_does_not_matter),
        cmocka_unit_test(test_integers_compare_exactly_with_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
