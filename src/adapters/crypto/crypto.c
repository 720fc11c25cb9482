#include "adapters/crypto/crypto.h"

#include <assert.h>
#include <openssl/evp.h>
#include <sodium.h>

static const unsigned char *bytes_of(sv s) {
    return (const unsigned char *)(s.len == 0 ? "" : s.data);
}

bool crypto_start(void) {
    return sodium_init() >= 0;
}

void crypto_fill_random(void *out, size_t len) {
    randombytes_buf(out, len);
}

bool crypto_is_equal(const void *a, const void *b, size_t len) {
    return sodium_memcmp(a, b, len) == 0;
}

void crypto_wipe(void *data, size_t len) {
    if (len > 0) {
        sodium_memzero(data, len);
    }
}

void *crypto_guard_new(size_t size) {
    return sodium_malloc(size);
}

void crypto_guard_protect(void *guarded) {
    sodium_mprotect_readonly(guarded);
}

void crypto_guard_free(void *guarded) {
    sodium_free(guarded);
}

/* Sealing */

void crypto_seal(const struct crypto_box *b, sv plain, uint8_t *out) {
    unsigned long long len = 0;
    crypto_aead_xchacha20poly1305_ietf_encrypt(out, &len, bytes_of(plain), plain.len, bytes_of(b->associated),
                                               b->associated.len, NULL, b->nonce, b->key);
}

bool crypto_open(const struct crypto_box *b, sv sealed, uint8_t *out) {
    unsigned long long len = 0;
    return sealed.len >= CRYPTO_TAG && crypto_aead_xchacha20poly1305_ietf_decrypt(
                                           out, &len, NULL, bytes_of(sealed), sealed.len, bytes_of(b->associated),
                                           b->associated.len, b->nonce, b->key) == 0;
}

bool crypto_derive_from_passphrase(sv passphrase, const struct crypto_stretch *how, uint8_t key[CRYPTO_KEY]) {
    assert(how->salt.len == crypto_pwhash_SALTBYTES);
    return crypto_pwhash(key, CRYPTO_KEY, (const char *)bytes_of(passphrase), passphrase.len, bytes_of(how->salt),
                         how->operations, how->memory, crypto_pwhash_ALG_ARGON2ID13) == 0;
}

/* Hashes */

void crypto_digest_blake2b(sv key, sv data, uint8_t *out, size_t out_len) {
    int failed = crypto_generichash(out, out_len, bytes_of(data), data.len, bytes_of(key), key.len);
    assert(failed == 0); /* lengths are ours */
    (void)failed;
}

void crypto_digest_sha256(sv data, uint8_t out[CRYPTO_SHA256]) {
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, bytes_of(data), data.len);
    crypto_hash_sha256_final(&state, out);
}

void crypto_digest_hmac_sha256(sv key, sv data, uint8_t out[CRYPTO_SHA256]) {
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, bytes_of(key), key.len);
    crypto_auth_hmacsha256_update(&state, bytes_of(data), data.len);
    crypto_auth_hmacsha256_final(&state, out);
    sodium_memzero(&state, sizeof state);
}

void crypto_digest_sha512(sv data, uint8_t out[64]) {
    crypto_hash_sha512_state state;
    crypto_hash_sha512_init(&state);
    crypto_hash_sha512_update(&state, bytes_of(data), data.len);
    crypto_hash_sha512_final(&state, out);
}

static void hash_old(const EVP_MD *kind, sv data, uint8_t *out) {
    unsigned len = 0;
    int ok = EVP_Digest(bytes_of(data), data.len, out, &len, kind, NULL);
    assert(ok == 1); /* fails only without memory, which ends the process everywhere */
    (void)ok;
}

void crypto_digest_sha1(sv data, uint8_t out[20]) {
    hash_old(EVP_sha1(), data, out);
}

void crypto_digest_md5(sv data, uint8_t out[16]) {
    hash_old(EVP_md5(), data, out);
}

/* Texts */

sv crypto_print_hex(struct arena *a, const void *data, size_t len) {
    char *text = arena_alloc_array(a, len * 2 + 1, 1);
    sodium_bin2hex(text, len * 2 + 1, data, len);
    return sv_make(text, len * 2);
}

static sv print_base64(struct arena *a, const void *data, size_t len, int variant) {
    size_t room = sodium_base64_encoded_len(len, variant);
    char *text = arena_alloc_array(a, room, 1);
    sodium_bin2base64(text, room, data, len, variant);
    return sv_make(text, strlen(text));
}

sv crypto_print_base64(struct arena *a, const void *data, size_t len) {
    return print_base64(a, data, len, sodium_base64_VARIANT_ORIGINAL);
}

sv crypto_print_base64_url(struct arena *a, const void *data, size_t len) {
    return print_base64(a, data, len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool crypto_parse_base64(struct arena *a, sv text, sv *result) {
    size_t room = text.len / 4 * 3 + 3, len = 0;
    unsigned char *out = arena_alloc_array(a, room, 1);
    const char *end = NULL;
    const char *start = text.len == 0 ? "" : text.data;
    int failed = sodium_base642bin(out, room, start, text.len, NULL, &len, &end, sodium_base64_VARIANT_ORIGINAL);
    *result = sv_make((char *)out, len);
    return failed == 0 && end == start + text.len;
}
