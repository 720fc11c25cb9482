#include "providers/random/random.h"

enum { BYTES_MAX = 1024 };

static const struct schema byte_length_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_HAS_MINIMUM | SCHEMA_HAS_MAXIMUM | SCHEMA_MUST_RECREATE,
    .minimum = 1,
    .maximum = BYTES_MAX,
    .default_json = "16",
    .text = SV_INIT("Number of random bytes, 1 to 1024"),
};
static const struct schema keeper_schema = {.type = SCHEMA_STRING};
static const struct schema keepers_schema = {
    .type = SCHEMA_MAP,
    .flags = SCHEMA_MUST_RECREATE,
    .items = &keeper_schema,
    .text = SV_INIT("Any texts; when one changes, a new value is made"),
};
static const struct schema id_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("The bytes in URL-safe base64 without padding"),
};
static const struct schema hex_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("The bytes in lower-case hexadecimal"),
};
static const struct schema_attribute attributes[] = {
    {SV_INIT("byteLength"), &byte_length_schema},
    {SV_INIT("keepers"), &keepers_schema},
    {SV_INIT("id"), &id_schema},
    {SV_INIT("hex"), &hex_schema},
};
static const struct schema schema = {
    .type = SCHEMA_OBJECT,
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
};

static sv encode_hex(struct arena *a, const uint8_t *bytes, size_t len) {
    static const char digits[] = "0123456789abcdef";
    char *text = arena_alloc(a, 2 * len + 1);
    for (size_t i = 0; i < len; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return sv_make(text, 2 * len);
}

/* RFC 4648 section 5, without padding. */
static sv encode_base64url(struct arena *a, const uint8_t *bytes, size_t len) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char *text = arena_alloc(a, (len + 2) / 3 * 4 + 1);
    size_t out = 0;
    uint32_t bits = 0;
    unsigned held = 0;
    for (size_t i = 0; i < len; i++) {
        bits = (bits << 8 | bytes[i]) & 0xffff;
        held += 8;
        while (held >= 6) {
            held -= 6;
            text[out++] = digits[bits >> held & 63];
        }
    }
    if (held > 0) {
        text[out++] = digits[bits << (6 - held) & 63];
    }
    return sv_make(text, out);
}

static enum provider_result id_create(struct provider_call *c) {
    int64_t len = provider_get_i64(c->spec, SV("byteLength"), 16);
    if (len < 1 || len > BYTES_MAX) {
        return provider_fail(c, PROVIDER_TERMINAL, "'byteLength' is not between 1 and %d", BYTES_MAX);
    }
    uint8_t bytes[BYTES_MAX];
    c->host->ops->fill_random(c->host->user, bytes, (size_t)len);
    struct map_builder computed = {.arena = c->arena};
    map_add(&computed, SV("id"), value_string(c->arena, encode_base64url(c->arena, bytes, (size_t)len)));
    map_add(&computed, SV("hex"), value_string(c->arena, encode_hex(c->arena, bytes, (size_t)len)));
    c->computed = map_done(&computed);
    return PROVIDER_OK;
}

static enum provider_result id_keep(struct provider_call *c) {
    return random_keep_prior(c, &schema);
}

static int digit_of(char c) {
    const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const char *at = c == 0 ? NULL : strchr(digits, c);
    return at == NULL ? -1 : (int)(at - digits);
}

/* Only the one spelling that encoding gives. */
static bool decode_base64url(struct arena *a, sv text, uint8_t *bytes, size_t *len) {
    uint32_t bits = 0;
    unsigned held = 0;
    *len = 0;
    for (size_t i = 0; i < text.len; i++) {
        int digit = digit_of(text.data[i]);
        if (digit < 0 || *len == BYTES_MAX) {
            return false;
        }
        bits = (bits << 6 | (uint32_t)digit) & 0xffff;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[(*len)++] = (uint8_t)(bits >> held);
        }
    }
    return *len > 0 && sv_eq(encode_base64url(a, bytes, *len), text);
}

/* All of the object is in its id. */
static enum provider_result id_find(struct provider_call *c) {
    uint8_t bytes[BYTES_MAX];
    size_t len;
    if (!decode_base64url(c->arena, c->physical_id, bytes, &len)) {
        return provider_fail(c, PROVIDER_TERMINAL, "it is no URL-safe base64 without padding of 1 to %d bytes",
                             BYTES_MAX);
    }
    struct map_builder computed = {.arena = c->arena};
    map_add(&computed, SV("id"), value_string(c->arena, c->physical_id));
    map_add(&computed, SV("hex"), value_string(c->arena, encode_hex(c->arena, bytes, len)));
    c->computed = map_done(&computed);
    c->found_spec = value_map_with(c->arena, c->spec, SV("byteLength"), value_int((int64_t)len));
    return PROVIDER_OK;
}

const struct resource_type random_id_type = {
    .name = SV_INIT("random/id"),
    .summary = SV_INIT("A random identifier"),
    .details = SV_INIT(
        "Bytes from the operating system's generator, in two spellings. The value is made when the resource is created "
        "and stays until `byteLength` or one of the `keepers` changes. It is no secret; see `random/password`."),
    .example = SV_INIT("suffix:\n"
                       "  type: random/id\n"
                       "  spec:\n"
                       "    byteLength: 8\n"),
    .id_field = SV_INIT("id"),
    .import_id = SV_INIT("the identifier itself, as `id` spells it"),
    .end_point = true,
    .promise = PROMISE_EXACT,
    .effectless = true,
    .schema = &schema,
    .version = 1,
    .deadline_ms = 10000,
    .create = id_create,
    .read = id_keep,
    .update = id_keep,
    .destroy = random_destroy,
    .recover = random_recover,
    .find = id_find,
};
