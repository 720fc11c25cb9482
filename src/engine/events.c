/* Events of a run (LC-060). They go out after the commit of the turn in which they came up. */
#include "engine/deploy.h"

int64_t now_wall(const struct deploy *d) {
    return d->c->host->ops->get_wall_ms(d->c->host->user);
}

int64_t now_monotonic(const struct deploy *d) {
    return d->c->host->ops->get_monotonic_ms(d->c->host->user);
}

static struct event *add_event(struct deploy *d, enum event_kind kind) {
    struct event *e = VEC_ADD(&d->turn, &d->batch.events);
    e->kind = kind;
    e->wall_ms = now_wall(d);
    e->monotonic_ms = now_monotonic(d);
    return e;
}

static enum status status_under_way(const struct op_run *o) {
    if (sv_eq_cstr(o->action, "create") && o->change->action == ACTION_CREATE) {
        return STATUS_creating;
    }
    bool goes = o->change->action == ACTION_DELETE || o->op->only_if_excluded;
    return sv_eq_cstr(o->action, "destroy") && goes ? STATUS_destroying : STATUS_updating;
}

void emit_op_event(struct deploy *d, enum event_kind kind, const struct op_run *o) {
    struct event *e = add_event(d, kind);
    e->address = o->change->address;
    e->element_type = o->change->type;
    e->action = o->op->only_if_excluded ? ACTION_DELETE : o->change->action;
    e->op = o->op->kind;
    e->status = kind == EVENT_ELEMENT_ENDED ? o->status : status_under_way(o);
    e->precise_status = o->precise != 0 ? o->precise : e->status;
    e->elapsed_ms = e->monotonic_ms - o->started_ms;
    rollback_mark_event(d, o, e);
}

void emit_diagnostic(struct deploy *d, const struct diag *diag) {
    add_event(d, EVENT_DIAGNOSTIC)->diag = diag;
}

void emit_message(struct deploy *d, sv address, sv text) {
    struct event *e = add_event(d, EVENT_MESSAGE);
    e->address.text = address;
    e->text = text;
}

void emit_heartbeats(struct deploy *d) {
    enum { HEARTBEAT_MS = 10000 };
    if (now_monotonic(d) - d->beat_ms < HEARTBEAT_MS) {
        return;
    }
    d->beat_ms = now_monotonic(d);
    for (size_t i = 0; i < d->p->op_count; i++) {
        if (d->ops[i].has_started && !d->ops[i].over) {
            emit_op_event(d, EVENT_HEARTBEAT, &d->ops[i]);
        }
    }
}

void emit_summary(struct deploy *d, sv outcome) {
    struct event *e = add_event(d, EVENT_SUMMARY);
    e->done = &d->done;
    e->rollback = d->p->rollback;
    e->outcome = outcome;
    e->elapsed_ms = e->monotonic_ms - d->started_ms;
}
