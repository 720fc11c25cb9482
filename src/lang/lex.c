#include "lang/lex.h"

#include "base/num.h"
#include "base/utf8.h"

#include <string.h>

enum {
    NAME_PART = LEXIS_PART | LEXIS_KEY,
    NAME_START = LEXIS_START | NAME_PART,
};

const uint8_t lexis_classes_name[128] = {
    ['-'] = NAME_PART,  ['.'] = LEXIS_KEY,  ['_'] = NAME_START, ['0'] = NAME_PART,  ['1'] = NAME_PART,
    ['2'] = NAME_PART,  ['3'] = NAME_PART,  ['4'] = NAME_PART,  ['5'] = NAME_PART,  ['6'] = NAME_PART,
    ['7'] = NAME_PART,  ['8'] = NAME_PART,  ['9'] = NAME_PART,  ['A'] = NAME_START, ['B'] = NAME_START,
    ['C'] = NAME_START, ['D'] = NAME_START, ['E'] = NAME_START, ['F'] = NAME_START, ['G'] = NAME_START,
    ['H'] = NAME_START, ['I'] = NAME_START, ['J'] = NAME_START, ['K'] = NAME_START, ['L'] = NAME_START,
    ['M'] = NAME_START, ['N'] = NAME_START, ['O'] = NAME_START, ['P'] = NAME_START, ['Q'] = NAME_START,
    ['R'] = NAME_START, ['S'] = NAME_START, ['T'] = NAME_START, ['U'] = NAME_START, ['V'] = NAME_START,
    ['W'] = NAME_START, ['X'] = NAME_START, ['Y'] = NAME_START, ['Z'] = NAME_START, ['a'] = NAME_START,
    ['b'] = NAME_START, ['c'] = NAME_START, ['d'] = NAME_START, ['e'] = NAME_START, ['f'] = NAME_START,
    ['g'] = NAME_START, ['h'] = NAME_START, ['i'] = NAME_START, ['j'] = NAME_START, ['k'] = NAME_START,
    ['l'] = NAME_START, ['m'] = NAME_START, ['n'] = NAME_START, ['o'] = NAME_START, ['p'] = NAME_START,
    ['q'] = NAME_START, ['r'] = NAME_START, ['s'] = NAME_START, ['t'] = NAME_START, ['u'] = NAME_START,
    ['v'] = NAME_START, ['w'] = NAME_START, ['x'] = NAME_START, ['y'] = NAME_START, ['z'] = NAME_START};

/* Length of the character at `pos` when it is of the class; else 0. */
static size_t match_class(const struct lexer *l, size_t pos, enum lexis_class class) {
    unsigned char c = (unsigned char)l->text.data[pos];
    if (c < 0x80) {
        return (l->lexis->classes[c] & class) != 0;
    }
    bool (*is)(uint32_t) = class == LEXIS_START ? l->lexis->is_name_start : l->lexis->is_name_part;
    if (is == NULL) {
        return 0;
    }
    uint32_t codepoint = 0;
    size_t len = utf8_decode(sv_slice(l->text, pos, l->end), &codepoint);
    return is(codepoint) ? len : 0;
}

static size_t skip_class(const struct lexer *l, size_t pos, enum lexis_class class) {
    const uint8_t *classes = l->lexis->classes;
    for (;;) {
        while (pos < l->end && (unsigned char)l->text.data[pos] < 0x80 &&
               (classes[(unsigned char)l->text.data[pos]] & class) != 0) {
            pos++;
        }
        size_t len = pos < l->end && (unsigned char)l->text.data[pos] >= 0x80 ? match_class(l, pos, class) : 0;
        if (len == 0) {
            return pos;
        }
        pos += len;
    }
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static char char_at(const struct lexer *l, size_t pos) {
    return pos < l->end ? l->text.data[pos] : '\0';
}

static bool has_at(const struct lexer *l, size_t pos, sv what) {
    if (what.len == 0 || l->end - pos < what.len || l->text.data[pos] != what.data[0]) {
        return false;
    }
    return what.len == 1 || memcmp(l->text.data + pos, what.data, what.len) == 0;
}

static void set(struct lexer *l, enum token_kind kind, size_t from, size_t to) {
    l->token.kind = kind;
    l->token.from = from;
    l->token.to = to;
    l->pos = to;
}

static void set_bad(struct lexer *l, size_t from, size_t to, const char *why) {
    set(l, TOKEN_BAD, from, to);
    l->token.why = why;
}

static size_t skip_digits(const struct lexer *l, size_t pos) {
    while (is_digit(char_at(l, pos))) {
        pos++;
    }
    return pos;
}

static bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static size_t skip_fraction(struct lexer *l, size_t pos) {
    if (l->lexis->floats && char_at(l, pos) == '.' && is_digit(char_at(l, pos + 1))) {
        l->token.is_float = true;
        pos = skip_digits(l, pos + 1);
    }
    char c = char_at(l, pos);
    if (l->lexis->exponents && (c == 'e' || c == 'E')) {
        char sign = char_at(l, pos + 1);
        size_t digits = pos + 1 + (sign == '-' || sign == '+');
        if (is_digit(char_at(l, digits))) {
            l->token.is_float = true;
            pos = skip_digits(l, digits);
        }
    }
    return pos;
}

static void lex_number(struct lexer *l, size_t from) {
    size_t pos = from + (l->text.data[from] == '-');
    l->token.is_float = false;
    bool hex =
        l->lexis->hex && char_at(l, pos) == '0' && char_at(l, pos + 1) == 'x' && is_hex_digit(char_at(l, pos + 2));
    if (hex) {
        for (pos += 2; is_hex_digit(char_at(l, pos));) {
            pos++;
        }
    } else {
        pos = skip_fraction(l, skip_digits(l, pos));
    }
    if (pos < l->end && match_class(l, pos, LEXIS_START) > 0) {
        set_bad(l, from, skip_class(l, pos, LEXIS_PART),
                l->lexis->number_why != NULL ? l->lexis->number_why : "a number is followed by letters");
        return;
    }
    set(l, TOKEN_NUMBER, from, pos);
}

static void lex_string(struct lexer *l, size_t from) {
    char quote = l->text.data[from];
    l->token.has_escape = false;
    for (size_t pos = from + 1; pos < l->end; pos++) {
        char c = l->text.data[pos];
        if (c == quote) {
            set(l, TOKEN_STRING, from, pos + 1);
            return;
        }
        bool escape = c == '\\' && pos + 1 < l->end && (!l->lexis->quote_escape_only || l->text.data[pos + 1] == quote);
        if (escape) {
            l->token.has_escape = true;
            pos++;
        }
    }
    set_bad(l, from, l->end, "a string is not closed");
}

/* The first entry of the longest operator at `pos`; of words only whole ones. */
static const struct operator_def *find_operator(const struct lexer *l, size_t pos, size_t word_end) {
    const struct operator_def *best = NULL;
    for (size_t i = 0; i < l->dialect->operator_count; i++) {
        const struct operator_def *op = &l->dialect->operators[i];
        if (!has_at(l, pos, op->token) || (op->is_word && pos + op->token.len != word_end)) {
            continue;
        }
        if (best == NULL || op->token.len > best->token.len) {
            best = op;
        }
    }
    return best;
}

static void lex_name(struct lexer *l, size_t from, size_t first_len) {
    size_t to = skip_class(l, from + first_len, LEXIS_PART);
    set(l, TOKEN_NAME, from, to);
    if (l->dialect->operator_count > 0) {
        const struct operator_def *op = find_operator(l, from, to);
        if (op != NULL && op->is_word) {
            l->token.kind = TOKEN_OPERATOR;
            l->token.op = op;
        }
    }
}

static bool is_punct(char c) {
    switch (c) {
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
    case ',':
    case ':':
    case '.':
    case '=':
    case '?':
    case '|':
        return true;
    default:
        return false;
    }
}

static void lex_symbol(struct lexer *l, size_t from) {
    const struct operator_def *op = l->dialect->operator_count > 0 ? find_operator(l, from, SIZE_MAX) : NULL;
    if (op != NULL) {
        set(l, TOKEN_OPERATOR, from, from + op->token.len);
        l->token.op = op;
        return;
    }
    char c = l->text.data[from];
    if (is_punct(c)) {
        set(l, TOKEN_PUNCT, from, from + 1);
        l->token.punct = c;
        l->braces += c == '{';
        l->braces -= c == '}' && l->braces > 0;
        return;
    }
    uint32_t codepoint = 0;
    size_t len = (unsigned char)c < 0x80 ? 1 : utf8_decode(sv_slice(l->text, from, l->end), &codepoint);
    set_bad(l, from, from + len, has_at(l, from, l->lexis->open) ? "a substitution opens inside another" : NULL);
    if (l->token.why != NULL) {
        l->token.to = from + l->lexis->open.len;
    }
}

void lex_next(struct lexer *l) {
    size_t pos = l->pos;
    while (pos < l->end && is_space(l->text.data[pos])) {
        pos++;
    }
    if (pos >= l->end) {
        set(l, TOKEN_END, l->end, l->end);
        return;
    }
    size_t len = match_class(l, pos, LEXIS_START);
    char c = l->text.data[pos];
    if (len > 0) {
        lex_name(l, pos, len);
    } else if (l->braces == 0 && has_at(l, pos, l->lexis->close)) {
        set(l, TOKEN_CLOSE, pos, pos + l->lexis->close.len);
    } else if (is_digit(c) || (c == '-' && l->lexis->negative_literals && is_digit(char_at(l, pos + 1)))) {
        lex_number(l, pos);
    } else if (c != '\0' && memchr(l->lexis->quotes.data, c, l->lexis->quotes.len) != NULL) {
        lex_string(l, pos);
    } else {
        lex_symbol(l, pos);
    }
}

void lex_restart(struct lexer *l, size_t pos) {
    l->pos = pos;
    lex_next(l);
}

sv lex_get_text(const struct lexer *l) {
    return sv_make(l->text.data + l->token.from, l->token.to - l->token.from);
}

char lex_peek_punct(const struct lexer *l) {
    size_t pos = l->pos;
    while (pos < l->end && is_space(l->text.data[pos])) {
        pos++;
    }
    if (pos >= l->end || match_class(l, pos, LEXIS_START) > 0) {
        return '\0';
    }
    struct lexer ahead = *l;
    lex_restart(&ahead, pos);
    return ahead.token.kind == TOKEN_PUNCT ? ahead.token.punct : '\0';
}

bool lex_take_word(struct lexer *l, sv *word) {
    size_t from = l->token.from;
    bool starts = from < l->end &&
                  (l->lexis->word_steps ? match_class(l, from, LEXIS_PART) : match_class(l, from, LEXIS_START)) > 0;
    if (!starts || (l->text.data[from] == '-' && l->lexis->word_steps)) {
        return false;
    }
    size_t to = skip_class(l, from, LEXIS_PART);
    *word = sv_make(l->text.data + from, to - from);
    set(l, TOKEN_NAME, from, to);
    lex_next(l);
    return true;
}

bool lex_get_number(const struct lexer *l, value *result) {
    sv text = lex_get_text(l);
    int64_t integer = 0;
    double number = 0;
    if (l->token.is_float && !l->lexis->double_numbers) {
        if (num_parse_double(text, &number) != NUM_OK) {
            return false;
        }
        *result = value_float(number);
        return true;
    }
    if (l->lexis->double_numbers) {
        bool is_number = num_parse_double(text, &number) == NUM_OK;
        *result = value_number(number);
        return is_number;
    }
    bool negative = text.data[0] == '-';
    sv digits = sv_slice(text, negative, text.len);
    bool hex = digits.len > 2 && digits.data[1] == 'x';
    enum num_parse parsed = hex && !negative ? num_parse_i64(sv_slice(digits, 2, digits.len), 16, &integer)
                                             : num_parse_i64(text, 10, &integer);
    *result = value_int(integer);
    return parsed == NUM_OK;
}

/* JSON escapes */

static bool read_hex4(sv text, size_t at, uint32_t *unit) {
    uint64_t n = 0;
    if (at + 4 > text.len || text.data[at] == '+' || num_parse_u64(sv_slice(text, at, at + 4), 16, &n) != NUM_OK) {
        return false;
    }
    *unit = (uint32_t)n;
    return true;
}

/* `\uXXXX`, surrogate pairs joined; `at` is behind the `u` and is moved. */
static bool decode_unicode(struct buf *out, sv text, size_t *at) {
    uint32_t unit = 0, low = 0;
    if (!read_hex4(text, *at, &unit)) {
        return false;
    }
    *at += 4;
    if (unit >= 0xD800 && unit < 0xDC00) {
        bool pair = *at + 2 <= text.len && memcmp(text.data + *at, "\\u", 2) == 0 && read_hex4(text, *at + 2, &low);
        if (!pair || low < 0xDC00 || low > 0xDFFF) {
            return false;
        }
        *at += 6;
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    } else if (unit >= 0xDC00 && unit <= 0xDFFF) {
        return false;
    }
    buf_append_codepoint(out, unit);
    return true;
}

static bool decode_escape(struct buf *out, sv text, size_t *at) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char c = text.data[*at];
    (*at)++;
    if (c == 'u') {
        return decode_unicode(out, text, at);
    }
    const char *found = c == '\0' ? NULL : strchr(names, c);
    if (found == NULL) {
        return false;
    }
    buf_append_char(out, values[found - names]);
    return true;
}

bool lex_get_string(const struct lexer *l, struct arena *a, sv *result, size_t *bad) {
    sv inner = sv_make(l->text.data + l->token.from + 1, l->token.to - l->token.from - 2);
    if (!l->token.has_escape) {
        *result = inner;
        return true;
    }
    char quote = l->text.data[l->token.from];
    struct buf out = BUF(a);
    buf_reserve(&out, inner.len + 1);
    for (size_t i = 0; i < inner.len;) {
        size_t start = i;
        char c = inner.data[i++];
        if (c == '\\' && !l->lexis->quote_escape_only) {
            if (!decode_escape(&out, inner, &i)) {
                *bad = l->token.from + 1 + start;
                return false;
            }
            continue;
        }
        if (c == '\\' && i < inner.len && inner.data[i] == quote) {
            c = inner.data[i++];
        }
        buf_append_char(&out, c);
    }
    *result = buf_get_sv(&out);
    return true;
}

size_t lex_find_close(const struct lexer *l, size_t from) {
    size_t braces = 0;
    for (size_t pos = from; pos < l->end; pos++) {
        char c = l->text.data[pos];
        if (braces == 0 && has_at(l, pos, l->lexis->close)) {
            return pos;
        }
        if (c != '\0' && memchr(l->lexis->quotes.data, c, l->lexis->quotes.len) != NULL) {
            struct lexer inner = *l;
            lex_string(&inner, pos);
            if (inner.token.kind == TOKEN_BAD) {
                return SIZE_MAX;
            }
            pos = inner.token.to - 1;
        }
        if ((l->dialect->call_styles & CALL_OBJECT_LITERALS) != 0) {
            braces += c == '{';
            braces -= c == '}' && braces > 0;
        }
    }
    return SIZE_MAX;
}
