/* The cache: .lintel/cache of the project.
 *
 *     content/DIGEST      bytes, named by their SHA-256
 *     places/DIGEST       what a place (named by the SHA-256 of its location) held when it was last fetched
 *     git/DIGEST.git      a bare repository per URL (git_run.c)
 *
 * Invariants: (1) a file is complete or not there, whoever writes at the same time (files_replace); (2) bytes are
 * compared with their digest whenever they are read, and damaged ones removed; (3) no link is followed and no directory
 * of somebody else used (F87): without a sound directory there is no cache, and every run fetches anew. */
#include "sources/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACE_MAX = 64 << 10, FILE_MODE = 0600 };

/* --- Directories --- */

static void shut(int fd) {
    if (fd >= 0) {
        close(fd);
    }
}

/* ".lintel" itself belongs to the project and may be written by its group; a link it must not be. */
static int open_parent(sv dir) {
    struct arena scratch = {0};
    const char *path = dir.len == 0 ? "." : arena_copy_cstr(&scratch, dir);
    int fd = -1;
    if (mkdir(path, 0700) == 0 || errno == EEXIST) {
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    arena_fini(&scratch);
    return fd;
}

/* -1 without cache. The caller closes. */
static int open_part(struct gatherer *g, sv part) {
    sv dir = g->o.cache_dir;
    size_t slash = sv_rfind_char(dir, '/');
    if (dir.len == 0) {
        return -1;
    }
    sv name = slash == SIZE_MAX ? dir : sv_slice(dir, slash + 1, dir.len);
    sv parent_dir = slash == 0 ? SV("/") : names_get_dir(dir);
    int parent = open_parent(parent_dir);
    int cache = parent < 0 ? -1 : files_open_own_dir(parent, name);
    int fd = cache < 0 ? -1 : files_open_own_dir(cache, part);
    shut(parent);
    shut(cache);
    return fd;
}

static sv make_temporary_dir(struct gatherer *g) {
    sv base = sources_get_env(g, g->arena, SV("TMPDIR"));
    struct buf path = BUF(g->arena);
    buf_append(&path, base.len > 0 ? base : SV("/tmp"));
    buf_append_cstr(&path, "/lintel-git-XXXXXX");
    sv name = buf_get_sv(&path);
    char *writable = arena_copy_cstr(g->arena, name);
    return mkdtemp(writable) == NULL ? (sv){0} : sv_from_cstr(writable);
}

sv cache_get_git_dir(struct gatherer *g) {
    int fd = open_part(g, SV("git"));
    if (fd >= 0) {
        shut(fd);
        struct buf path = BUF(g->arena);
        buf_append(&path, g->o.cache_dir);
        buf_append_cstr(&path, "/git");
        return buf_get_sv(&path);
    }
    if (g->temporary_dir.len == 0) {
        g->temporary_dir = make_temporary_dir(g);
    }
    return g->temporary_dir;
}

/* --- Contents --- */

bool cache_find_content(struct gatherer *g, struct arena *a, sv digest, sv *bytes) {
    int fd = sources_is_digest(digest) ? open_part(g, SV("content")) : -1;
    if (fd < 0) {
        return false;
    }
    bool is_found = files_read(a, fd, digest, O_NOFOLLOW, g->o.limits.download_bytes, bytes) == FILE_READ_OK;
    if (is_found && !sv_eq(sources_print_digest(a, *bytes), digest)) {
        unlinkat(fd, arena_copy_cstr(a, digest), 0);
        is_found = false;
    }
    shut(fd);
    return is_found;
}

/* --- Places --- */

static bool take_line(sv *rest, sv name, sv *text) {
    sv line = sv_cut(rest, '\n');
    *text = sv_slice(line, name.len, line.len);
    return sv_has_prefix(line, name);
}

bool cache_find_place(struct gatherer *g, struct arena *a, sv location, struct cache_place *place) {
    int fd = open_part(g, SV("places"));
    if (fd < 0) {
        return false;
    }
    sv text, found;
    bool ok = files_read(a, fd, sources_print_digest(a, location), O_NOFOLLOW, PLACE_MAX, &text) == FILE_READ_OK;
    shut(fd);
    return ok && take_line(&text, SV("location "), &found) && sv_eq(found, location) &&
           take_line(&text, SV("digest "), &place->digest) && sources_is_digest(place->digest) &&
           take_line(&text, SV("commit "), &place->commit) && take_line(&text, SV("etag "), &place->etag);
}

static sv print_place(struct arena *a, sv location, const struct cache_place *place) {
    const sv parts[] = {SV("location "), location,      SV("\ndigest "), place->digest, SV("\ncommit "),
                        place->commit,   SV("\netag "), place->etag,     SV("\n")};
    struct buf out = BUF(a);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        buf_append(&out, parts[i]);
    }
    return buf_get_sv(&out);
}

/* The content first: a place never names what is not there. */
void cache_put(struct gatherer *g, sv location, const struct cache_place *place, sv bytes) {
    struct arena scratch = {0};
    int contents = open_part(g, SV("content"));
    int places = open_part(g, SV("places"));
    if (contents >= 0 && places >= 0 && files_replace(g, contents, place->digest, FILE_MODE, bytes)) {
        sv text = print_place(&scratch, location, place);
        files_replace(g, places, sources_print_digest(&scratch, location), FILE_MODE, text);
    }
    shut(contents);
    shut(places);
    arena_fini(&scratch);
}
