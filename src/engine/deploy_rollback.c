/* What is special about a run that rolls back (BP-520 to BP-523, BP-541 to BP-543). */
#include "engine/deploy.h"

#include "engine/fields.h"
#include "engine/link_phases.h"
#include "engine/rollback.h"

static bool removes(const struct op_run *o) {
    return o->op->kind == OP_DESTROY || o->op->kind == OP_UNLINK;
}

/* Between the halves of a replacement the element has a row without an object: what is created is one half. In a
 * destruction nothing is replaced. */
static enum status mark_op(const struct deploy *d, const struct op_run *o, enum rollback_phase phase) {
    bool is_half = o->change->action == ACTION_CREATE && d->p->rollback->of != RUN_DESTROY &&
                   map_has(&d->saved.rows, o->change->address.text);
    return rollback_get_precise(is_half ? ACTION_REPLACE : o->change->action, removes(o), phase);
}

void rollback_mark(const struct deploy *d, const struct op_run *o, struct resource_record *r,
                   enum rollback_phase phase) {
    if (d->p->rollback != NULL) {
        r->status = rollback_get_status(phase);
        r->precise_status = mark_op(d, o, phase);
    }
}

void rollback_mark_link(const struct deploy *d, const struct op_run *o, struct link_record *l,
                        enum rollback_phase phase) {
    if (d->p->rollback == NULL) {
        return;
    }
    l->status = mark_op(d, o, phase);
    if (phase == ROLLBACK_COMPLETE) { /* else it tells how far its phases have come */
        l->precise_status = l->status;
    }
}

static enum rollback_phase phase_of(enum event_kind kind, const struct op_run *o) {
    if (kind != EVENT_ELEMENT_ENDED) {
        return ROLLBACK_RUNNING;
    }
    return sv_find(status_get_text(o->status), SV("failed")) != SIZE_MAX ? ROLLBACK_FAILED : ROLLBACK_COMPLETE;
}

void rollback_mark_event(const struct deploy *d, const struct op_run *o, struct event *e) {
    bool interrupted = sv_has_suffix(status_get_text(e->status), SV("_interrupted"));
    if (d->p->rollback == NULL || interrupted) {
        return;
    }
    enum rollback_phase phase = phase_of(e->kind, o);
    enum status precise = mark_op(d, o, phase);
    bool is_resource = o->change->kind == ELEMENT_RESOURCE;
    e->status = is_resource ? rollback_get_status(phase) : precise;
    if (is_resource || !link_phase_rolls_back(e->precise_status)) { /* else it tells how far its phases have come */
        e->precise_status = precise;
    }
}

/* An intent says what it leads back, so that it is known whoever finds it open. */
void rollback_put_intent(const struct deploy *d, const struct op_run *o, struct map_builder *b) {
    if (d->p->rollback != NULL) {
        field_put_text(b, "rollingBack", status_get_text(mark_op(d, o, ROLLBACK_RUNNING)));
    }
}

void rollback_mark_recovered(struct deploy *d, value intent, struct resource_record *r) {
    sv running = field_get_text(intent, "rollingBack"), suffix = SV("_rolling_back");
    if (d->p->rollback == NULL || !sv_has_suffix(running, suffix)) {
        return;
    }
    sv prefix = sv_slice(running, 0, running.len - suffix.len);
    enum status precise = status_find(arena_printf(d->a, "%.*s_rollback_complete", SV_ARG(prefix)));
    if (precise != 0) {
        r->status = STATUS_rollback_complete;
        r->precise_status = precise;
    }
}

/* --- begin --- */

void rollback_revive(struct deploy *d) {
    const struct rollback *rb = d->p->rollback;
    if (rb != NULL && rb->gone.found) {
        d->stored.instance.version = rb->gone.row.version;
        d->stored.instance.created_ms = rb->gone.row.created_ms;
        d->stored.body.history_number = rb->gone.history_number;
    }
}

bool rollback_recall(const struct deploy *d, const struct op_run *o, struct provider_call *call) {
    const struct rollback *rb = d->p->rollback;
    bool creates = rb != NULL && sv_eq_cstr(o->action, "create");
    const struct resource_record *was = creates ? map_find(&rb->recalled, o->change->address.text) : NULL;
    if (was != NULL) {
        call->computed = was->computed;
    }
    return was != NULL;
}

bool rollback_begin(struct deploy *d) {
    const struct rollback *rb = d->p->rollback;
    for (size_t i = 0; rb != NULL && i < rb->taken.len; i++) {
        const struct taken_back *t = &rb->taken.items[i];
        if (!rollback_take_back(&d->stored, t)) {
            return false;
        }
        write_resource(d, stored_find_resource(&d->stored, t->address));
        if (t->from == 0) {
            write_journal(
                d, &(struct journal_entry){.kind = JOURNAL_SAVED, .address = t->address, .action = SV(SAVED_TAKEN)});
        }
    }
    return true;
}

void rollback_put_start(const struct deploy *d, struct map_builder *b) {
    if (d->p->rollback != NULL) {
        field_put_int(b, "undoes", d->p->rollback->undoes);
    }
}

sv get_run_kind(const struct deploy *d) {
    return d->p->rollback != NULL ? SV("rollback") : d->p->destroy ? SV("destroy") : SV("deploy");
}

/* --- end --- */

void rollback_restore_body(struct deploy *d) {
    const struct instance_body *was = &d->p->rollback->body;
    struct instance_body *body = &d->stored.body;
    body->template_digest = was->template_digest;
    body->template_file = was->template_file;
    body->root_dir = was->root_dir;
    body->last_deployed_ms = was->last_deployed_ms;
    body->metadata = was->metadata;
    body->exports = was->exports;
    body->export_count = was->export_count;
    body->results = was->results;
    body->result_count = was->result_count;
    body->digests = was->digests;
    body->digest_count = was->digest_count;
}

struct failed_run {
    const struct journal_row *start, *end;
};

static value open_body(struct deploy *d, const struct journal_row *row) {
    struct seal_place place = {.instance_id = d->stored.instance.id, .address = SV("journal")};
    return seal_decode(d->c->sealer, &d->turn, &place, row->body, NULL, d->c->diags);
}

static enum store_result keep_run(struct deploy *d, const struct failed_run *run, size_t keep) {
    value body = open_body(d, run->start), end = run->end == NULL ? (value){0} : open_body(d, run->end);
    sv kind = field_get_text(body, "kind");
    if (!sv_eq_cstr(kind, "deploy") && !sv_eq_cstr(kind, "destroy") && !sv_eq_cstr(kind, "rollback")) {
        return STORE_OK;
    }
    struct map_builder b = {.arena = &d->turn};
    field_put_int(&b, "pid", field_get_int(body, "pid"));
    field_put_text(&b, "command", field_get_text(body, "command"));
    field_put_text(&b, "planId", field_get_text(body, "planId"));
    field_put_value(&b, "summary", field_get_value(end, "summary"));
    struct seal_place place = {.instance_id = d->stored.instance.id, .address = SV("history")};
    struct store_history entry = {
        .number = ++d->stored.body.history_number,
        .run_id = run->start->run_id,
        .kind = kind,
        .actor = field_get_text(body, "actor"),
        .outcome = run->end == NULL ? SV("interrupted") : field_get_text(end, "outcome"),
        .started_ms = run->start->wall_ms,
        .ended_ms = run->end == NULL ? 0 : run->end->wall_ms,
        .body = seal_encode(d->c->sealer, &d->turn, &place, map_done(&b)),
    };
    return d->c->store->ops->compact_journal(d->c->store, d->stored.instance.id, &entry, keep);
}

/* The runs that are rolled back stay in the history, in front of the rollback. */
enum store_result rollback_keep_runs(struct deploy *d, size_t keep) {
    const struct store_tree *tree = &d->stored.tree;
    enum store_result r = STORE_OK;
    for (size_t i = 0; r == STORE_OK && i < tree->journal.len; i++) {
        struct failed_run run = {.start = &tree->journal.items[i]};
        if (run.start->kind != JOURNAL_RUN_STARTED) {
            continue;
        }
        for (size_t k = i + 1; k < tree->journal.len && tree->journal.items[k].kind != JOURNAL_RUN_STARTED; k++) {
            bool is_end = tree->journal.items[k].kind == JOURNAL_RUN_ENDED;
            run.end = is_end ? &tree->journal.items[k] : run.end;
        }
        r = keep_run(d, &run, keep);
    }
    return r;
}
