/* Conditions of resources and of the children around them (BP-140 to BP-144, BP-458). */
#ifndef LINTEL_ENGINE_CONDITIONS_H
#define LINTEL_ENGINE_CONDITIONS_H

#include "model/template.h"

enum condition {
    CONDITION_TRUE = 1, /* or none is written */
    CONDITION_FALSE,    /* the element is treated as absent (BP-142) */
    CONDITION_OPEN,     /* unknown or provisional (BP-143, BP-458) */
    CONDITION_FAILED,   /* reported */
};

/* The outermost group that is excluded decides: what stands in it is not evaluated any more. Evaluates, so it is never
 * called by what an evaluation asks. */
enum condition condition_find(struct evaluation *e, uint32_t element);

#endif
