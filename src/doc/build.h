/* What both readers share: making nodes, collecting children, properties, anchors, reports.
 *
 * Children of open collections stand on one growing stack and are copied into the arena once, when their collection
 * closes. The stack, the text buffer and the key index are scratch memory of one read and go with build_fini. Nodes are
 * cut from blocks taken from the arena. */
#ifndef LINTEL_DOC_BUILD_H
#define LINTEL_DOC_BUILD_H

#include "doc/reader.h"

struct build {
    struct arena *arena;
    struct arena scratch; /* for the time of reading */
    struct source *source;
    const struct doc_options *options;
    const struct limits *limits;
    struct diags *diags;
    struct doc_stream *stream;
    const char *base; /* the source's first byte */
    struct node *next_node, *end_node;
    size_t block_nodes;     /* nodes of the next block */
    struct node **children; /* scratch: items, or keys and values in turn */
    size_t child_count, child_cap;
    char *text; /* scratch: a scalar while it is decoded */
    size_t text_cap;
    uint32_t *key_index; /* scratch: hash index of one big mapping's keys */
    size_t key_index_cap;
    struct map anchors;
    bool is_stopped; /* a limit is exceeded: nothing more is read */
};

void build_init(struct build *b, struct arena *a, struct source *source, const struct doc_options *options);
void build_fini(struct build *b);

void build_add_block(struct build *b);
void build_grow_children(struct build *b);
/* Room for `size` bytes of decoded text. */
char *build_get_text(struct build *b, size_t size);

static inline span build_span(const struct build *b, const char *from, const char *to) {
    return (span){b->source->id, (uint32_t)(from - b->base), (uint32_t)(to - from)};
}

/* A span that was reached by looking one byte ahead, which may be the end of the text. */
static inline span build_span_within(const struct build *b, const char *from, const char *to) {
    const char *end = b->base + b->source->bytes.len;
    return build_span(b, from, to > end ? end : to);
}

static inline struct node *build_node(struct build *b, enum node_kind kind, enum node_style style, span at) {
    if (b->next_node == b->end_node)
        build_add_block(b);
    struct node *n = b->next_node++;
    n->kind = (uint8_t)kind;
    n->style = (uint8_t)style;
    n->at = at;
    return n;
}

static inline void build_push(struct build *b, struct node *child) {
    if (b->child_count == b->child_cap)
        build_grow_children(b);
    b->children[b->child_count++] = child;
}

/* Gives a collection the children from number `first` on; for a mapping marks and reports duplicate keys. */
void build_take_children(struct build *b, struct node *collection, size_t first);
void build_check_keys(struct build *b, struct node *mapping);

/* Where a report goes: notes that the stream has errors. */
struct diags *build_fail(struct build *b);
/* Reports limit_exceeded and stops reading. */
void build_stop(struct build *b, span at, const char *what, size_t limit);
/* The text for a message: its first 40 bytes at most, whole characters. */
sv build_show(const char *from, const char *to);
void build_add_comment(struct build *b, const char *from, const char *to, sv text_at);

#endif
