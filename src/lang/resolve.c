/* References and directives: what they mean is the dialect's, the waiting is ours. */
#include "lang/machine.h"
#include "lang/shorten.h"

static enum resolve_result ask(struct evaluator *ev, const struct expr *e, const struct scope *scope,
                               struct resolved *r) {
    const struct eval_ops *ops = ev->o.ops;
    r->cell = NULL;
    r->expr = NULL;
    if (e->kind == EXPR_DIRECTIVE) {
        return ops->directive == NULL ? RESOLVE_ERROR : ops->directive(ev->o.user, ev, e, scope, r);
    }
    if (ops->resolve != NULL) {
        return ops->resolve(ev->o.user, ev, e, scope, r);
    }
    if (scope_find(scope, e->ref.name, &r->item)) {
        return RESOLVE_VALUE;
    }
    r->item = eval_fail(ev, DIAG_invalid_substitution, e->at, "'%.*s' is not known here", SV_ARG(shorten(e->ref.name)));
    return RESOLVE_ERROR;
}

enum { ASKED_AGAIN = 1, ASKED_ONCE };

static void keep_asking(struct evaluator *ev, const struct expr *e, struct scope *scope, const struct resolved *r,
                        uint8_t phase) {
    struct frame *f = machine_push(ev, FRAME_REF, e, scope);
    f->resolved = ARENA_NEW(ev->o.arena, struct resolved);
    *f->resolved = *r;
    f->phase = phase;
}

/* The resolver wants a cell or an expression: true when its value is there at once. A frame waits below it otherwise.
 */
static bool fetch(struct evaluator *ev, const struct expr *e, struct scope *scope, struct resolved *r, uint8_t phase,
                  value *result) {
    if (r->cell != NULL && r->cell->state != CELL_UNTOUCHED) {
        ev->demanding = e;
        return cell_demand(ev, r->cell, result);
    }
    struct frame *f;
    if (phase == ASKED_AGAIN || r->cell == NULL || e->count > r->steps_used) {
        keep_asking(ev, e, scope, r, phase);
    } else {
        f = machine_push(ev, FRAME_REF, e, scope); /* nothing to be done behind the cell: a frame for reports only */
        f->phase = ASKED_ONCE;
    }
    f = machine_get_top(ev);
    bool now = r->cell != NULL ? cell_demand(ev, r->cell, result) : machine_begin(ev, r->expr, r->scope, result);
    if (now) {
        machine_pop(ev);
    } else {
        f->waiting = true;
    }
    return now;
}

static value get_error(const struct resolved *r) {
    return r->item.kind == VALUE_ERROR ? r->item : value_error(NULL);
}

static bool walk_rest(struct evaluator *ev, const struct expr *e, struct scope *scope, value base, size_t used,
                      value *result) {
    if (e->kind != EXPR_REF) {
        *result = base;
        return true;
    }
    if (used >= e->count) {
        *result = marks_narrow(ev, base);
        return true;
    }
    return steps_begin(ev, e, scope, base, used, result);
}

/* Asks until there is a value (true), or something has to be waited for (false, frames pushed). */
static bool resolve(struct evaluator *ev, const struct expr *e, struct scope *scope, struct resolved *r,
                    value *result) {
    for (;;) {
        enum resolve_result answer = ask(ev, e, scope, r);
        value v = r->item;
        if (answer == RESOLVE_ERROR) {
            *result = get_error(r);
            return true;
        }
        if (answer == RESOLVE_VALUE) {
            return walk_rest(ev, e, scope, v, r->steps_used, result);
        }
        if (!machine_spend(ev)) {
            *result = value_error(NULL);
            return true;
        }
        if (!fetch(ev, e, scope, r, answer == RESOLVE_AGAIN ? ASKED_AGAIN : ASKED_ONCE, &v)) {
            return false;
        }
        if (answer != RESOLVE_AGAIN) {
            return walk_rest(ev, e, scope, v, r->steps_used, result);
        }
        r->item = v;
    }
}

bool resolve_begin(struct evaluator *ev, const struct expr *e, struct scope *scope, value *result) {
    struct resolved r = {0};
    return resolve(ev, e, scope, &r, result);
}

/* A frame of the same expression takes the place of the one that has waited. */
enum flow resolve_step(struct evaluator *ev, struct frame *f) {
    const struct expr *e = f->expr;
    struct scope *scope = f->scope;
    if (f->phase == 0) {
        return FLOW_DONE; /* waited for steps: the answer is the whole */
    }
    if (f->resolved == NULL) {
        ev->answer = e->kind == EXPR_REF ? marks_narrow(ev, ev->answer) : ev->answer;
        return FLOW_DONE;
    }
    struct resolved r = *f->resolved;
    value v = ev->answer;
    bool now;
    bool again = f->phase == ASKED_AGAIN;
    f->phase = 0;
    if (again) {
        r.item = v;
        now = resolve(ev, e, scope, &r, &v);
    } else {
        now = walk_rest(ev, e, scope, v, r.steps_used, &v);
    }
    if (!now) {
        f->quiet = true;
        return FLOW_WAIT;
    }
    ev->answer = v;
    return FLOW_DONE;
}
