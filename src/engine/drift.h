/* Drift checks (BP-530, BP-531): what is really there is set against the stored state. */
#ifndef LINTEL_ENGINE_DRIFT_H
#define LINTEL_ENGINE_DRIFT_H

#include "engine/run.h"

/* Lives in the run's arena. */
struct drift_report {
    struct store_instance instance;
    const struct change *items; /* `missing`: the object is gone; else `diff` tells how it differs */
    size_t count;
    size_t checked;
    size_t cleared;     /* records of earlier checks that do not hold any more */
    size_t interrupted; /* operations that were cut off: their elements are left out */
};

/* Reads `c->readers` objects at a time. Saves a drift record with every element that differs and clears those of
 * elements that do not, under a lease and in one transaction; nothing else of the state changes, its version neither.
 * OK or DRIFT; else after a report: FAILED when an element could not be read (what was found is saved all the same, and
 * nothing cleared), LOCKED, STALE. */
enum exit_code run_drift(const struct run_config *c, struct drift_report *report);

#endif
