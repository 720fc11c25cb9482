#include "adapters/http/url.h"

#include "base/num.h"

#include <curl/curl.h>

enum { ATTEMPTS_MAX = 4 };

static bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

void http_url_encode(struct buf *out, sv text, sv kept) {
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (is_unreserved(text.data[i]) || sv_find_char(kept, text.data[i]) != SIZE_MAX) {
            buf_append_char(out, text.data[i]);
        } else {
            buf_append_char(out, '%');
            buf_append_char(out, digits[c >> 4]);
            buf_append_char(out, digits[c & 15]);
        }
    }
}

/* What is not allowed in a URL at all; the rest stays as it is written. */
static const char *tidy(struct arena *a, sv text) {
    struct buf out = BUF(a);
    http_url_encode(&out, text, SV("%:/?#[]@!$&'()*+,;="));
    buf_append_char(&out, 0);
    return out.data;
}

static bool has_control(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20 || c == 0x7f) {
            return true;
        }
    }
    return false;
}

static sv get_part(struct arena *a, CURLU *url, CURLUPart part, unsigned flags) {
    char *text = NULL;
    if (curl_url_get(url, part, &text, flags) != CURLUE_OK) {
        return (sv){0};
    }
    sv result = arena_copy_sv(a, sv_from_cstr(text));
    curl_free(text);
    return result;
}

static sv to_lower(struct arena *a, sv text) {
    char *copy = arena_copy_cstr(a, text);
    for (size_t i = 0; i < text.len; i++) {
        copy[i] = copy[i] >= 'A' && copy[i] <= 'Z' ? (char)(copy[i] - 'A' + 'a') : copy[i];
    }
    return sv_make(copy, text.len);
}

static bool is_default_port(sv scheme, sv port) {
    return (sv_eq(scheme, SV("https")) && sv_eq(port, SV("443"))) ||
           (sv_eq(scheme, SV("http")) && sv_eq(port, SV("80")));
}

static bool take_apart(struct arena *a, CURLU *url, struct http_url *u) {
    *u = (struct http_url){0};
    u->scheme = get_part(a, url, CURLUPART_SCHEME, 0);
    u->host = to_lower(a, get_part(a, url, CURLUPART_HOST, 0));
    u->path = get_part(a, url, CURLUPART_PATH, 0);
    u->query = get_part(a, url, CURLUPART_QUERY, 0);
    sv port = get_part(a, url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    int64_t number = 0;
    u->has_user =
        get_part(a, url, CURLUPART_USER, 0).data != NULL || get_part(a, url, CURLUPART_PASSWORD, 0).data != NULL;
    u->has_fragment = get_part(a, url, CURLUPART_FRAGMENT, 0).data != NULL;
    if (u->host.len == 0 || has_control(u->host) ||
        (port.len > 0 && (num_parse_i64(port, 10, &number) != NUM_OK || number < 1 || number > 65535))) {
        return false;
    }
    u->port = (uint16_t)number;
    bool shows_port = port.len > 0 && !is_default_port(u->scheme, port);
    u->origin = arena_printf(a, "%.*s://%.*s%s%.*s", SV_ARG(u->scheme), SV_ARG(u->host), shows_port ? ":" : "",
                             shows_port ? (int)port.len : 0, port.data == NULL ? "" : port.data);
    struct buf text = BUF(a);
    buf_append(&text, u->origin);
    buf_append(&text, u->path);
    if (u->query.len > 0) {
        buf_append_char(&text, '?');
        buf_append(&text, u->query);
    }
    u->text = buf_get_sv(&text);
    return true;
}

static bool parse_on(struct arena *a, const char *base, sv text, struct http_url *result) {
    if (has_control(text) || text.len == 0) {
        return false;
    }
    CURLU *url = curl_url();
    bool ok = url != NULL && (base == NULL || curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK) &&
              curl_url_set(url, CURLUPART_URL, tidy(a, text), CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
              take_apart(a, url, result);
    curl_url_cleanup(url);
    return ok;
}

/* A host may be percent-encoded, and an encoded number: only what stays as it is when read again is canonical. */
static bool settle(struct arena *a, const char *base, sv text, struct http_url *result) {
    struct http_url again;
    if (!parse_on(a, base, text, result)) {
        return false;
    }
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        if (!parse_on(a, NULL, result->text, &again)) {
            return false;
        }
        bool is_stable = sv_eq(again.text, result->text);
        again.has_user = again.has_user || result->has_user;
        again.has_fragment = again.has_fragment || result->has_fragment;
        *result = again;
        if (is_stable) {
            return true;
        }
    }
    return false;
}

/* curl also takes "https:/host" and "host" for URLs. */
bool http_url_parse(struct arena *a, sv text, struct http_url *result) {
    size_t mark = sv_find(text, SV("://"));
    if (mark == SIZE_MAX || mark != sv_find_char(text, ':') ||
        sv_has_prefix(sv_slice(text, mark, text.len), SV(":///"))) {
        return false;
    }
    return settle(a, NULL, text, result);
}

bool http_url_join(struct arena *a, const struct http_url *base, sv relative, struct http_url *result) {
    return settle(a, arena_copy_cstr(a, base->text), relative, result);
}
