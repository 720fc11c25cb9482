#include "adapters/crypto/crypto.h"
#include "base/utf8.h"
#include "sources/internal.h"

#include <errno.h>
#include <stdlib.h>

/* --- Small things that all sources need --- */

bool sources_fail(struct gatherer *g, struct fetch_failure *failure, enum diag_code code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    *failure = (struct fetch_failure){.code = code, .message = arena_vprintf(g->arena, format, args)};
    va_end(args);
    return false;
}

/* The end of the first part of a URL that stands behind "://" at the start of `rest`: "user:password@host". */
static size_t find_authority_end(sv rest) {
    size_t end = 0;
    while (end < rest.len && sv_find_char(SV("/?# '\"\n"), rest.data[end]) == SIZE_MAX) {
        end++;
    }
    return end;
}

/* What is left of a URL; a query is left out. Another URL may begin in the middle of it. */
static void print_place(struct buf *out, sv *rest) {
    size_t end = 0;
    while (end < rest->len && sv_find_char(SV(" '\"\n"), rest->data[end]) == SIZE_MAX) {
        end++;
    }
    size_t query = sv_find_char(sv_slice(*rest, 0, end), '?');
    size_t next = sv_find(sv_slice(*rest, 0, end), SV("://"));
    if (query < next) {
        buf_append(out, sv_slice(*rest, 0, query));
        buf_append_cstr(out, "?…");
        *rest = sv_slice(*rest, end, rest->len);
    }
}

sv sources_print_safely(struct arena *a, sv text, size_t max) {
    struct buf out = BUF(a);
    sv rest = text, mark = SV("://");
    for (size_t at = sv_find(rest, mark); at != SIZE_MAX; at = sv_find(rest, mark)) {
        buf_append(&out, sv_slice(rest, 0, at + mark.len));
        rest = sv_slice(rest, at + mark.len, rest.len);
        size_t user = sv_rfind_char(sv_slice(rest, 0, find_authority_end(rest)), '@');
        rest = user == SIZE_MAX ? rest : sv_slice(rest, user + 1, rest.len);
        print_place(&out, &rest);
    }
    buf_append(&out, rest);
    sv whole = buf_get_sv(&out);
    sv start = sv_slice(whole, 0, max);
    return sv_slice(start, 0, utf8_check(start)); /* not in the middle of a character */
}

int64_t sources_get_now_ms(const struct gatherer *g) {
    return g->o.host->ops->get_monotonic_ms(g->o.host->user);
}

const char *sources_describe(int error) {
    const char *text = strerrordesc_np(error);
    return text == NULL ? "unknown error" : text;
}

bool sources_is_digest(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
            return false;
        }
    }
    return text.len == DIGEST_TEXT;
}

sv sources_print_digest(struct arena *a, sv bytes) {
    uint8_t digest[CRYPTO_SHA256];
    crypto_digest_sha256(bytes, digest);
    return crypto_print_hex(a, digest, sizeof digest);
}

sv sources_get_env(const struct gatherer *g, struct arena *a, sv name) {
    sv text = {0};
    return g->o.host->ops->find_env(g->o.host->user, a, name, &text) ? text : (sv){0};
}

/* --- The interface --- */

static struct gatherer *get_gatherer(struct fetcher *f) {
    return (struct gatherer *)f;
}

static bool check_path(struct gatherer *g, const struct fetch_request *r, struct fetch_failure *failure) {
    if (r->path.len == 0) {
        return sources_fail(g, failure, DIAG_include_empty_path, "the path is empty");
    }
    return sv_find_char(r->path, 0) == SIZE_MAX ||
           sources_fail(g, failure, DIAG_invalid_include, "the path has a NUL character in it");
}

static bool has_scheme(sv path) {
    size_t at = sv_find(path, SV("://"));
    return at != SIZE_MAX && at > 0 && sv_find_char(sv_slice(path, 0, at), '/') == SIZE_MAX;
}

/* A name in a remote document that tells no source of its own. */
static const struct content *get_beside(struct gatherer *g, const struct wish *w) {
    const struct remote *base = w->request->base->detail;
    struct remote remote;
    if (w->request->path.data[0] == '/') {
        sources_fail(g, w->failure, DIAG_include_path_outside_root,
                     "'%.*s' is an absolute path in a document of a remote source",
                     SV_ARG(sources_print_safely(g->arena, w->request->path, NAME_MAX_SHOWN)));
        w->failure->hint = SV("what a remote document names lies in its own source, and is named relative to it");
        return NULL;
    }
    return base->kind->join(g, base, w->request->path, &remote, w->failure) ? remote_get(g, &remote, w) : NULL;
}

static const struct content *include_file(struct gatherer *g, const struct wish *w) {
    const struct fetch_request *r = w->request;
    if (r->base != NULL && r->base->is_remote) {
        return get_beside(g, w);
    }
    const struct content *c = file_get(g, w, g->o.limits.document_bytes);
    if (c == NULL && has_scheme(r->path) && w->failure->code == DIAG_include_path_not_found) {
        w->failure->hint = SV("'metadata.sourceType' selects a remote source: https, aws/s3 or git");
    }
    return c;
}

static const struct content *fetch_include(struct fetcher *f, const struct fetch_request *r,
                                           struct fetch_failure *failure) {
    struct gatherer *g = get_gatherer(f);
    struct include_metadata m;
    struct remote remote = {0};
    *failure = (struct fetch_failure){0};
    if (!check_path(g, r, failure) || !metadata_read(g, r, &m, failure)) {
        return NULL;
    }
    struct wish w = {.request = r, .digest = m.digest, .failure = failure};
    if (m.source_type.len == 0 || sv_eq(m.source_type, SV("file"))) {
        return include_file(g, &w);
    }
    bool is_resolved = false;
    if (sv_eq(m.source_type, SV("https"))) {
        is_resolved = https_resolve(g, r, &m, &remote, failure);
    } else if (sv_eq(m.source_type, SV("aws/s3"))) {
        is_resolved = s3_resolve(g, r, &m, &remote, failure);
    } else {
        is_resolved = git_resolve(g, r, &m, &remote, failure);
    }
    return is_resolved ? remote_get(g, &remote, &w) : NULL;
}

static const struct content *fetch_file(struct fetcher *f, const struct fetch_request *r,
                                        struct fetch_failure *failure) {
    struct gatherer *g = get_gatherer(f);
    struct wish w = {.request = r, .failure = failure};
    struct remote remote;
    *failure = (struct fetch_failure){0};
    if (!check_path(g, r, failure)) {
        return NULL;
    }
    if (sv_has_prefix(r->path, SV("s3://"))) {
        return s3_resolve_url(g, r->path, &remote, failure) ? remote_get(g, &remote, &w) : NULL;
    }
    if (has_scheme(r->path)) {
        sources_fail(
            g, failure, DIAG_invalid_include, "'file' reads files and s3:// objects, not '%.*s://'",
            SV_ARG(sources_print_safely(g->arena, sv_slice(r->path, 0, sv_find(r->path, SV("://"))), NAME_MAX_SHOWN)));
        failure->hint = SV("'http_resource' gets an http or https URL");
        return NULL;
    }
    if (r->base != NULL && r->base->is_remote) {
        return get_beside(g, &w);
    }
    return file_get(g, &w, g->o.limits.file_bytes);
}

static const struct content *fetch_url(struct fetcher *f, const struct fetch_request *r,
                                       struct fetch_failure *failure) {
    struct gatherer *g = get_gatherer(f);
    *failure = (struct fetch_failure){0};
    return check_path(g, r, failure) ? https_get_resource(g, r, failure) : NULL;
}

static const struct content *fetch_base(struct fetcher *f, const struct source *source) {
    struct gatherer *g = get_gatherer(f);
    if (source->origin != NULL || source->path.len == 0) {
        return source->origin;
    }
    struct content *c = map_find(&g->bases, source->path);
    if (c != NULL) {
        return c;
    }
    c = ARENA_NEW(g->arena, struct content);
    c->path = c->location = arena_copy_sv(g->arena, source->path);
    c->name = arena_copy_sv(g->arena, source->name);
    sv dir = names_get_dir(c->path);
    c->directory = dir.len == 0 ? SV("/") : dir;
    c->kind = SV("file");
    c->bytes = source->bytes;
    c->digest = sources_print_digest(g->arena, source->bytes);
    map_put(&g->bases, c->path, c);
    return c;
}

static const struct fetcher_ops ops = {
    .include = fetch_include,
    .file = fetch_file,
    .url = fetch_url,
    .base = fetch_base,
};

/* --- Opening and closing --- */

static sv get_real_path(struct arena *a, sv path) {
    char *real = path.len == 0 ? NULL : realpath(arena_copy_cstr(a, path), NULL);
    sv result = arena_copy_sv(a, sv_from_cstr(real));
    free(real);
    return result;
}

static void fill_limits(struct sources_limits *l) {
    static const struct sources_limits defaults = {
        .document_bytes = (size_t)64 << 20,
        .file_bytes = (size_t)16 << 20,
        .download_bytes = (size_t)16 << 20,
        .redirects = 5,
        .git_bytes = (size_t)512 << 20,
        .timeout_ms = 30000,
        .stall_ms = 15000,
    };
    l->document_bytes = l->document_bytes == 0 ? defaults.document_bytes : l->document_bytes;
    l->file_bytes = l->file_bytes == 0 ? defaults.file_bytes : l->file_bytes;
    l->download_bytes = l->download_bytes == 0 ? defaults.download_bytes : l->download_bytes;
    l->redirects = l->redirects == 0 ? defaults.redirects : l->redirects;
    l->git_bytes = l->git_bytes == 0 ? defaults.git_bytes : l->git_bytes;
    l->timeout_ms = l->timeout_ms == 0 ? defaults.timeout_ms : l->timeout_ms;
    l->stall_ms = l->stall_ms == 0 ? defaults.stall_ms : l->stall_ms;
}

static void put_module_roots(struct gatherer *g, const struct sources_options *o) {
    g->o.module_root_count = o->pure ? 0 : o->module_root_count;
    g->module_roots = ARENA_ARRAY(g->arena, sv, g->o.module_root_count + 1);
    for (size_t i = 0; i < g->o.module_root_count; i++) {
        g->module_roots[i] = get_real_path(g->arena, o->module_roots[i]);
    }
}

struct fetcher *sources_open(const struct sources_options *o) {
    struct arena *a = o->arena;
    struct gatherer *g = ARENA_NEW(a, struct gatherer);
    g->fetcher.ops = &ops;
    g->arena = a;
    g->o = *o;
    fill_limits(&g->o.limits);
    g->o.offline = o->offline || o->pure;
    g->o.allow_outside = o->allow_outside && !o->pure;
    g->o.allow_private = o->allow_private && !o->pure;
    g->o.lock = o->lock == 0 ? SOURCES_LOCK_CHECK : o->lock;
    g->o.cache_dir = arena_copy_sv(a, o->cache_dir);
    g->o.lock_file = arena_copy_sv(a, o->lock_file);
    g->o.ca_file = o->ca_file.len > 0 ? arena_copy_sv(a, o->ca_file) : sources_get_env(g, a, SV("SSL_CERT_FILE"));
    g->cwd = get_real_path(a, o->cwd.len > 0 ? o->cwd : o->host->ops->get_cwd(o->host->user, a));
    g->root_dir = get_real_path(a, o->root_dir);
    put_module_roots(g, o);
    g->places = MAP(a);
    g->bases = MAP(a);
    g->revisions = MAP(a);
    g->lock.entries = MAP(a);
    return &g->fetcher;
}

void sources_close(struct fetcher *f) {
    struct gatherer *g = get_gatherer(f);
    if (g != NULL && g->temporary_dir.len > 0) {
        files_remove_tree(g->temporary_dir);
        g->temporary_dir = (sv){0};
    }
}
