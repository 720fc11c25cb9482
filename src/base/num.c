#include "base/num.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool num_add_size(size_t a, size_t b, size_t *result) {
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum)) {
        return false;
    }
    *result = sum;
    return true;
}

bool num_mul_size(size_t a, size_t b, size_t *result) {
    size_t product;
    if (__builtin_mul_overflow(a, b, &product)) {
        return false;
    }
    *result = product;
    return true;
}

bool num_add_i64(int64_t a, int64_t b, int64_t *result) {
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum)) {
        return false;
    }
    *result = sum;
    return true;
}

bool num_sub_i64(int64_t a, int64_t b, int64_t *result) {
    int64_t difference;
    if (__builtin_sub_overflow(a, b, &difference)) {
        return false;
    }
    *result = difference;
    return true;
}

bool num_mul_i64(int64_t a, int64_t b, int64_t *result) {
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product)) {
        return false;
    }
    *result = product;
    return true;
}

static bool take_sign(sv *text) {
    if (text->len == 0 || (text->data[0] != '-' && text->data[0] != '+')) {
        return false;
    }
    bool negative = text->data[0] == '-';
    *text = sv_slice(*text, 1, text->len);
    return negative;
}

/* 36 and more for what is no digit in any base. */
static unsigned digit_value(char c) {
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    if (c >= 'a' && c <= 'z') {
        return (unsigned)(c - 'a') + 10;
    }
    return c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 10 : 99;
}

static enum num_parse parse_digits(sv digits, int base, uint64_t *result) {
    assert(base >= 2 && base <= 36);
    if (digits.len == 0) {
        return NUM_SYNTAX;
    }
    uint64_t n = 0;
    bool overflow = false;
    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = digit_value(digits.data[i]);
        if (digit >= (unsigned)base) {
            return NUM_SYNTAX;
        }
        overflow = overflow || __builtin_mul_overflow(n, (uint64_t)base, &n) || __builtin_add_overflow(n, digit, &n);
    }
    *result = n;
    return overflow ? NUM_RANGE : NUM_OK;
}

enum num_parse num_parse_u64(sv text, int base, uint64_t *result) {
    bool negative = take_sign(&text);
    uint64_t n = 0;
    enum num_parse outcome = parse_digits(text, base, &n);
    if (outcome == NUM_OK && negative && n != 0) {
        outcome = NUM_RANGE;
    }
    if (outcome == NUM_OK) {
        *result = n;
    }
    return outcome;
}

enum num_parse num_parse_i64(sv text, int base, int64_t *result) {
    bool negative = take_sign(&text);
    uint64_t n = 0;
    enum num_parse outcome = parse_digits(text, base, &n);
    if (outcome == NUM_OK && n > (uint64_t)INT64_MAX + negative) {
        outcome = NUM_RANGE;
    }
    if (outcome == NUM_OK) {
        *result = (int64_t)(negative ? 0 - n : n);
    }
    return outcome;
}

/* 800 digits decide every rounding between doubles (767 are needed); what is behind matters only for being zero or not.
 */
enum { DIGITS_KEPT = 800 };

/* A decimal number digits x 10^exponent, without the sign. */
struct decimal {
    char digits[DIGITS_KEPT + 1];
    size_t count;
    int64_t exponent;
    bool has_digit;  /* leading zeros count, though they are not kept */
    bool is_inexact; /* a digit that was not kept is not zero */
};

static void decimal_add(struct decimal *d, char c, bool is_fraction) {
    d->has_digit = true;
    if (d->count == 0 && c == '0') {
        d->exponent -= is_fraction;
    } else if (d->count < DIGITS_KEPT) {
        d->digits[d->count++] = c;
        d->exponent -= is_fraction;
    } else {
        d->exponent += !is_fraction;
        d->is_inexact = d->is_inexact || c != '0';
    }
}

/* `[eE][-+]?[0-9]+`, saturating far beyond what a double can hold. */
static bool decimal_add_exponent(struct decimal *d, sv text) {
    text = sv_slice(text, 1, text.len);
    bool negative = take_sign(&text);
    int64_t exponent = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (digit_value(text.data[i]) > 9) {
            return false;
        }
        if (exponent < INT64_MAX / 20) {
            exponent = exponent * 10 + (int64_t)digit_value(text.data[i]);
        }
    }
    d->exponent += negative ? -exponent : exponent;
    return text.len > 0;
}

static bool decimal_parse(struct decimal *d, sv text) {
    bool is_fraction = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c >= '0' && c <= '9') {
            decimal_add(d, c, is_fraction);
        } else if (c == '.' && !is_fraction) {
            is_fraction = true;
        } else if ((c == 'e' || c == 'E') && d->has_digit) {
            return decimal_add_exponent(d, sv_slice(text, i, text.len));
        } else {
            return false;
        }
    }
    return d->has_digit;
}

/* Powers of ten that a double holds exactly. */
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

enum { EXACT_POWER_MAX = 22, EXACT_DIGITS = 15 };

/* Both operands are exact, so that the one division or multiplication rounds correctly. */
static double decimal_get_short(const struct decimal *d) {
    uint64_t n = 0;
    for (size_t i = 0; i < d->count; i++) {
        n = n * 10 + (uint64_t)(d->digits[i] - '0');
    }
    return d->exponent < 0 ? (double)n / exact_powers[-d->exponent] : (double)n * exact_powers[d->exponent];
}

/* Digits without a point and an exponent: strtod reads this the same in every locale. */
static double decimal_get_long(const struct decimal *d) {
    char text[DIGITS_KEPT + 32];
    memcpy(text, d->digits, d->count);
    size_t len = d->count;
    int64_t exponent = d->exponent;
    if (d->is_inexact) {
        text[len++] = '1';
        exponent--;
    }
    (void)snprintf(text + len, sizeof text - len, "e%lld", (long long)exponent);
    return strtod(text, NULL);
}

enum num_parse num_parse_double(sv text, double *result) {
    bool negative = take_sign(&text);
    struct decimal d;
    d.count = 0;
    d.exponent = 0;
    d.has_digit = false;
    d.is_inexact = false;
    if (!decimal_parse(&d, text)) {
        return NUM_SYNTAX;
    }
    double x = 0;
    if (d.count > 0) {
        bool is_short = d.count <= EXACT_DIGITS && d.exponent >= -EXACT_POWER_MAX && d.exponent <= EXACT_POWER_MAX;
        x = is_short ? decimal_get_short(&d) : decimal_get_long(&d);
    }
    if (isinf(x)) {
        return NUM_RANGE;
    }
    *result = negative ? -x : x;
    return NUM_OK;
}

size_t num_print_i64(int64_t n, char out[NUM_TEXT_MAX]) {
    char reversed[24];
    size_t count = 0;
    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    do {
        reversed[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    size_t len = 0;
    if (n < 0) {
        out[len++] = '-';
    }
    while (count > 0) {
        out[len++] = reversed[--count];
    }
    out[len] = '\0';
    return len;
}

int num_cmp_i64_double(int64_t n, double x) {
    if (x >= 0x1p63) {
        return -1;
    }
    if (x < -0x1p63) {
        return 1;
    }
    int64_t whole = (int64_t)x; /* towards zero, exact */
    if (n != whole) {
        return n < whole ? -1 : 1;
    }
    double fraction = x - (double)whole;
    return (fraction < 0) - (fraction > 0);
}
