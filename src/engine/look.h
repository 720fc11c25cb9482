/* Looking at an instance without planning: what is stored, what became of cut-off operations, what is really there.
 * Then writing what was found, under a lease, unless somebody else has written in between. */
#ifndef LINTEL_ENGINE_LOOK_H
#define LINTEL_ENGINE_LOOK_H

#include "engine/deploy.h"
#include "engine/planner.h"

struct look {
    const struct run_config *c;
    struct stored stored;     /* the records follow what is found */
    struct open_intents open; /* cut off */
    struct planner planner;   /* `drift` is what was found */
    bool has_failed;          /* some element could not be read; reported */
};

/* Loads the instance. False after a report (`instance_not_found`, `instance_in_progress`, …) with the exit code. */
bool look_open(const struct run_config *c, struct look *l, enum exit_code *code);
/* Whether an operation on the element was cut off. */
bool look_is_cut_off(const struct look *l, sv address);
/* Whether a search for `wanted` means the element: the element itself, or the child around it. */
bool look_matches(sv wanted, sv address);
/* Reads the objects of all elements that are not cut off and for which `wants`, unless NULL, says so. */
struct look_filter {
    bool (*wants)(void *user, sv address);
    void *user;
};
void look_read(struct look *l, struct look_filter filter);

/* A short run that writes what was found. */
struct finding {
    struct deploy run;
    struct plan plan; /* names the instance, and nothing else */
};
/* Takes the lease; the instance is as it was looked at. False after a report: exit code 6, or 7 when it changed. Either
 * way finding_close ends it. */
bool finding_open(struct finding *f, const struct look *l, enum exit_code *code);
/* Gives the lease back; the exit code of all that was written. */
enum exit_code finding_close(struct finding *f);

#endif
