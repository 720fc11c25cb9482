/* docker/network: a network that containers join. The engine knows it by id; its name is unique. */
#include "providers/docker/docker_provider.h"
#include "providers/docker/object.h"

static const struct object_kind kind = {.what = "network", .path = "/networks/"};

static const struct schema name_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_REQUIRED | SCHEMA_MUST_RECREATE,
    .pattern = "^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$",
    .text = SV_INIT("Name of the network in the engine"),
};
static const struct schema driver_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_MUST_RECREATE | SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .default_json = "\"bridge\"",
    .text = SV_INIT("Driver of the network"),
};
static const struct schema internal_schema = {
    .type = SCHEMA_BOOLEAN,
    .flags = SCHEMA_MUST_RECREATE,
    .default_json = "false",
    .text = SV_INIT("Whether nothing outside can be reached from it"),
};
static const struct schema subnet_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_MUST_RECREATE,
    .pattern = "^[0-9a-fA-F.:]+/[0-9]+$",
    .text = SV_INIT("Addresses of the network, `10.20.0.0/24`; the engine chooses by default"),
};
static const struct schema gateway_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_MUST_RECREATE,
    .pattern = "^[0-9a-fA-F.:]+$",
    .text = SV_INIT("Address of the way out, within `subnet`"),
};
static const struct schema id_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("Id that the engine gave it"),
};
static const struct schema_attribute attributes[] = {
    {SV_INIT("name"), &name_schema},
    {SV_INIT("driver"), &driver_schema},
    {SV_INIT("internal"), &internal_schema},
    {SV_INIT("subnet"), &subnet_schema},
    {SV_INIT("gateway"), &gateway_schema},
    {SV_INIT("labels"), &docker_labels_schema},
    {SV_INIT("options"), &docker_texts_schema},
    {SV_INIT("id"), &id_schema},
};
static const struct schema schema = {
    .type = SCHEMA_OBJECT,
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
};

/* --- Between spec and engine --- */

static void add_text(struct map_builder *to, const char *key, sv text) {
    if (text.len > 0) {
        map_add(to, sv_from_cstr(key), value_string(to->arena, text));
    }
}

static value make_addresses(struct provider_call *c) {
    struct map_builder range = {.arena = c->arena}, ipam = {.arena = c->arena};
    struct list_builder ranges = {.arena = c->arena};
    add_text(&range, "Subnet", provider_get_text(c->spec, SV("subnet")));
    add_text(&range, "Gateway", provider_get_text(c->spec, SV("gateway")));
    list_add(&ranges, map_done(&range));
    map_add(&ipam, SV("Config"), list_done(&ranges));
    return map_done(&ipam);
}

static value make_content(struct provider_call *c) {
    struct map_builder content = {.arena = c->arena};
    map_add(&content, SV("Name"), engine_find(c->spec, "name"));
    map_add(&content, SV("CheckDuplicate"), value_bool(true));
    add_text(&content, "Driver", provider_get_text(c->spec, SV("driver")));
    map_add(&content, SV("Internal"), value_bool(provider_get_bool(c->spec, SV("internal"))));
    map_add(&content, SV("Labels"), object_make_labels(c));
    value options = engine_find(c->spec, "options");
    if (options.kind == VALUE_MAP && options.map->len > 0) {
        map_add(&content, SV("Options"), options);
    }
    if (value_is_set(engine_find(c->spec, "subnet"))) {
        map_add(&content, SV("IPAM"), make_addresses(c));
    }
    return map_done(&content);
}

static value compute(struct provider_call *c, value object) {
    struct map_builder computed = {.arena = c->arena};
    map_add(&computed, SV("id"), value_string(c->arena, engine_get_text(object, "Id")));
    return map_done(&computed);
}

/* --- Operations --- */

static enum provider_result network_create(struct provider_call *c) {
    struct engine e;
    value object;
    struct engine_request r = {.path = SV("/networks/create"), .content = make_content(c)};
    enum provider_result result = engine_open(c, &e);
    if (result == PROVIDER_OK) {
        result = object_make(&e, &kind, &r, &object);
    }
    if (result == PROVIDER_OK) {
        c->computed = compute(c, object);
    }
    return result;
}

/* All of a network is settled when it is made. */
static enum provider_result network_read(struct provider_call *c) {
    struct engine e;
    value object;
    sv id = provider_get_text(c->prior, SV("id"));
    if (id.len == 0) {
        return PROVIDER_ABSENT;
    }
    enum provider_result result = engine_open(c, &e);
    if (result == PROVIDER_OK) {
        result = object_find(&e, &kind, id, &object);
    }
    if (result == PROVIDER_OK) {
        c->computed = compute(c, object);
        c->found_spec = c->spec;
    }
    return result;
}

static enum provider_result network_update(struct provider_call *c) {
    return network_read(c);
}

static enum provider_result remove_marked(struct engine *e) {
    value object;
    enum provider_result result = object_find(e, &kind, provider_get_text(e->call->spec, SV("name")), &object);
    if (result != PROVIDER_OK || !object_is_of_element(e->call, &kind, object)) {
        return result == PROVIDER_OK ? PROVIDER_ABSENT : result;
    }
    return object_remove(e, &kind, engine_get_text(object, "Id"));
}

static enum provider_result network_destroy(struct provider_call *c) {
    struct engine e;
    enum provider_result result = engine_open(c, &e);
    if (result != PROVIDER_OK) {
        return result;
    }
    sv id = provider_get_text(c->prior, SV("id"));
    return id.len > 0 ? object_remove(&e, &kind, id) : remove_marked(&e);
}

static enum provider_result network_recover(struct provider_call *c) {
    struct engine e;
    value object;
    if (engine_open(c, &e) != PROVIDER_OK) {
        return PROVIDER_CANNOT_TELL;
    }
    enum provider_result result = object_recover(&e, &kind, &object);
    if (result == PROVIDER_OK) {
        c->computed = compute(c, object);
    }
    return result;
}

/* --- import --- */

static value find_range(value object) {
    value ranges = engine_find_in(object, "IPAM", "Config");
    return ranges.kind == VALUE_LIST && ranges.list->len > 0 ? ranges.list->items[0] : (value){0};
}

/* What the engine chose of its own accord is not part of the spec. */
static value read_spec(struct provider_call *c, value object) {
    value spec = c->spec, range = find_range(object);
    spec = value_map_with(c->arena, spec, SV("name"), value_string(c->arena, engine_get_text(object, "Name")));
    spec = value_map_with(c->arena, spec, SV("driver"), value_string(c->arena, engine_get_text(object, "Driver")));
    spec = value_map_with(c->arena, spec, SV("internal"), value_bool(engine_get_bool(object, "Internal")));
    spec = value_map_with(c->arena, spec, SV("labels"), object_get_labels(c->arena, &kind, object));
    const char *const names[][2] = {{"subnet", "Subnet"}, {"gateway", "Gateway"}};
    for (size_t i = 0; i < 2; i++) {
        sv found = engine_get_text(range, names[i][1]);
        if (value_is_set(engine_find(spec, names[i][0])) && found.len > 0) {
            spec = value_map_with(c->arena, spec, sv_from_cstr(names[i][0]), value_string(c->arena, found));
        }
    }
    return spec;
}

static enum provider_result network_find(struct provider_call *c) {
    struct engine e;
    value object;
    enum provider_result result = engine_open(c, &e);
    if (result == PROVIDER_OK) {
        result = object_find(&e, &kind, c->physical_id, &object);
    }
    if (result == PROVIDER_OK && !sv_eq(engine_get_text(object, "Name"), c->physical_id)) {
        return PROVIDER_ABSENT; /* found by its id */
    }
    if (result == PROVIDER_OK) {
        c->computed = compute(c, object);
        c->found_spec = read_spec(c, object);
    }
    return result;
}

static void network_validate(struct arena *a, value spec, struct diags *diags, span at, sv prefix) {
    (void)a;
    object_validate_labels(spec, diags, at, prefix);
    if (value_is_set(engine_find(spec, "gateway")) && !value_is_set(engine_find(spec, "subnet"))) {
        provider_add_mistake(diags, SV("docker_gateway_without_subnet"), at, prefix, SV("gateway"),
                             "'gateway' needs 'subnet'");
    }
}

const struct resource_type docker_network_type = {
    .name = SV_INIT("docker/network"),
    .summary = SV_INIT("A network of containers"),
    .details = SV_INIT("Containers in the same network find one another by their names. A network cannot be changed: "
                       "every change makes a new one, for which all containers have to leave the old. One that another "
                       "has made is never taken for one's own because of its name; `lintel import` does that. The "
                       "engine is the one at `DOCKER_HOST`, by default `unix:///var/run/docker.sock`; `tcp://` "
                       "addresses use `DOCKER_TLS_VERIFY` and `DOCKER_CERT_PATH`. Version 1.41 or later of the Docker "
                       "Engine API is spoken; no docker program is needed."),
    .example = SV_INIT("backend:\n"
                       "  type: docker/network\n"
                       "  spec:\n"
                       "    name: shop-backend\n"
                       "    internal: true\n"),
    .id_field = SV_INIT("name"),
    .import_id = SV_INIT("the name of the network"),
    .destroy_before_create = true,
    .promise = PROMISE_EXACT,
    .schema = &schema,
    .version = 1,
    .deadline_ms = 60000,
    .validate = network_validate,
    .create = network_create,
    .read = network_read,
    .update = network_update,
    .destroy = network_destroy,
    .recover = network_recover,
    .find = network_find,
};
