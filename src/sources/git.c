#include "sources/git.h"

/* One file of a repository in some revision. */
struct git_place {
    struct git_url url;
    sv ref;      /* empty: the default branch */
    sv path;     /* from the top, no dot segments */
    sv revision; /* "git+URL?ref": beginning of the location */
    sv commit;   /* that of the document it was named in (BP-175); empty: the revision decides */
};

/* --- Which commit --- */

/* A revision means one commit for a whole run; the lock file may say which. */
static sv get_commit(struct gatherer *g, const struct remote *remote) {
    const struct git_place *p = remote->detail;
    if (p->commit.len > 0) {
        return p->commit;
    }
    if (git_is_commit(p->ref)) {
        return p->ref;
    }
    const sv *known = map_find(&g->revisions, p->revision);
    return known != NULL ? *known : lock_find_commit(g, p->revision);
}

static void note_commit(struct gatherer *g, const struct git_place *p, sv commit) {
    sv *kept = ARENA_NEW(g->arena, sv);
    *kept = arena_copy_sv(g->arena, commit);
    map_put(&g->revisions, p->revision, kept);
}

/* --- Fetching --- */

static bool read_commit(struct git_session *s, const struct git_place *p, sv commit, sv full_name, sv *bytes) {
    for (int attempt = 0;; attempt++) {
        s->is_damaged = false;
        if (git_open_repository(s, commit) && git_need_commit(s, commit, full_name) &&
            git_read_file(s, commit, p->path, bytes)) {
            return true;
        }
        if (!s->is_damaged || attempt > 0) {
            return false;
        }
        git_discard(s);
    }
}

static bool fetch_git(struct gatherer *g, struct download *d) {
    const struct git_place *p = d->remote->detail;
    struct git_session s = {.g = g, .arena = d->arena, .url = &p->url, .failure = d->failure, .name = d->remote->name};
    sv commit = get_commit(g, d->remote), full_name = {0};
    bool ok = git_begin(&s) && (commit.len > 0 || git_find_commit(&s, p->ref, &commit, &full_name)) &&
              read_commit(&s, p, commit, full_name, &d->bytes);
    git_end(&s);
    if (ok) {
        d->commit = commit;
        note_commit(g, p, commit);
    }
    return ok;
}

/* --- Places --- */

static bool resolve_place(struct gatherer *g, struct git_place *p, struct remote *result);

static bool join_git(struct gatherer *g, const struct remote *base, sv path, struct remote *result,
                     struct fetch_failure *failure) {
    const struct git_place *from = base->detail;
    struct git_place *p = ARENA_NEW(g->arena, struct git_place);
    *p = *from;
    p->commit = get_commit(g, base);
    if (!names_join(g->arena, names_get_dir(from->path), path, &p->path)) {
        return sources_fail(g, failure, DIAG_include_path_outside_root, "'%.*s' leads out of the repository '%.*s'",
                            SV_ARG(sources_print_safely(g->arena, path, NAME_MAX_SHOWN)), SV_ARG(from->url.text));
    }
    return resolve_place(g, p, result) || sources_fail(g, failure, DIAG_invalid_include, "'%.*s' names no file",
                                                       SV_ARG(sources_print_safely(g->arena, path, NAME_MAX_SHOWN)));
}

static const struct remote_kind git_kind = {
    .name = SV_INIT("git"),
    .fetch = fetch_git,
    .join = join_git,
    .get_commit = get_commit,
};

/* False for a path that no line of git's can hold, or none. */
static bool resolve_place(struct gatherer *g, struct git_place *p, struct remote *result) {
    struct buf location = BUF(g->arena);
    buf_append_cstr(&location, "git+");
    buf_append(&location, p->url.text);
    buf_append_char(&location, '?');
    buf_append(&location, p->ref.len > 0 ? p->ref : SV("HEAD"));
    size_t revision_len = location.len;
    buf_append_char(&location, '#');
    buf_append(&location, p->path);
    sv whole = buf_get_sv(&location);
    p->revision = sv_slice(whole, 0, revision_len);
    sv name = arena_printf(g->arena, "%.*s#%.*s", SV_ARG(p->revision),
                           SV_ARG(sources_print_safely(g->arena, p->path, NAME_MAX_SHOWN)));
    *result = (struct remote){&git_kind, whole, name, p};
    return p->path.len > 0 && sv_find_char(p->path, '\n') == SIZE_MAX;
}

bool git_resolve(struct gatherer *g, const struct fetch_request *r, const struct include_metadata *m,
                 struct remote *result, struct fetch_failure *failure) {
    struct git_place *p = ARENA_NEW(g->arena, struct git_place);
    if (m->repository.len == 0) {
        return sources_fail(g, failure, DIAG_invalid_metadata, "'repository' is missing");
    }
    if (m->ref.len > 0 && !git_is_ref(m->ref)) {
        return sources_fail(g, failure, DIAG_invalid_metadata,
                            "'ref' is not the name of a branch or tag, nor a commit");
    }
    p->ref = m->ref;
    if (!git_url_parse(g, r, m->repository, &p->url, failure)) {
        return false;
    }
    if (!names_join(g->arena, (sv){0}, r->path, &p->path)) {
        return sources_fail(g, failure, DIAG_include_path_outside_root, "'%.*s' leads out of the repository",
                            SV_ARG(sources_print_safely(g->arena, r->path, NAME_MAX_SHOWN)));
    }
    return resolve_place(g, p, result) ||
           sources_fail(g, failure, DIAG_invalid_include, "the path does not name a file of a repository");
}
