/* Objects bear the mark of their element. An edit that gives an object to another element says so in the record
 * (`is_unclaimed`), in its transaction; then the mark is written. Whoever is killed in between leaves an object that
 * `destroy` and some updates take for somebody else's: the next run that holds the lease writes the mark first. */
#ifndef LINTEL_ENGINE_CLAIM_H
#define LINTEL_ENGINE_CLAIM_H

#include "engine/recover.h"

/* Whether there is an object that could bear a mark. */
bool claim_is_needed(const struct run_config *c, const struct resource_record *r);
/* Writes the mark. ABSENT: there is no object any more; anything but OK: `object_not_marked` is left to the caller,
 * with why. `request` keeps the lease meanwhile (recover.h). */
enum provider_result claim_object(const struct run_config *c, sv instance_id, const struct resource_record *r,
                                  const struct recovery_request *request, sv *why);
/* The warning. */
void claim_report(const struct run_config *c, sv address, sv why);

#endif
