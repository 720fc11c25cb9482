#include "base/base64.h"
#include "unit/base/check.h"

static sv encode(struct arena *a, const char *text) {
    struct buf out = BUF(a);
    base64_append(&out, sv_from_cstr(text));
    return buf_get_sv(&out);
}

/* The test vectors of RFC 4648, section 10. */
static void test_groups_are_padded(void **state) {
    (void)state;
    struct arena a = {0};
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_true(sv_eq(encode(&a, pairs[i][0]), sv_from_cstr(pairs[i][1])));
    struct buf out = BUF(&a);
    base64_append(&out, sv_make("\xff\x00\xfe", 3));
    assert_true(sv_eq(buf_get_sv(&out), SV("/wD+")));
    arena_fini(&a);
}

static void test_every_digit_is_read_back(void **state) {
    (void)state;
    int digits = 0;
    for (int c = -128; c < 256; c++) {
        int bits = base64_get_digit((char)c);
        assert_true(bits >= -1 && bits < 64);
        digits += bits >= 0 && c >= 0 && c < 128;
    }
    assert_true(digits == 64);
    assert_true(base64_get_digit('A') == 0 && base64_get_digit('/') == 63 && base64_get_digit('=') == -1);
    assert_true(base64_get_digit('\0') == -1);
}

static void test_only_exact_text_is_decoded(void **state) {
    (void)state;
    struct arena a = {0};
    static const char *const good[][2] = {
        {"", ""}, {"Zg==", "f"}, {"Zm8=", "fo"}, {"Zm9v", "foo"}, {"Zm9vYg==", "foob"}};
    static const char *const bad[] = {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "Zm9v\n", "Z===", "Zm-_", "===="};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct buf out = BUF(&a);
        assert_true(base64_decode(&out, sv_from_cstr(good[i][0])));
        assert_true(sv_eq(buf_get_sv(&out), sv_from_cstr(good[i][1])));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct buf out = BUF(&a);
        assert_false(base64_decode(&out, sv_from_cstr(bad[i])));
    }
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_are_padded),
        cmocka_unit_test(test_every_digit_is_read_back),
        cmocka_unit_test(test_only_exact_text_is_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
