/* Requests with content, over a unix socket, with a certificate of the client, and in pieces. */
#include "adapters/http/http.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { REQUEST_MAX = 4 << 20 };

struct fixture {
    struct arena arena;
    char dir[64];
    pid_t server;
    atomic_bool cancel;
};

static sv path_of(struct fixture *f, const char *name) {
    return arena_printf(&f->arena, "%s/%s", f->dir, name);
}

/* The whole request: all of its content, chunked or not. */
static size_t read_request(int fd, char *request) {
    size_t len = 0;
    for (;;) {
        sv text = sv_make(request, len);
        size_t head = sv_find(text, SV("\r\n\r\n"));
        size_t length = sv_find(text, SV("Content-Length: "));
        bool is_chunked = sv_find(text, SV("Transfer-Encoding: chunked")) != SIZE_MAX;
        if (head != SIZE_MAX && is_chunked && sv_has_suffix(text, SV("\r\n0\r\n\r\n"))) {
            return len;
        }
        size_t content = length == SIZE_MAX ? 0 : strtoul(request + length + 16, NULL, 10);
        if (head != SIZE_MAX && !is_chunked && len >= head + 4 + content) {
            return len;
        }
        ssize_t more = len == REQUEST_MAX ? 0 : read(fd, request + len, REQUEST_MAX - len);
        if (more <= 0) {
            return len;
        }
        len += (size_t)more;
    }
}

/* Answers with the request itself, over and over for "/long". */
static void answer(int fd, char *request) {
    size_t len = read_request(fd, request);
    bool is_long = sv_has_prefix(sv_make(request, len), SV("GET /long"));
    if (sv_has_prefix(sv_make(request, len), SV("GET /slow"))) {
        sleep(30);
    }
    dprintf(fd, "HTTP/1.1 200 OK\r\nX-Len: %zu\r\nConnection: close\r\n\r\n", len);
    for (int i = 0; i < (is_long ? 100000 : 1); i++) {
        for (size_t sent = 0; sent < len;) {
            ssize_t more = write(fd, request + sent, len - sent);
            if (more <= 0) {
                return;
            }
            sent += (size_t)more;
        }
    }
}

static void serve(int listener) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    char *request = malloc(REQUEST_MAX);
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd >= 0) {
            answer(fd, request);
            close(fd);
        }
    }
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    strcpy(f->dir, "/tmp/lintel-send-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/s", f->dir);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 8), 0);
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
    const char *const names[] = {"s", "key.pem", "cert.pem"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unlink(path_of(f, names[i]).data);
    }
    rmdir(f->dir);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static struct http_request request(struct fixture *f, const char *path) {
    return (struct http_request){
        .url = arena_printf(&f->arena, "http://engine%s", path),
        .unix_socket = path_of(f, "s"),
        .timeout_ms = 10000,
        .body_max = REQUEST_MAX,
    };
}

static void content_goes_to_a_unix_socket(void **state) {
    struct fixture *f = *state;
    struct http_request r = request(f, "/x?y");
    struct http_header type = {SV("Content-Type"), SV("application/json")};
    r.method = SV("POST");
    r.content = SV("{\"a\": \"\0\"}");
    r.headers = &type;
    r.header_count = 1;
    assert_int_equal(http_send(&f->arena, &r), HTTP_OK);
    assert_true(sv_has_prefix(r.body, SV("POST /x?y HTTP/1.1\r\nHost: engine\r\n")));
    assert_true(sv_has_suffix(r.body, SV("\r\n\r\n{\"a\": \"\0\"}")));
    assert_true(sv_find(r.body, SV("Content-Type: application/json\r\n")) != SIZE_MAX);
    assert_true(sv_find(r.body, SV("Expect")) == SIZE_MAX);
    r = request(f, "/gone");
    r.method = SV("DELETE");
    assert_int_equal(http_send(&f->arena, &r), HTTP_OK);
    assert_true(sv_has_prefix(r.body, SV("DELETE /gone ")));
    assert_int_equal(http_get(&f->arena, &r), HTTP_OK);
    assert_true(sv_has_prefix(r.body, SV("GET /gone ")));
    r.unix_socket = SV("/tmp/lintel-send\0x");
    assert_int_equal(http_send(&f->arena, &r), HTTP_BAD_URL);
    r.unix_socket = path_of(f, "none");
    assert_int_equal(http_send(&f->arena, &r), HTTP_REFUSED);
}

struct pieces {
    size_t left, fail_at;
};

static int64_t read_piece(void *user, char *out, size_t room) {
    struct pieces *p = user;
    if (p->left == p->fail_at) {
        return -1;
    }
    size_t len = p->left < room ? p->left : room;
    len = len < 10000 ? len : 10000;
    memset(out, 'z', len);
    p->left -= len;
    return (int64_t)len;
}

static void an_upload_is_streamed(void **state) {
    struct fixture *f = *state;
    struct pieces pieces = {.left = 2000000, .fail_at = SIZE_MAX};
    struct http_upload upload = {read_piece, &pieces};
    struct http_request r = request(f, "/build");
    r.method = SV("POST");
    r.upload = &upload;
    assert_int_equal(http_send(&f->arena, &r), HTTP_OK);
    size_t count = 0;
    for (size_t i = 0; i < r.body.len; i++) {
        count += r.body.data[i] == 'z';
    }
    assert_int_equal(count, 2000000);
    pieces = (struct pieces){.left = 50000, .fail_at = 20000};
    assert_int_equal(http_send(&f->arena, &r), HTTP_STOPPED);
    assert_true(r.why.len > 0);
}

static bool take_part(void *user, sv part) {
    size_t *left = user;
    *left = part.len < *left ? *left - part.len : 0;
    return *left > 0;
}

static void an_answer_is_streamed(void **state) {
    struct fixture *f = *state;
    size_t left = 1 << 20;
    struct http_request r = request(f, "/long");
    r.on_part = take_part;
    r.user = &left;
    r.body_max = SIZE_MAX;
    assert_int_equal(http_send(&f->arena, &r), HTTP_STOPPED);
    assert_int_equal(r.body.len, 0);
    left = SIZE_MAX;
    r.body_max = 100000;
    assert_int_equal(http_send(&f->arena, &r), HTTP_TOO_MUCH);
    assert_int_equal(left, SIZE_MAX - 100000);
}

static void a_request_is_cancelled(void **state) {
    struct fixture *f = *state;
    struct http_request r = request(f, "/slow");
    r.cancel = &f->cancel;
    atomic_store(&f->cancel, true);
    assert_int_equal(http_send(&f->arena, &r), HTTP_STOPPED);
    atomic_store(&f->cancel, false);
    r.timeout_ms = 100;
    assert_int_equal(http_send(&f->arena, &r), HTTP_LATE);
}

/* A certificate that is its own authority; false without the program that makes it. */
static bool make_certificate(struct fixture *f) {
    sv command = arena_printf(&f->arena,
                              "exec openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
                              "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout %s/key.pem -out "
                              "%s/cert.pem 2>/dev/null",
                              f->dir, f->dir);
    return system(command.data) == 0;
}

static pid_t start_tls(struct fixture *f, const char *port) {
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int ignored = chdir(f->dir);
        (void)ignored;
        (void)!freopen("/dev/null", "w", stdout);
        (void)!freopen("/dev/null", "w", stderr);
        execlp("openssl", "openssl", "s_server", "-www", "-Verify", "1", "-CAfile", "cert.pem", "-cert", "cert.pem",
               "-key", "key.pem", "-accept", port, "-verify_return_error", (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void a_client_shows_its_certificate(void **state) {
    struct fixture *f = *state;
    if (!make_certificate(f)) {
        print_message("# SKIP-REASON there is no program openssl\n");
        skip();
    }
    sv port = arena_printf(&f->arena, "%d", 20000 + (int)(getpid() % 10000));
    pid_t server = start_tls(f, port.data);
    struct http_request r = {
        .url = arena_printf(&f->arena, "https://127.0.0.1:%.*s/", SV_ARG(port)),
        .timeout_ms = 5000,
        .body_max = 1 << 20,
        .ca_file = path_of(f, "cert.pem"),
        .certificate_file = path_of(f, "cert.pem"),
        .key_file = path_of(f, "key.pem"),
    };
    enum http_result result = http_send(&f->arena, &r);
    for (int i = 0; i < 100 && result == HTTP_REFUSED; i++) {
        usleep(50000);
        result = http_send(&f->arena, &r);
    }
    assert_int_equal(result, HTTP_OK);
    assert_int_equal(r.status, 200);
    r.certificate_file = r.key_file = (sv){0};
    assert_int_equal(http_send(&f->arena, &r), HTTP_FAILED);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(content_goes_to_a_unix_socket), CASE(an_upload_is_streamed),          CASE(an_answer_is_streamed),
        CASE(a_request_is_cancelled),        CASE(a_client_shows_its_certificate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
