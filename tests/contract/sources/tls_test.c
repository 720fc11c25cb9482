/* TLS is verified (BP-175): a certificate that nobody trusts, and one that the operator does. */
#include "contract/sources/web.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void start(struct world *w, uint16_t *port) {
    if (!world_has_program(w, "openssl")) {
        print_message("# SKIP-REASON there is no program openssl\n");
        skip();
    }
    world_run(w, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
              "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
              "subjectAltName=DNS:localhost,IP:127.0.0.1", NULL);
    w->o.allow_private = true;
    world_open(w);
    *port =
        world_serve(w, "web_server.py", world_get_path(w, "cert.pem").data, world_get_path(w, "key.pem").data, NULL);
}

static const char *get_url(struct world *w, const char *host, uint16_t port, const char *path) {
    return arena_printf(&w->arena, "https://%s:%u%s", host, (unsigned)port, path).data;
}

static const struct content *include(struct world *w, const char *url) {
    return world_include(w, url, "sourceType", "https", NULL);
}

static void an_unknown_certificate_is_refused(void **state) { /* F93 */
    struct world *w = *state;
    uint16_t port;
    start(w, &port);
    assert_null(include(w, get_url(w, "localhost", port, "/docs/a.yaml")));
    world_check_failure(w, DIAG_resolve_failure, "ertificate");
    assert_null(world_url(w, get_url(w, "localhost", port, "/docs/a.yaml")));
}

static void a_trusted_certificate_is_accepted(void **state) {
    struct world *w = *state;
    uint16_t port;
    start(w, &port);
    w->o.ca_file = world_get_path(w, "cert.pem");
    world_open(w);
    world_check_text(include(w, get_url(w, "localhost", port, "/docs/a.yaml")), "a");
    w->o.ca_file = (sv){0};
    world_set_env(w, "SSL_CERT_FILE", world_get_path(w, "cert.pem"));
    world_open(w);
    world_check_text(include(w, get_url(w, "127.0.0.1", port, "/docs/a.yaml")), "a");
    assert_null(include(w, get_url(w, "other.localhost", port, "/docs/a.yaml")));
    world_check_failure(w, DIAG_resolve_failure, "other.localhost");
}

/* What began with TLS goes on with it. */
static void a_redirect_to_http_is_refused(void **state) {
    struct world *w = *state;
    uint16_t port;
    start(w, &port);
    w->o.ca_file = world_get_path(w, "cert.pem");
    world_open(w);
    sv path = arena_printf(&w->arena, "/to?http://localhost:%u/docs/a.yaml", (unsigned)port);
    const char *url = get_url(w, "localhost", port, path.data);
    assert_null(include(w, url));
    world_check_failure(w, DIAG_resolve_failure, "redirects to a 'http' URL");
    assert_null(world_url(w, url));
    world_check_failure(w, DIAG_resolve_failure, "redirects to a 'http' URL");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_CASE(an_unknown_certificate_is_refused),
        WORLD_CASE(a_trusted_certificate_is_accepted),
        WORLD_CASE(a_redirect_to_http_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
