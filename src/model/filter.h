/* Filter operators of data sources (1.8): evaluated here for every candidate, whatever provider it came from. Pure. */
#ifndef LINTEL_MODEL_FILTER_H
#define LINTEL_MODEL_FILTER_H

#include "base/buf.h"
#include "value/path.h"
#include "value/type.h"

enum filter_operator {
    FILTER_EQUALS = 1,
    FILTER_NOT_EQUALS,
    FILTER_IN,
    FILTER_NOT_IN,
    FILTER_HAS_KEY,
    FILTER_NOT_HAS_KEY,
    FILTER_CONTAINS,
    FILTER_NOT_CONTAINS,
    FILTER_STARTS_WITH,
    FILTER_NOT_STARTS_WITH,
    FILTER_ENDS_WITH,
    FILTER_NOT_ENDS_WITH,
    FILTER_GREATER,
    FILTER_GREATER_EQUAL,
    FILTER_LESS,
    FILTER_LESS_EQUAL,
};
enum { FILTER_OPERATOR_COUNT = FILTER_LESS_EQUAL };

/* "not starts with"; exact spelling (BP-102). 0 for anything else. */
enum filter_operator filter_find_operator(sv text);
sv filter_get_text(enum filter_operator op);

enum filter_result {
    FILTER_HOLDS = 1,
    FILTER_FAILS,
    FILTER_BAD_OPERANDS, /* BP-120: `why` names operator, both types and what is accepted */
};
/* Field value against search value (BP-120 to BP-122). `field` of kind 0 or null: absent. `is_float`: the provider
 * declares the field as float, so that a search integer is widened (BP-121). `why` (may be NULL) never quotes values.
 */
enum filter_result filter_apply(enum filter_operator op, value field, value search, bool is_float, struct buf *why);
/* The same for declared types (BP-123): FILTER_BAD_OPERANDS when no values of these types can be accepted. */
enum filter_result filter_check_types(enum filter_operator op, const struct type *field, const struct type *search,
                                      struct buf *why);
/* Whether search integers are widened for a field of this type: it is a float, or an array or mapping of floats
 * (BP-121). */
bool filter_is_float(const struct type *field);
/* The same for a literal search, whose shape is known exactly. */
enum filter_result filter_check_search(enum filter_operator op, const struct type *field, value search,
                                       struct buf *why);
/* A path of BP-103: names joined by '.', each followed by any number of `[n]` or `[]` (= `[0]`); at most 128 steps.
 * Names borrow from `text`. False for malformed text. */
bool filter_parse_path(struct arena *a, sv text, struct path *result);
/* The value at a path of BP-103 ("metadata.tags[].key"); kind 0 when it is not there, false for malformed paths. */
bool filter_find_field(struct arena *a, value object, sv path, value *result);

#endif
