/* Addresses: the one key of an element in template, plan, state, journal and events (BP-307).
 *
 * Canonical text: [children.NAME/]… SECTION.NAME, where SECTION is variables values datasources resources children
 * links exports (a prefix is `resources.NAME/` where the child was written as a resource, 1.20); template instances by
 * instance name (`resources.fn_2`), links as `links.A::B`. Text of an address lives in the arena it was made in. */
#ifndef LINTEL_MODEL_ADDR_H
#define LINTEL_MODEL_ADDR_H

#include "base/buf.h"
#include "value/path.h"

enum element_kind {
    ELEMENT_VARIABLE = 1,
    ELEMENT_VALUE,
    ELEMENT_DATA,
    ELEMENT_RESOURCE,
    ELEMENT_CHILD,
    ELEMENT_LINK,
    ELEMENT_EXPORT,
    ELEMENT_TEMPLATE, /* a resource with `each` as a whole, in expanded templates; shares the section `resources` */
};

typedef struct addr {
    sv text;
} addr;

struct addr_parts {
    sv parent; /* "children.core/", empty at the root */
    enum element_kind kind;
    sv name;              /* of a link: "A::B" */
    sv a, b;              /* of a link */
    struct path property; /* what follows the element, as `spec.name`; empty without */
};

addr addr_make(struct arena *a, sv parent, enum element_kind kind, sv name);
bool addr_eq(addr x, addr y);
/* An address as typed by people (CLI-012): with a property behind it, `resources.fn[2]` taken for `resources.fn_2`.
 * False for malformed text. */
bool addr_parse(struct arena *a, sv text, struct addr_parts *result);
sv element_kind_get_section(enum element_kind kind); /* "resources" */

#endif
