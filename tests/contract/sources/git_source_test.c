/* The source 'git' with real repositories: BP-171, BP-173, BP-174, BP-175, BP-176, CLI-013, LC-081. */
#include "unit/sources/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define REPO "tree/repo"

static sv git(struct world *w, const char *a, const char *b, const char *c) {
    return world_run(w, "git", "-C", world_get_path(w, REPO).data, "-c", "user.name=t", "-c", "user.email=t@t", "-c",
                     "commit.gpgsign=false", a, b, c, NULL);
}

static sv commit_all(struct world *w) {
    git(w, "add", "-A", ".");
    git(w, "commit", "-qm", "change");
    return git(w, "rev-parse", "HEAD", NULL);
}

static sv start(struct world *w) {
    if (!world_has_program(w, "git")) {
        print_message("# SKIP-REASON there is no program git\n");
        skip();
    }
    sv path = {0};
    host_system.ops->find_env(NULL, &w->arena, SV("PATH"), &path);
    world_set_env(w, "PATH", path);
    w->o.cache_dir = world_get_path(w, "cache");
    world_open(w);
    world_run(w, "git", "init", "-q", "-b", "main", world_get_path(w, REPO).data, NULL);
    world_write(w, REPO "/dir/a.yaml", SV("a"));
    world_write(w, REPO "/dir/b.yaml", SV("b of dir"));
    world_write(w, REPO "/b.yaml", SV("b of the top"));
    return commit_all(w);
}

static const struct content *include(struct world *w, const char *path, const char *ref) {
    if (ref == NULL) {
        return world_include(w, path, "sourceType", "git", "repository", "repo", NULL);
    }
    return world_include(w, path, "sourceType", "git", "repository", "repo", "ref", ref, NULL);
}

static void a_file_of_the_default_branch(void **state) {
    struct world *w = *state;
    sv commit = start(w);
    const struct content *c = include(w, "dir/a.yaml", NULL);
    world_check_text(c, "a");
    assert_true(sv_eq(c->commit, commit) && c->is_remote && sv_eq(c->kind, SV("git")));
    sv location = arena_printf(&w->arena, "git+file://%s?HEAD#dir/a.yaml", world_get_path(w, REPO).data);
    assert_true(sv_eq(c->location, location));
    assert_ptr_equal(include(w, "dir/./x/../a.yaml", NULL), c);
    assert_ptr_equal(include(w, "/dir/a.yaml", NULL), c);
    assert_int_equal(w->f->contents.len, 1);
}

static void branches_tags_and_commits(void **state) {
    struct world *w = *state;
    sv first = start(w);
    git(w, "tag", "v1", NULL);
    git(w, "checkout", "-qb", "team/work");
    world_write(w, REPO "/dir/a.yaml", SV("a of work"));
    sv second = commit_all(w);
    world_write(w, REPO "/dir/a.yaml", SV("a later"));
    sv third = commit_all(w);
    world_check_text(include(w, "dir/a.yaml", "v1"), "a");
    world_check_text(include(w, "dir/a.yaml", "team/work"), "a later");
    world_check_text(include(w, "dir/a.yaml", "main"), "a");
    world_check_text(include(w, "dir/a.yaml", second.data), "a of work");
    world_check_text(include(w, "dir/a.yaml", NULL), "a later");
    assert_true(sv_eq(include(w, "dir/a.yaml", "v1")->commit, first));
    assert_true(sv_eq(include(w, "dir/a.yaml", "team/work")->commit, third));
    assert_null(include(w, "dir/a.yaml", "nothing"));
    world_check_failure(w, DIAG_blueprint_not_found, "'nothing'");
    assert_null(include(w, "dir/a.yaml", "0123456789012345678901234567890123456789"));
    assert_true(w->failure.code == DIAG_blueprint_not_found || w->failure.code == DIAG_resolve_failure);
}

/* An annotated tag means the commit it is for. */
static void tags_are_peeled(void **state) {
    struct world *w = *state;
    sv commit = start(w);
    world_run(w, "git", "-C", world_get_path(w, REPO).data, "-c", "user.name=t", "-c", "user.email=t@t", "tag", "-a",
              "-m", "x", "signed", NULL);
    const struct content *c = include(w, "b.yaml", "signed");
    world_check_text(c, "b of the top");
    assert_true(sv_eq(c->commit, commit));
}

/* BP-175: same source, same revision, although the branch has gone on. */
static void relative_names_stay_in_the_revision(void **state) {
    struct world *w = *state;
    sv first = start(w);
    w->base = include(w, "dir/a.yaml", NULL);
    world_write(w, REPO "/dir/b.yaml", SV("b has changed"));
    commit_all(w);
    const struct content *c = world_include(w, "b.yaml", NULL);
    world_check_text(c, "b of dir");
    assert_true(sv_eq(c->commit, first));
    world_check_text(world_file(w, "../b.yaml"), "b of the top");
    assert_null(world_include(w, "../../x.yaml", NULL));
    world_check_failure(w, DIAG_include_path_outside_root, "repository");
    assert_null(world_include(w, "/b.yaml", NULL));
    world_check_failure(w, DIAG_include_path_outside_root, "absolute");
    w->base = NULL;
    assert_ptr_equal(include(w, "dir/b.yaml", NULL), c);
}

static void files_that_are_not_there(void **state) {
    struct world *w = *state;
    start(w);
    assert_null(include(w, "nothing.yaml", NULL));
    world_check_failure(w, DIAG_blueprint_not_found, "nothing.yaml");
    assert_null(include(w, "dir", NULL));
    world_check_failure(w, DIAG_invalid_include, "directory");
    assert_null(include(w, "b.yaml/x", NULL));
    world_check_failure(w, DIAG_blueprint_not_found, "b.yaml/x");
    assert_null(include(w, "a\nb", NULL));
    world_check_failure(w, DIAG_invalid_include, "file");
}

/* BP-176: links lead nowhere but to other files of the tree. */
static void links_stay_in_the_tree(void **state) {
    struct world *w = *state;
    start(w);
    world_link(w, REPO "/inside", "dir/a.yaml");
    world_link(w, REPO "/dirlink", "dir");
    world_link(w, REPO "/out", "../../outside/secret.yaml");
    world_link(w, REPO "/absolute", "/etc/passwd");
    world_link(w, REPO "/loop", "loop");
    world_link(w, REPO "/dangling", "nothing");
    commit_all(w);
    world_check_text(include(w, "inside", NULL), "a");
    world_check_text(include(w, "dirlink/b.yaml", NULL), "b of dir");
    assert_null(include(w, "out", NULL));
    world_check_failure(w, DIAG_include_path_outside_root, "link");
    assert_null(include(w, "absolute", NULL));
    world_check_failure(w, DIAG_include_path_outside_root, "link");
    assert_null(include(w, "loop", NULL));
    world_check_failure(w, DIAG_invalid_include, "circles");
    assert_null(include(w, "dangling", NULL));
    world_check_failure(w, DIAG_blueprint_not_found, "dangling");
}

/* Hooks, filters and submodules of a repository do nothing. */
static void nothing_of_a_repository_is_run(void **state) {
    struct world *w = *state;
    start(w);
    sv script = arena_printf(&w->arena, "#!/bin/sh\ntouch %s/ran\n", w->dir);
    world_write(w, REPO "/.git/hooks/post-checkout", script);
    world_write(w, REPO "/.git/hooks/pre-auto-gc", script);
    assert_int_equal(chmod(world_get_path(w, REPO "/.git/hooks/post-checkout").data, 0700), 0);
    assert_int_equal(chmod(world_get_path(w, REPO "/.git/hooks/pre-auto-gc").data, 0700), 0);
    world_write(w, REPO "/.gitattributes", SV("*.yaml filter=evil\n"));
    world_write(w, REPO "/.gitmodules", SV("[submodule \"x\"]\n\tpath = x\n\turl = ext::touch ran\n"));
    commit_all(w);
    git(w, "config", "filter.evil.smudge", arena_printf(&w->arena, "touch %s/ran", w->dir).data);
    world_check_text(include(w, "dir/a.yaml", NULL), "a");
    assert_int_not_equal(access(world_get_path(w, "ran").data, F_OK), 0);
}

static void sizes_are_limited(void **state) {
    struct world *w = *state;
    start(w);
    w->o.limits.download_bytes = 8;
    world_open(w);
    world_check_text(include(w, "dir/b.yaml", NULL), "b of dir");
    assert_null(include(w, "b.yaml", NULL));
    world_check_failure(w, DIAG_limit_exceeded, "8 bytes");
}

/* What git may write into one file is limited, and what a killed git leaves is removed. */
static void packs_are_limited(void **state) {
    struct world *w = *state;
    start(w);
    enum { BIG = 4 << 20 };
    char *big = arena_alloc(&w->arena, BIG);
    host_system.ops->fill_random(NULL, big, BIG);
    world_write(w, REPO "/big", sv_make(big, BIG));
    commit_all(w);
    w->o.limits.git_bytes = 1 << 20;
    world_open(w);
    assert_null(include(w, "b.yaml", NULL));
    world_check_failure(w, DIAG_limit_exceeded, "b.yaml");
    w->o.limits.git_bytes = 0;
    world_open(w);
    world_check_text(include(w, "b.yaml", NULL), "b of the top");
}

static void the_cache_serves_without_git(void **state) {
    struct world *w = *state;
    sv commit = start(w);
    world_check_text(include(w, "dir/a.yaml", NULL), "a");
    world_set_env(w, "PATH", SV("/nowhere"));
    w->o.offline = true;
    world_open(w);
    const struct content *c = include(w, "dir/a.yaml", NULL);
    world_check_text(c, "a");
    assert_true(sv_eq(c->commit, commit));
    w->base = c;
    assert_null(world_include(w, "b.yaml", NULL));
    world_check_failure(w, DIAG_include_not_checked, "dir/b.yaml");
    w->o.offline = false;
    world_open(w);
    assert_null(include(w, "dir/b.yaml", NULL));
    world_check_failure(w, DIAG_resolve_failure, "no program 'git'");
}

static void a_damaged_repository_is_made_anew(void **state) {
    struct world *w = *state;
    start(w);
    world_check_text(include(w, "dir/a.yaml", NULL), "a");
    sv damage = arena_printf(&w->arena,
                             "find %s/cache/git -type f -path '*/objects/*' -exec chmod u+w '{}' ';' "
                             "-exec truncate -s 20 '{}' ';'",
                             w->dir);
    world_run(w, "sh", "-c", damage.data, NULL);
    world_run(w, "rm", "-r", world_get_path(w, "cache/content").data, NULL);
    world_open(w);
    const struct content *c = include(w, "dir/a.yaml", NULL);
    world_check_text(c, "a");
}

/* One that was killed while it fetched leaves its lock; it is in nobody's way. */
static void a_lock_that_was_left_is_removed(void **state) {
    struct world *w = *state;
    start(w);
    world_check_text(include(w, "dir/a.yaml", NULL), "a");
    world_write(w, REPO "/dir/a.yaml", SV("a later"));
    commit_all(w);
    world_run(w, "sh", "-c", "for r in cache/git/*.git; do touch \"$r/shallow.lock\"; done", NULL);
    world_open(w);
    world_check_text(include(w, "dir/a.yaml", NULL), "a later");
}

enum { USERS = 3 };

static _Noreturn void use(struct world *w, const char *ref) {
    w->f = NULL;
    world_open(w);
    const struct content *c = include(w, "dir/a.yaml", ref);
    _exit(c != NULL && sv_eq_cstr(c->bytes, ref) ? 0 : 1);
}

static void many_at_once_take_turns(void **state) {
    struct world *w = *state;
    static const char *const refs[USERS] = {"one", "two", "three"};
    pid_t users[USERS];
    start(w);
    w->o.limits.timeout_ms = 30000;
    for (int i = 0; i < USERS; i++) {
        git(w, "checkout", "-qb", refs[i]);
        world_write(w, REPO "/dir/a.yaml", sv_from_cstr(refs[i]));
        commit_all(w);
    }
    for (int i = 0; i < USERS; i++) {
        users[i] = fork();
        if (users[i] == 0) {
            use(w, refs[i]);
        }
    }
    for (int i = 0; i < USERS; i++) {
        int status = -1;
        assert_int_equal(waitpid(users[i], &status, 0), users[i]);
        assert_int_equal(status, 0);
    }
}

static void without_cache_nothing_stays(void **state) {
    struct world *w = *state;
    start(w);
    w->o.cache_dir = (sv){0};
    world_set_env(w, "TMPDIR", sv_from_cstr(w->dir));
    world_open(w);
    world_check_text(include(w, "dir/a.yaml", NULL), "a");
    sources_close(w->f);
    w->f = NULL;
    assert_int_equal(world_run(w, "sh", "-c", "ls -d lintel-git-* 2>/dev/null || true", NULL).len, 0);
}

/* CLI-013: the lock file says which commit a branch is. */
static void a_locked_branch_stays_where_it_was(void **state) {
    struct world *w = *state;
    sv commit = start(w);
    w->o.lock_file = world_get_path(w, "tree/lintel.lock");
    w->o.lock = SOURCES_LOCK_UPDATE;
    world_open(w);
    world_check_text(include(w, "dir/a.yaml", "main"), "a");
    assert_true(sources_write_lock(w->f, &w->failure));
    sv text = world_read(w, "tree/lintel.lock");
    assert_true(
        sv_find(text, arena_printf(&w->arena, "?main#dir/a.yaml\": {commit: \"%s\", digest: sha256:", commit.data)) !=
        SIZE_MAX);
    world_write(w, REPO "/dir/a.yaml", SV("a has changed"));
    world_write(w, REPO "/dir/b.yaml", SV("b has changed"));
    sv later = commit_all(w);
    world_run(w, "rm", "-r", world_get_path(w, "cache").data, NULL);
    w->o.lock = SOURCES_LOCK_ADD;
    world_open(w);
    world_check_text(include(w, "dir/a.yaml", "main"), "a");
    world_check_text(include(w, "dir/b.yaml", "main"), "b of dir");
    w->o.lock = SOURCES_LOCK_UPDATE;
    world_open(w);
    const struct content *c = include(w, "dir/a.yaml", "main");
    world_check_text(c, "a has changed");
    assert_true(sv_eq(c->commit, later));
}

/* A repository on this machine may be outside with permission only (BP-176). */
static void repositories_outside_need_permission(void **state) {
    struct world *w = *state;
    start(w);
    assert_int_equal(rename(world_get_path(w, REPO).data, world_get_path(w, "outside/repo").data), 0);
    assert_null(world_include(w, "b.yaml", "sourceType", "git", "repository", "../outside/repo", NULL));
    world_check_failure(w, DIAG_include_path_outside_root, "repository");
    w->o.allow_outside = true;
    world_open(w);
    world_check_text(world_include(w, "b.yaml", "sourceType", "git", "repository", "../outside/repo", NULL),
                     "b of the top");
    sv url = arena_printf(&w->arena, "file://%s/outside/repo", w->dir);
    world_check_text(world_include(w, "b.yaml", "sourceType", "git", "repository", url.data, NULL), "b of the top");
}

/* BP-176: a repository inside that borrows from one outside is not inside. */
static void borrowed_objects_are_outside(void **state) {
    struct world *w = *state;
    start(w);
    sv script = SV("mv tree/repo outside/repo && cd tree && git clone -q --shared ../outside/repo alternates && "
                   "git -C ../outside/repo worktree add -q -b other \"$PWD/worktree\" && "
                   "git clone -q --bare ../outside/repo linked && rm -r linked/objects && "
                   "ln -s ../../outside/repo/.git/objects linked/objects && "
                   "mkdir inner && ln -s ../../outside/repo/.git inner/.git");
    world_run(w, "sh", "-c", script.data, NULL);
    static const char *const names[] = {"alternates", "worktree", "linked", "inner"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_null(world_include(w, "b.yaml", "sourceType", "git", "repository", names[i], NULL));
        world_check_failure(w, DIAG_include_path_outside_root, names[i]);
    }
    w->o.allow_outside = true;
    world_open(w);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        world_check_text(world_include(w, "b.yaml", "sourceType", "git", "repository", names[i], NULL), "b of the top");
    }
}

/* LC-081: also git connects only to what it may. */
static void private_hosts_need_permission(void **state) {
    struct world *w = *state;
    start(w);
    static const char *const urls[] = {"https://127.0.0.1:1/a.git", "https://localhost:1/a.git", "git@127.0.0.1:a",
                                       "ssh://git@10.0.0.1/a", "https://169.254.169.254/a"};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        assert_null(world_include(w, "x", "sourceType", "git", "repository", urls[i], NULL));
        world_check_failure(w, DIAG_permission_error, "no public address");
    }
}

static sv serve_over_tls(struct world *w) {
    if (!world_has_program(w, "openssl")) {
        print_message("# SKIP-REASON there is no program openssl\n");
        skip();
    }
    world_run(w, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
              "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
              "subjectAltName=DNS:localhost,IP:127.0.0.1", NULL);
    uint16_t port = world_serve(w, "git_server.py", world_get_path(w, "tree").data, world_get_path(w, "cert.pem").data,
                                world_get_path(w, "key.pem").data, NULL);
    return arena_printf(&w->arena, "https://localhost:%u", (unsigned)port);
}

static const struct content *include_url(struct world *w, sv server, const char *repository) {
    sv url = arena_printf(&w->arena, "%s/%s", server.data, repository);
    return world_include(w, "dir/a.yaml", "sourceType", "git", "repository", url.data, NULL);
}

/* Over https: checked address, verified certificate, no redirects, no questions. */
static void a_repository_over_https(void **state) {
    struct world *w = *state;
    sv commit = start(w);
    sv server = serve_over_tls(w);
    w->o.allow_private = true;
    world_open(w);
    assert_null(include_url(w, server, "smart/repo/.git"));
    world_check_failure(w, DIAG_resolve_failure, "certificate");
    w->o.ca_file = world_get_path(w, "cert.pem");
    world_open(w);
    const struct content *c = include_url(w, server, "smart/repo/.git");
    world_check_text(c, "a");
    assert_true(sv_eq(c->commit, commit));
    assert_null(include_url(w, server, "moved/repo/.git"));
    world_check_failure(w, DIAG_resolve_failure, "git says");
    assert_true(sv_find(w->failure.hint, SV("redirects")) != SIZE_MAX);
    assert_null(include_url(w, server, "closed/repo/.git"));
    world_check_failure(w, DIAG_permission_error, "git says");
    assert_null(include_url(w, server, "nothing/repo/.git"));
    world_check_failure(w, DIAG_blueprint_not_found, "git says");
}

/* A server that knows nothing but files cannot give a part of the history. */
static void a_repository_of_plain_files(void **state) {
    struct world *w = *state;
    start(w);
    git(w, "update-server-info", NULL, NULL);
    sv server = serve_over_tls(w);
    w->o.allow_private = true;
    w->o.ca_file = world_get_path(w, "cert.pem");
    world_open(w);
    const struct content *c = include_url(w, server, "plain/repo/.git");
    world_check_text(c, "a");
}

static void a_silent_server_is_left_in_time(void **state) {
    struct world *w = *state;
    start(w);
    sv server = serve_over_tls(w);
    w->o.allow_private = true;
    w->o.ca_file = world_get_path(w, "cert.pem");
    w->o.limits.timeout_ms = 1500;
    world_open(w);
    int64_t before = world_get_now_ms();
    assert_null(include_url(w, server, "silent/repo/.git"));
    world_check_failure(w, DIAG_resolve_failure, "in time");
    assert_true(world_get_now_ms() - before < 6000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_CASE(a_file_of_the_default_branch),
        WORLD_CASE(branches_tags_and_commits),
        WORLD_CASE(tags_are_peeled),
        WORLD_CASE(relative_names_stay_in_the_revision),
        WORLD_CASE(files_that_are_not_there),
        WORLD_CASE(links_stay_in_the_tree),
        WORLD_CASE(nothing_of_a_repository_is_run),
        WORLD_CASE(sizes_are_limited),
        WORLD_CASE(packs_are_limited),
        WORLD_CASE(the_cache_serves_without_git),
        WORLD_CASE(a_damaged_repository_is_made_anew),
        WORLD_CASE(a_lock_that_was_left_is_removed),
        WORLD_CASE(many_at_once_take_turns),
        WORLD_CASE(without_cache_nothing_stays),
        WORLD_CASE(a_locked_branch_stays_where_it_was),
        WORLD_CASE(repositories_outside_need_permission),
        WORLD_CASE(borrowed_objects_are_outside),
        WORLD_CASE(private_hosts_need_permission),
        WORLD_CASE(a_repository_over_https),
        WORLD_CASE(a_repository_of_plain_files),
        WORLD_CASE(a_silent_server_is_left_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
