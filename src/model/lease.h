/* Who holds a lease: what all stores decide alike (LC-030 to LC-033). */
#ifndef LINTEL_MODEL_LEASE_H
#define LINTEL_MODEL_LEASE_H

#include "model/store.h"

/* Whether the process that `holder` (JSON with pid, startTime, bootId, host) names is surely gone: same host, same
 * boot, and no such process any more; a zombie is gone. False whenever it cannot be told. */
bool lease_is_holder_gone(struct host *host, sv holder);
/* Whether the lease is held now. `boot_id` is the boot in which `expires_ms` was counted; it does not matter for a
 * lease with `has_own_clock`. */
bool lease_is_live(struct host *host, const struct store_lease *lease, sv boot_id);
/* The same for a lease as it was read, by the boot that its holder names. */
bool lease_is_held(struct host *host, const struct store_lease *lease);

#endif
