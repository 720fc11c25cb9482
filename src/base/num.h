/* Checked numbers: text to number, number to text, arithmetic that cannot overflow unseen. Independent of the locale.
 */
#ifndef LINTEL_BASE_NUM_H
#define LINTEL_BASE_NUM_H

#include "base/arena.h"

/* Each returns false on overflow and then leaves the result alone. */
bool num_add_size(size_t a, size_t b, size_t *result);
bool num_mul_size(size_t a, size_t b, size_t *result);
bool num_add_i64(int64_t a, int64_t b, int64_t *result);
bool num_sub_i64(int64_t a, int64_t b, int64_t *result);
bool num_mul_i64(int64_t a, int64_t b, int64_t *result);

enum num_parse {
    NUM_OK = 1,
    NUM_SYNTAX, /* not of the form */
    NUM_RANGE,  /* of the form, but not representable */
};

/* `[-+]?[0-9]+` in the given base (2 to 36), the whole text. */
enum num_parse num_parse_i64(sv text, int base, int64_t *result);
enum num_parse num_parse_u64(sv text, int base, uint64_t *result);
/* Decimal text with optional sign, point and exponent, the whole text; correctly rounded. Overflow is NUM_RANGE,
 * underflow is not. */
enum num_parse num_parse_double(sv text, double *result);

/* Longest text that num_print_* writes, NUL included. */
enum { NUM_TEXT_MAX = 40 };
size_t num_print_i64(int64_t n, char out[NUM_TEXT_MAX]);
/* BP-031: the shortest digits that read back as the same double, always with a point or exponent. Finite numbers only.
 */
size_t num_print_double(double x, char out[NUM_TEXT_MAX]);

/* Exact comparison of an integer with a double: <0, 0, >0. `x` is not a NaN. */
int num_cmp_i64_double(int64_t n, double x);

#endif
