/* From a byte of a decoded scalar back to its place in the file: the scalar is decoded once more, this time noting
 * where each byte came from. */
#include "doc/decode.h"

#include <string.h>

/* The header and body of the block scalar at `p`, found again with what the node remembers. */
static struct block_scalar find_block(const struct node *n, const char *p) {
    enum { UNKNOWN_INDENT = 255 };
    struct block_scalar block;
    p = decode_block_header(p, &block);
    while (*p && !char_is_break(*p))
        p++;
    block.body = *p ? char_skip_break(p) : p;
    if (n->indent == UNKNOWN_INDENT) {
        decode_find_block_end(&block, 1);
    } else {
        block.indent = n->indent;
        decode_find_lines(&block);
    }
    return block;
}

/* Behind the last byte; the end of the file may stand for a line break. */
static uint32_t get_end(const struct decode *d) {
    uint32_t last = d->offsets[d->len - 1];
    return last + (d->base[last] != 0);
}

/* Decodes `n` into `d`; returns the offset just behind the text. */
static uint32_t decode_again(const struct node *n, struct decode *d) {
    const char *from = d->base + n->at.offset, *to = from + n->at.length;
    struct block_scalar block;
    switch ((enum node_style)n->style) {
    case NODE_PLAIN:
        decode_plain(d, from, to);
        break;
    case NODE_SINGLE_QUOTED:
        decode_single_quoted(d, from + 1, --to);
        break;
    case NODE_DOUBLE_QUOTED:
        decode_double_quoted(d, from + 1, --to);
        break;
    case NODE_LITERAL:
    case NODE_FOLDED:
        block = find_block(n, from);
        decode_block_scalar(d, &block);
        return d->len ? get_end(d) : (uint32_t)(block.body - d->base);
    case NODE_BLOCK:
    case NODE_FLOW:
    case NODE_EMPTY:
        break;
    }
    return (uint32_t)(to - d->base);
}

/* Bytes of the file that decoding may look at. */
static size_t get_source_length(const struct source *source, const struct node *n) {
    bool is_block = n->style == NODE_LITERAL || n->style == NODE_FOLDED;
    return is_block ? source->bytes.len - n->at.offset : n->at.length;
}

uint32_t *node_map_offsets(struct arena *a, const struct sources *sources, const struct node *scalar) {
    const struct source *source = sources_find(sources, scalar->at.source);
    if (scalar->kind != NODE_SCALAR || !(scalar->flags & NODE_ESCAPED) || !source)
        return NULL;
    struct arena scratch = {0};
    size_t room = DECODE_ROOM(get_source_length(source, scalar));
    struct decode d = {.base = source->bytes.data,
                       .out = arena_alloc(&scratch, room),
                       .offsets = ARENA_ARRAY(&scratch, uint32_t, room)};
    uint32_t end = decode_again(scalar, &d);
    size_t count = scalar->text.len;
    uint32_t *offsets = ARENA_ARRAY(a, uint32_t, count + 1);
    for (size_t i = 0; i <= count; i++)
        offsets[i] = i < d.len && i < count ? d.offsets[i] : end;
    arena_fini(&scratch);
    return offsets;
}

uint32_t node_get_text_start(const struct sources *sources, const struct node *scalar) {
    uint32_t start = scalar->at.offset;
    if (scalar->style == NODE_SINGLE_QUOTED || scalar->style == NODE_DOUBLE_QUOTED)
        return start + (scalar->at.length > 0);
    if (scalar->style == NODE_LITERAL || scalar->style == NODE_FOLDED) {
        struct arena scratch = {0};
        const uint32_t *offsets = node_map_offsets(&scratch, sources, scalar);
        start = offsets ? offsets[0] : start;
        arena_fini(&scratch);
    }
    return start;
}

/* How many bytes of the file the decoded byte from `p` takes: escapes take several. */
static uint32_t get_extent(const struct node *scalar, const char *p) {
    uint32_t codepoint;
    if (scalar->style == NODE_SINGLE_QUOTED && *p == '\'')
        return 2;
    if (scalar->style == NODE_DOUBLE_QUOTED && *p == '\\') {
        size_t len = decode_escape(p, false, &codepoint);
        return len ? (uint32_t)len : 1;
    }
    return *p != 0;
}

span node_map_span(const struct sources *sources, const struct node *scalar, size_t offset, size_t length) {
    const struct source *source = sources_find(sources, scalar->at.source);
    if (scalar->kind != NODE_SCALAR || !source)
        return scalar->at;
    if (offset > scalar->text.len)
        offset = scalar->text.len;
    if (length > scalar->text.len - offset)
        length = scalar->text.len - offset;
    if (!(scalar->flags & NODE_ESCAPED))
        return span_make(source, node_get_text_start(sources, scalar) + offset, length);
    struct arena scratch = {0};
    const uint32_t *offsets = node_map_offsets(&scratch, sources, scalar);
    uint32_t from = offsets[offset], to = from;
    if (length > 0) {
        uint32_t last = offsets[offset + length - 1];
        to = last + get_extent(scalar, source->bytes.data + last);
    }
    arena_fini(&scratch);
    return span_make(source, from, to - from);
}
