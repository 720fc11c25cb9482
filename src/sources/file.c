/* Local files.
 *
 * Invariants: (1) nothing is opened for reading before it is known what and where it is: the path is opened as a place
 * only (O_PATH), so that devices and FIFOs notice nothing; (2) the real path that is checked is that of the opened
 * place, and what is read is the same file, whatever the path means by then (BP-176, F85); (3) a file is opened once
 * per run, and the digest is that of the bytes that were read (F86). */
#include "sources/internal.h"
#include "sources/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS_MAX = 16 }; /* to catch a file that others keep replacing */

/* One file on its way in. */
struct opened {
    int fd; /* O_PATH */
    sv name;
    sv real_path;
    struct stat st;
    struct fetch_failure *failure;
};

bool file_is_inside(const struct gatherer *g, sv real_path) {
    bool is_inside = g->o.allow_outside || place_is_below(real_path, g->root_dir) || place_is_below(real_path, g->cwd);
    for (size_t i = 0; i < g->o.module_root_count && !is_inside; i++) {
        is_inside = place_is_below(real_path, g->module_roots[i]);
    }
    return is_inside;
}

sv file_get_dir(const struct gatherer *g, const struct content *base) {
    return base != NULL && base->directory.len > 0 ? base->directory : g->cwd;
}

static sv get_full_path(struct gatherer *g, const struct fetch_request *r) {
    if (r->path.data[0] == '/') {
        return arena_copy_sv(g->arena, r->path);
    }
    struct buf out = BUF(g->arena);
    buf_append(&out, file_get_dir(g, r->base));
    buf_append_char(&out, '/');
    buf_append(&out, r->path);
    return buf_get_sv(&out);
}

/* --- Failures --- */

static bool fail_outside(struct gatherer *g, struct opened *o) {
    sources_fail(g, o->failure, DIAG_include_path_outside_root,
                 "'%.*s' is neither below the directory of the root blueprint nor below the working directory",
                 SV_ARG(o->name));
    o->failure->hint =
        g->o.pure ? SV("--pure allows no other place") : SV("move the file there, or run with --allow-outside");
    return false;
}

static bool fail_open(struct gatherer *g, struct opened *o, sv path, int error) {
    sv plain;
    bool is_outside = !names_join(g->arena, (sv){0}, path, &plain);
    sv absolute = arena_printf(g->arena, "/%s", is_outside ? "" : plain.data == NULL ? "" : plain.data);
    if (error == ELOOP || is_outside || !file_is_inside(g, absolute)) {
        return fail_outside(g, o);
    }
    if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG) {
        return sources_fail(g, o->failure, DIAG_include_path_not_found, "there is no file '%.*s'", SV_ARG(o->name));
    }
    return sources_fail(g, o->failure, error == EACCES ? DIAG_permission_error : DIAG_resolve_failure,
                        "'%.*s' cannot be read: %s", SV_ARG(o->name), sources_describe(error));
}

static bool fail_size(struct gatherer *g, struct opened *o, size_t limit) {
    return sources_fail(g, o->failure, DIAG_limit_exceeded, "'%.*s' is larger than %zu bytes", SV_ARG(o->name), limit);
}

/* --- Opening --- */

static bool check_place(struct gatherer *g, struct opened *o) {
    o->real_path = place_get_real_path(g->arena, o->fd);
    bool is_known = fstat(o->fd, &o->st) == 0;
    if (is_known && o->st.st_nlink == 0) { /* its path is no path any more */
        return sources_fail(g, o->failure, DIAG_include_path_not_found, "there is no file '%.*s'", SV_ARG(o->name));
    }
    if (!is_known || o->real_path.len == 0 || !file_is_inside(g, o->real_path)) {
        return fail_outside(g, o);
    }
    if (S_ISDIR(o->st.st_mode)) {
        return sources_fail(g, o->failure, DIAG_invalid_include, "'%.*s' is a directory", SV_ARG(o->name));
    }
    if (!S_ISREG(o->st.st_mode)) {
        return sources_fail(g, o->failure, DIAG_invalid_include, "'%.*s' is no regular file", SV_ARG(o->name));
    }
    return true;
}

/* --- Reading --- */

static bool read_place(struct gatherer *g, struct opened *o, size_t limit, sv *bytes) {
    int fd = place_reopen(o->fd);
    bool is_more = false;
    bool ok = fd >= 0 && files_read_fd(g->arena, fd, limit, bytes, &is_more);
    int error = errno;
    if (fd >= 0) {
        close(fd);
    }
    if (!ok) {
        return sources_fail(g, o->failure, error == EACCES ? DIAG_permission_error : DIAG_resolve_failure,
                            "'%.*s' cannot be read: %s", SV_ARG(o->name), sources_describe(error));
    }
    return !is_more || fail_size(g, o, limit);
}

static const struct content *make_content(struct gatherer *g, const struct opened *o, sv bytes) {
    struct content *c = ARENA_NEW(g->arena, struct content);
    c->location = c->path = o->real_path;
    c->name = arena_copy_sv(g->arena, o->name);
    sv dir = names_get_dir(c->path);
    c->directory = dir.len == 0 ? SV("/") : dir;
    c->kind = SV("file");
    c->bytes = bytes;
    c->digest = sources_print_digest(g->arena, bytes);
    VEC_PUSH(g->arena, &g->fetcher.contents, c);
    return c;
}

static const struct content *take(struct gatherer *g, struct opened *o, size_t limit) {
    struct place *known = map_find(&g->places, o->real_path);
    if (known != NULL) {
        return known->content->bytes.len <= limit || fail_size(g, o, limit) ? known->content : NULL;
    }
    sv bytes = {0};
    if (!read_place(g, o, limit, &bytes)) {
        return NULL;
    }
    struct place *place = ARENA_NEW(g->arena, struct place);
    place->content = make_content(g, o, bytes);
    map_put(&g->places, place->content->location, place);
    return place->content;
}

/* NULL after filling the failure. `*was_replaced`: the file went while we looked; another may be in its place. */
static const struct content *get_once(struct gatherer *g, const struct wish *w, sv path, size_t limit,
                                      bool *was_replaced) {
    sv name = sources_print_safely(g->arena, w->request->path, NAME_MAX_SHOWN);
    struct opened o = {.name = name, .failure = w->failure};
    o.fd = place_open_at(AT_FDCWD, path.data);
    if (o.fd < 0) {
        fail_open(g, &o, path, errno);
        return NULL;
    }
    const struct content *c = check_place(g, &o) ? take(g, &o, limit) : NULL;
    *was_replaced = c == NULL && o.st.st_nlink == 0;
    close(o.fd);
    return c;
}

const struct content *file_get(struct gatherer *g, const struct wish *w, size_t limit) {
    sv path = get_full_path(g, w->request);
    bool was_replaced = true;
    const struct content *c = NULL;
    for (int attempt = 0; attempt < ATTEMPTS_MAX && c == NULL && was_replaced; attempt++) {
        was_replaced = false;
        c = get_once(g, w, path, limit, &was_replaced);
    }
    return c != NULL && remote_check_digest(g, c, w) ? c : NULL;
}
