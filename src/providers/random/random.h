/* The provider `random`: values made once and kept in the state. Nothing outside the state exists, so every operation
 * is pure: an operation cut off before its outcome was recorded has left nothing behind. */
#ifndef LINTEL_PROVIDERS_RANDOM_RANDOM_H
#define LINTEL_PROVIDERS_RANDOM_RANDOM_H

#include "model/host.h"
#include "model/provider.h"

extern const struct provider provider_random;

/* Types of the tables; for the provider's own files. */
extern const struct resource_type random_id_type, random_password_type;

/* Read and update of both: the computed values are those of the state. ABSENT without one. */
enum provider_result random_keep_prior(struct provider_call *c, const struct schema *schema);
/* Nothing is left to be destroyed, and nothing that was cut off has left anything. */
enum provider_result random_destroy(struct provider_call *c);
enum provider_result random_recover(struct provider_call *c);

#endif
