/* The source 'aws/s3': objects of any S3-compatible store, by path-style addressing (BP-173, FN-206).
 *
 * Requests are signed with the operator's credentials, never redirected, and go to the endpoint that the template or
 * the operator names. A signature holds for its host only, so a hostile endpoint cannot use it elsewhere. */
#include "adapters/http/address.h"
#include "sources/aws.h"
#include "sources/web.h"

#define DEFAULT_REGION "us-east-1"

/* One object. */
struct object {
    sv bucket, key;
    sv region;
    struct http_url url;
};

enum { BUCKET_MAX = 255, REGION_MAX = 64, CODE_MAX = 64 };

static bool is_word(sv text, size_t max, sv more) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_alnum && sv_find_char(more, c) == SIZE_MAX) {
            return false;
        }
    }
    return text.len > 0 && text.len <= max && !sv_eq(text, SV(".")) && !sv_eq(text, SV(".."));
}

/* --- Fetching --- */

/* A word of S3's own about what is wrong: NoSuchBucket, RequestTimeTooSkewed. */
static sv find_error_code(sv body) {
    sv open = SV("<Code>");
    size_t at = sv_find(body, open);
    sv rest = at == SIZE_MAX ? (sv){0} : sv_slice(body, at + open.len, body.len);
    sv code = sv_cut(&rest, '<');
    return is_word(code, CODE_MAX, (sv){0}) ? code : (sv){0};
}

static void explain(struct gatherer *g, struct web_get *w) {
    sv region = http_find_header(&w->answer, SV("x-amz-bucket-region"));
    sv code = find_error_code(w->answer.body);
    if (code.len > 0) {
        w->failure->message =
            arena_printf(g->arena, "%s (%.*s)", arena_copy_cstr(g->arena, w->failure->message), SV_ARG(code));
    }
    if (w->answer.status >= 300 && w->answer.status <= 400 && is_word(region, REGION_MAX, SV("-"))) {
        w->failure->hint = arena_printf(g->arena, "the bucket is in region '%.*s'", SV_ARG(region));
    }
}

struct s3_headers {
    struct http_header items[5];
    size_t count;
};

static void add_header(struct s3_headers *h, sv name, sv text) {
    if (text.len > 0) {
        h->items[h->count++] = (struct http_header){name, text};
    }
}

static void sign(struct gatherer *g, struct arena *a, const struct object *o, const struct sigv4_credentials *c,
                 struct s3_headers *headers) {
    struct sigv4_pair host = {SV("host"), sv_slice(o->url.origin, o->url.scheme.len + 3, o->url.origin.len)};
    struct sigv4_request r = {
        .method = SV("GET"),
        .path = o->url.path,
        .headers = &host,
        .header_count = 1,
        .payload_digest = SIGV4_EMPTY_DIGEST,
        .region = o->region,
        .service = SV("s3"),
        .wall_ms = g->o.host->ops->get_wall_ms(g->o.host->user),
    };
    struct sigv4_signature signature;
    sigv4_sign(a, &r, c, &signature);
    add_header(headers, SV("Authorization"), signature.authorization);
    add_header(headers, SV("x-amz-date"), signature.date);
    add_header(headers, SV("x-amz-content-sha256"), SIGV4_EMPTY_DIGEST);
    add_header(headers, SV("x-amz-security-token"), c->session_token);
}

static bool get_object(struct gatherer *g, struct download *d, struct s3_headers *headers) {
    const struct object *o = d->remote->detail;
    struct web_get w = {
        .arena = d->arena,
        .url = &o->url,
        .name = d->remote->name,
        .is_path_exact = true,
        .headers = headers->items,
        .header_count = headers->count,
        .failure = d->failure,
    };
    if (!web_get(g, &w)) {
        explain(g, &w);
        return false;
    }
    d->is_unchanged = w.answer.status == 304 && d->etag.len > 0;
    d->bytes = w.answer.body;
    d->new_etag = http_find_header(&w.answer, SV("ETag"));
    return true;
}

static bool fetch_s3(struct gatherer *g, struct download *d) {
    struct arena secret = {.secret = true};
    struct aws_settings settings;
    struct s3_headers headers = {0};
    aws_read_settings(g, &secret, &settings);
    add_header(&headers, SV("If-None-Match"), d->etag);
    if (settings.credentials.access_key.len > 0) {
        sign(g, &secret, d->remote->detail, &settings.credentials, &headers);
    }
    bool ok = get_object(g, d, &headers);
    arena_fini(&secret);
    return ok;
}

/* --- Places --- */

static bool resolve_object(struct gatherer *g, struct object *o, struct remote *result, struct fetch_failure *failure);

static bool join_s3(struct gatherer *g, const struct remote *base, sv path, struct remote *result,
                    struct fetch_failure *failure) {
    const struct object *from = base->detail;
    struct object *o = ARENA_NEW(g->arena, struct object);
    *o = *from;
    if (!names_join(g->arena, names_get_dir(from->key), path, &o->key) || o->key.len == 0) {
        return sources_fail(g, failure, DIAG_include_path_outside_root, "'%.*s' leads out of the bucket '%.*s'",
                            SV_ARG(sources_print_safely(g->arena, path, NAME_MAX_SHOWN)), SV_ARG(from->bucket));
    }
    return resolve_object(g, o, result, failure);
}

static const struct remote_kind s3_kind = {.name = SV_INIT("aws/s3"), .fetch = fetch_s3, .join = join_s3};

/* The endpoint stands in `url` already; its path becomes that of the object. */
static bool resolve_object(struct gatherer *g, struct object *o, struct remote *result, struct fetch_failure *failure) {
    struct arena *a = g->arena;
    struct buf path = BUF(a), location = BUF(a), text = BUF(a);
    buf_append_char(&path, '/');
    buf_append(&path, o->bucket);
    buf_append_char(&path, '/');
    http_url_encode(&path, o->key, SV("/"));
    o->url.path = buf_get_sv(&path);
    buf_append(&text, o->url.origin);
    buf_append(&text, o->url.path);
    o->url.text = buf_get_sv(&text);
    buf_append_cstr(&location, "s3:/");
    buf_append(&location, o->url.path);
    size_t name_len = location.len;
    buf_append_char(&location, '@');
    buf_append(&location, o->url.origin);
    sv whole = buf_get_sv(&location);
    *result = (struct remote){&s3_kind, whole, sv_slice(whole, 0, name_len), o};
    if (!is_word(o->bucket, BUCKET_MAX, SV("-._"))) {
        return sources_fail(g, failure, DIAG_invalid_metadata, "'bucket' is not the name of a bucket");
    }
    return true;
}

static bool take_endpoint(struct gatherer *g, sv endpoint, struct object *o, struct fetch_failure *failure) {
    bool is_url = http_url_parse(g->arena, endpoint, &o->url) &&
                  (sv_eq(o->url.scheme, SV("https")) || sv_eq(o->url.scheme, SV("http")));
    if (!is_url || o->url.has_user || o->url.has_fragment || o->url.query.len > 0 || !sv_eq(o->url.path, SV("/"))) {
        sources_fail(g, failure, DIAG_invalid_metadata,
                     "'endpoint' is not an https URL of a host, perhaps with a port");
        failure->hint = SV("such as https://storage.example.org");
        return false;
    }
    if (sv_eq(o->url.scheme, SV("http")) && http_classify_host(o->url.host) != HTTP_PEER_LOOPBACK) {
        sources_fail(g, failure, DIAG_invalid_metadata, "'endpoint' is not an https URL");
        failure->hint = SV("http is only for loopback hosts");
        return false;
    }
    return true;
}

static bool resolve(struct gatherer *g, const struct include_metadata *m, sv key, struct remote *result,
                    struct fetch_failure *failure) {
    struct arena secret = {.secret = true};
    struct aws_settings settings;
    struct object *o = ARENA_NEW(g->arena, struct object);
    aws_read_settings(g, &secret, &settings);
    sv region = m->region.len > 0 ? m->region : settings.region.len > 0 ? settings.region : SV(DEFAULT_REGION);
    o->region = arena_copy_sv(g->arena, region);
    sv endpoint = arena_copy_sv(g->arena, m->endpoint.len > 0 ? m->endpoint : settings.endpoint);
    arena_fini(&secret);
    if (!is_word(o->region, REGION_MAX, SV("-"))) {
        return sources_fail(g, failure, DIAG_invalid_metadata, "'region' is not the name of a region");
    }
    if (endpoint.len == 0) {
        endpoint = arena_printf(g->arena, "https://s3.%.*s.amazonaws.com", SV_ARG(o->region));
    }
    o->bucket = m->bucket;
    o->key = arena_copy_sv(g->arena, key);
    return take_endpoint(g, endpoint, o, failure) && resolve_object(g, o, result, failure);
}

bool s3_resolve(struct gatherer *g, const struct fetch_request *r, const struct include_metadata *m,
                struct remote *result, struct fetch_failure *failure) {
    if (m->bucket.len == 0) {
        return sources_fail(g, failure, DIAG_invalid_metadata, "'bucket' is missing");
    }
    return resolve(g, m, r->path, result, failure);
}

bool s3_resolve_url(struct gatherer *g, sv url, struct remote *result, struct fetch_failure *failure) {
    sv rest = sv_slice(url, SV("s3://").len, url.len);
    struct include_metadata m = {.bucket = arena_copy_sv(g->arena, sv_cut(&rest, '/'))};
    if (m.bucket.len == 0 || rest.len == 0) {
        return sources_fail(g, failure, DIAG_invalid_include, "'%.*s' is not 's3://bucket/key'",
                            SV_ARG(sources_print_safely(g->arena, url, NAME_MAX_SHOWN)));
    }
    return resolve(g, &m, rest, result, failure);
}
