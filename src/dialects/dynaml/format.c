#include "dialects/dynaml/format.h"

#include "base/num.h"
#include "base/utf8.h"
#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/output.h"
#include "dialects/dynaml/scalars.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH_MAX = 1000000 };

struct directive {
    bool minus, plus, sharp, zero, blank;
    bool has_width, has_precision;
    size_t width, precision;
    char verb;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static size_t read_number(sv text, size_t *at) {
    size_t n = 0;
    for (; *at < text.len && is_digit(text.data[*at]); (*at)++)
        n = n < WIDTH_MAX ? n * 10 + (size_t)(text.data[*at] - '0') : n;
    return n < WIDTH_MAX ? n : WIDTH_MAX;
}

static bool take_flag(struct directive *d, char c) {
    bool *flag = c == '-' ? &d->minus : c == '+' ? &d->plus : c == '#' ? &d->sharp : c == '0' ? &d->zero : NULL;
    if (c == ' ')
        flag = &d->blank;
    if (flag != NULL)
        *flag = true;
    return flag != NULL;
}

/* Behind the `%`; returns the place behind the directive. */
static size_t read_directive(sv text, size_t at, struct directive *d) {
    *d = (struct directive){0};
    while (at < text.len && take_flag(d, text.data[at]))
        at++;
    d->has_width = at < text.len && is_digit(text.data[at]);
    d->width = read_number(text, &at);
    if (at < text.len && text.data[at] == '.') {
        at++;
        d->has_precision = true;
        d->precision = read_number(text, &at);
    }
    d->verb = at < text.len ? text.data[at++] : '\0';
    return at;
}

/* --- padding --- */

static size_t count_characters(sv text) {
    size_t count = 0;
    for (size_t i = 0; i < text.len; count++) {
        uint32_t c;
        i += utf8_decode(sv_slice(text, i, text.len), &c);
    }
    return count;
}

static void pad(struct buf *out, const struct directive *d, sv text) {
    size_t length = count_characters(text), missing = length < d->width ? d->width - length : 0;
    if (!d->minus)
        buf_append_repeat(out, d->zero ? '0' : ' ', missing);
    buf_append(out, text);
    if (d->minus)
        buf_append_repeat(out, ' ', missing);
}

/* Zeros stand behind the sign. */
static void pad_number(struct buf *out, const struct directive *d, sv sign, sv digits) {
    size_t length = sign.len + digits.len, missing = length < d->width ? d->width - length : 0;
    bool zeros = d->zero && !d->minus && !d->has_precision;
    if (!d->minus && !zeros)
        buf_append_repeat(out, ' ', missing);
    buf_append(out, sign);
    buf_append_repeat(out, '0', zeros ? missing : 0);
    buf_append(out, digits);
    if (d->minus)
        buf_append_repeat(out, ' ', missing);
}

/* --- integers --- */

static sv print_digits(struct arena *a, uint64_t n, unsigned base, bool upper) {
    char digits[64];
    size_t at = sizeof digits;
    do {
        unsigned digit = (unsigned)(n % base);
        digits[--at] = (char)(digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + digit - 10);
        n /= base;
    } while (n > 0);
    return arena_copy_sv(a, sv_make(digits + at, sizeof digits - at));
}

static bool format_int(struct buf *out, const struct directive *d, int64_t n) {
    static const struct {
        char verb;
        unsigned base;
        const char *prefix;
    } verbs[] = {{'v', 10, ""}, {'d', 10, ""}, {'b', 2, "0b"}, {'o', 8, "0"}, {'x', 16, "0x"}, {'X', 16, "0X"}};
    if (d->verb == 'c') {
        struct buf text = BUF(out->arena);
        buf_append_codepoint(&text, n < 0 || n > 0x10ffff || (n >= 0xd800 && n < 0xe000) ? 0xfffd : (uint32_t)n);
        pad(out, d, buf_get_sv(&text));
        return true;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (verbs[i].verb != d->verb)
            continue;
        uint64_t magnitude = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
        sv digits = print_digits(out->arena, magnitude, verbs[i].base, d->verb == 'X');
        struct buf full = BUF(out->arena), sign = BUF(out->arena);
        if (d->has_precision && digits.len < d->precision)
            buf_append_repeat(&full, '0', d->precision - digits.len);
        buf_append(&full, digits);
        buf_append_cstr(&sign, n < 0 ? "-" : d->plus ? "+" : d->blank ? " " : "");
        buf_append_cstr(&sign, d->sharp ? verbs[i].prefix : "");
        pad_number(out, d, buf_get_sv(&sign), buf_get_sv(&full));
        return true;
    }
    return false;
}

/* --- floats --- */

static void print_float(struct buf *out, const struct directive *d, double x) {
    enum { DIGITS_MAX = 400, PRECISION_MAX = 300 };
    char text[DIGITS_MAX + PRECISION_MAX];
    int precision = d->has_precision ? (int)(d->precision < PRECISION_MAX ? d->precision : PRECISION_MAX) : 6;
    bool is_shortest = (d->verb == 'v' || d->verb == 'g') && !d->has_precision;
    if (is_shortest) {
        char shortest[NUM_TEXT_MAX];
        size_t len = num_print_double(x, shortest);
        sv s = sv_make(shortest, len);
        buf_append(out, sv_has_suffix(s, SV(".0")) ? sv_slice(s, 0, len - 2) : s);
        return;
    }
    if (d->verb == 'e')
        snprintf(text, sizeof text, "%.*e", precision, x);
    else if (d->verb == 'f')
        snprintf(text, sizeof text, "%.*f", precision, x);
    else
        snprintf(text, sizeof text, "%.*g", precision, x);
    buf_append_cstr(out, text);
}

static bool format_float(struct buf *out, const struct directive *d, double x) {
    if (d->verb == '\0' || strchr("vfeg", d->verb) == NULL)
        return false;
    struct buf text = BUF(out->arena);
    if (isnan(x) || isinf(x))
        buf_append_cstr(&text, isnan(x) ? "NaN" : "Inf");
    else
        print_float(&text, d, fabs(x));
    const char *sign = signbit(x) && !isnan(x) ? "-" : d->plus || isinf(x) ? "+" : d->blank ? " " : "";
    struct directive number = *d;
    number.has_precision = false;
    number.zero = d->zero && isfinite(x);
    pad_number(out, &number, sv_from_cstr(sign), buf_get_sv(&text));
    return true;
}

/* --- strings --- */

static void print_hex(struct buf *out, const struct directive *d, sv text) {
    size_t length = d->has_precision && d->precision < text.len ? d->precision : text.len;
    for (size_t i = 0; i < length; i++) {
        if (d->blank && i > 0)
            buf_append_char(out, ' ');
        if (d->sharp && (i == 0 || d->blank))
            buf_append_cstr(out, d->verb == 'X' ? "0X" : "0x");
        buf_printf(out, d->verb == 'X' ? "%02X" : "%02x", (unsigned char)text.data[i]);
    }
}

static sv cut(sv text, const struct directive *d) {
    size_t at = 0;
    for (size_t count = 0; d->has_precision && at < text.len && count < d->precision; count++) {
        uint32_t c;
        at += utf8_decode(sv_slice(text, at, text.len), &c);
    }
    return d->has_precision ? sv_slice(text, 0, at) : text;
}

static bool format_string(struct buf *out, const struct directive *d, sv text) {
    struct buf written = BUF(out->arena);
    switch (d->verb) {
    case 'v':
    case 's':
        buf_append(&written, cut(text, d));
        break;
    case 'q':
        dynaml_print_quoted(&written, cut(text, d));
        break;
    case 'x':
    case 'X':
        print_hex(&written, d, text);
        break;
    default:
        return false;
    }
    pad(out, d, buf_get_sv(&written));
    return true;
}

/* --- arguments --- */

static sv get_text(struct arena *a, value v) {
    struct buf out = BUF(a);
    if (v.kind == VALUE_STRING || v.kind == VALUE_BYTES)
        return value_get_text(v);
    if (dynaml_is_lambda(v))
        return dynaml_get_lambda_text(a, v);
    dynaml_write_yaml(&out, v);
    return buf_get_sv(&out);
}

static void write_bad(struct buf *out, char verb, value v) {
    if (v.kind == VALUE_NULL) {
        buf_printf(out, "%%!%c(<nil>)", verb);
        return;
    }
    const char *kind = v.kind == VALUE_INT     ? "int64"
                       : v.kind == VALUE_BOOL  ? "bool"
                       : v.kind == VALUE_FLOAT ? "float64"
                                               : "string";
    struct directive plain = {.verb = 'v'};
    buf_printf(out, "%%!%c(%s=", verb, kind);
    if (v.kind == VALUE_INT)
        format_int(out, &plain, v.integer);
    else if (v.kind == VALUE_FLOAT)
        format_float(out, &plain, v.number);
    else if (v.kind == VALUE_BOOL)
        buf_append_cstr(out, v.boolean ? "true" : "false");
    else
        buf_append(out, get_text(out->arena, v));
    buf_append_char(out, ')');
}

static void format_one(struct buf *out, const struct directive *d, value v) {
    bool ok = false;
    switch ((enum value_kind)v.kind) {
    case VALUE_NULL:
        ok = d->verb == 'v';
        if (ok)
            pad(out, d, SV("<nil>"));
        break;
    case VALUE_BOOL:
        ok = d->verb == 'v' || d->verb == 't';
        if (ok)
            pad(out, d, v.boolean ? SV("true") : SV("false"));
        break;
    case VALUE_INT:
        ok = format_int(out, d, v.integer);
        break;
    case VALUE_FLOAT:
        ok = format_float(out, d, v.number);
        break;
    case VALUE_STRING:
    case VALUE_BYTES:
    case VALUE_LIST:
    case VALUE_MAP:
    case VALUE_FUNCTION:
    case VALUE_ABSENT:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        ok = format_string(out, d, get_text(out->arena, v));
        break;
    }
    if (!ok)
        write_bad(out, d->verb, v);
}

static void write_extra(struct buf *out, const value *args, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct buf one = BUF(out->arena);
        buf_append_cstr(out, i == 0 ? "%!(EXTRA " : ", ");
        if (args[i].kind == VALUE_NULL) {
            buf_append_cstr(out, "<nil>");
            continue;
        }
        write_bad(&one, ' ', args[i]); /* "%! (KIND=TEXT)" */
        buf_append(out, sv_slice(buf_get_sv(&one), 4, one.len - 1));
    }
    if (count > 0)
        buf_append_char(out, ')');
}

/* Lists and maps are written out for it: by their weight, so that what is shared many times is not written first. */
static bool is_too_heavy(const value *args, size_t count, size_t max) {
    for (size_t i = 0; i < count; i++) {
        if (value_get_weight(args[i]) > max / 2)
            return true;
    }
    return false;
}

static size_t format_next(struct buf *out, sv format, size_t at, const value *args, size_t *left) {
    struct directive d;
    if (format.data[at] != '%') {
        buf_append_char(out, format.data[at]);
        return at + 1;
    }
    at = read_directive(format, at + 1, &d);
    if (d.verb == '\0')
        buf_append_cstr(out, "%!(NOVERB)");
    else if (d.verb == '%')
        buf_append_char(out, '%');
    else if (*left == 0)
        buf_printf(out, "%%!%c(MISSING)", d.verb);
    else
        format_one(out, &d, args[-(ptrdiff_t)(*left)--]);
    return at;
}

bool dynaml_format(struct buf *out, sv format, const value *args, size_t count, size_t max) {
    size_t left = count;
    if (is_too_heavy(args, count, max))
        return false;
    for (size_t at = 0; at < format.len && out->len <= max;)
        at = format_next(out, format, at, args + count, &left);
    if (out->len <= max)
        write_extra(out, args + count - left, left);
    return out->len <= max;
}
