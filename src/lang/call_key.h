/* Where a call stands, as text that stays the same while a template changes elsewhere (FN-231): element path, property
 * path and position of the call in that property. An inserted field, another line or a new element changes no place of
 * others. Instances of one template share expressions, but not cells, so each has places of its own. */
#ifndef LINTEL_LANG_CALL_KEY_H
#define LINTEL_LANG_CALL_KEY_H

#include "lang/eval.h"

/* "resources.a::spec.tags[0]|1": the second call of this function in this property. "::" cannot stand in names of
 * elements, so no two calls share a place as long as cells differ in `path` or `property`. A function that is called
 * back has the place of the call that calls it, with its name and the item: "values.x::|map|0[3]". Lives in the
 * evaluator's arena. One walk per expression of a cell, linear; looking a call up afterwards costs the depth of its
 * expression. */
sv call_key_get(const struct fn_call *c);

#endif
