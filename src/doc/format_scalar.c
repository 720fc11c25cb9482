#include "doc/decode.h"
#include "doc/formatter.h"

/* Without the blanks at its end, which folding drops; one that is escaped stays. */
static sv trim_line(sv line, bool has_escapes) {
    size_t len = line.len, slashes = 0;
    while (len > 0 && char_is_blank(line.data[len - 1]))
        len--;
    while (has_escapes && slashes < len && line.data[len - 1 - slashes] == '\\')
        slashes++;
    return sv_slice(line, 0, slashes % 2 == 1 && len < line.len ? len + 1 : len);
}

/* Lines that are folded: their indentation means nothing. */
static void write_folded_lines(struct formatter *f, const struct node *n, size_t more) {
    const char *p = f->p, *end = f->p + n->at.length;
    bool is_double = n->style == NODE_DOUBLE_QUOTED;
    for (;;) {
        const char *from = p;
        while (p < end && !char_is_break(*p))
            p++;
        sv line = sv_make(from, (size_t)(p - from));
        buf_append(f->out, p < end ? trim_line(line, is_double) : line);
        if (p >= end)
            break;
        p = char_skip_blanks(char_skip_break(p));
        buf_append_char(f->out, '\n');
        if (!char_is_break(*p))
            buf_append_repeat(f->out, ' ', more);
    }
    format_skip_to(f, end);
}

/* Header, body and indentation, found again. */
static struct block_scalar find_block(const struct formatter *f, const struct node *n, int64_t parent) {
    enum { UNKNOWN_INDENT = 255 };
    struct block_scalar block;
    const char *p = decode_block_header(f->p, &block);
    while (p < f->end && !char_is_break(*p))
        p++;
    block.body = p < f->end ? char_skip_break(p) : p;
    block.indent = n->indent;
    if (n->indent < UNKNOWN_INDENT)
        decode_find_lines(&block);
    else
        decode_find_block_end(&block, parent < 0 ? 0 : (size_t)parent + 1);
    return block;
}

static void write_header(struct formatter *f, const struct block_scalar *block) {
    buf_append_char(f->out, block->is_folded ? '>' : '|');
    if (block->indicator)
        buf_append_char(f->out, '0' + FORMAT_INDENT);
    if (block->chomping)
        buf_append_char(f->out, block->chomping);
    while (!char_is(*f->p, CHAR_GAP))
        f->p++;
    const char *comment = char_skip_blanks(f->p), *end = comment;
    while (!char_is(*end, CHAR_LINE_STOP))
        end++;
    while (end > comment && char_is_blank(end[-1]))
        end--;
    if (end > comment)
        format_take(f, (size_t)(end - f->p));
}

static void write_body(struct formatter *f, const struct block_scalar *block, size_t col) {
    for (const char *p = block->body; p < block->last;) {
        const char *line = p;
        while (*p == ' ' && (size_t)(p - line) < block->indent)
            p++;
        const char *from = p;
        while (p < block->last && !char_is_break(*p))
            p++;
        buf_append_char(f->out, '\n');
        buf_append_repeat(f->out, ' ', p > from ? col : 0);
        buf_append(f->out, sv_make(from, (size_t)(p - from)));
        if (p < block->last)
            p = char_skip_break(p);
    }
}

/* With '+' the breaks at the end are text, too. */
static void write_kept_breaks(struct formatter *f, sv text, bool has_text) {
    size_t breaks = 0;
    while (breaks < text.len && text.data[text.len - 1 - breaks] == '\n')
        breaks++;
    buf_append_repeat(f->out, '\n', breaks + (breaks > 0 && !has_text));
}

static void write_block_scalar(struct formatter *f, const struct node *n, size_t col, int64_t parent) {
    struct block_scalar block = find_block(f, n, parent);
    bool has_text = block.last > block.body;
    write_header(f, &block);
    write_body(f, &block, col);
    if (block.chomping == '+')
        write_kept_breaks(f, n->text, has_text);
    if (block.chomping == '+')
        format_skip_to(f, block.end);
    else if (has_text)
        format_skip_to(f, block.last);
}

void format_write_scalar(struct formatter *f, const struct node *n, const struct place *place, int64_t parent) {
    switch ((enum node_style)n->style) {
    case NODE_PLAIN:
    case NODE_SINGLE_QUOTED:
    case NODE_DOUBLE_QUOTED:
        write_folded_lines(f, n, place->more);
        break;
    case NODE_LITERAL:
    case NODE_FOLDED:
        write_block_scalar(f, n, place->more, parent);
        break;
    case NODE_EMPTY:
    case NODE_BLOCK:
    case NODE_FLOW:
        break;
    }
}
