#include "providers/docker/object.h"

#define LABEL_PREFIX    "io.lintel."
#define LABEL_INSTANCE  LABEL_PREFIX "instance"
#define LABEL_ELEMENT   LABEL_PREFIX "element"
#define LABEL_OPERATION LABEL_PREFIX "operation"

static const struct schema text_schema = {.type = SCHEMA_STRING};
const struct schema docker_labels_schema = {
    .type = SCHEMA_MAP,
    .flags = SCHEMA_MUST_RECREATE,
    .items = &text_schema,
    .default_json = "{}",
    .text = SV_INIT("Labels. Those that begin with `io.lintel.` are lintel's own"),
};
const struct schema docker_texts_schema = {
    .type = SCHEMA_MAP,
    .flags = SCHEMA_MUST_RECREATE,
    .items = &text_schema,
    .default_json = "{}",
    .text = SV_INIT("Options of the driver"),
};

/* --- Marks --- */

static value find_labels(const struct object_kind *k, value object) {
    value holder = k->labels_in == NULL ? object : engine_find(object, k->labels_in);
    return engine_find(holder, "Labels");
}

value object_get_labels(struct arena *a, const struct object_kind *k, value object) {
    value labels = find_labels(k, object);
    struct map_builder rest = {.arena = a};
    for (size_t i = 0; labels.kind == VALUE_MAP && i < labels.map->len; i++) {
        if (!sv_has_prefix(labels.map->entries[i].key, SV(LABEL_PREFIX))) {
            map_add(&rest, labels.map->entries[i].key, labels.map->entries[i].item);
        }
    }
    return map_done(&rest);
}

value object_make_labels(struct provider_call *c) {
    value given = engine_find(c->spec, "labels");
    struct map_builder labels = {.arena = c->arena};
    for (size_t i = 0; given.kind == VALUE_MAP && i < given.map->len; i++) {
        map_add(&labels, given.map->entries[i].key, given.map->entries[i].item);
    }
    map_set(&labels, SV(LABEL_INSTANCE), value_string(c->arena, c->instance_id));
    map_set(&labels, SV(LABEL_ELEMENT), value_string(c->arena, c->address.text));
    map_set(&labels, SV(LABEL_OPERATION), value_string(c->arena, provider_key_text(c)));
    return map_done(&labels);
}

bool object_is_of_element(struct provider_call *c, const struct object_kind *k, value object) {
    value labels = find_labels(k, object);
    return c->instance_id.len > 0 && sv_eq(engine_get_text(labels, LABEL_INSTANCE), c->instance_id) &&
           sv_eq(engine_get_text(labels, LABEL_ELEMENT), c->address.text);
}

bool object_is_own(struct provider_call *c, const struct object_kind *k, value object) {
    return object_is_of_element(c, k, object) &&
           sv_eq(engine_get_text(find_labels(k, object), LABEL_OPERATION), provider_key_text(c));
}

void object_validate_labels(value spec, struct diags *diags, span at, sv prefix) {
    value labels = engine_find(spec, "labels");
    for (size_t i = 0; labels.kind == VALUE_MAP && i < labels.map->len; i++) {
        sv key = labels.map->entries[i].key;
        if (sv_has_prefix(key, SV(LABEL_PREFIX)) || key.len == 0) {
            provider_add_mistake(diags, SV("docker_label_invalid"), at, prefix, SV("labels"),
                                 "a label is empty or begins with " LABEL_PREFIX
                                 ", which is for the marks of lintel itself");
        }
    }
}

/* --- Operations --- */

enum provider_result object_find(struct engine *e, const struct object_kind *k, sv name, value *object) {
    struct engine_request r = {0};
    enum provider_result result = engine_ask_for(e, &r, "GET", (struct engine_path){k->path, name, k->behind});
    if (result != PROVIDER_OK) {
        return result;
    }
    if (r.status == 404) {
        return PROVIDER_ABSENT;
    }
    if (!engine_is_success(&r) || r.answer.kind != VALUE_MAP) {
        return engine_fail(e, &r, arena_printf(e->call->arena, "look at the %s", k->what).data);
    }
    *object = r.answer;
    return PROVIDER_OK;
}

static enum provider_result take_own(struct engine *e, const struct object_kind *k, sv name, value *object) {
    enum provider_result result = object_find(e, k, name, object);
    if (result != PROVIDER_OK || object_is_own(e->call, k, *object)) {
        return result;
    }
    return provider_fail(e->call, PROVIDER_TERMINAL,
                         "there is a %s '%.*s' already, which was not made for this resource", k->what,
                         SV_ARG(sv_slice(name, 0, 200)));
}

/* Invariant 2. The engine refuses a name that is taken, or gives back what has it: either way a look tells whose it is;
 * an attempt that was cut off may still be under way in the engine until then. */
enum provider_result object_make(struct engine *e, const struct object_kind *k, struct engine_request *r,
                                 value *object) {
    sv name = provider_get_text(e->call->spec, SV("name"));
    enum provider_result result = take_own(e, k, name, object);
    if (result != PROVIDER_ABSENT) {
        return result;
    }
    r->method = "POST";
    result = engine_ask(e, r);
    if (result != PROVIDER_OK) {
        return result;
    }
    result = take_own(e, k, name, object);
    if (result == PROVIDER_ABSENT && engine_is_success(r)) {
        return provider_fail(e->call, PROVIDER_TRANSIENT, "the %s is gone right after it was made", k->what);
    }
    if (result == PROVIDER_ABSENT) {
        sv what = arena_printf(e->call->arena, "make the %s", k->what);
        return r->status == 409
                   ? provider_fail(e->call, PROVIDER_TRANSIENT, "the name of the %s is being taken", k->what)
                   : engine_fail(e, r, what.data);
    }
    return result;
}

enum provider_result object_recover(struct engine *e, const struct object_kind *k, value *object) {
    enum provider_result result = object_find(e, k, provider_get_text(e->call->spec, SV("name")), object);
    if (result == PROVIDER_OK) {
        return object_is_own(e->call, k, *object) ? PROVIDER_OK : PROVIDER_ABSENT;
    }
    return result == PROVIDER_ABSENT ? PROVIDER_ABSENT : PROVIDER_CANNOT_TELL;
}

enum provider_result object_remove(struct engine *e, const struct object_kind *k, sv name) {
    struct engine_request r = {0};
    enum provider_result result = engine_ask_for(e, &r, "DELETE", (struct engine_path){k->path, name, k->removal});
    if (result != PROVIDER_OK) {
        return result;
    }
    if (r.status == 404) {
        return PROVIDER_ABSENT;
    }
    if (engine_is_success(&r)) {
        return PROVIDER_OK;
    }
    engine_fail(e, &r, arena_printf(e->call->arena, "remove the %s", k->what).data);
    return r.status == 403 || r.status == 409 || r.status >= 500 ? PROVIDER_TRANSIENT : PROVIDER_TERMINAL;
}
