/* After an edit is durable: objects whose element has another name now, or is new to the state, bear the mark that says
 * so. Without it `destroy` takes them for somebody else's and leaves them where they are. */
#include "engine/edit.h"

#include "model/schema.h"
#include "text/render.h"

enum { CLAIM_DEADLINE_MS = 60 * 1000 };

static void report(struct edit *e, sv address, const struct provider_call *call) {
    sv why = call->reasons.items.len > 0 ? call->reasons.items.items[0] : SV("it is not there");
    struct diag *d = diags_add(e->c->diags, DIAG_object_not_marked, SPAN_NONE,
                               "the object of '%.*s' could not be marked as its: %.*s", SV_ARG(address),
                               SV_ARG(render_escape(e->a, why)));
    diag_set_hint(e->c->diags, d,
                  "the state is as it should be; but destroying leaves an object with another's mark "
                  "where it is");
}

static void claim(struct edit *e, const struct edit_item *item, bool warns_of_absent) {
    const struct run_config *c = e->c;
    const struct resource_record *r = item->resource;
    const struct resource_type *type = r == NULL ? NULL : providers_find_type(c->providers, r->type);
    if (type == NULL || type->claim == NULL || !record_has_object(r)) {
        return;
    }
    struct provider_call call = {
        .arena = e->a,
        .address = r->address,
        .instance_id = e->stored.instance.id,
        .host = c->host,
        .context = c->context,
        .deadline_ms = c->host->ops->get_monotonic_ms(c->host->user) + CLAIM_DEADLINE_MS,
        .spec = r->spec,
        .metadata = r->metadata,
        .prior = schema_merge(e->a, r->spec, r->computed),
        .physical_id = r->physical_id,
    };
    seal_operation_key(call.instance_id, r->address.text, r->generation, SV("create"), call.op_key);
    enum provider_result result = type->claim(&call);
    if (result != PROVIDER_OK && (result != PROVIDER_ABSENT || warns_of_absent)) {
        report(e, r->address.text, &call);
    }
}

void edit_claim(struct edit *e) {
    for (size_t i = 0; !e->request.dry_run && e->c->providers != NULL && i < e->changes.len; i++) {
        const struct edit_change *change = &e->changes.items[i];
        bool is_back = change->verb == EDIT_RESTORED && (e->undoes != 0 || e->replaces_all);
        if (change->verb != EDIT_MOVED && change->verb != EDIT_IMPORTED && !is_back) {
            continue;
        }
        const struct edit_item *item = edit_find(e, change->verb == EDIT_MOVED ? change->to : change->address);
        if (item != NULL) {
            claim(e, item, !is_back);
        }
    }
}
