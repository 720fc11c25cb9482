/* Writers: tree out again. Output reads back equal (same kinds, text and order). Building a tree for output:
 * node_new_*. Style (indentation, quoting, sequences' indent, line width, which resolver decides that a string needs
 * quotes) is a parameter: dialects differ. */
#ifndef LINTEL_DOC_WRITER_H
#define LINTEL_DOC_WRITER_H

#include "base/buf.h"
#include "doc/scalar.h"

struct yaml_style {
    unsigned indent;          /* spaces per level, 2 */
    bool indent_sequences;    /* "- " of a sequence in a mapping indented below its key */
    bool single_quotes;       /* quote with ' where possible */
    bool literal_blocks;      /* multi-line strings as | blocks */
    bool document_start;      /* "---" line */
    scalar_resolver resolver; /* a string that this reads as something else is quoted; NULL: core */
    /* Writes a scalar in the dialect's own way instead of the above; further lines of it stand in `indent` columns.
     * Keys take one line. NULL: the house's way. */
    void (*write_scalar)(struct buf *out, const struct node *scalar, bool is_key, size_t indent);
    size_t longest_key; /* bytes of a key in front of ":"; longer ones, and with `write_scalar` those of several lines,
                           stand behind "?"; 0: 512 */
};

extern const struct yaml_style yaml_style_default;

/* Tags, anchors and aliases are kept; broken nodes are left empty. A line end stands behind the last line. */
void doc_write_yaml(struct buf *out, const struct node *root, const struct yaml_style *style);
/* indent 0: one line. Plain scalars are written as `resolver` reads them (NULL: core). Aliases are expanded: for
 * untrusted trees the caller has asked node_count_expanded. Numbers that JSON cannot hold are written as text, broken
 * nodes as null. */
void doc_write_json(struct buf *out, const struct node *root, unsigned indent, scalar_resolver resolver);

/* Trees made by program: spans are SPAN_NONE, text is borrowed. */
struct node *node_new_scalar(struct arena *a, sv text, enum node_style style);
struct node *node_new_sequence(struct arena *a, struct node **items, size_t count);
struct node *node_new_mapping(struct arena *a, struct node_pair *pairs, size_t count);

#endif
