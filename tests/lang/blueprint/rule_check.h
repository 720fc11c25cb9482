/* Templates with their expectations in comments on the lines concerned.
 *
 *   x: ${variables.y}   # expect: missing_variable part of the message
 *   x:                  # gives: {"a":1}        the value, variable, export or spec of this line, evaluated; `none` for
 *                                               a resource whose condition is false; a list for one with `each`
 *   x:                  # fails: code message   its evaluation fails
 *
 * Everything that is reported must be expected, and the other way round. */
#ifndef LINTEL_TESTS_LANG_BLUEPRINT_RULE_CHECK_H
#define LINTEL_TESTS_LANG_BLUEPRINT_RULE_CHECK_H

#include "lang/blueprint/harness.h"

/* `why` holds TAP comments on what is not as expected. */
bool rule_check(struct harness *h, struct buf *why);

#endif
