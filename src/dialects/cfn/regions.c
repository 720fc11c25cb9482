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

/* sorted */
static const struct region_zones zones[] = {
    {SV_INIT("af-south-1"), SV_INIT("abc")},      {SV_INIT("ap-east-1"), SV_INIT("abc")},
    {SV_INIT("ap-east-2"), SV_INIT("abc")},       {SV_INIT("ap-northeast-1"), SV_INIT("acd")},
    {SV_INIT("ap-northeast-2"), SV_INIT("abcd")}, {SV_INIT("ap-northeast-3"), SV_INIT("abc")},
    {SV_INIT("ap-south-1"), SV_INIT("abc")},      {SV_INIT("ap-south-2"), SV_INIT("abc")},
    {SV_INIT("ap-southeast-1"), SV_INIT("abc")},  {SV_INIT("ap-southeast-2"), SV_INIT("abc")},
    {SV_INIT("ap-southeast-3"), SV_INIT("abc")},  {SV_INIT("ap-southeast-4"), SV_INIT("abc")},
    {SV_INIT("ap-southeast-5"), SV_INIT("abc")},  {SV_INIT("ap-southeast-6"), SV_INIT("abc")},
    {SV_INIT("ap-southeast-7"), SV_INIT("abc")},  {SV_INIT("ca-central-1"), SV_INIT("abd")},
    {SV_INIT("ca-west-1"), SV_INIT("abc")},       {SV_INIT("cn-north-1"), SV_INIT("abc")},
    {SV_INIT("cn-northwest-1"), SV_INIT("abc")},  {SV_INIT("eu-central-1"), SV_INIT("abc")},
    {SV_INIT("eu-central-2"), SV_INIT("abc")},    {SV_INIT("eu-isoe-west-1"), SV_INIT("abc")},
    {SV_INIT("eu-north-1"), SV_INIT("abc")},      {SV_INIT("eu-south-1"), SV_INIT("abc")},
    {SV_INIT("eu-south-2"), SV_INIT("abc")},      {SV_INIT("eu-west-1"), SV_INIT("abc")},
    {SV_INIT("eu-west-2"), SV_INIT("abc")},       {SV_INIT("eu-west-3"), SV_INIT("abc")},
    {SV_INIT("eusc-de-east-1"), SV_INIT("abc")},  {SV_INIT("il-central-1"), SV_INIT("abc")},
    {SV_INIT("me-central-1"), SV_INIT("abc")},    {SV_INIT("me-south-1"), SV_INIT("abc")},
    {SV_INIT("mx-central-1"), SV_INIT("abc")},    {SV_INIT("sa-east-1"), SV_INIT("abc")},
    {SV_INIT("us-east-1"), SV_INIT("abcdef")},    {SV_INIT("us-east-2"), SV_INIT("abc")},
    {SV_INIT("us-gov-east-1"), SV_INIT("abc")},   {SV_INIT("us-gov-west-1"), SV_INIT("abc")},
    {SV_INIT("us-iso-east-1"), SV_INIT("abc")},   {SV_INIT("us-iso-west-1"), SV_INIT("abc")},
    {SV_INIT("us-isob-east-1"), SV_INIT("abc")},  {SV_INIT("us-isob-west-1"), SV_INIT("abc")},
    {SV_INIT("us-isof-east-1"), SV_INIT("abc")},  {SV_INIT("us-isof-south-1"), SV_INIT("abc")},
    {SV_INIT("us-west-1"), SV_INIT("bc")},        {SV_INIT("us-west-2"), SV_INIT("abcd")},
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
