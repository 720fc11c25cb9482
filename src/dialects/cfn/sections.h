/* The sections of a template and their elements (§4). Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_SECTIONS_H
#define LINTEL_DIALECTS_CFN_SECTIONS_H

#include "dialects/cfn/run.h"

enum cfn_section {
    CFN_SECTION_VERSION = 0,
    CFN_SECTION_TRANSFORM,
    CFN_SECTION_DESCRIPTION,
    CFN_SECTION_METADATA,
    CFN_SECTION_HOOKS,
    CFN_SECTION_PARAMETERS,
    CFN_SECTION_MAPPINGS,
    CFN_SECTION_RULES,
    CFN_SECTION_CONDITIONS,
    CFN_SECTION_GLOBALS,
    CFN_SECTION_RESOURCES,
    CFN_SECTION_OUTPUTS,
    CFN_SECTION_COUNT,
};

sv cfn_section_get_name(enum cfn_section s);
/* CFN_SECTION_COUNT for another name. */
enum cfn_section cfn_section_find(sv name);

/* Root keys, version, description; Transform; names of parameters and mappings: what expansion needs. */
void cfn_sections_begin(struct cfn_run *run);
/* The sections of the expanded root; rules, conditions, resources, outputs. */
void cfn_sections_finish(struct cfn_run *run);
/* CF-031. */
bool cfn_is_name(sv text);

#endif
