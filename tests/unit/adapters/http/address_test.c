/* LC-081, F89: which addresses are places that nothing fetched may reach; and URLs in their one canonical form. */
#include "adapters/http/address.h"
#include "adapters/http/http.h"
#include "adapters/http/url.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

struct example {
    const char *host;
    enum http_peer peer;
};

static enum http_peer classify_number(const char *text) {
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        return http_classify_address((struct sockaddr *)&v4);
    }
    assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    return http_classify_address((struct sockaddr *)&v6);
}

static const struct example numbers[] = {
    {"8.8.8.8", HTTP_PEER_PUBLIC},
    {"127.0.0.1", HTTP_PEER_LOOPBACK},
    {"127.255.255.254", HTTP_PEER_LOOPBACK},
    {"128.0.0.1", HTTP_PEER_PUBLIC},
    {"169.254.169.254", HTTP_PEER_LINK_LOCAL},
    {"169.253.255.255", HTTP_PEER_PUBLIC},
    {"10.0.0.1", HTTP_PEER_PRIVATE},
    {"11.0.0.1", HTTP_PEER_PUBLIC},
    {"172.15.255.255", HTTP_PEER_PUBLIC},
    {"172.16.0.1", HTTP_PEER_PRIVATE},
    {"172.31.255.255", HTTP_PEER_PRIVATE},
    {"172.32.0.0", HTTP_PEER_PUBLIC},
    {"192.168.1.1", HTTP_PEER_PRIVATE},
    {"100.64.0.1", HTTP_PEER_PRIVATE},
    {"100.128.0.1", HTTP_PEER_PUBLIC},
    {"198.18.0.1", HTTP_PEER_PRIVATE},
    {"192.0.0.8", HTTP_PEER_PRIVATE},
    {"0.0.0.0", HTTP_PEER_UNUSABLE},
    {"0.1.2.3", HTTP_PEER_UNUSABLE},
    {"224.0.0.1", HTTP_PEER_UNUSABLE},
    {"240.0.0.1", HTTP_PEER_UNUSABLE},
    {"255.255.255.255", HTTP_PEER_UNUSABLE},
    {"2001:4860:4860::8888", HTTP_PEER_PUBLIC},
    {"::", HTTP_PEER_UNUSABLE},
    {"::1", HTTP_PEER_LOOPBACK},
    {"::ffff:127.0.0.1", HTTP_PEER_LOOPBACK},
    {"::ffff:10.1.2.3", HTTP_PEER_PRIVATE},
    {"::ffff:8.8.8.8", HTTP_PEER_PUBLIC},
    {"::127.0.0.1", HTTP_PEER_LOOPBACK},
    {"::ffff:0:127.0.0.1", HTTP_PEER_LOOPBACK},
    {"64:ff9b::169.254.169.254", HTTP_PEER_LINK_LOCAL},
    {"64:ff9b:1::1", HTTP_PEER_PRIVATE},
    {"2002:7f00:1::1", HTTP_PEER_LOOPBACK},
    {"2001:0:1::1", HTTP_PEER_UNUSABLE},
    {"fc00::1", HTTP_PEER_PRIVATE},
    {"fdff::1", HTTP_PEER_PRIVATE},
    {"fe80::1", HTTP_PEER_LINK_LOCAL},
    {"febf::1", HTTP_PEER_LINK_LOCAL},
    {"fec0::1", HTTP_PEER_PRIVATE},
    {"ff02::1", HTTP_PEER_UNUSABLE},
    {"100::1", HTTP_PEER_UNUSABLE},
};

static void every_address_has_its_kind(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (classify_number(numbers[i].host) != numbers[i].peer) {
            fail_msg("%s is %d", numbers[i].host, (int)classify_number(numbers[i].host));
        }
        assert_int_equal(http_classify_host(sv_from_cstr(numbers[i].host)), numbers[i].peer);
    }
}

static void what_is_no_internet_address_is_unusable(void **state) {
    (void)state;
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    assert_int_equal(http_classify_address((struct sockaddr *)&local), HTTP_PEER_UNUSABLE);
}

static void hosts_are_classified_by_their_text(void **state) {
    (void)state;
    static const struct example hosts[] = {
        {"localhost", HTTP_PEER_LOOPBACK},
        {"LOCALHOST.", HTTP_PEER_LOOPBACK},
        {"a.localhost", HTTP_PEER_LOOPBACK},
        {"[::1]", HTTP_PEER_LOOPBACK},
        {"[fe80::1%eth0]", HTTP_PEER_LINK_LOCAL},
        {"localhost.example.org", 0},
        {"notlocalhost", 0},
        {"example.org", 0},
        {"", 0},
        {"127.0.0.1.example.org", 0},
    };
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        assert_int_equal(http_classify_host(sv_from_cstr(hosts[i].host)), hosts[i].peer);
    }
}

/* F89: however an address is spelt, it is looked at in its canonical form. */
static void spellings_of_one_url_are_equal(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"HTTPS://Example.ORG", "https://example.org/"},
        {"https://example.org:443/a/./b/../c", "https://example.org/a/c"},
        {"http://0x7f.1/", "http://127.0.0.1/"},
        {"http://2130706433/", "http://127.0.0.1/"},
        {"http://0177.0.0.1/", "http://127.0.0.1/"},
        {"http://127%2e1/", "http://127.0.0.1/"},
        {"https://example.org:8443?x=1", "https://example.org:8443/?x=1"},
        {"https://example.org/a b\xc3\xa9", "https://example.org/a%20b%C3%A9"},
        {"https://u:p@example.org/x#y", "https://example.org/x"},
        {"https://[::1]:443/x", "https://[::1]/x"},
        {"https://example.org/../../x", "https://example.org/x"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct http_url url;
        assert_true(http_url_parse(&a, sv_from_cstr(pairs[i][0]), &url));
        if (!sv_eq_cstr(url.text, pairs[i][1])) {
            fail_msg("%s gives %s", pairs[i][0], url.text.data);
        }
    }
    arena_fini(&a);
}

static void parts_that_are_left_out_are_told(void **state) {
    (void)state;
    struct arena a = {0};
    struct http_url url;
    assert_true(http_url_parse(&a, SV("https://u:p@example.org:8443/x?q=1#y"), &url));
    assert_true(url.has_user && url.has_fragment);
    assert_true(sv_eq(url.origin, SV("https://example.org:8443")) && sv_eq(url.query, SV("q=1")));
    assert_true(sv_eq(url.path, SV("/x")) && sv_eq(url.host, SV("example.org")));
    assert_int_equal(url.port, 8443);
    arena_fini(&a);
}

static void what_is_no_url_is_refused(void **state) {
    (void)state;
    static const sv bad[] = {SV_INIT(""),
                             SV_INIT("/a/b"),
                             SV_INIT("https:/a/b"),
                             SV_INIT("https:///a/b"),
                             SV_INIT("a.example/b"),
                             SV_INIT("https://"),
                             SV_INIT("https://a\nb/"),
                             SV_INIT("https://a/\0b"),
                             SV_INIT("https://example.org:0/"),
                             SV_INIT("https://example.org:99999/")};
    struct arena a = {0};
    struct http_url url;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(http_url_parse(&a, bad[i], &url));
    }
    arena_fini(&a);
}

static void relative_references_are_joined(void **state) {
    (void)state;
    static const char *const joins[][2] = {
        {"x.yaml", "https://example.org/a/x.yaml"},       {"../x", "https://example.org/x"},
        {"../../../x", "https://example.org/x"},          {"sub/y?z=1", "https://example.org/a/sub/y?z=1"},
        {"//other.example/x", "https://other.example/x"}, {"/x", "https://example.org/x"},
    };
    struct arena a = {0};
    struct http_url base, url;
    assert_true(http_url_parse(&a, SV("https://example.org/a/b.yaml?q"), &base));
    for (size_t i = 0; i < sizeof joins / sizeof joins[0]; i++) {
        assert_true(http_url_join(&a, &base, sv_from_cstr(joins[i][0]), &url));
        assert_true(sv_eq_cstr(url.text, joins[i][1]));
    }
    arena_fini(&a);
}

/* LC-081: the address of the socket is what is looked at, whatever the name says. */
static void refused_addresses_are_never_connected_to(void **state) {
    (void)state;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    struct arena a = {0};
    static const char *const hosts[] = {"127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        struct http_request r = {
            .url = arena_printf(&a, "http://%s:%u/", hosts[i], (unsigned)ntohs(address.sin_port)),
            .timeout_ms = 5000,
            .body_max = 10,
            .refused = HTTP_PEER_LOOPBACK,
        };
        assert_int_equal(http_get(&a, &r), HTTP_FORBIDDEN);
        assert_true(r.peer.len > 0 && r.why.len > 0);
    }
    struct http_probe p = {SV("127.0.0.1"), ntohs(address.sin_port), 5000, HTTP_PEER_LOOPBACK};
    assert_int_equal(http_find_address(&a, &p), HTTP_FORBIDDEN);
    p.refused = 0;
    assert_int_equal(accept(listener, NULL, NULL), -1);
    assert_int_equal(http_find_address(&a, &p), HTTP_OK);
    assert_true(sv_eq(p.address, SV("127.0.0.1")));
    close(listener);
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_address_has_its_kind),
        cmocka_unit_test(what_is_no_internet_address_is_unusable),
        cmocka_unit_test(hosts_are_classified_by_their_text),
        cmocka_unit_test(spellings_of_one_url_are_equal),
        cmocka_unit_test(parts_that_are_left_out_are_told),
        cmocka_unit_test(what_is_no_url_is_refused),
        cmocka_unit_test(relative_references_are_joined),
        cmocka_unit_test(refused_addresses_are_never_connected_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
