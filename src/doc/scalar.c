#include "doc/scalar.h"

#include "base/num.h"

#include <string.h>

static bool is_one_of(sv text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (sv_eq_cstr(text, words[i]))
            return true;
    return false;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static size_t count_digits(sv s, size_t from) {
    size_t i = from;
    while (i < s.len && is_digit(s.data[i]))
        i++;
    return i - from;
}

/* Behind the exponent at `i`; `i` itself when there is none. */
static size_t skip_exponent(sv s, size_t i) {
    if (i >= s.len || (s.data[i] != 'e' && s.data[i] != 'E'))
        return i;
    size_t j = i + 1;
    if (j < s.len && (s.data[j] == '+' || s.data[j] == '-'))
        j++;
    size_t digits = count_digits(s, j);
    return digits ? j + digits : i;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? with a point or an exponent in it. */
static bool is_core_float(sv s) {
    size_t i = s.data[0] == '-' || s.data[0] == '+';
    size_t whole = count_digits(s, i), fraction = 0;
    i += whole;
    bool has_point = i < s.len && s.data[i] == '.';
    if (has_point) {
        fraction = count_digits(s, i + 1);
        i += 1 + fraction;
    }
    size_t end = skip_exponent(s, i);
    return whole + fraction > 0 && end == s.len && (has_point || end > i);
}

static struct scalar make_float(sv text) {
    struct scalar s = {.kind = SCALAR_FLOAT};
    if (num_parse_double(text, &s.number) != NUM_OK)
        s.kind = SCALAR_BAD_NUMBER;
    return s;
}

static struct scalar make_int(sv text, int base) {
    struct scalar s = {.kind = SCALAR_INT};
    if (num_parse_i64(text, base, &s.integer) != NUM_OK)
        s.kind = SCALAR_BAD_NUMBER;
    return s;
}

static struct scalar make_bool(bool b) {
    return (struct scalar){.kind = SCALAR_BOOL, .boolean = b};
}

static struct scalar make_null(void) {
    return (struct scalar){.kind = SCALAR_NULL};
}

static struct scalar make_string(sv text) {
    return (struct scalar){.kind = SCALAR_STRING, .text = text};
}

/* All characters behind the prefix of two are digits of the base. */
static bool has_digits_of(sv s, int base) {
    for (size_t i = 2; i < s.len; i++) {
        char c = s.data[i];
        bool is_good = base == 8 ? c >= '0' && c <= '7' : is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
        if (!is_good)
            return false;
    }
    return s.len > 2;
}

static struct scalar resolve_number(sv s) {
    size_t sign = s.data[0] == '-' || s.data[0] == '+';
    static const char *const bad[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"};
    enum { INFINITIES = 3, BAD = 6 };
    if (is_one_of(sv_slice(s, sign, s.len), bad, sign ? INFINITIES : BAD))
        return (struct scalar){.kind = SCALAR_BAD_NUMBER};
    if (s.len > sign && count_digits(s, sign) == s.len - sign)
        return make_int(s, 10);
    if (s.len > 2 && s.data[0] == '0' && (s.data[1] == 'o' || s.data[1] == 'x')) {
        int base = s.data[1] == 'o' ? 8 : 16;
        if (has_digits_of(s, base))
            return make_int(sv_slice(s, 2, s.len), base);
    }
    return is_core_float(s) ? make_float(s) : make_string(s);
}

struct scalar scalar_resolve_core(sv plain_text) {
    sv s = plain_text;
    static const char *const nulls[] = {"null", "Null", "NULL", "~"};
    static const char *const trues[] = {"true", "True", "TRUE"};
    static const char *const falses[] = {"false", "False", "FALSE"};
    enum { NULLS = 4, BOOLS = 3 };
    if (s.len == 0)
        return make_null();
    switch (s.data[0]) {
    case 'n':
    case 'N':
    case '~':
        return is_one_of(s, nulls, NULLS) ? make_null() : make_string(s);
    case 't':
    case 'T':
        return is_one_of(s, trues, BOOLS) ? make_bool(true) : make_string(s);
    case 'f':
    case 'F':
        return is_one_of(s, falses, BOOLS) ? make_bool(false) : make_string(s);
    default:
        break;
    }
    return is_digit(s.data[0]) || strchr("+-.", s.data[0]) ? resolve_number(s) : make_string(s);
}

struct scalar scalar_resolve_json(sv plain_text) {
    sv s = plain_text;
    if (sv_eq(s, SV("null")))
        return make_null();
    if (sv_eq(s, SV("true")) || sv_eq(s, SV("false")))
        return make_bool(s.data[0] == 't');
    size_t sign = s.len > 0 && s.data[0] == '-';
    size_t whole = count_digits(s, sign);
    bool is_good = whole == 1 || (whole > 1 && s.data[sign] != '0');
    if (!is_good)
        return make_string(s);
    if (sign + whole == s.len)
        return make_int(s, 10);
    bool ends_with_point = s.data[s.len - 1] == '.' || sv_find(s, SV(".e")) < s.len || sv_find(s, SV(".E")) < s.len;
    return !ends_with_point && is_core_float(s) ? make_float(s) : make_string(s);
}

static bool has_string_tag(const struct node *n) {
    return n->props && (sv_eq_cstr(n->props->tag, "!") || sv_eq_cstr(n->props->tag, "tag:yaml.org,2002:str"));
}

struct scalar scalar_resolve_node(const struct node *n, scalar_resolver resolver) {
    if (has_string_tag(n))
        return make_string(n->text);
    if (n->style == NODE_PLAIN || n->style == NODE_EMPTY)
        return resolver(n->text);
    return make_string(n->text);
}
