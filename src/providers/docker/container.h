/* The parts of docker/container. Invariants: object.h. A container is made, then joins further networks, then is
 * started: whoever finds it half way goes on from there. */
#ifndef LINTEL_PROVIDERS_DOCKER_CONTAINER_H
#define LINTEL_PROVIDERS_DOCKER_CONTAINER_H

#include "providers/docker/docker_provider.h"
#include "providers/docker/object.h"

extern const struct object_kind container_kind;

/* --- container_schema.c --- */
extern const struct schema container_schema;
/* Checks that a schema cannot make. */
void container_validate(struct arena *a, value spec, struct diags *diags, span at, sv prefix);

/* --- container_spec.c --- */
/* What the engine is told to make. A reason when a text has a NUL in it. */
enum provider_result container_make_content(struct provider_call *c, value *content);
/* Names of the networks that the spec lists, in its order. */
struct container_networks {
    VEC(sv) items;
};
void container_list_networks(struct arena *a, value spec, struct container_networks *networks);

/* --- container_state.c: of a container as the engine shows it --- */
value container_compute(struct provider_call *c, value object);
/* The fields of the spec that can change in a container, as they are. */
value container_read_spec(struct provider_call *c, value object);
bool container_is_running(value object);
/* Waits until it is healthy, or without a health check until it has run for a moment; `object` is as it was last. */
enum provider_result container_await(struct engine *e, sv id, value *object);

#endif
