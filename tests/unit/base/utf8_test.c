#include "base/utf8.h"
#include "unit/base/check.h"

#include <string.h>

/* Straight from the definition: collects the bits, then judges the number. */
static size_t reference_length(const unsigned char *b, size_t len) {
    if (b[0] < 0x80) {
        return 1;
    }
    size_t count = b[0] >= 0xF0 && b[0] < 0xF8   ? 4
                   : b[0] >= 0xE0 && b[0] < 0xF0 ? 3
                   : b[0] >= 0xC0 && b[0] < 0xE0 ? 2
                                                 : 0;
    if (count == 0 || count > len) {
        return 0;
    }
    uint32_t c = b[0] & (0xFFu >> (count + 1));
    for (size_t i = 1; i < count; i++) {
        if (b[i] < 0x80 || b[i] > 0xBF) {
            return 0;
        }
        c = c << 6 | (b[i] & 0x3Fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return c < least[count] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) ? 0 : count;
}

static size_t reference_check(const unsigned char *b, size_t len) {
    size_t at = 0;
    while (at < len) {
        size_t count = reference_length(b + at, len - at);
        if (count == 0) {
            return at;
        }
        at += count;
    }
    return at;
}

static void check_bytes(const unsigned char *b, size_t len) {
    size_t got = utf8_check(sv_make((const char *)b, len));
    size_t want = reference_check(b, len);
    if (got != want) {
        print_error("%02x %02x %02x %02x: %zu, not %zu\n", b[0], b[1], len > 2 ? b[2] : 0, len > 3 ? b[3] : 0, got,
                    want);
        fail();
    }
}

static void test_all_sequences_of_one_to_three_bytes(void **state) {
    (void)state;
    unsigned char b[4] = {0};
    for (uint32_t n = 0; n < 0x1000000; n++) {
        b[0] = (unsigned char)(n >> 16);
        b[1] = (unsigned char)(n >> 8);
        b[2] = (unsigned char)n;
        check_bytes(b, 3);
        if (b[2] == 0) {
            check_bytes(b, 2);
        }
        if (b[2] == 0 && b[1] == 0) {
            check_bytes(b, 1);
        }
    }
}

/* Four bytes: all pairs in front, and behind them each kind of byte and each bound. */
static void test_sequences_of_four_bytes(void **state) {
    (void)state;
    static const unsigned char kinds[] = {0x00, 0x41, 0x7F, 0x80, 0x81, 0x8F, 0x90,
                                          0x9F, 0xA0, 0xBF, 0xC0, 0xED, 0xF4, 0xFF};
    unsigned char b[4];
    for (uint32_t n = 0; n < 0x10000 * sizeof kinds; n++) {
        b[0] = (unsigned char)(n >> 8);
        b[1] = (unsigned char)n;
        b[2] = kinds[n >> 16];
        for (size_t i = 0; i < sizeof kinds; i++) {
            b[3] = kinds[i];
            check_bytes(b, 4);
        }
    }
}

static void test_each_code_point_goes_there_and_back(void **state) {
    (void)state;
    for (uint32_t c = 0; c <= 0x110010; c++) {
        char bytes[4];
        size_t len = utf8_encode(c, bytes);
        if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
            assert_int_equal(len, 0);
            continue;
        }
        uint32_t back = 0;
        assert_int_equal(reference_length((const unsigned char *)bytes, len), len);
        assert_int_equal(utf8_decode(sv_make(bytes, len), &back), len);
        assert_int_equal(back, c);
    }
    char none[4];
    assert_int_equal(utf8_encode(UINT32_MAX, none), 0);
}

/* The quick ways over ASCII may not step over anything, wherever it stands. */
static void test_faults_are_found_at_every_offset(void **state) {
    (void)state;
    for (size_t len = 0; len < 100; len++) {
        char text[128];
        memset(text, 'a', sizeof text);
        assert_int_equal(utf8_check(sv_make(text, len)), len);
        for (size_t at = 0; at < len; at++) {
            text[at] = '\xFF';
            assert_int_equal(utf8_check(sv_make(text, len)), at);
            text[at] = 'a';
            if (at + 1 < len) {
                text[at] = '\xC3';
                text[at + 1] = '\xA4';
                assert_int_equal(utf8_check(sv_make(text, len)), len);
                assert_int_equal(utf8_check(sv_make(text, at + 1)), at); /* cut in the middle */
                assert_int_equal(utf8_count(sv_make(text, len)), len - 1);
                memset(text + at, 'a', 2);
            }
        }
    }
    assert_int_equal(utf8_check((sv){0}), 0);
}

static void test_random_bytes_against_reference(void **state) {
    (void)state;
    static const char *const parts[] = {
        "a",    "plain text here ", "\xC3\xA4", "\xE6\x97\xA5", "\xF0\x9F\x98\x80", "\xED\xA0\x80", "\xC0\x80",
        "\x80", "\xF4\x90\x80\x80", "\xE6\x97"};
    uint64_t random = 5;
    for (int i = 0; i < 200000; i++) {
        char text[256];
        size_t len = 0;
        for (uint32_t n = next_random(&random) % 12; n > 0; n--) {
            const char *part = parts[next_random(&random) % (i % 3 == 0 ? 10 : 5)];
            while (*part != '\0') {
                text[len++] = *part++;
            }
        }
        assert_int_equal(utf8_check(sv_make(text, len)), reference_check((const unsigned char *)text, len));
    }
}

static void test_count_and_offsets(void **state) {
    (void)state;
    sv text = SV("a\xC3\xA4\xE6\x97\xA5\xF0\x9F\x98\x80z and more than eight bytes \xC3\xA4!");
    assert_int_equal(utf8_count(text), 5 + 27 + 2);
    const size_t starts[] = {0, 1, 3, 6, 10, 11};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(utf8_find_offset(text, i), starts[i]);
    }
    for (size_t i = 0; i < 50; i++) { /* against counting from the start */
        size_t at = utf8_find_offset(text, i);
        assert_int_equal(utf8_count(sv_slice(text, 0, at)), i < 34 ? i : 34);
    }
    assert_int_equal(utf8_find_offset(text, 1000), text.len);
    assert_int_equal(utf8_find_offset((sv){0}, 0), 0);
    assert_int_equal(utf8_count((sv){0}), 0);
}

static void test_width(void **state) {
    (void)state;
    assert_int_equal(utf8_get_width(SV("abc")), 3);
    assert_int_equal(utf8_get_width(SV("\xE6\x97\xA5\xE6\x9C\xAC")), 4); /* two ideographs */
    assert_int_equal(utf8_get_width(SV("a\xCC\x88")), 1);                /* a combining mark */
    assert_int_equal(utf8_get_width(SV("\xF0\x9F\x98\x80")), 2);         /* an emoji */
    assert_int_equal(utf8_get_width(SV("\x1b\x7F")), 0);
    assert_int_equal(utf8_get_width((sv){0}), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_sequences_of_one_to_three_bytes),
        cmocka_unit_test(test_sequences_of_four_bytes),
        cmocka_unit_test(test_each_code_point_goes_there_and_back),
        cmocka_unit_test(test_faults_are_found_at_every_offset),
        cmocka_unit_test(test_random_bytes_against_reference),
        cmocka_unit_test(test_count_and_offsets),
        cmocka_unit_test(test_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
