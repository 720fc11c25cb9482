#include "engine/claim.h"

#include "model/schema.h"
#include "text/render.h"

enum { CLAIM_DEADLINE_MS = 60 * 1000 };

bool claim_is_needed(const struct run_config *c, const struct resource_record *r) {
    const struct resource_type *type = c->providers == NULL ? NULL : providers_find_type(c->providers, r->type);
    return type != NULL && type->claim != NULL && record_has_object(r);
}

void claim_report(const struct run_config *c, sv address, sv why) {
    struct diag *d =
        diags_add(c->diags, DIAG_object_not_marked, SPAN_NONE, "the object of '%.*s' could not be marked as its: %.*s",
                  SV_ARG(address), SV_ARG(render_escape(c->arena, why)));
    diag_set_hint(c->diags, d,
                  "the state is as it should be; but destroying leaves an object with another's mark where it is");
}

struct claimer {
    const struct run_config *c;
    enum provider_result (*fn)(struct provider_call *call);
    struct provider_call call;
};

static enum provider_result ask(void *user) {
    struct claimer *k = user;
    k->call.deadline_ms = k->c->host->ops->get_monotonic_ms(k->c->host->user) + CLAIM_DEADLINE_MS;
    return k->fn(&k->call);
}

enum provider_result claim_object(const struct run_config *c, sv instance_id, const struct resource_record *r,
                                  const struct recovery_request *request, sv *why) {
    struct claimer k = {.c = c, .fn = providers_find_type(c->providers, r->type)->claim};
    k.call = (struct provider_call){
        .arena = c->arena,
        .address = r->address,
        .instance_id = instance_id,
        .host = c->host,
        .context = c->context,
        .spec = r->spec,
        .metadata = r->metadata,
        .prior = schema_merge(c->arena, r->spec, r->computed),
        .physical_id = r->physical_id,
    };
    seal_operation_key(instance_id, r->address.text, r->generation, SV("create"), k.call.op_key);
    enum provider_result result = recover_ask(c, request, ask, &k);
    *why = k.call.reasons.items.len > 0 ? k.call.reasons.items.items[0] : SV("it is not there");
    return result;
}
