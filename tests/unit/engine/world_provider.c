/* The provider `fake`: things that live in the world of the test. */
#include "world.h"

#include <unistd.h>

static const struct schema text_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_NULLABLE};
static const struct schema required_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_REQUIRED};
static const struct schema kind_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_NULLABLE | SCHEMA_MUST_RECREATE};
static const struct schema secret_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_NULLABLE | SCHEMA_SENSITIVE};
static const struct schema size_schema = {.type = SCHEMA_INTEGER, .default_json = "1"};
static const struct schema map_schema = {.type = SCHEMA_MAP, .flags = SCHEMA_NULLABLE, .items = &text_schema};
static const struct schema computed_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_COMPUTED};
static const struct schema token_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_COMPUTED | SCHEMA_SENSITIVE};
static const struct schema identity_schema = {.type = SCHEMA_STRING,
                                              .flags = SCHEMA_REQUIRED | SCHEMA_IDENTITY | SCHEMA_MUST_RECREATE};

static const struct schema_attribute thing_attributes[] = {
    {SV_INIT("name"), &required_schema}, {SV_INIT("kind"), &kind_schema},     {SV_INIT("size"), &size_schema},
    {SV_INIT("note"), &text_schema},     {SV_INIT("secret"), &secret_schema}, {SV_INIT("environment"), &map_schema},
    {SV_INIT("id"), &computed_schema},   {SV_INIT("token"), &token_schema},
};
static const struct schema thing_schema = {.type = SCHEMA_OBJECT,
                                           .attributes = thing_attributes,
                                           .attribute_count = sizeof thing_attributes / sizeof thing_attributes[0]};

static const struct schema_attribute place_attributes[] = {
    {SV_INIT("path"), &identity_schema},
    {SV_INIT("kind"), &kind_schema},
    {SV_INIT("note"), &text_schema},
    {SV_INIT("id"), &computed_schema},
};
static const struct schema place_schema = {.type = SCHEMA_OBJECT,
                                           .attributes = place_attributes,
                                           .attribute_count = sizeof place_attributes / sizeof place_attributes[0]};

static struct world *world_of(const struct provider_call *c) {
    return c->host->user;
}

enum provider_result world_enter(struct provider_call *c, const char *what) {
    struct world *w = world_of(c);
    pthread_mutex_lock(&w->lock);
    sv call = arena_printf(&w->arena, "%s %.*s", what, SV_ARG(c->address.text));
    VEC_PUSH(&w->arena, &w->calls, call);
    enum provider_result result = 0;
    if (w->signal_count > 0 && sv_eq(w->signal_at, call)) {
        bool waits = w->signal_count > 1;
        atomic_fetch_add(&w->signals, w->signal_count);
        w->signal_count = 0;
        pthread_mutex_unlock(&w->lock);
        while (waits && !provider_is_cancelled(c)) { /* done only when nobody waits for it any more */
            usleep(1000);
        }
        pthread_mutex_lock(&w->lock);
    }
    if (sv_eq(w->leap_at, call)) {
        __atomic_add_fetch(&w->monotonic_ms, 3600000, __ATOMIC_RELAXED);
    }
    for (size_t i = 0; i < w->scripts.len && result == 0; i++) {
        struct script *s = &w->scripts.items[i];
        if (s->times > 0 && sv_eq(s->call, call)) {
            s->times--;
            result = s->result;
        }
    }
    return result; /* with the lock */
}

enum provider_result world_leave(struct provider_call *c, enum provider_result result) {
    pthread_mutex_unlock(&world_of(c)->lock);
    return result == PROVIDER_OK || result == PROVIDER_ABSENT || result == PROVIDER_NOT_YET
               ? result
               : provider_fail(c, result, "as scripted, secret %.*s", SV_ARG(provider_get_text(c->spec, SV("secret"))));
}

static struct object *find_key(struct world *w, sv key) {
    for (size_t i = 0; i < w->objects.len; i++) {
        if (!w->objects.items[i].gone && sv_eq(w->objects.items[i].key, key)) {
            return &w->objects.items[i];
        }
    }
    return NULL;
}

static struct object *find_id(struct world *w, sv id) {
    for (size_t i = 0; i < w->objects.len; i++) {
        if (!w->objects.items[i].gone && sv_eq(w->objects.items[i].id, id)) {
            return &w->objects.items[i];
        }
    }
    return NULL;
}

static value describe(struct provider_call *c, const struct object *o) {
    struct map_builder b = {.arena = c->arena};
    map_add(&b, SV("id"), value_string_copy(c->arena, o->id));
    if (sv_eq_cstr(o->type, "thing")) {
        map_add(&b, SV("token"), value_string(c->arena, arena_printf(c->arena, "token-of-%.*s", SV_ARG(o->id))));
    }
    return map_done(&b);
}

static enum provider_result create(struct provider_call *c, const char *type) {
    struct world *w = world_of(c);
    enum provider_result scripted = world_enter(c, "create");
    if (scripted == PROVIDER_NOT_YET) { /* hangs */
        pthread_mutex_unlock(&w->lock);
        while (!provider_is_cancelled(c)) {
            usleep(1000);
        }
        return PROVIDER_TERMINAL;
    }
    if (scripted != 0) {
        return world_leave(c, scripted);
    }
    sv key = provider_key_text(c);
    struct object *o = find_key(w, key); /* the same key makes one object (LC-072) */
    if (o == NULL) {
        o = VEC_ADD(&w->arena, &w->objects);
        o->id = arena_printf(&w->arena, "%s-%zu", type, ++w->next_id);
        o->type = sv_from_cstr(type);
        o->key = arena_copy_sv(&w->arena, key);
    }
    o->spec = value_copy(&w->arena, c->spec);
    c->computed = describe(c, o);
    return world_leave(c, PROVIDER_OK);
}

static enum provider_result create_thing(struct provider_call *c) {
    return create(c, "thing");
}

static enum provider_result create_place(struct provider_call *c) {
    struct world *w = world_of(c);
    pthread_mutex_lock(&w->lock);
    sv path = provider_get_text(c->spec, SV("path")), key = provider_key_text(c);
    bool taken = false;
    for (size_t i = 0; i < w->objects.len; i++) {
        const struct object *o = &w->objects.items[i];
        taken = taken || (!o->gone && sv_eq(provider_get_text(o->spec, SV("path")), path) && !sv_eq(o->key, key));
    }
    pthread_mutex_unlock(&w->lock);
    return taken ? provider_fail(c, PROVIDER_TERMINAL, "there is something at '%.*s'", SV_ARG(path))
                 : create(c, "place");
}

static enum provider_result read_object(struct provider_call *c) {
    enum provider_result scripted = world_enter(c, "read");
    struct object *o = find_id(world_of(c), c->physical_id);
    if (scripted == 0 && o != NULL) {
        c->found_spec = value_copy(c->arena, o->spec);
        c->computed = describe(c, o);
    }
    return world_leave(c, scripted != 0 ? scripted : o == NULL ? PROVIDER_ABSENT : PROVIDER_OK);
}

static enum provider_result update(struct provider_call *c) {
    enum provider_result scripted = world_enter(c, "update");
    struct object *o = find_id(world_of(c), c->physical_id);
    if (scripted == 0 && o == NULL) {
        scripted = PROVIDER_TERMINAL;
    }
    if (scripted == 0) {
        o->spec = value_copy(&world_of(c)->arena, c->spec);
        c->computed = describe(c, o);
    }
    return world_leave(c, scripted != 0 ? scripted : PROVIDER_OK);
}

static enum provider_result destroy(struct provider_call *c) {
    enum provider_result scripted = world_enter(c, "destroy");
    struct object *o = find_id(world_of(c), c->physical_id);
    if (scripted == 0 && o != NULL) {
        o->gone = true;
    }
    return world_leave(c, scripted != 0 ? scripted : o == NULL ? PROVIDER_ABSENT : PROVIDER_OK);
}

static enum provider_result is_stable(struct provider_call *c) {
    enum provider_result scripted = world_enter(c, "stable");
    return world_leave(c, scripted != 0 ? scripted : PROVIDER_OK);
}

static enum provider_result recover(struct provider_call *c) {
    enum provider_result scripted = world_enter(c, "recover");
    struct object *o = find_key(world_of(c), provider_key_text(c));
    if (scripted == 0 && o != NULL) {
        c->computed = describe(c, o);
    }
    return world_leave(c, scripted != 0 ? scripted : o == NULL ? PROVIDER_ABSENT : PROVIDER_OK);
}

static const sv slow_wants[] = {SV_INIT("fake/slow")};

static const struct resource_type thing_type = {.name = SV_INIT("fake/thing"),
                                                .version = 3,
                                                .id_field = SV_INIT("id"),
                                                .schema = &thing_schema,
                                                .create = create_thing,
                                                .read = read_object,
                                                .update = update,
                                                .destroy = destroy,
                                                .recover = recover};
/* Destroyed before its replacement is made. */
static const struct resource_type first_type = {.name = SV_INIT("fake/first"),
                                                .id_field = SV_INIT("id"),
                                                .destroy_before_create = true,
                                                .schema = &thing_schema,
                                                .create = create_thing,
                                                .read = read_object,
                                                .update = update,
                                                .destroy = destroy,
                                                .recover = recover};
/* Has an identity: one object per path. */
static const struct resource_type place_type = {.name = SV_INIT("fake/place"),
                                                .id_field = SV_INIT("id"),
                                                .schema = &place_schema,
                                                .create = create_place,
                                                .read = read_object,
                                                .update = update,
                                                .destroy = destroy,
                                                .recover = recover};
/* Not stable at once. */
static const struct resource_type slow_type = {.name = SV_INIT("fake/slow"),
                                               .id_field = SV_INIT("id"),
                                               .schema = &thing_schema,
                                               .stabilised_dependencies = slow_wants,
                                               .stabilised_count = 1,
                                               .create = create_thing,
                                               .read = read_object,
                                               .update = update,
                                               .destroy = destroy,
                                               .is_stable = is_stable,
                                               .recover = recover};
/* Touches nothing outside. */
static const struct resource_type pure_type = {.name = SV_INIT("fake/pure"),
                                               .id_field = SV_INIT("id"),
                                               .effectless = true,
                                               .schema = &thing_schema,
                                               .create = create_thing,
                                               .read = read_object,
                                               .update = update,
                                               .destroy = destroy,
                                               .recover = recover};
/* Nobody can find out what an operation that was cut off did. */
static const struct resource_type loose_type = {.name = SV_INIT("fake/loose"),
                                                .id_field = SV_INIT("id"),
                                                .promise = PROMISE_AT_LEAST_ONCE,
                                                .schema = &thing_schema,
                                                .create = create_thing,
                                                .read = read_object,
                                                .update = update,
                                                .destroy = destroy};
/* Sorted. */
static const struct resource_type *const types[] = {&first_type, &loose_type, &place_type,
                                                    &pure_type,  &slow_type,  &thing_type};

/* A gets what B is called in its environment, under the name that an annotation of A gives, PLACE without one. */
static bool stage_hard(struct link_call *c) {
    value annotations = value_map_find(c->metadata_a, SV("annotations"));
    sv variable = provider_get_text(annotations, SV("fake.variable"));
    value id = c->spec_b.kind == VALUE_MAP ? value_map_find(c->spec_b, SV("id")) : value_unknown(NULL);
    struct path_step *steps = ARENA_ARRAY(c->arena, struct path_step, 2);
    steps[0].key = SV("environment");
    steps[1].key = variable.len > 0 ? variable : SV("PLACE");
    struct link_contribution contribution = {.side = LINK_SIDE_A,
                                             .path = {steps, 2},
                                             .item = value_is_set(id) ? id : value_unknown(NULL),
                                             .needs_other = true};
    VEC_PUSH(c->arena, &c->contributions, contribution);
    struct map_builder data = {.arena = c->arena};
    map_add(&data, SV("place"), contribution.item);
    c->data = map_done(&data);
    return true;
}

static const struct link_type hard_link = {.type_a = SV_INIT("fake/thing"),
                                           .type_b = SV_INIT("fake/place"),
                                           .hard = true,
                                           .priority = LINK_SIDE_B,
                                           .stage = stage_hard};
static const struct link_type soft_link = {.type_a = SV_INIT("fake/thing"), .type_b = SV_INIT("fake/thing")};
/* Sorted. */
static const struct link_type *const links[] = {&world_naming_link,  &world_route_link, &world_working_link,
                                                &world_wanting_link, &hard_link,        &soft_link};

/* --- data: what is there is in the world's `data` --- */

static const struct schema number_schema = {.type = SCHEMA_INTEGER, .flags = SCHEMA_NULLABLE};
static const struct schema float_schema = {.type = SCHEMA_FLOAT, .flags = SCHEMA_NULLABLE};
static const struct schema tags_schema = {.type = SCHEMA_ARRAY, .flags = SCHEMA_NULLABLE, .items = &text_schema};
static const struct schema_attribute host_attributes[] = {
    {SV_INIT("name"), &text_schema}, {SV_INIT("size"), &number_schema},   {SV_INIT("load"), &float_schema},
    {SV_INIT("tags"), &tags_schema}, {SV_INIT("secret"), &secret_schema},
};
static const struct schema host_schema = {.type = SCHEMA_OBJECT,
                                          .attributes = host_attributes,
                                          .attribute_count = sizeof host_attributes / sizeof host_attributes[0]};
static const struct data_filter_field host_fields[] = {
    {SV_INIT("name"), SCHEMA_STRING, 0}, {SV_INIT("size"), SCHEMA_INTEGER, 0}, {SV_INIT("load"), SCHEMA_FLOAT, 0}};

static enum provider_result fetch_hosts(struct data_call *c) {
    struct world *w = c->host->user;
    pthread_mutex_lock(&w->lock);
    sv call = arena_printf(&w->arena, "fetch %.*s", SV_ARG(c->address.text));
    VEC_PUSH(&w->arena, &w->calls, call);
    enum provider_result result = PROVIDER_OK;
    for (size_t i = 0; i < w->scripts.len && result == PROVIDER_OK; i++) {
        struct script *s = &w->scripts.items[i];
        if (s->times > 0 && sv_eq(s->call, call)) {
            s->times--;
            result = s->result;
        }
    }
    for (size_t i = 0; w->data.kind == VALUE_LIST && i < w->data.list->len; i++) {
        VEC_PUSH(c->arena, &c->objects, value_copy(c->arena, w->data.list->items[i]));
    }
    pthread_mutex_unlock(&w->lock);
    return result == PROVIDER_OK ? result : data_fail(c, result, "as scripted");
}

static const struct data_type host_type = {.name = SV_INIT("fake/host"),
                                           .schema = &host_schema,
                                           .filter_fields = host_fields,
                                           .filter_field_count = 3,
                                           .fetch = fetch_hosts};
static const struct data_type *const data_types[] = {&host_type};

static const struct provider fake_provider = {.name = SV_INIT("fake"),
                                              .resources = types,
                                              .resource_count = sizeof types / sizeof types[0],
                                              .links = links,
                                              .link_count = sizeof links / sizeof links[0],
                                              .data = data_types,
                                              .data_count = 1};
static const struct provider *const all[] = {&fake_provider};
const struct providers world_providers = {all, 1};
