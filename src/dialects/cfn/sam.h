/* What SAM makes of a template, as far as references see it (§15). What others call is in data.h. Internal to the room.
 */
#ifndef LINTEL_DIALECTS_CFN_SAM_H
#define LINTEL_DIALECTS_CFN_SAM_H

#include "dialects/cfn/data.h"

enum { CFN_MADE_PROPERTIES = 2 };

/* A property of a resource that is made: one of its maker's, or a text. */
struct cfn_made_property {
    sv name;     /* empty: none */
    sv of_maker; /* path in the maker's properties; empty: `text` */
    sv text;
};

/* Behind cfn_resource.made_by. */
struct cfn_made {
    bool is_hashed; /* its name has a hash: unknown, reason `sam` */
    bool is_opaque; /* nothing is known of its attributes: all are made by AWS */
    struct cfn_made_property properties[CFN_MADE_PROPERTIES];
};

/* As cfn_property_find, for a resource that is made. */
bool cfn_made_property_find(struct cfn_run *run, const struct cfn_resource *r, sv path, value *result,
                            struct cell **cell);

#endif
