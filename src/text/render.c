#include "text/render.h"

#include "base/utf8.h"
#include "text/line_view.h"

enum { DEFAULT_WIDTH = 120 };

enum style {
    STYLE_PLAIN = 0,
    STYLE_ERROR,
    STYLE_WARNING,
    STYLE_INFO,
    STYLE_STRONG,
    STYLE_GUTTER,
};

/* What painting one diagnostic needs. */
struct painter {
    struct buf *out;
    const struct diags *diags;
    const struct render_options *options;
    struct arena *scratch;
    enum style level_style;
    size_t gutter; /* columns of the widest line number */
};

static const char *get_escape(enum style style) {
    switch (style) {
    case STYLE_PLAIN:
        return "";
    case STYLE_ERROR:
        return "\x1b[1;31m";
    case STYLE_WARNING:
        return "\x1b[1;33m";
    case STYLE_INFO:
        return "\x1b[1;36m";
    case STYLE_STRONG:
        return "\x1b[1m";
    case STYLE_GUTTER:
        return "\x1b[1;34m";
    }
    return "";
}

static void paint(struct painter *p, enum style style, sv text) {
    bool is_colored = p->options->color && style != STYLE_PLAIN;
    if (is_colored) {
        buf_append_cstr(p->out, get_escape(style));
    }
    buf_append(p->out, text);
    if (is_colored) {
        buf_append_cstr(p->out, "\x1b[0m");
    }
}

/* The text as it may be shown: without secrets (BP-281), without what moves a cursor (LC-062). */
static sv make_shown(struct painter *p, sv text) {
    return render_escape(p->scratch, mask_apply(p->options->mask, p->scratch, text));
}

static size_t count_digits(size_t n) {
    size_t digits = 1;
    for (; n >= 10; n /= 10) {
        digits++;
    }
    return digits;
}

/* The gutter with a line number in it, or without for 0. */
static void paint_gutter(struct painter *p, size_t line) {
    struct buf gutter = BUF(p->scratch);
    if (line > 0) {
        buf_printf(&gutter, "%zu", line);
    }
    buf_append_repeat(&gutter, ' ', p->gutter - gutter.len);
    buf_append(&gutter, SV(" |"));
    paint(p, STYLE_GUTTER, buf_get_sv(&gutter));
}

static void paint_place(struct painter *p, const char *arrow, struct source *source, uint32_t offset) {
    struct text_pos pos = source_get_pos(source, offset);
    buf_append_repeat(p->out, ' ', p->gutter);
    paint(p, STYLE_GUTTER, sv_from_cstr(arrow));
    buf_append_char(p->out, ' ');
    buf_append(p->out, make_shown(p, source->name));
    if (source->bytes.len > 0) {
        buf_printf(p->out, ":%zu:%zu", pos.line, pos.column);
    }
}

/* A line of a source with carets under [from, to), offsets in the source. */
static void paint_line(struct painter *p, struct source *source, size_t line, size_t from, size_t to) {
    size_t start = source_get_line_start(source, line);
    size_t width = p->options->width == 0 ? DEFAULT_WIDTH : p->options->width;
    struct line_view view = {
        .line = source_get_line(source, line),
        .from = from - start,
        .to = to - start,
        .columns = width > p->gutter + 3 ? width - p->gutter - 3 : 0,
        .mask = p->options->mask,
        .source = source,
        .start = start,
    };
    line_view_make(&view, p->scratch);
    paint_gutter(p, line);
    if (view.text.len > 0) {
        buf_append_char(p->out, ' ');
        buf_append(p->out, view.text);
    }
    buf_append_char(p->out, '\n');
    paint_gutter(p, 0);
    buf_append_repeat(p->out, ' ', view.caret_from + 1);
    struct buf carets = BUF(p->scratch);
    buf_append_repeat(&carets, '^', view.caret_to - view.caret_from);
    paint(p, p->level_style, buf_get_sv(&carets));
    buf_append_char(p->out, '\n');
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The end of a span that goes over several lines: blanks and line ends at its end do not count. */
static size_t get_visible_end(const struct source *s, span at) {
    size_t end = (size_t)at.offset + at.length;
    end = end < s->bytes.len ? end : s->bytes.len;
    sv text = sv_slice(s->bytes, at.offset, end);
    if (sv_find_char(text, '\n') == SIZE_MAX && sv_find_char(text, '\r') == SIZE_MAX) {
        return end;
    }
    while (end > at.offset && is_blank(s->bytes.data[end - 1])) {
        end--;
    }
    return end;
}

/* Nothing when the headline has the place. */
static void paint_source_head(struct painter *p, struct source *source, span at) {
    if (p->options->program.len > 0)
        return;
    paint_place(p, "-->", source, at.offset);
    buf_append_char(p->out, '\n');
    if (source->bytes.len > 0) {
        paint_gutter(p, 0);
        buf_append_char(p->out, '\n');
    }
}

/* First and last line of the span, with carets. */
static void paint_source(struct painter *p, struct source *source, span at) {
    size_t end = get_visible_end(source, at);
    size_t first = source_get_pos(source, at.offset).line;
    size_t last = source_get_pos(source, (uint32_t)end).line;
    p->gutter = count_digits(last);
    paint_source_head(p, source, at);
    if (source->bytes.len == 0) {
        return; /* a file without text, or a value that is not shown: its name says all */
    }
    if (first == last) {
        paint_line(p, source, first, at.offset, end);
        return;
    }
    paint_line(p, source, first, at.offset, source_get_line_start(source, first) + source_get_line(source, first).len);
    if (last > first + 1) {
        paint(p, STYLE_GUTTER, SV("..."));
        buf_append_char(p->out, '\n');
    }
    size_t start = source_get_line_start(source, last);
    while (start < end && is_blank(source->bytes.data[start])) {
        start++;
    }
    paint_line(p, source, last, start, end);
}

static void paint_note(struct painter *p, const char *word, sv text) {
    buf_append_repeat(p->out, ' ', p->gutter);
    paint(p, STYLE_GUTTER, SV(" ="));
    buf_append_char(p->out, ' ');
    paint(p, STYLE_STRONG, sv_from_cstr(word));
    buf_append(p->out, SV(": "));
    buf_append(p->out, make_shown(p, text));
    buf_append_char(p->out, '\n');
}

static void paint_related(struct painter *p, const struct diag_related *related) {
    struct source *source = sources_find(p->diags->sources, related->at.source);
    if (source == NULL) {
        paint_note(p, "note", related->text);
        return;
    }
    paint_place(p, ":::", source, related->at.offset);
    if (related->text.len > 0) {
        buf_append(p->out, SV(": "));
        buf_append(p->out, make_shown(p, related->text));
    }
    buf_append_char(p->out, '\n');
}

static enum style get_level_style(enum diag_level level) {
    return level == DIAG_ERROR ? STYLE_ERROR : level == DIAG_WARNING ? STYLE_WARNING : STYLE_INFO;
}

sv render_get_level_name(enum diag_level level) {
    return level == DIAG_ERROR ? SV("error") : level == DIAG_WARNING ? SV("warning") : SV("info");
}

/* "app.yaml:3:7: error: … [code]" (MD-360). */
static void paint_placed_headline(struct painter *p, const struct diag *diag) {
    struct source *source = sources_find(p->diags->sources, diag->at.source);
    sv code = make_shown(p, diag_get_code_name(diag));
    if (source != NULL) {
        struct text_pos pos = source_get_pos(source, diag->at.offset);
        buf_append(p->out, make_shown(p, source->name));
        buf_printf(p->out, ":%zu:%zu: ", pos.line, pos.column);
    } else {
        buf_append(p->out, p->options->program);
        buf_append(p->out, SV(": "));
    }
    paint(p, p->level_style, render_get_level_name(diag->level));
    buf_append(p->out, SV(": "));
    paint(p, STYLE_STRONG, make_shown(p, diag->message));
    if (code.len > 0)
        buf_printf(p->out, " [%.*s]", SV_ARG(code));
    buf_append_char(p->out, '\n');
}

static void paint_headline(struct painter *p, const struct diag *diag) {
    sv code = make_shown(p, diag_get_code_name(diag));
    struct buf head = BUF(p->scratch);
    buf_append(&head, render_get_level_name(diag->level));
    if (code.len > 0) {
        buf_append_char(&head, '[');
        buf_append(&head, code);
        buf_append_char(&head, ']');
    }
    paint(p, p->level_style, buf_get_sv(&head));
    buf_append(p->out, SV(": "));
    paint(p, STYLE_STRONG, make_shown(p, diag->message));
    buf_append_char(p->out, '\n');
}

void render_diag(struct buf *out, const struct diags *d, const struct diag *diag,
                 const struct render_options *options) {
    struct arena scratch = {.secret = options->mask != NULL};
    struct painter p = {
        .out = out,
        .diags = d,
        .options = options,
        .scratch = &scratch,
        .level_style = get_level_style(diag->level),
        .gutter = 1,
    };
    if (options->program.len > 0)
        paint_placed_headline(&p, diag);
    else
        paint_headline(&p, diag);
    struct source *source = sources_find(d->sources, diag->at.source);
    if (source != NULL) {
        paint_source(&p, source, diag->at);
    }
    if (options->program.len > 0 && diag->path.len > 0) {
        buf_append(out, SV("  in "));
        buf_append(out, make_shown(&p, diag->path));
        buf_append_char(out, '\n');
    }
    if (diag->hint.len > 0) {
        paint_note(&p, "hint", diag->hint);
    }
    for (size_t i = 0; i < diag->related.len; i++) {
        paint_related(&p, &diag->related.items[i]);
    }
    arena_fini(&scratch);
}

static void append_count(struct buf *out, size_t count, const char *word) {
    buf_printf(out, "%zu %s%s", count, word, count == 1 ? "" : "s");
}

static void append_summary(struct buf *out, const struct diags *d) {
    size_t kept = 0;
    for (size_t i = 0; i < d->items.len; i++) {
        kept += d->items.items[i]->level != DIAG_INFO;
    }
    if (d->errors > 0) {
        append_count(out, d->errors, "error");
    }
    if (d->warnings > 0) {
        buf_append(out, d->errors > 0 ? SV(", ") : (sv){0});
        append_count(out, d->warnings, "warning");
    }
    if (d->errors + d->warnings > kept) {
        buf_printf(out, " (%zu not shown)", d->errors + d->warnings - kept);
    }
    buf_append_char(out, '\n');
}

void render_diags(struct buf *out, struct diags *d, const struct render_options *options) {
    diags_sort(d);
    for (size_t i = 0; i < d->items.len; i++) {
        render_diag(out, d, d->items.items[i], options);
        buf_append_char(out, '\n');
    }
    if (d->errors + d->warnings > 0) {
        append_summary(out, d);
    }
}
