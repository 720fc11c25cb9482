/* Where the value of a node comes from (DY-351): what gave it, what it needed, and why it is unresolved.
 *
 * The run is an ordinary one with notes; the explanation is made of them when it is over. */
#ifndef LINTEL_DIALECTS_DYNAML_EXPLAIN_H
#define LINTEL_DIALECTS_DYNAML_EXPLAIN_H

#include "base/jsonw.h"
#include "base/vec.h"
#include "dialects/dynaml/dynaml.h"

enum dynaml_how {
    DYNAML_WRITTEN = 1,
    DYNAML_COMPUTED,
    DYNAML_MERGED,     /* `merge` has found it in a stub */
    DYNAML_OVERRIDDEN, /* a stub has taken its place */
    DYNAML_INSERTED,   /* by `<<` of a map */
    DYNAML_SPLICED,    /* by `<<` of a list */
};

struct dynaml_position {
    sv file;
    size_t line, column; /* from 1; 0: not known */
};

/* What was looked for in the stubs. */
struct dynaml_lookup {
    sv path;
    const bool *has; /* per stub */
};

struct dynaml_explanation {
    sv path;
    sv document; /* whose node it is */
    bool is_resolved;
    bool is_seen;            /* more is told above, where it stood first */
    value v;                 /* kind 0: none */
    enum dynaml_state state; /* unresolved: `state` and `issue` */
    bool is_cyclic;          /* PENDING on itself */
    sv issue;
    enum dynaml_how how; /* 0: nothing gave it */
    struct dynaml_position at;
    sv expression; /* as written; empty: none */
    struct dynaml_position expression_at;
    sv became;       /* the expression text that it gave (DY-103); empty: none */
    value before;    /* what the expression gave before the override; kind 0: none */
    sv before_issue; /* why it had failed */
    bool has_before;
    struct dynaml_lookup lookup; /* its own stub path; `has` is NULL without stubs */
    VEC(struct dynaml_lookup) merges;
    const sv *stubs;
    size_t stub_count;
    struct dynaml_explanation *from; /* the stub's node that gave it, when that has a history of its own */
    VEC(struct dynaml_explanation *) needs;
    size_t omitted; /* needed nodes that are left out */
};

/* From an unresolved node to the first cause: each needs the next. */
struct dynaml_link {
    sv path, expression, issue;
    struct dynaml_position at;
};

struct dynaml_explained {
    struct dynaml_explanation *node; /* NULL: the path leads nowhere, or nothing can be said for `result` */
    VEC(struct dynaml_link) causes;  /* empty for a node that is resolved */
    size_t omitted;                  /* in the middle of `causes` */
    bool is_cycle;                   /* the last of `causes` is one that stands before */
    struct dynaml_result result;     /* of the run */
    sv failed_stub;                  /* what is explained is this stub: the template was not looked at; else empty */
    sv unreached;                    /* the path asked for, when it stands in `node`, which is unresolved */
    sv hint;                         /* a path that is there, for one that is not; empty: none */
};

enum { DYNAML_EXPLAIN_DEPTH = 3, DYNAML_EXPLAIN_DEPTH_MAX = 1000 };

struct dynaml_explain_request {
    struct arena *arena; /* of notes and explanation; not that of the run, which counts what is in it */
    const sv *path;
    size_t path_len;
    size_t depth;
};

void dynaml_explain(struct dynaml_run *run, struct dynaml_document *const *documents, size_t count,
                    const struct dynaml_explain_request *request, struct dynaml_explained *result);

/* "overridden by stub"; "failed", "pending", "cycle", "unparseable". */
sv dynaml_get_how_name(enum dynaml_how how);
sv dynaml_get_state_name(const struct dynaml_explanation *e);

void dynaml_print_explanation(struct buf *out, const struct dynaml_explained *e);
/* One line without line break. False: an infinity or NaN is in it, which JSON cannot hold. */
bool dynaml_write_explanation(struct buf *out, const struct dynaml_explained *e);

#endif
