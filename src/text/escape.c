#include "text/render.h"

#include "base/utf8.h"

/* What changes how a line looks on a terminal without being seen: controls, line separators, bidirectional marks, tag
 * characters. */
static bool is_deceptive(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x206F) || c == 0xFEFF ||
           (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

static bool is_plain(char c) {
    unsigned char byte = (unsigned char)c;
    return byte >= 0x20 && byte < 0x7F;
}

/* Appends the character at the start of `rest`, escaped if need be; returns how many bytes it was. */
static size_t escape_one(struct buf *out, sv rest) {
    sv head = sv_slice(rest, 0, 4);
    uint32_t codepoint = (unsigned char)head.data[0];
    size_t length = 1;
    if (utf8_check(head) == 0) {
        buf_printf(out, "\\x%02x", (unsigned)codepoint);
        return 1;
    }
    length = utf8_decode(head, &codepoint);
    if (!is_deceptive(codepoint)) {
        buf_append(out, sv_slice(head, 0, length));
    } else if (codepoint < 0x80) {
        buf_printf(out, "\\x%02x", (unsigned)codepoint);
    } else {
        buf_printf(out, "\\u{%x}", (unsigned)codepoint);
    }
    return length;
}

sv render_escape(struct arena *a, sv text) {
    size_t at = 0;
    while (at < text.len && is_plain(text.data[at])) {
        at++;
    }
    if (at == text.len) {
        return text;
    }
    struct buf out = BUF(a);
    buf_append(&out, sv_slice(text, 0, at));
    while (at < text.len) {
        at += escape_one(&out, sv_slice(text, at, text.len));
    }
    return buf_get_sv(&out);
}
