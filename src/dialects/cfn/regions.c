/* Tables of regions. */
#include "dialects/cfn/regions.h"

static const struct cfn_partition partitions[] = {
    {SV_INIT("cn-"), SV_INIT("aws-cn"), SV_INIT("amazonaws.com.cn")},
    {SV_INIT("us-gov-"), SV_INIT("aws-us-gov"), SV_INIT("amazonaws.com")},
    {SV_INIT("us-isob-"), SV_INIT("aws-iso-b"), SV_INIT("sc2s.sgov.gov")},
    {SV_INIT("us-isof-"), SV_INIT("aws-iso-f"), SV_INIT("csp.hci.ic.gov")},
    {SV_INIT("us-iso-"), SV_INIT("aws-iso"), SV_INIT("c2s.ic.gov")},
    {SV_INIT("eu-isoe-"), SV_INIT("aws-iso-e"), SV_INIT("cloud.adc-e.uk")},
    {SV_INIT("eusc-"), SV_INIT("aws-eusc"), SV_INIT("amazonaws.eu")},
    {SV_INIT(""), SV_INIT("aws"), SV_INIT("amazonaws.com")},
};

const struct cfn_partition *cfn_region_get_partition(sv region) {
    const struct cfn_partition *p = partitions;
    while (!sv_has_prefix(region, p->prefix)) {
        p++;
    }
    return p;
}

struct region_zones {
    sv region, letters;
};

#define ZONES(region, letters) \
    { SV_INIT(region), SV_INIT(letters) }
static const struct region_zones zones[] = {
    /* sorted */
    ZONES("af-south-1", "abc"),     ZONES("ap-east-1", "abc"),       ZONES("ap-east-2", "abc"),
    ZONES("ap-northeast-1", "acd"), ZONES("ap-northeast-2", "abcd"), ZONES("ap-northeast-3", "abc"),
    ZONES("ap-south-1", "abc"),     ZONES("ap-south-2", "abc"),      ZONES("ap-southeast-1", "abc"),
    ZONES("ap-southeast-2", "abc"), ZONES("ap-southeast-3", "abc"),  ZONES("ap-southeast-4", "abc"),
    ZONES("ap-southeast-5", "abc"), ZONES("ap-southeast-6", "abc"),  ZONES("ap-southeast-7", "abc"),
    ZONES("ca-central-1", "abd"),   ZONES("ca-west-1", "abc"),       ZONES("cn-north-1", "abc"),
    ZONES("cn-northwest-1", "abc"), ZONES("eu-central-1", "abc"),    ZONES("eu-central-2", "abc"),
    ZONES("eu-isoe-west-1", "abc"), ZONES("eu-north-1", "abc"),      ZONES("eu-south-1", "abc"),
    ZONES("eu-south-2", "abc"),     ZONES("eu-west-1", "abc"),       ZONES("eu-west-2", "abc"),
    ZONES("eu-west-3", "abc"),      ZONES("eusc-de-east-1", "abc"),  ZONES("il-central-1", "abc"),
    ZONES("me-central-1", "abc"),   ZONES("me-south-1", "abc"),      ZONES("mx-central-1", "abc"),
    ZONES("sa-east-1", "abc"),      ZONES("us-east-1", "abcdef"),    ZONES("us-east-2", "abc"),
    ZONES("us-gov-east-1", "abc"),  ZONES("us-gov-west-1", "abc"),   ZONES("us-iso-east-1", "abc"),
    ZONES("us-iso-west-1", "abc"),  ZONES("us-isob-east-1", "abc"),  ZONES("us-isob-west-1", "abc"),
    ZONES("us-isof-east-1", "abc"), ZONES("us-isof-south-1", "abc"), ZONES("us-west-1", "bc"),
    ZONES("us-west-2", "abcd"),
};

sv cfn_region_find_zones(sv region) {
    for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
        if (sv_eq(zones[i].region, region)) {
            return zones[i].letters;
        }
    }
    return (sv){0};
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool cfn_is_account(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.data[i])) {
            return false;
        }
    }
    return text.len == 12;
}

bool cfn_is_stack_name(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!is_letter(c) && (i == 0 || (!is_digit(c) && c != '-'))) {
            return false;
        }
    }
    return text.len > 0 && text.len <= 128;
}
