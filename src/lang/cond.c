/* c ? t : f. One branch is evaluated; the condition's marks go to the result. */
#include "lang/machine.h"

static int get_truth(const struct evaluator *ev, value v) {
    if (ev->o.policy->truth != NULL) {
        return ev->o.policy->truth(v);
    }
    return v.kind == VALUE_BOOL ? v.boolean : -1;
}

/* The branch to be evaluated, or NULL when the condition decides (the value is in `answer`). */
static const struct expr *choose(struct evaluator *ev, const struct expr *e, value condition) {
    value v = {0};
    if (marks_decide(ev, &(struct operands){.e = e, .args = &condition, .count = 1}, &v)) {
        ev->answer = v;
        return NULL;
    }
    int truth = get_truth(ev, condition);
    if (truth >= 0) {
        return e->call.args[truth == 1 ? 1 : 2];
    }
    if (ev->o.ops->refuse != NULL) {
        ev->answer = ev->o.ops->refuse(ev->o.user, ev, REFUSE_AS_CONDITION, condition, e->call.args[0]->at);
        return NULL;
    }
    enum diag_code code = ev->o.policy->type_code != 0 ? ev->o.policy->type_code : DIAG_invalid_substitution;
    const char *kind = value_get_kind_phrase((enum value_kind)condition.kind);
    ev->answer = eval_fail(ev, code, e->call.args[0]->at, "a condition must be a boolean, not %s", kind);
    return NULL;
}

enum flow cond_step(struct evaluator *ev, struct frame *f) {
    value v = ev->answer;
    if (f->phase == 0) {
        if (!f->waiting && !machine_want(ev, f, f->expr->call.args[0], f->scope, &v)) {
            return FLOW_WAIT;
        }
        f->waiting = false;
        f->phase = 1;
        machine_push_value(ev, v);
        const struct expr *branch = choose(ev, f->expr, v);
        if (branch == NULL) {
            return FLOW_DONE;
        }
        if (!machine_want(ev, f, branch, f->scope, &v)) {
            return FLOW_WAIT;
        }
    }
    value joined = value_mark(v, ev->values[f->base].within);
    ev->answer = ev->o.policy->narrow_word != NULL ? joined : marks_join_words(ev, ev->values + f->base, 1, joined);
    return FLOW_DONE;
}
