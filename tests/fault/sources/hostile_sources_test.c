/* What sources survive: F80 to F91 as far as fetching is concerned; limits of BP-175, FN-207 and LC-080. */
#include "contract/sources/web.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { TIMEOUT_MS = 2500, SLACK_MS = 3000 };
static const int64_t MUST_END_MS = TIMEOUT_MS + SLACK_MS;

static uint16_t start(struct world *w) {
    w->o.allow_private = true;
    w->o.limits = (struct sources_limits){
        .download_bytes = 1 << 20, .file_bytes = 1 << 20, .timeout_ms = TIMEOUT_MS, .stall_ms = 1000};
    world_open(w);
    return world_serve(w, "web_server.py", NULL);
}

/* As a source and as a resource: both fail with this, in time. */
static void check(struct world *w, uint16_t port, const char *path, enum diag_code code, const char *part) {
    const char *url = web_url(w, port, path);
    int64_t before = world_get_now_ms();
    assert_null(world_include(w, url, "sourceType", "https", NULL));
    world_check_failure(w, code, part);
    assert_true(world_get_now_ms() - before < MUST_END_MS);
    assert_null(world_url(w, url));
    world_check_failure(w, code, part);
    assert_true(world_get_now_ms() - before < 2 * MUST_END_MS);
    assert_int_equal(w->f->contents.len, 0);
}

static void a_body_without_end(void **state) { /* F92 */
    struct world *w = *state;
    uint16_t port = start(w);
    check(w, port, "/big", DIAG_limit_exceeded, "larger than 1048576 bytes");
    check(w, port, "/big?announced", DIAG_limit_exceeded, "larger than 1048576 bytes");
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < 512 << 10); /* KiB: far below what was offered */
}

static void a_body_drop_by_drop(void **state) { /* F92 */
    struct world *w = *state;
    uint16_t port = start(w);
    check(w, port, "/trickle", DIAG_resolve_failure, "in time");
}

static void no_answer_at_all(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    check(w, port, "/silent", DIAG_resolve_failure, "in time");
}

/* The time is that of all hops together. */
static void redirects_share_one_time_limit(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    check(w, port, "/to?/silent", DIAG_resolve_failure, "in time");
}

static void redirects_in_a_circle(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    check(w, port, "/loop", DIAG_resolve_failure, "redirects more than 5 times");
    assert_int_equal(web_count_hits(w, port, "/loop"), 2 * 6);
}

static void redirects_to_files(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    check(w, port, "/to?file:///etc/passwd", DIAG_resolve_failure, "redirects to");
    check(w, port, "/to?gopher://127.0.0.1:70/x", DIAG_resolve_failure, "'gopher' URL");
    check(w, port, "/to?https://%0a", DIAG_resolve_failure, "redirects");
}

static void redirects_to_private_addresses(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    check(w, port, "/to?https://169.254.169.254/latest", DIAG_permission_error, "169.254.169.254");
    check(w, port, "/to?https://10.0.0.1/", DIAG_permission_error, "10.0.0.1");
    check(w, port, "/to?http://127.0.0.1:1/", DIAG_permission_error, "127.0.0.1");
    check(w, port, "/to?http://[::1]:1/", DIAG_permission_error, "::1");
    check(w, port, "/to?https://[::ffff:10.0.0.1]/", DIAG_permission_error, "10.0.0.1");
}

/* Half a document is none. */
static void answers_that_break_off(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    static const char *const paths[] = {"/truncated", "/cut-chunk", "/no-last-chunk",
                                        "/bad-chunk", "/garbage",   "/bad-length"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        check(w, port, paths[i], DIAG_resolve_failure, "cannot be fetched");
    }
}

/* What is announced counts. */
static void answers_of_another_length(void **state) { /* F92 */
    struct world *w = *state;
    uint16_t port = start(w);
    world_check_text(world_include(w, web_url(w, port, "/long-body"), "sourceType", "https", NULL), "four");
    assert_null(world_include(w, web_url(w, port, "/two-lengths"), "sourceType", "https", NULL));
}

static void headers_without_end(void **state) { /* F92 */
    struct world *w = *state;
    uint16_t port = start(w);
    int64_t before = world_get_now_ms();
    assert_null(world_url(w, web_url(w, port, "/header-flood")));
    assert_null(world_url(w, web_url(w, port, "/continue-flood")));
    assert_true(world_get_now_ms() - before < 2 * MUST_END_MS);
}

/* --- Files --- */

/* Somebody swaps a harmless file with a link out of the tree, again and again: F85. */
static _Noreturn void swap(struct world *w) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sv place = world_get_path(w, "tree/x.yaml");
    sv good = world_get_path(w, "tree/good"), bad = world_get_path(w, "tree/bad");
    for (;;) {
        int fd = open(good.data, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        ssize_t ignored = write(fd, "good", 4);
        (void)ignored;
        close(fd);
        rename(good.data, place.data);
        usleep(50);
        if (symlink("../outside/secret.yaml", bad.data) == 0) {
            rename(bad.data, place.data);
        }
    }
}

enum { TRIES = 3000 };

static void a_link_that_comes_and_goes(void **state) {
    struct world *w = *state;
    world_write(w, "tree/x.yaml", SV("good"));
    pid_t swapper = fork();
    if (swapper == 0) {
        swap(w);
    }
    size_t good = 0;
    for (int i = 0; i < TRIES; i++) {
        world_open(w);
        const struct content *c = world_include(w, "x.yaml", NULL);
        if (c != NULL) {
            assert_true(sv_eq(c->bytes, SV("good")));
            good++;
        } else {
            assert_true(w->failure.code == DIAG_include_path_outside_root ||
                        w->failure.code == DIAG_include_path_not_found);
        }
    }
    kill(swapper, SIGKILL);
    waitpid(swapper, NULL, 0);
    print_message("# the file was read %zu of %d times\n", good, TRIES);
    assert_true(good > 0);
}

/* Somebody writes as fast as we read. */
static _Noreturn void grow(struct world *w) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int fd = open(world_get_path(w, "tree/growing").data, O_WRONLY | O_APPEND | O_CLOEXEC);
    char block[65536] = {0};
    for (int i = 0; i < 4096; i++) {
        ssize_t ignored = write(fd, block, sizeof block);
        (void)ignored;
    }
    _exit(0);
}

static void a_file_that_grows(void **state) { /* F68 */
    struct world *w = *state;
    w->o.limits.document_bytes = 1 << 20;
    world_open(w);
    world_write(w, "tree/growing", SV("x"));
    pid_t writer = fork();
    if (writer == 0) {
        grow(w);
    }
    int64_t before = world_get_now_ms();
    struct stat st = {0};
    while (st.st_size <= 1 << 20 && world_get_now_ms() - before < SLACK_MS) {
        assert_int_equal(stat(world_get_path(w, "tree/growing").data, &st), 0);
    }
    assert_null(world_include(w, "growing", NULL));
    world_check_failure(w, DIAG_limit_exceeded, "1048576 bytes");
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
}

/* F86: the digest is that of the bytes that were handed out. */
static void a_file_that_changes(void **state) {
    struct world *w = *state;
    world_write(w, "tree/x.yaml", SV("first"));
    const struct content *c = world_include(w, "x.yaml", NULL);
    world_write(w, "tree/x.yaml", SV("second"));
    world_check_text(world_include(w, "x.yaml", NULL), "first");
    w->expected = c->digest;
    world_check_text(world_include(w, "x.yaml", NULL), "first");
    sv staged = c->digest;
    world_open(w);
    w->expected = staged;
    assert_null(world_include(w, "x.yaml", NULL));
    world_check_failure(w, DIAG_include_changed_since_staging, "x.yaml");
}

static void places_that_never_end(void **state) { /* F68 */
    struct world *w = *state;
    w->o.allow_outside = true;
    world_open(w);
    assert_int_equal(mkfifo(world_get_path(w, "tree/fifo").data, 0600), 0);
    static const char *const paths[] = {"fifo", "/dev/zero", "/dev/tty", "/dev/random", "/proc/self/mem"};
    int64_t before = world_get_now_ms();
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_null(world_include(w, paths[i], NULL));
        assert_null(world_file(w, paths[i]));
    }
    assert_true(world_get_now_ms() - before < SLACK_MS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_CASE(a_body_without_end),
        WORLD_CASE(a_body_drop_by_drop),
        WORLD_CASE(no_answer_at_all),
        WORLD_CASE(redirects_share_one_time_limit),
        WORLD_CASE(redirects_in_a_circle),
        WORLD_CASE(redirects_to_files),
        WORLD_CASE(redirects_to_private_addresses),
        WORLD_CASE(answers_that_break_off),
        WORLD_CASE(answers_of_another_length),
        WORLD_CASE(headers_without_end),
        WORLD_CASE(a_link_that_comes_and_goes),
        WORLD_CASE(a_file_that_grows),
        WORLD_CASE(a_file_that_changes),
        WORLD_CASE(places_that_never_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
