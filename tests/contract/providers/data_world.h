/* Data sources in tests: a call with filters from JSON, and what the engine would choose (BP-108). */
#ifndef LINTEL_TESTS_PROVIDERS_DATA_WORLD_H
#define LINTEL_TESTS_PROVIDERS_DATA_WORLD_H

#include "suite.h"

/* A call 20 seconds from now; `filters` is JSON: [["field", "operator", search], …]. The base directory is the world's.
 */
struct data_call data_make_call(struct world *w, sv filters);
/* Fetches and applies every filter to every candidate, in order. `object` is the first that passes; kind 0 for none.
 * FILTER_BAD_OPERANDS as soon as a filter refuses a candidate. Fails the test when the fetch fails. */
enum filter_result data_choose(struct world *w, const struct data_type *t, sv filters, value *object);
/* The same for one field of the chosen object, as JSON; "none" without object, "absent" without field, "refused" for
 * operands that do not fit. */
sv data_get(struct world *w, const struct data_type *t, sv filters, const char *field);
/* Checks every row of a table. */
struct data_row {
    const char *filters, *field, *wanted;
};
void data_check_rows(struct world *w, const struct data_type *t, const struct data_row *rows, size_t count);
#define DATA_CHECK_ROWS(w, t, rows) data_check_rows((w), (t), (rows), sizeof(rows) / sizeof *(rows))
/* The fetch ends with this result and a reason that has `part` in it. */
void data_expect_failure(struct world *w, const struct data_type *t, sv filters, enum provider_result result,
                         const char *part);
/* Every field of the objects is in the schema with its type, and the same call gives the same objects. */
void data_check_contract(struct world *w, const struct data_type *t, sv filters);

#endif
