/* Cells: evaluated once, remembered. */
#include "lang/machine.h"

struct frame *cell_get_current(struct evaluator *ev) {
    return ev->cells.len == 0 ? NULL : ev->cells.items[ev->cells.len - 1];
}

struct cell *eval_get_cell(struct evaluator *ev) {
    struct frame *f = cell_get_current(ev);
    return f == NULL ? NULL : f->cell;
}

void cell_set(struct cell *c, value v) {
    c->result = v;
    c->state = v.kind == VALUE_ERROR ? CELL_FAILED : v.kind == VALUE_PENDING ? CELL_PENDING : CELL_DONE;
}

void cell_reset(struct cell *c) {
    c->result = (value){0};
    c->state = CELL_UNTOUCHED;
}

static bool begin_cell(struct evaluator *ev, struct cell *c, value *result) {
    if (c->expr == NULL) {
        if (c->result.kind == 0) {
            c->result = value_error(NULL);
        }
        cell_set(c, c->result);
        return cell_demand(ev, c, result);
    }
    struct frame *f = machine_push(ev, FRAME_CELL, NULL, c->scope);
    f->cell = c;
    c->state = CELL_UNDER_WAY;
    c->result = value_int((int64_t)ev->cells.len); /* M4 */
    VEC_PUSH(ev->o.arena, &ev->cells, f);
    return false;
}

bool cell_demand(struct evaluator *ev, struct cell *c, value *result) {
    switch ((enum cell_state)c->state) {
    case CELL_UNTOUCHED:
        return begin_cell(ev, c, result);
    case CELL_UNDER_WAY:
        *result = cycle_met(ev, c);
        return true;
    case CELL_PROVISIONAL:
        *result = cycle_met_provisional(ev, c);
        return true;
    case CELL_FAILED:
        *result = ev->o.policy->failed_cell_is_pending && ev->cells.len > 0 ? value_pending(NULL) : c->result;
        return true;
    case CELL_PENDING:
        *result = ev->cells.len > 0 ? value_pending(NULL) : c->result;
        return true;
    case CELL_DONE:
        *result = c->result;
        return true;
    }
    *result = value_error(NULL);
    return true;
}

/* Finisher's turn: kind 0 means that it wants another expression evaluated. */
static value finish(struct evaluator *ev, struct frame *f, value raw) {
    if (ev->o.ops->finish == NULL || ev->exhausted) {
        return raw;
    }
    return ev->o.ops->finish(ev->o.user, ev, f->cell, raw);
}

static enum flow end_cell(struct evaluator *ev, struct frame *f, value v) {
    struct cell *c = f->cell;
    size_t place = ev->cells.len - 1;
    ev->cells.len--;
    cell_set(c, v);
    cycle_cell_done(ev, f, place, v);
    /* The one who demanded it sees what everybody else will see. */
    if (!cell_demand(ev, c, &ev->answer)) {
        ev->answer = value_error(NULL);
    }
    return FLOW_DONE;
}

enum flow cell_step(struct evaluator *ev, struct frame *f) {
    value v = ev->answer;
    if (!f->waiting && !machine_want(ev, f, f->cell->expr, f->scope, &v)) {
        return FLOW_WAIT;
    }
    f->waiting = false;
    while ((v = finish(ev, f, v)).kind == 0) {
        if (!machine_want(ev, f, ev->again_expr, ev->again_scope, &v)) {
            return FLOW_WAIT;
        }
    }
    return end_cell(ev, f, v);
}
