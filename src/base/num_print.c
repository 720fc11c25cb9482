/* The shortest text of a double. */
#include "base/num.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DIGITS = 17, SURE_DIGITS = 15 };

/* 0.d1d2d3... x 10^point, no trailing zeros. */
struct shortest {
    char digits[MAX_DIGITS + 8];
    int count;
    int point;
};

static void strip_zeros(struct shortest *s) {
    while (s->count > 1 && s->digits[s->count - 1] == '0') {
        s->count--;
    }
}

/* Numbers that people write: few digits, few decimals. An integer below 10^15 over an exact power of ten is what a
 * decimal of at most 15 digits reads as, and no two of these read as the same double: so it is the shortest. */
static bool find_simple(double x, struct shortest *s) {
    double power = 1;
    for (int decimals = 0; decimals <= 6; decimals++, power *= 10) {
        double scaled = nearbyint(x * power);
        if (scaled >= 1e15) {
            return false;
        }
        if (scaled >= 1 && scaled / power == x) {
            char text[NUM_TEXT_MAX];
            s->count = (int)num_print_i64((int64_t)scaled, text);
            memcpy(s->digits, text, (size_t)s->count);
            s->point = s->count - decimals;
            strip_zeros(s);
            return true;
        }
    }
    return false;
}

/* The digits alone, whatever the locale writes as the point. */
static void round_to(double x, int count, struct shortest *s) {
    char text[64];
    (void)snprintf(text, sizeof text, "%.*e", count - 1, x);
    s->count = 0;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9' && s->count < count) {
            s->digits[s->count++] = *at;
        }
    }
    int64_t exponent = 0;
    (void)num_parse_i64(sv_from_cstr(at + 1), 10, &exponent);
    s->point = (int)exponent + 1;
}

static bool reads_back(const struct shortest *s, double x) {
    char text[NUM_TEXT_MAX];
    int len = snprintf(text, sizeof text, "%.*se%d", s->count, s->digits, s->point - s->count);
    double back = 0;
    return num_parse_double(sv_make(text, (size_t)len), &back) == NUM_OK && back == x;
}

/* One more in the last digit. */
static void step_up(struct shortest *s) {
    int at = s->count - 1;
    while (at >= 0 && s->digits[at] == '9') {
        s->digits[at--] = '0';
    }
    if (at >= 0) {
        s->digits[at]++;
    } else {
        s->digits[0] = '1';
        s->point++;
    }
}

static bool try_count(double x, int count, struct shortest *s) {
    round_to(x, count, s);
    if (reads_back(s, x)) {
        return true;
    }
    int exponent;
    if (frexp(x, &exponent) != 0.5) {
        return false;
    }
    /* Above a power of two the doubles lie twice as far apart as below: the farther decimal may read back where the
     * nearest does not. */
    step_up(s);
    return reads_back(s, x);
}

static void find_shortest(double x, struct shortest *s) {
    if (find_simple(x, s)) {
        return;
    }
    /* A normal double gives each decimal of up to 15 digits back, so the search can start there; a subnormal does not.
     */
    int count = x >= DBL_MIN ? SURE_DIGITS : 1;
    while (count < MAX_DIGITS && !try_count(x, count, s)) {
        count++;
    }
    if (count == MAX_DIGITS) {
        round_to(x, MAX_DIGITS, s);
    }
    strip_zeros(s);
}

static size_t append_digits(char *out, const struct shortest *s, int from, int to) {
    size_t len = 0;
    for (int i = from; i < to; i++) {
        out[len++] = i >= 0 && i < s->count ? s->digits[i] : '0';
    }
    return len;
}

static size_t print_positional(const struct shortest *s, char *out) {
    size_t len = 0;
    if (s->point <= 0) {
        out[len++] = '0';
    }
    len += append_digits(out + len, s, 0, s->point);
    out[len++] = '.';
    int to = s->count > s->point ? s->count : s->point + 1;
    return len + append_digits(out + len, s, s->point, to);
}

static size_t print_scientific(const struct shortest *s, char *out) {
    size_t len = append_digits(out, s, 0, 1);
    if (s->count > 1) {
        out[len++] = '.';
        len += append_digits(out + len, s, 1, s->count);
    }
    out[len++] = 'e';
    char exponent[NUM_TEXT_MAX];
    size_t exponent_len = num_print_i64(s->point - 1, exponent);
    memcpy(out + len, exponent, exponent_len);
    return len + exponent_len;
}

size_t num_print_double(double x, char out[NUM_TEXT_MAX]) {
    assert(isfinite(x));
    size_t len = 0;
    if (signbit(x)) {
        out[len++] = '-';
        x = -x;
    }
    struct shortest s = {.digits = "0", .count = 1, .point = 1};
    if (x != 0) {
        find_shortest(x, &s);
    }
    bool is_positional = x == 0 || (s.point > -4 && s.point <= 16);
    len += is_positional ? print_positional(&s, out + len) : print_scientific(&s, out + len);
    out[len] = '\0';
    return len;
}
