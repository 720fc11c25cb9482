#include "doc/write_text.h"

#include "base/utf8.h"
#include "doc/chars.h"

#include <string.h>

static bool has_prefix_marker(sv text) {
    if (text.len < 3 || (memcmp(text.data, "---", 3) != 0 && memcmp(text.data, "...", 3) != 0))
        return false;
    return text.len == 3 || char_is(text.data[3], CHAR_GAP);
}

static bool is_gap_at(sv text, size_t i) {
    return i >= text.len || char_is(text.data[i], CHAR_GAP);
}

static bool can_start_plain(sv text) {
    char c = text.data[0];
    if (c == '-' || c == '?' || c == ':')
        return !is_gap_at(text, 1) && !has_prefix_marker(text);
    return char_is(c, CHAR_PLAIN_FIRST) && !has_prefix_marker(text);
}

/* The rest of a plain line: nothing in it ends the scalar. */
static bool can_go_on_plain(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == ':' && is_gap_at(text, i + 1))
            return false;
        if (c == '#' && (i == 0 || char_is_blank(text.data[i - 1])))
            return false;
    }
    return !char_is_blank(text.data[0]) && !char_is_blank(text.data[text.len - 1]);
}

bool text_can_be_plain(sv text) {
    return text.len > 0 && can_start_plain(text) && can_go_on_plain(text) && text_is_printable(text) &&
           sv_find_char(text, '\n') == SIZE_MAX;
}

bool text_can_be_plain_lines(sv text) {
    if (text.len == 0 || !can_start_plain(text) || !text_is_printable(text) || text.data[text.len - 1] == '\n')
        return false;
    while (text.len > 0) {
        sv line = sv_cut(&text, '\n');
        if (line.len > 0 && !can_go_on_plain(line))
            return false;
    }
    return true;
}

/* Control characters, byte order marks, non-characters, and separators that editors take for line breaks. */
static bool is_printable(uint32_t c) {
    if (c < ' ')
        return c == '\t' || c == '\n';
    bool is_control = c >= 0x7f && c < 0xa0;
    bool is_separator = c == 0x2028 || c == 0x2029;
    return !is_control && !is_separator && c != 0xfeff && c != 0xfffe && c != 0xffff;
}

bool text_is_printable(sv text) {
    for (size_t i = 0; i < text.len;) {
        uint32_t c;
        i += utf8_decode(sv_slice(text, i, text.len), &c);
        if (!is_printable(c))
            return false;
    }
    return true;
}

static void write_escape(struct buf *out, uint32_t c) {
    static const char letters[] = "abtnvfr"; /* of 7 to 13 */
    if (c >= 7 && c <= 13)
        buf_printf(out, "\\%c", letters[c - 7]);
    else if (c == 0)
        buf_append_cstr(out, "\\0");
    else if (c <= 0xff)
        buf_printf(out, "\\x%02X", c);
    else if (c <= 0xffff)
        buf_printf(out, "\\u%04X", c);
    else
        buf_printf(out, "\\U%08X", c);
}

void text_write_double_quoted(struct buf *out, sv text) {
    buf_append_char(out, '"');
    for (size_t i = 0; i < text.len;) {
        uint32_t c;
        size_t len = utf8_decode(sv_slice(text, i, text.len), &c);
        if (c == '"' || c == '\\') {
            buf_append_char(out, '\\');
            buf_append_char(out, (char)c);
        } else if (c == '\t' || c == '\n' || !is_printable(c)) {
            write_escape(out, c);
        } else {
            buf_append(out, sv_slice(text, i, i + len));
        }
        i += len;
    }
    buf_append_char(out, '"');
}

void text_write_single_quoted(struct buf *out, sv text) {
    buf_append_char(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\'')
            buf_append_char(out, '\'');
        buf_append_char(out, text.data[i]);
    }
    buf_append_char(out, '\'');
}
