/* The docker types under the contract, with a real engine. */
#include "docker_world.h"
#include "providers/docker/docker_provider.h"

#include <stdio.h>

#define ALL_CONTAINERS "/containers/json?all=1"

/* Names that no other test uses. */
static sv name_of(struct world *w, const char *what) {
    return arena_printf(&w->arena, "lt-%s-%s", what, w->dir + sizeof "/tmp/lintel-provider");
}

/* --- Subjects --- */

static sv network_json(struct world *w, int variant) {
    return arena_printf(&w->arena, "{\"name\": \"%s\", \"internal\": %s, \"labels\": {\"a\": \"b\"}}",
                        name_of(w, variant == 2 ? "n2" : "n1").data, variant == 2 ? "true" : "false");
}

static size_t count_networks(struct world *w) {
    return engine_world_count(w, "/networks");
}

static sv network_hostile(struct world *w, int number) {
    return number > 0 ? (sv){0}
                      : arena_printf(&w->arena, "{\"name\": \"%s\", \"labels\": {\"x\": %s}}", name_of(w, "n1").data,
                                     world_quote(w, world_get_hostile_text()).data);
}

static sv volume_json(struct world *w, int variant) {
    return arena_printf(&w->arena, "{\"name\": \"%s\", \"labels\": {\"a\": \"b\"}}",
                        name_of(w, variant == 2 ? "v2" : "v1").data);
}

static size_t count_volumes(struct world *w) {
    return engine_world_count(w, "/volumes");
}

static sv volume_hostile(struct world *w, int number) {
    return number > 0 ? (sv){0}
                      : arena_printf(&w->arena, "{\"name\": \"%s\", \"labels\": {\"x\": %s}}", name_of(w, "v1").data,
                                     world_quote(w, world_get_hostile_text()).data);
}

static sv container_json(struct world *w, int variant) {
    return arena_printf(&w->arena,
                        "{\"name\": \"%s\", \"image\": \"%s\", \"running\": %s, "
                        "\"ports\": [{\"containerPort\": 8080}]}",
                        name_of(w, variant == 2 ? "c2" : "c1").data, ENGINE_IMAGE, variant == 1 ? "false" : "true");
}

static size_t count_containers(struct world *w) {
    return engine_world_count(w, ALL_CONTAINERS);
}

static sv container_hostile(struct world *w, int number) {
    sv quoted = world_quote(w, world_get_hostile_text());
    struct buf json = BUF(&w->arena);
    if (number > 0) {
        return (sv){0};
    }
    buf_printf(&json, "{\"name\": \"%s\", \"image\": \"%s\", \"environment\": {\"HOSTILE\": ", name_of(w, "c1").data,
               ENGINE_IMAGE);
    buf_append(&json, quoted);
    buf_append_cstr(&json, "}, \"labels\": {\"x\": ");
    buf_append(&json, quoted);
    buf_append_cstr(&json, "}, \"command\": [");
    buf_append(&json, quoted);
    buf_append_cstr(&json, "]}");
    return buf_get_sv(&json);
}

int main(void) {
    const struct subject subjects[] = {
        {"docker/network", &docker_network_type, false, network_json, count_networks, network_hostile, 3, 4000},
        {"docker/volume", &docker_volume_type, false, volume_json, count_volumes, volume_hostile, 3, 1000},
        {"docker/container", &docker_container_type, false, container_json, count_containers, container_hostile, 4,
         40000},
    };
    if (!engine_world_start()) {
        printf("1..1\nok 1 - docker contract # SKIP no container engine can be started here\n");
        return 0;
    }
    int failed = suite_run(subjects, sizeof subjects / sizeof subjects[0]);
    engine_world_stop();
    return failed;
}
