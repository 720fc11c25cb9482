#include "text/line_view.h"

#include "base/utf8.h"
#include "text/mask.h"

enum { TAB_COLUMNS = 4, COLUMNS_MIN = 20, DOTS_COLUMNS = 3, BYTES_PER_COLUMN = 4 };

/* Something shown that cannot be cut in two. */
struct cell {
    sv text;
    size_t column, width;
    size_t from, to; /* bytes of the line */
};

struct layout {
    struct arena *arena;
    sv line;
    size_t part_from, part_to; /* bytes of the line that are laid out */
    size_t width;              /* columns so far */
    VEC(struct cell) cells;
};

static bool is_continuation(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

static size_t get_longest_secret(const struct mask *m) {
    size_t longest = 0;
    for (size_t i = 0; m != NULL && i < m->secrets.len; i++) {
        longest = m->secrets.items[i].len > longest ? m->secrets.items[i].len : longest;
    }
    return longest;
}

/* The part of the line that can matter: what fits on both sides of the first caret, and secrets that reach into it. */
static void layout_choose_part(struct layout *l, const struct line_view *v) {
    size_t reach = v->columns * BYTES_PER_COLUMN + get_longest_secret(v->mask);
    l->part_from = v->from > reach ? v->from - reach : 0;
    while (l->part_from > 0 && is_continuation(l->line.data[l->part_from]) && v->from - l->part_from < reach + 3) {
        l->part_from--;
    }
    l->part_to = l->line.len - v->from > reach ? v->from + reach : l->line.len;
    while (l->part_to < l->line.len && is_continuation(l->line.data[l->part_to]) && l->part_to - v->from < reach + 3) {
        l->part_to++;
    }
}

static void layout_add(struct layout *l, sv text, size_t from, size_t to) {
    struct cell *cell = VEC_ADD(l->arena, &l->cells);
    *cell = (struct cell){text, l->width, utf8_get_width(text), from, to};
    l->width += cell->width;
}

/* The character at `at`; returns the offset behind it. */
static size_t layout_add_char(struct layout *l, size_t at) {
    sv head = sv_slice(l->line, at, at + 4);
    if (head.data[0] == '\t') {
        layout_add(l, sv_slice(SV("    "), l->width % TAB_COLUMNS, TAB_COLUMNS), at, at + 1);
        return at + 1;
    }
    size_t length = 1;
    uint32_t codepoint;
    if (utf8_check(head) > 0) {
        length = utf8_decode(head, &codepoint);
    }
    layout_add(l, render_escape(l->arena, sv_slice(head, 0, length)), at, at + length);
    return at + length;
}

/* Marks [from, to) of the line, as far as it is laid out. */
static void hide(const struct layout *l, bool *hidden, size_t from, size_t to) {
    from = from < l->part_from ? l->part_from : from;
    to = to < l->part_to ? to : l->part_to;
    for (size_t i = from; i < to; i++) {
        hidden[i - l->part_from] = true;
    }
}

/* Which bytes of the part hold secrets. */
static const bool *find_hidden(const struct layout *l, const struct line_view *v) {
    bool *hidden = ARENA_ARRAY(l->arena, bool, l->part_to - l->part_from + 1);
    struct mask_scan scan;
    mask_scan_init(&scan, v->mask, l->arena, sv_slice(l->line, l->part_from, l->part_to));
    size_t from, to;
    while (mask_scan_next(&scan, &from, &to)) {
        hide(l, hidden, l->part_from + from, l->part_from + to);
    }
    for (size_t i = 0; v->source != NULL && i < v->source->secrets.len; i++) {
        span at = v->source->secrets.items[i];
        size_t end = (size_t)at.offset + at.length;
        if (end > v->start) {
            hide(l, hidden, at.offset > v->start ? at.offset - v->start : 0, end - v->start);
        }
    }
    return hidden;
}

static void layout_fill(struct layout *l, const struct line_view *v) {
    const bool *hidden = find_hidden(l, v);
    for (size_t at = l->part_from; at < l->part_to;) {
        size_t end = at;
        while (end < l->part_to && hidden[end - l->part_from]) {
            end++;
        }
        if (end > at) {
            layout_add(l, SV(MASK_TEXT), at, end);
            at = end;
        } else {
            at = layout_add_char(l, at);
        }
    }
}

static void layout_find_carets(const struct layout *l, struct line_view *v) {
    v->caret_from = l->width;
    v->caret_to = 0;
    for (size_t i = l->cells.len; i > 0; i--) {
        const struct cell *cell = &l->cells.items[i - 1];
        if (cell->to > v->from) {
            v->caret_from = cell->column;
        }
        if (cell->from < v->to && v->caret_to == 0) {
            v->caret_to = cell->column + cell->width;
        }
    }
    if (v->caret_to <= v->caret_from) {
        v->caret_to = v->caret_from + 1;
    }
}

/* Columns [left, right) are shown; cut ends give their last columns to dots. */
struct cut {
    size_t left, right;
    bool is_cut_left, is_cut_right;
};

static struct cut choose_cut(const struct layout *l, const struct line_view *v) {
    struct cut c = {.right = v->columns};
    if (v->caret_to + DOTS_COLUMNS > v->columns && v->caret_from > v->columns / 3 &&
        (l->width > v->columns || v->caret_to > v->columns)) {
        c.left = v->caret_from - v->columns / 3;
        c.right += c.left;
    }
    c.is_cut_left = c.left > 0 || l->part_from > 0;
    c.is_cut_right = l->width > c.right || l->part_to < l->line.len;
    return c;
}

static void layout_print(const struct layout *l, const struct cut *c, struct buf *out) {
    size_t first = c->left + (c->is_cut_left ? DOTS_COLUMNS : 0);
    size_t last = c->right - (c->is_cut_right ? DOTS_COLUMNS : 0);
    size_t column = first;
    buf_append(out, c->is_cut_left ? SV("...") : (sv){0});
    for (size_t i = 0; i < l->cells.len; i++) {
        const struct cell *cell = &l->cells.items[i];
        if (cell->column < first) {
            continue;
        }
        if (cell->column + cell->width > last) {
            break;
        }
        buf_append_repeat(out, ' ', cell->column - column); /* half of a wide cell may be cut off */
        buf_append(out, cell->text);
        column = cell->column + cell->width;
    }
    if (c->is_cut_right) {
        buf_append_repeat(out, ' ', last > column ? last - column : 0);
        buf_append(out, SV("..."));
    }
}

void line_view_make(struct line_view *v, struct arena *a) {
    v->columns = v->columns < COLUMNS_MIN ? COLUMNS_MIN : v->columns;
    v->from = v->from < v->line.len ? v->from : v->line.len;
    struct layout l = {.arena = a, .line = v->line};
    layout_choose_part(&l, v);
    layout_fill(&l, v);
    layout_find_carets(&l, v);
    struct cut c = choose_cut(&l, v);
    struct buf out = BUF(a);
    layout_print(&l, &c, &out);
    v->text = buf_get_sv(&out);
    size_t last = c.right - (c.is_cut_right ? DOTS_COLUMNS : 0);
    v->caret_to = v->caret_to < last ? v->caret_to : last;
    v->caret_from -= c.left;
    v->caret_to -= c.left;
    if (v->caret_to <= v->caret_from) {
        v->caret_to = v->caret_from + 1;
    }
}
