/* Values as JSON text. One line is the hot case (state, plans, events): it is written without the general writer. */
#include "value/walk.h"

#include "base/base64.h"
#include "base/num.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

#define REDACTED SV("(sensitive)")
#define OWN_KEY  SV("$lintel")

void value_print_scalar(struct buf *out, value v) {
    char text[NUM_TEXT_MAX];
    if (v.kind == VALUE_BOOL) {
        buf_append(out, v.boolean ? SV("true") : SV("false"));
    } else if (v.kind == VALUE_INT) {
        size_t len = num_print_i64(v.integer, text);
        buf_append(out, sv_make(text, len));
    } else if (v.kind == VALUE_FLOAT && isfinite(v.number)) {
        size_t len = num_print_double(v.number, text);
        buf_append(out, sv_make(text, len));
    } else if (v.kind == VALUE_STRING || v.kind == VALUE_BYTES) {
        buf_append(out, *v.text);
    } else if (v.kind == VALUE_NULL || v.kind == VALUE_FLOAT) {
        buf_append(out, SV("null"));
    }
}

static bool is_plain_char(unsigned char c) {
    return c >= 0x20 && c != '"' && c != '\\' && c < 0x7f;
}

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* Whether one of the eight bytes of `word` is zero. */
static bool has_zero_byte(uint64_t word) {
    return ((word - EACH_BYTE(1)) & ~word & EACH_BYTE(0x80)) != 0;
}

/* Eight bytes at once: none is a control character, a quote, a backslash or beyond ASCII. */
static bool is_plain_word(uint64_t word) {
    bool low = ((word - EACH_BYTE(0x20)) & ~word & EACH_BYTE(0x80)) != 0;
    bool high = ((word | (word + EACH_BYTE(1))) & EACH_BYTE(0x80)) != 0;
    return !low && !high && !has_zero_byte(word ^ EACH_BYTE('"')) && !has_zero_byte(word ^ EACH_BYTE('\\'));
}

static bool is_plain_text(sv text) {
    size_t i = 0;
    for (; text.len - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text.data + i, sizeof word);
        if (!is_plain_word(word)) {
            return false;
        }
    }
    while (i < text.len && is_plain_char((unsigned char)text.data[i])) {
        i++;
    }
    return i == text.len;
}

static void append_quoted(struct buf *out, sv text) {
    if (!is_plain_text(text)) {
        jsonw_quote(out, text);
        return;
    }
    char *to = buf_reserve(out, text.len + 2);
    *to++ = '"';
    if (text.len > 0) {
        memcpy(to, text.data, text.len);
    }
    to[text.len] = '"';
    out->len += text.len + 2;
}

static void append_bytes(struct buf *out, sv bytes) {
    if (utf8_check(bytes) == bytes.len) {
        append_quoted(out, bytes);
        return;
    }
    buf_append(out, SV("{\"$lintel\":\"bytes\",\"base64\":\""));
    base64_append(out, bytes);
    buf_append(out, SV("\"}"));
}

/* Everything that is no list and no map, as compact JSON. */
static void append_leaf(struct buf *out, value v, enum secrecy secrecy) {
    if (secrecy == REDACT && (v.marks & MARK_SENSITIVE) != 0) {
        append_quoted(out, REDACTED);
        return;
    }
    switch ((enum value_kind)v.kind) {
    case VALUE_NULL:
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
        value_print_scalar(out, v);
        return;
    case VALUE_STRING:
        append_quoted(out, *v.text);
        return;
    case VALUE_BYTES:
        append_bytes(out, *v.text);
        return;
    case VALUE_FUNCTION:
    case VALUE_ABSENT:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        buf_append(out, SV("{\"$lintel\":\""));
        buf_append_cstr(out, value_get_kind_name((enum value_kind)v.kind));
        buf_append(out, SV("\"}"));
        return;
    case VALUE_LIST:
    case VALUE_MAP:
        break;
    }
    buf_append(out, SV("null"));
}

/* A map of documents that looks like one of ours is wrapped, so that reading back cannot mistake it. */
static bool needs_wrapping(value v) {
    return v.kind == VALUE_MAP && value_map_has(v, OWN_KEY);
}

static bool is_entered(value v, enum secrecy secrecy) {
    return value_is_container(v) && !(secrecy == REDACT && (v.marks & MARK_SENSITIVE) != 0);
}

static void open_compact(struct buf *out, value v) {
    if (needs_wrapping(v)) {
        buf_append(out, SV("{\"$lintel\":\"map\",\"entries\":"));
    }
    buf_append_char(out, v.kind == VALUE_LIST ? '[' : '{');
}

static void close_compact(struct buf *out, value v) {
    buf_append_char(out, v.kind == VALUE_LIST ? ']' : '}');
    if (needs_wrapping(v)) {
        buf_append_char(out, '}');
    }
}

static void write_compact(struct buf *out, struct walk *w, enum secrecy secrecy) {
    while (w->depth > 0) {
        struct walk_item it;
        if (!walk_next(w, &it)) {
            close_compact(out, walk_top(w)->container);
            walk_pop(w);
            continue;
        }
        if (it.index > 0) {
            buf_append_char(out, ',');
        }
        if (it.in_map) {
            append_quoted(out, it.key);
            buf_append_char(out, ':');
        }
        if (is_entered(it.item, secrecy)) {
            open_compact(out, it.item);
            walk_push(w, it.item);
        } else {
            append_leaf(out, it.item, secrecy);
        }
    }
}

static void open_indented(struct jsonw *j, value v) {
    if (needs_wrapping(v)) {
        jsonw_begin_object(j);
        jsonw_put_text(j, "$lintel", SV("map"));
        jsonw_key(j, SV("entries"));
    }
    if (v.kind == VALUE_LIST) {
        jsonw_begin_array(j);
    } else {
        jsonw_begin_object(j);
    }
}

static void close_indented(struct jsonw *j, value v) {
    if (v.kind == VALUE_LIST) {
        jsonw_end_array(j);
    } else {
        jsonw_end_object(j);
    }
    if (needs_wrapping(v)) {
        jsonw_end_object(j);
    }
}

static void write_leaf_indented(struct jsonw *j, value v, enum secrecy secrecy) {
    jsonw_raw(j, (sv){0}); /* comma and indentation */
    append_leaf(j->out, v, secrecy);
}

static void write_indented(struct jsonw *j, struct walk *w, enum secrecy secrecy) {
    while (w->depth > 0) {
        struct walk_item it;
        if (!walk_next(w, &it)) {
            close_indented(j, walk_top(w)->container);
            walk_pop(w);
            continue;
        }
        if (it.in_map) {
            jsonw_key(j, it.key);
        }
        if (is_entered(it.item, secrecy)) {
            open_indented(j, it.item);
            walk_push(w, it.item);
        } else {
            write_leaf_indented(j, it.item, secrecy);
        }
    }
}

void value_write_json(struct jsonw *j, value v, enum secrecy secrecy) {
    if (!is_entered(v, secrecy)) {
        write_leaf_indented(j, v, secrecy);
        return;
    }
    struct walk w;
    walk_init(&w);
    walk_push(&w, v);
    if (j->indent == 0) {
        jsonw_raw(j, (sv){0});
        open_compact(j->out, v);
        write_compact(j->out, &w, secrecy);
    } else {
        open_indented(j, v);
        write_indented(j, &w, secrecy);
    }
    walk_fini(&w);
}

sv value_print_json(struct arena *a, value v, int indent, enum secrecy secrecy) {
    struct buf out = BUF(a);
    struct jsonw w = JSONW(&out, indent);
    value_write_json(&w, v, secrecy);
    return buf_get_sv(&out);
}
