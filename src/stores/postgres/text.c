#include "base/buf.h"
#include "base/utf8.h"
#include "stores/postgres/internal.h"

enum { SUB = 0x1a };

/* The length of the well-formed character at the start of `text`, 0 for bytes that must be written otherwise. */
static size_t get_plain(sv text) {
    unsigned char c = (unsigned char)text.data[0];
    if (c < 0x80) {
        return c != 0 && c != SUB;
    }
    size_t len = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    return len <= text.len && utf8_check(sv_slice(text, 0, len)) == len ? len : 0;
}

static bool is_plain(sv text) {
    return text.len == 0 || (memchr(text.data, 0, text.len) == NULL && memchr(text.data, SUB, text.len) == NULL &&
                             utf8_check(text) == text.len);
}

sv text_encode(struct arena *a, sv text) {
    if (is_plain(text)) {
        return arena_copy_sv(a, text);
    }
    struct buf out = BUF(a);
    while (text.len > 0) {
        size_t len = get_plain(text);
        if (len == 0) {
            len = 1;
            buf_printf(&out, "\x1a%02x", (unsigned char)text.data[0]);
        } else {
            buf_append(&out, sv_slice(text, 0, len));
        }
        text = sv_slice(text, len, text.len);
    }
    return buf_get_sv(&out);
}

static unsigned get_digit(char c) {
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : c >= '0' && c <= '9' ? (unsigned)(c - '0') : 0;
}

sv text_decode(struct arena *a, sv text) {
    if (text.len == 0 || memchr(text.data, SUB, text.len) == NULL) {
        return arena_copy_sv(a, text);
    }
    struct buf out = BUF(a);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == SUB && i + 2 < text.len) {
            buf_append_char(&out, (char)(get_digit(text.data[i + 1]) << 4 | get_digit(text.data[i + 2])));
            i += 2;
        } else {
            buf_append_char(&out, text.data[i]);
        }
    }
    return buf_get_sv(&out);
}
