/* Data source http/document against a real server on the loopback (1.8, BP-108, LC-081). */
#include "data_world.h"
#include "providers/http/http_provider.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* --- A server: one answer per connection, told by the path --- */

struct server {
    int listener;
    uint16_t port;
    pthread_t thread;
};

static const struct {
    const char *path, *answer;
} answers[] = {
    {"/json", "HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; charset=utf-8\r\nX-Tag: a\r\nx-tag: b\r\n"
              "Connection: close\r\n\r\n{\"version\": \"1.2\", \"load\": 0.5, \"ready\": true, \"ports\": [80, 443],"
              " \"names\": {\"a\": \"x\"}}"},
    {"/list", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n[\"a\", \"b\"]"},
    {"/gone", "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nnothing here"},
    {"/move", "HTTP/1.1 302 Found\r\nLocation: /json\r\nConnection: close\r\n\r\n"},
    {"/bytes", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\xff\xfe"},
    {"/huge", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"},
    {"/short", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nx"},
};

static void answer(int fd) {
    char text[4096];
    ssize_t len = read(fd, text, sizeof text - 1);
    sv request = sv_make(text, len < 0 ? 0 : (size_t)len);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        sv start = sv_make(request.data, strlen(answers[i].path) + 5);
        if (request.len > start.len && sv_has_prefix(sv_slice(start, 4, start.len), sv_from_cstr(answers[i].path))) {
            (void)!write(fd, answers[i].answer, strlen(answers[i].answer));
        }
    }
    static const char zeros[1 << 16];
    bool more = sv_find(request, SV("/huge")) != SIZE_MAX;
    for (int i = 0; more && i < 1000; i++) {
        more = send(fd, zeros, sizeof zeros, MSG_NOSIGNAL) > 0;
    }
    close(fd);
}

static void *serve(void *user) {
    const struct server *s = user;
    int fd;
    while ((fd = accept(s->listener, NULL, NULL)) >= 0) {
        answer(fd);
    }
    return NULL;
}

static void start(struct server *s) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(s->listener, 16), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&at, &len), 0);
    s->port = ntohs(at.sin_port);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct server *s) {
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->listener);
}

/* --- Cases --- */

static sv make_filters(struct world *w, const struct server *s, const char *path, const char *more) {
    return arena_printf(&w->arena, "[[\"url\", \"=\", \"http://127.0.0.1:%u%s\"]%s]", (unsigned)s->port, path, more);
}

static void operators_work_on_answers(void **state) {
    struct world *w = *state;
    static const struct {
        const char *path, *more, *field, *wanted;
    } rows[] = {
        {"/json", "", "status", "200"},
        {"/json", "", "contentType", "\"application/json\""},
        {"/json", "", "headers.x-tag", "\"a, b\""},
        {"/json", "", "data.ports[1]", "443"},
        {"/json", ", [\"status\", \"=\", 200]", "isOk", "true"},
        {"/json", ", [\"isOk\", \"=\", true]", "data.version", "\"1.2\""},
        {"/json", ", [\"data.load\", \"<\", 0.75]", "data.ready", "true"},
        {"/json", ", [\"data.load\", \"<\", 1]", "data.ready", "refused"},
        {"/json", ", [\"data.ready\", \"=\", true]", "data.load", "0.5"},
        {"/json", ", [\"data.ports\", \"contains\", 443]", "size", "87"},
        {"/json", ", [\"data.ports\", \"contains\", 8080]", "size", "none"},
        {"/json", ", [\"data.names\", \"contains\", \"x\"]", "data.version", "\"1.2\""},
        {"/json", ", [\"data\", \"has key\", \"load\"]", "data.version", "\"1.2\""},
        {"/json", ", [\"headers\", \"not has key\", \"etag\"]", "data.version", "\"1.2\""},
        {"/json", ", [\"headers.x-tag\", \"starts with\", \"a\"]", "data.version", "\"1.2\""},
        {"/list", "", "items", "[\"a\",\"b\"]"},
        {"/list", ", [\"items\", \"=\", [\"a\", \"b\"]]", "status", "200"},
        {"/list", "", "data", "null"},
        {"/gone", "", "status", "404"},
        {"/gone", "", "body", "\"nothing here\""},
        {"/gone", ", [\"status\", \"in\", [200, 201]]", "body", "none"},
        {"/move", "", "status", "302"},
        {"/bytes", "", "body", "null"},
        {"/bytes", "", "size", "2"},
    };
    struct server s;
    start(&s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sv got = data_get(w, &http_document_data, make_filters(w, &s, rows[i].path, rows[i].more), rows[i].field);
        if (!sv_eq_cstr(got, rows[i].wanted)) {
            fail_msg("%s%s gives %s %.*s, not %s", rows[i].path, rows[i].more, rows[i].field, SV_ARG(got),
                     rows[i].wanted);
        }
    }
    sv redirect = arena_printf(&w->arena, "\"http://127.0.0.1:%u/json\"", (unsigned)s.port);
    assert_true(sv_eq(data_get(w, &http_document_data, make_filters(w, &s, "/move", ""), "redirect"), redirect));
    data_check_contract(w, &http_document_data, make_filters(w, &s, "/json", ""));
    stop(&s);
}

static void failures_say_why(void **state) {
    struct world *w = *state;
    const struct data_type *t = &http_document_data;
    struct server s;
    start(&s);
    data_expect_failure(w, t, SV("[]"), PROVIDER_TERMINAL, "a filter 'url'");
    data_expect_failure(w, t, SV("[[\"url\", \"=\", \"file:///etc/passwd\"]]"), PROVIDER_TERMINAL, "cannot get");
    data_expect_failure(w, t, SV("[[\"url\", \"=\", \"\"]]"), PROVIDER_TERMINAL, "cannot get");
    data_expect_failure(w, t, make_filters(w, &s, "/huge", ""), PROVIDER_TERMINAL, "too large");
    data_expect_failure(w, t, make_filters(w, &s, "/short", ""), PROVIDER_TRANSIENT, "cannot get");
    stop(&s);
}

/* BP-281: neither user nor password nor query are told; nobody listens on the port. */
static void secrets_of_urls_are_not_told(void **state) {
    struct world *w = *state;
    struct data_call c = data_make_call(
        w, arena_printf(&w->arena, "[[\"url\", \"=\", \"http://me:hunter2@127.0.0.1:%u/x?token=hunter2\"]]",
                        (unsigned)world_find_port()));
    c.allow_private = true;
    assert_int_equal(http_document_data.fetch(&c), PROVIDER_TRANSIENT);
    sv reason = c.reasons.items.items[0];
    assert_true(sv_find(reason, SV("127.0.0.1")) != SIZE_MAX);
    assert_int_equal(sv_find(reason, SV("hunter2")), SIZE_MAX);
}

/* LC-081 */
static void private_addresses_need_permission(void **state) {
    struct world *w = *state;
    struct server s;
    start(&s);
    struct data_call c = data_make_call(w, make_filters(w, &s, "/json", ""));
    c.allow_private = false;
    assert_int_equal(http_document_data.fetch(&c), PROVIDER_TERMINAL);
    assert_true(sv_find(c.reasons.items.items[0], SV("--allow-private")) != SIZE_MAX);
    stop(&s);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, world_set_up, world_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(operators_work_on_answers),
        CASE(failures_say_why),
        CASE(secrets_of_urls_are_not_told),
        CASE(private_addresses_need_permission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
