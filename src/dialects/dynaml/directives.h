/* Constructs that the evaluator leaves to the dialect. Internal to the room. */
#ifndef LINTEL_DIALECTS_DYNAML_DIRECTIVES_H
#define LINTEL_DIALECTS_DYNAML_DIRECTIVES_H

#include "dialects/dynaml/stage.h"

/* Content that is evaluated at the place of its use: a template, a file. */
struct copy_request {
    value source;
    struct place *home; /* of its definition; NULL: where it is used */
    struct scope *scope;
    const struct origin *origin;
    sv issue; /* when something in it is unresolved (DY-186) */
};
/* `resolved.state` of one under way. */
struct copy {
    struct place *root; /* NULL: not made yet */
    sv issue;
};

/* eval_ops.directive; `user` is the stage. */
enum resolve_result directive_evaluate(void *user, struct evaluator *ev, const struct expr *e,
                                       const struct scope *scope, struct resolved *out);
/* Begins one: the next asking is for directive_end_copy. */
enum resolve_result directive_copy(struct stage *s, struct evaluator *ev, const struct copy_request *r,
                                   struct resolved *out);
enum resolve_result directive_end_copy(struct stage *s, struct evaluator *ev, struct resolved *out);

#endif
