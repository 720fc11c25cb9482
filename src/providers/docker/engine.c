#include "providers/docker/engine.h"

#include "adapters/http/url.h"
#include "base/num.h"
#include "value/convert.h"

enum {
    VERSION_LEAST = 41, /* of 1.x */
    VERSION_MOST = 47,  /* whose answers are known to be what is expected here */
    ANSWER_MAX = 16 << 20,
    MESSAGE_MAX = 800,
    PAUSE_STEP_MS = 50,
};

#define DEFAULT_PLACE "unix:///var/run/docker.sock"

/* --- Where it is --- */

static sv find_env(struct provider_call *c, sv name) {
    sv text = {0};
    return c->host->ops->find_env(c->host->user, c->arena, name, &text) ? text : (sv){0};
}

static sv join_path(struct arena *a, sv dir, const char *name) {
    return arena_printf(a, "%.*s/%s", SV_ARG(sv_slice(dir, 0, 4096)), name);
}

static void set_certificates(struct engine *e) {
    struct provider_call *c = e->call;
    sv dir = find_env(c, SV("DOCKER_CERT_PATH"));
    if (dir.len == 0) {
        dir = join_path(c->arena, find_env(c, SV("HOME")), ".docker");
    }
    e->ca_file = join_path(c->arena, dir, "ca.pem");
    e->certificate_file = join_path(c->arena, dir, "cert.pem");
    e->key_file = join_path(c->arena, dir, "key.pem");
}

static enum provider_result set_place(struct engine *e) {
    struct provider_call *c = e->call;
    sv place = find_env(c, SV("DOCKER_HOST"));
    e->place = place.len > 0 ? sv_slice(place, 0, 300) : SV(DEFAULT_PLACE);
    if (sv_has_prefix(e->place, SV("unix://")) && e->place.len > 7) {
        e->unix_socket = sv_slice(e->place, 7, e->place.len);
        e->origin = SV("http://engine");
        return PROVIDER_OK;
    }
    bool has_tls = find_env(c, SV("DOCKER_TLS_VERIFY")).len > 0 || sv_has_prefix(e->place, SV("https://"));
    size_t colon = sv_find(e->place, SV("://"));
    sv scheme = colon == SIZE_MAX ? (sv){0} : sv_slice(e->place, 0, colon);
    if (!sv_eq(scheme, SV("tcp")) && !sv_eq(scheme, SV("http")) && !sv_eq(scheme, SV("https"))) {
        return provider_fail(c, PROVIDER_TERMINAL,
                             "DOCKER_HOST is '%.*s': only unix://PATH and tcp://HOST:PORT can be used",
                             SV_ARG(e->place));
    }
    sv rest = sv_slice(e->place, colon + 3, e->place.len);
    sv host = sv_cut(&rest, '/');
    e->origin = arena_printf(c->arena, "%s://%.*s", has_tls ? "https" : "http", SV_ARG(host));
    if (has_tls) {
        set_certificates(e);
    }
    return PROVIDER_OK;
}

/* --- Requests --- */

static enum provider_result fail_request(struct engine *e, enum http_result result, sv why) {
    if (provider_is_cancelled(e->call)) {
        return provider_fail(e->call, PROVIDER_TRANSIENT, "the operation was cancelled");
    }
    bool is_lasting = result == HTTP_BAD_URL || result == HTTP_TOO_MUCH;
    return provider_fail(e->call, is_lasting ? PROVIDER_TERMINAL : PROVIDER_TRANSIENT,
                         "the container engine at %.*s cannot be asked: %.*s", SV_ARG(e->place), SV_ARG(why));
}

static void read_answer(struct engine *e, struct engine_request *r, sv body) {
    sv why;
    size_t offset;
    r->body = body;
    r->answer = (value){0};
    if (body.len > 0 && (body.data[0] == '{' || body.data[0] == '[')) {
        value v = value_parse_json(e->call->arena, body, &limits_default, false, &why, &offset);
        r->answer = value_is_error(v) ? (value){0} : v;
    }
}

static enum provider_result ask(struct engine *e, struct engine_request *r, struct http_request *h) {
    struct arena *a = e->call->arena;
    if (provider_get_time_left(e->call) == 0 || provider_is_cancelled(e->call)) {
        return provider_fail(e->call, PROVIDER_TRANSIENT, "the operation was cancelled, or its time is over");
    }
    struct http_header headers[2] = {r->header};
    h->header_count = r->header.name.len > 0 ? 1 : 0;
    h->headers = headers;
    if (value_is_set(r->content)) {
        h->content = value_print_json(a, r->content, 0, REVEAL);
        headers[h->header_count++] = (struct http_header){SV("Content-Type"), SV("application/json")};
    } else if (r->upload != NULL) {
        headers[h->header_count++] = (struct http_header){SV("Content-Type"), SV("application/x-tar")};
    }
    h->is_path_exact = true;
    h->method = sv_from_cstr(r->method == NULL ? "GET" : r->method);
    h->upload = r->upload;
    h->unix_socket = e->unix_socket;
    h->ca_file = e->ca_file;
    h->certificate_file = e->certificate_file;
    h->key_file = e->key_file;
    h->timeout_ms = provider_get_time_left(e->call);
    h->body_max = ANSWER_MAX;
    h->cancel = e->call->cancel;
    h->on_part = r->on_part;
    h->user = r->user;
    enum http_result result = http_send(a, h);
    if (result != HTTP_OK) {
        return fail_request(e, result, h->why);
    }
    r->status = h->status;
    read_answer(e, r, h->body);
    return PROVIDER_OK;
}

enum provider_result engine_ask(struct engine *e, struct engine_request *r) {
    struct buf url = BUF(e->call->arena);
    buf_append(&url, e->origin);
    buf_append(&url, e->version);
    buf_append(&url, r->path);
    struct http_request h = {.url = buf_get_sv(&url)};
    return ask(e, r, &h);
}

sv engine_print_path(struct arena *a, struct engine_path p) {
    struct buf path = BUF(a);
    buf_append_cstr(&path, p.before);
    http_url_encode(&path, p.name, SV(":/"));
    buf_append_cstr(&path, p.behind == NULL ? "" : p.behind);
    return buf_get_sv(&path);
}

enum provider_result engine_ask_for(struct engine *e, struct engine_request *r, const char *method,
                                    struct engine_path p) {
    r->method = method;
    r->path = engine_print_path(e->call->arena, p);
    return engine_ask(e, r);
}

bool engine_is_success(const struct engine_request *r) {
    return r->status >= 200 && r->status < 300;
}

enum provider_result engine_fail(struct engine *e, const struct engine_request *r, const char *what) {
    sv message = engine_get_text(r->answer, "message");
    message = sv_trim(sv_slice(message.len > 0 ? message : r->body, 0, MESSAGE_MAX));
    bool is_passing = r->status == 429 || r->status == 502 || r->status == 503 || r->status == 504;
    return provider_fail(e->call, is_passing ? PROVIDER_TRANSIENT : PROVIDER_TERMINAL,
                         "cannot %s: the engine answered with status %lld: %.*s", what, (long long)r->status,
                         SV_ARG(message));
}

bool engine_pause(struct engine *e, int64_t ms) {
    struct host *host = e->call->host;
    while (ms > 0 && !provider_is_cancelled(e->call) && provider_get_time_left(e->call) > 0) {
        int64_t step = ms < PAUSE_STEP_MS ? ms : PAUSE_STEP_MS;
        host->ops->sleep_ms(host->user, step);
        ms -= step;
    }
    return !provider_is_cancelled(e->call) && provider_get_time_left(e->call) > 0;
}

/* --- Versions --- */

/* The minor number of "1.41"; 0 for anything else. */
static int64_t parse_version(sv text) {
    int64_t minor;
    bool is_one = sv_has_prefix(text, SV("1.")) && num_parse_i64(sv_slice(text, 2, text.len), 10, &minor) == NUM_OK;
    return is_one ? minor : 0;
}

enum provider_result engine_open(struct provider_call *c, struct engine *e) {
    *e = (struct engine){.call = c};
    enum provider_result result = set_place(e);
    if (result != PROVIDER_OK) {
        return result;
    }
    struct http_request h = {.url = arena_printf(c->arena, "%.*s/_ping", SV_ARG(e->origin))};
    struct engine_request r = {0};
    result = ask(e, &r, &h);
    if (result != PROVIDER_OK) {
        return result;
    }
    sv told = http_find_header(&h, SV("Api-Version"));
    int64_t most = parse_version(told);
    if (!engine_is_success(&r) || most < VERSION_LEAST) {
        return provider_fail(c, PROVIDER_TERMINAL,
                             "the engine at %.*s speaks version '%.*s' of the Docker API; 1.%d or later is needed",
                             SV_ARG(e->place), SV_ARG(sv_slice(told, 0, 40)), VERSION_LEAST);
    }
    e->version = arena_printf(c->arena, "/v1.%lld", (long long)(most < VERSION_MOST ? most : VERSION_MOST));
    e->is_podman = http_find_header(&h, SV("Libpod-Api-Version")).len > 0;
    return PROVIDER_OK;
}

/* --- Answers --- */

value engine_find(value v, const char *name) {
    return v.kind == VALUE_MAP ? value_map_find(v, sv_from_cstr(name)) : (value){0};
}

value engine_find_in(value v, const char *outer, const char *inner) {
    return engine_find(engine_find(v, outer), inner);
}

sv engine_get_text(value v, const char *name) {
    value item = engine_find(v, name);
    return item.kind == VALUE_STRING ? value_get_text(item) : (sv){0};
}

bool engine_get_bool(value v, const char *name) {
    value item = engine_find(v, name);
    return item.kind == VALUE_BOOL && item.boolean;
}
