/* What a container gets from the networks, volumes and databases it is linked to: networks it joins, mounts, and
 * environment variables. */
#include "model/link_variable.h"
#include "providers/docker/container.h"

static value find_annotation(const struct link_call *c, const char *family, const char *name) {
    sv key = arena_printf(c->arena, "docker.%s.%.*s.%s", family, SV_ARG(c->name_b), name);
    value annotations = engine_find(c->metadata_a, "annotations");
    return annotations.kind == VALUE_MAP ? value_map_find(annotations, key) : (value){0};
}

static void contribute(struct link_call *c, const char *map_name, sv key, value item) {
    struct path path = path_with_key(c->arena, path_with_key(c->arena, (struct path){0}, sv_from_cstr(map_name)), key);
    VEC_PUSH(c->arena, &c->contributions,
             ((struct link_contribution){.side = LINK_SIDE_A, .path = path, .item = item, .needs_other = true}));
}

static value get_text_of_b(const struct link_call *c, const char *name) {
    value text = engine_find(c->spec_b, name);
    return text.kind == VALUE_STRING ? text : value_unknown(&type_string);
}

/* --- Networks --- */

static bool stage_network(struct link_call *c) {
    struct map_builder data = {.arena = c->arena};
    value name = get_text_of_b(c, "name");
    contribute(c, "networks", c->name_b, name);
    map_add(&data, SV("network"), name);
    c->data = map_done(&data);
    return true;
}

/* --- Mounts --- */

/* False after a report. */
static bool get_target(struct link_call *c, const char *family, value *target) {
    value v = find_annotation(c, family, "target");
    if (v.kind == VALUE_UNKNOWN) {
        *target = v;
        return true;
    }
    sv path = v.kind == VALUE_STRING ? value_get_text(v) : arena_printf(c->arena, "/mnt/%.*s", SV_ARG(c->name_b));
    *target = value_string(c->arena, path);
    if (sv_has_prefix(path, SV("/"))) {
        return true;
    }
    diags_add(c->diags, DIAG_link_annotation_invalid, c->at_a,
              "annotation 'docker.%s.%.*s.target' is no absolute path in the container", family,
              SV_ARG(sv_slice(c->name_b, 0, 100)));
    return false;
}

/* Annotations may be written as text. */
static bool is_read_only(const struct link_call *c, const char *family) {
    value v = find_annotation(c, family, "readOnly");
    return (v.kind == VALUE_BOOL && v.boolean) || (v.kind == VALUE_STRING && sv_eq(value_get_text(v), SV("true")));
}

static value make_mount(struct link_call *c, const char *kind, value source, value target) {
    struct map_builder mount = {.arena = c->arena};
    map_add(&mount, sv_from_cstr(kind), source);
    map_add(&mount, SV("target"), target);
    const char *family = kind[0] == 'v' ? "volume" : "database";
    map_add(&mount, SV("readOnly"), value_bool(is_read_only(c, family)));
    return map_done(&mount);
}

static bool stage_volume(struct link_call *c) {
    struct map_builder data = {.arena = c->arena};
    value target, name = get_text_of_b(c, "name");
    if (!get_target(c, "volume", &target)) {
        return false;
    }
    contribute(c, "mounts", c->name_b, make_mount(c, "volume", name, target));
    map_add(&data, SV("volume"), name);
    map_add(&data, SV("target"), target);
    c->data = map_done(&data);
    return true;
}

/* --- Databases --- */

/* False after a report. */
static bool get_variable_name(struct link_call *c, sv *name) {
    value v = find_annotation(c, "database", "envVarName");
    *name = v.kind == VALUE_STRING ? value_get_text(v) : link_variable_derive(c->arena, c->name_b);
    if (link_variable_is_name(*name)) {
        return true;
    }
    diags_add(c->diags, DIAG_link_annotation_invalid, c->at_a,
              "annotation 'docker.database.%.*s.envVarName' is no name of an environment variable",
              SV_ARG(sv_slice(c->name_b, 0, 100)));
    return false;
}

/* The directory, since the database keeps further files beside its own; and its path in the container. */
static void split_path(struct link_call *c, value target, value *dir, value *inside) {
    value path = get_text_of_b(c, "path");
    *dir = *inside = value_unknown(&type_string);
    if (path.kind != VALUE_STRING || target.kind != VALUE_STRING) {
        return;
    }
    sv text = value_get_text(path), place = value_get_text(target);
    size_t slash = sv_rfind_char(text, '/');
    sv name = slash == SIZE_MAX ? text : sv_slice(text, slash + 1, text.len);
    sv above = slash == SIZE_MAX ? SV(".") : slash == 0 ? SV("/") : sv_slice(text, 0, slash);
    struct buf full = BUF(c->arena);
    buf_append(&full, place);
    buf_append_cstr(&full, sv_has_suffix(place, SV("/")) ? "" : "/");
    buf_append(&full, name);
    *dir = value_string(c->arena, above);
    *inside = value_string(c->arena, buf_get_sv(&full));
}

static bool stage_database(struct link_call *c) {
    struct map_builder data = {.arena = c->arena};
    value target, dir, inside;
    sv name;
    if (!get_target(c, "database", &target) || !get_variable_name(c, &name)) {
        return false;
    }
    split_path(c, target, &dir, &inside);
    contribute(c, "mounts", c->name_b, make_mount(c, "path", dir, target));
    contribute(c, "environment", name, inside);
    map_add(&data, SV("envVarName"), value_string(c->arena, name));
    map_add(&data, SV("database"), inside);
    c->data = map_done(&data);
    return true;
}

/* --- Tables --- */

#define TARGET_TEXT    "Where it is in the container; `/mnt/` and the name of the resource by default"
#define READ_ONLY_TEXT "Whether the container may only read it; false by default"

/* sorted */
static const struct link_annotation volume_annotations[] = {
    {
        .key = SV_INIT("docker.volume.<resourceName>.readOnly"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_BOOLEAN,
        .text = SV_INIT(READ_ONLY_TEXT),
    },
    {
        .key = SV_INIT("docker.volume.<resourceName>.target"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_STRING,
        .text = SV_INIT(TARGET_TEXT),
    },
};

/* sorted */
static const struct link_annotation database_annotations[] = {
    {
        .key = SV_INIT("docker.database.<resourceName>.envVarName"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_STRING,
        .text = SV_INIT("Name of the variable with the path of the database in the container; by default the name of "
                        "the resource in upper case with `_PATH` behind it"),
    },
    {
        .key = SV_INIT("docker.database.<resourceName>.readOnly"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_BOOLEAN,
        .text = SV_INIT(READ_ONLY_TEXT),
    },
    {
        .key = SV_INIT("docker.database.<resourceName>.target"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_STRING,
        .text = SV_INIT(TARGET_TEXT),
    },
};

const struct link_type container_to_network_link = {
    .type_a = SV_INIT("docker/container"),
    .type_b = SV_INIT("docker/network"),
    .summary = SV_INIT("The container joins the network"),
    .details = SV_INIT("The network is made before the container and removed after it."),
    .hard = true,
    .priority = LINK_SIDE_B,
    .stage = stage_network,
};

const struct link_type container_to_volume_link = {
    .type_a = SV_INIT("docker/container"),
    .type_b = SV_INIT("docker/volume"),
    .summary = SV_INIT("The container has the volume in its file system"),
    .details = SV_INIT("The volume is made before the container and removed after it."),
    .hard = true,
    .priority = LINK_SIDE_B,
    .annotations = volume_annotations,
    .annotation_count = sizeof volume_annotations / sizeof volume_annotations[0],
    .stage = stage_volume,
};

const struct link_type container_to_database_link = {
    .type_a = SV_INIT("docker/container"),
    .type_b = SV_INIT("sqlite/database"),
    .summary = SV_INIT("The container uses the database"),
    .details = SV_INIT("The database exists before the container starts, with its migrations applied. Its directory, "
                       "with all that lies in it, is mounted, since a database keeps further files beside its own; its "
                       "path in the container comes as an environment variable. The engine has to be on this machine."),
    .hard = true,
    .priority = LINK_SIDE_B,
    .annotations = database_annotations,
    .annotation_count = sizeof database_annotations / sizeof database_annotations[0],
    .stage = stage_database,
};
