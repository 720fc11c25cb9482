/* Sealing of sensitive values (LC-050 to LC-053, BP-282).
 *
 * Sensitive leaves are sealed with XChaCha20-Poly1305 under a data key. Each name space of a store has one of its own,
 * random; the store keeps it wrapped by a key from a key file, an environment variable or a command, or from a
 * passphrase (data_key.c), so that another key can take over without anything being sealed anew. Associated data binds
 * instance id, address and path, so that a sealed value cannot be moved. In JSON a sealed leaf is {"$lintel": "sealed",
 * "digest": …, "box": …}; without sealing the box is missing and the value cannot come back
 * (`secret_value_unavailable`). Key material is kept in guarded memory and cleared on close. */
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
    sv passphrase; /* instead of both */
    sv context;    /* name space that the data key belongs to; empty: it follows from the key file alone */
    sv wrapped;    /* the data key as the store has it; empty: not yet, then `create` makes one */
    bool create, no_seal;  /* no_seal: digests only (LC-051) */
    uint8_t store_key[32]; /* for keyed digests */
};

/* NULL after a report (`key_not_usable`: unreadable, malformed, readable by others). The caller closes. */
struct sealer *sealer_open(const struct sealer_options *o);
void sealer_close(struct sealer *s);
/* Whether the key file, if it is there, or the text is well-formed; the file is not made. False after a report. */
bool sealer_check_key(const struct sealer_options *o);
/* What the store shall hold of the data key; empty without one. */
sv sealer_get_wrapped(const struct sealer *s);
/* A sealer of the same store under another key, which `o` names: with the same data key, or with a new one. NULL after
 * a report. The caller closes. */
struct sealer *sealer_open_anew(const struct sealer *old, const struct sealer_options *o, bool rotate);

/* What can be told of a wrapped data key. False when it is damaged. Texts live in `a`. */
struct seal_wrapped {
    sv id; /* of the data key, hexadecimal */
    bool is_passphrase;
    int64_t generation; /* 1 at first, grows with each rotation */
    int64_t since_ms;   /* when it was wrapped, and by whom */
    sv by;
};
bool seal_read_wrapped(struct arena *a, sv text, struct seal_wrapped *result);

/* --- store_key.c --- */
struct store;
/* The sealer with the data key that the store has for the options' name space. The first key of a name space that is
 * used for writing begins a data key; in a state from before there were any it has to be the one that its secrets are
 * sealed with. A wrong key is reported before anything is written (LC-052). NULL after a report. */
struct sealer *sealer_open_store(struct sealer_options *o, struct store *store);
/* Whether the key fits what lies in the store, of whatever format; nothing is made or written. False after a report. */
bool sealer_check_store(const struct sealer_options *o, struct store *store);
/* Whether the store still has this data key: asked under a lease, since none is rotated while one is held. */
bool sealer_is_current(const struct sealer *s, struct store *store, sv context);

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
/* Whether an unopened leaf has brought its sealed text along: it is of another key, was moved, or edited. */
bool seal_has_box(value v);
/* Whether `after` is what the unopened leaf `before` stands for, told by digest. `sealer` is a struct sealer; fits
 * schema_diff_request.is_same_secret. */
bool seal_is_same_secret(void *sealer, value before, value after);
/* Keyed digest of a leaf for comparison (HMAC-SHA-256 or keyed BLAKE2b with the store's key), 64 hexadecimal digits. */
sv seal_digest(struct sealer *s, struct arena *a, value leaf);
/* Whether two JSON texts made by seal_encode hold equal content, comparing sealed leaves by digest. */
bool seal_equal(struct arena *a, sv json_a, sv json_b);
/* From one data key to another: the text with all leaves that `from` opens sealed by `to`; the text itself when there
 * are none. Leaves that cannot be opened stay as they are. Empty after a report: no JSON. */
struct seal_move {
    struct sealer *from, *to;
    struct diags *diags;
};
struct seal_moved {
    size_t moved, left; /* leaves; added up */
};
sv seal_move(const struct seal_move *m, struct arena *a, const struct seal_place *at, sv json,
             struct seal_moved *count);
/* The journal's chain: MAC over the row's bytes and the MAC before. */
void seal_mac(struct sealer *s, const uint8_t before[32], sv row, uint8_t mac[32]);
/* Operation key: first 128 bits of BLAKE2b(instance id, address, generation, action) (LC-022). */
void seal_operation_key(sv instance_id, sv address, int64_t generation, sv action, uint8_t key[16]);
/* SHA-256 as 64 hexadecimal digits, for template digests. */
sv seal_sha256(struct arena *a, sv bytes);

#endif
