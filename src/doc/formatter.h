/* Formatting under way: a place in the source, the collections that are open there, and the lines written so far.
 *
 * Tokens are taken from the source in order. What lies before a token (blanks, line breaks, comments, and the commas of
 * brackets) is its gap: it is read first, its comments are written, then the token starts, on the line or on a new one.
 * Where the source does not hold what the tree says, `is_lost` is set and nothing more is done. */
#ifndef LINTEL_DOC_FORMATTER_H
#define LINTEL_DOC_FORMATTER_H

#include "base/buf.h"
#include "doc/chars.h"
#include "doc/reader.h"

enum format_width {
    FORMAT_INDENT = 2,      /* columns per level */
    FORMAT_LINE = 100,      /* columns of a bracket on one line, JSON only */
    FORMAT_BLANK_LINES = 2, /* in a row */
};

/* How a token joins what was written before it. */
enum join {
    JOIN_TIGHT = 1,
    JOIN_SPACE,
    JOIN_LINE, /* on a line of its own */
    JOIN_KEEP, /* on a line of its own if it stood on one */
};

/* Where a node goes. */
struct place {
    enum join join;
    size_t col;  /* where it stands on a line of its own; a closing bracket too */
    size_t more; /* its further lines */
};

/* An open collection. */
struct level {
    const struct node *node;
    size_t next;    /* number of the next child: items, or keys and values in turn */
    int64_t column; /* block: of the entries in the source; -1 between brackets */
    size_t col;     /* of the entries in the output */
    size_t close;   /* brackets: of the closing one */
    enum join join; /* of the next entry */
    bool is_flow;
    bool is_broken;   /* brackets: over several lines */
    bool is_pair;     /* [a: b] */
    bool is_explicit; /* the entry under way has a '?' */
    bool is_bare;     /* the entry under way has nothing before its ':' */
};

struct gap_comment {
    sv text;
    bool own_line;
    bool ends_line; /* nothing can follow it on its line */
    size_t breaks;  /* line breaks before it */
    size_t blanks;  /* blanks before it on its line */
    int64_t column;
};

struct formatter {
    struct buf *out;
    size_t start; /* of what is written here within `out` */
    struct arena scratch;
    const struct doc_stream *stream;
    enum doc_format format;
    const char *base, *end;           /* the source */
    const char *p;                    /* read up to here */
    const char *line;                 /* start of its line */
    size_t next_comment;              /* of the stream, not passed yet */
    VEC(struct gap_comment) comments; /* of the gap */
    size_t breaks;                    /* line breaks since the last token or comment */
    bool has_break;                   /* since the last token */
    bool must_break;                  /* a comment ended the line */
    VEC(struct level) levels;
    size_t depth;         /* levels open */
    size_t high;          /* levels open after the last token: those above `depth` end in the gap */
    bool was_break_found; /* a cache of format_has_break */
    const char *break_from, *break_at;
    size_t most;  /* bytes written at most: indentation can make a document much longer */
    bool is_long; /* it would be longer */
    bool is_lost;
};

/* --- format_gap.c --- */
/* Over blanks, line breaks and comments to the next token, which `p` is at then. May be called again for the same gap.
 */
void format_read_gap(struct formatter *f, bool has_commas);
/* Writes the comments of the gap; those on lines of their own stand in `col`, or in the column of the ending collection
 * that they stood in. */
void format_write_comments(struct formatter *f, size_t col);
/* The same for those at the start of the gap that let something follow on their line. */
void format_write_inline_comments(struct formatter *f);
/* What comes now joins like this. The gap is over. */
void format_start_token(struct formatter *f, enum join join, size_t col);
/* Takes `count` bytes from the source, which lie on one line. */
void format_take(struct formatter *f, size_t count);
/* Passes over bytes of the source that have been written otherwise. */
void format_skip_to(struct formatter *f, const char *p);
void format_end_line(struct formatter *f);

/* --- format_scalar.c --- */
/* The scalar at `p`, which may have several lines; `parent` is the column of the entries around in the source, -1
 * without. */
void format_write_scalar(struct formatter *f, const struct node *n, const struct place *place, int64_t parent);

/* --- format_tree.c --- */
/* The root of a document, behind "---" or not. */
void format_write_root(struct formatter *f, const struct node *root, bool is_behind_marker);

/* --- format_flow.c --- */
/* Opens the bracket at `p`. */
void format_open_flow(struct formatter *f, const struct node *n, const struct place *place);
void format_flow_next(struct formatter *f);

/* --- format_tree.c, for format_flow.c --- */
/* Properties and the node; a collection between brackets is only opened. */
void format_write_node(struct formatter *f, const struct node *n, const struct place *place);
struct level *format_push(struct formatter *f, const struct node *n);
/* Nothing is written for it. */
bool format_is_nothing(const struct node *n);
/* "*a :" and "&a :": a name would swallow the colon. */
bool format_ends_in_name(const struct node *key);
static inline struct level *format_get_top(struct formatter *f) {
    return &f->levels.items[f->depth - 1];
}
static inline bool format_is_at(const struct formatter *f, char c) {
    return f->p < f->end && *f->p == c;
}

#endif
