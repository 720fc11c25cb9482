/* docker/container: the operations. Invariants: container.h. */
#include "providers/docker/container.h"

enum { STOP_DEFAULT_S = 10 };

static value make_token(struct provider_call *c, sv id) {
    struct map_builder token = {.arena = c->arena};
    map_add(&token, SV("id"), value_string(c->arena, id));
    return map_done(&token);
}

/* --- Steps, each of which may be done again --- */

static enum provider_result post(struct engine *e, struct engine_path p, value content, const char *what) {
    struct engine_request r = {.content = content};
    enum provider_result result = engine_ask_for(e, &r, "POST", p);
    if (result != PROVIDER_OK) {
        return result;
    }
    return engine_is_success(&r) || r.status == 304 ? PROVIDER_OK
                                                    : engine_fail(e, &r, what); /* 304: it is so already */
}

static enum provider_result join_networks(struct engine *e, value object) {
    struct provider_call *c = e->call;
    value joined = engine_find_in(object, "NetworkSettings", "Networks");
    struct container_networks networks = {0};
    container_list_networks(c->arena, c->spec, &networks);
    for (size_t i = 0; i < networks.items.len; i++) {
        sv name = networks.items.items[i];
        if (joined.kind == VALUE_MAP && value_map_has(joined, name)) {
            continue;
        }
        struct map_builder content = {.arena = c->arena};
        map_add(&content, SV("Container"), value_string(c->arena, engine_get_text(object, "Id")));
        enum provider_result result =
            post(e, (struct engine_path){"/networks/", name, "/connect"}, map_done(&content), "join a network");
        if (result != PROVIDER_OK) {
            return result;
        }
    }
    return PROVIDER_OK;
}

static enum provider_result start(struct engine *e, sv id) {
    return post(e, (struct engine_path){"/containers/", id, "/start"}, (value){0}, "start the container");
}

static enum provider_result stop(struct engine *e, sv id) {
    struct provider_call *c = e->call;
    int64_t seconds = provider_get_i64(c->spec, SV("stopTimeout"), STOP_DEFAULT_S);
    sv behind = arena_printf(c->arena, "/stop?t=%lld", (long long)seconds);
    struct engine_request r = {0};
    enum provider_result result = engine_ask_for(e, &r, "POST", (struct engine_path){"/containers/", id, behind.data});
    if (result != PROVIDER_OK) {
        return result;
    }
    bool is_stopped = engine_is_success(&r) || r.status == 304;
    return is_stopped ? PROVIDER_OK : r.status == 404 ? PROVIDER_ABSENT : engine_fail(e, &r, "stop the container");
}

static enum provider_result remove_it(struct engine *e, sv id) {
    enum provider_result result = stop(e, id);
    return result == PROVIDER_OK ? object_remove(e, &container_kind, id) : result;
}

/* Networks, start and readiness of a container that was made. */
static enum provider_result settle(struct engine *e, value *object) {
    sv id = engine_get_text(*object, "Id");
    enum provider_result result = join_networks(e, *object);
    if (result != PROVIDER_OK || !provider_get_bool(e->call->spec, SV("running"))) {
        return result == PROVIDER_OK ? object_find(e, &container_kind, id, object) : result;
    }
    result = start(e, id);
    return result == PROVIDER_OK ? container_await(e, id, object) : result;
}

/* A failed start leaves nothing behind; what may succeed yet is left for the next attempt. */
static void clean_up(struct engine *e, sv id) {
    size_t reasons = e->call->reasons.items.len;
    remove_it(e, id);
    e->call->reasons.items.len = reasons;
}

static enum provider_result finish(struct engine *e, value *object) {
    sv id = engine_get_text(*object, "Id");
    enum provider_result result = settle(e, object);
    if (result == PROVIDER_OK) {
        e->call->computed = container_compute(e->call, *object);
    } else if (result == PROVIDER_TERMINAL) {
        clean_up(e, id);
    }
    return result;
}

/* --- Operations --- */

static enum provider_result make(struct engine *e, value *object) {
    struct provider_call *c = e->call;
    struct buf path = BUF(c->arena);
    buf_append_cstr(&path, "/containers/create?name=");
    buf_append(&path, provider_get_text(c->spec, SV("name"))); /* nothing in it needs to be encoded, by its schema */
    struct engine_request r = {.path = buf_get_sv(&path)};
    enum provider_result result = container_make_content(c, &r.content);
    if (result == PROVIDER_OK) {
        result = object_make(e, &container_kind, &r, object);
    }
    if (result == PROVIDER_TERMINAL && r.status == 404) {
        provider_fail(c, result, "images are neither pulled nor built: the engine has to have this one beforehand");
    }
    return result;
}

static enum provider_result container_create(struct provider_call *c) {
    struct engine e;
    value object;
    enum provider_result result = engine_open(c, &e);
    if (result == PROVIDER_OK) {
        result = make(&e, &object);
    }
    if (result != PROVIDER_OK) {
        return result;
    }
    sv id = engine_get_text(object, "Id");
    if (c->progress != NULL && !c->progress(c->user, make_token(c, id))) {
        clean_up(&e, id);
        return provider_fail(c, PROVIDER_FATAL, "the lease was lost while the container was made");
    }
    return finish(&e, &object);
}

static enum provider_result container_read(struct provider_call *c) {
    struct engine e;
    value object;
    sv id = provider_get_text(c->prior, SV("id"));
    if (id.len == 0) {
        return PROVIDER_ABSENT;
    }
    enum provider_result result = engine_open(c, &e);
    if (result == PROVIDER_OK) {
        result = object_find(&e, &container_kind, id, &object);
    }
    if (result == PROVIDER_OK) {
        c->computed = container_compute(c, object);
        c->found_spec = container_read_spec(c, object);
    }
    return result;
}

/* Whether it runs is all that can change in a container; the rest of what changes without a new one is about how it is
 * waited for. */
static enum provider_result container_update(struct provider_call *c) {
    struct engine e;
    value object;
    sv id = provider_get_text(c->prior, SV("id"));
    enum provider_result result = engine_open(c, &e);
    if (result == PROVIDER_OK) {
        result = object_find(&e, &container_kind, id, &object);
    }
    if (result == PROVIDER_ABSENT) {
        return provider_fail(c, PROVIDER_TERMINAL, "the container is gone");
    }
    bool wants_running = provider_get_bool(c->spec, SV("running"));
    if (result == PROVIDER_OK && wants_running && !container_is_running(object)) {
        result = start(&e, id);
        result = result == PROVIDER_OK ? container_await(&e, id, &object) : result;
    } else if (result == PROVIDER_OK && !wants_running && container_is_running(object)) {
        result = stop(&e, id);
        result = result == PROVIDER_OK ? object_find(&e, &container_kind, id, &object) : result;
    }
    if (result == PROVIDER_OK) {
        c->computed = container_compute(c, object);
    }
    return result;
}

/* Of an operation that was cut off perhaps nothing but the name is known: then the marks tell. */
static enum provider_result find_unrecorded(struct engine *e, sv *id) {
    value object;
    struct provider_call *c = e->call;
    enum provider_result result = object_find(e, &container_kind, provider_get_text(c->spec, SV("name")), &object);
    if (result == PROVIDER_OK && !object_is_of_element(c, &container_kind, object)) {
        return PROVIDER_ABSENT;
    }
    *id = result == PROVIDER_OK ? engine_get_text(object, "Id") : (sv){0};
    return result;
}

static enum provider_result container_destroy(struct provider_call *c) {
    struct engine e;
    enum provider_result result = engine_open(c, &e);
    sv id = provider_get_text(c->prior, SV("id"));
    id = id.len > 0 ? id : provider_get_text(c->progress_token, SV("id"));
    if (result == PROVIDER_OK && id.len == 0) {
        result = find_unrecorded(&e, &id);
    }
    return result == PROVIDER_OK ? remove_it(&e, id) : result;
}

static enum provider_result container_recover(struct provider_call *c) {
    struct engine e;
    value object;
    if (engine_open(c, &e) != PROVIDER_OK) {
        return PROVIDER_CANNOT_TELL;
    }
    enum provider_result result = object_recover(&e, &container_kind, &object);
    if (result != PROVIDER_OK) {
        return result;
    }
    if (c->only_look) {
        c->computed = container_compute(c, object);
        return PROVIDER_OK;
    }
    result = finish(&e, &object);
    if (result == PROVIDER_OK) {
        return result;
    }
    if (result == PROVIDER_TERMINAL) {
        c->reasons.items.len = 0; /* it did not become ready and was removed: free to be made again */
        return PROVIDER_ABSENT;
    }
    return PROVIDER_CANNOT_TELL;
}

/* A start may give other addresses and ports. */
static void container_plan(struct arena *a, value before, value after, struct field_diff *diff) {
    if (provider_get_bool(before, SV("running")) != provider_get_bool(after, SV("running"))) {
        provider_add_unknown(a, diff, before, SV("addresses"), false);
        provider_add_unknown(a, diff, before, SV("hostPorts"), false);
    }
}

static const sv links_to[] = {SV_INIT("docker/network"), SV_INIT("docker/volume"), SV_INIT("sqlite/database")};

const struct resource_type docker_container_type = {
    .name = SV_INIT("docker/container"),
    .summary = SV_INIT("A container"),
    .details = SV_INIT(
        "It is made, started, and waited for until it is healthy, or, without a health check, runs. One that ends or "
        "is unhealthy has failed and is removed; its last lines are in the report. Only whether it runs can be "
        "changed; every other change makes a new container after the old one was stopped and removed. A container "
        "that stopped, left a network or has another name or restart policy has drifted. Marks in its labels let "
        "lintel find it again after a crash; a container of that name without them is never touched. Images are "
        "neither pulled nor built: the engine has to have them. With podman, which leaves health checks to timers of "
        "systemd, lintel runs them itself while it waits. Where the engine is: see `docker/network`."),
    .example = SV_INIT("web:\n"
                       "  type: docker/container\n"
                       "  spec:\n"
                       "    name: shop-web\n"
                       "    image: shop/web:1.4\n"
                       "    environment: {LOG_LEVEL: info}\n"
                       "    ports:\n"
                       "      - {containerPort: 8080, hostPort: 8080}\n"
                       "    restart: unless-stopped\n"),
    .id_field = SV_INIT("id"),
    .import_not = SV_INIT("what a container was made with cannot be told from what its image brought along"),
    .destroy_before_create = true,
    .links_to = links_to,
    .links_to_count = sizeof links_to / sizeof links_to[0],
    .promise = PROMISE_EXACT,
    .schema = &container_schema,
    .version = 1,
    .deadline_ms = 720000,
    .validate = container_validate,
    .plan = container_plan,
    .create = container_create,
    .read = container_read,
    .update = container_update,
    .destroy = container_destroy,
    .recover = container_recover,
};
