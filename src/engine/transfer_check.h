/* Inside of transfer_read: what the elements of one instance have to do with each other. */
#ifndef LINTEL_ENGINE_TRANSFER_CHECK_H
#define LINTEL_ENGINE_TRANSFER_CHECK_H

#include "base/map.h"
#include "text/diag.h"
#include "value/value.h"

struct checked_element {
    sv address;
    value needs; /* what it uses: list of addresses, or kind 0 */
    span at;
    size_t waits; /* uses that are not ordered yet */
};
struct transfer_check {
    struct arena *arena;
    struct diags *diags;
    VEC(struct checked_element) items;
    struct map by_address; /* number + 1 */
};

void transfer_check_init(struct transfer_check *c, struct arena *a, struct diags *diags);
/* False after a report: the address stands there already, or what the body says of its uses is no list of texts. */
bool transfer_check_add(struct transfer_check *c, sv address, value body, span at);
/* False after a report: elements use each other in a circle. */
bool transfer_check_order(struct transfer_check *c);

#endif
