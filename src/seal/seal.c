/* Keys, boxes, digests, MACs. */
#include "seal/seal.h"

#include "seal/sealer.h"

enum { BOX_HEAD = 1 + KEY_ID + CRYPTO_NONCE, BOX_PADDING = 16 };

static void derive(const uint8_t key[CRYPTO_KEY], sv purpose, uint8_t *out, size_t len) {
    crypto_digest_blake2b(sv_make((const char *)key, CRYPTO_KEY), purpose, out, len);
}

static void derive_id(const uint8_t data[CRYPTO_KEY], uint8_t id[KEY_ID]) {
    uint8_t longer[16];
    derive(data, SV("lintel key id 1"), longer, sizeof longer);
    memcpy(id, longer, KEY_ID);
}

/* --- the data key --- */

static bool wrap(struct sealer *s, const struct sealer_options *o, const struct key_material *k, int64_t generation) {
    struct data_key data = {.generation = generation};
    memcpy(data.key, s->keys->data, CRYPTO_KEY);
    derive_id(data.key, data.id);
    bool ok = data_key_wrap(o, k, &data, &s->wrapped);
    crypto_wipe(&data, sizeof data);
    return ok;
}

/* The store has none yet. Key files of the first format bring one along, by which older states are sealed. */
static bool begin_data_key(struct sealer *s, const struct sealer_options *o, const struct key_material *k) {
    s->keys->has_data = k->has_data || o->create || o->context.len == 0;
    if (k->has_data) {
        memcpy(s->keys->data, k->data, CRYPTO_KEY);
    } else if (o->context.len == 0) {
        derive(k->key, SV("lintel data key of a key file 1"), s->keys->data, CRYPTO_KEY);
    } else if (o->create) {
        crypto_fill_random(s->keys->data, CRYPTO_KEY);
    }
    return o->context.len == 0 || !o->create || wrap(s, o, k, 1);
}

static bool use_key(struct sealer *s, const struct sealer_options *o, const struct key_material *k) {
    if (o->wrapped.len == 0) {
        return begin_data_key(s, o, k);
    }
    s->keys->has_data = data_key_unwrap(o, k, s->keys->data);
    s->wrapped = arena_copy_sv(o->arena, o->wrapped);
    return s->keys->has_data;
}

/* The key that wraps; `found` false: there is none, and it shall not be made. */
static bool find_key(const struct sealer_options *o, struct key_material *k, bool *found) {
    *found = o->passphrase.len > 0;
    return *found || key_file_read(o, k, found);
}

bool sealer_check_key(const struct sealer_options *o) {
    struct sealer_options only_look = *o;
    only_look.create = false;
    bool found = false;
    struct key_material *k = crypto_start() ? crypto_guard_new(sizeof *k) : NULL;
    bool ok = k == NULL || find_key(&only_look, k, &found); /* no memory: reported when it is needed */
    crypto_guard_free(k);
    return ok;
}

static bool load_data_key(struct sealer *s, const struct sealer_options *o) {
    struct key_material *k = crypto_guard_new(sizeof *k);
    bool found = false;
    if (k == NULL) {
        diags_add(o->diags, DIAG_key_not_usable, SPAN_NONE, "the system gives no memory for keys");
        return false;
    }
    memset(k, 0, sizeof *k);
    bool ok = find_key(o, k, &found) && (!found || use_key(s, o, k));
    crypto_guard_free(k);
    return ok;
}

/* --- opening --- */

static void derive_all(struct seal_keys *k) {
    if (k->has_data) {
        derive(k->data, SV("lintel nonce 1"), k->nonce, CRYPTO_KEY);
        derive_id(k->data, k->id);
    }
    crypto_guard_protect(k);
}

static struct sealer *new_sealer(const struct sealer_options *o) {
    struct sealer *s = ARENA_NEW(o->arena, struct sealer);
    s->keys = crypto_start() ? crypto_guard_new(sizeof *s->keys) : NULL;
    if (s->keys == NULL) {
        diags_add(o->diags, DIAG_key_not_usable, SPAN_NONE, "the system gives no randomness or no memory for keys");
        return NULL;
    }
    memset(s->keys, 0, sizeof *s->keys);
    derive(o->store_key, SV("lintel digest 1"), s->keys->digest, CRYPTO_KEY);
    derive(o->store_key, SV("lintel journal 1"), s->keys->mac, CRYPTO_KEY);
    return s;
}

struct sealer *sealer_open(const struct sealer_options *o) {
    struct sealer *s = new_sealer(o);
    if (s != NULL && !o->no_seal && !load_data_key(s, o)) {
        sealer_close(s);
        return NULL;
    }
    if (s != NULL) {
        derive_all(s->keys);
    }
    return s;
}

static bool load_anew(struct sealer *s, const struct sealer *old, const struct sealer_options *o, bool rotate) {
    struct arena scratch = {0};
    struct seal_wrapped before = {0};
    bool found = false;
    struct key_material *k = crypto_guard_new(sizeof *k);
    bool ok = k != NULL;
    if (ok) {
        memset(k, 0, sizeof *k);
        ok = find_key(o, k, &found) && found;
    }
    seal_read_wrapped(&scratch, old->wrapped, &before);
    if (ok && rotate) {
        crypto_fill_random(s->keys->data, CRYPTO_KEY);
    } else if (ok) {
        memcpy(s->keys->data, old->keys->data, CRYPTO_KEY);
    }
    s->keys->has_data = ok && wrap(s, o, k, before.generation + (rotate || before.generation == 0 ? 1 : 0));
    crypto_guard_free(k);
    arena_fini(&scratch);
    return s->keys->has_data;
}

struct sealer *sealer_open_anew(const struct sealer *old, const struct sealer_options *o, bool rotate) {
    struct sealer *s = new_sealer(o);
    if (s != NULL && !load_anew(s, old, o, rotate)) {
        sealer_close(s);
        return NULL;
    }
    if (s != NULL) {
        derive_all(s->keys);
    }
    return s;
}

sv sealer_get_wrapped(const struct sealer *s) {
    return s->keys->has_data ? s->wrapped : (sv){0};
}

void sealer_close(struct sealer *s) {
    if (s != NULL) {
        crypto_guard_free(s->keys);
        s->keys = NULL;
    }
}

/* Boxes: version, key id, nonce, sealed text. The nonce is a keyed hash of place and text: it repeats only where the
 * whole box repeats, needs no randomness that might be weak, and gives the same plan the same bytes (LC-004). Texts are
 * filled up with blanks, so that boxes do not tell lengths exactly. */

static void make_nonce(struct sealer *s, struct arena *secret, sv associated, sv plain, uint8_t nonce[CRYPTO_NONCE]) {
    struct buf all = BUF(secret);
    buf_printf(&all, "%zu:", associated.len);
    buf_append(&all, associated);
    buf_append(&all, plain);
    crypto_digest_blake2b(sv_make((const char *)s->keys->nonce, CRYPTO_KEY), buf_get_sv(&all), nonce, CRYPTO_NONCE);
}

static sv get_associated(struct arena *a, sv place) {
    struct buf all = BUF(a);
    buf_append(&all, SV("lintel leaf 1\n"));
    buf_append(&all, place);
    return buf_get_sv(&all);
}

sv box_make(struct sealer *s, struct arena *a, sv place, sv plain) {
    struct arena secret = {.secret = true};
    struct buf padded = BUF(&secret);
    buf_append(&padded, plain);
    buf_append_repeat(&padded, ' ', (BOX_PADDING - plain.len % BOX_PADDING) % BOX_PADDING);
    sv text = buf_get_sv(&padded);
    size_t len = BOX_HEAD + text.len + CRYPTO_TAG;
    uint8_t *bytes = arena_alloc_array(&secret, len, 1);
    sv associated = get_associated(&secret, place);
    bytes[0] = BOX_VERSION;
    memcpy(bytes + 1, s->keys->id, KEY_ID);
    make_nonce(s, &secret, associated, text, bytes + 1 + KEY_ID);
    struct crypto_box box = {s->keys->data, bytes + 1 + KEY_ID, associated};
    crypto_seal(&box, text, bytes + BOX_HEAD);
    sv result = crypto_print_base64(a, bytes, len);
    arena_fini(&secret);
    return result;
}

bool box_open(struct sealer *s, struct arena *a, sv place, sv text, sv *plain) {
    struct arena scratch = {0};
    sv bytes;
    bool ok = s->keys->has_data && crypto_parse_base64(&scratch, text, &bytes) && bytes.len >= BOX_HEAD + CRYPTO_TAG &&
              bytes.data[0] == BOX_VERSION && memcmp(bytes.data + 1, s->keys->id, KEY_ID) == 0;
    if (ok) {
        size_t len = bytes.len - BOX_HEAD - CRYPTO_TAG;
        uint8_t *out = arena_alloc_array(a, len + 1, 1);
        struct crypto_box box = {s->keys->data, (const uint8_t *)bytes.data + 1 + KEY_ID,
                                 get_associated(&scratch, place)};
        ok = crypto_open(&box, sv_slice(bytes, BOX_HEAD, bytes.len), out);
        *plain = sv_make((char *)out, len);
    }
    arena_fini(&scratch);
    return ok;
}

/* Digests */

/* 1.0 and 1 are equal (BP-034) and so are their texts. */
sv leaf_print(struct arena *a, value leaf) {
    double limit = 9007199254740992.0;
    if (leaf.kind == VALUE_FLOAT && leaf.number >= -limit && leaf.number <= limit &&
        leaf.number == (double)(int64_t)leaf.number) {
        leaf = value_int((int64_t)leaf.number);
    }
    return value_print_json(a, leaf, 0, REVEAL);
}

sv seal_digest(struct sealer *s, struct arena *a, value leaf) {
    sv stored = seal_find_digest(leaf);
    if (stored.len > 0) {
        return stored;
    }
    struct arena secret = {.secret = true};
    uint8_t digest[CRYPTO_SHA256];
    sv key = sv_make((const char *)s->keys->digest, CRYPTO_KEY);
    crypto_digest_hmac_sha256(key, leaf_print(&secret, leaf), digest);
    arena_fini(&secret);
    return crypto_print_hex(a, digest, sizeof digest);
}

bool seal_is_same_secret(void *sealer, value before, value after) {
    struct arena scratch = {0};
    sv stored = seal_find_digest(before);
    bool same = stored.len > 0 && value_is_known(after) && sv_eq(stored, seal_digest(sealer, &scratch, after));
    arena_fini(&scratch);
    return same;
}

/* MACs and plain hashes */

void seal_mac(struct sealer *s, const uint8_t before[32], sv row, uint8_t mac[32]) {
    sv key = sv_make((const char *)s->keys->mac, CRYPTO_KEY);
    uint8_t link[2 * CRYPTO_MAC];
    memcpy(link, before, CRYPTO_MAC);
    crypto_digest_blake2b(key, row, link + CRYPTO_MAC, CRYPTO_MAC);
    crypto_digest_blake2b(key, sv_make((const char *)link, sizeof link), mac, CRYPTO_MAC);
}

void seal_operation_key(sv instance_id, sv address, int64_t generation, sv action, uint8_t key[16]) {
    struct arena scratch = {0};
    struct buf text = BUF(&scratch);
    buf_printf(&text, "lintel operation 1\n%zu:", instance_id.len);
    buf_append(&text, instance_id);
    buf_printf(&text, "%zu:", address.len);
    buf_append(&text, address);
    buf_printf(&text, "%lld:", (long long)generation);
    buf_append(&text, action);
    crypto_digest_blake2b((sv){0}, buf_get_sv(&text), key, 16);
    arena_fini(&scratch);
}

sv seal_sha256(struct arena *a, sv bytes) {
    uint8_t digest[CRYPTO_SHA256];
    crypto_digest_sha256(bytes, digest);
    return crypto_print_hex(a, digest, sizeof digest);
}
