/* References, as the evaluator asks for them. Internal to the room. */
#ifndef LINTEL_DIALECTS_DYNAML_RESOLVE_H
#define LINTEL_DIALECTS_DYNAML_RESOLVE_H

#include "dialects/dynaml/stage.h"

/* eval_ops.resolve and eval_ops.walk; `user` is the stage. */
enum resolve_result resolve_reference(void *user, struct evaluator *ev, const struct expr *ref,
                                      const struct scope *scope, struct resolved *out);
value resolve_walk(void *user, struct evaluator *ev, value base, const struct step *step, const struct expr *ref);
/* The place that a reference leads to, as far as everything on the way is known; NULL for none. */
struct place *resolve_find_place(struct stage *s, const struct expr *ref, const struct scope *scope);

#endif
