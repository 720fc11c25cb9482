/* What expressions of the dynaml dialect may touch: programs and files (struct dynaml_world). */
#ifndef LINTEL_API_DYNAML_WORLD_H
#define LINTEL_API_DYNAML_WORLD_H

#include "dialects/dynaml/dynaml.h"

#include <stdatomic.h>

struct dynaml_world_options {
    struct arena *arena;
    struct host *host;         /* where programs are looked for */
    sv root;                   /* files are read below it; empty: anywhere (DY-361) */
    int64_t timeout_ms;        /* of one program; 0: 300 s */
    const atomic_int *signals; /* a program is ended when it rises; may be NULL */
};

/* Lives in the arena. Programs get the environment of this process and no input; what they print as errors is dropped.
 * The group of a program that is too slow or prints too much is killed. */
const struct dynaml_world *dynaml_world_new(const struct dynaml_world_options *options);

#endif
