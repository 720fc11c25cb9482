/* Containers as the engine shows them: what is computed of them, what has changed, whether they are well. */
#include "base/num.h"
#include "providers/docker/container.h"

enum {
    POLL_MS = 100,
    SETTLE_MS = 150, /* without a check: a program that ends at once is noticed */
    LOG_LINES = 10,
    LOG_BYTES = 2048,
};

const struct object_kind container_kind = {
    .what = "container",
    .path = "/containers/",
    .behind = "/json",
    .labels_in = "Config",
    .removal = "?v=1", /* with the volumes that have no name */
};

bool container_is_running(value object) {
    value state = engine_find(object, "State");
    return engine_get_bool(state, "Running") || engine_get_bool(state, "Restarting");
}

/* --- Computed --- */

static value list_addresses(struct provider_call *c, value object) {
    value networks = engine_find_in(object, "NetworkSettings", "Networks");
    struct map_builder addresses = {.arena = c->arena};
    for (size_t i = 0; networks.kind == VALUE_MAP && i < networks.map->len; i++) {
        sv address = engine_get_text(networks.map->entries[i].item, "IPAddress");
        if (address.len > 0) {
            map_add(&addresses, networks.map->entries[i].key, value_string(c->arena, address));
        }
    }
    return map_done(&addresses);
}

/* "8080/tcp" as "8080-tcp", which a reference can name. */
static sv make_port_key(struct arena *a, sv text) {
    char *key = arena_copy_cstr(a, text);
    for (size_t i = 0; i < text.len; i++) {
        key[i] = key[i] == '/' ? '-' : key[i];
    }
    return sv_make(key, text.len);
}

static value list_ports(struct provider_call *c, value object) {
    value ports = engine_find_in(object, "NetworkSettings", "Ports");
    struct map_builder numbers = {.arena = c->arena};
    for (size_t i = 0; ports.kind == VALUE_MAP && i < ports.map->len; i++) {
        value bindings = ports.map->entries[i].item;
        int64_t number;
        bool has_any = bindings.kind == VALUE_LIST && bindings.list->len > 0;
        if (has_any && num_parse_i64(engine_get_text(bindings.list->items[0], "HostPort"), 10, &number) == NUM_OK) {
            map_add(&numbers, make_port_key(c->arena, ports.map->entries[i].key), value_int(number));
        }
    }
    return map_done(&numbers);
}

value container_compute(struct provider_call *c, value object) {
    struct map_builder computed = {.arena = c->arena}, none = {.arena = c->arena};
    bool is_running = container_is_running(object);
    map_add(&computed, SV("id"), value_string(c->arena, engine_get_text(object, "Id")));
    map_add(&computed, SV("imageId"), value_string(c->arena, engine_get_text(object, "Image")));
    map_add(&computed, SV("addresses"), is_running ? list_addresses(c, object) : map_done(&none));
    map_add(&computed, SV("hostPorts"), is_running ? list_ports(c, object) : map_done(&none));
    return map_done(&computed);
}

/* --- What can change --- */

static bool is_connected(value object, sv network) {
    value networks = engine_find_in(object, "NetworkSettings", "Networks");
    return networks.kind == VALUE_MAP && value_map_has(networks, network);
}

static value read_networks(struct provider_call *c, value object) {
    value wanted = engine_find(c->spec, "networks");
    struct map_builder found = {.arena = c->arena};
    for (size_t i = 0; wanted.kind == VALUE_MAP && i < wanted.map->len; i++) {
        value name = wanted.map->entries[i].item;
        if (name.kind == VALUE_STRING && is_connected(object, value_get_text(name))) {
            map_add(&found, wanted.map->entries[i].key, name);
        }
    }
    return map_done(&found);
}

static sv read_restart(struct provider_call *c, value object) {
    value policy = engine_find_in(object, "HostConfig", "RestartPolicy");
    sv name = engine_get_text(policy, "Name");
    int64_t most = provider_get_i64(policy, SV("MaximumRetryCount"), 0);
    if (sv_eq(name, SV("on-failure")) && most > 0) {
        return arena_printf(c->arena, "on-failure:%lld", (long long)most);
    }
    return name.len > 0 ? name : SV("no");
}

value container_read_spec(struct provider_call *c, value object) {
    sv name = engine_get_text(object, "Name");
    name = sv_has_prefix(name, SV("/")) ? sv_slice(name, 1, name.len) : name;
    value spec = value_map_with(c->arena, c->spec, SV("name"), value_string(c->arena, name));
    if (value_is_set(engine_find(c->spec, "networks"))) {
        spec = value_map_with(c->arena, spec, SV("networks"), read_networks(c, object));
    }
    spec = value_map_with(c->arena, spec, SV("restart"), value_string(c->arena, read_restart(c, object)));
    return value_map_with(c->arena, spec, SV("running"), value_bool(container_is_running(object)));
}

/* --- What it wrote --- */

/* Without a terminal the output comes in frames: eight bytes, of which the last four are the length, and the text. */
static sv join_frames(struct arena *a, sv frames) {
    struct buf text = BUF(a);
    while (frames.len >= 8 && (uint8_t)frames.data[0] <= 2 && frames.data[1] == 0) {
        const uint8_t *head = (const uint8_t *)frames.data;
        size_t len = (size_t)head[4] << 24 | (size_t)head[5] << 16 | (size_t)head[6] << 8 | head[7];
        buf_append(&text, sv_slice(frames, 8, 8 + len));
        frames = sv_slice(frames, 8 + len, frames.len);
    }
    return sv_trim(buf_get_sv(&text));
}

static sv read_log(struct engine *e, sv id) {
    struct engine_request r = {0};
    size_t reasons = e->call->reasons.items.len;
    sv behind = arena_printf(e->call->arena, "/logs?stdout=1&stderr=1&tail=%d", LOG_LINES);
    if (engine_ask_for(e, &r, "GET", (struct engine_path){"/containers/", id, behind.data}) != PROVIDER_OK) {
        e->call->reasons.items.len = reasons;
        return (sv){0};
    }
    sv log = engine_is_success(&r) ? join_frames(e->call->arena, r.body) : (sv){0};
    return log.len > LOG_BYTES ? sv_slice(log, log.len - LOG_BYTES, log.len) : log;
}

static enum provider_result fail_with_log(struct engine *e, sv id, sv what) {
    sv log = read_log(e, id);
    return provider_fail(e->call, PROVIDER_TERMINAL, "%.*s%s%.*s", SV_ARG(what),
                         log.len > 0 ? "; its last lines: " : "", SV_ARG(log));
}

/* --- Health --- */

static bool has_check(value object) {
    value test = engine_find(engine_find_in(object, "Config", "Healthcheck"), "Test");
    return test.kind == VALUE_LIST && test.list->len > 0 &&
           !(test.list->items[0].kind == VALUE_STRING && sv_eq(value_get_text(test.list->items[0]), SV("NONE")));
}

/* Podman leaves checks to timers of systemd, which need not be there: each look is a check then. */
static void run_check(struct engine *e, sv id) {
    struct engine_request r = {0};
    sv version = e->version;
    size_t reasons = e->call->reasons.items.len;
    e->version = SV("/v4.0.0/libpod");
    engine_ask_for(e, &r, "GET", (struct engine_path){"/containers/", id, "/healthcheck"});
    e->version = version;
    e->call->reasons.items.len = reasons; /* what came of it is seen in the container */
}

static enum provider_result fail_ended(struct engine *e, sv id, value object) {
    int64_t code = provider_get_i64(engine_find(object, "State"), SV("ExitCode"), -1);
    sv what =
        arena_printf(e->call->arena, "the container ended with exit code %lld before it was ready", (long long)code);
    return fail_with_log(e, id, what);
}

/* One look: OK and NOT_YET, or a failure. */
static enum provider_result look(struct engine *e, sv id, value *object) {
    enum provider_result result = object_find(e, &container_kind, id, object);
    if (result != PROVIDER_OK) {
        return result == PROVIDER_ABSENT
                   ? provider_fail(e->call, PROVIDER_TRANSIENT, "the container was removed while it started")
                   : result;
    }
    if (!container_is_running(*object)) {
        return fail_ended(e, id, *object);
    }
    if (!has_check(*object)) {
        return PROVIDER_OK;
    }
    sv status = engine_get_text(engine_find_in(*object, "State", "Health"), "Status");
    if (sv_eq(status, SV("unhealthy"))) {
        return fail_with_log(e, id, SV("the container is unhealthy"));
    }
    return sv_eq(status, SV("healthy")) ? PROVIDER_OK : PROVIDER_NOT_YET;
}

static int64_t get_now(struct engine *e) {
    return e->call->host->ops->get_monotonic_ms(e->call->host->user);
}

enum provider_result container_await(struct engine *e, sv id, value *object) {
    int64_t end = get_now(e) + provider_get_i64(e->call->spec, SV("waitTimeoutMs"), 60000);
    int64_t interval = provider_get_i64(engine_find(e->call->spec, "healthCheck"), SV("intervalMs"), 5000);
    int64_t next_check = 0;
    engine_pause(e, SETTLE_MS);
    for (;;) {
        enum provider_result result = look(e, id, object);
        if (result != PROVIDER_NOT_YET) {
            return result;
        }
        if (get_now(e) >= end) {
            return fail_with_log(e, id, SV("the container was not healthy in time"));
        }
        if (e->is_podman && get_now(e) >= next_check) {
            run_check(e, id);
            next_check = get_now(e) + interval;
        } else if (!engine_pause(e, POLL_MS)) {
            return provider_fail(e->call, PROVIDER_TRANSIENT, "the operation was cancelled, or its time is over");
        }
    }
}
