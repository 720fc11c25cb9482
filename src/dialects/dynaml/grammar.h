/* The grammar of dynaml (DY-030 to DY-039): texts to expressions and back.
 *
 * A parsing expression grammar: alternatives are tried in order, and the first that fits is final. What an operand
 * looks like at a place does not depend on who asks, so a place that has failed once is not tried again: parsing takes
 * time linear in the text. */
#ifndef LINTEL_DIALECTS_DYNAML_GRAMMAR_H
#define LINTEL_DIALECTS_DYNAML_GRAMMAR_H

#include "base/limits.h"
#include "lang/dialect.h"

/* expr.op of a REF. */
enum dynaml_root {
    DYNAML_RELATIVE = 1,
    DYNAML_ABSOLUTE, /* with a leading dot */
};

/* expr.op of a DIRECTIVE. */
enum dynaml_directive {
    DYNAML_MERGE = 1, /* `data` is a struct dynaml_merge */
    DYNAML_AUTO,      /* `data` is the home */
    DYNAML_MARKER,    /* &template */
    DYNAML_PREFER,    /* args[0] */
    DYNAML_COPY,      /* *E: args[0] */
    DYNAML_LAMBDA,    /* lambda E: args[0] */
    DYNAML_NODE,      /* made by stages, not by the grammar: all of a place; `data` is the place */
    DYNAML_SHAPE,     /* likewise: what stands in a map or list once `<<` is known */
    DYNAML_CONTENT,   /* likewise: a file that is evaluated where it is read; `data` is a struct copy_request */
};

/* merge, with everything that may follow (DY-200 to DY-202). */
struct dynaml_merge {
    void *home; /* as given to the parser: where the text stands (DY-200) */
    bool is_replacing, is_required;
    bool has_path, is_absolute; /* a redirection; one with a leading dot finds nothing (DY-033) */
    const struct step *path;
    size_t path_len;
    sv key; /* of `on`; empty without */
};

struct dynaml_parse {
    struct arena *arena;
    const struct expr_text *text; /* without the outer parentheses */
    void *home;
    size_t max_depth;
};

enum dynaml_parsed {
    DYNAML_PARSED = 1,
    DYNAML_UNPARSEABLE,
    DYNAML_TOO_DEEP, /* limit `expression` (DY-362) */
};

/* The whole text as an expression: `*result` lives in the arena and views the text. */
enum dynaml_parsed dynaml_parse(const struct dynaml_parse *p, const struct expr **result);

/* Whether a string node is an expression text (DY-020), and the text between its parentheses. */
bool dynaml_is_expression(sv text, sv *inner);

/* The printed form (DY-039), without outer parentheses. */
void dynaml_print(struct buf *out, const struct expr *e);
/* The same with `choose` asked for each part what to print in its place: NULL for the part itself. */
typedef const struct expr *(*dynaml_chooser)(void *user, const struct expr *e);
void dynaml_print_chosen(struct buf *out, const struct expr *e, dynaml_chooser choose, void *user);
/* A string between double quotes as DY-039 says. */
void dynaml_print_quoted(struct buf *out, sv text);
/* A lambda's value: what it has captured in front, sorted by name (DY-174). */
void dynaml_print_lambda(struct buf *out, const struct closure *c, void (*print)(struct buf *out, value v));

#endif
