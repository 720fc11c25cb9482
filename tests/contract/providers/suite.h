/* The contract of providers (LC-072), as cases that run over every built-in type. */
#ifndef LINTEL_TESTS_PROVIDERS_SUITE_H
#define LINTEL_TESTS_PROVIDERS_SUITE_H

#include "model/host.h"
#include "model/provider.h"

/* A directory of its own, an instance of its own, and an arena; all goes with the case. */
struct world {
    struct arena arena;
    char dir[64];
    sv instance_id;
    uint32_t number; /* of the program that runs the case; in every operation key */
    struct host host;
    atomic_bool cancel;
    size_t progress_calls;
    bool refuse_progress;
};

struct subject {
    const char *name; /* of the type, in case names */
    const struct resource_type *type;
    bool is_pure; /* nothing outside the state: recover always says absent */
    /* Variant 0: the first spec, 1: an update of it, 2: one that needs a replacement. Without defaults. */
    sv (*make_json)(struct world *w, int variant);
    /* Objects of this type there are in the world. */
    size_t (*count)(struct world *w);
    /* Specs with hostile data in them, from 0; the empty text ends them. Each must work. */
    sv (*make_hostile)(struct world *w, int number);
    /* Creations that are killed, the nth after n² times so many microseconds; 0: the usual. */
    int kills, kill_us;
};

int suite_run(const struct subject *subjects, size_t count);

/* --- For cases of a type's own --- */

int world_set_up(void **state);
int world_tear_down(void **state);
/* JSON text with the defaults of the type. */
value world_make_spec(struct world *w, const struct resource_type *type, sv json);
/* A call with an operation key made of one byte and the number of the world, 20 seconds from now. `computed` of kind 0
 * is that of an object that is not there. */
struct provider_call world_make_call(struct world *w, const struct resource_type *type, uint8_t key, value spec,
                                     value computed);
sv world_get_reason(const struct provider_call *c); /* the first one */
/* Quotes, newlines, dollars and the like; valid in files, environments, arguments. */
sv world_get_hostile_text(void);
/* JSON text of a string. */
sv world_quote(struct world *w, sv text);
sv world_path(struct world *w, const char *name);
/* A port nobody listens on. */
uint16_t world_find_port(void);
/* Running leaders of services of this world. */
size_t world_count_services(struct world *w);

#endif
