/* Where a value comes from: source positions, references, functions and defaults that produced it (cli.md, `explain`).
 *
 * An explanation is made beside an ordinary evaluation: an observer notes what every expression gave, then the
 * expressions of the element in question are walked and joined with what was noted. Without one nothing is noted and
 * nothing costs. Results are shown redacted by whoever writes them. */
#ifndef LINTEL_VIEWS_EXPLAIN_H
#define LINTEL_VIEWS_EXPLAIN_H

#include "base/jsonw.h"
#include "model/template.h"

enum explain_kind {
    EXPLAIN_ELEMENT = 1, /* a value, a variable, a field of a resource: `name` is its address */
    EXPLAIN_CALL,        /* a function: `name` */
    EXPLAIN_SCOPE,       /* elem, i, workingDir: `name` */
    EXPLAIN_INPUT,       /* a variable's value was given: `name` says where */
    EXPLAIN_DEFAULT,     /* a default of the variable or of the schema */
    EXPLAIN_COMPUTED,    /* filled in by the provider */
    EXPLAIN_LINK,        /* contributed by a link: `name` is its address */
    EXPLAIN_DATA,        /* read from a data source */
    EXPLAIN_SEEN,        /* an element explained above */
};

struct explanation {
    enum explain_kind kind;
    sv name;
    span at;         /* SPAN_NONE when it stands nowhere */
    bool is_skipped; /* not evaluated: a branch not taken */
    value result;    /* kind 0 when not known */
    VEC(struct explanation *) parts;
};

/* Notes results; pass `observer` to the evaluation. */
struct explain_notes {
    struct arena *arena;
    struct map results; /* expression and cell → its value */
    struct observer observer;
};
void explain_notes_init(struct explain_notes *n, struct arena *a);

struct explain_request {
    struct arena *arena;
    struct evaluation *evaluation; /* of an expanded template, started with the notes' observer */
    const struct explain_notes *notes;
    const struct template_input *inputs; /* in rising precedence */
    size_t input_count;
    const struct element *element;
    struct path property; /* below the element; empty: the whole of it */
};
/* Evaluates what is asked for; mistakes go into the evaluation's diagnostics. NULL when the property cannot be found,
 * with nothing reported. */
struct explanation *explain_make(const struct explain_request *r);

void explain_render(struct buf *out, const struct explanation *root, struct sources *sources, enum secrecy secrecy);
void explain_write_json(struct jsonw *w, const struct explanation *e, struct sources *sources, enum secrecy secrecy);

#endif
