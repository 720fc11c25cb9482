#include "sources/sigv4.h"

#include "adapters/crypto/crypto.h"
#include "adapters/http/url.h"
#include "base/vec.h"

#include <stdlib.h>
#include <time.h>

enum { DATE_LEN = 8 };

struct pairs {
    VEC(struct sigv4_pair) items;
};

static int compare_pairs(const void *x, const void *y) {
    const struct sigv4_pair *a = x, *b = y;
    int by_name = sv_cmp(a->name, b->name);
    return by_name != 0 ? by_name : sv_cmp(a->text, b->text);
}

static void sort_pairs(struct pairs *p) {
    if (p->items.len > 1) {
        qsort(p->items.items, p->items.len, sizeof *p->items.items, compare_pairs);
    }
}

static sv print_digest(struct arena *a, sv bytes) {
    uint8_t digest[CRYPTO_SHA256];
    crypto_digest_sha256(bytes, digest);
    return crypto_print_hex(a, digest, sizeof digest);
}

static sv print_time(struct arena *a, int64_t wall_ms) {
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;
    char text[32] = "";
    if (gmtime_r(&seconds, &parts) != NULL) {
        strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
    }
    return arena_copy_sv(a, sv_from_cstr(text));
}

/* --- The canonical request --- */

static sv encode(struct arena *a, sv text) {
    struct buf out = BUF(a);
    http_url_encode(&out, text, (sv){0});
    return buf_get_sv(&out);
}

static void print_query(struct arena *a, struct buf *out, const struct sigv4_request *r) {
    struct pairs encoded = {0};
    for (size_t i = 0; i < r->query_count; i++) {
        struct sigv4_pair pair = {encode(a, r->query[i].name), encode(a, r->query[i].text)};
        VEC_PUSH(a, &encoded.items, pair);
    }
    sort_pairs(&encoded);
    for (size_t i = 0; i < encoded.items.len; i++) {
        buf_append_cstr(out, i > 0 ? "&" : "");
        buf_append(out, encoded.items.items[i].name);
        buf_append_char(out, '=');
        buf_append(out, encoded.items.items[i].text);
    }
}

static sv to_lower(struct arena *a, sv text) {
    char *copy = arena_copy_cstr(a, text);
    for (size_t i = 0; i < text.len; i++) {
        copy[i] = copy[i] >= 'A' && copy[i] <= 'Z' ? (char)(copy[i] - 'A' + 'a') : copy[i];
    }
    return sv_make(copy, text.len);
}

/* Without blanks at the ends; runs of blanks are one. */
static sv squeeze(struct arena *a, sv text) {
    struct buf out = BUF(a);
    text = sv_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != ' ' || text.data[i - 1] != ' ') {
            buf_append_char(&out, text.data[i]);
        }
    }
    return buf_get_sv(&out);
}

static void collect_headers(struct arena *a, const struct sigv4_request *r, const struct sigv4_credentials *c, sv date,
                            struct pairs *headers) {
    const struct sigv4_pair own[] = {
        {SV("x-amz-content-sha256"), r->payload_digest},
        {SV("x-amz-date"), date},
        {SV("x-amz-security-token"), c->session_token},
    };
    for (size_t i = 0; i < r->header_count; i++) {
        struct sigv4_pair pair = {to_lower(a, r->headers[i].name), squeeze(a, r->headers[i].text)};
        VEC_PUSH(a, &headers->items, pair);
    }
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (own[i].text.len > 0) {
            VEC_PUSH(a, &headers->items, own[i]);
        }
    }
    sort_pairs(headers);
}

static sv join_names(struct arena *a, const struct pairs *headers) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < headers->items.len; i++) {
        buf_append_cstr(&out, i > 0 ? ";" : "");
        buf_append(&out, headers->items.items[i].name);
    }
    return buf_get_sv(&out);
}

static sv print_request(struct arena *a, const struct sigv4_request *r, const struct pairs *headers, sv names) {
    struct buf out = BUF(a);
    buf_append(&out, r->method);
    buf_append_char(&out, '\n');
    buf_append(&out, r->path);
    buf_append_char(&out, '\n');
    print_query(a, &out, r);
    buf_append_char(&out, '\n');
    for (size_t i = 0; i < headers->items.len; i++) {
        buf_append(&out, headers->items.items[i].name);
        buf_append_char(&out, ':');
        buf_append(&out, headers->items.items[i].text);
        buf_append_char(&out, '\n');
    }
    buf_append_char(&out, '\n');
    buf_append(&out, names);
    buf_append_char(&out, '\n');
    buf_append(&out, r->payload_digest);
    return buf_get_sv(&out);
}

/* --- The key and the signature --- */

static void derive_key(const struct sigv4_request *r, const struct sigv4_credentials *c, sv day,
                       uint8_t key[CRYPTO_SHA256]) {
    struct arena secret = {.secret = true};
    struct buf first = BUF(&secret);
    buf_append_cstr(&first, "AWS4");
    buf_append(&first, c->secret_key);
    crypto_digest_hmac_sha256(buf_get_sv(&first), day, key);
    const sv steps[] = {r->region, r->service, SV("aws4_request")};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        uint8_t next[CRYPTO_SHA256];
        crypto_digest_hmac_sha256(sv_make((const char *)key, CRYPTO_SHA256), steps[i], next);
        memcpy(key, next, sizeof next);
        crypto_wipe(next, sizeof next);
    }
    arena_fini(&secret);
}

void sigv4_sign(struct arena *a, const struct sigv4_request *r, const struct sigv4_credentials *c,
                struct sigv4_signature *result) {
    struct pairs headers = {0};
    result->date = print_time(a, r->wall_ms);
    sv day = sv_slice(result->date, 0, DATE_LEN);
    collect_headers(a, r, c, result->date, &headers);
    sv names = join_names(a, &headers);
    sv digest = print_digest(a, print_request(a, r, &headers, names));
    sv scope = arena_printf(a, "%.*s/%.*s/%.*s/aws4_request", SV_ARG(day), SV_ARG(r->region), SV_ARG(r->service));
    sv text =
        arena_printf(a, "AWS4-HMAC-SHA256\n%.*s\n%.*s\n%.*s", SV_ARG(result->date), SV_ARG(scope), SV_ARG(digest));
    uint8_t key[CRYPTO_SHA256], mac[CRYPTO_SHA256];
    derive_key(r, c, day, key);
    crypto_digest_hmac_sha256(sv_make((const char *)key, sizeof key), text, mac);
    crypto_wipe(key, sizeof key);
    result->signature = crypto_print_hex(a, mac, sizeof mac);
    result->authorization =
        arena_printf(a, "AWS4-HMAC-SHA256 Credential=%.*s/%.*s, SignedHeaders=%.*s, Signature=%.*s",
                     SV_ARG(c->access_key), SV_ARG(scope), SV_ARG(names), SV_ARG(result->signature));
}
