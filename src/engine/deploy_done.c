/* Outcomes: what a provider's answer means for the records, the journal and the machine (BP-466, BP-500, LC-071). */
#include "engine/deploy.h"

#include "engine/fields.h"
#include "engine/planner.h"
#include "engine/specs.h"

#define NO_ELEMENT UINT32_MAX

void op_add_reason(struct deploy *d, struct op_run *o, sv text) {
    VEC_PUSH(d->a, &o->reasons, mask_text(d, text));
}

static span get_place(const struct deploy *d, const struct op_run *o) {
    bool in_template = o->element != NO_ELEMENT && o->op->kind == OP_CREATE;
    return in_template ? d->t->elements[o->element].at : SPAN_NONE;
}

static bool tell_later(struct deploy *d, uint32_t op, enum exec_outcome outcome, int64_t wait_ms) {
    struct exec_report r = {.op = op, .outcome = outcome, .now_ms = now_monotonic(d), .wait_ms = wait_ms};
    if (outcome == EXEC_TRANSIENT) {
        d->c->host->ops->fill_random(d->c->host->user, &r.random, sizeof r.random);
    }
    return exec_done(d->exec, &r);
}

bool op_tell(struct deploy *d, uint32_t op, enum exec_outcome outcome) {
    return tell_later(d, op, outcome, d->c->stable_interval_ms);
}

bool op_tell_wait(struct deploy *d, uint32_t op, int64_t wait_ms) {
    return tell_later(d, op, EXEC_WAIT, wait_ms);
}

void op_write_outcome(struct deploy *d, const struct op_run *o, const char *result, value computed) {
    struct map_builder b = {.arena = &d->turn};
    field_put_text(&b, "result", sv_from_cstr(result));
    field_put_text(&b, "planId", d->p->id);
    field_put_value(&b, "computed", computed);
    field_put_texts(&b, "reasons", o->reasons.items, o->reasons.len);
    write_journal(d, &(struct journal_entry){.kind = JOURNAL_OUTCOME,
                                             .operation = o->op->id,
                                             .address = o->change->address.text,
                                             .action = o->action,
                                             .body = map_done(&b)});
}

void op_write_progress(struct deploy *d, const struct op_run *o, value token) {
    struct map_builder b = {.arena = &d->turn};
    field_put_value(&b, "token", token);
    write_journal(d, &(struct journal_entry){.kind = JOURNAL_PROGRESS,
                                             .operation = o->op->id,
                                             .address = o->change->address.text,
                                             .action = o->action,
                                             .body = map_done(&b)});
}

/* --- ends --- */

static void count_done(struct deploy *d, const struct op_run *o) {
    d->succeeded++;
    if (o->change->kind != ELEMENT_RESOURCE) {
        return;
    }
    bool removes = o->op->kind == OP_DESTROY;
    if (o->op->only_if_excluded) {
        *(op_retains(d, o) ? &d->done.retain : &d->done.destroy) += 1;
        return;
    }
    switch (o->change->action) {
    case ACTION_CREATE:
        d->done.create++;
        break;
    case ACTION_UPDATE:
        d->done.update++;
        break;
    case ACTION_REPLACE:
        d->done.replace += !removes;
        d->done.retain += removes && o->change->retain;
        break;
    case ACTION_DELETE:
        d->done.destroy++;
        break;
    case ACTION_RETAIN:
        d->done.retain++;
        break;
    case ACTION_CHECK:
        d->done.check++;
        break;
    case ACTION_NONE:
    case ACTION_READ:
        break;
    }
}

bool op_element_stays(const struct deploy *d, const struct op_run *o) {
    uintptr_t create = (uintptr_t)map_find(&d->op_by_address, o->change->address.text);
    bool is_excluded = create != 0 && d->ops[create - 1].is_excluded;
    return (o->change->action == ACTION_REPLACE && !is_excluded) || o->change->deposed;
}

bool op_retains(const struct deploy *d, const struct op_run *o) {
    uint32_t element = o->op->only_if_excluded ? op_find_element(d, o) : NO_ELEMENT;
    bool excluded = element != NO_ELEMENT && !sv_eq_cstr(get_removal_policy(d, element), "delete");
    return o->change->action == ACTION_RETAIN || o->change->retain || excluded;
}

void op_skip(struct deploy *d, uint32_t op) {
    d->ops[op].over = true;
    op_tell(d, op, EXEC_SUCCEEDED);
}

void op_end_well(struct deploy *d, uint32_t op, enum status status) {
    struct op_run *o = &d->ops[op];
    o->over = true;
    o->status = status;
    count_done(d, o);
    op_tell(d, op, EXEC_SUCCEEDED);
    emit_op_event(d, EVENT_ELEMENT_ENDED, o);
}

static enum diag_code failure_code(const struct op_run *o) {
    if (o->op->kind == OP_LINK || o->op->kind == OP_UNLINK) {
        return DIAG_link_deploy_failed;
    }
    return o->op->kind == OP_DESTROY ? DIAG_resource_destroy_failed : DIAG_resource_deploy_failed;
}

static void report_failure(struct deploy *d, const struct op_run *o) {
    struct buf text = BUF(&d->turn);
    for (size_t i = 0; i < o->reasons.len; i++) {
        buf_append_cstr(&text, i == 0 ? ": " : "; ");
        buf_append(&text, o->reasons.items[i]);
    }
    sv reasons = buf_get_sv(&text);
    struct diag *diag = diags_add(d->c->diags, failure_code(o), get_place(d, o), "'%.*s' of '%.*s' failed%.*s",
                                  SV_ARG(o->action), SV_ARG(o->change->address.text), SV_ARG(reasons));
    diag->path = o->change->address.text;
    emit_diagnostic(d, diag);
}

static void record_failure(struct deploy *d, struct op_run *o, enum op_failure failure) {
    if (o->op->kind == OP_LINK || o->op->kind == OP_UNLINK) {
        link_record_failure(d, o, failure);
        return;
    }
    struct failed_operation f = {
        .address = o->change->address,
        .name = o->element == NO_ELEMENT ? (sv){0} : d->t->elements[o->element].name,
        .type = o->change->type,
        .action = o->action,
        .generation = o->generation,
        .failure = failure,
        .reasons = o->reasons.items,
        .reason_count = o->reasons.len,
        .now_ms = now_wall(d),
    };
    struct resource_record *r = apply_failed(&d->stored, &f);
    o->status = r->status;
    if (failure == FAILURE_FAILED) {
        rollback_mark(d, o, r, ROLLBACK_FAILED);
    }
    write_resource(d, r);
}

void op_fail(struct deploy *d, uint32_t op, enum exec_outcome outcome) {
    struct op_run *o = &d->ops[op];
    o->over = true;
    d->failed++;
    record_failure(d, o, FAILURE_FAILED);
    if (o->has_intent) {
        op_write_outcome(d, o, "failed", (value){0});
    }
    report_failure(d, o);
    op_tell(d, op, outcome);
    emit_op_event(d, EVENT_ELEMENT_ENDED, o);
}

void op_give_up(struct deploy *d, uint32_t op) {
    op_fail(d, op, EXEC_FAILED); /* the machine has ended it already and ignores the report */
}

/* The intent stays open: the next run finds out (LC-023). */
void op_abandon(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    o->over = true;
    d->interrupted++;
    record_failure(d, o, FAILURE_INTERRUPTED);
    struct diag *diag =
        diags_add(d->c->diags, DIAG_operation_interrupted, get_place(d, o), "'%.*s' of '%.*s' did not end in time",
                  SV_ARG(o->action), SV_ARG(o->change->address.text));
    diag->path = o->change->address.text;
    emit_diagnostic(d, diag);
    emit_op_event(d, EVENT_ELEMENT_ENDED, o);
}

/* --- without a provider --- */

static void forget_object(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    struct removed_object removed = {
        .address = o->change->address.text,
        .generation = o->generation,
        .element_stays = op_element_stays(d, o),
        .now_ms = now_wall(d),
    };
    if (op_retains(d, o)) {
        snapshot_save_left(d, removed.address, removed.generation);
    }
    const struct resource_record *before = stored_find_resource(&d->stored, removed.address);
    bool was_own = before != NULL && before->generation == removed.generation;
    struct resource_record *r = apply_removed(&d->stored, &removed);
    if (r != NULL && was_own) {
        rollback_mark(d, o, r, ROLLBACK_RUNNING);
    }
    if (r == NULL) {
        write_delete(d, o->change->address.text);
    } else {
        write_resource(d, r);
    }
}

void op_succeed_at_once(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    switch (o->op->kind) {
    case OP_LINK:
    case OP_UNLINK: /* deploy_links.c */
        return;
    case OP_DESTROY:
        forget_object(d, op);
        op_end_well(d, op, op_retains(d, o) ? STATUS_retained : STATUS_destroyed);
        return;
    case OP_CREATE:
        op_end_well(d, op, STATUS_updated);
        return;
    }
}

/* --- what a provider made --- */

/* The computed fields fit the schema (BP-466). False after a reason. */
static bool check_computed(struct deploy *d, struct op_run *o, value computed) {
    const struct schema *schema = o->type->schema;
    if (schema == NULL || schema->type != SCHEMA_OBJECT) {
        return true;
    }
    enum diag_code code = DIAG_NO_CODE;
    sv name = {0};
    for (size_t i = 0; computed.kind == VALUE_MAP && i < computed.map->len && code == DIAG_NO_CODE; i++) {
        name = computed.map->entries[i].key;
        const struct schema_attribute *attribute = schema_find_attribute(schema, name);
        unsigned computes = SCHEMA_COMPUTED | SCHEMA_COMPUTED_WHEN_OMITTED;
        if (attribute == NULL || (attribute->schema->flags & computes) == 0) {
            code = DIAG_unexpected_computed_field;
        }
    }
    for (size_t i = 0; i < schema->attribute_count && code == DIAG_NO_CODE; i++) {
        unsigned flags = schema->attributes[i].schema->flags;
        name = schema->attributes[i].name;
        bool has = computed.kind == VALUE_MAP && value_map_has(computed, name);
        if ((flags & SCHEMA_COMPUTED) != 0 && (flags & SCHEMA_NULLABLE) == 0 && !has) {
            code = DIAG_missing_computed_field;
        }
    }
    if (code == DIAG_NO_CODE) {
        return true;
    }
    const char *how =
        code == DIAG_missing_computed_field ? "did not return the computed field" : "returned an unknown field";
    diags_add(d->c->diags, code, get_place(d, o), "the provider of '%.*s' %s '%.*s'", SV_ARG(o->change->address.text),
              how, SV_ARG(name));
    op_add_reason(d, o, SV("the provider's answer does not fit its schema"));
    return false;
}

static struct resource_record *record_made(struct deploy *d, struct op_run *o, value computed, bool is_stable) {
    const struct element *e = o->element == NO_ELEMENT ? NULL : &d->t->elements[o->element];
    struct made_object m = {
        .address = o->change->address,
        .name = e == NULL ? (sv){0} : e->name,
        .type = o->type->name,
        .template_name = e == NULL ? (sv){0} : e->template_name,
        .description = e == NULL ? (sv){0} : eval_description(d, o->element),
        .removal_policy = e == NULL ? SV("delete") : get_removal_policy(d, o->element),
        .generation = o->generation,
        .spec = o->spec,
        .metadata = o->metadata,
        .computed = computed,
        .physical_id = spec_get_id(d->a, o->type, schema_merge(d->a, o->spec, computed)),
        .type_version = o->type->version,
        .now_ms = now_wall(d),
        .duration_ms = now_monotonic(d) - o->started_ms,
        .is_new = sv_eq_cstr(o->action, "create"),
        .replaces = o->change->action == ACTION_REPLACE,
        .is_stable = is_stable,
    };
    if (e != NULL) {
        m.depends_on_count = topology_list_needs(&d->topology, d->a, o->element, &m.depends_on);
    }
    struct resource_record *r = apply_made(&d->stored, &m);
    rollback_mark(d, o, r, is_stable ? ROLLBACK_COMPLETE : ROLLBACK_CONFIG_COMPLETE);
    settle_element(d, o->element);
    return r;
}

static value take_computed(struct deploy *d, struct op_run *o, const struct job *job, value before) {
    value computed = spec_settle_computed(d->a, o->type->schema, job->call.computed);
    mask_add_values(d, computed);
    return value_is_set(computed) && value_is_set(before) ? schema_merge(d->a, before, computed)
           : value_is_set(computed)                       ? computed
                                                          : before;
}

static void finish_made(struct deploy *d, uint32_t op, value computed) {
    struct op_run *o = &d->ops[op];
    struct resource_record *r = record_made(d, o, computed, true);
    op_write_outcome(d, o, "succeeded", computed);
    write_resource(d, r);
    op_end_well(d, op, r->status);
}

static void take_made(struct deploy *d, uint32_t op, const struct job *job) {
    struct op_run *o = &d->ops[op];
    const struct resource_record *before = stored_find_resource(&d->stored, o->change->address.text);
    bool keeps = before != NULL && sv_eq_cstr(o->action, "update");
    value computed = take_computed(d, o, job, keeps ? before->computed : (value){0});
    if (!check_computed(d, o, computed)) {
        record_made(d, o, computed, true); /* the object is there, whatever was said of it */
        op_fail(d, op, EXEC_FAILED);
        return;
    }
    if (o->type->is_stable == NULL) {
        finish_made(d, op, computed);
        return;
    }
    struct resource_record *r = record_made(d, o, computed, false);
    op_write_progress(d, o, computed);
    write_resource(d, r);
    op_tell(d, op, EXEC_CONFIG_COMPLETE);
    o->phase = PHASE_STABLE;
    o->physical_id = r->physical_id;
    o->prior = schema_merge(d->a, r->spec, r->computed);
    o->deadline_ms = now_monotonic(d) + d->c->stable_timeout_ms;
    op_go_on(d, op);
}

static void take_stable(struct deploy *d, uint32_t op, const struct job *job) {
    struct op_run *o = &d->ops[op];
    struct resource_record *r = stored_find_resource(&d->stored, o->change->address.text);
    if (job->result == PROVIDER_OK) {
        finish_made(d, op, take_computed(d, o, job, r == NULL ? (value){0} : r->computed));
        return;
    }
    if (now_monotonic(d) < o->deadline_ms) {
        op_tell(d, op, EXEC_WAIT);
        return;
    }
    diags_add(d->c->diags, DIAG_stabilisation_timeout, get_place(d, o), "'%.*s' did not become stable within %lld s",
              SV_ARG(o->change->address.text), (long long)(d->c->stable_timeout_ms / 1000));
    op_add_reason(d, o, SV("it did not become stable in time"));
    op_fail(d, op, EXEC_FAILED);
}

/* --- answers --- */

static void take_reasons(struct deploy *d, struct op_run *o, const struct job *job) {
    o->reasons.len = 0; /* of the last attempt */
    mask_add_values(d, job->call.computed);
    for (size_t i = 0; i < job->call.reasons.items.len; i++) {
        op_add_reason(d, o, job->call.reasons.items.items[i]);
    }
}

void op_take_failure(struct deploy *d, uint32_t op, const struct job *job) {
    struct op_run *o = &d->ops[op];
    take_reasons(d, o, job);
    if (job->result == PROVIDER_TRANSIENT && op_tell(d, op, EXEC_TRANSIENT)) {
        sv why = o->reasons.len > 0 ? o->reasons.items[0] : SV("it failed for the moment");
        emit_message(d, o->change->address.text, arena_printf(d->a, "trying again: %.*s", SV_ARG(why)));
        return;
    }
    op_fail(d, op, job->result == PROVIDER_FATAL ? EXEC_FATAL : EXEC_FAILED);
}

static void take_answer(struct deploy *d, uint32_t op, const struct job *job) {
    struct op_run *o = &d->ops[op];
    bool destroys = sv_eq_cstr(o->action, "destroy");
    switch (job->result) {
    case PROVIDER_OK:
        if (o->phase == PHASE_STABLE) {
            take_stable(d, op, job);
        } else if (destroys) {
            forget_object(d, op);
            op_write_outcome(d, o, "succeeded", (value){0});
            op_end_well(d, op, STATUS_destroyed);
        } else {
            take_made(d, op, job);
        }
        return;
    case PROVIDER_ABSENT:
        if (destroys) {
            forget_object(d, op);
            op_write_outcome(d, o, "absent", (value){0});
            op_end_well(d, op, STATUS_destroyed);
            return;
        }
        break;
    case PROVIDER_NOT_YET:
        if (o->phase == PHASE_STABLE) {
            take_stable(d, op, job);
            return;
        }
        break;
    case PROVIDER_CANNOT_TELL:
    case PROVIDER_TRANSIENT:
    case PROVIDER_TERMINAL:
    case PROVIDER_FATAL:
        break;
    }
    op_take_failure(d, op, job);
}

void op_take_result(struct deploy *d, struct job *job) {
    struct op_run *o = &d->ops[job->op];
    o->job = NULL;
    if (!o->over && job->link != NULL) {
        link_take_result(d, job->op, job);
    } else if (!o->over) { /* else it was abandoned */
        take_answer(d, job->op, job);
    }
    job_free(job);
}
