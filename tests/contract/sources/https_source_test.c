/* The source 'https' and http_resource against a server: BP-171, BP-173, BP-174, BP-175, FN-206, FN-207, LC-081,
 * MD-034. */
#include "contract/sources/web.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint16_t start(struct world *w) {
    w->o.allow_private = true;
    world_open(w);
    return world_serve(w, "web_server.py", NULL);
}

static const struct content *include(struct world *w, const char *url) {
    return world_include(w, url, "sourceType", "https", NULL);
}

static void a_document_is_fetched(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    const struct content *c = include(w, web_url(w, port, "/docs/./a.yaml"));
    world_check_text(c, "a");
    assert_true(sv_eq_cstr(c->location, web_url(w, port, "/docs/a.yaml")));
    assert_true(c->is_remote && sv_eq(c->kind, SV("https")) && c->path.len == 0 && c->directory.len == 0);
    sv host = arena_printf(&w->arena, "127.0.0.1:%u", (unsigned)port);
    assert_ptr_equal(world_include(w, "docs/a.yaml", "sourceType", "https", "host", host.data, NULL), c);
    world_check_text(include(w, web_url(w, port, "/empty")), "");
    world_check_text(include(w, web_url(w, port, "/docs/white space.yaml")), "white");
}

/* F74 */
static void a_place_is_fetched_once(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    const struct content *c = include(w, web_url(w, port, "/changing"));
    world_check_text(c, "version 1");
    assert_ptr_equal(include(w, web_url(w, port, "/changing")), c);
    assert_int_equal(w->f->contents.len, 1);
    assert_null(include(w, web_url(w, port, "/status/500")));
    assert_null(include(w, web_url(w, port, "/status/500")));
    world_check_failure(w, DIAG_resolve_failure, "500");
    assert_int_equal(web_count_hits(w, port, "/status/500"), 1);
}

/* BP-175 */
static void relative_names_stay_in_the_source(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    world_write(w, "tree/b.yaml", SV("local"));
    w->base = include(w, web_url(w, port, "/docs/a.yaml"));
    world_check_text(world_include(w, "b.yaml", NULL), "b of docs");
    world_check_text(world_include(w, "b.yaml", "sourceType", "file", NULL), "b of docs");
    world_check_text(world_include(w, "../b.yaml", NULL), "b of the top");
    world_check_text(world_include(w, "../../../b.yaml", NULL), "b of the top");
    world_check_text(world_file(w, "sub/c.yaml"), "c");
    w->base = world_include(w, "sub/c.yaml", NULL);
    world_check_text(world_file(w, "../a.yaml"), "a");
    assert_null(world_include(w, "//other.example/x", NULL));
    assert_null(world_include(w, "https://other.example/x", NULL));
    world_check_failure(w, DIAG_include_path_outside_root, "source");
    assert_null(world_include(w, "/etc/passwd", NULL));
    world_check_failure(w, DIAG_include_path_outside_root, "absolute");
    assert_null(world_include(w, "x", "sourceType", "git", "repository", ".", NULL));
    world_check_failure(w, DIAG_include_path_outside_root, "repository");
}

/* BP-175 */
static void statuses_have_their_codes(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    static const struct {
        const char *path;
        enum diag_code code;
    } examples[] = {
        {"/status/404", DIAG_blueprint_not_found}, {"/status/410", DIAG_blueprint_not_found},
        {"/status/401", DIAG_permission_error},    {"/status/403", DIAG_permission_error},
        {"/status/500", DIAG_resolve_failure},     {"/status/302", DIAG_resolve_failure},
        {"/not-modified", DIAG_resolve_failure},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        assert_null(include(w, web_url(w, port, examples[i].path)));
        world_check_failure(w, examples[i].code, "status");
        assert_null(world_url(w, web_url(w, port, examples[i].path)));
        world_check_failure(w, examples[i].code, "status");
    }
}

static void no_server_is_a_failure(void **state) {
    struct world *w = *state;
    w->o.allow_private = true;
    world_open(w);
    assert_null(include(w, "http://127.0.0.1:1/x"));
    world_check_failure(w, DIAG_resolve_failure, "127.0.0.1");
}

/* BP-174 */
static void digests_bind(void **state) { /* F90 */
    struct world *w = *state;
    uint16_t port = start(w);
    const char *url = web_url(w, port, "/docs/a.yaml");
    const char *right = "sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
    const char *wrong = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
    world_check_text(world_include(w, url, "sourceType", "https", "digest", right, NULL), "a");
    assert_null(world_include(w, url, "sourceType", "https", "digest", wrong, NULL));
    world_check_failure(w, DIAG_include_digest_mismatch, wrong);
    w->expected = SV("0000000000000000000000000000000000000000000000000000000000000000");
    assert_null(include(w, url));
    world_check_failure(w, DIAG_include_changed_since_staging, "staging");
}

/* BP-175: five redirects. */
static void redirects_are_followed_and_counted(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    const struct content *c = include(w, web_url(w, port, "/chain/5"));
    world_check_text(c, "end");
    assert_true(sv_eq_cstr(c->location, web_url(w, port, "/chain/5")));
    assert_null(include(w, web_url(w, port, "/chain/6")));
    world_check_failure(w, DIAG_resolve_failure, "redirects more than 5 times");
}

/* --- FN-207 --- */

static void a_resource_is_got(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    const struct content *c = world_url(w, web_url(w, port, "/path/x?y=1#z"));
    world_check_text(c, "/path/x?y=1");
    assert_true(c->is_remote);
    world_check_text(world_url(w, web_url(w, port, "/changing")), "version 1");
    world_check_text(world_url(w, web_url(w, port, "/changing")), "version 1");
    world_check_text(world_url(w, web_url(w, port, "/chain/2")), "end");
    world_check_text(world_url(w, web_url(w, port, "/gzip")), "\x1f\x8bnot unpacked");
}

/* What is asked for as a source and as a resource are two things. */
static void resources_are_neither_cached_nor_locked(void **state) {
    struct world *w = *state;
    w->o.cache_dir = world_get_path(w, "cache");
    w->o.lock_file = world_get_path(w, "tree/lintel.lock");
    w->o.lock = SOURCES_LOCK_UPDATE;
    uint16_t port = start(w);
    world_check_text(world_url(w, web_url(w, port, "/changing")), "version 1");
    assert_true(sources_write_lock(w->f, &w->failure));
    assert_int_equal(world_read(w, "tree/lintel.lock").len, 0);
    world_check_text(include(w, web_url(w, port, "/changing")), "version 2");
    w->o.offline = true;
    world_open(w);
    assert_null(world_url(w, web_url(w, port, "/changing")));
    world_check_text(include(w, web_url(w, port, "/changing")), "version 2");
}

/* --- LC-081 --- */

static void private_addresses_need_permission(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    w->o.allow_private = false;
    world_open(w);
    static const char *const hosts[] = {"127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        sv url = arena_printf(&w->arena, "http://%s:%u/docs/a.yaml", hosts[i], (unsigned)port);
        assert_null(include(w, url.data));
        world_check_failure(w, DIAG_permission_error, "no public address");
        assert_true(sv_find(w->failure.hint, SV("--allow-private")) != SIZE_MAX);
        assert_null(world_url(w, url.data));
        world_check_failure(w, DIAG_permission_error, "no public address");
    }
    assert_int_equal(web_count_hits(w, port, "/docs/a.yaml"), 0);
    static const char *const others[] = {"http://169.254.169.254/latest/meta-data/",
                                         "https://10.0.0.1/x",
                                         "https://192.168.1.1/x",
                                         "https://[fe80::1]/x",
                                         "https://[fd00::1]/x",
                                         "http://0.0.0.0/x"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_null(world_url(w, others[i]));
        world_check_failure(w, DIAG_permission_error, "no public address");
    }
}

/* Permission is for hosts that the template names: a redirect is none of its words. */
static void redirects_to_private_addresses_are_refused(void **state) {
    struct world *w = *state;
    uint16_t port = start(w), other = world_serve(w, "web_server.py", NULL);
    sv target = arena_printf(&w->arena, "/to?http://127.0.0.1:%u/docs/a.yaml", (unsigned)other);
    assert_null(include(w, web_url(w, port, target.data)));
    world_check_failure(w, DIAG_permission_error, "no public address");
    assert_true(sv_find(w->failure.hint, SV("redirects")) != SIZE_MAX);
    assert_null(world_url(w, web_url(w, port, target.data)));
    assert_int_equal(web_count_hits(w, other, "/docs/a.yaml"), 0);
    target = arena_printf(&w->arena, "/to?http://127.0.0.1:%u/docs/a.yaml", (unsigned)port);
    world_check_text(include(w, web_url(w, port, target.data)), "a");
}

/* F89: a proxy would connect to what we must not, so there is none. */
static void proxies_are_not_used(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    static const char *const names[] = {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(setenv(names[i], "http://127.0.0.1:1", 1), 0);
    }
    const struct content *c = include(w, web_url(w, port, "/docs/a.yaml"));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsetenv(names[i]);
    }
    world_check_text(c, "a");
}

/* F91 */
static void redirects_to_other_schemes_are_refused(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    static const char *const targets[] = {"/to?file:///etc/passwd", "/to?gopher://127.0.0.1/x", "/to?ftp://a.example/x",
                                          "/to?http://a.example/x", "/to?dict://127.0.0.1:11211/stat"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        assert_null(include(w, web_url(w, port, targets[i])));
        world_check_failure(w, DIAG_resolve_failure, "redirects to");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_CASE(a_document_is_fetched),
        WORLD_CASE(a_place_is_fetched_once),
        WORLD_CASE(relative_names_stay_in_the_source),
        WORLD_CASE(statuses_have_their_codes),
        WORLD_CASE(no_server_is_a_failure),
        WORLD_CASE(digests_bind),
        WORLD_CASE(redirects_are_followed_and_counted),
        WORLD_CASE(a_resource_is_got),
        WORLD_CASE(resources_are_neither_cached_nor_locked),
        WORLD_CASE(private_addresses_need_permission),
        WORLD_CASE(redirects_to_private_addresses_are_refused),
        WORLD_CASE(proxies_are_not_used),
        WORLD_CASE(redirects_to_other_schemes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
