#include "doc/decode.h"

#include "base/utf8.h"

#include <string.h>

static void put(struct decode *d, char c, const char *from) {
    if (d->offsets)
        d->offsets[d->len] = (uint32_t)(from - d->base);
    d->out[d->len++] = c;
}

static void put_run(struct decode *d, const char *from, const char *to) {
    size_t len = (size_t)(to - from);
    if (d->offsets)
        for (size_t i = 0; i < len; i++)
            d->offsets[d->len + i] = (uint32_t)((size_t)(from - d->base) + i);
    memcpy(d->out + d->len, from, len);
    d->len += len;
}

/* `count` line feeds standing for the breaks at `p` and on the blank lines after it; the first `skip` of them are
 * passed over. */
static void put_breaks(struct decode *d, const char *p, size_t skip, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            p = char_skip_blanks(char_skip_break(p));
        if (i >= skip)
            put(d, '\n', p);
    }
}

/* A line break within a flow scalar: blanks around it go; a single break is a space, more are one less line feeds.
 * Returns the next text. */
static const char *fold_break(struct decode *d, const char *p, const char *end, bool is_escaped) {
    const char *first = p;
    size_t breaks = 0;
    while (!is_escaped && d->len > d->kept && char_is_blank(d->out[d->len - 1]))
        d->len--;
    while (p < end && char_is_break(*p)) {
        breaks++;
        p = char_skip_blanks(char_skip_break(p));
    }
    if (p > end)
        p = end;
    if (breaks > 1)
        put_breaks(d, first, 1, breaks);
    else if (!is_escaped)
        put(d, ' ', first);
    d->kept = d->len;
    return p;
}

void decode_plain(struct decode *d, const char *p, const char *end) {
    while (p < end) {
        const char *run = p;
        while (p < end && !char_is_break(*p))
            p++;
        put_run(d, run, p);
        if (p < end)
            p = fold_break(d, p, end, false);
    }
}

void decode_single_quoted(struct decode *d, const char *p, const char *end) {
    while (p < end) {
        const char *run = p;
        while (p < end && !char_is_break(*p) && *p != '\'')
            p++;
        put_run(d, run, p);
        if (p < end && *p == '\'') {
            put(d, '\'', p);
            p += 2;
        } else if (p < end) {
            p = fold_break(d, p, end, false);
        }
    }
}

static const char *put_escape(struct decode *d, const char *p, const char *end) {
    uint32_t codepoint = 0;
    if (char_is_break(p[1]))
        return fold_break(d, p + 1, end, true);
    size_t len = decode_escape(p, false, &codepoint);
    if (len == 0) { /* reported by the reader: the backslash is dropped */
        return p + 1;
    }
    char bytes[4];
    size_t count = utf8_encode(codepoint, bytes);
    for (size_t i = 0; i < count; i++)
        put(d, bytes[i], p);
    d->kept = d->len;
    return p + len;
}

void decode_double_quoted(struct decode *d, const char *p, const char *end) {
    while (p < end) {
        const char *run = p;
        while (p < end && !char_is_break(*p) && *p != '\\')
            p++;
        put_run(d, run, p);
        if (p < end && *p == '\\')
            p = put_escape(d, p, end);
        else if (p < end)
            p = fold_break(d, p, end, false);
    }
}

static bool read_hex(const char *p, size_t digits, uint32_t *result) {
    uint32_t n = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = p[i];
        if (c >= '0' && c <= '9')
            n = n * 16 + (uint32_t)(c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            n = n * 16 + (uint32_t)((c | 32) - 'a' + 10);
        else
            return false;
    }
    *result = n;
    return true;
}

/* `\uD83D\uDE00`: two halves of one character, as JSON writes it. */
static size_t read_surrogates(const char *p, uint32_t *codepoint) {
    uint32_t low;
    if (*codepoint >= 0xdc00 || p[6] != '\\' || p[7] != 'u' || !read_hex(p + 8, 4, &low))
        return 0;
    if (low < 0xdc00 || low > 0xdfff)
        return 0;
    *codepoint = 0x10000 + ((*codepoint - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

static size_t decode_hex_escape(const char *p, size_t digits, uint32_t *codepoint) {
    if (!read_hex(p + 2, digits, codepoint) || *codepoint > 0x10ffff)
        return 0;
    if (*codepoint >= 0xd800 && *codepoint <= 0xdfff)
        return digits == 4 ? read_surrogates(p, codepoint) : 0;
    return digits + 2;
}

size_t decode_escape(const char *p, bool is_json, uint32_t *codepoint) {
    static const char letters[] = "\"\\/bfnrt0ave N_LP\t";
    static const uint32_t meanings[] = {'"', '\\', '/', 8,   12,   '\n', '\r',   9,      0,
                                        7,   11,   27,  ' ', 0x85, 0xa0, 0x2028, 0x2029, 9};
    enum { JSON_LETTERS = 8 };
    char c = p[1];
    if (c == 'u')
        return decode_hex_escape(p, 4, codepoint);
    if (c == 'x' && !is_json)
        return decode_hex_escape(p, 2, codepoint);
    if (c == 'U' && !is_json)
        return decode_hex_escape(p, 8, codepoint);
    const char *found = c ? memchr(letters, c, is_json ? JSON_LETTERS : sizeof letters - 1) : NULL;
    if (!found)
        return 0;
    *codepoint = meanings[found - letters];
    return 2;
}

const char *decode_block_header(const char *p, struct block_scalar *block) {
    *block = (struct block_scalar){.is_folded = *p == '>'};
    p++;
    for (;; p++) {
        if ((*p == '+' || *p == '-') && !block->chomping)
            block->chomping = *p;
        else if (*p >= '1' && *p <= '9' && !block->indicator)
            block->indicator = (unsigned)(*p - '0');
        else
            return p;
    }
}

/* Looks over the leading blank lines for the first line of text, whose indentation counts. */
static const char *find_indent(struct block_scalar *block, size_t least) {
    const char *p = block->body, *longest = NULL;
    size_t blanks = 0, most = 0;
    for (;; p = char_skip_break(p)) {
        const char *line = p;
        while (*p == ' ')
            p++;
        blanks = (size_t)(p - line);
        if (*p && !char_is_break(*p))
            break;
        if (blanks > most) {
            most = blanks;
            longest = line;
        }
        if (*p == 0)
            break;
    }
    bool has_text = *p != 0 && blanks >= least;
    block->indent = has_text ? blanks : most > least ? most : least;
    if (!has_text && *p == '\t')
        return p;
    return has_text && most > blanks ? longest : NULL;
}

static const char *skip_text(struct block_scalar *block, const char *p) {
    for (;; p++) {
        while (!char_is(*p, CHAR_LINE_STOP))
            p++;
        if (*p == 0 || char_is_break(*p))
            return p;
        if (!block->control)
            block->control = p;
    }
}

void decode_find_lines(struct block_scalar *block) {
    const char *p = block->body;
    block->last = p;
    while (*p) {
        const char *line = p;
        while (*p == ' ' && (size_t)(p - line) < block->indent)
            p++;
        if (!char_is_break(*p)) {
            bool is_inside = (size_t)(p - line) == block->indent && *p && !(block->indent == 0 && char_is_marker(p));
            if (!is_inside) {
                p = *p ? line : p;
                break;
            }
            p = skip_text(block, p);
            block->last = p;
        }
        if (*p)
            p = char_skip_break(p);
    }
    block->end = p;
}

const char *decode_find_block_end(struct block_scalar *block, size_t least) {
    const char *mistake = NULL;
    if (block->indicator)
        block->indent = (least ? least - 1 : 0) + block->indicator;
    else
        mistake = find_indent(block, least);
    decode_find_lines(block);
    return mistake;
}

/* Joins the line that starts at `line` to the text so far: `breaks` line breaks lie between, the first of them at
 * `first`. */
static void put_joint(struct decode *d, const struct block_scalar *block, const char *first, size_t breaks,
                      bool folds) {
    if (block->is_folded && folds && breaks == 1)
        put(d, ' ', first);
    else
        put_breaks(d, first, block->is_folded && folds ? 1 : 0, breaks);
}

/* The breaks behind the last text: none, one or all of them, by chomping. The end of the file is a break when its line
 * is not empty. */
static void put_tail(struct decode *d, const struct block_scalar *block) {
    bool has_text = block->last > block->body;
    const char *first = char_skip_blanks(block->last);
    if (block->chomping == 0 && has_text)
        put(d, '\n', first);
    if (block->chomping != '+')
        return;
    size_t breaks = 0;
    const char *line = block->last, *p = first;
    while (char_is_break(*p) && (line < block->end || breaks == 0)) {
        breaks++;
        line = char_skip_break(p);
        p = char_skip_blanks(line);
    }
    bool ends_file = *p == 0 && (p > line || (breaks == 0 && has_text));
    put_breaks(d, first, 0, breaks + ends_file);
}

void decode_block_scalar(struct decode *d, const struct block_scalar *block) {
    const char *p = block->body, *first = block->body; /* first: the first break since the last text */
    size_t breaks = 0;
    bool has_text = false, was_spaced = false;
    while (p < block->last) {
        const char *line = p;
        while (*p == ' ' && (size_t)(p - line) < block->indent)
            p++;
        if (!char_is_break(*p)) {
            bool is_spaced = char_is_blank(*p);
            if (breaks > 0)
                put_joint(d, block, first, breaks, has_text && !is_spaced && !was_spaced);
            const char *text = p;
            while (p < block->last && !char_is_break(*p))
                p++;
            put_run(d, text, p);
            breaks = 0;
            has_text = true;
            was_spaced = is_spaced;
        }
        if (!char_is_break(*p))
            break;
        first = breaks == 0 ? p : first;
        breaks++;
        p = char_skip_break(p);
    }
    put_tail(d, block);
}
