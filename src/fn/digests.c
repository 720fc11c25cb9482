/* Digests (FN-203 to FN-205). */
#include "fn/internal.h"

#include "adapters/crypto/crypto.h"

enum { LONGEST_DIGEST = CRYPTO_SHA256 };

static value digest(struct fn_call *c, void (*make)(sv data, uint8_t *out), size_t len) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    uint8_t out[LONGEST_DIGEST];
    make(fn_get_text(c, 0), out);
    return value_string(c->arena, crypto_print_hex(c->arena, out, len));
}

static value call_md5(struct fn_call *c) {
    return digest(c, crypto_digest_md5, 16);
}

static value call_sha1(struct fn_call *c) {
    return digest(c, crypto_digest_sha1, 20);
}

static value call_sha256(struct fn_call *c) {
    return digest(c, crypto_digest_sha256, CRYPTO_SHA256);
}

static const struct fn_param digest_params[] = {
    {SV_INIT("of"), &type_text, 0, SV_INIT("text counts as its UTF-8")},
};

#define DIGEST_FN(fn_name, fn_rule, body)                                                                    \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Bytes"), .params = digest_params, \
    .param_count = 1, .result = &type_string, .flags = FN_PURE, .call = (body)

static const struct fn_def fn_md5 = {
    DIGEST_FN("md5", "FN-205", call_md5),
    .summary = SV_INIT("The MD5 digest in lower-case hexadecimal digits; for compatibility, not for security."),
    .example = SV_INIT("md5(\"Hello World\")"),
    .example_result = SV_INIT("b10a8db164e0754105b7a99be72e3fe5"),
};
static const struct fn_def fn_sha1 = {
    DIGEST_FN("sha1", "FN-204", call_sha1),
    .summary = SV_INIT("The SHA-1 digest in lower-case hexadecimal digits."),
    .example = SV_INIT("sha1(\"Hello World\")"),
    .example_result = SV_INIT("0a4d55a8d778e5022fab701977c5d840bbc486d0"),
};
static const struct fn_def fn_sha256 = {
    DIGEST_FN("sha256", "FN-203", call_sha256),
    .summary = SV_INIT("The SHA-256 digest in lower-case hexadecimal digits."),
    .example = SV_INIT("sha256(\"Hello World\")"),
    .example_result = SV_INIT("a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e"),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_md5,
    &fn_sha1,
    &fn_sha256,
};
const struct fn_table fn_table_digests = {defs, FN_COUNT(defs)};
