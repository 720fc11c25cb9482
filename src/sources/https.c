/* The source 'https', and http_resource (FN-207). */
#include "adapters/http/address.h"
#include "sources/web.h"

/* --- Places --- */

static bool take_url(struct gatherer *g, const struct http_url *url, struct remote *result,
                     struct fetch_failure *failure);

static bool fetch_https(struct gatherer *g, struct download *d) {
    struct http_header condition = {SV("If-None-Match"), d->etag};
    struct web_get w = {
        .arena = d->arena,
        .url = d->remote->detail,
        .name = d->remote->name,
        .is_redirected = true,
        .headers = &condition,
        .header_count = d->etag.len > 0 ? 1 : 0,
        .failure = d->failure,
    };
    if (!web_get(g, &w)) {
        return false;
    }
    d->is_unchanged = w.answer.status == 304;
    if (d->is_unchanged && d->etag.len == 0) {
        return sources_fail(g, d->failure, DIAG_resolve_failure, "'%.*s' answered with status 304", SV_ARG(w.name));
    }
    d->bytes = w.answer.body;
    d->new_etag = http_find_header(&w.answer, SV("ETag"));
    return true;
}

static bool join_https(struct gatherer *g, const struct remote *base, sv path, struct remote *result,
                       struct fetch_failure *failure) {
    const struct http_url *from = base->detail;
    struct http_url url;
    if (!http_url_join(g->arena, from, path, &url)) {
        return sources_fail(g, failure, DIAG_invalid_include, "'%.*s' cannot stand in a URL",
                            SV_ARG(sources_print_safely(g->arena, path, NAME_MAX_SHOWN)));
    }
    if (!sv_eq(url.origin, from->origin)) {
        return sources_fail(g, failure, DIAG_include_path_outside_root, "'%.*s' leads out of the source '%.*s'",
                            SV_ARG(sources_print_safely(g->arena, path, NAME_MAX_SHOWN)), SV_ARG(from->origin));
    }
    return take_url(g, &url, result, failure);
}

static const struct remote_kind https_kind = {.name = SV_INIT("https"), .fetch = fetch_https, .join = join_https};

static bool take_url(struct gatherer *g, const struct http_url *url, struct remote *result,
                     struct fetch_failure *failure) {
    struct http_url *kept = ARENA_NEW(g->arena, struct http_url);
    *kept = *url;
    *result = (struct remote){&https_kind, kept->text, web_print_name(g->arena, kept), kept};
    if (url->has_user) {
        return sources_fail(g, failure, DIAG_invalid_include, "'%.*s' holds a user name or password",
                            SV_ARG(result->name));
    }
    if (url->has_fragment) {
        sources_fail(g, failure, DIAG_invalid_include, "'%.*s' has a fragment", SV_ARG(result->name));
        failure->hint = SV("'metadata.digest' says which content is wanted");
        return false;
    }
    return true;
}

/* --- From metadata (BP-173) --- */

/* Only what can stand between "https://" and the path. */
static bool is_host(sv host) {
    for (size_t i = 0; i < host.len; i++) {
        char c = host.data[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_word && sv_find_char(SV("-._:[]"), c) == SIZE_MAX) {
            return false;
        }
    }
    return host.len > 0;
}

static sv print_url(struct arena *a, const char *scheme, sv host, sv path) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, scheme);
    buf_append(&out, host);
    buf_append_cstr(&out, path.data[0] == '/' ? "" : "/");
    buf_append(&out, path);
    return buf_get_sv(&out);
}

/* TLS, but for loopback hosts (BP-175); one of those that has it is written as a full URL. */
static bool parse_host(struct gatherer *g, sv host, sv path, struct http_url *url) {
    if (!http_url_parse(g->arena, print_url(g->arena, "https://", host, path), url)) {
        return false;
    }
    return http_classify_host(url->host) != HTTP_PEER_LOOPBACK ||
           http_url_parse(g->arena, print_url(g->arena, "http://", host, path), url);
}

bool https_resolve(struct gatherer *g, const struct fetch_request *r, const struct include_metadata *m,
                   struct remote *result, struct fetch_failure *failure) {
    struct http_url url;
    bool is_full = sv_has_prefix(r->path, SV("https://")) || sv_has_prefix(r->path, SV("http://"));
    if (!is_full && m->host.len == 0) {
        sources_fail(g, failure, DIAG_invalid_metadata, "'host' is missing");
        failure->hint = SV("or make 'path' a full https:// URL");
        return false;
    }
    if (is_full && m->host.len > 0) {
        return sources_fail(g, failure, DIAG_invalid_metadata, "'host' stands beside a path that is a full URL");
    }
    if (!is_full && !is_host(m->host)) {
        return sources_fail(g, failure, DIAG_invalid_metadata, "'host' is not a host name, perhaps with a port");
    }
    bool ok = is_full ? http_url_parse(g->arena, r->path, &url) : parse_host(g, m->host, r->path, &url);
    if (!ok) {
        return sources_fail(g, failure, DIAG_invalid_include, "the path is not that of a URL");
    }
    bool is_https = sv_eq(url.scheme, SV("https")) || http_classify_host(url.host) == HTTP_PEER_LOOPBACK;
    if (!is_https) {
        sources_fail(g, failure, DIAG_invalid_include, "'%.*s' is not an https URL",
                     SV_ARG(web_print_name(g->arena, &url)));
        failure->hint = SV("http is only for loopback hosts");
        return false;
    }
    return take_url(g, &url, result, failure);
}

/* --- FN-207 --- */

static const struct content *make_resource(struct gatherer *g, const struct remote *remote, sv bytes) {
    struct content *c = ARENA_NEW(g->arena, struct content);
    c->location = remote->location;
    c->name = remote->name;
    c->kind = SV("https");
    c->bytes = arena_copy_sv(g->arena, bytes);
    c->digest = sources_print_digest(g->arena, bytes);
    c->is_remote = true;
    c->detail = remote;
    VEC_PUSH(g->arena, &g->fetcher.contents, c);
    return c;
}

static struct place *visit(struct gatherer *g, const struct remote *remote) {
    struct place *place = ARENA_NEW(g->arena, struct place);
    struct arena scratch = {0};
    struct web_get w = {
        .arena = &scratch,
        .url = remote->detail,
        .name = remote->name,
        .is_http_allowed = true,
        .is_redirected = true,
        .failure = &place->failure,
    };
    if (g->o.offline) {
        sources_fail(g, &place->failure, DIAG_include_not_checked, "'%.*s' is not fetched", SV_ARG(remote->name));
        place->failure.hint = g->o.pure ? SV("--pure opens no connection") : SV("--offline opens no connection");
    } else if (web_get(g, &w) && w.answer.status != 304) {
        place->content = make_resource(g, remote, w.answer.body);
    } else if (place->failure.code == 0) {
        sources_fail(g, &place->failure, DIAG_resolve_failure, "'%.*s' answered with status 304", SV_ARG(remote->name));
    }
    arena_fini(&scratch);
    return place;
}

/* What a service answers is no source: neither cache nor lock file know it. The key has a mark that no location has. */
const struct content *https_get_resource(struct gatherer *g, const struct fetch_request *r,
                                         struct fetch_failure *failure) {
    struct http_url url;
    struct remote *remote = ARENA_NEW(g->arena, struct remote);
    bool ok =
        http_url_parse(g->arena, r->path, &url) && (sv_eq(url.scheme, SV("https")) || sv_eq(url.scheme, SV("http")));
    if (!ok) {
        sources_fail(g, failure, DIAG_invalid_include, "'http_resource' gets http and https URLs only");
        return NULL;
    }
    url.has_fragment = false; /* it is the reader's business and is not sent */
    if (!take_url(g, &url, remote, failure)) {
        return NULL;
    }
    sv key = arena_printf(g->arena, "GET\n%s", remote->location.data);
    struct place *place = map_find(&g->places, key);
    if (place == NULL) {
        place = visit(g, remote);
        map_put(&g->places, key, place);
    }
    if (place->content == NULL) {
        *failure = place->failure;
        return NULL;
    }
    struct wish w = {.request = r, .failure = failure};
    return remote_check_digest(g, place->content, &w) ? place->content : NULL;
}
