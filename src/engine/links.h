/* Links at staging and in deployment: what they contribute to their sides, in which order these come, what is recorded
 * of them (BP-430 to BP-432, BP-490, BP-491). */
#ifndef LINTEL_ENGINE_LINKS_H
#define LINTEL_ENGINE_LINKS_H

#include "engine/conditions.h"
#include "engine/topology.h"
#include "model/state.h"

/* What is known of the sides when a link is staged. */
struct link_sides {
    value spec_a, spec_b; /* merged with computed fields; kind 0: nothing is known, then all fields are unknown */
    value metadata_a, metadata_b;
    value prior; /* stored link data; kind 0 without */
};

/* The link type's stage operation. False after a report. */
bool links_stage(struct link_call *call, const struct template *t, const struct template_link *l,
                 const struct link_sides *sides);
/* Which side must come first, from the link type or from contributions that need the other side. Contributions in both
 * directions give a cycle: then the side A is `first`, and the caller's order finds a hard order the other way, if
 * there is one. */
struct link_order links_find_order(const struct template *t, const struct template_link *l);

/* What is known of the resources around a link: of the plan while planning, of the records while deploying. */
struct link_world {
    const struct topology *topology;
    struct diags *diags;
    void *user;
    value (*get_spec)(void *user, uint32_t element); /* merged with computed fields; kind 0: not known yet */
    value (*get_metadata)(void *user, uint32_t element);
    value (*get_prior)(void *user, uint32_t link); /* stored link data; kind 0 without */
    enum condition (*get_condition)(void *user, uint32_t element);
};
/* The spec with everything laid over that its links contribute (BP-432). ERROR after a report
 * (`link_contribution_conflict`, `operation_cycle`). */
value links_lay_over(const struct link_world *w, struct arena *a, uint32_t element, value spec);
/* Stages a link of which both sides are known as far as they can be. False after a report. */
bool links_stage_known(const struct link_world *w, uint32_t link, struct link_call *call);

/* A link with an excluded side does not follow from the template (BP-142, BP-164): FALSE. */
enum condition links_find_condition(const struct link_world *w, uint32_t link);
/* What `link(a, b)` gives (FN-233). */
value links_get_state(struct arena *a, const struct link_record *l);
/* The stored data with what operations added to it. */
value links_get_data(struct arena *a, const struct link_record *l);
/* What it contributes and what its operations have set (BP-552); kind 0 when there is neither. */
value links_get_all_mappings(struct arena *a, const struct link_record *l);
/* The address of a side, which stands in the same child as the link. */
sv links_get_side(struct arena *a, sv link, sv name);
/* The type that the record was made with; NULL when no provider offers it any more. */
const struct link_type *links_find_type(const struct providers *providers, const struct link_record *l);
/* Intermediaries as records keep them (BP-552) and back. */
value links_encode_intermediaries(struct arena *a, const struct link_intermediary *items, size_t count);
size_t links_decode_intermediaries(struct arena *a, value map, struct link_intermediary **items);

/* resource::path → link data path (BP-491); kind 0 when the link sets nothing. */
value links_get_mappings(struct arena *a, const struct link_call *call);

#endif
