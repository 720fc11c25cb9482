/* Remote places: memory, pins, cache, source, in this order.
 *
 * Invariants: (1) a place is fetched at most once per run, and a failure stays one (F74); (2) bytes from the cache are
 * used only when their digest is the one that was asked for or the one that the place last had; (3) whatever way the
 * bytes came, every pin is compared with the digest of what is handed out. */
#include "sources/internal.h"

/* --- Pins --- */

bool remote_check_digest(struct gatherer *g, const struct content *c, const struct wish *w) {
    sv staged = w->request->expected;
    if (staged.len > 0 && !sv_eq(staged, c->digest)) {
        sources_fail(g, w->failure, DIAG_include_changed_since_staging,
                     "'%.*s' has changed since staging: its digest is sha256:%.*s, not sha256:%.*s", SV_ARG(c->name),
                     SV_ARG(c->digest), SV_ARG(staged));
        w->failure->hint = SV("plan again");
        return false;
    }
    if (w->digest.len > 0 && !sv_eq(w->digest, c->digest)) {
        return sources_fail(g, w->failure, DIAG_include_digest_mismatch,
                            "the digest of '%.*s' is sha256:%.*s, not sha256:%.*s as 'digest' says", SV_ARG(c->name),
                            SV_ARG(c->digest), SV_ARG(w->digest));
    }
    return true;
}

/* What the bytes must be, when anything tells. */
static bool find_pin(struct gatherer *g, const struct remote *remote, const struct wish *w, sv *pin) {
    const struct lock_entry *entry;
    if (!lock_find(g, remote->location, &entry, w->failure)) {
        return false;
    }
    *pin = w->request->expected.len > 0 ? w->request->expected : w->digest.len > 0 ? w->digest : (sv){0};
    if (pin->len == 0 && entry != NULL) {
        *pin = entry->digest;
    }
    return true;
}

/* --- Contents --- */

static const struct content *make_content(struct gatherer *g, const struct remote *remote, sv bytes, sv commit) {
    struct content *c = ARENA_NEW(g->arena, struct content);
    struct remote *kept = ARENA_NEW(g->arena, struct remote);
    *kept = *remote;
    c->location = remote->location;
    c->name = remote->name;
    c->kind = remote->kind->name;
    c->bytes = arena_copy_sv(g->arena, bytes);
    c->digest = sources_print_digest(g->arena, bytes);
    c->commit = arena_copy_sv(g->arena, commit);
    c->is_remote = true;
    c->detail = kept;
    return c;
}

static sv get_commit(struct gatherer *g, const struct remote *remote) {
    return remote->kind->get_commit == NULL ? (sv){0} : remote->kind->get_commit(g, remote);
}

/* Bytes with that digest from the cache. A commit is known from the lock file or from when they were fetched. */
static const struct content *get_pinned(struct gatherer *g, struct arena *a, const struct remote *remote, sv pin) {
    sv bytes;
    if (pin.len == 0 || !cache_find_content(g, a, pin, &bytes)) {
        return NULL;
    }
    struct cache_place known = {0};
    sv commit = get_commit(g, remote);
    if (commit.len == 0 && remote->kind->get_commit != NULL) {
        if (!cache_find_place(g, a, remote->location, &known) || !sv_eq(known.digest, pin)) {
            return NULL;
        }
        commit = known.commit;
    }
    return make_content(g, remote, bytes, commit);
}

static const struct content *get_offline(struct gatherer *g, struct arena *a, const struct remote *remote,
                                         struct fetch_failure *failure) {
    struct cache_place known;
    sv bytes, commit = get_commit(g, remote);
    if (cache_find_place(g, a, remote->location, &known) && (commit.len == 0 || sv_eq(commit, known.commit)) &&
        cache_find_content(g, a, known.digest, &bytes)) {
        return make_content(g, remote, bytes, known.commit);
    }
    sources_fail(g, failure, DIAG_include_not_checked, "'%.*s' is not fetched, and the cache does not have it",
                 SV_ARG(remote->name));
    failure->hint = g->o.pure ? SV("--pure opens no connection") : SV("run once without --offline");
    return NULL;
}

/* What the cache has of the place, to ask only for news. */
static bool find_cached(struct gatherer *g, struct arena *a, const struct remote *remote, struct cache_place *known,
                        sv *bytes) {
    return cache_find_place(g, a, remote->location, known) && known->etag.len > 0 &&
           cache_find_content(g, a, known->digest, bytes);
}

static const struct content *get_fresh(struct gatherer *g, struct arena *a, const struct remote *remote,
                                       struct fetch_failure *failure) {
    struct cache_place known = {0};
    sv cached = {0};
    struct download d = {.arena = a, .remote = remote, .failure = failure};
    d.etag = find_cached(g, a, remote, &known, &cached) ? known.etag : (sv){0};
    if (!remote->kind->fetch(g, &d)) {
        return NULL;
    }
    if (d.is_unchanged) {
        return make_content(g, remote, cached, known.commit);
    }
    const struct content *c = make_content(g, remote, d.bytes, d.commit);
    struct cache_place place = {.digest = c->digest, .commit = c->commit, .etag = d.new_etag};
    cache_put(g, remote->location, &place, c->bytes);
    return c;
}

/* --- Places --- */

/* A place of git is another one in another revision. */
static sv get_key(struct gatherer *g, const struct remote *remote) {
    sv commit = get_commit(g, remote);
    if (commit.len == 0) {
        return remote->location;
    }
    struct buf out = BUF(g->arena);
    buf_append(&out, remote->location);
    buf_append_char(&out, '\n');
    buf_append(&out, commit);
    return buf_get_sv(&out);
}

static struct place *visit(struct gatherer *g, const struct remote *remote, sv pin) {
    struct place *place = ARENA_NEW(g->arena, struct place);
    struct arena scratch = {0};
    place->content = get_pinned(g, &scratch, remote, pin);
    if (place->content == NULL && g->o.offline) {
        place->content = get_offline(g, &scratch, remote, &place->failure);
    } else if (place->content == NULL) {
        place->content = get_fresh(g, &scratch, remote, &place->failure);
    }
    arena_fini(&scratch);
    if (place->content != NULL) {
        VEC_PUSH(g->arena, &g->fetcher.contents, place->content);
    }
    return place;
}

const struct content *remote_get(struct gatherer *g, const struct remote *remote, const struct wish *w) {
    sv pin;
    if (!find_pin(g, remote, w, &pin)) {
        return NULL;
    }
    sv key = get_key(g, remote);
    struct place *place = map_find(&g->places, key);
    if (place == NULL) {
        place = visit(g, remote, pin);
        map_put(&g->places, key, place);
        map_put(&g->places, get_key(g, remote), place); /* fetching may have found out the revision */
    }
    if (place->content == NULL) {
        *w->failure = place->failure;
        return NULL;
    }
    bool is_sound = remote_check_digest(g, place->content, w) && lock_check(g, place->content, w->failure);
    return is_sound ? place->content : NULL;
}
