/* Parameters: what the template declares of them (§5). Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_PARAMETERS_H
#define LINTEL_DIALECTS_CFN_PARAMETERS_H

#include "dialects/cfn/run.h"
#include "model/pattern.h"

enum cfn_parameter_kind {
    CFN_PARAMETER_TEXT = 1,
    CFN_PARAMETER_STRING, /* `String` itself: has a length */
    CFN_PARAMETER_NUMBER,
};

struct cfn_bound {
    bool is_set;
    double number;
};

struct cfn_parameter {
    const struct cfn_element *e; /* NULL: the declaration is no mapping */
    sv type;
    enum cfn_parameter_kind kind; /* of the value, or of each item; 0: the type is not known */
    bool is_list;
    bool is_ssm;                 /* Value<…>: the value is a key of the parameter store */
    bool is_hidden;              /* NoEcho */
    const struct node *fallback; /* Default; NULL: none */
    const struct node *allowed;  /* a sequence of scalars; NULL: none */
    struct map allowed_texts;    /* made when first needed */
    const struct node *pattern_node;
    const struct pattern *pattern; /* anchored at both ends; NULL: none */
    struct cfn_bound min_length, max_length, min_value, max_value;
    sv description, constraint_description;
};

/* Fills in one declaration; mistakes are reported. */
void cfn_parameter_read(struct cfn_run *run, const struct cfn_element *e, struct cfn_parameter *p);
/* All of them, by number. */
struct cfn_parameter *cfn_parameters_get(struct cfn_run *run);

/* Sets `p`'s value from what is given, or Default (CF-042, CF-043). Kind 0: there is none. */
value cfn_parameter_get_value(struct cfn_run *run, const struct cfn_parameter *p);
/* CF-044, for a value that is text or a list of texts. */
bool cfn_parameter_check_value(struct cfn_run *run, struct cfn_parameter *p, value v, span at);

#endif
