#include "cloud.h"

#include "model/host.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct schema path_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_REQUIRED | SCHEMA_PATH};
static const struct schema text_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_NULLABLE};
static const struct schema kind_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_NULLABLE | SCHEMA_MUST_RECREATE};
static const struct schema id_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_COMPUTED};
static const struct schema_attribute attributes[] = {
    {SV_INIT("region"), &path_schema},
    {SV_INIT("text"), &text_schema},
    {SV_INIT("kind"), &kind_schema},
    {SV_INIT("id"), &id_schema},
};
static const struct schema schema = {.type = SCHEMA_OBJECT, .attributes = attributes, .attribute_count = 4};

/* An object's file: REGION/ID, its first line the key, the rest its text. */
static sv object_path(struct provider_call *c, sv id) {
    sv region = provider_get_text(c->spec, SV("region"));
    return arena_printf(c->arena, "%.*s/%.*s", SV_ARG(region), SV_ARG(id));
}

static bool write_object(struct provider_call *c, sv id, sv key) {
    sv path = object_path(c, id);
    sv temporary = object_path(c, arena_printf(c->arena, ".%.*s-%d", SV_ARG(id), (int)getpid()));
    FILE *f = fopen(temporary.data, "w");
    if (f == NULL) {
        return false;
    }
    sv text = provider_get_text(c->spec, SV("text"));
    fprintf(f, "%.*s\n%.*s\n", SV_ARG(key), SV_ARG(text));
    return fclose(f) == 0 && rename(temporary.data, path.data) == 0;
}

static sv read_key(struct provider_call *c, sv id) {
    char line[64] = "";
    FILE *f = fopen(object_path(c, id).data, "r");
    if (f == NULL) {
        return (sv){0};
    }
    bool ok = fgets(line, sizeof line, f) != NULL;
    fclose(f);
    return ok ? arena_copy_sv(c->arena, sv_trim(sv_from_cstr(line))) : (sv){0};
}

static sv find_by_key(struct provider_call *c, sv key) {
    sv region = provider_get_text(c->spec, SV("region")), found = {0};
    DIR *d = opendir(arena_copy_cstr(c->arena, region));
    for (struct dirent *e; d != NULL && found.len == 0 && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] != '.' && sv_eq(read_key(c, sv_from_cstr(e->d_name)), key)) {
            found = arena_copy_sv(c->arena, sv_from_cstr(e->d_name));
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    return found;
}

static enum provider_result describe(struct provider_call *c, sv id) {
    struct map_builder b = {.arena = c->arena};
    map_add(&b, SV("id"), value_string(c->arena, id));
    c->computed = map_done(&b);
    return PROVIDER_OK;
}

static enum provider_result create(struct provider_call *c) {
    sv key = provider_key_text(c), id = find_by_key(c, key);
    if (id.len == 0) {
        unsigned long long random;
        c->host->ops->fill_random(c->host->user, &random, sizeof random);
        id = arena_printf(c->arena, "object-%016llx", random);
        if (!write_object(c, id, key)) {
            return provider_fail(c, PROVIDER_TERMINAL, "not written: %s", strerror(errno));
        }
    }
    return describe(c, id);
}

static enum provider_result read_object(struct provider_call *c) {
    if (c->physical_id.len == 0 || access(object_path(c, c->physical_id).data, F_OK) != 0) {
        return PROVIDER_ABSENT;
    }
    c->found_spec = c->spec;
    return describe(c, c->physical_id);
}

static enum provider_result update(struct provider_call *c) {
    bool ok = write_object(c, c->physical_id, read_key(c, c->physical_id));
    return ok ? describe(c, c->physical_id) : provider_fail(c, PROVIDER_TERMINAL, "not written: %s", strerror(errno));
}

static enum provider_result destroy(struct provider_call *c) {
    return unlink(object_path(c, c->physical_id).data) == 0 ? PROVIDER_OK : PROVIDER_ABSENT;
}

static enum provider_result recover(struct provider_call *c) {
    sv id = find_by_key(c, provider_key_text(c));
    return id.len == 0 ? PROVIDER_ABSENT : describe(c, id);
}

static const struct resource_type thing_type = {.name = SV_INIT("cloud/thing"),
                                                .id_field = SV_INIT("id"),
                                                .schema = &schema,
                                                .promise = PROMISE_EXACT,
                                                .create = create,
                                                .read = read_object,
                                                .update = update,
                                                .destroy = destroy,
                                                .recover = recover};
static const struct resource_type first_type = {.name = SV_INIT("cloud/unique"),
                                                .id_field = SV_INIT("id"),
                                                .schema = &schema,
                                                .destroy_before_create = true,
                                                .promise = PROMISE_EXACT,
                                                .create = create,
                                                .read = read_object,
                                                .update = update,
                                                .destroy = destroy,
                                                .recover = recover};
static const struct resource_type *const types[] = {&thing_type, &first_type};
const struct provider provider_cloud = {.name = SV_INIT("cloud"), .resources = types, .resource_count = 2};
