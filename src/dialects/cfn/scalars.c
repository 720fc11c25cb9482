#include "dialects/cfn/scalars.h"

#include "base/num.h"

#include <string.h>

enum { DIGITS_MAX = 512, SIXTY = 60 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Lower, Title or UPPER case, nothing else. */
static bool is_word(sv text, const char *lower) {
    size_t len = strlen(lower);
    if (text.len != len || !sv_eq_nocase(text, sv_make(lower, len)))
        return false;
    bool is_upper_first = text.data[0] < 'a';
    bool is_upper_next = len > 1 && text.data[1] < 'a';
    for (size_t i = 1; i < len; i++) {
        if ((text.data[i] < 'a') != is_upper_next)
            return false;
    }
    return is_upper_first || !is_upper_next;
}

static bool read_bool(sv text, struct cfn_scalar *s) {
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off"};
    enum { WORDS = 6, FIRST_YES = 2 };
    for (size_t i = 0; i < WORDS; i++) {
        if (is_word(text, words[i])) {
            s->kind = CFN_SCALAR_BOOL;
            s->boolean = i % 2 == 0;
            s->is_yes_or_no = i >= FIRST_YES;
            return true;
        }
    }
    return false;
}

/* Only digits of the base and `_`, the first a digit. */
static bool has_digits(sv s, size_t from, int base) {
    bool has_one = false;
    for (size_t i = from; i < s.len; i++) {
        char c = s.data[i], low = (char)(c | 0x20);
        bool is_good = base == 16 ? is_digit(c) || (low >= 'a' && low <= 'f') : c >= '0' && c < '0' + base;
        has_one = has_one || is_good;
        if (!is_good && c != '_')
            return false;
    }
    return has_one;
}

static bool strip(sv text, char out[DIGITS_MAX], size_t *len) {
    *len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '_')
            continue;
        if (*len + 1 == DIGITS_MAX)
            return false;
        out[(*len)++] = text.data[i];
    }
    out[*len] = '\0';
    return true;
}

static void set_large(struct arena *a, struct cfn_scalar *s, sv digits, bool is_negative) {
    while (digits.len > 1 && digits.data[0] == '0')
        digits = sv_slice(digits, 1, digits.len);
    s->text = a == NULL ? digits : arena_printf(a, "%s%.*s", is_negative ? "-" : "", SV_ARG(digits));
    s->is_large = true;
}

/* Digits behind sign and prefix. */
static void read_digits(struct arena *a, struct cfn_scalar *s, sv digits, int base, bool is_negative) {
    char text[DIGITS_MAX];
    size_t len = 0;
    uint64_t n = 0;
    s->kind = CFN_SCALAR_INT;
    if (!strip(digits, text, &len)) {
        s->kind = CFN_SCALAR_BAD;
    } else if (num_parse_u64(sv_make(text, len), base, &n) != NUM_OK || n > (uint64_t)INT64_MAX + is_negative) {
        s->kind = base == 10 ? CFN_SCALAR_INT : CFN_SCALAR_BAD;
        set_large(a, s, a == NULL ? digits : arena_copy_sv(a, sv_make(text, len)), is_negative);
    } else {
        s->integer = is_negative ? (int64_t)(0 - n) : (int64_t)n;
    }
}

/* The parts behind the first `:`; false when they are none. */
static bool has_sixties(sv text, size_t colon, size_t end) {
    size_t i = colon;
    while (i < end) {
        if (text.data[i] != ':')
            return false;
        size_t first = ++i;
        while (i < end && is_digit(text.data[i]))
            i++;
        bool is_good = i - first == 1 || (i - first == 2 && text.data[first] < '6');
        if (!is_good)
            return false;
    }
    return true;
}

static bool read_sixty(sv text, size_t end, bool is_negative, struct cfn_scalar *s) {
    int64_t n = 0, part = 0;
    bool fits = true;
    for (size_t i = 0; i <= end; i++) {
        if (i == end || text.data[i] == ':') {
            fits = fits && num_mul_i64(n, SIXTY, &n) && num_add_i64(n, part, &n);
            part = 0;
        } else if (text.data[i] != '_') {
            fits = fits && num_mul_i64(part, 10, &part) && num_add_i64(part, text.data[i] - '0', &part);
        }
    }
    s->kind = fits ? CFN_SCALAR_INT : CFN_SCALAR_BAD;
    s->integer = is_negative ? -n : n;
    s->is_unusual = true;
    return true;
}

static bool read_int(struct arena *a, sv text, bool is_negative, struct cfn_scalar *s) {
    if (text.len > 2 && text.data[0] == '0' && (text.data[1] == 'x' || text.data[1] == 'b')) {
        int base = text.data[1] == 'x' ? 16 : 2;
        s->is_unusual = true;
        if (!has_digits(text, 2, base))
            return false;
        read_digits(a, s, sv_slice(text, 2, text.len), base, is_negative);
        return true;
    }
    if (!is_digit(text.data[0]))
        return false;
    s->is_unusual = memchr(text.data, '_', text.len) != NULL;
    if (text.data[0] == '0' && text.len > 1) {
        if (!has_digits(text, 0, 8))
            return false;
        s->is_unusual = true;
        read_digits(a, s, text, 8, is_negative);
        return true;
    }
    size_t colon = sv_find_char(text, ':');
    if (colon != SIZE_MAX) {
        bool is_sixty = has_digits(sv_slice(text, 0, colon), 0, 10) && has_sixties(text, colon, text.len);
        return is_sixty && read_sixty(text, text.len, is_negative, s);
    }
    if (!has_digits(text, 0, 10))
        return false;
    read_digits(a, s, text, 10, is_negative);
    return true;
}

/* Behind the point: digits, `_`, then an exponent with its sign. */
static bool is_fraction(sv text, size_t from, bool *has_digit) {
    size_t i = from;
    for (; i < text.len && (is_digit(text.data[i]) || text.data[i] == '_'); i++)
        *has_digit = *has_digit || is_digit(text.data[i]);
    if (i == text.len)
        return true;
    if ((text.data[i] | 0x20) != 'e' || i + 2 >= text.len || (text.data[i + 1] != '+' && text.data[i + 1] != '-'))
        return false;
    for (i += 2; i < text.len; i++) {
        if (!is_digit(text.data[i]))
            return false;
    }
    return true;
}

/* `1.`, `.5` and `1.e+3` as num_parse_double wants them. */
static bool parse_decimal(sv text, bool is_negative, double *x) {
    char stripped[DIGITS_MAX], out[DIGITS_MAX + 4];
    size_t len = 0, at = 0;
    if (!strip(text, stripped, &len))
        return false;
    if (stripped[0] == '.')
        out[at++] = '0';
    for (size_t i = 0; i < len; i++) {
        bool ends_here = stripped[i] == '.' && (i + 1 == len || !is_digit(stripped[i + 1]));
        if (!ends_here)
            out[at++] = stripped[i];
    }
    if (num_parse_double(sv_make(out, at), x) != NUM_OK)
        return false;
    *x = is_negative ? -*x : *x;
    return true;
}

static bool read_sixty_float(sv text, size_t point, bool is_negative, struct cfn_scalar *s) {
    size_t colon = sv_find_char(text, ':');
    double fraction = 0;
    bool has_digit = false;
    sv rest = sv_slice(text, point, text.len);
    if (colon == 0 || colon > point || !has_digits(sv_slice(text, 0, colon), 0, 10) ||
        !has_sixties(text, colon, point) || !is_fraction(text, point + 1, &has_digit) ||
        sv_find_char(rest, 'e') != SIZE_MAX || sv_find_char(rest, 'E') != SIZE_MAX)
        return false;
    read_sixty(text, point, false, s);
    if (has_digit && !parse_decimal(rest, false, &fraction))
        return false;
    bool is_good = s->kind == CFN_SCALAR_INT;
    s->kind = is_good ? CFN_SCALAR_FLOAT : CFN_SCALAR_BAD;
    s->number = (double)s->integer + fraction;
    s->number = is_negative ? -s->number : s->number;
    return true;
}

static bool read_float(sv text, bool is_negative, struct cfn_scalar *s) {
    size_t point = sv_find_char(text, '.');
    if (point == SIZE_MAX)
        return false;
    if (sv_find_char(text, ':') < point)
        return read_sixty_float(text, point, is_negative, s);
    bool has_digit = false;
    for (size_t i = 0; i < point; i++) {
        has_digit = has_digit || is_digit(text.data[i]);
        if (!is_digit(text.data[i]) && (text.data[i] != '_' || i == 0))
            return false;
    }
    if (!is_fraction(text, point + 1, &has_digit) || !has_digit)
        return false;
    s->is_unusual = memchr(text.data, '_', text.len) != NULL;
    s->kind = parse_decimal(text, is_negative, &s->number) ? CFN_SCALAR_FLOAT : CFN_SCALAR_BAD;
    return true;
}

static bool is_special(sv unsigned_text, bool has_sign) {
    static const char *const words[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"};
    enum { INFINITIES = 3, WORDS = 6 };
    for (size_t i = 0; i < (has_sign ? INFINITIES : WORDS); i++) {
        if (sv_eq_cstr(unsigned_text, words[i]))
            return true;
    }
    return false;
}

static struct cfn_scalar read_number(struct arena *a, sv text) {
    struct cfn_scalar s = {.kind = CFN_SCALAR_STRING, .text = text};
    bool has_sign = text.data[0] == '+' || text.data[0] == '-';
    sv rest = sv_slice(text, has_sign, text.len);
    if (rest.len == 0 || (!is_digit(rest.data[0]) && rest.data[0] != '.'))
        return s;
    if (is_special(rest, has_sign)) {
        s.kind = CFN_SCALAR_BAD;
        return s;
    }
    if (read_int(a, rest, text.data[0] == '-', &s) || read_float(rest, text.data[0] == '-', &s))
        return s;
    return (struct cfn_scalar){.kind = CFN_SCALAR_STRING, .text = text};
}

static struct cfn_scalar read_plain(struct arena *a, sv text) {
    struct cfn_scalar s = {.kind = CFN_SCALAR_STRING, .text = text};
    enum { LONGEST_WORD = 5 };
    if (text.len == 0 || sv_eq_cstr(text, "~") || is_word(text, "null")) {
        s.kind = CFN_SCALAR_NULL;
        return s;
    }
    char c = text.data[0];
    if (is_digit(c) || c == '+' || c == '-' || c == '.')
        return read_number(a, text);
    if (text.len <= LONGEST_WORD)
        read_bool(text, &s);
    return s;
}

struct scalar cfn_resolve_scalar(sv plain_text) {
    struct cfn_scalar s = read_plain(NULL, plain_text);
    switch (s.kind) {
    case CFN_SCALAR_NULL:
        return (struct scalar){.kind = SCALAR_NULL};
    case CFN_SCALAR_BOOL:
        return (struct scalar){.kind = SCALAR_BOOL, .boolean = s.boolean};
    case CFN_SCALAR_INT:
        return (struct scalar){.kind = s.is_large ? SCALAR_BAD_NUMBER : SCALAR_INT, .integer = s.integer};
    case CFN_SCALAR_FLOAT:
        return (struct scalar){.kind = SCALAR_FLOAT, .number = s.number};
    case CFN_SCALAR_STRING:
        return (struct scalar){.kind = SCALAR_STRING, .text = plain_text};
    case CFN_SCALAR_BAD:
        break;
    }
    return (struct scalar){.kind = SCALAR_BAD_NUMBER};
}

/* `!!int "5"`: the tag says what the text is read as, whatever its style. */
static bool has_core_tag(const struct node *n, const char *name) {
    static const sv core = SV_INIT("tag:yaml.org,2002:");
    return n->props != NULL && sv_has_prefix(n->props->tag, core) &&
           sv_eq_cstr(sv_slice(n->props->tag, core.len, n->props->tag.len), name);
}

static struct cfn_scalar read_json_number(sv text) {
    struct cfn_scalar s = {.kind = CFN_SCALAR_FLOAT, .text = text};
    if (num_parse_double(text, &s.number) != NUM_OK)
        s.kind = CFN_SCALAR_BAD;
    return s;
}

struct cfn_scalar cfn_scalar_read(struct arena *a, const struct node *n) {
    bool is_plain = n->style == NODE_PLAIN || n->style == NODE_EMPTY;
    if ((n->flags & CFN_NODE_JSON_NUMBER) != 0)
        return read_json_number(n->text);
    if (n->props != NULL && n->props->tag.len > 0) {
        bool is_typed =
            has_core_tag(n, "int") || has_core_tag(n, "float") || has_core_tag(n, "bool") || has_core_tag(n, "null");
        bool is_text = has_core_tag(n, "str") || sv_eq_cstr(n->props->tag, "!");
        is_plain = is_typed || (is_plain && !is_text);
    }
    return is_plain ? read_plain(a, n->text) : (struct cfn_scalar){.kind = CFN_SCALAR_STRING, .text = n->text};
}

sv cfn_scalar_get_text(struct arena *a, const struct node *n, bool *differs) {
    struct cfn_scalar s = cfn_scalar_read(a, n);
    char text[NUM_TEXT_MAX];
    sv result = n->text;
    if (s.kind == CFN_SCALAR_BOOL) {
        result = s.boolean ? SV("true") : SV("false");
    } else if (s.kind == CFN_SCALAR_INT && s.is_large) {
        result = s.text;
    } else if (s.kind == CFN_SCALAR_INT || s.kind == CFN_SCALAR_FLOAT) {
        size_t len = s.kind == CFN_SCALAR_INT ? num_print_i64(s.integer, text) : num_print_double(s.number, text);
        result = sv_eq(n->text, sv_make(text, len)) ? n->text : arena_copy_sv(a, sv_make(text, len));
    }
    if (differs != NULL)
        *differs = (s.kind == CFN_SCALAR_INT || s.kind == CFN_SCALAR_FLOAT) && !sv_eq(result, n->text);
    return result;
}
