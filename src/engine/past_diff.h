/* What differs between two states of an instance (LC-025): element by element, field by field. */
#ifndef LINTEL_ENGINE_PAST_DIFF_H
#define LINTEL_ENGINE_PAST_DIFF_H

#include "engine/run.h"

enum past_change_kind {
    PAST_ADDED = 1,
    PAST_REMOVED,
    PAST_CHANGED,
    PAST_REPLACED, /* a resource that stands for another object */
};
enum { PAST_CHANGE_KINDS = PAST_REPLACED + 1 };

struct past_change {
    enum past_change_kind kind;
    sv address, type;       /* type: of resources and exports; "link" */
    struct field_diff diff; /* of CHANGED and REPLACED; paths start with "spec", "metadata", "data", "value", … */
};

struct past_diff {
    VEC(struct past_change) changes; /* resources, links, exports; each as in the later state, what is gone behind */
    size_t counts[PAST_CHANGE_KINDS];
    size_t same;
};

/* All lives in the arena of the configuration and borrows from the views. */
void past_compare(const struct run_config *c, const struct instance_view *before, const struct instance_view *after,
                  struct past_diff *diff);

#endif
