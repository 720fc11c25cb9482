/* What each byte means to the readers: one table look-up instead of chains of comparisons. Bytes from 0x80 are text. */
#ifndef LINTEL_DOC_CHARS_H
#define LINTEL_DOC_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum char_class {
    CHAR_GAP = 1,          /* blank, line break, or the NUL behind the text */
    CHAR_FLOW = 2,         /* , [ ] { } */
    CHAR_PLAIN_STOP = 4,   /* may end a plain scalar on its line */
    CHAR_FLOW_STOP = 8,    /* the same within brackets */
    CHAR_DOUBLE_STOP = 16, /* needs a closer look between double quotes */
    CHAR_SINGLE_STOP = 32, /* the same between single quotes */
    CHAR_LINE_STOP = 64,   /* line break, end, or a control character */
    CHAR_PLAIN_FIRST = 128 /* no indicator: starts a plain scalar whatever follows */
};

extern const uint8_t doc_chars[256];

static inline bool char_is(char c, unsigned classes) {
    return (doc_chars[(uint8_t)c] & classes) != 0;
}

static inline bool char_is_blank(char c) {
    return c == ' ' || c == '\t';
}

static inline bool char_is_break(char c) {
    return c == '\n' || c == '\r';
}

static inline const char *char_skip_blanks(const char *p) {
    while (char_is_blank(*p))
        p++;
    return p;
}

/* Behind the line break at `p`: LF, CR or CR LF. */
static inline const char *char_skip_break(const char *p) {
    return p[0] == '\r' && p[1] == '\n' ? p + 2 : p + 1;
}

/* The first character in `from` to `to` that is text only between quotes: C1 controls but NEL, byte order marks,
 * U+FFFE, U+FFFF. Else NULL. The text is UTF-8. */
const char *char_find_unprintable(const char *from, const char *to);

/* A line that starts with "---" or "...", which ends a document. */
static inline bool char_is_marker(const char *p) {
    return (p[0] == '-' || p[0] == '.') && p[1] == p[0] && p[2] == p[0] && char_is(p[3], CHAR_GAP);
}

#endif
