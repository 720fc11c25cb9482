/* What may happen twice (LC-024): an operation of a type that promises no more than *at least once* cannot be found out
 * about when it was cut off, so that what goes on with it may make a second object. */
#include "engine/planner.h"

static bool is_weak(const struct resource_type *type) {
    return type != NULL && type->promise == PROMISE_AT_LEAST_ONCE;
}

/* Hardly ever: then the changes are not looked at. */
static bool has_weak_type(const struct providers *all) {
    for (size_t i = 0; all != NULL && i < all->count; i++) {
        for (size_t k = 0; k < all->items[i]->resource_count; k++) {
            if (is_weak(all->items[i]->resources[k])) {
                return true;
            }
        }
    }
    return false;
}

void plan_warn_promises(const struct run_config *c, const struct plan *plan) {
    if (!has_weak_type(c->providers)) {
        return;
    }
    for (size_t i = 0; i < plan->change_count; i++) {
        const struct change *change = &plan->changes[i];
        bool makes = change->action == ACTION_CREATE || change->action == ACTION_REPLACE;
        if (change->kind != ELEMENT_RESOURCE || !makes || !is_weak(providers_find_type(c->providers, change->type))) {
            continue;
        }
        sv address = change->address.text;
        const struct element *e = plan->expanded == NULL ? NULL : template_find(plan->expanded, address);
        struct diag *d = diags_add(c->diags, DIAG_operation_may_repeat, e == NULL ? SPAN_NONE : e->at,
                                   "'%.*s' is made at least once: when its creation is cut off, '%.*s' cannot find out "
                                   "what it did",
                                   SV_ARG(address), SV_ARG(change->type));
        diag_set_hint(c->diags, d,
                      "after an interruption look for a second object by hand, and let the run end by itself");
        d->path = address;
    }
}
