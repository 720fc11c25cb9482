/* One evaluation of a template, as the dialect's parts see it. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_EVALUATE_H
#define LINTEL_DIALECTS_BLUEPRINT_EVALUATE_H

#include "dialects/blueprint/data.h"

/* The user of the evaluator. */
struct blueprint_evaluation {
    struct evaluation *e;
    size_t tagged; /* diagnostics that have been looked at for their path */
    /* Of a file that is being expanded: gives the untouched cell of a variable what the parent passes; or NULL. */
    void (*bind)(void *user, struct evaluation *e, uint32_t variable);
    void *bind_user;
    struct cell absent, always; /* shared by the elements that have no such field, no condition */
};

/* eval_ops of the dialect: resolve.c. */
enum resolve_result blueprint_resolve(void *user, struct evaluator *ev, const struct expr *ref,
                                      const struct scope *scope, struct resolved *out);
value blueprint_walk(void *user, struct evaluator *ev, value base, const struct step *step, const struct expr *ref);
/* link(a, b): evaluate_link.c (FN-232, FN-233). */
value blueprint_call_link(void *user, struct fn_call *c);
/* The number, in the template at hand, of an element of the copy of a file; UINT32_MAX for none. A template's is that
 * of its TEMPLATE element. */
uint32_t blueprint_find_number(const struct blueprint_names *names, enum element_kind kind, sv name);
/* The first condition that decides whether the element is there, as those see it whose names are `names`, and that is
 * not evaluated yet; NULL: all are, and `decided` is true, false, UNKNOWN or ERROR (BP-142). */
struct cell *blueprint_find_condition(struct evaluation *e, uint32_t number, const struct blueprint_names *names,
                                      value *decided);

/* template_ops.find_target: targets.c. */
bool blueprint_find_target(const struct template *t, struct arena *a, const struct expr *ref, const struct scope *scope,
                           struct reference_target *result);

/* What the parent passes, as the variable's value: checked, widened, the default for `none` (BP-177). `at`: where it is
 * passed. Reports. */
value blueprint_take_input(struct evaluator *ev, const struct blueprint_data *file, const struct element *variable,
                           span at, value given);

#endif
