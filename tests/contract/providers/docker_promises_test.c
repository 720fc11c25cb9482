/* What the docker types promise beyond the contract, with a real engine. */
#include "docker_world.h"
#include "providers/docker/docker_provider.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Names that no other test uses. */
static sv name_of(struct world *w, const char *what) {
    return arena_printf(&w->arena, "lt-%s-%s", what, w->dir + sizeof "/tmp/lintel-provider");
}

static value make_container(struct world *w, const char *more) {
    sv json =
        arena_printf(&w->arena, "{\"name\": \"%s\", \"image\": \"%s\"%s}", name_of(w, "c1").data, ENGINE_IMAGE, more);
    return world_make_spec(w, &docker_container_type, json);
}

static void expect(struct provider_call *c, enum provider_result result, enum provider_result wanted) {
    if (result != wanted) {
        fail_msg("result %d instead of %d: %.*s", (int)result, (int)wanted, SV_ARG(world_get_reason(c)));
    }
}

static void expect_reason(struct provider_call *c, const char *part) {
    if (sv_find(world_get_reason(c), sv_from_cstr(part)) == SIZE_MAX) {
        fail_msg("no '%s' in: %.*s", part, SV_ARG(world_get_reason(c)));
    }
}

/* MD-391: a name that is taken by what was not made for this resource. */
static void a_foreign_name_is_refused(void **state) {
    struct world *w = *state;
    sv name = name_of(w, "v1"), path = arena_printf(&w->arena, "/volumes/%.*s", SV_ARG(name));
    sv content = arena_printf(&w->arena, "{\"Name\": \"%.*s\"}", SV_ARG(name));
    assert_int_equal(engine_world_ask(&w->arena, "POST", SV("/volumes/create"), content, NULL), 201);
    value spec =
        world_make_spec(w, &docker_volume_type, arena_printf(&w->arena, "{\"name\": \"%s\"}", name_of(w, "v1").data));
    struct provider_call c = world_make_call(w, &docker_volume_type, 1, spec, (value){0});
    expect(&c, docker_volume_type.create(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "was not made for this resource");
    expect(&c, docker_volume_type.destroy(&c), PROVIDER_ABSENT);
    assert_int_equal(engine_world_ask(&w->arena, "DELETE", path, (sv){0}, NULL), 204);
}

static void a_container_that_ends_has_failed_and_is_removed(void **state) {
    struct world *w = *state;
    struct provider_call c =
        world_make_call(w, &docker_container_type, 1, make_container(w, ", \"command\": [\"fail\"]"), (value){0});
    expect(&c, docker_container_type.create(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "ended with exit code 3");
    expect_reason(&c, "the shelves are empty");
    assert_int_equal(engine_world_count(w, "/containers/json?all=1"), 0);
}

static void a_health_check_is_waited_for(void **state) {
    struct world *w = *state;
    const char *sound =
        ", \"healthCheck\": {\"command\": [\"/server\", \"check\"], \"intervalMs\": 200, \"retries\": 1}";
    const char *ill = ", \"healthCheck\": {\"command\": [\"/server\", \"fail\"], \"intervalMs\": 200, \"retries\": 1}";
    value spec = make_container(w, sound);
    struct provider_call c = world_make_call(w, &docker_container_type, 1, spec, (value){0});
    expect(&c, docker_container_type.create(&c), PROVIDER_OK);
    c = world_make_call(w, &docker_container_type, 2, spec, c.computed);
    expect(&c, docker_container_type.destroy(&c), PROVIDER_OK);
    c = world_make_call(w, &docker_container_type, 3, make_container(w, ill), (value){0});
    expect(&c, docker_container_type.create(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "healthy");
    assert_int_equal(engine_world_count(w, "/containers/json?all=1"), 0);
}

static void an_image_that_is_not_there(void **state) {
    struct world *w = *state;
    sv json = arena_printf(&w->arena, "{\"name\": \"%s\", \"image\": \"localhost/none:7\"}", name_of(w, "c1").data);
    value spec = world_make_spec(w, &docker_container_type, json);
    struct provider_call c = world_make_call(w, &docker_container_type, 1, spec, (value){0});
    expect(&c, docker_container_type.create(&c), PROVIDER_TERMINAL);
    assert_true(c.reasons.items.len == 2);
    assert_int_equal(engine_world_count(w, "/containers/json?all=1"), 0);
}

static void a_lost_lease_leaves_nothing(void **state) {
    struct world *w = *state;
    struct provider_call c = world_make_call(w, &docker_container_type, 1, make_container(w, ""), (value){0});
    w->refuse_progress = true;
    expect(&c, docker_container_type.create(&c), PROVIDER_FATAL);
    assert_int_equal(w->progress_calls, 1);
    assert_int_equal(engine_world_count(w, "/containers/json?all=1"), 0);
}

/* MD-390: without an engine, at an address of a kind that is not spoken, and over TLS without certificates. */
static void no_engine_is_told(void **state) {
    struct world *w = *state;
    static const struct {
        const char *host, *part;
        enum provider_result result;
    } rows[] = {
        {"unix:///nonexistent/docker.sock", "/nonexistent/docker.sock", PROVIDER_TRANSIENT},
        {"tcp://127.0.0.1:1", "127.0.0.1:1", PROVIDER_TRANSIENT},
        {"ssh://somewhere", "only unix://PATH and tcp://HOST:PORT", PROVIDER_TERMINAL},
    };
    sv before = arena_copy_sv(&w->arena, sv_from_cstr(getenv("DOCKER_HOST")));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv("DOCKER_HOST", rows[i].host, 1);
        struct provider_call c = world_make_call(w, &docker_container_type, 1, make_container(w, ""), (value){0});
        expect(&c, docker_container_type.create(&c), rows[i].result);
        expect_reason(&c, rows[i].part);
        expect(&c, docker_container_type.recover(&c), PROVIDER_CANNOT_TELL);
    }
    setenv("DOCKER_HOST", before.data, 1);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, world_set_up, world_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_foreign_name_is_refused),    CASE(a_container_that_ends_has_failed_and_is_removed),
        CASE(a_health_check_is_waited_for), CASE(an_image_that_is_not_there),
        CASE(a_lost_lease_leaves_nothing),  CASE(no_engine_is_told),
    };
    if (!engine_world_start()) {
        printf("1..1\nok 1 - docker promises # SKIP no container engine can be started here\n");
        return 0;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    engine_world_stop();
    return failed;
}
