/* The cache: MD-034, and what of F87 concerns it. */
#include "contract/sources/web.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define DIGEST_OF_A  "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
#define CONTENT_OF_A "cache/content/" DIGEST_OF_A

static uint16_t start(struct world *w) {
    w->o.allow_private = true;
    w->o.cache_dir = world_get_path(w, "cache");
    world_open(w);
    return world_serve(w, "web_server.py", NULL);
}

static const struct content *include(struct world *w, const char *url) {
    return world_include(w, url, "sourceType", "https", NULL);
}

static void reopen(struct world *w, bool offline) {
    w->o.offline = offline;
    world_open(w);
}

static void offline_uses_what_was_fetched(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    const char *url = web_url(w, port, "/docs/a.yaml");
    world_check_text(include(w, url), "a");
    reopen(w, true);
    world_check_text(include(w, url), "a");
    assert_int_equal(web_count_hits(w, port, "/docs/a.yaml"), 1);
    assert_null(include(w, web_url(w, port, "/b.yaml")));
    world_check_failure(w, DIAG_include_not_checked, "cache");
    assert_int_equal(web_count_hits(w, port, "/b.yaml"), 0);
}

/* MD-034: what has the digest that is asked for is not fetched again. */
static void pinned_content_is_not_fetched_again(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    const char *url = web_url(w, port, "/docs/a.yaml");
    world_check_text(include(w, url), "a");
    reopen(w, false);
    world_check_text(world_include(w, url, "sourceType", "https", "digest", "sha256:" DIGEST_OF_A, NULL), "a");
    reopen(w, false);
    w->expected = SV(DIGEST_OF_A);
    world_check_text(include(w, url), "a");
    assert_int_equal(web_count_hits(w, port, "/docs/a.yaml"), 1);
    reopen(w, false);
    world_check_text(include(w, url), "a");
    assert_int_equal(web_count_hits(w, port, "/docs/a.yaml"), 2);
}

static void unchanged_content_is_not_sent_again(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    for (int i = 0; i < 2; i++) {
        world_check_text(include(w, web_url(w, port, "/etag")), "tagged");
        reopen(w, false);
    }
    assert_int_equal(web_count_hits(w, port, "/etag"), 2);
}

/* A cache that lies is found out: bytes are compared with their name. */
static void damaged_content_is_fetched_again(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    const char *url = web_url(w, port, "/docs/a.yaml");
    world_check_text(include(w, url), "a");
    world_write(w, CONTENT_OF_A, SV("evil"));
    reopen(w, true);
    assert_null(include(w, url));
    world_check_failure(w, DIAG_include_not_checked, "cache");
    world_write(w, CONTENT_OF_A, SV("evil"));
    reopen(w, false);
    world_check_text(world_include(w, url, "sourceType", "https", "digest", "sha256:" DIGEST_OF_A, NULL), "a");
    assert_true(sv_eq(world_read(w, CONTENT_OF_A), SV("a")));
}

/* Every file of `places` gets this text. */
static void spoil_places(struct world *w, sv text) {
    DIR *dir = opendir(world_get_path(w, "cache/places").data);
    assert_non_null(dir);
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (e->d_name[0] != '.') {
            world_write(w, arena_printf(&w->arena, "cache/places/%s", e->d_name).data, text);
        }
    }
    closedir(dir);
}

static void damaged_places_are_no_places(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    const char *url = web_url(w, port, "/etag");
    world_check_text(include(w, url), "tagged");
    static const char *const texts[] = {"", "nonsense", "location x\ndigest ../../../etc/passwd\ncommit \netag \n",
                                        "location http://other/\ndigest " DIGEST_OF_A "\ncommit \netag \n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        spoil_places(w, sv_from_cstr(texts[i]));
        reopen(w, true);
        assert_null(include(w, url));
        world_check_failure(w, DIAG_include_not_checked, "cache");
    }
    reopen(w, false);
    world_check_text(include(w, url), "tagged");
}

/* F87: files are ours alone, links are not followed. */
static void nobody_else_reads_it(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    struct stat st;
    world_check_text(include(w, web_url(w, port, "/docs/a.yaml")), "a");
    assert_int_equal(stat(world_get_path(w, CONTENT_OF_A).data, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(world_get_path(w, "cache").data, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

static void links_in_its_place_are_not_followed(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    const char *url = web_url(w, port, "/docs/a.yaml");
    assert_int_equal(mkdir(world_get_path(w, "victim").data, 0700), 0);
    world_link(w, "cache", "victim");
    world_check_text(include(w, url), "a");
    assert_int_equal(rmdir(world_get_path(w, "victim").data), 0);
    assert_int_equal(unlink(world_get_path(w, "cache").data), 0);
    world_write(w, "cache/.keep", SV(""));
    assert_int_equal(mkdir(world_get_path(w, "cache/content").data, 0700), 0);
    world_write(w, "mine", SV("mine"));
    world_link(w, CONTENT_OF_A, "../../mine");
    reopen(w, false);
    world_check_text(include(w, url), "a");
    assert_true(sv_eq(world_read(w, "mine"), SV("mine")));
    assert_true(sv_eq(world_read(w, CONTENT_OF_A), SV("a")));
}

static void a_directory_that_others_may_write_is_not_used(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    assert_int_equal(mkdir(world_get_path(w, "cache").data, 0700), 0);
    assert_int_equal(chmod(world_get_path(w, "cache").data, 0777), 0);
    world_check_text(include(w, web_url(w, port, "/docs/a.yaml")), "a");
    assert_int_equal(world_read(w, CONTENT_OF_A).len, 0);
}

enum { WRITERS = 4, ROUNDS = 20 };

static _Noreturn void hammer(struct world *w, uint16_t port) {
    bool ok = true;
    w->f = NULL;
    for (int i = 0; i < ROUNDS; i++) {
        world_open(w);
        const struct content *a = include(w, web_url(w, port, "/docs/a.yaml"));
        const struct content *b = include(w, web_url(w, port, "/docs/b.yaml"));
        ok = ok && a != NULL && b != NULL && sv_eq(a->bytes, SV("a")) && sv_eq(b->bytes, SV("b of docs"));
    }
    _exit(ok ? 0 : 1);
}

static void many_at_once_agree(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    pid_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (writers[i] == 0) {
            hammer(w, port);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_int_equal(status, 0);
    }
    reopen(w, true);
    world_check_text(include(w, web_url(w, port, "/docs/a.yaml")), "a");
    world_check_text(include(w, web_url(w, port, "/docs/b.yaml")), "b of docs");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_CASE(offline_uses_what_was_fetched),
        WORLD_CASE(pinned_content_is_not_fetched_again),
        WORLD_CASE(unchanged_content_is_not_sent_again),
        WORLD_CASE(damaged_content_is_fetched_again),
        WORLD_CASE(damaged_places_are_no_places),
        WORLD_CASE(nobody_else_reads_it),
        WORLD_CASE(links_in_its_place_are_not_followed),
        WORLD_CASE(a_directory_that_others_may_write_is_not_used),
        WORLD_CASE(many_at_once_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
