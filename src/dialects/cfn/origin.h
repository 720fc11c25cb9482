/* Where a value comes from (CF-005). Of a computed value it is the last of its operands' origins in this order. */
#ifndef LINTEL_DIALECTS_CFN_ORIGIN_H
#define LINTEL_DIALECTS_CFN_ORIGIN_H

#include "value/value.h"

enum cfn_origin {
    CFN_TEMPLATE = 1, /* follows from the text and from given values */
    CFN_GIVEN,        /* a symbol */
    CFN_ASSUMED,      /* a default of CF-201, CF-203, CF-204 */
    CFN_STAND_IN,     /* CF-227, on request only */
};

static inline enum cfn_origin cfn_origin_join(enum cfn_origin a, enum cfn_origin b) {
    return a > b ? a : b;
}

/* A value with its origin. `item` of kind 0 is none at all. */
struct cfn_answer {
    value item;
    enum cfn_origin origin;
};

#endif
