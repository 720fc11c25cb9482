/* Objects whose element has another name now, or is new to the state, bear the mark that says so (claim.h). Without it
 * `destroy` takes them for somebody else's and leaves them where they are. */
#include "engine/claim.h"
#include "engine/edit.h"

/* `is_back`: it was in the state before, so its object may well be gone. */
struct claimed {
    struct edit_item *item;
    bool is_back;
};

/* False: the change gives nobody an object. */
static bool find_claimed(const struct edit *e, const struct edit_change *change, struct claimed *claimed) {
    bool is_back = change->verb == EDIT_RESTORED && (e->undoes != 0 || e->replaces_all);
    if (change->verb != EDIT_MOVED && change->verb != EDIT_IMPORTED && !is_back) {
        return false;
    }
    sv address = change->verb == EDIT_MOVED ? change->to : change->address;
    *claimed = (struct claimed){edit_find(e, address), is_back};
    return claimed->item != NULL && claimed->item->resource != NULL && claim_is_needed(e->c, claimed->item->resource);
}

void edit_note_claims(struct edit *e) {
    struct claimed claimed;
    for (size_t i = 0; i < e->changes.len; i++) {
        if (find_claimed(e, &e->changes.items[i], &claimed)) {
            claimed.item->resource->is_unclaimed = true;
            claimed.item->changed = true;
        }
    }
}

/* The records go on saying that it may be missing: that it is there would take a transaction more, and to write it
 * again does no harm. */
void edit_claim(struct edit *e) {
    struct recovery_request request = {0};
    struct claimed claimed;
    for (size_t i = 0; !e->request.dry_run && i < e->changes.len; i++) {
        if (!find_claimed(e, &e->changes.items[i], &claimed)) {
            continue;
        }
        const struct resource_record *r = claimed.item->resource;
        sv why;
        enum provider_result result = claim_object(e->c, e->stored.instance.id, r, &request, &why);
        if (result != PROVIDER_OK && (result != PROVIDER_ABSENT || !claimed.is_back)) {
            claim_report(e->c, r->address.text, why);
        }
    }
}
