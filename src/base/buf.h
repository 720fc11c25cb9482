/* Growing text in an arena. The zero value with an arena set is the empty text. */
#ifndef LINTEL_BASE_BUF_H
#define LINTEL_BASE_BUF_H

#include "base/arena.h"

struct buf {
    struct arena *arena;
    char *data;
    size_t len, cap;
};

#define BUF(a) ((struct buf){.arena = (a)})

void buf_append(struct buf *b, sv text);
void buf_append_cstr(struct buf *b, const char *text);
void buf_append_char(struct buf *b, char c);
void buf_append_repeat(struct buf *b, char c, size_t count);
void buf_append_codepoint(struct buf *b, uint32_t codepoint);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Room for `extra` bytes more; returns the end of the text. The caller adds to `len` what it wrote. */
char *buf_reserve(struct buf *b, size_t extra);
/* The text so far; valid until the next append. A NUL stands behind it. */
sv buf_get_sv(struct buf *b);

#endif
