/* What a run that is explained leaves behind (DY-351): which nodes a node needed, what it looked up in stubs, what its
 * expression gave before a stub took its place. Notes have an arena of their own, so that no limit of the run counts
 * them. Without notes nothing is kept, and nothing costs. Internal to the room. */
#ifndef LINTEL_DIALECTS_DYNAML_NOTES_H
#define LINTEL_DIALECTS_DYNAML_NOTES_H

#include "dialects/dynaml/stage.h"

struct note_lookup {
    const struct stub_path *path;
    bool is_absolute; /* written with a leading dot: finds nothing (DY-033) */
};

/* A node that was needed: a place, or what stands at these steps in its value. */
struct note_need {
    struct place *p;
    const sv *rest;
    size_t rest_len;
};

struct note {
    VEC(struct note_need) needs;       /* in the order in which they were asked for, each once */
    VEC(struct place *) copies;        /* roots of templates and files evaluated for it */
    VEC(struct note_lookup) lookups;   /* of `merge` */
    value before;                      /* what a stub has replaced: a value, an ERROR; kind 0: nothing */
    bool is_merged;                    /* the value is one that `merge` has found */
    const struct stub_path *merged_at; /* there */
    size_t *starts; /* of a list with `<<`: the number of the first item that each written item gives */
    size_t start_count;
};

struct notes {
    struct arena *a;
    struct map places; /* by address: struct note */
    struct map pairs;  /* node and needed node: known */
};

void notes_init(struct notes *n, struct arena *a);
/* NULL: nothing is noted of it. */
const struct note *notes_find(const struct notes *n, const struct place *p);

/* Hooks of the evaluation. The one under way needs `target`, `ref` goes on in its value with its step `used`; */
void notes_add_need(struct notes *n, struct evaluator *ev, struct place *target, const struct expr *ref, size_t used);
void notes_add_copy(struct notes *n, struct place *p, struct place *root);
void notes_add_lookup(struct notes *n, struct evaluator *ev, const struct note_lookup *lookup);
/* a stub takes the place of `before`; */
void notes_set_override(struct notes *n, struct place *p, value before);
/* the value comes from the stubs as it is; */
void notes_set_merged(struct notes *n, struct place *p, const struct stub_path *path);
/* item i of the list as written begins at item starts[i] of what it has become. */
void notes_set_start(struct notes *n, struct place *list, size_t item, size_t start);

#endif
