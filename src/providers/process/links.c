/* What a service gets from the databases and files it is linked to: environment variables and, for files, a reason to
 * restart. */
#include "model/link_variable.h"
#include "providers/process/process_provider.h"
#include "seal/seal.h"

struct wiring {
    sv populate_key;  /* annotation of the service: whether variables are set at all */
    sv name_prefix;   /* annotation PREFIX.RESOURCE.envVarName: another name for one resource */
    const char *what; /* "database", "file" */
};

static value find_in(value map, sv name) {
    return map.kind == VALUE_MAP ? value_map_find(map, name) : (value){0};
}

static value find_annotation(const struct link_call *c, sv key) {
    return find_in(find_in(c->metadata_a, SV("annotations")), key);
}

/* Annotations may be written as text. True while the annotation is not known yet: the plan then shows what is usual. */
static bool wants_variables(const struct link_call *c, const struct wiring *w) {
    value v = find_annotation(c, w->populate_key);
    if (v.kind == VALUE_BOOL) {
        return v.boolean;
    }
    return v.kind != VALUE_STRING || !sv_eq(value_get_text(v), SV("false"));
}

/* False after a report. */
static bool get_variable_name(struct link_call *c, const struct wiring *w, sv *name) {
    sv key = arena_printf(c->arena, "%.*s.%.*s.envVarName", SV_ARG(w->name_prefix), SV_ARG(c->name_b));
    value v = find_annotation(c, key);
    *name = v.kind == VALUE_STRING ? value_get_text(v) : link_variable_derive(c->arena, c->name_b);
    if (link_variable_is_name(*name) && !sv_has_prefix(*name, SV("LINTEL_"))) {
        return true;
    }
    diags_add(c->diags, DIAG_link_annotation_invalid, c->at_a,
              "annotation '%.*s' is no name of an environment variable", SV_ARG(sv_slice(key, 0, 200)));
    return false;
}

static void contribute(struct link_call *c, sv map_name, sv key, value item) {
    struct path path = path_with_key(c->arena, path_with_key(c->arena, (struct path){0}, map_name), key);
    VEC_PUSH(c->arena, &c->contributions,
             ((struct link_contribution){.side = LINK_SIDE_A, .path = path, .item = item, .needs_other = true}));
}

static value get_path_of_b(const struct link_call *c) {
    value path = find_in(c->spec_b, SV("path"));
    return path.kind == VALUE_STRING ? path : value_unknown(&type_string);
}

/* Variable and link data; false after a report. */
static bool wire_path(struct link_call *c, const struct wiring *w, struct map_builder *data) {
    if (!wants_variables(c, w)) {
        return true;
    }
    sv name;
    if (!get_variable_name(c, w, &name)) {
        return false;
    }
    value path = get_path_of_b(c);
    contribute(c, SV("environment"), name, path);
    map_add(data, SV("envVarName"), value_string(c->arena, name));
    map_add(data, sv_from_cstr(w->what), path);
    return true;
}

static bool stage_database(struct link_call *c) {
    static const struct wiring wiring = {
        .populate_key = SV_INIT("process.sqlite.populateEnvVars"),
        .name_prefix = SV_INIT("process.sqlite"),
        .what = "database",
    };
    struct map_builder data = {.arena = c->arena};
    bool is_ok = wire_path(c, &wiring, &data) && registry_stage(c, &data);
    c->data = map_done(&data);
    return is_ok;
}

/* Of the contents as they are wanted, so that it is known before they are written. */
static value digest_contents(const struct link_call *c) {
    value contents = find_in(c->spec_b, SV("contents"));
    if (contents.kind != VALUE_STRING) {
        return value_unknown(&type_string);
    }
    value digest = value_string(c->arena, seal_sha256(c->arena, value_get_text(contents)));
    return value_is_sensitive(contents) ? value_mark(digest, MARK_SENSITIVE) : digest;
}

static bool stage_file(struct link_call *c) {
    static const struct wiring wiring = {
        .populate_key = SV_INIT("process.file.populateEnvVars"),
        .name_prefix = SV_INIT("process.file"),
        .what = "file",
    };
    struct map_builder data = {.arena = c->arena};
    bool is_ok = wire_path(c, &wiring, &data);
    value digest = digest_contents(c);
    contribute(c, SV("restartOn"), c->name_b, digest);
    map_add(&data, SV("sha256"), digest);
    c->data = map_done(&data);
    return is_ok;
}

/* --- Tables --- */

/* sorted */
static const struct link_annotation database_annotations[] = {
    {
        .key = SV_INIT("process.sqlite.<resourceName>.envVarName"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_STRING,
        .text =
            SV_INIT("Name of the variable with the path of this database; by default the name of the resource in upper "
                    "case with `_PATH` behind it"),
    },
    {
        .key = SV_INIT("process.sqlite.<resourceName>.registerIn"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_STRING,
        .text = SV_INIT("A table of this database, with the columns `name` and `url`, in which the service is entered "
                        "under the name of its resource; without it, it is entered nowhere"),
    },
    {
        .key = SV_INIT("process.sqlite.<resourceName>.registerUrl"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_STRING,
        .text = SV_INIT("The URL that is entered; by default `http://127.0.0.1:` and the `port` of the service"),
    },
    {
        .key = SV_INIT("process.sqlite.populateEnvVars"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_BOOLEAN,
        .text = SV_INIT("Whether the service gets a variable for each linked database; true by default"),
    },
};

/* sorted */
static const struct link_annotation file_annotations[] = {
    {
        .key = SV_INIT("process.file.<resourceName>.envVarName"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_STRING,
        .text = SV_INIT(
            "Name of the variable with the path of this file; by default the name of the resource in upper case "
            "with `_PATH` behind it"),
    },
    {
        .key = SV_INIT("process.file.populateEnvVars"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_BOOLEAN,
        .text = SV_INIT("Whether the service gets a variable for each linked file; true by default"),
    },
};

const struct link_type service_to_sqlite_database_link = {
    .type_a = SV_INIT("process/service"),
    .type_b = SV_INIT("sqlite/database"),
    .summary = SV_INIT("The service uses the database"),
    .details = SV_INIT("The database exists before the service starts, with its migrations applied; its path comes to "
                       "the service as an environment variable. On demand the service is entered in a table of the "
                       "database once it runs, where others find it; the entry goes with the link, and one that was "
                       "changed by hand is drift. The table is made by a migration; which entries are whose is kept in "
                       "the table `lintel_registrations`."),
    .hard = true,
    .priority = LINK_SIDE_B,
    .annotations = database_annotations,
    .annotation_count = sizeof database_annotations / sizeof database_annotations[0],
    .stage = stage_database,
    .deadline_ms = 60000,
    .update_b = registry_update,
    .update_intermediaries = registry_tell,
    .remove_b = registry_remove,
    .read_intermediaries = registry_read,
};

const struct link_type service_to_local_file_link = {
    .type_a = SV_INIT("process/service"),
    .type_b = SV_INIT("local/file"),
    .summary = SV_INIT("The service reads the file"),
    .details = SV_INIT("The file is written before the service starts; its path comes to the service as an environment "
                       "variable, and when "
                       "its contents change the service is restarted."),
    .hard = true,
    .priority = LINK_SIDE_B,
    .annotations = file_annotations,
    .annotation_count = sizeof file_annotations / sizeof file_annotations[0],
    .stage = stage_file,
};
