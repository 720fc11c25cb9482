/* lintel.lock: CLI-013, MD-032, MD-033. */
#include "contract/sources/web.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LOCK        "tree/lintel.lock"
#define HEADING     "# lintel.lock: what fetched sources contained when they were first used. Keep it in version control.\n"
#define DIGEST_OF_A "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
#define ZEROS       "0000000000000000000000000000000000000000000000000000000000000000"

static uint16_t start(struct world *w) {
    w->o.allow_private = true;
    w->o.lock_file = world_get_path(w, LOCK);
    world_open(w);
    return world_serve(w, "web_server.py", NULL);
}

static const struct content *include(struct world *w, const char *url) {
    return world_include(w, url, "sourceType", "https", NULL);
}

static void reopen(struct world *w, enum sources_lock mode) {
    w->o.lock = mode;
    world_open(w);
}

static void write_lock(struct world *w, const char *url, const char *digest) {
    world_write(w, LOCK, arena_printf(&w->arena, "\"%s\": sha256:%s\n", url, digest));
}

/* The file binds once it exists, and not before. */
static void nothing_is_written_without_the_file(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    for (int mode = SOURCES_LOCK_CHECK; mode <= SOURCES_LOCK_ADD; mode++) {
        reopen(w, (enum sources_lock)mode);
        world_check_text(include(w, web_url(w, port, "/docs/a.yaml")), "a");
        assert_true(sources_write_lock(w->f, &w->failure));
        assert_int_not_equal(access(w->o.lock_file.data, F_OK), 0);
    }
}

static void an_update_makes_it(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    struct stat st;
    reopen(w, SOURCES_LOCK_UPDATE);
    world_check_text(include(w, web_url(w, port, "/docs/b.yaml")), "b of docs");
    world_check_text(include(w, web_url(w, port, "/docs/a.yaml")), "a");
    assert_true(sources_write_lock(w->f, &w->failure));
    sv text = world_read(w, LOCK);
    sv start_of_text = arena_printf(&w->arena, HEADING "\"%s\": sha256:" DIGEST_OF_A "\n\"%s\": sha256:",
                                    web_url(w, port, "/docs/a.yaml"), web_url(w, port, "/docs/b.yaml"));
    assert_true(sv_has_prefix(text, start_of_text));
    assert_int_equal(text.len, start_of_text.len + 64 + 1);
    assert_int_equal(stat(w->o.lock_file.data, &st), 0);
    assert_int_equal(st.st_mode & 0600, 0600);
    reopen(w, SOURCES_LOCK_FROZEN);
    world_check_text(include(w, web_url(w, port, "/docs/a.yaml")), "a");
}

/* Both digests and the file are named. */
static void another_content_is_refused(void **state) { /* F90 */
    struct world *w = *state;
    uint16_t port = start(w);
    const char *url = web_url(w, port, "/docs/a.yaml");
    write_lock(w, url, ZEROS);
    for (int mode = SOURCES_LOCK_CHECK; mode <= SOURCES_LOCK_FROZEN; mode++) {
        reopen(w, (enum sources_lock)mode);
        assert_null(include(w, url));
        world_check_failure(w, DIAG_include_digest_mismatch, DIGEST_OF_A);
        world_check_failure(w, DIAG_include_digest_mismatch, ZEROS);
        world_check_failure(w, DIAG_include_digest_mismatch, "lintel.lock");
        assert_true(sources_write_lock(w->f, &w->failure));
    }
    reopen(w, SOURCES_LOCK_UPDATE);
    world_check_text(include(w, url), "a");
    assert_true(sources_write_lock(w->f, &w->failure));
    assert_true(sv_find(world_read(w, LOCK), SV(DIGEST_OF_A)) != SIZE_MAX);
    assert_true(sv_find(world_read(w, LOCK), SV(ZEROS)) == SIZE_MAX);
}

static void missing_entries_are_added(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    write_lock(w, "https://z.example/other", ZEROS);
    sv before = world_read(w, LOCK);
    reopen(w, SOURCES_LOCK_CHECK);
    world_check_text(include(w, web_url(w, port, "/docs/a.yaml")), "a");
    assert_true(sources_write_lock(w->f, &w->failure));
    assert_true(sv_eq(world_read(w, LOCK), before));
    reopen(w, SOURCES_LOCK_ADD);
    world_check_text(include(w, web_url(w, port, "/docs/a.yaml")), "a");
    assert_true(sv_eq(world_read(w, LOCK), before)); /* until it is asked for */
    assert_true(sources_write_lock(w->f, &w->failure));
    sv wanted = arena_printf(&w->arena,
                             HEADING "\"%s\": sha256:" DIGEST_OF_A "\n\"https://z.example/other\": sha256:" ZEROS "\n",
                             web_url(w, port, "/docs/a.yaml"));
    assert_true(sv_eq(world_read(w, LOCK), wanted));
}

/* MD-033 */
static void frozen_adds_nothing(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    reopen(w, SOURCES_LOCK_FROZEN);
    assert_null(include(w, web_url(w, port, "/docs/a.yaml")));
    world_check_failure(w, DIAG_include_digest_mismatch, "not in the lock file");
}

/* Local files are under version control beside it. */
static void local_files_are_not_in_it(void **state) {
    struct world *w = *state;
    w->o.lock_file = world_get_path(w, LOCK);
    world_write(w, LOCK, SV("{}\n"));
    world_write(w, "tree/x.yaml", SV("x"));
    reopen(w, SOURCES_LOCK_FROZEN);
    world_check_text(world_include(w, "x.yaml", NULL), "x");
    reopen(w, SOURCES_LOCK_ADD);
    world_check_text(world_include(w, "x.yaml", NULL), "x");
    assert_true(sources_write_lock(w->f, &w->failure));
    assert_true(sv_eq(world_read(w, LOCK), SV("{}\n")));
}

/* A locked source that is in the cache needs no server. */
static void locked_content_comes_from_the_cache(void **state) {
    struct world *w = *state;
    w->o.cache_dir = world_get_path(w, "cache");
    uint16_t port = start(w);
    reopen(w, SOURCES_LOCK_UPDATE);
    world_check_text(include(w, web_url(w, port, "/changing")), "version 1");
    assert_true(sources_write_lock(w->f, &w->failure));
    reopen(w, SOURCES_LOCK_ADD);
    world_check_text(include(w, web_url(w, port, "/changing")), "version 1");
    assert_int_equal(web_count_hits(w, port, "/changing"), 1);
    reopen(w, SOURCES_LOCK_UPDATE);
    world_check_text(include(w, web_url(w, port, "/changing")), "version 2");
}

static void a_broken_file_is_no_lock(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    static const char *const texts[] = {
        "[1, 2]\n",
        "\"https://a\": sha256:abc\n",
        "\"https://a\": md5:" ZEROS "\n",
        "\"https://a\": {commit: x, digest: sha256:" ZEROS "}\n",
        "\"https://a\": {digest: sha256:" ZEROS "}\n",
        "a: [\n",
        "\xff\xfe\xff",
        "a: sha256:" ZEROS "\na: sha256:" ZEROS "\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        world_write(w, LOCK, sv_from_cstr(texts[i]));
        reopen(w, SOURCES_LOCK_ADD);
        assert_null(include(w, web_url(w, port, "/docs/a.yaml")));
        world_check_failure(w, DIAG_file_not_readable, "lintel.lock");
        assert_true(sources_write_lock(w->f, &w->failure));
        assert_true(sv_eq_cstr(world_read(w, LOCK), texts[i]));
    }
}

static void what_cannot_be_written_says_so(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    w->o.lock_file = world_get_path(w, "nowhere/lintel.lock");
    reopen(w, SOURCES_LOCK_UPDATE);
    world_check_text(include(w, web_url(w, port, "/docs/a.yaml")), "a");
    assert_false(sources_write_lock(w->f, &w->failure));
    world_check_failure(w, DIAG_file_not_writable, "nowhere/lintel.lock");
}

enum { WRITERS = 6 };

static _Noreturn void add_one(struct world *w, uint16_t port, int number) {
    w->f = NULL;
    reopen(w, SOURCES_LOCK_ADD);
    sv path = arena_printf(&w->arena, "/path/%d", number);
    const struct content *c = include(w, web_url(w, port, path.data));
    _exit(c != NULL && sources_write_lock(w->f, &w->failure) ? 0 : 1);
}

/* Writers take turns and keep what others have added. */
static void many_at_once_lose_nothing(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    pid_t writers[WRITERS];
    world_write(w, LOCK, SV("{}\n"));
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (writers[i] == 0) {
            add_one(w, port, i);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        sv path = arena_printf(&w->arena, "/path/%d\"", i);
        assert_true(sv_find(world_read(w, LOCK), path) != SIZE_MAX);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_CASE(nothing_is_written_without_the_file),
        WORLD_CASE(an_update_makes_it),
        WORLD_CASE(another_content_is_refused),
        WORLD_CASE(missing_entries_are_added),
        WORLD_CASE(frozen_adds_nothing),
        WORLD_CASE(local_files_are_not_in_it),
        WORLD_CASE(locked_content_comes_from_the_cache),
        WORLD_CASE(a_broken_file_is_no_lock),
        WORLD_CASE(what_cannot_be_written_says_so),
        WORLD_CASE(many_at_once_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
