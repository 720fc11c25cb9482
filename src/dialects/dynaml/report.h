/* What is unresolved at the end of a stage (§13). Internal to the room. */
#ifndef LINTEL_DIALECTS_DYNAML_REPORT_H
#define LINTEL_DIALECTS_DYNAML_REPORT_H

#include "dialects/dynaml/stage.h"

/* At and below a place. */
void report_collect(struct stage *s, struct place *from, struct dynaml_result *result);

#endif
