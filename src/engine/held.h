/* An instance that another run holds (LC-032): who that is, and what can be done. */
#ifndef LINTEL_ENGINE_HELD_H
#define LINTEL_ENGINE_HELD_H

#include "model/store.h"

struct held {
    struct arena *arena;
    struct diags *diags;
    struct host *host;
    sv instance_id;
    sv instance_name; /* may be empty */
};
/* Reports `instance_in_progress`, naming the holder of the lease. */
void held_report(const struct held *h, const struct store_lease *lease);

#endif
