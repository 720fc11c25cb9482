#include "doc/yaml.h"

/* Behind the quoted text at `p` on its line, or NULL. */
static const char *skip_quoted(const char *p) {
    char quote = *p++;
    while (*p != quote) {
        if (*p == 0 || char_is_break(*p))
            return NULL;
        p += *p == '\\' && quote == '"' && p[1] && !char_is_break(p[1]) ? 2 : 1;
    }
    return p + 1;
}

bool yaml_looks_like_key(const char *p) {
    const char *stop;
    if (*p == '"' || *p == '\'') {
        p = skip_quoted(p);
        return p && yaml_is_indicator(char_skip_blanks(p), ':');
    }
    if (yaml_is_indicator(p, '?') || yaml_is_indicator(p, ':'))
        return true;
    if (yaml_is_indicator(p, '-') || char_is(*p, CHAR_FLOW) || *p == '%' || *p == '@' || *p == '`' || *p == '|' ||
        *p == '>')
        return false;
    const char *end = yaml_scan_plain(p, CHAR_PLAIN_STOP, &stop);
    return end > p && *stop == ':';
}

/* A line in this column may be an entry, or a try at one whose mistake is its own. */
static bool fits(const struct frame *f, const char *p) {
    bool is_dash = yaml_is_indicator(p, '-');
    return (f->kind == FRAME_SEQUENCE || (f->kind == FRAME_MAPPING && !is_dash)) && *p != ',' && *p != ']' && *p != '}';
}

/* May reading go on with the line whose text starts at `p`? */
static bool is_entry(struct yaml *y, const char *p, int32_t indent) {
    struct frame *f = y->top;
    if (f->kind == FRAME_DOCUMENT) { /* the root itself was broken: the next entry starts a new one */
        bool is_broken = f->wants != WANTS_NOTHING || y->b.children[f->first]->kind == NODE_ERROR;
        bool starts = is_broken && (yaml_is_indicator(p, '-') || yaml_looks_like_key(p));
        if (starts) {
            y->b.child_count = f->first;
            f->wants = WANTS_VALUE;
        }
        return starts;
    }
    for (; f->kind != FRAME_DOCUMENT && f->indent >= indent; f--)
        if (f->indent == indent && fits(f, p))
            return true;
    return false;
}

void yaml_resync(struct yaml *y) {
    const char *p = y->is_line_kept ? y->line : y->p;
    while (*p && !char_is_break(*p) && !y->is_line_kept)
        p++;
    y->is_line_kept = false;
    y->is_resyncing = true;
    y->next = NEXT_LINE;
    for (;;) {
        if (char_is_break(*p))
            p = char_skip_break(p);
        const char *line = p;
        while (*p == ' ')
            p++;
        const char *text = char_skip_blanks(p);
        bool is_blank = char_is(*text, CHAR_GAP) || *text == '#';
        bool stops = *text == 0 || (text == line && char_is_marker(line)) ||
                     (!is_blank && text == p && is_entry(y, p, (int32_t)(p - line)));
        if (stops) {
            y->p = y->line = *text == 0 ? text : line;
            return;
        }
        p = text;
        if (*p == '#')
            p = yaml_skip_comment(y, p);
        while (*p && !char_is_break(*p))
            p++;
    }
}

static void report_indent(struct yaml *y, const char *p, bool is_deeper) {
    const char *end = p;
    while (!char_is(*end, CHAR_GAP) && !yaml_is_indicator(end, ':'))
        end++;
    if (is_deeper)
        yaml_report(y, p, end, "entry is indented deeper than its neighbours", "indent it like the entry above");
    else
        yaml_report(y, p, end, "indentation fits no open collection", "indent it like the entries above");
}

/* The line is taken as meant for this collection, which takes on its indentation. */
static void adopt(struct yaml *y, struct frame *f, int32_t indent) {
    while (y->top > f) {
        if (y->top->wants != WANTS_ENTRY)
            yaml_put_empty(y);
        if (y->top->wants == WANTS_COLON)
            yaml_put_empty(y);
        yaml_put(y, yaml_pop_frame(y, NULL));
    }
    f->former_indent = f->indent;
    f->indent = indent;
    y->p = y->line;
    y->next = NEXT_LINE;
}

void yaml_recover_indent(struct yaml *y, const char *p, int32_t indent) {
    struct frame *f = y->top;
    if (indent == f->former_indent && fits(f, p)) { /* back from a misplaced line to where the others stand */
        adopt(y, f, indent);
        return;
    }
    if (!y->is_resyncing)
        report_indent(y, p, indent > f->indent);
    y->p = p;
    while (f[-1].indent > indent)
        f--;
    if (indent < f->indent && fits(f, p))
        adopt(y, f, indent);
    else
        yaml_resync(y);
}
