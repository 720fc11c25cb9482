/* From the bytes of a scalar to its text: escapes, line folding, block indentation. One decoder serves reading and the
 * mapping of places back to the file, so that both always agree. */
#ifndef LINTEL_DOC_DECODE_H
#define LINTEL_DOC_DECODE_H

#include "doc/chars.h"
#include "doc/node.h"

/* Where decoded text goes. `out` has room for DECODE_ROOM(source length) bytes. */
struct decode {
    const char *base; /* offsets count from here */
    char *out;
    uint32_t *offsets; /* the file offset of each byte of `out`; NULL when nobody asks */
    size_t len;
    size_t kept; /* blanks before here were written as escapes and never trimmed */
};

/* The longest text that `size` bytes of source decode to: `\L` are two bytes for three. */
#define DECODE_ROOM(size) ((size) + (size) / 2 + 8)

struct block_scalar {
    bool is_folded;
    char chomping;       /* '-', '+' or 0 */
    unsigned indicator;  /* 1 to 9, or 0 */
    const char *body;    /* start of the first line below the header */
    const char *end;     /* behind the last line that belongs to it, with its break */
    const char *last;    /* behind the last character of text; `body` when there is none */
    const char *control; /* the first control character, NULL without */
    size_t indent;
};

/* `p` to `end` is the text between the quotes; for plain scalars from first to last character. */
void decode_plain(struct decode *d, const char *p, const char *end);
void decode_single_quoted(struct decode *d, const char *p, const char *end);
void decode_double_quoted(struct decode *d, const char *p, const char *end);
void decode_block_scalar(struct decode *d, const struct block_scalar *block);

/* Length of the escape that starts at the backslash `p` and its code point; 0 when it is none. YAML knows more of them
 * than JSON. */
size_t decode_escape(const char *p, bool is_json, uint32_t *codepoint);

/* Reads the header behind '|' or '>'; returns where reading stopped: a gap when the header is well formed. */
const char *decode_block_header(const char *p, struct block_scalar *block);
/* Finds indent, end and last of a block scalar whose `body` is set and whose lines must be indented by at least `least`
 * columns. Returns NULL, or a mistake: a leading blank line that is longer than the first line of text, or a tab that
 * indents. */
const char *decode_find_block_end(struct block_scalar *block, size_t least);
/* The same when `indent` is known. */
void decode_find_lines(struct block_scalar *block);

#endif
