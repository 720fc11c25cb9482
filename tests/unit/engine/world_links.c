/* Link types of the provider `fake`. One works: it writes into both sides and keeps a policy between them. */
#include "world.h"

#include <unistd.h>

static struct object *find(struct world *w, sv id) {
    for (size_t i = 0; i < w->objects.len; i++) {
        if (!w->objects.items[i].gone && sv_eq(w->objects.items[i].id, id)) {
            return &w->objects.items[i];
        }
    }
    return NULL;
}

static value text_of(struct arena *a, value map, const char *key) {
    value v = map.kind == VALUE_MAP ? value_map_find(map, sv_from_cstr(key)) : (value){0};
    return value_is_set(v) ? v : value_string(a, SV(""));
}

static struct path parse(struct arena *a, const char *text) {
    struct path path;
    path_parse(a, sv_from_cstr(text), &path);
    return path;
}

static sv policy_id(struct arena *a, sv name_a, sv name_b) {
    return arena_printf(a, "policy-%.*s-%.*s", SV_ARG(name_a), SV_ARG(name_b));
}

/* Annotations of A: fake.port, and fake.idle for a link that has nothing to do. */
static bool stage(struct link_call *c) {
    struct arena *a = c->arena;
    value annotations = value_map_find(c->metadata_a, SV("annotations"));
    value id = c->spec_b.kind == VALUE_MAP ? value_map_find(c->spec_b, SV("id")) : value_unknown(NULL);
    struct map_builder data = {.arena = a};
    map_add(&data, SV("route"), value_is_set(id) ? id : value_unknown(NULL));
    map_add(&data, SV("port"), text_of(a, annotations, "fake.port"));
    c->data = map_done(&data);
    c->is_idle = provider_get_text(annotations, SV("fake.idle")).len > 0;
    if (!c->is_idle) {
        struct map_builder state = {.arena = a};
        map_add(&state, SV("target"), value_is_set(id) ? id : value_unknown(NULL));
        VEC_PUSH(a, &c->intermediaries,
                 ((struct link_intermediary){.id = policy_id(a, c->name_a, c->name_b),
                                             .type = SV("fake/policy"),
                                             .is_owned = true,
                                             .state = map_done(&state)}));
        sv from = arena_printf(a, "environment.FROM_%.*s", SV_ARG(c->name_a));
        struct link_field note = {.side = LINK_SIDE_A, .path = parse(a, "note"), .data = parse(a, "route")};
        struct link_field variable = {.side = LINK_SIDE_B, .path = parse(a, from.data), .data = parse(a, "from")};
        VEC_PUSH(a, &c->fields, note);
        VEC_PUSH(a, &c->fields, variable);
    }
    return true;
}

static bool is_idle(const struct link_op_call *c) {
    return provider_get_text(value_map_find(c->a.metadata, SV("annotations")), SV("fake.idle")).len > 0;
}

/* Slow enough for two to meet if they could. */
static enum provider_result write_side(struct link_op_call *c, const char *what, const struct link_resource *side,
                                       const char *path, value item) {
    struct world *w = c->call.host->user;
    enum provider_result scripted = world_enter(&c->call, what);
    bool is_b = c->phase == LINK_PHASE_B;
    w->in_b += is_b;
    w->most_in_b = w->in_b > w->most_in_b ? w->in_b : w->most_in_b;
    pthread_mutex_unlock(&w->lock);
    usleep(2000);
    while (scripted == PROVIDER_NOT_YET && !provider_is_cancelled(&c->call)) {
        usleep(1000);
    }
    pthread_mutex_lock(&w->lock);
    w->in_b -= is_b;
    struct object *o = find(w, side->physical_id);
    if (scripted == 0 && o != NULL) {
        o->spec = value_copy(&w->arena, value_with_path(c->call.arena, o->spec, parse(c->call.arena, path), item));
        value environment = value_map_find(o->spec, SV("environment"));
        if (environment.kind == VALUE_MAP && environment.map->len == 0) {
            o->spec = value_map_with(&w->arena, o->spec, SV("environment"), value_absent());
        }
        VEC_PUSH(&w->arena, &w->calls,
                 arena_printf(&w->arena, "key %s %.*s", what, SV_ARG(provider_key_text(&c->call))));
    }
    enum provider_result absent = value_is_set(item) && item.kind != VALUE_ABSENT ? PROVIDER_TERMINAL : PROVIDER_ABSENT;
    return world_leave(&c->call, scripted != 0 ? scripted : o == NULL ? absent : PROVIDER_OK);
}

static void add_field(struct link_op_call *c, enum link_side side, const char *path, const char *data) {
    VEC_PUSH(
        c->call.arena, &c->fields,
        ((struct link_field){.side = side, .path = parse(c->call.arena, path), .data = parse(c->call.arena, data)}));
}

static enum provider_result update_a(struct link_op_call *c) {
    value route = is_idle(c) ? value_absent() : value_map_find(c->data, SV("route"));
    enum provider_result result = write_side(c, "link-a", &c->a, "note", route);
    if (!is_idle(c)) {
        add_field(c, LINK_SIDE_A, "note", "route");
    }
    return result;
}

static enum provider_result update_b(struct link_op_call *c) {
    struct arena *a = c->call.arena;
    sv name = arena_printf(a, "environment.FROM_%.*s", SV_ARG(c->a.name));
    value from = is_idle(c) ? value_absent() : value_string(a, arena_copy_sv(a, c->a.physical_id));
    enum provider_result result = write_side(c, "link-b", &c->b, name.data, from);
    struct map_builder computed = {.arena = a};
    map_add(&computed, SV("from"), from);
    c->computed = map_done(&computed);
    if (!is_idle(c)) {
        add_field(c, LINK_SIDE_B, name.data, "from");
    }
    return result;
}

static value policy_state(struct arena *a, const struct object *o) {
    struct map_builder b = {.arena = a};
    map_add(&b, SV("target"), value_copy(a, value_map_find(o->spec, SV("target"))));
    return map_done(&b);
}

static void tell_policy(struct link_op_call *c, const struct object *o) {
    VEC_PUSH(c->call.arena, &c->intermediaries,
             ((struct link_intermediary){.id = arena_copy_sv(c->call.arena, o->id),
                                         .type = SV("fake/policy"),
                                         .is_owned = true,
                                         .state = policy_state(c->call.arena, o)}));
}

static void put_policy(struct link_op_call *c, struct world *w) {
    sv id = policy_id(c->call.arena, c->a.name, c->b.name);
    struct object *o = find(w, id);
    if (is_idle(c)) {
        if (o != NULL) {
            o->gone = true;
        }
        return;
    }
    if (o == NULL) {
        o = VEC_ADD(&w->arena, &w->objects);
        o->id = arena_copy_sv(&w->arena, id);
        o->type = SV("policy");
        o->key = arena_copy_sv(&w->arena, provider_key_text(&c->call));
    }
    struct map_builder b = {.arena = &w->arena};
    map_add(&b, SV("target"), value_copy(&w->arena, value_map_find(c->data, SV("route"))));
    o->spec = map_done(&b);
    tell_policy(c, o);
}

static enum provider_result update_intermediaries(struct link_op_call *c) {
    enum provider_result scripted = world_enter(&c->call, "link-between");
    if (scripted == 0) {
        put_policy(c, c->call.host->user);
    }
    return world_leave(&c->call, scripted != 0 ? scripted : PROVIDER_OK);
}

static enum provider_result remove_intermediaries(struct link_op_call *c) {
    struct world *w = c->call.host->user;
    enum provider_result scripted = world_enter(&c->call, "unlink-between");
    for (size_t i = 0; scripted == 0 && i < c->known_count; i++) {
        struct object *o = find(w, c->known[i].id);
        if (o != NULL) {
            o->gone = true;
        }
    }
    return world_leave(&c->call, scripted != 0 ? scripted : PROVIDER_OK);
}

static enum provider_result remove_b(struct link_op_call *c) {
    sv name = arena_printf(c->call.arena, "environment.FROM_%.*s", SV_ARG(c->a.name));
    return write_side(c, "unlink-b", &c->b, name.data, value_absent());
}

static enum provider_result remove_a(struct link_op_call *c) {
    return write_side(c, "unlink-a", &c->a, "note", value_absent());
}

static enum provider_result read_intermediaries(struct link_op_call *c) {
    enum provider_result scripted = world_enter(&c->call, "read");
    for (size_t i = 0; scripted == 0 && i < c->known_count; i++) {
        const struct object *o = find(c->call.host->user, c->known[i].id);
        if (o != NULL) {
            tell_policy(c, o);
        }
    }
    return world_leave(&c->call, scripted != 0 ? scripted : c->intermediaries.len == 0 ? PROVIDER_ABSENT : PROVIDER_OK);
}

static enum provider_result recover(struct link_op_call *c) {
    enum provider_result scripted = world_enter(&c->call, "recover");
    if (scripted == PROVIDER_OK) {
        add_field(c, LINK_SIDE_A, "note", "route");
    }
    return world_leave(&c->call, scripted != 0 ? scripted : PROVIDER_ABSENT);
}

const struct link_type world_working_link = {.type_a = SV_INIT("fake/place"),
                                             .type_b = SV_INIT("fake/thing"),
                                             .stage = stage,
                                             .update_a = update_a,
                                             .update_b = update_b,
                                             .update_intermediaries = update_intermediaries,
                                             .remove_intermediaries = remove_intermediaries,
                                             .remove_b = remove_b,
                                             .remove_a = remove_a,
                                             .read_intermediaries = read_intermediaries,
                                             .recover = recover};

static const sv route[] = {SV_INIT("route")}, naming[] = {SV_INIT("naming")};

const struct link_type world_route_link = {
    .type_a = SV_INIT("fake/first"), .type_b = SV_INIT("fake/thing"), .provides = route, .provides_count = 1};
/* Needs a route; so does nobody who gives it names. */
const struct link_type world_wanting_link = {.type_a = SV_INIT("fake/slow"),
                                             .type_b = SV_INIT("fake/thing"),
                                             .requires = route,
                                             .requires_count = 1,
                                             .provides = naming,
                                             .provides_count = 1};
const struct link_type world_naming_link = {.type_a = SV_INIT("fake/first"),
                                            .type_b = SV_INIT("fake/slow"),
                                            .requires = naming,
                                            .requires_count = 1,
                                            .provides = route,
                                            .provides_count = 1};
