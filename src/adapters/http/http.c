#include "adapters/http/http.h"

#include <curl/curl.h>

struct sink {
    struct buf text;
    size_t max;
    bool is_full;
};

/* A short count tells curl to stop. */
static size_t on_body(char *data, size_t size, size_t count, void *user) {
    struct sink *sink = user;
    size_t len = size * count; /* size is 1, says curl */
    size_t room = sink->max - sink->text.len;
    sink->is_full = len > room;
    buf_append(&sink->text, sv_make(data, sink->is_full ? room : len));
    return sink->is_full ? 0 : len;
}

static enum http_result translate(CURLcode code) {
    if (code == CURLE_OK) {
        return HTTP_OK;
    }
    if (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT) {
        return HTTP_BAD_URL;
    }
    if (code == CURLE_COULDNT_RESOLVE_HOST) {
        return HTTP_NO_HOST;
    }
    if (code == CURLE_COULDNT_CONNECT) {
        return HTTP_REFUSED;
    }
    return code == CURLE_OPERATION_TIMEDOUT ? HTTP_LATE : HTTP_FAILED;
}

/* False when curl lacks an option that bounds the request. */
static bool set_bounds(CURL *curl, const char *url, int64_t timeout_ms) {
    long timeout = timeout_ms < 1 ? 1 : timeout_ms > 3600000 ? 3600000 : (long)timeout_ms;
    return curl_easy_setopt(curl, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout) == CURLE_OK;
}

static enum http_result fail(struct arena *a, enum http_result result, const char *why, sv *out) {
    if (out != NULL) {
        *out = arena_copy_sv(a, sv_from_cstr(why));
    }
    return result;
}

static enum http_result perform(struct arena *a, CURL *curl, struct http_request *r) {
    struct sink sink = {.text = BUF(a), .max = r->body_max};
    char error[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &sink);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    CURLcode code = curl_easy_perform(curl);
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    r->status = status;
    r->body = buf_get_sv(&sink.text);
    if (sink.is_full) {
        return fail(a, HTTP_TOO_MUCH, "the answer is too large", &r->why);
    }
    if (code != CURLE_OK) {
        return fail(a, translate(code), error[0] != 0 ? error : curl_easy_strerror(code), &r->why);
    }
    return HTTP_OK;
}

enum http_result http_get(struct arena *a, struct http_request *r) {
    r->status = 0;
    r->body = r->why = (sv){0};
    if (r->url.len == 0 || sv_find_char(r->url, 0) != SIZE_MAX) {
        return fail(a, HTTP_BAD_URL, "the URL is empty or has a NUL in it", &r->why);
    }
    CURL *curl = curl_easy_init();
    if (curl == NULL || !set_bounds(curl, arena_copy_cstr(a, r->url), r->timeout_ms)) {
        curl_easy_cleanup(curl);
        return fail(a, HTTP_FAILED, "libcurl cannot be used", &r->why);
    }
    enum http_result result = perform(a, curl, r);
    curl_easy_cleanup(curl);
    return result;
}

enum http_result http_probe_tcp(struct arena *a, sv host, uint16_t port, int64_t timeout_ms, sv *why) {
    if (host.len == 0 || sv_find_char(host, 0) != SIZE_MAX || sv_find_char(host, '/') != SIZE_MAX) {
        return fail(a, HTTP_BAD_URL, "the host name is malformed", why);
    }
    bool is_v6 = sv_find_char(host, ':') != SIZE_MAX && host.data[0] != '[';
    sv url = arena_printf(a, is_v6 ? "http://[%.*s]:%u" : "http://%.*s:%u", SV_ARG(host), (unsigned)port);
    CURL *curl = curl_easy_init();
    if (curl == NULL || !set_bounds(curl, url.data, timeout_ms)) {
        curl_easy_cleanup(curl);
        return fail(a, HTTP_FAILED, "libcurl cannot be used", why);
    }
    char error[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
    CURLcode code = curl_easy_perform(curl);
    enum http_result result = HTTP_OK;
    if (code != CURLE_OK) {
        result = fail(a, translate(code), error[0] != 0 ? error : curl_easy_strerror(code), why);
    }
    curl_easy_cleanup(curl);
    return result;
}
