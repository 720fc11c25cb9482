/* A container engine for tests: podman, started with a directory of its own, and an image with one program in it, a
 * small HTTP server. */
#ifndef LINTEL_TESTS_PROVIDERS_DOCKER_WORLD_H
#define LINTEL_TESTS_PROVIDERS_DOCKER_WORLD_H

#include "adapters/http/http.h"
#include "suite.h"

#define ENGINE_IMAGE "localhost/lintel-test:1"

/* Starts it, sets DOCKER_HOST and makes the image. False when there can be none, after the reason on standard error.
 * Ended by engine_world_stop. */
bool engine_world_start(void);
void engine_world_stop(void);
/* Puts the program and a Dockerfile for it into the directory. */
void engine_world_make_context(const char *dir);
/* Asks the engine directly, behind the provider's back; returns the status. */
int64_t engine_world_ask(struct arena *a, const char *method, sv path, sv content, sv *body);
/* Objects of that path ("/containers/json?all=1") with the label of the world's instance. */
size_t engine_world_count(struct world *w, const char *path);

#endif
