/* Templates as values (DY-180 to DY-184): closures without code. */
#ifndef LINTEL_DIALECTS_DYNAML_TEMPLATE_H
#define LINTEL_DIALECTS_DYNAML_TEMPLATE_H

#include "lang/eval.h"

struct place;

struct dynaml_template {
    struct closure closure; /* first: `closure.lambda` is NULL */
    value source;           /* as written, the marker included */
    struct place *place;    /* of its definition: `merge` and `auto` in it are of this place (DY-182) */
};

/* The template of a value that is one; NULL for lambdas and all else. */
static inline const struct dynaml_template *dynaml_get_template(value v) {
    bool is_one = v.kind == VALUE_FUNCTION && v.function->lambda == NULL;
    return is_one ? (const struct dynaml_template *)(const void *)v.function : NULL;
}

#endif
