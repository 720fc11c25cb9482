#include "base/jsonw.h"

#include "base/num.h"
#include "base/utf8.h"

#include <assert.h>

static void jsonw_break_line(struct jsonw *w) {
    if (w->indent > 0) {
        buf_append_char(w->out, '\n');
        buf_append_repeat(w->out, ' ', w->depth * (size_t)w->indent);
    }
}

/* What stands in front of a key, or of a value without one. */
static void jsonw_start_item(struct jsonw *w) {
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->has_item) {
        buf_append_char(w->out, ',');
    }
    if (w->depth > 0) {
        jsonw_break_line(w);
    }
    w->has_item = true;
}

static void jsonw_begin(struct jsonw *w, char open) {
    jsonw_start_item(w);
    buf_append_char(w->out, open);
    w->depth++;
    w->has_item = false;
}

static void jsonw_end(struct jsonw *w, char close) {
    assert(w->depth > 0 && !w->after_key);
    w->depth--;
    if (w->has_item) {
        jsonw_break_line(w);
    }
    buf_append_char(w->out, close);
    w->has_item = true;
}

void jsonw_begin_object(struct jsonw *w) {
    jsonw_begin(w, '{');
}

void jsonw_end_object(struct jsonw *w) {
    jsonw_end(w, '}');
}

void jsonw_begin_array(struct jsonw *w) {
    jsonw_begin(w, '[');
}

void jsonw_end_array(struct jsonw *w) {
    jsonw_end(w, ']');
}

void jsonw_key(struct jsonw *w, sv key) {
    assert(!w->after_key);
    jsonw_start_item(w);
    jsonw_quote(w->out, key);
    buf_append(w->out, w->indent > 0 ? SV(": ") : SV(":"));
    w->after_key = true;
}

void jsonw_text(struct jsonw *w, sv text) {
    jsonw_start_item(w);
    jsonw_quote(w->out, text);
}

void jsonw_i64(struct jsonw *w, int64_t n) {
    char text[NUM_TEXT_MAX];
    jsonw_raw(w, sv_make(text, num_print_i64(n, text)));
}

void jsonw_u64(struct jsonw *w, uint64_t n) {
    jsonw_start_item(w);
    buf_printf(w->out, "%llu", (unsigned long long)n);
}

void jsonw_double(struct jsonw *w, double x) {
    char text[NUM_TEXT_MAX];
    jsonw_raw(w, sv_make(text, num_print_double(x, text)));
}

void jsonw_bool(struct jsonw *w, bool b) {
    jsonw_raw(w, b ? SV("true") : SV("false"));
}

void jsonw_null(struct jsonw *w) {
    jsonw_raw(w, SV("null"));
}

void jsonw_raw(struct jsonw *w, sv json) {
    jsonw_start_item(w);
    buf_append(w->out, json);
}

void jsonw_put_text(struct jsonw *w, const char *key, sv text) {
    jsonw_key(w, sv_from_cstr(key));
    jsonw_text(w, text);
}

void jsonw_put_i64(struct jsonw *w, const char *key, int64_t n) {
    jsonw_key(w, sv_from_cstr(key));
    jsonw_i64(w, n);
}

void jsonw_put_bool(struct jsonw *w, const char *key, bool b) {
    jsonw_key(w, sv_from_cstr(key));
    jsonw_bool(w, b);
}

static bool is_plain(char c) {
    unsigned char byte = (unsigned char)c;
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

static void quote_ascii(struct buf *out, char c) {
    switch (c) {
    case '"':
        buf_append(out, SV("\\\""));
        break;
    case '\\':
        buf_append(out, SV("\\\\"));
        break;
    case '\n':
        buf_append(out, SV("\\n"));
        break;
    case '\r':
        buf_append(out, SV("\\r"));
        break;
    case '\t':
        buf_append(out, SV("\\t"));
        break;
    default:
        buf_printf(out, "\\u%04x", (unsigned)(unsigned char)c);
    }
}

/* One character beyond ASCII, or one byte that belongs to none; returns how many bytes it was. */
static size_t quote_wide(struct buf *out, sv rest) {
    sv head = sv_slice(rest, 0, 4);
    if (utf8_check(head) == 0) {
        buf_append(out, SV("\xEF\xBF\xBD"));
        return 1;
    }
    uint32_t codepoint;
    size_t length = utf8_decode(head, &codepoint);
    if (codepoint < 0xA0) { /* C1 control characters move a terminal's cursor */
        buf_printf(out, "\\u%04x", (unsigned)codepoint);
    } else {
        buf_append(out, sv_slice(head, 0, length));
    }
    return length;
}

void jsonw_quote(struct buf *out, sv text) {
    buf_append_char(out, '"');
    for (size_t at = 0; at < text.len;) {
        size_t plain = at;
        while (plain < text.len && is_plain(text.data[plain])) {
            plain++;
        }
        buf_append(out, sv_slice(text, at, plain));
        at = plain;
        if (at < text.len && (unsigned char)text.data[at] < 0x80) {
            quote_ascii(out, text.data[at++]);
        } else if (at < text.len) {
            at += quote_wide(out, sv_slice(text, at, text.len));
        }
    }
    buf_append_char(out, '"');
}
