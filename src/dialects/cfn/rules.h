/* Rules (CF-090 to CF-092). Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_RULES_H
#define LINTEL_DIALECTS_CFN_RULES_H

#include "dialects/cfn/check.h"

/* Evaluates all rules; what does not hold is reported. */
void cfn_rules_evaluate(struct cfn_run *run);

#endif
