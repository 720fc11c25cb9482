/* Local files: BP-170, BP-171, BP-174, BP-176, FN-206, LC-080, LC-081; what of F74, F85 and F86 concerns them. */
#include "unit/sources/world.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void a_file_is_read(void **state) {
    struct world *w = *state;
    world_write(w, "tree/core.yaml", SV("a: 1\n"));
    const struct content *c = world_include(w, "core.yaml", NULL);
    world_check_text(c, "a: 1\n");
    assert_true(sv_eq(c->path, world_get_path(w, "tree/core.yaml")));
    assert_true(sv_eq(c->location, c->path));
    assert_true(sv_eq(c->directory, world_get_path(w, "tree")));
    assert_true(sv_eq(c->kind, SV("file")) && !c->is_remote && sv_eq(c->name, SV("core.yaml")));
    assert_true(sv_eq(c->digest, SV("37b128c59f1f5097f73f82691cb519f1f568667faab5ced1b4ab979d36837eae")));
}

/* BP-170 */
static void a_path_must_say_something(void **state) {
    struct world *w = *state;
    assert_null(world_include(w, "", NULL));
    world_check_failure(w, DIAG_include_empty_path, "empty");
}

/* BP-171: relative to the including file; an absolute path as it is. */
static void names_are_relative_to_the_including_file(void **state) {
    struct world *w = *state;
    world_write(w, "tree/sub/a.yaml", SV("a"));
    world_write(w, "tree/sub/b.yaml", SV("b"));
    world_write(w, "tree/b.yaml", SV("other"));
    w->base = world_include(w, "sub/a.yaml", NULL);
    world_check_text(w->base, "a");
    world_check_text(world_include(w, "b.yaml", NULL), "b");
    world_check_text(world_include(w, "../b.yaml", NULL), "other");
    world_check_text(world_include(w, world_get_path(w, "tree/sub/b.yaml").data, NULL), "b");
}

/* BP-171 */
static void missing_files_and_directories_are_told_apart(void **state) {
    struct world *w = *state;
    world_write(w, "tree/dir/x", SV(""));
    assert_null(world_include(w, "nothing.yaml", NULL));
    world_check_failure(w, DIAG_include_path_not_found, "'nothing.yaml'");
    assert_null(world_include(w, "dir", NULL));
    world_check_failure(w, DIAG_invalid_include, "directory");
    assert_null(world_include(w, "dir/x/y", NULL));
    world_check_failure(w, DIAG_include_path_not_found, "'dir/x/y'");
    assert_null(world_include(w, "https://example.org/x.yaml", NULL));
    world_check_failure(w, DIAG_include_path_not_found, "example.org");
    assert_true(sv_find(w->failure.hint, SV("sourceType")) != SIZE_MAX);
}

/* F74: a diamond reads its bottom once, and links to one file are one place. */
static void a_place_is_read_once(void **state) {
    struct world *w = *state;
    world_write(w, "tree/sub/a.yaml", SV("first"));
    world_link(w, "tree/link.yaml", "sub/a.yaml");
    const struct content *c = world_include(w, "sub/a.yaml", NULL);
    world_write(w, "tree/sub/a.yaml", SV("second"));
    assert_ptr_equal(world_include(w, "link.yaml", NULL), c);
    assert_ptr_equal(world_file(w, "./sub/../sub/a.yaml"), c);
    assert_int_equal(w->f->contents.len, 1);
    world_check_text(c, "first");
}

/* --- BP-176 --- */

static void check_outside(struct world *w, const char *path) {
    assert_null(world_include(w, path, NULL));
    world_check_failure(w, DIAG_include_path_outside_root, path);
    assert_null(world_file(w, path));
    world_check_failure(w, DIAG_include_path_outside_root, path);
}

static void nothing_outside_is_read(void **state) {
    struct world *w = *state;
    world_link(w, "tree/link.yaml", "../outside/secret.yaml");
    world_link(w, "tree/absolute.yaml", world_get_path(w, "outside/secret.yaml").data);
    world_link(w, "tree/dir", "../outside");
    world_link(w, "tree/chain.yaml", "link.yaml");
    world_link(w, "tree/self", "/proc/self");
    world_link(w, "tree/loop", "loop");
    const char *const paths[] = {
        "link.yaml",
        "absolute.yaml",
        "dir/secret.yaml",
        "chain.yaml",
        "self/environ",
        "../outside/secret.yaml",
        "/etc/passwd",
        "../../../../../../etc/passwd",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "/proc/self/fd/0",
        "loop",
        "../outside/nothing.yaml",
        "dir/../../outside/secret.yaml",
        "/dev/zero",
        "/nothing",
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        check_outside(w, paths[i]);
    }
    assert_int_equal(w->f->contents.len, 0);
}

/* A directory whose name only begins like the root's is outside. */
static void a_longer_name_is_another_directory(void **state) {
    struct world *w = *state;
    world_write(w, "tree2/x.yaml", SV("x"));
    check_outside(w, "../tree2/x.yaml");
}

static void links_inside_are_followed(void **state) {
    struct world *w = *state;
    world_write(w, "tree/real/x.yaml", SV("x"));
    world_link(w, "tree/alias", "real");
    const struct content *c = world_include(w, "alias/x.yaml", NULL);
    world_check_text(c, "x");
    assert_true(sv_eq(c->path, world_get_path(w, "tree/real/x.yaml")));
    assert_true(sv_eq(c->directory, world_get_path(w, "tree/real")));
}

/* The root blueprint's directory and the working directory are both fine, and a root that is a link itself. */
static void both_directories_count(void **state) {
    struct world *w = *state;
    world_write(w, "root/x.yaml", SV("x"));
    world_write(w, "tree/y.yaml", SV("y"));
    world_link(w, "alias", "root");
    w->o.root_dir = world_get_path(w, "alias");
    world_open(w);
    world_check_text(world_include(w, "../root/x.yaml", NULL), "x");
    world_check_text(world_include(w, "../alias/x.yaml", NULL), "x");
    world_check_text(world_include(w, "y.yaml", NULL), "y");
    check_outside(w, "../outside/secret.yaml");
}

static void outside_can_be_allowed(void **state) {
    struct world *w = *state;
    w->o.allow_outside = true;
    world_open(w);
    world_check_text(world_include(w, "../outside/secret.yaml", NULL), "secret: 1\n");
    assert_null(world_include(w, "/proc/self/fd/0", NULL));
}

/* CLI, --pure: nothing outside, whatever else is allowed. */
static void pure_allows_nothing_outside(void **state) {
    struct world *w = *state;
    world_write(w, "tree/x.yaml", SV("x"));
    w->o.allow_outside = w->o.pure = true;
    world_open(w);
    world_check_text(world_include(w, "x.yaml", NULL), "x");
    check_outside(w, "../outside/secret.yaml");
    assert_true(sv_find(w->failure.hint, SV("--pure")) != SIZE_MAX);
}

/* --- What is no file --- */

static void only_regular_files_are_read(void **state) { /* F68 */
    struct world *w = *state;
    assert_int_equal(mkfifo(world_get_path(w, "tree/fifo").data, 0600), 0);
    world_link(w, "tree/zero", "/dev/zero");
    w->o.allow_outside = true;
    world_open(w);
    int64_t start = world_get_now_ms();
    assert_null(world_include(w, "fifo", NULL));
    world_check_failure(w, DIAG_invalid_include, "regular");
    assert_null(world_include(w, "zero", NULL));
    world_check_failure(w, DIAG_invalid_include, "regular");
    assert_null(world_file(w, "/dev/zero"));
    assert_true(world_get_now_ms() - start < 2000);
}

static void a_nul_is_in_no_path(void **state) {
    struct world *w = *state;
    world_write(w, "tree/x.yaml", SV("x"));
    struct fetch_request r = {.arena = &w->arena, .path = SV("x.yaml\0.png")};
    assert_null(w->f->ops->include(w->f, &r, &w->failure));
    world_check_failure(w, DIAG_invalid_include, "NUL");
    assert_null(w->f->ops->file(w->f, &r, &w->failure));
    world_check_failure(w, DIAG_invalid_include, "NUL");
}

/* A URL where a file is wanted: what it holds of passwords and tokens is in no message. */
static void messages_hold_no_credentials(void **state) {
    struct world *w = *state;
    static const char *const paths[] = {"https://u:hunter2@a.example/x", "x https://hunter2@a.example",
                                        "https://a.example/x?token=hunter2",
                                        "ssh://u:hunter2@a/b?c=hunter2 d://hunter2@e"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_null(world_include(w, paths[i], NULL));
        assert_true(sv_find(w->failure.message, SV("hunter2")) == SIZE_MAX);
        assert_null(world_file(w, paths[i]));
        assert_true(sv_find(w->failure.message, SV("hunter2")) == SIZE_MAX);
        assert_null(world_include(w, "x", "sourceType", "git", "repository", paths[i], NULL));
        assert_true(sv_find(w->failure.message, SV("hunter2")) == SIZE_MAX);
    }
}

static void unreadable_files_say_so(void **state) {
    struct world *w = *state;
    world_write(w, "tree/x.yaml", SV("x"));
    assert_int_equal(chmod(world_get_path(w, "tree/x.yaml").data, 0), 0);
    uid_t me = geteuid();
    if (me == 0) { /* root may read everything, so be nobody for a moment */
        assert_int_equal(chmod(w->dir, 0755), 0);
        assert_int_equal(chmod(world_get_path(w, "tree").data, 0755), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    bool is_null = world_include(w, "x.yaml", NULL) == NULL;
    assert_int_equal(seteuid(me), 0);
    assert_true(is_null);
    world_check_failure(w, DIAG_permission_error, "x.yaml");
}

/* --- Limits and digests --- */

/* LC-080, FN-206: a blueprint may be larger than what `file` reads. */
static void sizes_are_limited(void **state) {
    struct world *w = *state;
    world_write(w, "tree/four", SV("1234"));
    world_write(w, "tree/five", SV("12345"));
    world_write(w, "tree/nine", SV("123456789"));
    w->o.limits.file_bytes = 4;
    w->o.limits.document_bytes = 8;
    world_open(w);
    world_check_text(world_file(w, "four"), "1234");
    assert_null(world_file(w, "five"));
    world_check_failure(w, DIAG_limit_exceeded, "4 bytes");
    world_check_text(world_include(w, "five", NULL), "12345");
    assert_null(world_file(w, "five"));
    world_check_failure(w, DIAG_limit_exceeded, "4 bytes");
    assert_null(world_include(w, "nine", NULL));
    world_check_failure(w, DIAG_limit_exceeded, "8 bytes");
}

#define DIGEST_OF_A "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"

/* BP-174 */
static void a_digest_binds(void **state) {
    struct world *w = *state;
    world_write(w, "tree/a", SV("a"));
    world_write(w, "tree/b", SV("b"));
    world_check_text(world_include(w, "a", "digest", "sha256:" DIGEST_OF_A, NULL), "a");
    world_check_text(world_include(w, "a", "sourceType", "file", "digest",
                                   "sha256:CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB", NULL),
                     "a");
    assert_null(world_include(w, "b", "digest", "sha256:" DIGEST_OF_A, NULL));
    world_check_failure(w, DIAG_include_digest_mismatch, DIGEST_OF_A);
}

/* BP-174: a deployment uses what was staged. */
static void what_was_staged_binds(void **state) {
    struct world *w = *state;
    world_write(w, "tree/a", SV("a"));
    world_write(w, "tree/b", SV("b"));
    w->expected = SV(DIGEST_OF_A);
    world_check_text(world_include(w, "a", NULL), "a");
    assert_null(world_include(w, "b", NULL));
    world_check_failure(w, DIAG_include_changed_since_staging, "'b'");
}

/* --- FN-206 --- */

static void file_reads_relative_to_the_caller(void **state) {
    struct world *w = *state;
    world_write(w, "tree/sub/a.yaml", SV("a"));
    world_write(w, "tree/sub/data.bin", SV("bytes"));
    w->base = world_include(w, "sub/a.yaml", NULL);
    world_check_text(world_file(w, "data.bin"), "bytes");
}

static void file_knows_no_other_schemes(void **state) {
    struct world *w = *state;
    assert_null(world_file(w, "https://example.org/x"));
    world_check_failure(w, DIAG_invalid_include, "https://");
    assert_true(sv_find(w->failure.hint, SV("http_resource")) != SIZE_MAX);
    assert_null(world_file(w, "s3://bucket"));
    world_check_failure(w, DIAG_invalid_include, "s3://bucket/key");
}

/* --- Bases --- */

static void a_root_file_becomes_a_base(void **state) {
    struct world *w = *state;
    struct sources sources;
    struct source *source;
    world_write(w, "tree/root.yaml", SV("root"));
    world_write(w, "tree/child.yaml", SV("child"));
    sources_init(&sources, &w->arena);
    sv path = world_get_path(w, "tree/root.yaml");
    assert_int_equal(sources_read_file(&sources, path, 100, &source, NULL), SOURCE_READ_OK);
    w->base = w->f->ops->base(w->f, source);
    world_check_text(w->base, "root");
    assert_true(sv_eq(w->base->location, path) && sv_eq(w->base->directory, world_get_path(w, "tree")));
    assert_ptr_equal(w->f->ops->base(w->f, source), w->base);
    const struct content *child = world_include(w, "child.yaml", NULL);
    world_check_text(child, "child");
    /* BP-179: the same file has the same location, however it came. */
    assert_true(sv_eq(world_include(w, "root.yaml", NULL)->location, w->base->location));
    struct source *of_child = sources_add(&sources, child->name, child->bytes);
    of_child->origin = child;
    assert_ptr_equal(w->f->ops->base(w->f, of_child), child);
    assert_null(w->f->ops->base(w->f, sources_add(&sources, SV("<stdin>"), SV("x"))));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_CASE(a_file_is_read),
        WORLD_CASE(a_path_must_say_something),
        WORLD_CASE(names_are_relative_to_the_including_file),
        WORLD_CASE(missing_files_and_directories_are_told_apart),
        WORLD_CASE(a_place_is_read_once),
        WORLD_CASE(nothing_outside_is_read),
        WORLD_CASE(a_longer_name_is_another_directory),
        WORLD_CASE(links_inside_are_followed),
        WORLD_CASE(both_directories_count),
        WORLD_CASE(outside_can_be_allowed),
        WORLD_CASE(pure_allows_nothing_outside),
        WORLD_CASE(only_regular_files_are_read),
        WORLD_CASE(a_nul_is_in_no_path),
        WORLD_CASE(messages_hold_no_credentials),
        WORLD_CASE(unreadable_files_say_so),
        WORLD_CASE(sizes_are_limited),
        WORLD_CASE(a_digest_binds),
        WORLD_CASE(what_was_staged_binds),
        WORLD_CASE(file_reads_relative_to_the_caller),
        WORLD_CASE(file_knows_no_other_schemes),
        WORLD_CASE(a_root_file_becomes_a_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
