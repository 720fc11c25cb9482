/* docker/volume: what outlives containers. The engine knows it by name alone; when it was made tells it from another of
 * the same name. */
#include "providers/docker/docker_provider.h"
#include "providers/docker/object.h"

static const struct object_kind kind = {.what = "volume", .path = "/volumes/"};

static const struct schema name_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_REQUIRED | SCHEMA_MUST_RECREATE,
    .pattern = "^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$",
    .text = SV_INIT("Name of the volume in the engine"),
};
static const struct schema driver_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_MUST_RECREATE | SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .default_json = "\"local\"",
    .text = SV_INIT("Driver of the volume"),
};
static const struct schema created_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("When the engine made it"),
};
static const struct schema mountpoint_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("Where it lies on the engine's machine"),
};
static const struct schema_attribute attributes[] = {
    {SV_INIT("name"), &name_schema},
    {SV_INIT("driver"), &driver_schema},
    {SV_INIT("labels"), &docker_labels_schema},
    {SV_INIT("options"), &docker_texts_schema},
    {SV_INIT("createdAt"), &created_schema},
    {SV_INIT("mountpoint"), &mountpoint_schema},
};
static const struct schema schema = {
    .type = SCHEMA_OBJECT,
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
};

static value make_content(struct provider_call *c) {
    struct map_builder content = {.arena = c->arena};
    map_add(&content, SV("Name"), engine_find(c->spec, "name"));
    map_add(&content, SV("Driver"), engine_find(c->spec, "driver"));
    map_add(&content, SV("Labels"), object_make_labels(c));
    value options = engine_find(c->spec, "options");
    if (options.kind == VALUE_MAP && options.map->len > 0) {
        map_add(&content, SV("DriverOpts"), options);
    }
    return map_done(&content);
}

static value compute(struct provider_call *c, value object) {
    struct map_builder computed = {.arena = c->arena};
    map_add(&computed, SV("createdAt"), value_string(c->arena, engine_get_text(object, "CreatedAt")));
    map_add(&computed, SV("mountpoint"), value_string(c->arena, engine_get_text(object, "Mountpoint")));
    return map_done(&computed);
}

/* --- Operations --- */

static enum provider_result volume_create(struct provider_call *c) {
    struct engine e;
    value object;
    struct engine_request r = {.path = SV("/volumes/create"), .content = make_content(c)};
    enum provider_result result = engine_open(c, &e);
    if (result == PROVIDER_OK) {
        result = object_make(&e, &kind, &r, &object);
    }
    if (result == PROVIDER_OK) {
        c->computed = compute(c, object);
    }
    return result;
}

/* The volume of the record, ABSENT when there is none or another of its name. */
static enum provider_result find_recorded(struct engine *e, value *object) {
    struct provider_call *c = e->call;
    sv created = provider_get_text(c->prior, SV("createdAt"));
    enum provider_result result = object_find(e, &kind, provider_get_text(c->spec, SV("name")), object);
    if (result != PROVIDER_OK) {
        return result;
    }
    bool is_it = created.len > 0 ? sv_eq(engine_get_text(*object, "CreatedAt"), created)
                                 : object_is_of_element(c, &kind, *object);
    return is_it ? PROVIDER_OK : PROVIDER_ABSENT;
}

static enum provider_result volume_read(struct provider_call *c) {
    struct engine e;
    value object;
    if (!value_is_set(c->prior)) {
        return PROVIDER_ABSENT;
    }
    enum provider_result result = engine_open(c, &e);
    if (result == PROVIDER_OK) {
        result = find_recorded(&e, &object);
    }
    if (result == PROVIDER_OK) {
        c->computed = compute(c, object);
        c->found_spec = c->spec;
    }
    return result;
}

static enum provider_result volume_update(struct provider_call *c) {
    return volume_read(c);
}

static enum provider_result volume_destroy(struct provider_call *c) {
    struct engine e;
    value object;
    enum provider_result result = engine_open(c, &e);
    if (result == PROVIDER_OK) {
        result = find_recorded(&e, &object);
    }
    return result == PROVIDER_OK ? object_remove(&e, &kind, provider_get_text(c->spec, SV("name"))) : result;
}

static enum provider_result volume_recover(struct provider_call *c) {
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

static enum provider_result volume_find(struct provider_call *c) {
    struct engine e;
    value object;
    enum provider_result result = engine_open(c, &e);
    if (result == PROVIDER_OK) {
        result = object_find(&e, &kind, c->physical_id, &object);
    }
    if (result != PROVIDER_OK) {
        return result;
    }
    value spec = c->spec, options = engine_find(object, "Options");
    spec = value_map_with(c->arena, spec, SV("name"), value_string(c->arena, engine_get_text(object, "Name")));
    spec = value_map_with(c->arena, spec, SV("driver"), value_string(c->arena, engine_get_text(object, "Driver")));
    spec = value_map_with(c->arena, spec, SV("labels"), object_get_labels(c->arena, &kind, object));
    if (options.kind == VALUE_MAP) {
        spec = value_map_with(c->arena, spec, SV("options"), options);
    }
    c->found_spec = spec;
    c->computed = compute(c, object);
    return PROVIDER_OK;
}

static void volume_validate(struct arena *a, value spec, struct diags *diags, span at, sv prefix) {
    (void)a;
    object_validate_labels(spec, diags, at, prefix);
}

const struct resource_type docker_volume_type = {
    .name = SV_INIT("docker/volume"),
    .summary = SV_INIT("A volume that containers keep data in"),
    .details =
        SV_INIT("It outlives the containers that use it, and is removed with all that is in it when the resource "
                "is. A volume cannot be changed: every change makes a new, empty one. One that another has made "
                "is never taken for one's own because of its name; `lintel import` does that. Where the engine "
                "is: see `docker/network`."),
    .example = SV_INIT("data:\n"
                       "  type: docker/volume\n"
                       "  spec:\n"
                       "    name: shop-data\n"),
    .id_field = SV_INIT("name"),
    .import_id = SV_INIT("the name of the volume"),
    .destroy_before_create = true,
    .promise = PROMISE_EXACT,
    .schema = &schema,
    .version = 1,
    .deadline_ms = 60000,
    .validate = volume_validate,
    .create = volume_create,
    .read = volume_read,
    .update = volume_update,
    .destroy = volume_destroy,
    .recover = volume_recover,
    .find = volume_find,
};
