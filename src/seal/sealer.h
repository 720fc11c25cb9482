/* What a sealer holds, for the files of this room. */
#ifndef LINTEL_SEAL_SEALER_H
#define LINTEL_SEAL_SEALER_H

#include "adapters/crypto/crypto.h"
#include "seal/seal.h"

enum {
    KEY_ID = 8,
    BOX_VERSION = 1,
};

/* All in guarded memory. */
struct seal_keys {
    uint8_t data[CRYPTO_KEY];   /* seals leaves; not there without `has_data` */
    uint8_t nonce[CRYPTO_KEY];  /* derives nonces */
    uint8_t digest[CRYPTO_KEY]; /* HMAC of leaves, from the store's key */
    uint8_t mac[CRYPTO_KEY];    /* the journal's chain, from the store's key */
    uint8_t id[KEY_ID];         /* of the data key, stands in boxes */
    bool has_data;
};

struct sealer {
    struct seal_keys *keys;
    sv wrapped; /* the data key, as the store has it or shall have it; empty: it is kept nowhere */
};

/* What a key file holds. */
struct key_material {
    uint8_t key[CRYPTO_KEY];  /* wraps the data key */
    uint8_t data[CRYPTO_KEY]; /* of files of the first format: a data key of their own */
    bool has_data;
};
/* The file, made when missing and wanted, or the text. False after a report; `found` false: there is none. */
bool key_file_read(const struct sealer_options *o, struct key_material *k, bool *found);

/* A data key to be wrapped. */
struct data_key {
    uint8_t key[CRYPTO_KEY];
    uint8_t id[KEY_ID];
    int64_t generation; /* grows with each rotation */
};
/* What options->wrapped holds, opened by the passphrase or the key given. False after a report. */
bool data_key_unwrap(const struct sealer_options *o, const struct key_material *k, uint8_t data[CRYPTO_KEY]);
/* The text for the store, in the arena of the options. False after a report. */
bool data_key_wrap(const struct sealer_options *o, const struct key_material *k, const struct data_key *data, sv *text);

/* seal_decode that tells how many leaves were opened (`moved`) and how many were not (`left`). */
value decode_counting(struct sealer *s, struct arena *a, const struct seal_place *at, sv json, struct seal_moved *count,
                      struct diags *diags);

/* One leaf: the box as base64 text in `a`, and back. */
sv box_make(struct sealer *s, struct arena *a, sv place, sv plain);
/* The plain text, in `a`; false when the box is of another key, place, or changed. */
bool box_open(struct sealer *s, struct arena *a, sv place, sv text, sv *plain);

/* Places inside a value, as unambiguous bytes. */
void place_start(struct buf *path, const struct seal_place *at);
void place_add_key(struct buf *path, sv key);
void place_add_index(struct buf *path, size_t index);

/* An unopened leaf: UNKNOWN, sensitive, with what was stored. `box` may be empty. */
value unopened_new(struct arena *a, sv digest, sv box);
/* NULL for other values. */
const struct type_field *unopened_find(value v, size_t *count);

/* The text that stands for a leaf in boxes and digests; `a` should be a secret arena. */
sv leaf_print(struct arena *a, value leaf);

#endif
