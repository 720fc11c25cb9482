/* The resources of examples/orders-api, made by their providers, and the service they end in. */
#include "adapters/http/http.h"
#include "adapters/process/process.h"
#include "providers/local/local.h"
#include "providers/process/process_provider.h"
#include "providers/random/random.h"
#include "providers/sqlite/sqlite_provider.h"
#include "suite.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct shop {
    struct world *world;
    uint16_t port;
    sv token;
    struct provider_call service;
};

static value make(struct world *w, const struct resource_type *type, uint8_t key, const char *address, sv json) {
    struct provider_call c = world_make_call(w, type, key, world_make_spec(w, type, json), (value){0});
    c.address.text = sv_from_cstr(address);
    if (type->create(&c) != PROVIDER_OK) {
        fail_msg("%s: %.*s", address, SV_ARG(world_get_reason(&c)));
    }
    return schema_merge(&w->arena, c.spec, c.computed);
}

/* The contributions of one link, laid over the spec as the engine does (BP-432). */
static value lay_over(struct world *w, const struct link_type *link, const char *name_b, value merged_b, value spec) {
    struct diags diags;
    diags_init(&diags, &w->arena, NULL);
    value annotations = world_make_spec(w, &process_service_type,
                                        SV("{\"annotations\": {\"process.sqlite.db.envVarName\": \"DATABASE_PATH\"}}"));
    struct link_call call = {
        .arena = &w->arena,
        .name_a = SV("api"),
        .name_b = sv_from_cstr(name_b),
        .spec_a = spec,
        .spec_b = merged_b,
        .metadata_a = annotations,
        .diags = &diags,
    };
    assert_true(link->stage(&call));
    for (size_t i = 0; i < call.contributions.len; i++) {
        spec = value_with_path(&w->arena, spec, call.contributions.items[i].path, call.contributions.items[i].item);
    }
    return spec;
}

static sv service_json(struct shop *shop) {
    return arena_printf(&shop->world->arena,
                        "{\"command\": \"%s\", \"port\": %u, \"logFile\": \"log\", \"environment\": {\"API_TOKEN\": "
                        "\"%.*s\"}, \"healthCheck\": {\"http\": \"http://127.0.0.1:%u/health\"}}",
                        getenv("ORDERS_API"), (unsigned)shop->port, SV_ARG(shop->token), (unsigned)shop->port);
}

static int open_shop(void **state) {
    struct shop *shop = calloc(1, sizeof *shop);
    void *world;
    world_set_up(&world);
    struct world *w = shop->world = world;
    value database =
        make(w, &sqlite_database_type, 1, "resources.db",
             SV("{\"path\": \"run/orders.db\", \"createDirectories\": true, \"migrations\": [\"CREATE TABLE "
                "orders (id INTEGER PRIMARY KEY, item TEXT NOT NULL, quantity INTEGER NOT NULL)\", "
                "\"INSERT INTO orders (item, quantity) VALUES ('notebook', 3)\"]}"));
    value config =
        make(w, &local_file_type, 2, "resources.config",
             SV("{\"path\": \"run/c.conf\", \"contents\": \"title = A \\\"shop\\\"\\nmax_quantity = 5\\n\"}"));
    value token = make(w, &random_password_type, 3, "resources.token", SV("{\"length\": 40}"));
    shop->token = provider_get_text(token, SV("result"));
    shop->port = world_find_port();
    value spec = world_make_spec(w, &process_service_type, service_json(shop));
    database = value_map_with(&w->arena, database, SV("path"), value_string(&w->arena, world_path(w, "run/orders.db")));
    config = value_map_with(&w->arena, config, SV("path"), value_string(&w->arena, world_path(w, "run/c.conf")));
    spec = lay_over(w, &service_to_sqlite_database_link, "db", database, spec);
    spec = lay_over(w, &service_to_local_file_link, "config", config, spec);
    shop->service = world_make_call(w, &process_service_type, 4, spec, (value){0});
    if (process_service_type.create(&shop->service) != PROVIDER_OK) {
        fail_msg("%.*s", SV_ARG(world_get_reason(&shop->service)));
    }
    *state = shop;
    return 0;
}

static int close_shop(void **state) {
    struct shop *shop = *state;
    void *world = shop->world;
    world_tear_down(&world);
    free(shop);
    return 0;
}

/* Sends bytes and reads to the end. */
static sv talk(struct shop *shop, sv request) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(shop->port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(fd, request.data, request.len, MSG_NOSIGNAL), request.len);
    struct buf out = BUF(&shop->world->arena);
    for (;;) {
        ssize_t got = recv(fd, buf_reserve(&out, 4096), 4096, 0);
        if (got <= 0) {
            break;
        }
        out.len += (size_t)got;
    }
    close(fd);
    return buf_get_sv(&out);
}

static sv post(struct shop *shop, sv token, const char *body) {
    return talk(shop, arena_printf(&shop->world->arena,
                                   "POST /orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer "
                                   "%.*s\r\nContent-Length: %zu\r\n\r\n%s",
                                   SV_ARG(token), strlen(body), body));
}

static sv get(struct shop *shop, const char *path) {
    struct http_request r = {
        .url = arena_printf(&shop->world->arena, "http://127.0.0.1:%u%s", (unsigned)shop->port, path),
        .timeout_ms = 5000,
        .body_max = 1 << 20,
    };
    assert_int_equal(http_get(&shop->world->arena, &r), HTTP_OK);
    return r.body;
}

static void it_lists_and_stores_orders(void **state) {
    struct shop *shop = *state;
    assert_true(sv_eq(get(shop, "/orders"), SV("{\"title\":\"A \\\"shop\\\"\",\"orders\":[{\"id\":1,\"item\":"
                                               "\"notebook\",\"quantity\":3}]}\n")));
    sv answer = post(shop, shop->token, "{\"item\": \"it's \\\"tea\\\"; DROP TABLE orders\", \"quantity\": 5}");
    assert_true(sv_has_prefix(answer, SV("HTTP/1.1 201 ")));
    assert_true(sv_find(get(shop, "/orders"), SV("it's \\\"tea\\\"; DROP TABLE orders")) != SIZE_MAX);
    assert_true(sv_eq(get(shop, "/health"), SV("{\"status\":\"ok\",\"orders\":2}\n")));
    value ports = value_map_find(shop->service.computed, SV("ports"));
    assert_true(ports.list->len == 1 && ports.list->items[0].integer == shop->port);
}

static void storing_needs_the_token(void **state) {
    struct shop *shop = *state;
    static const sv wrong[] = {SV_INIT(""), SV_INIT("x")};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_true(sv_has_prefix(post(shop, wrong[i], "{\"item\": \"x\", \"quantity\": 1}"), SV("HTTP/1.1 401 ")));
    }
    sv longer = arena_printf(&shop->world->arena, "%.*s%.*s", SV_ARG(shop->token), SV_ARG(shop->token));
    assert_true(sv_has_prefix(post(shop, longer, "{\"item\": \"x\", \"quantity\": 1}"), SV("HTTP/1.1 401 ")));
    assert_true(sv_find(get(shop, "/health"), SV("\"orders\":1")) != SIZE_MAX);
}

static void bad_orders_are_refused(void **state) {
    struct shop *shop = *state;
    static const char *const bodies[] = {
        "",
        "{",
        "[]",
        "null",
        "{\"item\": \"x\"}",
        "{\"item\": 1, \"quantity\": 1}",
        "{\"item\": \"x\", \"quantity\": 0}",
        "{\"item\": \"x\", \"quantity\": 6}", /* the configuration says 5 */
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        assert_true(sv_has_prefix(post(shop, shop->token, bodies[i]), SV("HTTP/1.1 400 ")));
    }
    struct buf large = BUF(&shop->world->arena);
    buf_append_repeat(&large, 'x', 100000);
    assert_true(sv_has_prefix(post(shop, shop->token, buf_get_sv(&large).data), SV("HTTP/1.1 413 ")));
    assert_true(sv_has_prefix(talk(shop, SV("DELETE /orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")),
                              SV("HTTP/1.1 405 ")));
    assert_true(sv_has_prefix(talk(shop, SV("GET /else HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")),
                              SV("HTTP/1.1 404 ")));
}

/* A changed file changes `restartOn`, and so the service starts anew with it; what was stored stays. */
static void a_changed_file_restarts_it(void **state) {
    struct shop *shop = *state;
    struct world *w = shop->world;
    post(shop, shop->token, "{\"item\": \"tea\", \"quantity\": 1}");
    sv path = world_path(w, "run/c.conf");
    sv json = arena_printf(&w->arena, "{\"path\": %s, \"contents\": \"title = Kiosk\\n\"}", world_quote(w, path).data);
    struct provider_call file =
        world_make_call(w, &local_file_type, 5, world_make_spec(w, &local_file_type, json), (value){0});
    assert_int_equal(local_file_type.update(&file), PROVIDER_OK);
    value spec = lay_over(w, &service_to_local_file_link, "config", file.spec, shop->service.spec);
    struct provider_call c = world_make_call(w, &process_service_type, 6, spec, (value){0});
    c.prior = schema_merge(&w->arena, shop->service.spec, shop->service.computed);
    assert_int_equal(process_service_type.update(&c), PROVIDER_OK);
    assert_int_equal(world_count_services(w), 1);
    sv orders = get(shop, "/orders");
    assert_true(sv_find(orders, SV("\"title\":\"Kiosk\"")) != SIZE_MAX);
    assert_true(sv_find(orders, SV("\"tea\"")) != SIZE_MAX);
}

static void it_ends_when_asked(void **state) {
    struct shop *shop = *state;
    struct provider_call c =
        world_make_call(shop->world, &process_service_type, 7, shop->service.spec, shop->service.computed);
    int64_t before = host_system.ops->get_monotonic_ms(NULL);
    assert_int_equal(process_service_type.destroy(&c), PROVIDER_OK);
    assert_in_range(host_system.ops->get_monotonic_ms(NULL) - before, 0,
                    5000); /* without force, which comes after 10 s */
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, open_shop, close_shop)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(it_lists_and_stores_orders), CASE(storing_needs_the_token), CASE(bad_orders_are_refused),
        CASE(a_changed_file_restarts_it), CASE(it_ends_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
