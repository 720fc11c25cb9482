#include "doc/formatter.h"

bool format_is_nothing(const struct node *n) {
    return n->kind == NODE_SCALAR && n->style == NODE_EMPTY && !n->props;
}

bool format_ends_in_name(const struct node *key) {
    return key->kind == NODE_ALIAS || (key->kind == NODE_SCALAR && key->style == NODE_EMPTY && key->props);
}

static bool is_collection(const struct node *n) {
    return n->kind == NODE_SEQUENCE || n->kind == NODE_MAPPING;
}

static bool is_block(const struct node *n) {
    return is_collection(n) && n->style == NODE_BLOCK;
}

struct level *format_push(struct formatter *f, const struct node *n) {
    if (f->depth == f->levels.len)
        (void)VEC_ADD(&f->scratch, &f->levels);
    struct level *l = &f->levels.items[f->depth++];
    *l = (struct level){.node = n, .column = -1};
    return l;
}

static void write_property(struct formatter *f, span at, const struct place *place, enum join join) {
    format_read_gap(f, false);
    format_write_comments(f, place->more);
    if (f->p != f->base + at.offset) {
        f->is_lost = true;
        return;
    }
    format_start_token(f, join, place->col);
    format_take(f, at.length);
}

/* Tag and anchor in their order. Returns how what follows joins. */
static enum join write_properties(struct formatter *f, const struct node *n, const struct place *place) {
    if (n->kind == NODE_ALIAS || !n->props)
        return place->join;
    const struct node_props *props = n->props;
    bool has_tag = props->tag_at.length > 0, has_anchor = props->anchor.len > 0;
    bool is_tag_first = has_tag && (!has_anchor || props->tag_at.offset < props->anchor_at.offset);
    enum join join = place->join;
    for (int i = 0; i < 2; i++) {
        bool is_tag = is_tag_first == (i == 0);
        if (is_tag ? !has_tag : !has_anchor)
            continue;
        write_property(f, is_tag ? props->tag_at : props->anchor_at, place, join);
        join = JOIN_SPACE;
    }
    return join;
}

/* The column of the block collection around, for block scalars. */
static int64_t get_parent_column(const struct formatter *f) {
    return f->depth > 0 ? f->levels.items[f->depth - 1].column : -1;
}

void format_write_node(struct formatter *f, const struct node *n, const struct place *place) {
    enum join join = write_properties(f, n, place);
    if (f->is_lost || (n->kind == NODE_SCALAR && n->style == NODE_EMPTY))
        return;
    format_read_gap(f, false);
    format_write_comments(f, place->more);
    if (f->p != f->base + n->at.offset || n->kind == NODE_ERROR) {
        f->is_lost = true;
        return;
    }
    format_start_token(f, join, place->col);
    if (n->kind == NODE_ALIAS)
        format_take(f, n->at.length);
    else if (n->kind == NODE_SCALAR)
        format_write_scalar(f, n, place, get_parent_column(f));
    else
        format_open_flow(f, n, place);
}

/* Opens a block collection, whose entries come next; `join` is how its properties join. */
static void open_block(struct formatter *f, const struct node *n, const struct place *place, enum join join) {
    bool has_props = n->props != NULL;
    write_properties(f, n, &(struct place){join, place->col, place->more});
    format_read_gap(f, false);
    struct level *l = format_push(f, n);
    l->column = f->p - f->line;
    l->col = place->col;
    l->join = has_props ? JOIN_LINE : place->join;
    f->is_lost = f->is_lost || f->p != f->base + n->at.offset;
}

/* The node behind "-", "?", ":" or "key:" whose entries stand in `col`. */
static void write_slot(struct formatter *f, const struct node *n, size_t col, bool is_key_before) {
    struct place place = {JOIN_KEEP, col + FORMAT_INDENT, col + FORMAT_INDENT};
    if (is_block(n)) {
        place.join = is_key_before ? JOIN_LINE : JOIN_SPACE;
        open_block(f, n, &place, JOIN_SPACE);
    } else if (!format_is_nothing(n)) {
        format_write_node(f, n, &place);
    }
}

/* "-", "?" or ":" of an entry on its line. */
static void write_indicator(struct formatter *f, struct level *l, char indicator) {
    format_write_comments(f, l->col);
    if (!format_is_at(f, indicator)) {
        f->is_lost = true;
        return;
    }
    format_start_token(f, l->join, l->col);
    format_take(f, 1);
    l->join = JOIN_LINE;
}

static void write_item(struct formatter *f, struct level *l) {
    const struct node *item = l->node->items[l->next++];
    format_read_gap(f, false);
    write_indicator(f, l, '-');
    write_slot(f, item, l->col, false);
}

static bool is_indicator_at(const struct formatter *f, char indicator) {
    return format_is_at(f, indicator) && char_is(f->p[1], CHAR_GAP);
}

static void write_key(struct formatter *f, struct level *l) {
    const struct node *key = l->node->pairs[l->next++ / 2].key;
    format_read_gap(f, false);
    l->is_explicit = is_indicator_at(f, '?');
    l->is_bare = !l->is_explicit && format_is_nothing(key);
    if (l->is_explicit) {
        write_indicator(f, l, '?');
        write_slot(f, key, l->col, false);
    } else if (!l->is_bare) {
        struct place place = {l->join, l->col, l->col};
        l->join = JOIN_LINE;
        format_write_node(f, key, &place);
    }
}

/* The colon and the value of an entry that began with '?': both may be missing. */
static void write_explicit_value(struct formatter *f, struct level *l, const struct node *n) {
    format_read_gap(f, false);
    if (is_indicator_at(f, ':') && f->p - f->line == l->column) {
        write_indicator(f, l, ':');
        write_slot(f, n, l->col, false);
    } else if (!format_is_nothing(n)) {
        f->is_lost = true;
    }
}

static void write_value(struct formatter *f, struct level *l) {
    const struct node_pair *pair = &l->node->pairs[l->next++ / 2];
    if (l->is_explicit) {
        write_explicit_value(f, l, pair->value);
        return;
    }
    if (l->is_bare) {
        write_indicator(f, l, ':');
    } else {
        f->p = char_skip_blanks(f->p);
        f->is_lost = f->is_lost || !format_is_at(f, ':');
        if (format_ends_in_name(pair->key))
            buf_append_char(f->out, ' ');
        if (!f->is_lost)
            format_take(f, 1);
    }
    write_slot(f, pair->value, l->col, true);
}

static void write_next(struct formatter *f) {
    struct level *l = format_get_top(f);
    bool is_sequence = l->node->kind == NODE_SEQUENCE;
    if (l->is_flow)
        format_flow_next(f);
    else if (l->next == (is_sequence ? l->node->count : 2 * (size_t)l->node->count))
        f->depth--;
    else if (is_sequence)
        write_item(f, l);
    else if (l->next % 2 == 0)
        write_key(f, l);
    else
        write_value(f, l);
}

/* "---" and "..." would end the document at the start of a line. */
static bool is_like_marker(const struct formatter *f, const struct node *n) {
    return n->kind == NODE_SCALAR && n->style == NODE_PLAIN && !n->props && char_is_marker(f->base + n->at.offset);
}

static bool must_be_indented(const struct formatter *f, const struct node *root) {
    bool must = is_like_marker(f, root);
    for (uint32_t i = 0; i < root->count && is_block(root) && root->kind == NODE_MAPPING && !must; i++)
        must = is_like_marker(f, root->pairs[i].key) && root->pairs[i].key->at.length > 3; /* "---: " is none */
    return must;
}

void format_write_root(struct formatter *f, const struct node *root, bool is_behind_marker) {
    size_t col = must_be_indented(f, root) ? FORMAT_INDENT : 0;
    struct place place = {is_behind_marker ? JOIN_KEEP : JOIN_LINE, col, FORMAT_INDENT};
    format_read_gap(f, false);
    format_write_comments(f, 0);
    if (is_block(root)) {
        open_block(f, root, &(struct place){JOIN_LINE, col, col}, place.join);
    } else if (!format_is_nothing(root)) {
        format_write_node(f, root, &place);
    }
    while (f->depth > 0 && !f->is_lost) {
        write_next(f);
        f->is_long = f->out->len - f->start > f->most;
        f->is_lost = f->is_lost || f->is_long;
    }
}
