/* The door to libsodium and libcrypto, against published vectors. */
#include "adapters/crypto/crypto.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check_hex(struct arena *a, const uint8_t *data, size_t len, const char *want) {
    sv got = crypto_print_hex(a, data, len);
    if (!sv_eq(got, sv_from_cstr(want))) {
        print_error("got:  %.*s\nwant: %s\n", SV_ARG(got), want);
        fail();
    }
}

static void test_hashes(void **state) {
    (void)state;
    struct arena a = {0};
    uint8_t out[64];
    crypto_digest_sha256(SV("abc"), out);
    check_hex(&a, out, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    crypto_digest_sha256((sv){0}, out);
    check_hex(&a, out, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    crypto_digest_sha512(SV("abc"), out);
    check_hex(&a, out, 64,
              "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
              "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
    crypto_digest_sha1(SV("abc"), out);
    check_hex(&a, out, 20, "a9993e364706816aba3e25717850c26c9cd0d89d");
    crypto_digest_md5(SV("abc"), out);
    check_hex(&a, out, 16, "900150983cd24fb0d6963f7d28e17f72");
    crypto_digest_md5((sv){0}, out);
    check_hex(&a, out, 16, "d41d8cd98f00b204e9800998ecf8427e");
    crypto_digest_blake2b((sv){0}, SV("abc"), out, 64);
    check_hex(&a, out, 64,
              "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
              "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
    /* RFC 4231, case 2 */
    crypto_digest_hmac_sha256(SV("Jefe"), SV("what do ya want for nothing?"), out);
    check_hex(&a, out, 32, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    arena_fini(&a);
}

static void test_box(void **state) {
    (void)state;
    uint8_t key[CRYPTO_KEY], nonce[CRYPTO_NONCE], sealed[5 + CRYPTO_TAG], opened[5];
    crypto_fill_random(key, sizeof key);
    crypto_fill_random(nonce, sizeof nonce);
    struct crypto_box box = {key, nonce, SV("here")};
    crypto_seal(&box, SV("hello"), sealed);
    sv text = sv_make((char *)sealed, sizeof sealed);
    assert_true(crypto_open(&box, text, opened));
    assert_memory_equal(opened, "hello", 5);
    struct crypto_box elsewhere = {key, nonce, SV("there")};
    assert_false(crypto_open(&elsewhere, text, opened));
    assert_false(crypto_open(&box, sv_slice(text, 0, 10), opened));
    assert_false(crypto_open(&box, sv_slice(text, 0, text.len - 1), opened));
    for (size_t i = 0; i < sizeof sealed; i++) {
        sealed[i] ^= 1;
        assert_false(crypto_open(&box, text, opened));
        sealed[i] ^= 1;
    }
}

static void test_base64(void **state) {
    (void)state;
    struct arena a = {0};
    sv out;
    assert_true(sv_eq_cstr(crypto_print_base64(&a, "foob", 4), "Zm9vYg=="));
    assert_true(sv_eq_cstr(crypto_print_base64(&a, "", 0), ""));
    assert_true(sv_eq_cstr(crypto_print_base64_url(&a, "\xff\xfe\xfd", 3), "__79"));
    assert_true(crypto_parse_base64(&a, SV("Zm9vYg=="), &out));
    assert_true(sv_eq_cstr(out, "foob"));
    assert_true(crypto_parse_base64(&a, (sv){0}, &out));
    static const char *const bad[] = {"Zm9vYg", "Zm9vYg=", "Zm9vYg== ", "Zm9v\nYg==", "Zm9vYg===", "*", "A"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(crypto_parse_base64(&a, sv_from_cstr(bad[i]), &out));
    }
    arena_fini(&a);
}

static void test_guard(void **state) {
    (void)state;
    uint8_t *key = crypto_guard_new(32);
    assert_non_null(key);
    crypto_fill_random(key, 32);
    crypto_guard_protect(key);
    assert_true(crypto_is_equal(key, key, 32));
    crypto_guard_free(key);
    crypto_guard_free(NULL);
    char text[4] = "abc";
    crypto_wipe(text, sizeof text);
    assert_memory_equal(text, "\0\0\0\0", 4);
}

static int start(void **state) {
    (void)state;
    return crypto_start() ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_guard),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
