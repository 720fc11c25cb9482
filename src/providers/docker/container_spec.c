/* From the spec of a container to what the engine is told to make. */
#include "providers/docker/container.h"

#include "base/num.h"

#define NS_PER_MS 1000000

static bool has_nul(value v) {
    if (v.kind == VALUE_STRING) {
        return value_get_text(v).len > 0 && sv_find_char(value_get_text(v), 0) != SIZE_MAX;
    }
    for (size_t i = 0; v.kind == VALUE_LIST && i < v.list->len; i++) {
        if (v.list->items[i].kind == VALUE_STRING && has_nul(v.list->items[i])) {
            return true;
        }
    }
    return false;
}

static void copy(struct map_builder *to, const char *key, value spec, const char *field) {
    value item = engine_find(spec, field);
    if (value_is_set(item)) {
        map_add(to, sv_from_cstr(key), item);
    }
}

static value make_text(struct map_builder *of, sv text) {
    return value_string(of->arena, text);
}

/* --- Environment --- */

static enum provider_result add_environment(struct provider_call *c, struct map_builder *content) {
    value variables = engine_find(c->spec, "environment");
    struct list_builder list = {.arena = c->arena};
    for (size_t i = 0; variables.kind == VALUE_MAP && i < variables.map->len; i++) {
        sv name = variables.map->entries[i].key;
        value item = variables.map->entries[i].item;
        if (name.len == 0 || sv_find_char(name, '=') != SIZE_MAX || sv_find_char(name, 0) != SIZE_MAX ||
            has_nul(item)) {
            return provider_fail(c, PROVIDER_TERMINAL, "environment variable %zu has an impossible name or a NUL in it",
                                 i + 1);
        }
        struct buf entry = BUF(c->arena);
        buf_append(&entry, name);
        buf_append_char(&entry, '=');
        buf_append(&entry, item.kind == VALUE_STRING ? value_get_text(item) : (sv){0});
        list_add(&list, value_string(c->arena, buf_get_sv(&entry)));
    }
    map_add(content, SV("Env"), list_done(&list));
    return PROVIDER_OK;
}

/* --- Ports --- */

static sv print_port(struct arena *a, value port) {
    return arena_printf(a, "%lld/%.*s", (long long)provider_get_i64(port, SV("containerPort"), 0),
                        SV_ARG(provider_get_text(port, SV("protocol"))));
}

static value make_binding(struct arena *a, value port) {
    struct map_builder binding = {.arena = a};
    struct list_builder list = {.arena = a};
    int64_t number = provider_get_i64(port, SV("hostPort"), 0);
    map_add(&binding, SV("HostIp"), make_text(&binding, provider_get_text(port, SV("hostAddress"))));
    sv text = number > 0 ? arena_printf(a, "%lld", (long long)number) : (sv){0};
    map_add(&binding, SV("HostPort"), make_text(&binding, text));
    list_add(&list, map_done(&binding));
    return list_done(&list);
}

static void add_ports(struct provider_call *c, struct map_builder *content, struct map_builder *host) {
    value ports = engine_find(c->spec, "ports");
    struct map_builder exposed = {.arena = c->arena}, bindings = {.arena = c->arena}, none = {.arena = c->arena};
    for (size_t i = 0; ports.kind == VALUE_LIST && i < ports.list->len; i++) {
        sv key = print_port(c->arena, ports.list->items[i]);
        map_set(&exposed, key, map_done(&none));
        map_set(&bindings, key, make_binding(c->arena, ports.list->items[i]));
    }
    map_add(content, SV("ExposedPorts"), map_done(&exposed));
    map_add(host, SV("PortBindings"), map_done(&bindings));
}

/* --- Mounts, networks, restarts --- */

static value make_mount(struct provider_call *c, value mount) {
    struct map_builder made = {.arena = c->arena};
    sv volume = provider_get_text(mount, SV("volume"));
    sv source = volume.len > 0 ? volume : provider_get_absolute_path(c, provider_get_text(mount, SV("path")));
    map_add(&made, SV("Type"), value_string(c->arena, volume.len > 0 ? SV("volume") : SV("bind")));
    map_add(&made, SV("Source"), value_string(c->arena, source));
    copy(&made, "Target", mount, "target");
    map_add(&made, SV("ReadOnly"), value_bool(provider_get_bool(mount, SV("readOnly"))));
    return map_done(&made);
}

static void add_mounts(struct provider_call *c, struct map_builder *host) {
    value mounts = engine_find(c->spec, "mounts");
    struct list_builder list = {.arena = c->arena};
    for (size_t i = 0; mounts.kind == VALUE_MAP && i < mounts.map->len; i++) {
        list_add(&list, make_mount(c, mounts.map->entries[i].item));
    }
    if (list.len > 0) {
        map_add(host, SV("Mounts"), list_done(&list));
    }
}

static void add_restart(struct provider_call *c, struct map_builder *host) {
    sv count = provider_get_text(c->spec, SV("restart")), name = sv_cut(&count, ':');
    struct map_builder policy = {.arena = c->arena};
    int64_t most = 0;
    map_add(&policy, SV("Name"), value_string(c->arena, name));
    if (count.len > 0 && num_parse_i64(count, 10, &most) == NUM_OK) {
        map_add(&policy, SV("MaximumRetryCount"), value_int(most));
    }
    map_add(host, SV("RestartPolicy"), map_done(&policy));
}

void container_list_networks(struct arena *a, value spec, struct container_networks *networks) {
    value map = engine_find(spec, "networks");
    for (size_t i = 0; map.kind == VALUE_MAP && i < map.map->len; i++) {
        if (map.map->entries[i].item.kind == VALUE_STRING) {
            VEC_PUSH(a, &networks->items, value_get_text(map.map->entries[i].item));
        }
    }
}

/* The first network is told when the container is made; older versions of the API take only one there. */
static void add_network(struct provider_call *c, struct map_builder *content, struct map_builder *host) {
    struct container_networks networks = {0};
    container_list_networks(c->arena, c->spec, &networks);
    if (networks.items.len == 0) {
        return;
    }
    struct map_builder none = {.arena = c->arena}, points = {.arena = c->arena}, config = {.arena = c->arena};
    map_add(host, SV("NetworkMode"), value_string(c->arena, networks.items.items[0]));
    map_add(&points, networks.items.items[0], map_done(&none));
    map_add(&config, SV("EndpointsConfig"), map_done(&points));
    map_add(content, SV("NetworkingConfig"), map_done(&config));
}

/* --- Health --- */

static void add_duration(struct map_builder *to, const char *key, value check, const char *field) {
    int64_t ns;
    if (num_mul_i64(provider_get_i64(check, sv_from_cstr(field), 0), NS_PER_MS, &ns)) {
        map_add(to, sv_from_cstr(key), value_int(ns));
    }
}

static void add_health(struct provider_call *c, struct map_builder *content) {
    value check = engine_find(c->spec, "healthCheck"), command = engine_find(check, "command");
    if (command.kind != VALUE_LIST) {
        return;
    }
    struct list_builder test = {.arena = c->arena};
    list_add(&test, value_string(c->arena, SV("CMD")));
    for (size_t i = 0; i < command.list->len; i++) {
        list_add(&test, command.list->items[i]);
    }
    struct map_builder made = {.arena = c->arena};
    map_add(&made, SV("Test"), list_done(&test));
    add_duration(&made, "Interval", check, "intervalMs");
    add_duration(&made, "Timeout", check, "timeoutMs");
    add_duration(&made, "StartPeriod", check, "startPeriodMs");
    map_add(&made, SV("Retries"), value_int(provider_get_i64(check, SV("retries"), 3)));
    map_add(content, SV("Healthcheck"), map_done(&made));
}

enum provider_result container_make_content(struct provider_call *c, value *content) {
    struct map_builder made = {.arena = c->arena}, host = {.arena = c->arena};
    if (has_nul(engine_find(c->spec, "command")) || has_nul(engine_find(c->spec, "entrypoint"))) {
        return provider_fail(c, PROVIDER_TERMINAL, "an argument has a NUL in it");
    }
    copy(&made, "Image", c->spec, "image");
    copy(&made, "Cmd", c->spec, "command");
    copy(&made, "Entrypoint", c->spec, "entrypoint");
    copy(&made, "User", c->spec, "user");
    copy(&made, "WorkingDir", c->spec, "workingDirectory");
    copy(&made, "StopTimeout", c->spec, "stopTimeout");
    map_add(&made, SV("Labels"), object_make_labels(c));
    enum provider_result result = add_environment(c, &made);
    add_ports(c, &made, &host);
    add_mounts(c, &host);
    add_restart(c, &host);
    add_network(c, &made, &host);
    add_health(c, &made);
    map_add(&made, SV("HostConfig"), map_done(&host));
    *content = map_done(&made);
    return result;
}
