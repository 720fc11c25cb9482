#include "doc/formatter.h"

static const struct node_comment *find_comment(struct formatter *f) {
    const struct node_comment *all = f->stream->comments.items;
    while (f->next_comment < f->stream->comments.len && f->base + all[f->next_comment].at.offset < f->p)
        f->next_comment++;
    bool is_here = f->next_comment < f->stream->comments.len && f->base + all[f->next_comment].at.offset == f->p;
    return is_here ? &all[f->next_comment] : NULL;
}

static size_t count_blanks_before(const struct formatter *f, const char *p) {
    const char *from = p;
    while (from > f->base && char_is_blank(from[-1]))
        from--;
    return (size_t)(p - from);
}

static void take_comment(struct formatter *f, const struct node_comment *c) {
    struct gap_comment *g = VEC_ADD(&f->scratch, &f->comments);
    *g = (struct gap_comment){
        .text = sv_make(f->p, c->at.length),
        .own_line = c->own_line,
        .breaks = f->breaks,
        .blanks = count_blanks_before(f, f->p),
        .column = f->p - f->line,
    };
    while (g->text.len > 0 && char_is_blank(g->text.data[g->text.len - 1]))
        g->text.len--;
    format_skip_to(f, f->p + c->at.length);
    const char *next = char_skip_blanks(f->p);
    g->ends_line = next >= f->end || char_is_break(*next);
    f->breaks = 0;
}

void format_read_gap(struct formatter *f, bool has_commas) {
    static const char mark[] = "\xef\xbb\xbf";
    for (;;) {
        const struct node_comment *comment = find_comment(f);
        if (comment) {
            take_comment(f, comment);
        } else if (f->p < f->end && char_is_break(*f->p)) {
            f->p = f->line = char_skip_break(f->p);
            f->breaks++;
            f->has_break = true;
        } else if (f->p < f->end && (char_is_blank(*f->p) || (has_commas && *f->p == ','))) {
            f->p++;
        } else if (f->p == f->line && sv_has_prefix(sv_make(f->p, (size_t)(f->end - f->p)), SV(mark))) {
            f->p = f->line = f->p + sizeof mark - 1;
        } else {
            return;
        }
    }
}

static bool is_fresh(const struct formatter *f) {
    return f->out->len == f->start || f->out->data[f->out->len - 1] == '\n';
}

void format_end_line(struct formatter *f) {
    if (!is_fresh(f))
        buf_append_char(f->out, '\n');
}

/* A new line, with the blank ones that stood before it. */
static void begin_line(struct formatter *f, size_t breaks, size_t col) {
    format_end_line(f);
    size_t blank = breaks > 0 ? breaks - 1 : 0;
    if (f->out->len > f->start)
        buf_append_repeat(f->out, '\n', blank < FORMAT_BLANK_LINES ? blank : FORMAT_BLANK_LINES);
    buf_append_repeat(f->out, ' ', col);
}

/* A comment belongs to the innermost collection whose entries stand no further right than it does. Of those that end in
 * the gap: the others are the same for all. */
static size_t choose_column(const struct formatter *f, size_t col, int64_t column) {
    int64_t found = f->depth > 0 ? f->levels.items[f->depth - 1].column : -1;
    for (size_t i = f->depth; i < f->high; i++) {
        const struct level *l = &f->levels.items[i];
        if (l->column > found && l->column <= column) {
            found = l->column;
            col = l->col;
        }
    }
    return col;
}

static sv next_line(sv *rest) {
    size_t at = 0;
    while (at < rest->len && !char_is_break(rest->data[at]))
        at++;
    sv line = sv_slice(*rest, 0, at);
    const char *next = at < rest->len ? char_skip_break(rest->data + at) : rest->data + at;
    *rest = sv_slice(*rest, (size_t)(next - rest->data), rest->len);
    return line;
}

/* The further lines of a block comment move with its first one, unless they stand left of it. */
static void write_text(struct formatter *f, const struct gap_comment *g, size_t col) {
    sv rest = g->text;
    buf_append(f->out, next_line(&rest));
    while (rest.len > 0) {
        sv line = next_line(&rest);
        size_t blanks = 0;
        while (blanks < line.len && blanks < (size_t)g->column && line.data[blanks] == ' ')
            blanks++;
        buf_append_char(f->out, '\n');
        if (blanks == (size_t)g->column && blanks < line.len) {
            buf_append_repeat(f->out, ' ', col);
            line = sv_slice(line, blanks, line.len);
        }
        buf_append(f->out, line);
    }
}

static size_t get_column(const struct formatter *f) {
    size_t at = f->out->len;
    while (at > f->start && f->out->data[at - 1] != '\n')
        at--;
    return f->out->len - at;
}

void format_write_comments(struct formatter *f, size_t col) {
    for (size_t i = 0; i < f->comments.len; i++) {
        const struct gap_comment *g = &f->comments.items[i];
        bool stays = !g->own_line && !f->must_break && !is_fresh(f);
        if (stays)
            buf_append_repeat(f->out, ' ', g->blanks > 0 ? g->blanks : 1);
        else
            begin_line(f, g->breaks, choose_column(f, col, g->column));
        write_text(f, g, get_column(f));
        f->must_break = g->ends_line;
    }
    f->comments.len = 0;
}

void format_write_inline_comments(struct formatter *f) {
    size_t count = 0;
    while (count < f->comments.len) {
        const struct gap_comment *g = &f->comments.items[count];
        if (g->own_line || g->ends_line || g->breaks > 0)
            break;
        buf_append_repeat(f->out, ' ', g->blanks > 0 ? g->blanks : 1);
        write_text(f, g, get_column(f));
        count++;
    }
    for (size_t i = count; i < f->comments.len; i++)
        f->comments.items[i - count] = f->comments.items[i];
    f->comments.len -= count;
}

void format_start_token(struct formatter *f, enum join join, size_t col) {
    bool keeps = join == JOIN_KEEP && f->has_break;
    if (f->must_break || join == JOIN_LINE || keeps || is_fresh(f))
        begin_line(f, f->breaks, col);
    else if (join != JOIN_TIGHT)
        buf_append_char(f->out, ' ');
    f->must_break = f->has_break = false;
    f->breaks = 0;
    f->high = f->depth;
}

void format_take(struct formatter *f, size_t count) {
    buf_append(f->out, sv_make(f->p, count));
    f->p += count;
}

void format_skip_to(struct formatter *f, const char *p) {
    for (const char *q = p; q > f->p; q--) {
        if (char_is_break(q[-1])) {
            f->line = q;
            break;
        }
    }
    f->p = p;
}
