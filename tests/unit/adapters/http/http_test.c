/* Requests to a small server on loopback: bounds and failures. */
#include "adapters/http/http.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    pid_t server;
    uint16_t port;
};

static void answer(int fd) {
    char request[4096];
    ssize_t len = read(fd, request, sizeof request);
    sv text = sv_make(request, len < 0 ? 0 : (size_t)len);
    static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
    static const char moved[] = "HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    if (sv_has_prefix(text, SV("GET /slow"))) {
        sleep(30);
    }
    sv reply = sv_has_prefix(text, SV("GET /moved")) ? SV(moved) : SV(ok);
    ssize_t ignored = write(fd, reply.data, reply.len);
    (void)ignored;
}

static void serve(int listener) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd >= 0) {
            answer(fd);
            close(fd);
        }
    }
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    f->port = ntohs(address.sin_port);
    f->server = fork();
    if (f->server == 0) {
        serve(listener);
    }
    close(listener);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    kill(f->server, SIGKILL);
    waitpid(f->server, NULL, 0);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static struct http_request request(struct fixture *f, const char *path) {
    sv url = arena_printf(&f->arena, "http://127.0.0.1:%u%s", (unsigned)f->port, path);
    return (struct http_request){.url = url, .timeout_ms = 5000, .body_max = 100};
}

static void an_answer_comes_back(void **state) {
    struct fixture *f = *state;
    struct http_request r = request(f, "/ok");
    assert_int_equal(http_get(&f->arena, &r), HTTP_OK);
    assert_int_equal(r.status, 200);
    assert_true(sv_eq(r.body, SV("hello")));
}

/* LC-081: a redirect may lead anywhere, so it is the answer. */
static void redirects_are_not_followed(void **state) {
    struct fixture *f = *state;
    struct http_request r = request(f, "/moved");
    assert_int_equal(http_get(&f->arena, &r), HTTP_OK);
    assert_int_equal(r.status, 302);
}

static void size_and_time_are_bounded(void **state) {
    struct fixture *f = *state;
    struct http_request r = request(f, "/ok");
    r.body_max = 4;
    assert_int_equal(http_get(&f->arena, &r), HTTP_TOO_MUCH);
    assert_true(sv_eq(r.body, SV("hell")));
    r = request(f, "/slow");
    r.timeout_ms = 100;
    assert_int_equal(http_get(&f->arena, &r), HTTP_LATE);
    assert_true(r.why.len > 0);
}

static void only_http_is_spoken(void **state) {
    struct fixture *f = *state;
    static const char *const urls[] = {"file:///etc/passwd", "ftp://127.0.0.1/", "http://", "no url", ""};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        struct http_request r = {.url = sv_from_cstr(urls[i]), .timeout_ms = 300, .body_max = 10};
        assert_int_not_equal(http_get(&f->arena, &r), HTTP_OK);
        assert_true(r.why.len > 0);
    }
    struct http_request r = {.url = SV("http://127.0.0.1/\0x"), .timeout_ms = 300};
    assert_int_equal(http_get(&f->arena, &r), HTTP_BAD_URL);
}

static void a_port_is_probed(void **state) {
    struct fixture *f = *state;
    sv why = {0};
    assert_int_equal(http_probe_tcp(&f->arena, SV("127.0.0.1"), f->port, 1000, &why), HTTP_OK);
    kill(f->server, SIGKILL);
    waitpid(f->server, NULL, 0);
    assert_int_equal(http_probe_tcp(&f->arena, SV("127.0.0.1"), f->port, 1000, &why), HTTP_REFUSED);
    assert_true(why.len > 0);
    assert_int_equal(http_probe_tcp(&f->arena, SV("a/b"), 1, 1000, NULL), HTTP_BAD_URL);
    f->server = fork(); /* for the tear-down */
    if (f->server == 0) {
        pause();
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(an_answer_comes_back), CASE(redirects_are_not_followed), CASE(size_and_time_are_bounded),
        CASE(only_http_is_spoken),  CASE(a_port_is_probed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
