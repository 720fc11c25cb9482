/* The document tree: what YAML and JSON readers build and writers print.
 *
 * Invariants: nodes are immutable after reading and live in the unit's arena together with the bytes they view; pairs
 * keep document order, duplicates included (the first of equals has no mark, later ones carry NODE_DUPLICATE); an ERROR
 * node stands for what could not be read and has been reported. Plain scalars keep their text: what a scalar *means* is
 * asked of a resolver, because dialects differ (BP-013, DY-, CF-011). */
#ifndef LINTEL_DOC_NODE_H
#define LINTEL_DOC_NODE_H

#include "text/source.h"

enum node_kind {
    NODE_SCALAR = 1,
    NODE_SEQUENCE,
    NODE_MAPPING,
    NODE_ALIAS,
    NODE_ERROR,
};

enum node_style {
    NODE_PLAIN = 1,
    NODE_SINGLE_QUOTED,
    NODE_DOUBLE_QUOTED,
    NODE_LITERAL,
    NODE_FOLDED,
    NODE_BLOCK,
    NODE_FLOW,
    NODE_EMPTY, /* a plain scalar of no characters, e.g. after "key:" */
};

enum node_flags {
    NODE_DUPLICATE = 1 << 0, /* this key stood in the mapping before */
    NODE_EXPLICIT_KEY = 1 << 1,
    NODE_ESCAPED = 1 << 2, /* decoded text differs from the source bytes: places map through node_map_offset */
};

struct node_pair;
struct node_props;

struct node {
    uint8_t kind;  /* enum node_kind */
    uint8_t style; /* enum node_style */
    uint8_t flags; /* enum node_flags */
    uint8_t
        indent; /* of a literal or folded scalar read from a file: columns its lines stand in, 255 for that and more */
    uint32_t count; /* items or pairs; 0 for a scalar */
    span at;        /* the node without its properties; for collections from first to last byte */
    union {
        sv text; /* scalar: decoded; views the source bytes where nothing had to be decoded. alias: the anchor's name */
        struct node **items;
        struct node_pair *pairs;
    };
    struct node_props *props; /* tag and anchor; NULL without */
};

struct node_pair {
    struct node *key, *value; /* never NULL */
};

struct node_props {
    sv tag;    /* as written, resolved through %TAG: "!", "!Sub", "tag:yaml.org,2002:str"; empty without */
    sv anchor; /* empty without */
    span tag_at, anchor_at;
    struct node *target; /* of an alias: the anchored node; NULL when the anchor is unknown or still open */
};

/* A comment, for fmt and for tools that keep them. */
struct node_comment {
    span at;
    sv text;       /* without '#', '//' or the ends of a block comment */
    bool own_line; /* nothing but blanks before it on its line */
};

struct document {
    struct node *root; /* never NULL: an EMPTY scalar for an empty document */
    span at;
    bool explicit_start, explicit_end;
    span directive_tag_at; /* first %TAG directive, SPAN_NONE without */
};

struct doc_stream {
    struct source *source;
    VEC(struct document) documents;
    VEC(struct node_comment) comments;
    size_t node_count;
    bool has_errors;
};

/* Value of a key (text of a scalar key) in a mapping, or NULL. The first of duplicates. Linear for small mappings; for
 * look-ups by many names use a map. */
struct node *node_find(const struct node *mapping, sv key);
struct node_pair *node_find_pair(const struct node *mapping, sv key);
bool node_is_scalar(const struct node *n);
/* "a mapping", "a string", "an array": for messages. Uses the YAML 1.2 core schema for plain scalars. */
const char *node_get_kind_name(const struct node *n);
/* Structural equality of content: kind, text, order of pairs. Style matters only where it makes a string of what the
 * core schema reads as something else: "5" is not 5, but "five" equals five. Aliases are equal by name; tags and
 * anchors are not compared. */
bool node_eq(const struct node *a, const struct node *b);
/* How many nodes expanding every alias below `root` would make. Counting stops beyond `limit` (limits.alias_nodes), so
 * that a bomb costs no more than that; false then. */
bool node_count_expanded(const struct node *root, size_t limit, size_t *count);

/* The place in the file of the byte `offset` of a scalar's decoded text, exactly, whatever escapes, folding and
 * indentation lie between (BP-301). offset == length gives the place just behind the last character. Re-reads the
 * scalar: linear in its source length, used only to report. */
span node_map_span(const struct sources *sources, const struct node *scalar, size_t offset, size_t length);
/* The file offset of each byte of the decoded text and of its end: text.len + 1 numbers, made in one linear pass, for
 * parsers of what a scalar holds. For scalars without NODE_ESCAPED the text is one run of the file and NULL is
 * returned: offset = node_get_text_start + index. */
uint32_t *node_map_offsets(struct arena *a, const struct sources *sources, const struct node *scalar);
uint32_t node_get_text_start(const struct sources *sources, const struct node *scalar);

#endif
