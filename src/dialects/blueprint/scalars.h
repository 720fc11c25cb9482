/* The declared types of variables, values and exports. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_SCALARS_H
#define LINTEL_DIALECTS_BLUEPRINT_SCALARS_H

#include "value/type.h"

enum { SCALARS_KIND_COUNT = 4, SCALARS_TYPE_COUNT = 6 };
/* "string" "integer" "float" "boolean", then "array" "object". */
extern const sv scalars_kind_names[SCALARS_TYPE_COUNT];

/* The kind of a scalar type's name; 0 for none. */
enum value_kind scalars_find_kind(sv name);
/* The same with "array" and "object". */
enum value_kind scalars_find_value_kind(sv name);
const struct type *scalars_get_type(enum value_kind kind);
/* Whether the value has the kind; an integer becomes a float where that is wanted and exact (BP-032). */
bool scalars_widen(enum value_kind kind, value *v);
/* The same with what a value's outcome may also be: text that is parsed, bytes that are text (BP-082, BP-083). What is
 * absent, unknown or an error passes; kind 0 is any. */
bool scalars_convert(struct arena *a, enum value_kind kind, value *v);
/* The same for exports: nothing is parsed (BP-192). */
bool scalars_export(struct arena *a, enum value_kind kind, value *v);
/* Text of a scalar or of bytes (BP-216); false for other kinds. What is absent, unknown or an error stays. */
bool scalars_to_text(struct arena *a, value *v);
/* Bytes anywhere in a final value become text (FN-016); false when some are no UTF-8. */
bool scalars_settle_bytes(struct arena *a, value *v);
/* `{provider}/{type}` or `{provider}/{service}/{type}` (BP-130). */
bool scalars_is_type_text(sv text);

#endif
