/* What a template has: its parameters, what refers to what (CF-283, CF-285, CF-286). For the command line and the API;
 * after cfn_run_check. What is listed lives in the run's arena. */
#ifndef LINTEL_DIALECTS_CFN_DESCRIBE_H
#define LINTEL_DIALECTS_CFN_DESCRIBE_H

#include "dialects/cfn/cfn.h"

struct cfn_parameter_info {
    sv name, type, description, constraint_description;
    value fallback; /* Default as text; kind 0: none */
    value allowed;  /* AllowedValues as a list of texts; kind 0: none */
    sv pattern;
    bool is_hidden; /* NoEcho */
    bool has_min_length, has_max_length, has_min_value, has_max_value;
    double min_length, max_length, min_value, max_value;
    size_t uses;
    span at;
};
size_t cfn_run_list_parameters(struct cfn_run *run, const struct cfn_parameter_info **items);

enum cfn_use_kind {
    CFN_USE_REF = 1,
    CFN_USE_GET_ATT,
    CFN_USE_SUB,
    CFN_USE_DEPENDS_ON,
    CFN_USE_CONDITION, /* of a condition, by the attribute, If or another condition */
    CFN_USE_FIND_IN_MAP,
};
enum cfn_used_kind {
    CFN_USED_RESOURCE = 1,
    CFN_USED_CONDITION,
    CFN_USED_PARAMETER,
    CFN_USED_MAPPING,
};
/* One thing refers to another. */
struct cfn_use {
    enum cfn_used_kind from_kind; /* 0: of something else, an output or a rule */
    sv from;
    enum cfn_used_kind to_kind;
    sv to;
    enum cfn_use_kind kind;
    span at;
};
/* Those between resources are the needed ones, known after cfn_run_resolve; the others are those written. */
size_t cfn_run_list_uses(struct cfn_run *run, const struct cfn_use **items);
/* Resources in an order in which they can be made; fewer than all when there is a cycle. */
size_t cfn_run_list_order(struct cfn_run *run, const sv **names);
/* Names of resources in the order of the template. */
size_t cfn_run_list_resources(struct cfn_run *run, const sv **names);
sv cfn_use_get_name(enum cfn_use_kind kind);
sv cfn_used_get_name(enum cfn_used_kind kind);

/* W `cfn_unused`: parameters, mappings and conditions that nothing refers to (CF-283). */
void cfn_run_report_unused(struct cfn_run *run);

#endif
