#include "dialects/dynaml/scalars.h"

#include "base/num.h"

#include <math.h>
#include <stdlib.h>

enum { DIGITS_MAX = 512 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_one_of(sv text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (sv_eq_nocase(text, sv_from_cstr(words[i])))
            return true;
    }
    return false;
}

static bool is_null(sv text) {
    return text.len == 0 || sv_eq(text, SV("~")) || sv_eq(text, SV("null")) || sv_eq(text, SV("Null")) ||
           sv_eq(text, SV("NULL"));
}

static bool read_bool(sv text, struct scalar *s) {
    static const char *const yes[] = {"y", "yes", "true", "on"}, *const no[] = {"n", "no", "false", "off"};
    bool is_true = is_one_of(text, yes, 4);
    *s = (struct scalar){.kind = SCALAR_BOOL, .boolean = is_true};
    return is_true || is_one_of(text, no, 4);
}

/* The text without `_`, cut short by a NUL; false when it is too long to be a number. */
static bool strip(sv text, char digits[DIGITS_MAX]) {
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '_')
            continue;
        if (len + 1 == DIGITS_MAX)
            return false;
        digits[len++] = text.data[i];
    }
    digits[len] = '\0';
    return true;
}

static int get_base(sv *digits) {
    static const struct {
        const char *prefix;
        int base;
    } bases[] = {{"0x", 16}, {"0X", 16}, {"0b", 2}, {"0B", 2}, {"0o", 8}, {"0O", 8}};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (digits->len > 2 && sv_has_prefix(*digits, sv_from_cstr(bases[i].prefix))) {
            *digits = sv_slice(*digits, 2, digits->len);
            return bases[i].base;
        }
    }
    return digits->len > 1 && digits->data[0] == '0' ? 8 : 10;
}

/* Behind the sign. */
static bool read_int(sv digits, bool is_negative, struct scalar *s) {
    uint64_t n = 0;
    int base = get_base(&digits);
    if (digits.len == 0 || digits.data[0] == '+' || digits.data[0] == '-' || num_parse_u64(digits, base, &n) != NUM_OK)
        return false;
    if (n > (uint64_t)INT64_MAX + is_negative)
        return false;
    *s = (struct scalar){.kind = SCALAR_INT, .integer = is_negative ? (int64_t)(0 - n) : (int64_t)n};
    return true;
}

/* Digits with a point, an exponent, or both; or digits alone. */
static bool is_decimal(sv text) {
    size_t i = 0, digits = 0;
    for (; i < text.len && is_digit(text.data[i]); i++)
        digits++;
    if (i < text.len && text.data[i] == '.') {
        for (i++; i < text.len && is_digit(text.data[i]); i++)
            digits++;
    }
    if (digits == 0)
        return false;
    if (i < text.len && (text.data[i] == 'e' || text.data[i] == 'E')) {
        i++;
        i += i < text.len && (text.data[i] == '+' || text.data[i] == '-');
        size_t first = i;
        while (i < text.len && is_digit(text.data[i]))
            i++;
        if (i == first)
            return false;
    }
    return i == text.len;
}

/* Points without digits on one side are no mistake here. */
static bool read_float(sv unsigned_text, bool is_negative, struct scalar *s) {
    char text[DIGITS_MAX + 2];
    double x = 0;
    size_t len = 0;
    if (!is_decimal(unsigned_text))
        return false;
    if (unsigned_text.data[0] == '.')
        text[len++] = '0';
    for (size_t i = 0; i < unsigned_text.len; i++) {
        char c = unsigned_text.data[i];
        bool has_digit_behind = i + 1 < unsigned_text.len && is_digit(unsigned_text.data[i + 1]);
        if (c != '.' || has_digit_behind)
            text[len++] = c;
    }
    if (num_parse_double(sv_make(text, len), &x) != NUM_OK)
        return false;
    *s = (struct scalar){.kind = SCALAR_FLOAT, .number = is_negative ? -x : x};
    return true;
}

static bool read_special(sv text, struct scalar *s) {
    static const struct {
        const char *text;
        double x;
    } specials[] = {{".inf", HUGE_VAL}, {"+.inf", HUGE_VAL}, {"-.inf", -HUGE_VAL}, {".nan", (double)NAN}};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (sv_eq_nocase(text, sv_from_cstr(specials[i].text))) {
            *s = (struct scalar){.kind = SCALAR_FLOAT, .number = specials[i].x};
            return true;
        }
    }
    return false;
}

static bool can_be_number(sv text) {
    size_t i = text.data[0] == '+' || text.data[0] == '-';
    return i < text.len && (is_digit(text.data[i]) || text.data[i] == '.');
}

struct scalar dynaml_resolve_scalar(sv plain_text) {
    struct scalar s = {.kind = SCALAR_STRING, .text = plain_text};
    char digits[DIGITS_MAX];
    if (is_null(plain_text))
        return (struct scalar){.kind = SCALAR_NULL};
    if (plain_text.len <= 5 && (read_bool(plain_text, &s) || read_special(plain_text, &s)))
        return s;
    if (!can_be_number(plain_text) || !strip(plain_text, digits))
        return (struct scalar){.kind = SCALAR_STRING, .text = plain_text};
    bool is_signed = digits[0] == '+' || digits[0] == '-';
    sv rest = sv_from_cstr(digits + is_signed);
    if (rest.len > 0 && is_digit(rest.data[0]) && read_int(rest, digits[0] == '-', &s))
        return s;
    if (rest.len > 0 && read_float(rest, digits[0] == '-', &s))
        return s;
    return (struct scalar){.kind = SCALAR_STRING, .text = plain_text};
}

/* --- writing --- */

static size_t skip_digits(sv text, size_t from) {
    while (from < text.len && is_digit(text.data[from]))
        from++;
    return from;
}

/* `2016-1-31`, with or without a time behind it. */
static bool is_date(sv text) {
    size_t year = skip_digits(text, 0);
    if (year != 4 || year == text.len || text.data[year] != '-')
        return false;
    size_t month = skip_digits(text, year + 1);
    if (month == year + 1 || month > year + 3 || month == text.len || text.data[month] != '-')
        return false;
    size_t day = skip_digits(text, month + 1);
    if (day == month + 1 || day > month + 3)
        return false;
    return day == text.len || sv_find_char(SV("Tt \t"), text.data[day]) != SIZE_MAX;
}

static bool is_bare_special(sv text) {
    static const char *const words[] = {"inf", "infinity", "nan"};
    sv rest = sv_slice(text, text.data[0] == '+' || text.data[0] == '-', text.len);
    return rest.len < text.len && is_one_of(rest, words, 3);
}

static size_t skip_hex_digits(sv text, size_t i) {
    while (i < text.len && sv_find_char(SV("0123456789abcdefABCDEF_"), text.data[i]) != SIZE_MAX)
        i++;
    return i;
}

/* Hexadecimal with a binary exponent. */
static bool is_hex_float(sv text) {
    sv rest = sv_slice(text, text.data[0] == '+' || text.data[0] == '-', text.len);
    if (!sv_has_prefix(rest, SV("0x")) && !sv_has_prefix(rest, SV("0X")))
        return false;
    size_t at = skip_hex_digits(rest, 2);
    if (at < rest.len && rest.data[at] == '.')
        at = skip_hex_digits(rest, at + 1);
    if (at < 3 || at >= rest.len || (rest.data[at] | 32) != 'p')
        return false;
    at++;
    at += at < rest.len && (rest.data[at] == '+' || rest.data[at] == '-');
    return at < rest.len && skip_digits(rest, at) == rest.len;
}

static bool is_double_sign(sv text) {
    return text.len > 2 && text.data[0] == '-' && text.data[1] == '-' && is_digit(text.data[2]);
}

bool dynaml_is_doubtful_string(sv plain_text) {
    return plain_text.len > 0 && (is_date(plain_text) || is_bare_special(plain_text) || is_hex_float(plain_text) ||
                                  is_double_sign(plain_text));
}

/* Shortest digits and decimal exponent: "d.ddd" * 10^exponent. */
static void print_exponent(struct buf *out, const char *digits, size_t len, int exponent) {
    buf_append_char(out, digits[0]);
    if (len > 1) {
        buf_append_char(out, '.');
        buf_append(out, sv_make(digits + 1, len - 1));
    }
    buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

static void print_positional(struct buf *out, const char *digits, size_t len, int exponent) {
    if (exponent < 0) {
        buf_append_cstr(out, "0.");
        buf_append_repeat(out, '0', (size_t)(-exponent - 1));
        buf_append(out, sv_make(digits, len));
        return;
    }
    size_t whole = (size_t)exponent + 1;
    buf_append(out, sv_make(digits, len < whole ? len : whole));
    buf_append_repeat(out, '0', len < whole ? whole - len : 0);
    if (len > whole) {
        buf_append_char(out, '.');
        buf_append(out, sv_make(digits + whole, len - whole));
    }
}

/* The shortest digits that read back as x, without point, sign, leading or trailing zeros; with the exponent of the
 * first. */
static size_t get_digits(double x, char digits[NUM_TEXT_MAX], int *exponent) {
    char text[NUM_TEXT_MAX];
    size_t len = num_print_double(x, text), count = 0;
    int point = 0;
    bool has_point = false, has_digit = false;
    *exponent = 0;
    for (size_t i = 0; i < len && text[i] != 'e'; i++) {
        if (text[i] == '.') {
            has_point = true;
        } else if (is_digit(text[i])) {
            has_digit = has_digit || text[i] != '0';
            if (has_digit)
                digits[count++] = text[i];
            point += !has_point && has_digit;
            point -= has_point && !has_digit;
        }
    }
    size_t e = sv_find_char(sv_make(text, len), 'e');
    int64_t written = 0;
    if (e != SIZE_MAX && num_parse_i64(sv_make(text + e + 1, len - e - 1), 10, &written) != NUM_OK)
        written = 0;
    *exponent = point - 1 + (int)written;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

void dynaml_print_float(struct buf *out, double x) {
    enum { LEAST = -4, MOST = 5 };
    char digits[NUM_TEXT_MAX] = {0};
    int exponent = 0;
    if (isnan(x)) {
        buf_append_cstr(out, ".nan");
        return;
    }
    if (isinf(x)) {
        buf_append_cstr(out, x < 0 ? "-.inf" : "+.inf");
        return;
    }
    if (signbit(x))
        buf_append_char(out, '-');
    if (x == 0) {
        buf_append_char(out, '0');
        return;
    }
    size_t count = get_digits(fabs(x), digits, &exponent);
    if (exponent < LEAST || exponent > MOST)
        print_exponent(out, digits, count, exponent);
    else
        print_positional(out, digits, count, exponent);
}
