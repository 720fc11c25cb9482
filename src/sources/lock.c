/* lintel.lock: what fetched sources contained when they were first used (CLI-013, MD-033).
 *
 *     "git+https://example.org/base.git?main#net.yaml": {commit: 5b1c…, digest: sha256:9f86…}
 *     "https://example.org/base.yaml": sha256:60303ae2…
 *
 * Invariants: (1) entries are sorted by location, one line each, so that the same set gives the same bytes; (2) the
 * file is replaced as a whole; writers take turns, and each reads again what others have added; (3) an entry is changed
 * only by SOURCES_LOCK_UPDATE. */
#include "base/jsonw.h"
#include "doc/reader.h"
#include "sources/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOCK_MAX = 16 << 20,
    FILE_MODE = 0644, /* it belongs into version control */
    TURN_MS = 5000,   /* how long to wait for another writer */
    TURN_STEP_MS = 20,
};

#define HEADING "# lintel.lock: what fetched sources contained when they were first used. Keep it in version control.\n"

static bool is_binding(const struct gatherer *g) {
    return g->o.lock != SOURCES_LOCK_UPDATE;
}

/* --- Reading --- */

static bool fail_broken(struct gatherer *g, const char *why) {
    struct lock *lock = &g->lock;
    lock->is_broken = true;
    sources_fail(g, &lock->failure, DIAG_file_not_readable, "the lock file '%.*s' %s", SV_ARG(g->o.lock_file), why);
    lock->failure.hint = SV("restore it from version control");
    return false;
}

static bool parse_digest(const struct node *n, sv *digest) {
    sv prefix = SV("sha256:");
    if (n == NULL || !node_is_scalar(n) || !sv_has_prefix(n->text, prefix)) {
        return false;
    }
    *digest = sv_slice(n->text, prefix.len, n->text.len);
    return sources_is_digest(*digest);
}

/* 40 or 64 small hexadecimal digits. */
static bool is_commit(sv text) {
    char padded[DIGEST_TEXT];
    memset(padded, '0', sizeof padded);
    if (text.len != 40 && text.len != DIGEST_TEXT) {
        return false;
    }
    memcpy(padded, text.data, text.len);
    return sources_is_digest(sv_make(padded, sizeof padded));
}

static bool parse_entry(const struct node_pair *pair, struct lock_entry *e) {
    e->location = pair->key->text;
    if (pair->value->kind != NODE_MAPPING) {
        return parse_digest(pair->value, &e->digest);
    }
    const struct node *commit = node_find(pair->value, SV("commit"));
    e->commit = commit != NULL && node_is_scalar(commit) ? commit->text : (sv){0};
    return pair->value->count == 2 && is_commit(e->commit) &&
           parse_digest(node_find(pair->value, SV("digest")), &e->digest);
}

static bool parse_entries(struct gatherer *g, const struct node *root) {
    if (root->kind == NODE_SCALAR && root->style == NODE_EMPTY) {
        return true;
    }
    if (root->kind != NODE_MAPPING) {
        return fail_broken(g, "is no mapping of locations to digests");
    }
    for (size_t i = 0; i < root->count; i++) {
        struct lock_entry entry = {0};
        if (!node_is_scalar(root->pairs[i].key) || !parse_entry(&root->pairs[i], &entry)) {
            return fail_broken(g, "has an entry that is neither a digest nor a commit with a digest");
        }
        struct lock_entry *known = map_find(&g->lock.entries, entry.location);
        if (known == NULL || !known->is_new || is_binding(g)) {
            struct lock_entry *kept = ARENA_NEW(g->arena, struct lock_entry);
            *kept = entry;
            map_put(&g->lock.entries, kept->location, kept);
        }
    }
    return true;
}

/* Entries of the file; one that somebody else has written in the meantime wins, but for an update. */
static bool read_entries(struct gatherer *g) {
    struct lock *lock = &g->lock;
    sv bytes;
    enum file_read got = files_read(g->arena, AT_FDCWD, g->o.lock_file, 0, LOCK_MAX, &bytes);
    lock->is_present = got != FILE_READ_MISSING;
    if (got == FILE_READ_UNFIT) {
        return fail_broken(g, "cannot be read");
    }
    if (got == FILE_READ_MISSING) {
        return true;
    }
    struct sources sources;
    struct diags diags;
    sources_init(&sources, g->arena);
    diags_init(&diags, g->arena, &sources);
    struct source *source = sources_add(&sources, g->o.lock_file, bytes);
    struct doc_stream *stream = doc_read(g->arena, source, &doc_options_blueprint, &diags);
    if (stream->has_errors) {
        return fail_broken(g, "is no sound YAML");
    }
    return parse_entries(g, stream->documents.items[0].root);
}

static bool read_once(struct gatherer *g, struct fetch_failure *failure) {
    struct lock *lock = &g->lock;
    if (!lock->is_read && g->o.lock_file.len > 0) {
        lock->is_read = true;
        read_entries(g);
    }
    if (lock->is_broken) {
        *failure = lock->failure;
    }
    return !lock->is_broken;
}

/* --- Looking up --- */

bool lock_find(struct gatherer *g, sv location, const struct lock_entry **entry, struct fetch_failure *failure) {
    *entry = NULL;
    if (!read_once(g, failure)) {
        return false;
    }
    *entry = is_binding(g) ? map_find(&g->lock.entries, location) : NULL;
    return true;
}

sv lock_find_commit(struct gatherer *g, sv revision) {
    const struct map *entries = &g->lock.entries;
    for (size_t i = 0; i < entries->len && is_binding(g); i++) {
        const struct lock_entry *e = entries->entries[i].value;
        bool is_same = e != NULL && e->commit.len > 0 && sv_has_prefix(e->location, revision) &&
                       e->location.len > revision.len && e->location.data[revision.len] == '#';
        if (is_same) {
            return e->commit;
        }
    }
    return (sv){0};
}

/* --- Checking and noting --- */

static void note(struct gatherer *g, const struct content *c) {
    struct lock_entry *e = ARENA_NEW(g->arena, struct lock_entry);
    *e = (struct lock_entry){c->location, c->digest, c->commit, true};
    map_put(&g->lock.entries, e->location, e);
    g->lock.has_news = true;
}

static bool check_entry(struct gatherer *g, const struct content *c, const struct lock_entry *e,
                        struct fetch_failure *failure) {
    if (sv_eq(e->digest, c->digest)) {
        return true;
    }
    sources_fail(g, failure, DIAG_include_digest_mismatch,
                 "the digest of '%.*s' is sha256:%.*s, not sha256:%.*s as '%.*s' says", SV_ARG(c->name),
                 SV_ARG(c->digest), SV_ARG(e->digest), SV_ARG(g->o.lock_file));
    failure->hint = SV("if the change is wanted, remove the entry from the lock file");
    return false;
}

bool lock_check(struct gatherer *g, const struct content *c, struct fetch_failure *failure) {
    if (g->o.lock_file.len == 0) {
        return true;
    }
    const struct lock_entry *e = map_find(&g->lock.entries, c->location);
    if (e != NULL && (is_binding(g) || e->is_new)) {
        return check_entry(g, c, e, failure);
    }
    if (e == NULL && g->o.lock == SOURCES_LOCK_FROZEN) {
        return sources_fail(g, failure, DIAG_include_digest_mismatch, "'%.*s' is not in the lock file '%.*s'",
                            SV_ARG(c->name), SV_ARG(g->o.lock_file));
    }
    if (e == NULL || !sv_eq(e->digest, c->digest) || !sv_eq(e->commit, c->commit)) {
        note(g, c);
    }
    return true;
}

/* --- Writing --- */

static int compare_entries(const void *x, const void *y) {
    const struct lock_entry *const *a = x, *const *b = y;
    return sv_cmp((*a)->location, (*b)->location);
}

static void print_entry(struct buf *out, const struct lock_entry *e) {
    jsonw_quote(out, e->location); /* a quoted text of JSON is one of YAML */
    if (e->commit.len > 0) {
        buf_append_cstr(out, ": {commit: ");
        jsonw_quote(out, e->commit); /* of digits alone, perhaps */
        buf_printf(out, ", digest: sha256:%.*s}\n", SV_ARG(e->digest));
    } else {
        buf_printf(out, ": sha256:%.*s\n", SV_ARG(e->digest));
    }
}

static sv print_entries(struct gatherer *g) {
    const struct map *m = &g->lock.entries;
    const struct lock_entry **sorted = ARENA_ARRAY(g->arena, const struct lock_entry *, m->live + 1);
    size_t count = 0;
    for (size_t i = 0; i < m->len; i++) {
        if (m->entries[i].key.data != NULL) {
            sorted[count++] = m->entries[i].value;
        }
    }
    qsort(sorted, count, sizeof *sorted, compare_entries);
    struct buf out = BUF(g->arena);
    buf_append_cstr(&out, HEADING);
    for (size_t i = 0; i < count; i++) {
        print_entry(&out, sorted[i]);
    }
    return buf_get_sv(&out);
}

/* Writers lock the directory, since the file itself is replaced. */
static bool take_turn(const struct gatherer *g, int dir_fd) {
    int64_t end = sources_get_now_ms(g) + TURN_MS;
    while (flock(dir_fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || sources_get_now_ms(g) >= end) {
            return false;
        }
        g->o.host->ops->sleep_ms(g->o.host->user, TURN_STEP_MS);
    }
    return true;
}

static bool fail_write(struct gatherer *g, struct fetch_failure *failure, int error) {
    return sources_fail(g, failure, DIAG_file_not_writable, "the lock file '%.*s' cannot be written: %s",
                        SV_ARG(g->o.lock_file), sources_describe(error));
}

static bool write_entries(struct gatherer *g, int dir_fd, struct fetch_failure *failure) {
    size_t slash = sv_rfind_char(g->o.lock_file, '/');
    sv name = sv_slice(g->o.lock_file, slash == SIZE_MAX ? 0 : slash + 1, g->o.lock_file.len);
    if (!take_turn(g, dir_fd)) {
        return fail_write(g, failure, EWOULDBLOCK);
    }
    if (!read_entries(g)) {
        *failure = g->lock.failure;
        return false;
    }
    return files_replace(g, dir_fd, name, FILE_MODE, print_entries(g)) || fail_write(g, failure, errno);
}

static bool may_write(const struct gatherer *g) {
    return g->lock.has_news &&
           (g->o.lock == SOURCES_LOCK_UPDATE || (g->o.lock == SOURCES_LOCK_ADD && g->lock.is_present));
}

bool sources_write_lock(struct fetcher *f, struct fetch_failure *failure) {
    struct gatherer *g = (struct gatherer *)f;
    *failure = (struct fetch_failure){0};
    if (!may_write(g)) {
        return true;
    }
    sv dir = names_get_dir(g->o.lock_file);
    const char *path = dir.len > 0 ? arena_copy_cstr(g->arena, dir) : g->o.lock_file.data[0] == '/' ? "/" : ".";
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return fail_write(g, failure, errno);
    }
    bool ok = write_entries(g, fd, failure);
    close(fd); /* lets go of the lock, too */
    g->lock.has_news = g->lock.has_news && !ok;
    return ok;
}
