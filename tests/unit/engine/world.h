/* A small world for tests of the engine: a fake provider whose objects are kept in memory, a host whose clock and
 * randomness are the test's, a memory store, and blueprints as text. */
#ifndef TESTS_UNIT_ENGINE_WORLD_H
#define TESTS_UNIT_ENGINE_WORLD_H

#include "engine/run.h"
#include "lang/blueprint/test_fetcher.h"

#include <pthread.h>

/* A real thing: what the provider made and did not destroy. */
struct object {
    sv id, type, key;
    value spec;
    bool gone;
};

/* What a call of the provider is to do once: "create resources.a" → a result. */
struct script {
    sv call;
    enum provider_result result;
    unsigned times;
};

struct world {
    struct arena arena;
    pthread_mutex_t lock;
    VEC(struct object) objects;
    VEC(sv) calls; /* "create resources.a", in order of their beginning */
    VEC(struct script) scripts;
    value data; /* what data sources of type fake/host choose from: a list of maps */
    struct host host;
    int64_t wall_ms, monotonic_ms;
    uint64_t seed;
    size_t next_id;
    sv signal_at; /* the call at which the user interrupts, `signal_count` times */
    int signal_count;
    atomic_int signals;
    sv leap_at;             /* the call at which the clock leaps an hour */
    size_t in_b, most_in_b; /* links that write their side B at a time */
    struct store *store;
    struct diags store_diags;
    struct sealer *sealer;
    char key_dir[64];
};

extern const struct providers world_providers;
/* Of links: between fake/place and fake/thing one that works (world_links.c), the others give and need capabilities. */
extern const struct link_type world_working_link, world_route_link, world_naming_link, world_wanting_link;

/* For the provider's own: notes the call and takes the lock; a scripted result, or 0. Then gives the lock back. */
enum provider_result world_enter(struct provider_call *c, const char *what);
enum provider_result world_leave(struct provider_call *c, enum provider_result result);

void world_init(struct world *w);
void world_fini(struct world *w);
/* The next `times` calls of that name give the result. */
void world_script(struct world *w, const char *call, enum provider_result result, unsigned times);
struct object *world_find(struct world *w, const char *id);
size_t world_count_calls(struct world *w, const char *call);
size_t world_count_objects(struct world *w);

/* One use of the engine: template, plan and deployment, each in the arena of its own. */
struct trip {
    struct world *world;
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct run_config config;
    struct test_fetcher fetcher; /* of children: documents behind lines "#--- NAME" of the blueprint */
    const struct content_pin *pins;
    size_t pin_count;
    struct template *t;
    struct plan *plan;
    enum exit_code code;
    struct buf events;
};
void trip_init(struct trip *t, struct world *w);
void trip_fini(struct trip *t);
/* False when the blueprint has errors. NULL text: the empty template. */
bool trip_load(struct trip *t, const char *blueprint);
/* Plans and says what came out, a line each: changes, then operations with what they wait for. Errors: their codes and
 * messages. */
const char *trip_plan(struct trip *t, const char *blueprint);
const char *trip_plan_destroy(struct trip *t);
const char *trip_print_plan(struct trip *t);
enum exit_code trip_deploy(struct trip *t);
/* Codes and messages so far. */
const char *trip_errors(struct trip *t);
/* All of it with an own trip; errors are printed when the code is not the one expected. */
void world_deploy(struct world *w, const char *blueprint, enum exit_code expected);
void world_destroy(struct world *w, enum exit_code expected);
/* What is stored: a line for each element. */
const char *trip_state(struct trip *t);
/* What data sources find, as JSON. */
void world_set_data(struct world *w, const char *json);
/* Fails the test with a readable difference. */
void expect_text(const char *got, const char *expected);

#endif
