/* Marks that edits before this run may not have come to write (claim.h). */
#include "engine/claim.h"
#include "engine/deploy.h"

static void keep_lease(void *user) {
    renew_lease(user);
}

/* The element is not changed by it: what is saved of earlier rows does not have to know. */
static void write_claimed(struct deploy *d, struct resource_record *r) {
    struct pending_write w = {.kind = WRITE_RESOURCE, .resource = r};
    r->is_unclaimed = false;
    VEC_PUSH(&d->turn, &d->batch.writes, w);
}

void claim_objects(struct deploy *d) {
    struct recovery_request request = {.tick = keep_lease, .user = d};
    for (size_t i = 0; i < d->stored.elements.len && !d->lease_lost; i++) {
        const struct stored_element *s = d->stored.elements.items[i];
        struct resource_record *r = s->removed ? NULL : s->resource;
        if (r == NULL || !r->is_unclaimed) {
            continue;
        }
        sv why;
        enum provider_result result =
            claim_is_needed(d->c, r) ? claim_object(d->c, d->stored.instance.id, r, &request, &why) : PROVIDER_ABSENT;
        if (result == PROVIDER_OK || result == PROVIDER_ABSENT) {
            write_claimed(d, r);
        } else {
            claim_report(d->c, r->address.text, why);
        }
    }
}
