/* Sealing of sensitive values (LC-050 to LC-053, BP-282).
 *
 * Sensitive leaves are sealed with XChaCha20-Poly1305 under a data key; the data key is wrapped by a key from a key
 * file. Associated data binds instance id, address and path, so that a sealed value cannot be moved. In JSON a sealed
 * leaf is {"$lintel": "sealed", "digest": …, "box": …}; without sealing the box is missing and the value cannot come
 * back (`secret_value_unavailable`). Key material is kept in guarded memory and cleared on close. */
#ifndef LINTEL_SEAL_SEAL_H
#define LINTEL_SEAL_SEAL_H

#include "model/host.h"
#include "text/diag.h"
#include "value/value.h"

struct sealer;

struct sealer_options {
    struct arena *arena;
    struct diags *diags;
    struct host *host;
    sv key_file;   /* made (0600, directories 0700) when missing and `create`; `.lintel/vault/CONTEXT.key` by default */
    sv key_text;   /* what such a file holds, from elsewhere; `key_source` names that place, and the file is not used */
    sv key_source; /* "env:NAME"; empty: the file */
    bool create, no_seal;  /* no_seal: digests only (LC-051) */
    uint8_t store_key[32]; /* for keyed digests */
};

/* NULL after a report (`key_not_usable`: unreadable, malformed, readable by others). The caller closes. */
struct sealer *sealer_open(const struct sealer_options *o);
void sealer_close(struct sealer *s);

struct seal_place {
    sv instance_id;
    sv address; /* element, or "inputs", "journal" */
};
/* JSON text of a value with its sensitive leaves sealed in place; unknown leaves as {"$lintel":"unknown"}. */
sv seal_encode(struct sealer *s, struct arena *a, const struct seal_place *at, value v);
/* The value with sealed leaves opened and marked sensitive. A leaf that cannot be opened (moved, edited, other key,
 * digest only) becomes UNKNOWN marked sensitive with its digest told by seal_find_digest, and encoding it again at the
 * same place keeps its box; `unopened` (may be NULL) counts them. ERROR with a report when the text is no JSON. */
value seal_decode(struct sealer *s, struct arena *a, const struct seal_place *at, sv json, size_t *unopened,
                  struct diags *diags);
/* The digest that an unopened leaf brought along, 64 hexadecimal digits; empty for other values and after a deep copy.
 */
sv seal_find_digest(value v);
/* Whether `after` is what the unopened leaf `before` stands for, told by digest. `sealer` is a struct sealer; fits
 * schema_diff_request.is_same_secret. */
bool seal_is_same_secret(void *sealer, value before, value after);
/* Keyed digest of a leaf for comparison (HMAC-SHA-256 or keyed BLAKE2b with the store's key), 64 hexadecimal digits. */
sv seal_digest(struct sealer *s, struct arena *a, value leaf);
/* Whether two JSON texts made by seal_encode hold equal content, comparing sealed leaves by digest. */
bool seal_equal(struct arena *a, sv json_a, sv json_b);
/* The journal's chain: MAC over the row's bytes and the MAC before. */
void seal_mac(struct sealer *s, const uint8_t before[32], sv row, uint8_t mac[32]);
/* Operation key: first 128 bits of BLAKE2b(instance id, address, generation, action) (LC-022). */
void seal_operation_key(sv instance_id, sv address, int64_t generation, sv action, uint8_t key[16]);
/* SHA-256 as 64 hexadecimal digits, for template digests. */
sv seal_sha256(struct arena *a, sv bytes);

#endif
