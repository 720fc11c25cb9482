#include "sources/web.h"

#include "adapters/http/address.h"

#define AGENT "lintel/" LINTEL_VERSION
enum { HEADERS_MAX = 16 };

/* --- What may be reached --- */

unsigned web_get_refused(const struct gatherer *g, sv host, bool is_named) {
    unsigned not_public = HTTP_PEER_LOOPBACK | HTTP_PEER_LINK_LOCAL | HTTP_PEER_PRIVATE | (unsigned)HTTP_PEER_UNUSABLE;
    if (!is_named || !g->o.allow_private) {
        return not_public;
    }
    /* A host that is loopback by name is nothing else: what may go without TLS stays on this machine. */
    bool is_loopback = http_classify_host(host) == HTTP_PEER_LOOPBACK;
    return is_loopback ? (not_public | HTTP_PEER_PUBLIC) & ~(unsigned)HTTP_PEER_LOOPBACK : HTTP_PEER_UNUSABLE;
}

sv web_print_name(struct arena *a, const struct http_url *url) {
    struct buf out = BUF(a);
    buf_append(&out, url->origin);
    buf_append(&out, url->path);
    buf_append_cstr(&out, url->query.len > 0 ? "?" : "");
    return sources_print_safely(a, buf_get_sv(&out), NAME_MAX_SHOWN);
}

static bool check_scheme(struct gatherer *g, struct web_get *w, const struct http_url *from,
                         const struct http_url *url) {
    bool is_https = sv_eq(url->scheme, SV("https"));
    bool is_http = sv_eq(url->scheme, SV("http"));
    bool is_downgrade = from != NULL && sv_eq(from->scheme, SV("https")) && is_http;
    bool is_loopback = http_classify_host(url->host) == HTTP_PEER_LOOPBACK;
    if (is_https || (is_http && !is_downgrade && (w->is_http_allowed || is_loopback))) {
        return true;
    }
    sv scheme = sv_slice(url->scheme, 0, 32);
    if (from != NULL) {
        return sources_fail(g, w->failure, DIAG_resolve_failure,
                            "'%.*s' redirects to a '%.*s' URL, which is not allowed", SV_ARG(w->name), SV_ARG(scheme));
    }
    sources_fail(g, w->failure, DIAG_invalid_include, "'%.*s' is not an https URL", SV_ARG(w->name));
    w->failure->hint = is_http ? SV("http is only for loopback hosts") : (sv){0};
    return false;
}

/* --- What went wrong --- */

void web_fail_address(struct gatherer *g, struct fetch_failure *failure, sv name, sv address) {
    sources_fail(g, failure, DIAG_permission_error, "'%.*s' leads to %.*s, which is no public address", SV_ARG(name),
                 SV_ARG(address));
    failure->hint = g->o.allow_private
                        ? SV("--allow-private is for hosts that the template itself names, not for redirects")
                        : SV("if the template may reach private and loopback addresses, run with --allow-private");
}

static bool fail_answer(struct gatherer *g, struct web_get *w, enum http_result result) {
    sv why = w->answer.why;
    switch (result) {
    case HTTP_FORBIDDEN:
        web_fail_address(g, w->failure, w->name, w->answer.peer);
        return false;
    case HTTP_TOO_MUCH:
        return sources_fail(g, w->failure, DIAG_limit_exceeded, "'%.*s' is larger than %zu bytes", SV_ARG(w->name),
                            g->o.limits.download_bytes);
    case HTTP_LATE:
        return sources_fail(g, w->failure, DIAG_resolve_failure, "'%.*s' did not answer in time: %.*s", SV_ARG(w->name),
                            SV_ARG(why));
    case HTTP_OK:
    case HTTP_BAD_URL:
    case HTTP_NO_HOST:
    case HTTP_REFUSED:
    case HTTP_FAILED:
    case HTTP_STOPPED:
        return sources_fail(g, w->failure, DIAG_resolve_failure, "'%.*s' cannot be fetched: %.*s", SV_ARG(w->name),
                            SV_ARG(why));
    }
    return false;
}

static bool check_status(struct gatherer *g, struct web_get *w) {
    int64_t status = w->answer.status;
    if ((status >= 200 && status < 300) || status == 304) {
        return true;
    }
    enum diag_code code = status == 404 || status == 410   ? DIAG_blueprint_not_found
                          : status == 401 || status == 403 ? DIAG_permission_error
                                                           : DIAG_resolve_failure;
    return sources_fail(g, w->failure, code, "'%.*s' answered with status %lld", SV_ARG(w->name), (long long)status);
}

/* --- Hops --- */

static enum http_result send_one(struct gatherer *g, struct web_get *w, const struct http_url *url, int64_t left_ms) {
    bool is_origin = sv_eq(url->origin, w->url->origin);
    struct http_header headers[HEADERS_MAX] = {{SV("User-Agent"), SV(AGENT)}};
    size_t count = 1;
    for (size_t i = 0; i < w->header_count && count < HEADERS_MAX && is_origin; i++) {
        headers[count++] = w->headers[i];
    }
    w->answer = (struct http_request){
        .url = url->text,
        .timeout_ms = left_ms,
        .body_max = g->o.limits.download_bytes,
        .headers = headers,
        .header_count = count,
        .refused = web_get_refused(g, url->host, is_origin),
        .stall_ms = g->o.limits.stall_ms,
        .is_path_exact = w->is_path_exact,
        .ca_file = g->o.ca_file,
    };
    enum http_result result = http_get(w->arena, &w->answer);
    w->answer.headers = NULL;
    return result;
}

static bool is_redirect(const struct web_get *w) {
    int64_t status = w->answer.status;
    return w->is_redirected && w->answer.redirect.len > 0 &&
           (status == 301 || status == 302 || status == 303 || status == 307 || status == 308);
}

static bool follow(struct gatherer *g, struct web_get *w, struct http_url *url) {
    struct http_url next;
    if (!http_url_parse(w->arena, w->answer.redirect, &next)) {
        return sources_fail(g, w->failure, DIAG_resolve_failure, "'%.*s' redirects to what is no http URL",
                            SV_ARG(w->name));
    }
    bool ok = check_scheme(g, w, url, &next);
    *url = next;
    return ok;
}

bool web_get(struct gatherer *g, struct web_get *w) {
    struct http_url url = *w->url;
    int64_t end = sources_get_now_ms(g) + g->o.limits.timeout_ms;
    if (!check_scheme(g, w, NULL, &url)) {
        return false;
    }
    for (size_t hops = 0;; hops++) {
        enum http_result result = send_one(g, w, &url, end - sources_get_now_ms(g));
        if (result != HTTP_OK) {
            return fail_answer(g, w, result);
        }
        if (!is_redirect(w)) {
            return check_status(g, w);
        }
        if (hops >= g->o.limits.redirects) {
            return sources_fail(g, w->failure, DIAG_resolve_failure, "'%.*s' redirects more than %zu times",
                                SV_ARG(w->name), g->o.limits.redirects);
        }
        if (!follow(g, w, &url)) {
            return false;
        }
    }
}
