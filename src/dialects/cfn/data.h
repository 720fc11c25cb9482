/* What evaluation asks of those who know values: parameters, pseudo parameters, symbols, dynamic references, SAM.
 * Internal to the room. Values have their origin in the word (run.h); what is not known is cfn_unknown(…). */
#ifndef LINTEL_DIALECTS_CFN_DATA_H
#define LINTEL_DIALECTS_CFN_DATA_H

#include "dialects/cfn/run.h"

/* --- pseudo parameters (CF-200 to CF-203) --- */
enum cfn_pseudo {
    CFN_ACCOUNT_ID = 1,
    CFN_REGION,
    CFN_PARTITION,
    CFN_STACK_NAME,
    CFN_STACK_ID,
    CFN_URL_SUFFIX,
    CFN_NOTIFICATION_ARNS,
    CFN_NO_VALUE,
    CFN_PSEUDO_COUNT,
};
/* By the whole name, "AWS::Region"; 0: none. */
enum cfn_pseudo cfn_pseudo_find(sv name);
value cfn_pseudo_get(struct cfn_run *run, enum cfn_pseudo p);

/* --- parameters (§5) --- */
/* run->t->parameters: declarations checked, run->parameters filled by number. */
void cfn_parameters_resolve(struct cfn_run *run);
/* NoEcho (CF-045). */
bool cfn_parameter_is_hidden(const struct cfn_run *run, uint32_t number);
/* CF-048: the declarations of Mappings. */
void cfn_mappings_check(struct cfn_run *run);

/* --- symbols (§13) --- */
enum cfn_lookup {
    CFN_LOOKUP_VALUE = 1, /* `*result`, which may be unknown or an error */
    CFN_LOOKUP_WAIT,      /* `*demand` is needed first; then ask again */
};
enum cfn_lookup cfn_symbol_ask(struct cfn_run *run, const struct cfn_symbol *s, value *result, struct cell **demand);
/* False for an attribute that a completely listed type lacks (CF-102). */
bool cfn_types_has(sv type, sv attribute);
/* An attribute of the type for a hint; may be empty. */
sv cfn_types_find_close(sv type, sv attribute);
value cfn_zones_get(struct cfn_run *run, sv region, span at);
value cfn_import_get(struct cfn_run *run, sv name, span at);
struct cfn_stack_output_key {
    sv stack, output, region, account; /* region, account: empty for those of the stack */
    span at;
};
value cfn_stack_output_get(struct cfn_run *run, const struct cfn_stack_output_key *key);
value cfn_parameter_attribute_get(struct cfn_run *run, sv parameter, sv attribute, span at);
/* `Includes` of the symbol files (CF-157). */
bool cfn_include_find(struct cfn_run *run, sv location, sv *path);

/* --- dynamic references (CF-170 to CF-172) --- */
bool cfn_dynamic_has(sv text);
/* Static: layout. `r` is the resource in whose properties it stands; NULL: elsewhere (W cfn_dynamic_place). */
void cfn_dynamic_check(struct cfn_run *run, const struct cfn_resource *r, sv text, span at);
/* The text with what is known put in; a note tells what is not. */
value cfn_dynamic_replace(struct cfn_run *run, const struct cfn_resource *r, value text, span at);

/* --- SAM (§15) --- */
/* The root with Globals merged and removed; the same root without. */
const struct node *cfn_sam_merge_globals(struct cfn_run *run, const struct node *root);
/* CF-272: resources with `is_made` in t->resources_by_name. */
void cfn_sam_make_names(struct cfn_run *run);
/* A logical id that SAM makes of a resource and a hash (CF-274): a resource that is made, unknown, reason `sam`; NULL
 * for another name. */
struct cfn_resource *cfn_sam_find_hashed(struct cfn_run *run, sv name);

#endif
