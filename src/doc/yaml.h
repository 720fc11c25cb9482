/* The YAML reader's own state: a stack of open collections ("frames") and a place in the bytes. Nothing here recurses.
 *
 * Every frame has a slot, the place where the next node goes, and says what the slot wants. Block collections are
 * driven line by line (yaml_block.c), brackets token by token (yaml_flow.c). A frame's indent is the column of its
 * entries; -1 for the document, so that a node in a slot stands further right than the indent of its frame. */
#ifndef LINTEL_DOC_YAML_H
#define LINTEL_DOC_YAML_H

#include "doc/build.h"
#include "doc/chars.h"

enum frame_kind {
    FRAME_DOCUMENT = 1,
    FRAME_SEQUENCE,
    FRAME_MAPPING,
    FRAME_FLOW_SEQUENCE,
    FRAME_FLOW_MAPPING,
    FRAME_FLOW_PAIR, /* the mapping of one pair in [a: b] */
};

enum frame_wants {
    WANTS_ENTRY = 1, /* "- ", a key, or what stands between commas */
    WANTS_KEY,       /* the key behind "? " */
    WANTS_COLON,     /* a key is there; ':' may follow */
    WANTS_VALUE,
    WANTS_COMMA,
    WANTS_NOTHING, /* the document has its root */
};

struct frame {
    uint8_t kind;
    uint8_t wants;
    bool may_pair;    /* flow sequence: the last entry may turn out to be a key */
    bool is_json_key; /* flow: the last node was quoted or bracketed, so that ':' needs no gap */
    int32_t indent;
    int32_t former_indent;    /* before a misplaced entry was taken for one of this collection; else -1 */
    size_t first;             /* number of its first child */
    const char *start;        /* its first byte */
    const char *slot_at;      /* where an empty node would stand */
    const char *entry;        /* flow: start of the last entry */
    struct node_props *props; /* read already for the node of the slot */
    struct node_props *own;   /* of the collection itself */
};

/* Where a node of block context starts, and what it may turn out to be. */
struct spot {
    const char *start; /* its first property, or itself */
    int32_t column;
    struct node_props *props; /* written on its own line: those of the key, if it is one */
    bool is_key_allowed;      /* a mapping may start here */
    bool is_key_needed;       /* it stands where a mapping wants its next key */
    const char *tab;          /* the tab that indents it, NULL without: then no collection can start here */
};

enum yaml_next {
    NEXT_LINE = 1, /* `p` is at the start of a line */
    NEXT_INLINE,   /* behind an indicator: the slot's node may stand on the same line */
    NEXT_FLOW,
    NEXT_DONE,
};

/* What is known of the closing bracket of the outermost one; looked for only after a mistake. */
enum flow_end {
    FLOW_UNKNOWN = 1,
    FLOW_CLOSES,
    FLOW_LOST,
};

struct yaml {
    struct build b;
    const char *p;
    const char *line; /* start of the line that `p` is on */
    struct frame *frames;
    struct frame *top;
    size_t frame_cap;
    enum yaml_next next;
    bool is_compact;      /* NEXT_INLINE: a block collection may start on this line */
    bool is_resyncing;    /* after a mistake: lines that fit nowhere are passed over in silence */
    bool is_line_kept;    /* yaml_resync begins with the line of `p`, not behind it */
    bool is_quiet;        /* the same between brackets, up to the next comma */
    bool has_unprintable; /* there are characters somewhere that are text only between quotes */
    size_t flow_depth;
    enum flow_end flow_end;
    int32_t flow_indent;         /* lines between brackets are indented further than this */
    struct spot flow_spot;       /* of the outermost bracket */
    const char *no_quote_before; /* a quote that ends a text was sought up to here in vain */
    struct map tag_handles;
    struct map tags; /* resolved ones, by their text as written */
    size_t tag_budget;
};

/* yaml_read.c */
void yaml_report(struct yaml *y, const char *from, const char *to, const char *message, const char *hint);
struct frame *yaml_push_frame(struct yaml *y, enum frame_kind kind, const char *start, int32_t indent);
/* Builds the top frame's collection, which ends at `end` (NULL: with its last child), and takes the frame away. */
struct node *yaml_pop_frame(struct yaml *y, const char *end);
/* Puts a node into the slot of the top frame. */
void yaml_put(struct yaml *y, struct node *n);
void yaml_put_empty(struct yaml *y);
void yaml_put_error(struct yaml *y, const char *from, const char *to);
/* Gives a node its properties and makes its anchor known. */
void yaml_attach(struct yaml *y, struct node *n, struct node_props *props);
/* Until the node is complete its anchor names the reader itself: an alias to it would be a cycle. */
void yaml_open_anchor(struct yaml *y, const struct node_props *props);
/* Collects the comment at `p`; returns the end of its line. */
const char *yaml_skip_comment(struct yaml *y, const char *p);

/* Reports the first character that is text only between quotes. */
void yaml_check_printable(struct yaml *y, const char *from, const char *to);

/* yaml_block.c */
void yaml_block_line(struct yaml *y);
void yaml_block_inline(struct yaml *y);
/* A node of block context is complete: is it a key or a value? */
void yaml_block_done(struct yaml *y, struct node *n, const struct spot *spot);
/* Wants a gap, a comment or the end of the line. False and reported, with `p` at it, when something else is there. */
bool yaml_end_line(struct yaml *y);
/* The same behind a node: recovers by itself. */
void yaml_finish_line(struct yaml *y);
/* Reports an indicator where a text starts. */
void yaml_report_start(struct yaml *y, const char *p);
bool yaml_is_indicator(const char *p, char indicator);

/* yaml_flow.c */
void yaml_flow_open(struct yaml *y, char bracket);
void yaml_flow_run(struct yaml *y);

/* yaml_scalar.c: each reads the scalar at `p`; `least` is the column that its further lines must reach. */
const char *yaml_scan_plain(const char *p, unsigned stops, const char **stop);
/* The next line of a plain scalar that ends at the break `p`, or NULL when it does not go on. */
const char *yaml_find_plain_line(const char *p, int32_t least, const char **line);
struct node *yaml_make_plain(struct yaml *y, const char *from, const char *to, bool is_folded);
struct node *yaml_read_flow_plain(struct yaml *y);
struct node *yaml_read_quoted(struct yaml *y, int32_t least);
struct node *yaml_read_block_scalar(struct yaml *y);
struct node *yaml_read_alias(struct yaml *y);

/* yaml_props.c: reads the tag or anchor at `p` into `*props`. */
void yaml_read_property(struct yaml *y, struct node_props **props);
struct node_props *yaml_merge_props(struct yaml *y, struct node_props *outer, struct node_props *inner);
/* Reads the directive at `p` up to the end of its line. */
struct directives {
    bool has_any, has_version;
    const char *first;
    span tag_at;
};
void yaml_read_directive(struct yaml *y, struct directives *d);

/* yaml_recover.c: goes on at the next line that can start an entry. */
void yaml_resync(struct yaml *y);
bool yaml_looks_like_key(const char *p);
/* A line that is indented like no open collection. */
void yaml_recover_indent(struct yaml *y, const char *p, int32_t indent);

#endif
