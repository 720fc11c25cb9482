/* What a plan is limited to (CLI-012, CLI-013): `--target` takes elements and everything they use, `--exclude` leaves
 * out elements and everything that uses them, `--replace` makes objects anew. For destruction it is the other way
 * round: what is destroyed takes along all that uses it, what stays keeps all that it uses.
 *
 * What is left out stays as it is stored. Links are taken with both their sides; of a removed element that something
 * left out still uses, nothing is done (BP-485). */
#ifndef LINTEL_ENGINE_TARGET_H
#define LINTEL_ENGINE_TARGET_H

#include "engine/topology.h"
#include "model/host.h"

struct stored;

struct target_list {
    const struct target_address {
        sv text; /* as typed */
        span at; /* where it was typed */
    } * items;
    size_t count;
};

struct target_request {
    struct target_list targets, excludes, replaces;
};

/* Per element and link of the template, and by address for what stands in the state alone. */
struct target_choice {
    bool is_limited;
    bool *left_out;                          /* resources, and exports whose sources are left out; NULL: nothing is */
    bool *links_left_out;                    /* of the template */
    bool *replaced;                          /* resources; NULL: none */
    struct map left_alone;                   /* addresses that only the state knows, and of destruction all that stay */
    const sv *targets, *excludes, *replaces; /* as they are printed */
};

struct target_world {
    struct arena *arena;
    struct diags *diags;
    const struct topology *topology; /* of the expanded template; without a template: of destruction */
    const struct stored *stored;
};

/* False after a report: an address that names nothing (`resource_missing`), an object that is not there to be replaced,
 * a removed element that is targeted while something left out uses it (`removed_resource_has_dependents`). */
bool target_choose(const struct target_world *w, const struct target_request *request, struct target_choice *choice);
bool target_is_left_out(const struct target_choice *c, uint32_t element);
bool target_is_link_left_out(const struct target_choice *c, uint32_t link);
bool target_is_replaced(const struct target_choice *c, uint32_t element);
/* Of what stands in the state alone, and of everything when it is destroyed; an export by the address that plans show.
 */
bool target_is_left_alone(const struct target_choice *c, sv address);

#endif
