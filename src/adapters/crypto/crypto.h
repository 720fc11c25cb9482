/* The one door to libsodium, and to libcrypto for the old hashes that libsodium has not.
 *
 * crypto_start comes first, once per process or often: it is cheap, safe from any thread, and false only when the
 * system has no randomness. Everything else cannot fail but where said so. Keys live in guarded memory: pages of their
 * own, locked, out of core dumps, cleared when freed. */
#ifndef LINTEL_ADAPTERS_CRYPTO_CRYPTO_H
#define LINTEL_ADAPTERS_CRYPTO_CRYPTO_H

#include "base/arena.h"

enum {
    CRYPTO_KEY = 32,
    CRYPTO_NONCE = 24,
    CRYPTO_TAG = 16,
    CRYPTO_SALT = 16,
    CRYPTO_SHA256 = 32,
    CRYPTO_MAC = 32,
};

bool crypto_start(void);

/* Randomness, comparison in constant time, clearing that is not optimised away. */
void crypto_fill_random(void *out, size_t len);
bool crypto_is_equal(const void *a, const void *b, size_t len);
void crypto_wipe(void *data, size_t len);

/* Guarded memory; NULL when the system gives none. */
void *crypto_guard_new(size_t size);
void crypto_guard_protect(void *guarded); /* only reading from now on */
void crypto_guard_free(void *guarded);    /* clears; NULL is fine */

/* XChaCha20-Poly1305. `out` has room for plain.len + CRYPTO_TAG bytes. */
struct crypto_box {
    const uint8_t *key;   /* CRYPTO_KEY */
    const uint8_t *nonce; /* CRYPTO_NONCE, never used twice for different texts */
    sv associated;
};
void crypto_seal(const struct crypto_box *b, sv plain, uint8_t *out);
/* `out` has room for sealed.len - CRYPTO_TAG bytes. False when anything was changed. */
bool crypto_open(const struct crypto_box *b, sv sealed, uint8_t *out);

/* A key from a passphrase (Argon2id). False when the system has not that much memory. */
struct crypto_stretch {
    sv salt; /* CRYPTO_SALT bytes */
    uint64_t operations;
    size_t memory; /* bytes */
};
bool crypto_derive_from_passphrase(sv passphrase, const struct crypto_stretch *how, uint8_t key[CRYPTO_KEY]);

/* Hashes. `out_len` of BLAKE2b is 16 to 64; an empty key makes it a plain hash, else 16 to 64 bytes. */
void crypto_digest_blake2b(sv key, sv data, uint8_t *out, size_t out_len);
void crypto_digest_sha256(sv data, uint8_t out[CRYPTO_SHA256]);
void crypto_digest_hmac_sha256(sv key, sv data, uint8_t out[CRYPTO_SHA256]);
/* For what others ask for, never for safety. */
void crypto_digest_sha512(sv data, uint8_t out[64]);
void crypto_digest_sha1(sv data, uint8_t out[20]);
void crypto_digest_md5(sv data, uint8_t out[16]);

/* Texts; they live in `a`. Decoding is strict: padding as in RFC 4648, nothing behind it. */
sv crypto_print_hex(struct arena *a, const void *data, size_t len);
sv crypto_print_base64(struct arena *a, const void *data, size_t len);
sv crypto_print_base64_url(struct arena *a, const void *data, size_t len); /* URL alphabet, no padding */
bool crypto_parse_base64(struct arena *a, sv text, sv *result);

#endif
