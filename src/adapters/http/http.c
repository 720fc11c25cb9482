#include "adapters/http/http.h"

#include "adapters/http/address.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HEADERS_MAX = 256 << 10, /* of one answer */
    STALL_BYTES_PER_S = 64,
    UPLOAD_BYTES = 256 << 10, /* asked for at a time */
};

struct sink {
    struct buf text, headers;
    size_t max, len; /* of the body */
    bool is_full, is_stopped;
    bool (*on_part)(void *user, sv part);
    void *user;
};

/* What goes to the server. */
struct source {
    sv rest;
    const struct http_upload *upload; /* NULL: `rest` */
};

/* Who may be talked to. */
struct gate {
    struct arena *arena;
    unsigned refused;
    sv refused_address;
};

/* A short count tells curl to stop. */
static size_t on_body(char *data, size_t size, size_t count, void *user) {
    struct sink *sink = user;
    size_t len = size * count; /* size is 1, says curl */
    size_t room = sink->max - sink->len;
    sink->is_full = len > room;
    sv part = sv_make(data, sink->is_full ? room : len);
    sink->len += part.len;
    if (sink->on_part == NULL) {
        buf_append(&sink->text, part);
    } else if (!sink->on_part(sink->user, part)) {
        sink->is_stopped = true;
    }
    return sink->is_full || sink->is_stopped ? 0 : len;
}

static size_t on_send(char *out, size_t size, size_t count, void *user) {
    struct source *source = user;
    size_t room = size * count;
    if (source->upload == NULL) {
        size_t len = source->rest.len < room ? source->rest.len : room;
        if (len > 0) {
            memcpy(out, source->rest.data, len);
        }
        source->rest = sv_slice(source->rest, len, source->rest.len);
        return len;
    }
    int64_t len = source->upload->read(source->upload->user, out, room);
    return len < 0 || (uint64_t)len > room ? CURL_READFUNC_ABORT : (size_t)len;
}

/* Not 0 tells curl to stop. */
static int on_progress(void *user, curl_off_t to_come, curl_off_t came, curl_off_t to_go, curl_off_t went) {
    const struct http_request *r = user;
    (void)to_come;
    (void)came;
    (void)to_go;
    (void)went;
    return r->cancel != NULL && atomic_load(r->cancel);
}

static size_t on_header(char *data, size_t size, size_t count, void *user) {
    struct sink *sink = user;
    size_t len = size * count;
    if (len > HEADERS_MAX - sink->headers.len) {
        sink->is_full = true;
        return 0;
    }
    buf_append(&sink->headers, sv_make(data, len));
    return len;
}

static sv print_address(struct arena *a, const struct sockaddr *address) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    } else if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    }
    return arena_copy_sv(a, sv_from_cstr(text));
}

/* The address is the one this very socket is going to be connected to: no name is asked for again in between. */
static curl_socket_t on_open(void *user, curlsocktype purpose, struct curl_sockaddr *address) {
    struct gate *gate = user;
    (void)purpose;
    if ((gate->refused & http_classify_address(&address->addr)) != 0) {
        gate->refused_address = print_address(gate->arena, &address->addr);
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
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
    if (code == CURLE_ABORTED_BY_CALLBACK) {
        return HTTP_STOPPED;
    }
    return code == CURLE_OPERATION_TIMEDOUT ? HTTP_LATE : HTTP_FAILED;
}

/* False when curl lacks an option that bounds the request. */
static bool set_bounds(CURL *curl, const char *url, int64_t timeout_ms, struct gate *gate) {
    long timeout = timeout_ms < 1 ? 1 : timeout_ms > 3600000 ? 3600000 : (long)timeout_ms;
    return curl_easy_setopt(curl, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, on_open) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, gate) == CURLE_OK;
}

static enum http_result fail(struct arena *a, enum http_result result, const char *why, sv *out) {
    if (out != NULL) {
        *out = arena_copy_sv(a, sv_from_cstr(why));
    }
    return result;
}

static sv get_peer(struct arena *a, CURL *curl) {
    char *address = NULL;
    curl_easy_getinfo(curl, CURLINFO_PRIMARY_IP, &address);
    return arena_copy_sv(a, sv_from_cstr(address));
}

/* All that curl tells when it is done. */
static enum http_result conclude(struct gate *gate, CURLcode code, const char *error, sv *why) {
    if (code == CURLE_COULDNT_CONNECT && gate->refused_address.len > 0) {
        *why =
            arena_printf(gate->arena, "%.*s is an address that may not be connected to", SV_ARG(gate->refused_address));
        return HTTP_FORBIDDEN;
    }
    if (code != CURLE_OK) {
        return fail(gate->arena, translate(code), error[0] != 0 ? error : curl_easy_strerror(code), why);
    }
    return HTTP_OK;
}

static bool add_header(struct arena *a, struct curl_slist **list, const struct http_header *h) {
    struct buf line = BUF(a);
    buf_append(&line, h->name);
    buf_append_cstr(&line, ": ");
    buf_append(&line, h->text);
    sv text = buf_get_sv(&line);
    bool is_clean = sv_find_char(text, 0) == SIZE_MAX && sv_find_char(text, '\n') == SIZE_MAX &&
                    sv_find_char(text, '\r') == SIZE_MAX;
    struct curl_slist *longer = is_clean ? curl_slist_append(*list, text.data) : NULL;
    *list = longer == NULL ? *list : longer;
    return longer != NULL;
}

static bool set_wishes(struct arena *a, CURL *curl, const struct http_request *r, struct curl_slist **headers) {
    for (size_t i = 0; i < r->header_count; i++) {
        if (!add_header(a, headers, &r->headers[i])) {
            return false;
        }
    }
    if (r->upload != NULL || r->content.len > 0) { /* no waiting for the server's consent to be sent something */
        struct curl_slist *longer = curl_slist_append(*headers, "Expect:");
        *headers = longer == NULL ? *headers : longer;
    }
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, *headers);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, r->is_path_exact ? 1L : 0L);
    if (r->stall_ms > 0) {
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, (long)STALL_BYTES_PER_S);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)((r->stall_ms + 999) / 1000));
    }
    return r->ca_file.len == 0 || curl_easy_setopt(curl, CURLOPT_CAINFO, arena_copy_cstr(a, r->ca_file)) == CURLE_OK;
}

/* Where the request goes, and what goes with it. False when curl lacks one of the options. */
static bool set_content(struct arena *a, CURL *curl, const struct http_request *r, struct source *source) {
    bool is_ok = true;
    *source = (struct source){.rest = r->content, .upload = r->upload};
    if (r->upload != NULL || r->content.len > 0) {
        curl_off_t len = r->upload != NULL ? -1 : (curl_off_t)r->content.len;
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, len);
        curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BYTES);
        curl_easy_setopt(curl, CURLOPT_READFUNCTION, on_send);
        curl_easy_setopt(curl, CURLOPT_READDATA, source);
    }
    if (sv_eq(r->method, SV("HEAD"))) {
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    } else if (r->method.len > 0) {
        is_ok = curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, arena_copy_cstr(a, r->method)) == CURLE_OK;
    }
    if (r->cancel != NULL) {
        curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
        curl_easy_setopt(curl, CURLOPT_XFERINFODATA, r);
    }
    return is_ok;
}

static bool set_file(struct arena *a, CURL *curl, CURLoption option, sv path) {
    return path.len == 0 || curl_easy_setopt(curl, option, arena_copy_cstr(a, path)) == CURLE_OK;
}

static bool set_place(struct arena *a, CURL *curl, const struct http_request *r) {
    return set_file(a, curl, CURLOPT_UNIX_SOCKET_PATH, r->unix_socket) &&
           set_file(a, curl, CURLOPT_SSLCERT, r->certificate_file) && set_file(a, curl, CURLOPT_SSLKEY, r->key_file);
}

static enum http_result perform(struct gate *gate, CURL *curl, struct http_request *r) {
    struct arena *a = gate->arena;
    struct sink sink = {.text = BUF(a), .headers = BUF(a), .max = r->body_max, .on_part = r->on_part, .user = r->user};
    char error[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &sink);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &sink);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    CURLcode code = curl_easy_perform(curl);
    long status = 0;
    char *redirect = NULL;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &redirect);
    r->status = status;
    r->body = buf_get_sv(&sink.text);
    r->header_lines = buf_get_sv(&sink.headers);
    r->redirect = arena_copy_sv(a, sv_from_cstr(redirect));
    r->peer = gate->refused_address.len > 0 ? gate->refused_address : get_peer(a, curl);
    if (sink.is_full) {
        return fail(a, HTTP_TOO_MUCH, "the answer is too large", &r->why);
    }
    if (sink.is_stopped) {
        return fail(a, HTTP_STOPPED, "the answer was not read to its end", &r->why);
    }
    return conclude(gate, code, error, &r->why);
}

/* A NUL would cut a path short. */
static bool has_nul(const struct http_request *r) {
    const sv texts[] = {r->url, r->unix_socket, r->certificate_file, r->key_file, r->ca_file, r->method};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].len > 0 && sv_find_char(texts[i], 0) != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

enum http_result http_send(struct arena *a, struct http_request *r) {
    r->status = 0;
    r->body = r->why = r->redirect = r->peer = r->header_lines = (sv){0};
    if (r->url.len == 0 || has_nul(r)) {
        return fail(a, HTTP_BAD_URL, "the URL is empty, or it or a path has a NUL in it", &r->why);
    }
    struct gate gate = {.arena = a, .refused = r->refused};
    struct curl_slist *headers = NULL;
    struct source source;
    CURL *curl = curl_easy_init();
    enum http_result result;
    if (curl != NULL && set_bounds(curl, arena_copy_cstr(a, r->url), r->timeout_ms, &gate) &&
        set_wishes(a, curl, r, &headers) && set_place(a, curl, r) && set_content(a, curl, r, &source)) {
        result = perform(&gate, curl, r);
    } else {
        result = fail(a, HTTP_FAILED, "libcurl cannot be used", &r->why);
    }
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    return result;
}

enum http_result http_get(struct arena *a, struct http_request *r) {
    r->method = r->content = (sv){0};
    r->upload = NULL;
    return http_send(a, r);
}

sv http_find_header(const struct http_request *r, sv name) {
    sv rest = r->header_lines;
    while (rest.len > 0) {
        sv line = sv_cut(&rest, '\n');
        size_t colon = sv_find_char(line, ':');
        if (colon != SIZE_MAX && sv_eq_nocase(sv_slice(line, 0, colon), name)) {
            return sv_trim(sv_slice(line, colon + 1, line.len));
        }
    }
    return (sv){0};
}

enum http_result http_find_address(struct arena *a, struct http_probe *p) {
    p->address = p->why = (sv){0};
    if (p->host.len == 0 || sv_find_char(p->host, 0) != SIZE_MAX || sv_find_char(p->host, '/') != SIZE_MAX) {
        return fail(a, HTTP_BAD_URL, "the host name is malformed", &p->why);
    }
    bool is_v6 = sv_find_char(p->host, ':') != SIZE_MAX && p->host.data[0] != '[';
    sv url = arena_printf(a, is_v6 ? "http://[%.*s]:%u" : "http://%.*s:%u", SV_ARG(p->host), (unsigned)p->port);
    struct gate gate = {.arena = a, .refused = p->refused};
    CURL *curl = curl_easy_init();
    if (curl == NULL || !set_bounds(curl, url.data, p->timeout_ms, &gate)) {
        curl_easy_cleanup(curl);
        return fail(a, HTTP_FAILED, "libcurl cannot be used", &p->why);
    }
    char error[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
    CURLcode code = curl_easy_perform(curl);
    p->address = gate.refused_address.len > 0 ? gate.refused_address : get_peer(a, curl);
    enum http_result result = conclude(&gate, code, error, &p->why);
    curl_easy_cleanup(curl);
    return result;
}

enum http_result http_probe_tcp(struct arena *a, sv host, uint16_t port, int64_t timeout_ms, sv *why) {
    struct http_probe probe = {.host = host, .port = port, .timeout_ms = timeout_ms};
    enum http_result result = http_find_address(a, &probe);
    if (why != NULL) {
        *why = probe.why;
    }
    return result;
}
