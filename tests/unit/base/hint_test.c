/* BP-306: the closest name. */
#include "base/hint.h"
#include "unit/base/check.h"

#include <string.h>

static sv find_hint(const char *wanted, const char *const *candidates) {
    struct hint h = HINT(sv_from_cstr(wanted));
    for (; *candidates != NULL; candidates++) {
        hint_offer(&h, sv_from_cstr(*candidates));
    }
    return h.best;
}

#define FIND(wanted, ...) find_hint((wanted), (const char *const[]){__VA_ARGS__, NULL})

static void test_bp_306_letter_case_comes_first(void **state) {
    (void)state;
    CHECK_SV(FIND("REGION", "regions", "Region", "region"), "Region");
    CHECK_SV(FIND("db", "DB"), "DB");
}

static void test_bp_306_distance_at_most_two(void **state) {
    (void)state;
    CHECK_SV(FIND("region", "regon"), "regon");
    CHECK_SV(FIND("region", "reigon"), "reigon"); /* a swap is one step */
    CHECK_SV(FIND("region", "rexionx"), "rexionx");
    CHECK_SV(FIND("region", "rxxxon"), "");
    CHECK_SV(FIND("region", "regionxyz"), "");
    CHECK_SV(FIND("abcdef", "badcfe"), ""); /* three swaps */
    CHECK_SV(FIND("cabd", "abxcd"), "");
    CHECK_SV(FIND("xcax", "xabcx"), "xabcx"); /* swap around an insertion: Damerau-Levenshtein has two steps */
}

static void test_bp_306_short_names_allow_one(void **state) {
    (void)state;
    CHECK_SV(FIND("abc", "abd"), "abd");
    CHECK_SV(FIND("abc", "axd"), "");
    CHECK_SV(FIND("abcd", "axxd"), "axxd");
    CHECK_SV(FIND("\xC3\xA4\xC3\xA4\xC3\xA4", "\xC3\xA4"), ""); /* three characters, though six bytes */
}

static void test_bp_306_a_single_character_is_close_to_no_other(void **state) {
    (void)state;
    CHECK_SV(FIND("a", "b"), "");
    CHECK_SV(FIND("a", "A"), "A");
    CHECK_SV(FIND("a", "ab"), "ab");
    CHECK_SV(FIND("ab", "xb"), "xb");
}

static void test_bp_306_the_first_of_equals(void **state) {
    (void)state;
    CHECK_SV(FIND("name", "nama", "namb", "nam"), "nama");
    CHECK_SV(FIND("name", "nxxe", "namb"), "namb");
}

static void test_bp_306_characters_not_bytes(void **state) {
    (void)state;
    CHECK_SV(FIND("gr\xC3\xB6\xC3\x9F", "grxx"), "grxx"); /* two characters, four bytes */
    CHECK_SV(FIND("ab\xFF\x64", "abcd"), "abcd");         /* no UTF-8: bytes */
}

static void test_long_and_empty_names_are_never_close(void **state) {
    (void)state;
    char name[66];
    memset(name, 'n', 65);
    name[65] = '\0';
    CHECK_SV(FIND(name, name), "");
    name[64] = '\0';
    CHECK_SV(FIND(name, name), name);
    CHECK_SV(FIND("a", ""), "");
    CHECK_SV(FIND("", "a"), "");
}

/* The textbook algorithm with its table of last occurrences. */
static size_t reference_distance(const char *a, const char *b) {
    size_t d[12][12];
    size_t n = strlen(a);
    size_t m = strlen(b);
    size_t last[256] = {0};
    size_t far = n + m;
    d[0][0] = far;
    for (size_t i = 0; i <= n; i++) {
        d[i + 1][0] = far;
        d[i + 1][1] = i;
    }
    for (size_t j = 0; j <= m; j++) {
        d[0][j + 1] = far;
        d[1][j + 1] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        size_t last_in_row = 0;
        for (size_t j = 1; j <= m; j++) {
            size_t k = last[(unsigned char)b[j - 1]];
            size_t l = last_in_row;
            size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
            last_in_row = cost == 0 ? j : last_in_row;
            size_t best = d[i][j] + cost;
            best = d[i + 1][j] + 1 < best ? d[i + 1][j] + 1 : best;
            best = d[i][j + 1] + 1 < best ? d[i][j + 1] + 1 : best;
            size_t swap = d[k][l] + (i - k - 1) + 1 + (j - l - 1);
            d[i + 1][j + 1] = swap < best ? swap : best;
        }
        last[(unsigned char)a[i - 1]] = i;
    }
    return d[n + 1][m + 1];
}

static void test_bp_306_random_names_against_textbook(void **state) {
    (void)state;
    uint64_t random = 21;
    size_t close = 0;
    for (int i = 0; i < 200000; i++) {
        char names[2][10] = {{0}};
        for (int n = 0; n < 2; n++) {
            size_t len = 4 + next_random(&random) % 5;
            for (size_t at = 0; at < len; at++) {
                names[n][at] = (char)('a' + next_random(&random) % 3);
            }
        }
        struct hint h = HINT(sv_from_cstr(names[0]));
        hint_offer(&h, sv_from_cstr(names[1]));
        size_t distance = reference_distance(names[0], names[1]);
        assert_int_equal(h.best.len > 0, distance <= 2);
        if (distance <= 2) {
            assert_int_equal(h.distance, distance);
            close++;
        }
    }
    assert_true(close > 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bp_306_letter_case_comes_first),
        cmocka_unit_test(test_bp_306_distance_at_most_two),
        cmocka_unit_test(test_bp_306_short_names_allow_one),
        cmocka_unit_test(test_bp_306_a_single_character_is_close_to_no_other),
        cmocka_unit_test(test_bp_306_the_first_of_equals),
        cmocka_unit_test(test_bp_306_characters_not_bytes),
        cmocka_unit_test(test_long_and_empty_names_are_never_close),
        cmocka_unit_test(test_bp_306_random_names_against_textbook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
