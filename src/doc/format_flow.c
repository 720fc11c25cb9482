/* Brackets: on one line if they stood on one, else an entry a line. */
#include "doc/formatter.h"

/* Is there a line break in the node's text? Nodes are asked for in the order of their starts, so that each byte is
 * looked at once. */
static bool has_break(struct formatter *f, const struct node *n) {
    const char *from = f->base + n->at.offset, *to = from + n->at.length;
    if (!f->was_break_found || from < f->break_from || from > f->break_at) {
        const char *p = from;
        while (p < f->end && !char_is_break(*p))
            p++;
        f->was_break_found = true;
        f->break_at = p;
    }
    f->break_from = from;
    return f->break_at < to;
}

/* Columns of a bracket on one line, counted no further than the limit. */
static size_t measure(const struct formatter *f, const struct node *n) {
    enum { MOST_BYTES = 8 * FORMAT_LINE };
    const char *p = f->base + n->at.offset, *end = p + n->at.length;
    size_t columns = 0;
    bool is_inside = false;
    if (n->at.length > MOST_BYTES)
        return FORMAT_LINE + 1;
    for (; p < end && columns <= FORMAT_LINE; p++) {
        bool is_rest = ((unsigned char)*p & 0xc0) == 0x80;
        if (*p == '"')
            is_inside = !is_inside;
        if (is_inside && *p == '\\' && p + 1 < end) {
            columns++;
            p++;
        }
        if (is_inside || !char_is_blank(*p))
            columns += is_rest ? 0 : !is_inside && (*p == ',' || *p == ':') ? 2 : 1;
    }
    return columns;
}

static size_t get_column(const struct formatter *f) {
    size_t at = f->out->len;
    while (at > f->start && f->out->data[at - 1] != '\n' && f->out->len - at <= FORMAT_LINE)
        at--;
    return f->out->len - at;
}

static bool is_too_wide(const struct formatter *f, const struct node *n) {
    return f->format != DOC_YAML && n->count > 0 && get_column(f) + measure(f, n) > FORMAT_LINE;
}

void format_open_flow(struct formatter *f, const struct node *n, const struct place *place) {
    struct level *l = format_push(f, n);
    l->is_flow = true;
    l->is_broken = has_break(f, n) || is_too_wide(f, n);
    l->close = place->col;
    l->col = place->col + FORMAT_INDENT;
    format_take(f, 1);
}

/* The mapping of one pair in [a: b] has no brackets of its own: it starts with its key, which may be a bracket. */
static bool is_pair(const struct formatter *f, const struct node *n) {
    if (n->kind != NODE_MAPPING || n->style != NODE_FLOW || n->count != 1)
        return false;
    return f->base[n->at.offset] != '{' || n->pairs[0].key->at.offset == n->at.offset;
}

static void close_flow(struct formatter *f, struct level *l) {
    char bracket = l->node->kind == NODE_SEQUENCE ? ']' : '}';
    if (!l->is_pair) {
        format_read_gap(f, true);
        format_write_comments(f, l->col);
        f->breaks = 0; /* no blank line before a closing bracket */
        f->is_lost = f->is_lost || !format_is_at(f, bracket);
        format_start_token(f, l->is_broken && l->node->count > 0 ? JOIN_LINE : JOIN_TIGHT, l->close);
        if (!f->is_lost)
            format_take(f, 1);
    }
    f->depth--;
}

/* The comma behind the last entry, and the gap before the next. */
static void start_entry(struct formatter *f, struct level *l) {
    if (l->is_pair)
        return;
    if (l->next > 0) {
        format_read_gap(f, false);
        format_write_inline_comments(f);
        buf_append_char(f->out, ',');
    }
    format_read_gap(f, true);
    format_write_comments(f, l->col);
    if (l->next == 0)
        f->breaks = 0; /* no blank line behind an opening bracket */
    l->join = l->is_broken ? JOIN_LINE : l->next == 0 ? JOIN_TIGHT : JOIN_SPACE;
}

static void write_item(struct formatter *f, struct level *l) {
    const struct node *item = l->node->items[l->next];
    start_entry(f, l);
    l->next++;
    struct place place = {l->join, l->col, l->col + FORMAT_INDENT};
    if (is_pair(f, item)) {
        size_t col = l->col;
        enum join join = l->join;
        struct level *pair = format_push(f, item);
        pair->is_flow = pair->is_pair = true;
        pair->col = col;
        pair->join = join;
    } else {
        format_write_node(f, item, &place);
    }
}

static void write_key(struct formatter *f, struct level *l) {
    const struct node *key = l->node->pairs[l->next / 2].key;
    start_entry(f, l);
    l->next++;
    struct place place = {l->join, l->col, l->col + FORMAT_INDENT};
    l->is_explicit = f->format == DOC_YAML && format_is_at(f, '?') && char_is(f->p[1], CHAR_GAP | CHAR_FLOW);
    l->is_bare = !l->is_explicit && format_is_nothing(key);
    if (l->is_explicit) {
        format_start_token(f, l->join, l->col);
        format_take(f, 1);
        place = (struct place){JOIN_SPACE, l->col + FORMAT_INDENT, l->col + FORMAT_INDENT};
    }
    if (!format_is_nothing(key))
        format_write_node(f, key, &place);
}

static void write_value(struct formatter *f, struct level *l) {
    const struct node_pair *pair = &l->node->pairs[l->next++ / 2];
    size_t more = l->col + FORMAT_INDENT;
    bool is_tight = format_is_at(f, ':'); /* {? :: } has the key ':', which a blank would cut off */
    format_read_gap(f, false);
    if (!format_is_at(f, ':')) {
        f->is_lost = f->is_lost || !format_is_nothing(pair->value);
        return;
    }
    format_write_comments(f, more);
    bool is_spaced = (l->is_explicit && !is_tight) || format_ends_in_name(pair->key);
    format_start_token(f, l->is_bare ? l->join : is_spaced ? JOIN_SPACE : JOIN_TIGHT, l->is_bare ? l->col : more);
    format_take(f, 1);
    struct place place = {JOIN_SPACE, more, more + FORMAT_INDENT};
    if (pair->value->count > 0)
        place = (struct place){JOIN_SPACE, l->col, more}; /* a bracket closes below its key */
    if (!format_is_nothing(pair->value))
        format_write_node(f, pair->value, &place);
}

void format_flow_next(struct formatter *f) {
    struct level *l = format_get_top(f);
    bool is_sequence = l->node->kind == NODE_SEQUENCE;
    if (l->next == (is_sequence ? l->node->count : 2 * (size_t)l->node->count))
        close_flow(f, l);
    else if (is_sequence)
        write_item(f, l);
    else if (l->next % 2 == 0)
        write_key(f, l);
    else
        write_value(f, l);
}
