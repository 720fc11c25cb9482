/* What to do about an unresolved node (DY-333). Internal to the room. */
#ifndef LINTEL_DIALECTS_DYNAML_HINTS_H
#define LINTEL_DIALECTS_DYNAML_HINTS_H

#include "dialects/dynaml/stage.h"

/* Empty: nothing is known that helps. */
sv hints_find(struct stage *s, const struct place *p, const struct dynaml_unresolved *u);

#endif
