/* The parts of process/service.
 *
 * Invariants: (1) a service carries operation key, instance, address and the digest of what it was started with in its
 * environment from its first instruction on; (2) from before the fork until its program runs the guard named after the
 * key is held, by the starter or by the child; (3) a process is stopped only while number and start time are those of
 * the state, or its environment names this element. */
#ifndef LINTEL_PROVIDERS_PROCESS_SERVICE_H
#define LINTEL_PROVIDERS_PROCESS_SERVICE_H

#include "adapters/process/process.h"
#include "model/host.h"
#include "model/provider.h"

/* --- launch.c: from spec to running program --- */

struct launch {
    struct process_start start;
    sv key_entry, instance_entry, element_entry, digest_entry; /* of the environment */
    sv log_path;                                               /* empty without */
    int64_t log_from;                                          /* size of the log before the start */
};
/* What the spec says, as the kernel wants it. A reason when the program cannot be found or an entry holds a NUL. */
enum provider_result launch_prepare(struct provider_call *c, struct launch *l);
/* Starts it. The caller holds the guard. */
enum provider_result launch_start(struct provider_call *c, struct launch *l, struct process_ref *result);
/* What the service has written since, cut to its last lines; for a reason. */
sv launch_read_log(struct provider_call *c, const struct launch *l);
/* Whether two specs start the same program in the same way. */
bool launch_is_same(value before, value after);

/* --- find.c: services that run --- */

/* The process of the stored fields; false when they name none. Of another boot: pid 0, which never runs. */
bool service_get_stored(struct provider_call *c, value fields, struct process_ref *ref);
/* The leader started by this operation with this very spec; ABSENT when none runs, CANNOT_TELL when the system does not
 * let us look. */
enum provider_result service_find_own(struct provider_call *c, const struct launch *l, struct process_ref *ref);
/* Takes the guard of the operation, waiting for a start under way to end. -1 when it does not. */
int service_take_guard(struct provider_call *c);
/* Ends the group with the signal, then by force; then whatever is left of its session. */
enum provider_result service_stop(struct provider_call *c, struct process_ref ref, value spec);
/* At once, without waiting. */
void service_kill(struct process_ref ref);
value service_compute(struct provider_call *c, struct process_ref ref);

/* --- health.c --- */

/* Waits until the service is healthy. On failure the service still runs; the reasons say what was last seen. */
enum provider_result health_wait(struct provider_call *c, const struct launch *l, struct process_ref ref);
/* Checks of `healthCheck` that a schema cannot make. */
void health_validate(value spec, struct diags *diags, span at, sv prefix);

/* --- schema.c --- */
extern const struct schema service_schema;

#endif
