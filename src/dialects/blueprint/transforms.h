/* Transforms (1.4): what rewrites the document before it is checked. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_TRANSFORMS_H
#define LINTEL_DIALECTS_BLUEPRINT_TRANSFORMS_H

#include "dialects/blueprint/loader.h"

/* The document after all transforms that `names` (the value of `transform`) lists; the same node when none changed it.
 * NULL when the chain has stopped, after a report: then nothing is said about the document. `written`: errors of the
 * reader; such a document is not transformed, but checked as with `no_transforms` (BP-062). */
const struct node *transforms_apply(struct loader *l, const struct node *tree, const struct node *names, bool is_sound);
/* Errors of a transformed document carry its group, and those about what a transform made say where they belong
 * (BP-061). `from`: the diagnostics of this file. */
void transforms_mark_findings(struct loader *l, size_t from);

/* --- for this part alone --- */

/* One transform under way. */
struct transform_step {
    struct loader *l;
    sv name;
    span at; /* the name in the document */
    const struct node *tree;
    struct map hidden; /* what stands in for a secret → its node */
    struct transform_run run;
};

/* The document as JSON, secrets replaced (BP-060). */
sv transforms_write(struct transform_step *s);
/* The output as a document: what is unchanged are the nodes of `tree` (BP-061). NULL after a report. */
const struct node *transforms_read(struct transform_step *s);
/* Reports what the transform says (BP-058); true when an error is among it. */
bool transforms_report(struct transform_step *s);

/* A transform that is part of lintel: fills `run.output`, or `run.failure.message`. */
struct builtin_transform {
    sv name;
    bool (*run)(struct transform_step *s);
};
/* NULL when there is none of that name. */
const struct builtin_transform *transforms_find_builtin(sv name);

#endif
