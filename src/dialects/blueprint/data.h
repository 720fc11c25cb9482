/* What the dialect keeps beside its template for evaluations. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_DATA_H
#define LINTEL_DIALECTS_BLUEPRINT_DATA_H

#include "base/map.h"
#include "model/addr.h"

struct blueprint_data {
    struct map names[ELEMENT_EXPORT + 1]; /* by kind: name → element number + 1, or BLUEPRINT_OPAQUE */
};

/* A name whose definition is not looked at (not supported yet): references to it stay silent. */
#define BLUEPRINT_OPAQUE ((void *)UINTPTR_MAX)

/* The group of diagnostics about an element of that kind (BP-305); empty for those without. */
sv blueprint_get_group(enum element_kind kind);

#endif
