#include "base/buf.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* One byte more than asked for, for the NUL of buf_get_sv. */
static void buf_grow(struct buf *b, size_t extra) {
    size_t wanted;
    bool overflow = __builtin_add_overflow(b->len, extra, &wanted) || __builtin_add_overflow(wanted, 1, &wanted);
    assert(!overflow);
    size_t cap = b->cap < 32 ? 64 : b->cap;
    while (cap < wanted) {
        cap = cap > SIZE_MAX / 2 ? wanted : cap * 2;
    }
    b->data = arena_grow_array(b->arena, b->data, b->cap, cap, 1);
    b->cap = cap;
}

char *buf_reserve(struct buf *b, size_t extra) {
    if (b->cap - b->len <= extra) {
        buf_grow(b, extra);
    }
    return b->data + b->len;
}

void buf_append(struct buf *b, sv text) {
    if (text.len > 0) {
        memcpy(buf_reserve(b, text.len), text.data, text.len);
        b->len += text.len;
    }
}

void buf_append_cstr(struct buf *b, const char *text) {
    buf_append(b, sv_from_cstr(text));
}

void buf_append_char(struct buf *b, char c) {
    *buf_reserve(b, 1) = c;
    b->len++;
}

void buf_append_repeat(struct buf *b, char c, size_t count) {
    memset(buf_reserve(b, count), c, count);
    b->len += count;
}

void buf_append_codepoint(struct buf *b, uint32_t codepoint) {
    b->len += utf8_encode(codepoint, buf_reserve(b, 4));
}

void buf_printf(struct buf *b, const char *format, ...) {
    char *end = buf_reserve(b, 128);
    size_t room = b->cap - b->len;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(end, room, format, args);
    va_end(args);
    assert(len >= 0);
    if ((size_t)len >= room) {
        end = buf_reserve(b, (size_t)len);
        va_start(args, format);
        (void)vsnprintf(end, (size_t)len + 1, format, args);
        va_end(args);
    }
    b->len += (size_t)len;
}

sv buf_get_sv(struct buf *b) {
    *buf_reserve(b, 0) = '\0';
    return sv_make(b->data, b->len);
}
