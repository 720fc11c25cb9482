#include "providers/random/random.h"

enum provider_result random_keep_prior(struct provider_call *c, const struct schema *schema) {
    if (c->prior.kind != VALUE_MAP) {
        return PROVIDER_ABSENT;
    }
    c->computed = schema_pick_computed(c->arena, schema, c->prior);
    c->found_spec = c->spec;
    return PROVIDER_OK;
}

enum provider_result random_destroy(struct provider_call *c) {
    (void)c;
    return PROVIDER_OK;
}

enum provider_result random_recover(struct provider_call *c) {
    (void)c;
    return PROVIDER_ABSENT;
}

/* sorted */
static const struct resource_type *const random_types[] = {
    &random_id_type,
    &random_password_type,
};

const struct provider provider_random = {
    .name = SV_INIT("random"),
    .summary = SV_INIT("Random values, made once and kept in the state"),
    .resources = random_types,
    .resource_count = sizeof random_types / sizeof random_types[0],
};
