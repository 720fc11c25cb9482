#include "engine/deploy.h"

#include "engine/actor.h"
#include "engine/fields.h"
#include "engine/planner.h"
#include "engine/specs.h"

static size_t count_not_started(const struct deploy *d) {
    size_t count = 0;
    for (size_t i = 0; i < d->p->op_count; i++) {
        enum exec_op_state state = exec_get_op_state(d->exec, (uint32_t)i);
        count += state == EXEC_OP_WAITING || state == EXEC_OP_READY;
    }
    return count;
}

static size_t count_skipped(const struct deploy *d) {
    return d->p->rollback == NULL ? 0 : d->p->rollback->skipped.len;
}

static bool has_all(const struct deploy *d) {
    return count_skipped(d) == 0 && d->exec != NULL && count_not_started(d) == 0 && d->failed == 0 &&
           d->interrupted == 0 && d->untold.len == 0 && !d->lease_lost && !d->store_failed && !d->hard_stop;
}

enum exit_code get_exit_code(const struct deploy *d) {
    if (d->lease_lost) {
        return EXIT_LOCKED;
    }
    if (has_all(d)) {
        return EXIT_OK;
    }
    if (d->signals_seen > 0 && !d->store_failed) {
        return EXIT_SIGINT;
    }
    bool has_begun = d->succeeded + d->interrupted + d->untold.len > 0;
    return has_begun || d->p->rollback != NULL ? EXIT_PART_WAY : EXIT_FAILED;
}

/* Of a destruction that was limited something stays, and with it the instance. */
static bool has_rest(const struct deploy *d) {
    if (!d->p->destroy || !plan_is_limited(d->p)) {
        return false;
    }
    for (size_t i = 0; i < d->stored.elements.len; i++) {
        if (!d->stored.elements.items[i]->removed) {
            return true;
        }
    }
    return false;
}

static enum status end_status(const struct deploy *d, bool all) {
    bool interrupted = d->interrupted > 0 || d->untold.len > 0;
    if (d->p->rollback != NULL) {
        return rollback_get_instance_status(d->p->rollback, all ? ROLLBACK_COMPLETE : ROLLBACK_FAILED);
    }
    if (all && has_rest(d)) {
        return STATUS_updated;
    }
    if (d->p->destroy) {
        return all ? STATUS_destroyed : interrupted ? STATUS_destroy_interrupted : STATUS_destroy_failed;
    }
    if (d->is_first) {
        return all ? STATUS_deployed : interrupted ? STATUS_deploy_interrupted : STATUS_deploy_failed;
    }
    return all ? STATUS_updated : interrupted ? STATUS_update_interrupted : STATUS_update_failed;
}

/* --- what was left out (CLI-013) --- */

static void find_left_out(struct deploy *d) {
    d->left_out = MAP(d->a);
    for (size_t i = 0; plan_is_limited(d->p) && i < d->p->scope.left_out_count; i++) {
        map_put(&d->left_out, d->p->scope.left_out[i], d);
    }
}

static bool is_left_out(const struct deploy *d, sv address) {
    return d->left_out.len > 0 && map_has(&d->left_out, address);
}

static sv get_export_address(struct deploy *d, const struct export_record *e) {
    bool is_address = sv_find_char(e->name, '/') != SIZE_MAX;
    return is_address ? e->name : addr_make(d->a, (sv){0}, ELEMENT_EXPORT, e->name).text;
}

static bool find_export(const struct instance_body *body, sv name, struct export_record *record) {
    for (size_t i = 0; i < body->export_count; i++) {
        if (sv_eq(body->exports[i].name, name)) {
            *record = body->exports[i];
            return true;
        }
    }
    return false;
}

/* --- exports (BP-469) --- */

static bool eval_export(struct deploy *d, uint32_t n, struct export_record *record) {
    const struct element *e = &d->t->elements[n];
    struct evaluation *ev = get_evaluation(d);
    if (condition_find(ev, n) != CONDITION_TRUE) {
        return false;
    }
    value v = eval_cell(ev->evaluator, &ev->cells[n].main);
    if (value_is_error(v) || v.kind == VALUE_ABSENT) {
        return false;
    }
    *record = (struct export_record){
        .name = plan_get_export_name(e),
        .type = e->type_text,
        .description = eval_description(d, n),
        .field = e->field_text,
        .item = spec_unmark_leaves(d->a, v, MARK_PROVISIONAL),
    };
    return true;
}

/* Those that are left out and stand in the state alone, behind all others. */
static void keep_other_exports(struct deploy *d, const struct instance_body *before) {
    struct instance_body *body = &d->stored.body;
    for (size_t i = 0; i < before->export_count; i++) {
        sv address = get_export_address(d, &before->exports[i]);
        bool is_in_template = d->t != NULL && template_find(d->t, address) != NULL;
        if (!is_in_template && is_left_out(d, address)) {
            body->exports[body->export_count++] = before->exports[i];
        }
    }
}

static void eval_exports(struct deploy *d) {
    struct instance_body *body = &d->stored.body, before = *body;
    body->exports = ARENA_ARRAY(d->a, struct export_record, d->topology.element_count + before.export_count);
    body->export_count = 0;
    for (uint32_t n = 0; n < d->topology.element_count; n++) {
        const struct element *e = &d->t->elements[n];
        struct export_record *next = &body->exports[body->export_count];
        if (e->kind == ELEMENT_EXPORT) {
            bool is_kept = is_left_out(d, e->address.text);
            body->export_count +=
                is_kept ? find_export(&before, plan_get_export_name(e), next) : eval_export(d, n, next);
        }
    }
    keep_other_exports(d, &before);
    if (d->t != NULL && d->t->metadata != NULL && !plan_is_limited(d->p)) {
        value metadata = eval_expr(get_evaluation(d)->evaluator, d->t->metadata, d->t->scope);
        body->metadata = value_is_error(metadata) ? (value){0} : metadata;
    }
}

/* --- what is only recorded (BP-439) --- */

static bool same_texts(const sv *x, size_t x_count, const sv *y, size_t y_count) {
    if (x_count != y_count) {
        return false;
    }
    for (size_t i = 0; i < x_count; i++) {
        if (!sv_eq(x[i], y[i])) {
            return false;
        }
    }
    return true;
}

static void record_element(struct deploy *d, uint32_t n) {
    const struct element *e = &d->t->elements[n];
    struct resource_record *r = stored_find_resource(&d->stored, e->address.text);
    if (r == NULL) {
        return;
    }
    const sv *needs;
    size_t count = topology_list_needs(&d->topology, d->a, n, &needs);
    sv policy = get_removal_policy(d, n), description = eval_description(d, n);
    bool same = sv_eq(r->description, description) && sv_eq(r->removal_policy, policy) &&
                same_texts(r->depends_on, r->depends_on_count, needs, count);
    if (same) {
        return;
    }
    snapshot_keep_record(d, r);
    r->description = description;
    r->removal_policy = policy;
    r->depends_on = needs;
    r->depends_on_count = count;
    write_resource(d, r);
    write_journal(d, &(struct journal_entry){.kind = JOURNAL_SAVED, .address = r->address.text});
}

static void record_elements(struct deploy *d) {
    for (uint32_t n = 0; n < d->topology.element_count; n++) {
        if (d->t->elements[n].kind == ELEMENT_RESOURCE && !is_left_out(d, d->t->elements[n].address.text)) {
            record_element(d, n);
        }
    }
}

/* --- history (LC-025) --- */

static value summary_value(struct deploy *d) {
    const struct plan_summary *s = &d->done;
    struct map_builder b = {.arena = &d->turn};
    field_put_int(&b, "create", (int64_t)s->create);
    field_put_int(&b, "update", (int64_t)s->update);
    field_put_int(&b, "replace", (int64_t)s->replace);
    field_put_int(&b, "destroy", (int64_t)s->destroy);
    field_put_int(&b, "retain", (int64_t)s->retain);
    field_put_int(&b, "check", (int64_t)s->check);
    return map_done(&b);
}

/* Keyed, as inputs may be secret; in rising precedence. */
static value input_digests(struct deploy *d) {
    struct list_builder all = {.arena = &d->turn};
    for (size_t i = 0; i < d->p->input_count; i++) {
        const struct template_input *input = &d->p->inputs[i];
        struct map_builder b = {.arena = &d->turn};
        field_put_text(&b, "name", input->name);
        field_put_text(&b, "digest", seal_digest(d->c->sealer, &d->turn, input->item));
        list_add(&all, map_done(&b));
    }
    return list_done(&all);
}

static enum store_result compact(struct deploy *d, size_t keep) {
    struct map_builder b = {.arena = &d->turn};
    actor_put(&b, d->c);
    field_put_text(&b, "planId", d->p->id);
    field_put_text(&b, "templateDigest", d->p->template_digest);
    field_put_value(&b, "inputDigests", input_digests(d));
    field_put_value(&b, "summary", summary_value(d));
    field_put_int(&b, "version", d->stored.instance.version);
    rollback_put_start(d, &b);
    snapshot_encode(&b, &d->saved.all);
    struct seal_place place = {.instance_id = d->stored.instance.id, .address = SV("history")};
    struct store_history entry = {
        .number = d->stored.body.history_number,
        .run_id = d->run_id,
        .kind = get_run_kind(d),
        .actor = d->c->host->ops->get_actor(d->c->host->user, &d->turn),
        .outcome = SV("succeeded"),
        .started_ms = d->started_wall_ms,
        .ended_ms = now_wall(d),
        .body = seal_encode(d->c->sealer, &d->turn, &place, map_done(&b)),
    };
    return d->c->store->ops->compact_journal(d->c->store, d->stored.instance.id, &entry, keep);
}

/* --- the last transaction --- */

static enum store_result append_end(struct deploy *d, sv outcome) {
    struct map_builder b = {.arena = &d->turn};
    field_put_text(&b, "outcome", outcome);
    field_put_value(&b, "summary", summary_value(d));
    struct journal_entry entry = {.kind = JOURNAL_RUN_ENDED, .wall_ms = now_wall(d), .body = map_done(&b)};
    return journal_append(&d->journal, &d->turn, &entry);
}

static enum store_result write_success(struct deploy *d, enum status status) {
    struct instance_body *body = &d->stored.body;
    enum store_result r = append_end(d, status_get_text(status));
    body->journal_sequence = d->journal.sequence;
    memcpy(body->journal_mac, d->journal.mac, sizeof body->journal_mac);
    size_t keep = d->c->keep_history == 0 ? 50 : d->c->keep_history;
    r = r == STORE_OK && d->p->rollback != NULL ? rollback_keep_runs(d, keep) : r;
    body->history_number++;
    body->duration_ms = now_monotonic(d) - d->started_ms;
    r = r == STORE_OK ? compact(d, keep) : r;
    if (r != STORE_OK) {
        return r;
    }
    if (d->p->destroy && !has_rest(d)) {
        return d->c->store->ops->delete_instance(d->c->store, d->stored.instance.id);
    }
    if (d->p->rollback != NULL) {
        rollback_restore_body(d);
        return put_instance(d, status);
    }
    if (!d->p->destroy) {
        body->template_digest = d->p->template_digest;
        body->template_file = d->p->template_file;
        body->digests = d->p->pins;
        body->digest_count = d->p->pin_count;
    }
    take_results(d, true);
    body->last_deployed_ms = now_wall(d);
    return put_instance(d, status);
}

static void write_end(struct deploy *d, bool all, enum status status) {
    if (!begin_write(d)) {
        return;
    }
    enum store_result r;
    if (all) {
        r = write_success(d, status);
    } else {
        r = append_end(d, status_get_text(status));
        r = r == STORE_OK ? put_instance(d, status) : r;
    }
    r = r == STORE_OK ? events_save(d) : r;
    r = r == STORE_OK ? end_queued(d, status_get_text(status)) : r;
    if (!check_write(d, r)) {
        d->c->store->ops->rollback(d->c->store);
        return;
    }
    check_write(d, d->c->store->ops->commit(d->c->store));
}

static const char *describe_end(enum exec_op_state state) {
    switch (state) {
    case EXEC_OP_FAILED:
        return "failed";
    case EXEC_OP_UNKNOWN:
        return "was cut off";
    case EXEC_OP_WAITING:
    case EXEC_OP_READY:
        return "was not started";
    case EXEC_OP_UNDER_WAY:
    case EXEC_OP_PAUSED:
    case EXEC_OP_SUCCEEDED:
        break;
    }
    return NULL;
}

/* The first operation in front of it that has not ended well, those that have failed before those that have not begun;
 * else why nothing started any more. */
static sv find_reason(const struct deploy *d, const struct plan_op *op) {
    const struct op_run *cause = NULL;
    const char *how = NULL;
    for (size_t i = 0; i < op->after_count; i++) {
        uint32_t before = op->after[i];
        enum exec_op_state state = before < d->p->op_count ? exec_get_op_state(d->exec, before) : EXEC_OP_SUCCEEDED;
        bool is_open = state == EXEC_OP_WAITING || state == EXEC_OP_READY;
        if (describe_end(state) != NULL && (cause == NULL || !is_open)) {
            cause = &d->ops[before];
            how = describe_end(state);
        }
        if (how != NULL && !is_open) {
            break;
        }
    }
    if (cause != NULL) {
        return arena_printf(d->a, "'%.*s' of '%.*s' %s", SV_ARG(cause->action), SV_ARG(cause->change->address.text),
                            how);
    }
    const char *why = d->lease_lost         ? "another run has taken the instance over"
                      : d->store_failed     ? "the state could not be saved"
                      : d->signals_seen > 0 ? "the run was interrupted"
                      : d->failed > 0       ? "the run stopped after a failure"
                                            : "what became of an earlier operation is not known";
    return sv_from_cstr(why);
}

static void tell_not_started(struct deploy *d) {
    for (size_t i = 0; i < d->p->op_count; i++) {
        enum exec_op_state state = exec_get_op_state(d->exec, (uint32_t)i);
        if (state == EXEC_OP_WAITING || state == EXEC_OP_READY) {
            sv why = find_reason(d, &d->p->ops[i]);
            emit_message(d, d->ops[i].change->address.text,
                         arena_printf(d->a, "'%.*s' was not started: %.*s", SV_ARG(d->ops[i].action), SV_ARG(why)));
        }
    }
}

void end_run(struct deploy *d) {
    bool all = has_all(d);
    /* A forced destruction removes the record whatever was left behind (BP-510). */
    bool gives_up = d->p->destroy && d->c->force && !d->lease_lost && !d->store_failed && d->signals_seen == 0;
    enum status status = end_status(d, all);
    if (!all && d->exec != NULL) {
        tell_not_started(d);
    }
    find_left_out(d);
    if (all && d->p->rollback == NULL && (!d->p->destroy || has_rest(d))) {
        eval_exports(d);
    }
    if (all && !d->p->destroy) {
        record_elements(d);
    }
    emit_summary(d, status_get_text(status));
    flush_batch(d);
    if (!d->hard_stop) {
        write_end(d, all || gives_up, status);
    }
    arena_fini(&d->turn);
}
