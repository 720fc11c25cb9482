/* What a run finds out once and never computes again (BP-424, FN-210, FN-230, FN-231): its time, and the results of
 * functions and data sources that depend on the world.
 *
 * Staging puts results, the change set keeps them, deployment finds them, so that plan and deployment agree. Those of
 * life INSTANCE are kept with the instance as well and found again by later stagings. One record belongs to one run
 * (or to one console, one rendering) and to one thread. */
#ifndef LINTEL_MODEL_RECORD_H
#define LINTEL_MODEL_RECORD_H

#include "base/map.h"
#include "base/vec.h"
#include "value/value.h"

enum record_life {
    RECORD_RUN = 1,  /* in the change set only */
    RECORD_INSTANCE, /* then in the instance: uuid */
};

struct run_result {
    sv key; /* what was asked: "file|/x/a.json", "uuid|resources.a.spec.id|0", "data|datasources.net" */
    enum record_life life;
    value item; /* sensitive parts are marked */
    bool used;  /* asked for in this run; results of life INSTANCE that are not are dropped at its end */
};

struct run_record {
    struct arena *arena;
    int64_t run_ms; /* Unix milliseconds: when staging began (FN-230) */
    bool closed;  /* a deployment of a saved plan: what is not there is asked anew, but never file, http_resource, uuid
                     or datetime of what was staged */
    bool is_look; /* nobody deploys what is found out (console, render): time and new uuids stay unknown, so that
                     looking twice shows the same */
    VEC(struct run_result) items; /* in order of first use */
    struct map by_key;            /* number in items + 1 */
};

void record_init(struct run_record *r, struct arena *a, int64_t run_ms);
/* False when nothing is recorded under the key. Marks the result as used. */
bool record_find(struct run_record *r, sv key, value *result);
/* Keeps a copy; a result that is there stays as it is. */
void record_put(struct run_record *r, sv key, enum record_life life, value item);

#endif
