/* Where the parts of a spec stand in the file, for what schemas and providers report. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_PLACES_H
#define LINTEL_DIALECTS_BLUEPRINT_PLACES_H

#include "doc/node.h"
#include "model/schema.h"

enum { PLACE_CURSORS = 8 };

/* Where the last search in a mapping ended: what is reported comes mostly in the order of the file. */
struct place_cursor {
    const struct node *mapping;
    uint32_t next;
};

struct place_source {
    const struct node *spec;
    const struct schema *schema;
    span name;                                  /* of the element: the place of what is missing at the top */
    struct place_cursor cursors[PLACE_CURSORS]; /* by depth; zero to begin with */
};

/* Places of the parts of a spec: the value; for a key that the schema does not know the key; for what is missing the
 * key of what it is missing in. `source` outlives the result. */
struct schema_places places_of_spec(struct place_source *source);

#endif
