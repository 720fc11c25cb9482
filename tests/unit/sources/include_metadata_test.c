/* BP-173: which metadata select which source, and what is wrong with others; repositories and names in git (BP-175).
 * All of it is decided before anything is fetched: the world is offline. */
#include "unit/sources/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static int set_up(void **state) {
    world_set_up(state);
    struct world *w = *state;
    w->o.offline = true;
    world_open(w);
    return 0;
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, world_tear_down)

static void unknown_sources_are_refused(void **state) {
    struct world *w = *state;
    assert_null(world_include(w, "x", "sourceType", "htps", NULL));
    world_check_failure(w, DIAG_invalid_metadata, "'htps'");
    assert_true(sv_find(w->failure.hint, SV("'https'")) != SIZE_MAX);
    assert_null(world_include(w, "x", "sourceType", "ftp", NULL));
    assert_true(sv_find(w->failure.hint, SV("aws/s3")) != SIZE_MAX);
}

static void settings_belong_to_their_source(void **state) {
    struct world *w = *state;
    assert_null(world_include(w, "x", "sourceType", "https", "hots", "example.org", NULL));
    world_check_failure(w, DIAG_invalid_metadata, "'hots'");
    assert_true(sv_find(w->failure.hint, SV("'host'")) != SIZE_MAX);
    assert_null(world_include(w, "x", "sourceType", "https", "host", "example.org", "bucket", "b", NULL));
    world_check_failure(w, DIAG_invalid_metadata, "'bucket'");
    assert_null(world_include(w, "x", "bucket", "b", NULL));
    world_check_failure(w, DIAG_invalid_metadata, "'bucket'");
    assert_true(sv_find(w->failure.hint, SV("sourceType")) != SIZE_MAX);
}

/* 1.11: metadata are free-form, where they select nothing. */
static void files_may_have_metadata_of_any_kind(void **state) {
    struct world *w = *state;
    world_write(w, "tree/x.yaml", SV("x"));
    world_check_text(world_include(w, "x.yaml", "owner", "team", NULL), "x");
    world_check_text(world_include(w, "x.yaml", "sourceType", "file", "owner", "team", NULL), "x");
}

static void metadata_have_a_form(void **state) {
    struct world *w = *state;
    struct fetch_request r = {.arena = &w->arena, .path = SV("x"), .metadata = value_int(1)};
    assert_null(w->f->ops->include(w->f, &r, &w->failure));
    world_check_failure(w, DIAG_invalid_metadata, "mapping");
    struct map_builder m = {.arena = &w->arena};
    map_add(&m, SV("sourceType"), value_int(1));
    r.metadata = map_done(&m);
    assert_null(w->f->ops->include(w->f, &r, &w->failure));
    world_check_failure(w, DIAG_invalid_metadata, "'sourceType'");
}

/* BP-174 */
static void digests_have_a_form(void **state) {
    struct world *w = *state;
    world_write(w, "tree/x.yaml", SV("x"));
    static const char *const bad[] = {"abc", "sha256:abc", "md5:d41d8cd98f00b204e9800998ecf8427e",
                                      "sha256:zz978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(world_include(w, "x.yaml", "digest", bad[i], NULL));
        world_check_failure(w, DIAG_invalid_metadata, "'digest'");
    }
}

/* Offline, a place that is well named is only not there: its location is in no other message. */
static void check_location(struct world *w, const struct content *c, const char *location) {
    assert_null(c);
    world_check_failure(w, DIAG_include_not_checked, location);
}

static void https_needs_a_host(void **state) {
    struct world *w = *state;
    assert_null(world_include(w, "/x", "sourceType", "https", NULL));
    world_check_failure(w, DIAG_invalid_metadata, "'host'");
    assert_null(world_include(w, "https://a.example/x", "sourceType", "https", "host", "a.example", NULL));
    world_check_failure(w, DIAG_invalid_metadata, "'host'");
    static const char *const bad[] = {"a/b", "u@a.example", "a.example?x", "a.example#x", "a b", "https://a.example"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(world_include(w, "/x", "sourceType", "https", "host", bad[i], NULL));
        world_check_failure(w, DIAG_invalid_metadata, "'host'");
    }
    check_location(w, world_include(w, "/x/y.yaml", "sourceType", "https", "host", "A.Example", NULL),
                   "'https://a.example/x/y.yaml'");
    check_location(w, world_include(w, "y.yaml", "sourceType", "https", "host", "a.example:8443", NULL),
                   "'https://a.example:8443/y.yaml'");
    check_location(w, world_include(w, "https://a.example/z", "sourceType", "https", NULL), "'https://a.example/z'");
}

/* BP-175: TLS, but for loopback hosts; a query may hold a secret and is not shown. */
static void https_is_not_http(void **state) { /* F90 */
    struct world *w = *state;
    assert_null(world_include(w, "http://a.example/x", "sourceType", "https", NULL));
    world_check_failure(w, DIAG_invalid_include, "https");
    check_location(w, world_include(w, "http://127.0.0.1:80/x", "sourceType", "https", NULL), "'http://127.0.0.1/x'");
    check_location(w, world_include(w, "/x", "sourceType", "https", "host", "localhost:81", NULL),
                   "'http://localhost:81/x'");
    assert_null(world_include(w, "https://u:hunter2@a.example/x", "sourceType", "https", NULL));
    world_check_failure(w, DIAG_invalid_include, "password");
    assert_true(sv_find(w->failure.message, SV("hunter2")) == SIZE_MAX);
    assert_null(world_include(w, "https://a.example/x#sha256=1", "sourceType", "https", NULL));
    world_check_failure(w, DIAG_invalid_include, "fragment");
    assert_null(world_include(w, "https://a.example/x?token=hunter2", "sourceType", "https", NULL));
    assert_true(sv_find(w->failure.message, SV("hunter2")) == SIZE_MAX);
}

static void s3_needs_a_bucket(void **state) {
    struct world *w = *state;
    assert_null(world_include(w, "k", "sourceType", "aws/s3", NULL));
    world_check_failure(w, DIAG_invalid_metadata, "'bucket'");
    static const char *const bad[] = {"a/b", "..", "a b", "a?b"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(world_include(w, "k", "sourceType", "aws/s3", "bucket", bad[i], NULL));
        world_check_failure(w, DIAG_invalid_metadata, "'bucket'");
    }
    assert_null(world_include(w, "k", "sourceType", "aws/s3", "bucket", "b", "region", "a.evil.example/", NULL));
    world_check_failure(w, DIAG_invalid_metadata, "'region'");
    static const char *const endpoints[] = {"http://s3.example", "s3.example", "https://s3.example/x",
                                            "https://u:p@s3.example", "ftp://s3.example"};
    for (size_t i = 0; i < sizeof endpoints / sizeof endpoints[0]; i++) {
        assert_null(world_include(w, "k", "sourceType", "aws/s3", "bucket", "b", "endpoint", endpoints[i], NULL));
        world_check_failure(w, DIAG_invalid_metadata, "'endpoint'");
    }
    check_location(w, world_include(w, "a b+%é//c", "sourceType", "aws/s3", "bucket", "b", NULL),
                   "'s3://b/a%20b%2B%25%C3%A9//c'");
}

struct repository {
    const char *url;
    const char *part; /* of the location */
};

static void repositories_have_a_form(void **state) {
    struct world *w = *state;
    static const struct repository good[] = {
        {"https://Example.org:443/a/b.git", "'git+https://example.org/a/b.git?HEAD#dir/x.yaml'"},
        {"ssh://git@example.org:2222/a/b.git", "'git+ssh://git@example.org:2222/a/b.git?HEAD#dir/x.yaml'"},
        {"git@example.org:a/b.git", "'git+git@example.org:a/b.git?HEAD#dir/x.yaml'"},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        check_location(w, world_include(w, "/dir/./x.yaml", "sourceType", "git", "repository", good[i].url, NULL),
                       good[i].part);
    }
    static const char *const bad[] = {
        "ext::sh -c true",
        "fd::17",
        "--upload-pack=touch x",
        "-x",
        "http://example.org/a.git",
        "git://example.org/a.git",
        "ftp://example.org/a",
        "https://u:p@example.org/a.git",
        "https://example.org/a?b",
        "ssh://-oProxyCommand=x/a",
        "ssh://git@-oProxyCommand=x/a",
        "-oProxyCommand=x:a",
        "git@host:-x",
        "ssh://h/",
        "ssh://h:0/a",
        "ssh://a;b/c",
        "git@$(x):a",
        "https://example.org/a\nb",
        "file://host/x",
        "file:///a%2fb",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(world_include(w, "x", "sourceType", "git", "repository", bad[i], NULL));
        world_check_failure(w, DIAG_invalid_metadata, "'repository'");
    }
    assert_null(world_include(w, "x", "sourceType", "git", NULL));
    world_check_failure(w, DIAG_invalid_metadata, "'repository'");
}

static void refs_have_a_form(void **state) {
    struct world *w = *state;
    static const char *const bad[] = {
        "-x", "--upload-pack=x", "a b", "a..b", "a:b", "a~1", "a^", "*", "@{1}", "+a", "/a", "a/", "a\nb", "a//b"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(world_include(w, "x", "sourceType", "git", "repository", "https://e.org/a", "ref", bad[i], NULL));
        world_check_failure(w, DIAG_invalid_metadata, "'ref'");
    }
    check_location(w, world_include(w, "x", "sourceType", "git", "repository", "https://e.org/a", "ref", "v1/x", NULL),
                   "'git+https://e.org/a?v1/x#x'");
}

/* BP-176: the limit is the checkout and cannot be lifted. */
static void paths_stay_in_their_repository(void **state) {
    struct world *w = *state;
    w->o.allow_outside = true;
    world_open(w);
    assert_null(world_include(w, "a/../../x", "sourceType", "git", "repository", "https://e.org/a", NULL));
    world_check_failure(w, DIAG_include_path_outside_root, "repository");
    assert_null(world_include(w, "a/..", "sourceType", "git", "repository", "https://e.org/a", NULL));
    world_check_failure(w, DIAG_invalid_include, "file");
}

static void local_repositories_are_contained(void **state) {
    struct world *w = *state;
    world_write(w, "outside/repo/x", SV(""));
    world_link(w, "tree/link", "../outside/repo");
    static const char *const outside[] = {"../outside/repo", "link", "/etc", "file:///etc", "/nowhere"};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        assert_null(world_include(w, "x", "sourceType", "git", "repository", outside[i], NULL));
        world_check_failure(w, DIAG_include_path_outside_root, "repository");
    }
    assert_null(world_include(w, "x", "sourceType", "git", "repository", "nothing", NULL));
    world_check_failure(w, DIAG_blueprint_not_found, "'nothing'");
}

/* --offline and --pure open no connection; the asker is told that by the code (BP-312). */
static void nothing_is_fetched_offline(void **state) {
    struct world *w = *state;
    assert_null(world_url(w, "https://a.example/x"));
    world_check_failure(w, DIAG_include_not_checked, "a.example");
    assert_null(world_file(w, "s3://b/k"));
    world_check_failure(w, DIAG_include_not_checked, "s3://b/k");
    w->o.offline = false;
    w->o.pure = true;
    world_open(w);
    assert_null(world_url(w, "https://a.example/x"));
    world_check_failure(w, DIAG_include_not_checked, "a.example");
    assert_true(sv_find(w->failure.hint, SV("--pure")) != SIZE_MAX);
}

/* FN-207 */
static void resources_are_http_only(void **state) {
    struct world *w = *state;
    static const char *const bad[] = {"file:///etc/passwd", "gopher://a/", "x", "/x", "ftp://a/x", "https://"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(world_url(w, bad[i]));
        world_check_failure(w, DIAG_invalid_include, "http");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(unknown_sources_are_refused),
        CASE(settings_belong_to_their_source),
        CASE(files_may_have_metadata_of_any_kind),
        CASE(metadata_have_a_form),
        CASE(digests_have_a_form),
        CASE(https_needs_a_host),
        CASE(https_is_not_http),
        CASE(s3_needs_a_bucket),
        CASE(repositories_have_a_form),
        CASE(refs_have_a_form),
        CASE(paths_stay_in_their_repository),
        CASE(local_repositories_are_contained),
        CASE(nothing_is_fetched_offline),
        CASE(resources_are_http_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
