/* Where values come from, found out once a run with notes is over: nodes of stages joined with the documents that they
 * stand in. Internal to the room. */
#ifndef LINTEL_DIALECTS_DYNAML_TRACE_H
#define LINTEL_DIALECTS_DYNAML_TRACE_H

#include "dialects/dynaml/explain.h"
#include "dialects/dynaml/notes.h"
#include "doc/node.h"

struct tracer {
    struct arena *a;
    const struct notes *notes;
    struct stage *stages; /* of all documents; those before the one that failed have no root */
    size_t count;
    struct map indexes; /* of written maps, by address: their entries */
};

struct steps {
    VEC(sv) items;
};

/* A node: a place, or what is inside of a place's value. */
struct spot {
    struct stage *s;
    struct place *p;
    struct steps rest;                      /* into the value of `p` */
    const struct node *node;                /* as it is written; NULL: it stands in no document */
    const struct node *near;                /* the innermost written one around it; NULL: none */
    const struct dynaml_document *document; /* of `near` */
    enum dynaml_how how;                    /* by what it stands where it stands, overrides aside */
    struct place *via;                      /* the `<<` that has put it there; NULL: none */
    struct steps below;                     /* its steps in the value of `via` */
    size_t used;                            /* steps of the path that were there */
};

enum walked {
    WALK_FOUND = 1,
    WALK_NOT_FOUND, /* `spot` is the innermost that is there */
    WALK_UNREACHED, /* `spot` is unresolved, and what it would hold is not known */
};

/* The node at a path as it is typed or printed; steps with points are also found when these are cut. */
enum walked spot_walk(struct tracer *t, struct stage *s, const struct steps *path, struct spot *spot);
/* Further on from a spot, as far as the path leads. */
void spot_go_on(struct tracer *t, const struct steps *path, struct spot *spot);
void spot_at_place(struct tracer *t, struct stage *s, struct place *p, struct spot *spot);
/* What stands there; kind 0: it is unresolved. */
value spot_get_value(const struct spot *spot);
bool place_is_unresolved(const struct place *p);
/* The path of the node in its document, copies of templates at the place of their use. */
void spot_print_path(struct tracer *t, struct buf *out, const struct spot *spot);
const struct stub_path *spot_get_stub_path(struct tracer *t, const struct spot *spot);

struct trace {
    enum dynaml_how how;
    struct dynaml_position at; /* of what gave the value */
    bool has_from;
    struct spot from; /* the stub's node that gave it */
};
struct trace spot_trace(struct tracer *t, const struct spot *spot);
struct dynaml_position spot_get_position(const struct spot *spot);

#endif
