/* Regions, their partitions and zones (CF-203, CF-204). Const data. */
#ifndef LINTEL_DIALECTS_CFN_REGIONS_H
#define LINTEL_DIALECTS_CFN_REGIONS_H

#include "base/arena.h"

struct cfn_partition {
    sv prefix; /* of its regions; empty: all that have none of the others */
    sv name, suffix;
};
/* By the first prefix that fits; never NULL. */
const struct cfn_partition *cfn_region_get_partition(sv region);

/* Letters of the region's zones ("abc"); empty when the region is not listed. */
sv cfn_region_find_zones(sv region);

/* CF-201: 12 digits. */
bool cfn_is_account(sv text);
/* CF-201: a letter, then letters, digits and hyphens, 128 at most. */
bool cfn_is_stack_name(sv text);

#endif
