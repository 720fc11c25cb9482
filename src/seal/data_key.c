/* The data key of a name space as the store keeps it: wrapped (LC-050).
 *
 *     {"format":1,"id":HEX,"wrap":"key","generation":1,"since":MS,"by":ACTOR,"box":BASE64}
 *     {…,"wrap":"passphrase","salt":BASE64,"operations":3,"memory":67108864,"box":BASE64}
 *
 * `id` is that of the data key and stands in every box sealed by it. The key that wraps comes from a key file's text,
 * or from a passphrase by Argon2id with what stands beside. Invariants: (1) what a key does not open is never replaced
 * by something else; (2) the text holds no key in clear, nor anything from which one could be guessed faster than by
 * Argon2id; (3) costs that the text asks for are bounded, for somebody may have edited it. */
#include "base/jsonw.h"
#include "seal/sealer.h"
#include "seal/stored.h"

enum {
    SALT = 16,
    OPERATIONS = 3,
    MEMORY = 64 << 20,
    OPERATIONS_MAX = 16,
    MEMORY_MIN = 8 << 10,
    MEMORY_MAX = 1 << 30,
    TEXT_MAX = 4096,
    WRAPPED = CRYPTO_NONCE + CRYPTO_KEY + CRYPTO_TAG,
};

/* The text, taken apart. */
struct wrapping {
    bool is_passphrase;
    sv id, salt, box;
    int64_t operations, memory, generation;
};

/* --- reading --- */

static int64_t get_i64(value v, sv key, int64_t least, int64_t most) {
    value n = value_map_find(v, key);
    return n.kind == VALUE_INT && n.integer >= least && n.integer <= most ? n.integer : -1;
}

static bool parse_passphrase(struct arena *a, value v, struct wrapping *w) {
    w->operations = get_i64(v, SV("operations"), 1, OPERATIONS_MAX);
    w->memory = get_i64(v, SV("memory"), MEMORY_MIN, MEMORY_MAX);
    return w->operations > 0 && w->memory > 0 &&
           crypto_parse_base64(a, value_get_text(value_map_find(v, SV("salt"))), &w->salt) && w->salt.len == SALT;
}

static bool parse_wrapping(struct arena *a, sv text, struct wrapping *w) {
    struct stored_json info;
    *w = (struct wrapping){0};
    value v = text.len > TEXT_MAX ? value_error(NULL) : stored_parse(a, text, &info);
    if (v.kind != VALUE_MAP || get_i64(v, SV("format"), 1, 1) != 1) {
        return false;
    }
    sv how = value_get_text(value_map_find(v, SV("wrap")));
    w->is_passphrase = sv_eq_cstr(how, "passphrase");
    w->id = value_get_text(value_map_find(v, SV("id")));
    w->generation = get_i64(v, SV("generation"), 1, INT64_MAX);
    return w->id.len == 2 * (size_t)KEY_ID && w->generation > 0 && (w->is_passphrase || sv_eq_cstr(how, "key")) &&
           crypto_parse_base64(a, value_get_text(value_map_find(v, SV("box"))), &w->box) && w->box.len == WRAPPED &&
           (!w->is_passphrase || parse_passphrase(a, v, w));
}

/* --- reports --- */

static bool report(const struct sealer_options *o, sv what, const char *hint) {
    struct diag *d = diags_add(o->diags, DIAG_key_not_usable, SPAN_NONE, "%.*s", SV_ARG(what));
    diag_set_hint(o->diags, d, "%s", hint);
    return false;
}

static sv describe(const struct sealer_options *o, struct arena *a) {
    if (o->passphrase.len > 0) {
        return SV("the passphrase");
    }
    bool is_file = o->key_source.len == 0;
    return arena_printf(a, is_file ? "key file '%.*s'" : "the key from '%.*s'",
                        SV_ARG(is_file ? o->key_file : o->key_source));
}

static bool report_wrong(const struct sealer_options *o, const struct wrapping *w) {
    struct arena scratch = {0};
    bool has_passphrase = o->passphrase.len > 0;
    sv given = describe(o, &scratch), context = o->context;
    sv what = arena_printf(
        &scratch, "%.*s does not open the secrets of context '%.*s': %s", SV_ARG(given), SV_ARG(context),
        w->is_passphrase == has_passphrase
            ? (has_passphrase ? "it is not the one that they were sealed with" : "they are sealed with another key")
        : w->is_passphrase ? "they are sealed with a passphrase"
                           : "they are sealed with a key, not with a passphrase");
    report(
        o, what,
        w->is_passphrase
            ? "give --key passphrase and the passphrase of this state; nothing was written"
            : "name the key that was used before with --key file:PATH, env:NAME or command:ARGV; nothing was written");
    arena_fini(&scratch);
    return false;
}

static bool report_damaged(const struct sealer_options *o) {
    return report(o, SV("the data key that the state store holds is damaged"), "restore the state from a backup");
}

/* --- the key that wraps --- */

static bool stretch(const struct sealer_options *o, const struct wrapping *w, uint8_t key[CRYPTO_KEY]) {
    struct crypto_stretch how = {.salt = w->salt, .operations = (uint64_t)w->operations, .memory = (size_t)w->memory};
    return crypto_derive_from_passphrase(o->passphrase, &how, key) ||
           report(o, SV("the passphrase cannot be worked on: the system has too little memory"),
                  "64 MB of memory are needed for a moment");
}

static sv make_associated(struct arena *a, const struct sealer_options *o, const struct wrapping *w) {
    return arena_printf(a, "lintel data key 2\n%s\n%.*s", w->is_passphrase ? "passphrase" : "key", SV_ARG(o->context));
}

/* --- both ways --- */

bool data_key_unwrap(const struct sealer_options *o, const struct key_material *k, uint8_t data[CRYPTO_KEY]) {
    struct arena secret = {.secret = true};
    struct wrapping w;
    bool ok = parse_wrapping(&secret, o->wrapped, &w) || report_damaged(o);
    if (ok && w.is_passphrase != (o->passphrase.len > 0)) {
        ok = report_wrong(o, &w);
    } else if (ok) {
        uint8_t *key = arena_alloc(&secret, CRYPTO_KEY);
        memcpy(key, k->key, CRYPTO_KEY);
        ok = !w.is_passphrase || stretch(o, &w, key);
        struct crypto_box box = {key, (const uint8_t *)w.box.data, make_associated(&secret, o, &w)};
        ok = ok && (crypto_open(&box, sv_slice(w.box, CRYPTO_NONCE, w.box.len), data) || report_wrong(o, &w));
    }
    arena_fini(&secret);
    return ok;
}

static void write_wrapping(struct buf *out, struct arena *a, const struct sealer_options *o, const struct wrapping *w) {
    struct jsonw j = JSONW(out, 0);
    jsonw_begin_object(&j);
    jsonw_put_i64(&j, "format", 1);
    jsonw_put_text(&j, "id", w->id);
    jsonw_put_text(&j, "wrap", w->is_passphrase ? SV("passphrase") : SV("key"));
    jsonw_put_i64(&j, "generation", w->generation);
    jsonw_put_i64(&j, "since", o->host->ops->get_wall_ms(o->host->user));
    jsonw_put_text(&j, "by", o->host->ops->get_actor(o->host->user, a));
    if (w->is_passphrase) {
        jsonw_put_text(&j, "salt", crypto_print_base64(a, w->salt.data, w->salt.len));
        jsonw_put_i64(&j, "operations", w->operations);
        jsonw_put_i64(&j, "memory", w->memory);
    }
    jsonw_put_text(&j, "box", crypto_print_base64(a, w->box.data, w->box.len));
    jsonw_end_object(&j);
}

bool data_key_wrap(const struct sealer_options *o, const struct key_material *k, const struct data_key *data,
                   sv *text) {
    struct arena secret = {.secret = true};
    uint8_t *key = arena_alloc(&secret, CRYPTO_KEY), *salt = arena_alloc(&secret, SALT);
    uint8_t *box = arena_alloc(&secret, WRAPPED);
    struct wrapping w = {.is_passphrase = o->passphrase.len > 0,
                         .generation = data->generation,
                         .operations = OPERATIONS,
                         .memory = MEMORY};
    memcpy(key, k->key, CRYPTO_KEY);
    crypto_fill_random(salt, SALT);
    crypto_fill_random(box, CRYPTO_NONCE);
    w.salt = sv_make((char *)salt, SALT);
    w.id = crypto_print_hex(&secret, data->id, KEY_ID);
    w.box = sv_make((char *)box, WRAPPED);
    bool ok = !w.is_passphrase || stretch(o, &w, key);
    if (ok) {
        struct crypto_box sealed = {key, box, make_associated(&secret, o, &w)};
        crypto_seal(&sealed, sv_make((const char *)data->key, CRYPTO_KEY), box + CRYPTO_NONCE);
        struct buf out = BUF(o->arena);
        write_wrapping(&out, &secret, o, &w);
        *text = buf_get_sv(&out);
    }
    arena_fini(&secret);
    return ok;
}

/* --- what can be told without a key --- */

bool seal_read_wrapped(struct arena *a, sv text, struct seal_wrapped *result) {
    struct wrapping w;
    *result = (struct seal_wrapped){0};
    if (!parse_wrapping(a, text, &w)) {
        return false;
    }
    struct stored_json info;
    value v = stored_parse(a, text, &info);
    *result = (struct seal_wrapped){
        .id = w.id,
        .is_passphrase = w.is_passphrase,
        .generation = w.generation,
        .since_ms = get_i64(v, SV("since"), 0, INT64_MAX),
        .by = value_get_text(value_map_find(v, SV("by"))),
    };
    return true;
}
