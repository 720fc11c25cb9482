/* Where the parts of a spec stand in the file, for what schemas and providers report. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_PLACES_H
#define LINTEL_DIALECTS_BLUEPRINT_PLACES_H

#include "doc/node.h"
#include "model/schema.h"

struct place_source {
    const struct node *spec;
    const struct schema *schema;
    span name; /* of the element: the place of what is missing at the top */
};

/* Places of the parts of a spec: the value; for a key that the schema does not know the key; for what is missing the
 * key of what it is missing in. `source` outlives the result. */
struct schema_places places_of_spec(const struct place_source *source);

#endif
