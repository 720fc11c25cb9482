#include "doc/write_text.h"

#include <string.h>

const struct yaml_style yaml_style_default = {
    .indent = 2,
    .indent_sequences = true,
    .literal_blocks = true,
    .resolver = scalar_resolve_core,
};

/* What a node stands behind. */
enum place {
    PLACE_ROOT = 1,
    PLACE_ITEM,  /* "-", "?" or an explicit ":": a collection may start on the same line */
    PLACE_VALUE, /* "key:" */
    PLACE_KEY,   /* nothing: a key of one line */
};

struct open_node {
    const struct node *node;
    uint32_t next;
    size_t column;
    bool is_value_next; /* the key of entry `next` stands there as "? key" */
    bool is_inline;     /* the first entry stands on the line that is begun already */
};

struct yaml_out {
    struct buf *out;
    const struct yaml_style *style;
    scalar_resolver resolver;
    struct arena arena;
    VEC(struct open_node) open;
    bool is_key; /* behind "?" */
};

static void start_line(struct yaml_out *y, size_t column) {
    buf_append_char(y->out, '\n');
    buf_append_repeat(y->out, ' ', column);
}

/* Characters that a tag holds as they are; others are written as %41. */
static bool is_tag_char(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c && strchr("-_.:/;?@&=+$'()*~#", c));
}

static void write_tag_part(struct yaml_out *y, sv part) {
    for (size_t i = 0; i < part.len; i++) {
        if (is_tag_char(part.data[i]))
            buf_append_char(y->out, part.data[i]);
        else
            buf_printf(y->out, "%%%02X", (unsigned char)part.data[i]);
    }
}

static void write_tag(struct yaml_out *y, sv tag) {
    static const sv core = SV_INIT("tag:yaml.org,2002:");
    if (sv_has_prefix(tag, core) && tag.len > core.len) {
        buf_append_cstr(y->out, "!!");
        write_tag_part(y, sv_slice(tag, core.len, tag.len));
    } else if (tag.data[0] == '!') {
        buf_append_char(y->out, '!');
        write_tag_part(y, sv_slice(tag, 1, tag.len));
    } else {
        buf_append_cstr(y->out, "!<");
        write_tag_part(y, tag);
        buf_append_char(y->out, '>');
    }
}

static bool has_props(const struct node *n) {
    return n->kind != NODE_ALIAS && n->props && (n->props->tag.len > 0 || n->props->anchor.len > 0);
}

/* Each property with a blank before it, but for the first thing of a line. */
static void write_props(struct yaml_out *y, const struct node *n, bool starts_line) {
    if (n->props->anchor.len > 0) {
        buf_append_cstr(y->out, starts_line ? "&" : " &");
        buf_append(y->out, n->props->anchor);
        starts_line = false;
    }
    if (n->props->tag.len > 0) {
        buf_append_cstr(y->out, starts_line ? "" : " ");
        write_tag(y, n->props->tag);
    }
}

static bool is_plain_style(const struct node *n) {
    return n->style == NODE_PLAIN || n->style == NODE_EMPTY;
}

static bool is_plain_text(const struct yaml_out *y, const struct node *n) {
    if (!text_can_be_plain(n->text))
        return false;
    return is_plain_style(n) || (y->resolver(n->text).kind == SCALAR_STRING && !sv_eq(n->text, SV("<<")));
}

/* Text of several lines, every line break shown as such. */
static bool is_literal_text(const struct yaml_out *y, const struct node *n) {
    enum { LARGEST_INDICATOR = 9 };
    if (!y->style->literal_blocks || y->style->indent > LARGEST_INDICATOR || is_plain_style(n))
        return false;
    size_t first = 0;
    while (first < n->text.len && n->text.data[first] == '\n')
        first++;
    return first < n->text.len && sv_find_char(n->text, '\n') != SIZE_MAX && text_is_printable(n->text);
}

static void write_literal(struct yaml_out *y, sv text, size_t column) {
    bool ends_line = text.data[text.len - 1] == '\n';
    bool has_more = ends_line && text.len > 1 && text.data[text.len - 2] == '\n';
    buf_append_char(y->out, '|');
    size_t first = 0;
    while (first < text.len && text.data[first] == '\n')
        first++;
    if (first > 0 || text.data[0] == ' ')
        buf_printf(y->out, "%u", y->style->indent);
    buf_append_cstr(y->out, !ends_line ? "-" : has_more ? "+" : "");
    if (ends_line)
        text.len--;
    bool is_last = false;
    while (!is_last) {
        is_last = sv_find_char(text, '\n') == SIZE_MAX;
        sv line = sv_cut(&text, '\n');
        start_line(y, line.len > 0 ? column + y->style->indent : 0);
        buf_append(y->out, line);
    }
}

/* Plain text of several lines: one break more for each that it holds. */
static void write_plain_lines(struct yaml_out *y, sv text, size_t column) {
    size_t breaks = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\n') {
            breaks++;
            continue;
        }
        if (breaks > 0) {
            buf_append_repeat(y->out, '\n', breaks);
            start_line(y, column + y->style->indent);
            breaks = 0;
        }
        buf_append_char(y->out, text.data[i]);
    }
}

static void write_scalar(struct yaml_out *y, const struct node *n, size_t column, bool is_key) {
    if (y->style->write_scalar)
        y->style->write_scalar(y->out, n, is_key || y->is_key, column + y->style->indent);
    else if (is_plain_text(y, n))
        buf_append(y->out, n->text);
    else if (!is_key && is_plain_style(n) && text_can_be_plain_lines(n->text))
        write_plain_lines(y, n->text, column);
    else if (!is_key && is_literal_text(y, n))
        write_literal(y, n->text, column);
    else if (y->style->single_quotes && sv_find_char(n->text, '\n') == SIZE_MAX && text_is_printable(n->text))
        text_write_single_quoted(y->out, n->text);
    else
        text_write_double_quoted(y->out, n->text);
}

/* Nothing is written for it. */
static bool is_empty_text(const struct node *n) {
    return n->kind == NODE_ERROR || (n->kind == NODE_SCALAR && is_plain_style(n) && n->text.len == 0);
}

/* Does the node fit in front of ':' on one line? */
static bool is_simple_key(const struct yaml_style *style, const struct node *n) {
    enum { LONGEST_KEY = 512 };
    if (n->kind == NODE_SCALAR) {
        bool shows_lines = is_plain_style(n) || style->write_scalar;
        size_t longest = style->longest_key == 0 ? LONGEST_KEY : style->longest_key;
        return n->text.len <= longest && !(shows_lines && sv_find_char(n->text, '\n') != SIZE_MAX);
    }
    return n->count == 0;
}

/* Writes a node, or what starts it and opens it: its entries follow. `column` is that of the entries around. */
static void write_node(struct yaml_out *y, const struct node *n, enum place place, size_t column) {
    bool starts_line = place == PLACE_ROOT || place == PLACE_KEY;
    if (has_props(n)) {
        write_props(y, n, starts_line);
        starts_line = false;
    }
    bool is_collection = n->kind == NODE_SEQUENCE || n->kind == NODE_MAPPING;
    if (is_collection && n->count > 0) {
        bool is_inline = !has_props(n) && place != PLACE_VALUE;
        bool is_flat = place == PLACE_VALUE && n->kind == NODE_SEQUENCE && !y->style->indent_sequences;
        enum { DASH_WIDTH = 2 };
        struct open_node *o = VEC_ADD(&y->arena, &y->open);
        size_t deeper = place == PLACE_ITEM ? DASH_WIDTH : place == PLACE_ROOT || is_flat ? 0 : y->style->indent;
        *o = (struct open_node){.node = n, .column = column + deeper, .is_inline = is_inline};
        if (is_inline && place == PLACE_ITEM)
            buf_append_char(y->out, ' ');
        return;
    }
    if (is_empty_text(n))
        return;
    if (!starts_line)
        buf_append_char(y->out, ' ');
    if (is_collection) {
        buf_append_cstr(y->out, n->kind == NODE_SEQUENCE ? "[]" : "{}");
    } else if (n->kind == NODE_ALIAS) {
        buf_append_char(y->out, '*');
        buf_append(y->out, n->text);
    } else {
        write_scalar(y, n, column, place == PLACE_KEY);
    }
}

/* "key:"; with a blank before the colon where a name would swallow it. */
static void write_key(struct yaml_out *y, const struct node *key, size_t column) {
    write_node(y, key, PLACE_KEY, column);
    bool ends_in_name = key->kind == NODE_ALIAS || (is_empty_text(key) && has_props(key));
    buf_append_cstr(y->out, ends_in_name ? " :" : ":");
}

static void write_next(struct yaml_out *y) {
    struct open_node *o = VEC_LAST(&y->open);
    const struct node *n = o->node;
    size_t column = o->column;
    if (o->next == n->count) {
        y->open.len--;
        return;
    }
    if (o->is_inline)
        o->is_inline = false;
    else
        start_line(y, column);
    if (n->kind == NODE_SEQUENCE) {
        buf_append_char(y->out, '-');
        write_node(y, n->items[o->next++], PLACE_ITEM, column);
        return;
    }
    const struct node_pair *pair = &n->pairs[o->next];
    if (o->is_value_next) {
        o->is_value_next = false;
        o->next++;
        buf_append_char(y->out, ':');
        write_node(y, pair->value, PLACE_ITEM, column);
    } else if (is_simple_key(y->style, pair->key)) {
        o->next++;
        write_key(y, pair->key, column);
        write_node(y, pair->value, PLACE_VALUE, column);
    } else {
        o->is_value_next = true;
        buf_append_char(y->out, '?');
        y->is_key = pair->key->kind == NODE_SCALAR;
        write_node(y, pair->key, PLACE_ITEM, column);
        y->is_key = false;
    }
}

void doc_write_yaml(struct buf *out, const struct node *root, const struct yaml_style *style) {
    struct yaml_out y = {.out = out, .style = style ? style : &yaml_style_default};
    y.resolver = y.style->resolver ? y.style->resolver : scalar_resolve_core;
    if (y.style->document_start)
        buf_append_cstr(out, "---\n");
    write_node(&y, root, PLACE_ROOT, 0);
    while (y.open.len > 0)
        write_next(&y);
    buf_append_char(out, '\n');
    arena_fini(&y.arena);
}
