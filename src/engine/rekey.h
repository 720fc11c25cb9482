/* Another key, or another data key, for the sealed values of a name space (LC-052).
 *
 * Invariants: (1) all of it is one transaction that no run overlaps: whoever kills it finds the old key or the new one
 * with all values sealed accordingly, never a part; (2) a journal whose chain does not fit is not sealed anew, since
 * that would hide what was done to it; (3) what the old data key does not open stays as it is and is counted. */
#ifndef LINTEL_ENGINE_REKEY_H
#define LINTEL_ENGINE_REKEY_H

#include "engine/run.h"

struct rekey_request {
    struct sealer *to; /* of the same store, made by sealer_open_anew */
    sv expected;       /* what the store holds of the present data key */
    bool rotate;       /* `to` has another data key: everything is sealed anew */
    bool dry_run;      /* nothing is written, and no lease is looked at */
};

struct rekey_report {
    size_t instances; /* of the name space */
    size_t moved;     /* values that were sealed anew */
    size_t left;      /* values that the old data key does not open */
};

/* The sealer of the configuration has the present key. Waits up to the lock time limit for runs under way. False after
 * a report, with the exit code: 6 when a run holds an instance, whichever. */
bool rekey_run(const struct run_config *c, const struct rekey_request *request, struct rekey_report *report,
               enum exit_code *code);

/* Asked under a lease, during which no data key is rotated: one that was before must not seal anything more. False
 * after a report, with the exit code. */
bool rekey_check_current(const struct run_config *c, sv context, enum exit_code *code);

#endif
