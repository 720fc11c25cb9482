/* --debug: a line for every node that was evaluated. Internal to the room. */
#ifndef LINTEL_DIALECTS_DYNAML_DEBUG_H
#define LINTEL_DIALECTS_DYNAML_DEBUG_H

#include "dialects/dynaml/stage.h"

/* NULL: nobody wants to know. */
const struct observer *debug_observe(struct stage *s);

#endif
