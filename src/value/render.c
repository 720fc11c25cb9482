/* Values for people: one short line. */
#include "value/walk.h"

#include "base/utf8.h"
#include "text/render.h"

enum { SHOWN_DEFAULT = 80 };

static void append_escaped(struct buf *out, sv text) {
    sv shown = render_escape(out->arena, text);
    for (size_t i = 0; i < shown.len; i++) {
        if (shown.data[i] == '"') {
            buf_append_char(out, '\\');
        }
        buf_append_char(out, shown.data[i]);
    }
}

/* Line ends are so common that they are shown the way people write them. */
static void append_quoted(struct buf *out, sv text) {
    buf_append_char(out, '"');
    sv rest = text;
    for (size_t end = sv_find_char(rest, '\n'); end != SIZE_MAX; end = sv_find_char(rest, '\n')) {
        append_escaped(out, sv_slice(rest, 0, end));
        buf_append(out, SV("\\n"));
        rest = sv_slice(rest, end + 1, rest.len);
    }
    append_escaped(out, rest);
    buf_append_char(out, '"');
}

/* At most `width` bytes' worth of characters are looked at, so that long text costs no more than short. */
static sv cut_text(sv text, size_t width) {
    size_t limit = width * 4 + 8;
    if (text.len <= limit) {
        return text;
    }
    size_t end = limit;
    while (end > 0 && ((unsigned char)text.data[end] & 0xC0U) == 0x80U) {
        end--;
    }
    return sv_make(text.data, end);
}

static void render_leaf(struct buf *out, value v, size_t width, enum secrecy secrecy) {
    if (secrecy == REDACT && (v.marks & MARK_SENSITIVE) != 0) {
        buf_append(out, SV("(sensitive)"));
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
        append_quoted(out, cut_text(*v.text, width));
        return;
    case VALUE_BYTES:
        buf_printf(out, "(%zu bytes)", v.text->len);
        return;
    case VALUE_UNKNOWN:
        buf_append(out, SV("(known on deploy)"));
        return;
    case VALUE_FUNCTION:
    case VALUE_ABSENT:
    case VALUE_ERROR:
    case VALUE_PENDING:
        buf_printf(out, "(%s)", value_get_kind_name((enum value_kind)v.kind));
        return;
    case VALUE_LIST:
    case VALUE_MAP:
        return;
    }
}

static void open_container(struct buf *out, struct walk *w, value v) {
    buf_append_char(out, v.kind == VALUE_LIST ? '[' : '{');
    walk_push(w, v);
}

static void render_item(struct buf *out, struct walk *w, const struct walk_item *it, size_t width,
                        enum secrecy secrecy) {
    if (it->index > 0) {
        buf_append(out, SV(", "));
    }
    if (it->in_map) {
        append_quoted(out, cut_text(it->key, width));
        buf_append(out, SV(": "));
    }
    bool hidden = secrecy == REDACT && (it->item.marks & MARK_SENSITIVE) != 0;
    if (value_is_container(it->item) && !hidden) {
        open_container(out, w, it->item);
    } else {
        render_leaf(out, it->item, width, secrecy);
    }
}

static void render_container(struct buf *out, value v, size_t width, enum secrecy secrecy) {
    struct walk w;
    walk_init(&w);
    open_container(out, &w, v);
    while (w.depth > 0 && out->len <= width * 4) {
        struct walk_item it;
        if (walk_next(&w, &it)) {
            render_item(out, &w, &it, width, secrecy);
        } else {
            buf_append_char(out, walk_top(&w)->container.kind == VALUE_LIST ? ']' : '}');
            walk_pop(&w);
        }
    }
    walk_fini(&w);
}

void value_render(struct buf *out, value v, size_t width, enum secrecy secrecy) {
    if (width == 0) {
        width = SHOWN_DEFAULT;
    }
    struct buf line = BUF(out->arena);
    bool hidden = secrecy == REDACT && (v.marks & MARK_SENSITIVE) != 0;
    if (value_is_container(v) && !hidden) {
        render_container(&line, v, width, secrecy);
    } else {
        render_leaf(&line, v, width, secrecy);
    }
    sv text = buf_get_sv(&line);
    size_t end = utf8_find_offset(text, width);
    if (end == text.len) {
        buf_append(out, text);
        return;
    }
    buf_append(out, sv_slice(text, 0, utf8_find_offset(text, width - 1)));
    buf_append(out, SV("…"));
}
