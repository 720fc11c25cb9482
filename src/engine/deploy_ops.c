/* Starting operations: what the provider gets, and the intent in front of it (LC-020 to LC-022). */
#include "engine/deploy.h"

#include "engine/fields.h"
#include "engine/planner.h"
#include "engine/specs.h"

enum { CALL_DEADLINE_MS = 5 * 60 * 1000 };
#define NO_ELEMENT UINT32_MAX

/* --- once, before the first step --- */

static sv get_action(const struct plan_op *op, const struct change *c) {
    if (op->kind == OP_DESTROY || op->kind == OP_UNLINK) {
        return SV("destroy");
    }
    return c->action == ACTION_CREATE || c->action == ACTION_REPLACE ? SV("create") : SV("update");
}

/* The type of the object that the operation works on: of a replaced resource's old one it may be another. */
static sv get_type_name(const struct deploy *d, const struct plan_op *op, const struct change *c) {
    const struct resource_record *r = stored_find_resource(&d->stored, c->address.text);
    return op->kind == OP_DESTROY && c->action == ACTION_REPLACE && r != NULL ? r->type : c->type;
}

/* Of two updates of one object each has its own key: the instance's version tells them apart (LC-022). */
static void make_key(struct deploy *d, struct op_run *o) {
    sv action = o->action;
    if (sv_eq_cstr(action, "update")) {
        action = arena_printf(d->a, "update %lld", (long long)d->p->instance_version);
    }
    seal_operation_key(d->p->instance_id, o->change->address.text, o->generation, action, o->key);
}

static void fill_op(struct deploy *d, struct op_run *o, const struct plan_op *op) {
    const struct change *c = &d->p->changes[op->change];
    o->op = op;
    o->change = c;
    o->action = get_action(op, c);
    o->element = NO_ELEMENT;
    o->generation = c->generation;
    bool removes = op->kind == OP_DESTROY || op->kind == OP_UNLINK;
    if (removes && c->action == ACTION_REPLACE) {
        o->generation = c->generation - 1;
    }
    if (op->kind == OP_LINK) {
        uintptr_t number = (uintptr_t)map_find(&d->links, c->address.text);
        o->element = number == 0 ? NO_ELEMENT : (uint32_t)(number - 1);
        return;
    }
    const struct element *e = d->t == NULL ? NULL : template_find(d->t, c->address.text);
    if (e != NULL && op->kind == OP_CREATE) {
        o->element = template_get_number(d->t, e);
    }
    o->type = providers_find_type(d->c->providers, get_type_name(d, op, c));
    make_key(d, o);
}

void op_fill_all(struct deploy *d) {
    d->links = MAP(d->a);
    for (size_t i = 0; d->t != NULL && i < d->t->link_count; i++) {
        map_put(&d->links, d->t->links[i].address.text, (void *)(uintptr_t)(i + 1));
    }
    d->ops = ARENA_ARRAY(d->a, struct op_run, d->p->op_count);
    d->op_by_address = MAP(d->a);
    for (size_t i = 0; i < d->p->op_count; i++) {
        fill_op(d, &d->ops[i], &d->p->ops[i]);
        if (d->p->ops[i].kind == OP_CREATE || d->p->ops[i].kind == OP_LINK) {
            map_put(&d->op_by_address, d->ops[i].change->address.text, (void *)(uintptr_t)(i + 1));
        }
    }
}

/* --- calls --- */

static enum provider_result (*get_function(const struct op_run *o))(struct provider_call *) {
    if (o->phase == PHASE_STABLE) {
        return o->type->is_stable;
    }
    if (sv_eq_cstr(o->action, "create")) {
        return o->type->create;
    }
    return sv_eq_cstr(o->action, "update") ? o->type->update : o->type->destroy;
}

static value copy_if_set(struct arena *a, value v) {
    return value_is_set(v) ? value_copy(a, v) : v;
}

static const struct field_diff *copy_diff(struct arena *a, const struct field_diff *diff) {
    struct field_diff *copy = ARENA_NEW(a, struct field_diff);
    for (size_t i = 0; i < diff->changes.len; i++) {
        struct field_change f = diff->changes.items[i];
        struct path_step *steps = ARENA_ARRAY(a, struct path_step, f.path.len);
        for (size_t k = 0; k < f.path.len; k++) {
            steps[k] = f.path.steps[k];
            steps[k].key = arena_copy_sv(a, steps[k].key);
        }
        f.path.steps = steps;
        f.before = copy_if_set(a, f.before);
        f.after = copy_if_set(a, f.after);
        VEC_PUSH(a, &copy->changes, f);
    }
    return copy;
}

/* What links have set in the object, the provider gets too, so that it is kept (BP-491). Another object does not have
 * it. */
static value with_fields(struct deploy *d, const struct op_run *o, value spec) {
    bool is_new = sv_eq_cstr(o->action, "create");
    return is_new ? spec : link_fields_lay_over(&d->fields, &d->turn, o->change->address.text, spec);
}

static struct job *make_job(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    struct job *j = job_new();
    struct arena *a = &j->arena;
    a->secret = value_is_set(o->spec) && value_is_sensitive(o->spec);
    int64_t limit = o->type->deadline_ms > 0 ? o->type->deadline_ms : CALL_DEADLINE_MS;
    j->op = op;
    j->phase = (int)o->phase;
    j->fn = get_function(o);
    j->call = (struct provider_call){
        .arena = a,
        .address.text = arena_copy_sv(a, o->change->address.text),
        .instance_id = arena_copy_sv(a, d->p->instance_id),
        .deadline_ms = now_monotonic(d) + limit,
        .host = d->c->host,
        .base_dir = arena_copy_sv(a, d->p->root_dir),
        .context = arena_copy_sv(a, d->c->context),
        .spec = copy_if_set(a, with_fields(d, o, o->spec)),
        .metadata = copy_if_set(a, o->metadata),
        .prior = copy_if_set(a, with_fields(d, o, o->prior)),
        .physical_id = arena_copy_sv(a, o->physical_id),
        .diff = o->diff == NULL ? NULL : copy_diff(a, o->diff),
    };
    memcpy(j->call.op_key, o->key, sizeof o->key);
    o->job = j;
    o->call_ends_ms = j->call.deadline_ms;
    return j;
}

/* What touches nothing outside needs not wait for its intent: until the commit nobody sees its outcome either. Whatever
 * uses that outcome outside starts after the commit, as always. */
static void queue_call(struct deploy *d, uint32_t op) {
    struct job *job = make_job(d, op);
    if (d->ops[op].type->effectless) {
        job->result = rollback_recall(d, &d->ops[op], &job->call) ? PROVIDER_OK : job->fn(&job->call);
        op_take_result(d, job);
        return;
    }
    VEC_PUSH(&d->turn, &d->batch.starts, job);
}

/* --- intents --- */

static void put_element_fields(struct deploy *d, struct map_builder *b, const struct op_run *o) {
    if (o->element == NO_ELEMENT) {
        return;
    }
    const struct element *e = &d->t->elements[o->element];
    const sv *needs;
    size_t count = topology_list_needs(&d->topology, &d->turn, o->element, &needs);
    field_put_text(b, "name", e->name);
    field_put_text(b, "templateName", e->template_name);
    field_put_text(b, "description", eval_description(d, o->element));
    field_put_text(b, "removalPolicy", get_removal_policy(d, o->element));
    field_put_texts(b, "dependsOn", needs, count);
}

static void write_intent(struct deploy *d, struct op_run *o) {
    struct arena *a = &d->turn;
    struct map_builder b = {.arena = a};
    field_put_text(&b, "type", o->type->name);
    field_put_text(&b, "opKey", field_print_hex(a, o->key, sizeof o->key));
    field_put_int(&b, "generation", o->generation);
    if (stored_find_resource(&d->stored, o->change->address.text) == NULL) { /* else its row tells */
        field_put_int(&b, "position", find_place(d, o->change->address.text));
    }
    field_put_text(&b, "physicalId", o->physical_id);
    field_put_text(&b, "planId", d->p->id);
    field_put_text(&b, "rootDir", d->p->root_dir);
    field_put_bool(&b, "elementStays", op_element_stays(d, o));
    field_put_bool(&b, "replaces", o->change->action == ACTION_REPLACE);
    if (value_is_set(o->spec)) {
        value text = value_string(a, value_print_json(a, o->spec, 0, REVEAL));
        field_put_text(&b, "digest", seal_digest(d->c->sealer, a, text));
        field_put_value(&b, "desired", o->spec);
    }
    field_put_value(&b, "metadata", o->metadata);
    if (value_is_set(o->prior) && !sv_eq_cstr(o->action, "create")) {
        field_put_value(&b, "prior", o->prior);
    }
    put_element_fields(d, &b, o);
    rollback_put_intent(d, o, &b);
    write_journal(d, &(struct journal_entry){.kind = JOURNAL_INTENT,
                                             .operation = o->op->id,
                                             .address = o->change->address.text,
                                             .action = o->action,
                                             .body = map_done(&b)});
    o->has_intent = true;
}

static void begin_call(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    o->phase = PHASE_MAKE;
    if (o->type == NULL || get_function(o) == NULL) {
        op_add_reason(d, o, SV("no provider offers its type"));
        op_fail(d, op, EXEC_FAILED);
        return;
    }
    o->has_started = true;
    emit_op_event(d, EVENT_ELEMENT_STARTED, o);
    write_intent(d, o);
    queue_call(d, op);
}

/* --- kinds of operations --- */

/* What differs now that everything is known. False after a failure: a replacement would be needed that was not staged
 * (BP-451). */
static bool compare_resolved(struct deploy *d, struct op_run *o, const struct resource_record *r) {
    struct field_diff *diff = ARENA_NEW(d->a, struct field_diff);
    struct compare_request request = {
        .arena = d->a,
        .sealer = d->c->sealer,
        .type = o->type,
        .spec_before = r->spec,
        .computed_before = r->computed,
        .metadata_before = r->metadata,
        .spec_after = o->spec,
        .metadata_after = o->metadata,
    };
    plan_compare(&request, diff);
    o->diff = diff;
    for (size_t i = 0; i < diff->changes.len; i++) {
        const struct field_change *f = &diff->changes.items[i];
        if (f->must_recreate) {
            sv path = path_to_text(d->a, f->path);
            diags_add(d->c->diags, DIAG_replacement_not_staged,
                      o->element == NO_ELEMENT ? SPAN_NONE : d->t->elements[o->element].at,
                      "'%.*s' of '%.*s' needs a replacement that was not staged", SV_ARG(path),
                      SV_ARG(o->change->address.text));
            op_add_reason(d, o, SV("it needs a replacement that was not staged"));
            return false;
        }
    }
    return true;
}

static void start_make(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    if (!op_resolve(d, o)) {
        op_fail(d, op, EXEC_FAILED);
        return;
    }
    const struct resource_record *r = stored_find_resource(&d->stored, o->change->address.text);
    bool is_update = sv_eq_cstr(o->action, "update");
    if (!is_update) {
        begin_call(d, op);
        return;
    }
    if (r == NULL || !record_has_object(r)) {
        op_add_reason(d, o, SV("the object to update is not in the state"));
        op_fail(d, op, EXEC_FAILED);
        return;
    }
    o->prior = schema_merge(d->a, r->spec, r->computed);
    o->physical_id = r->physical_id;
    if (!compare_resolved(d, o, r)) {
        op_fail(d, op, EXEC_FAILED);
    } else if (o->diff->changes.len == 0 && !o->change->forced) {
        op_succeed_at_once(d, op);
    } else {
        begin_call(d, op);
    }
}

/* The object to destroy: the element's own, or the deposed one of that generation. False when there is none. */
static bool find_doomed(struct deploy *d, struct op_run *o) {
    const struct resource_record *r = stored_find_resource(&d->stored, o->change->address.text);
    if (r == NULL) {
        return false;
    }
    sv generation = arena_printf(d->a, "%lld", (long long)o->generation);
    for (size_t i = 0; i < r->deposed_count; i++) {
        const struct deposed *old = &r->deposed[i];
        if (sv_eq(old->generation, generation)) {
            o->spec = old->spec;
            o->prior = schema_merge(d->a, old->spec, old->computed);
            o->physical_id = old->physical_id;
            o->metadata = r->metadata;
            return true;
        }
    }
    if (!record_has_object(r) || o->change->deposed || r->generation != o->generation) {
        return false;
    }
    o->spec = r->spec;
    o->prior = schema_merge(d->a, r->spec, r->computed);
    o->physical_id = r->physical_id;
    o->metadata = r->metadata;
    return true;
}

static void start_destroy(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    if (!find_doomed(d, o) || op_retains(d, o)) {
        op_succeed_at_once(d, op);
    } else {
        begin_call(d, op);
    }
}

/* --- conditions that only now are known (BP-468) --- */

static void skip_make(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    const struct resource_record *r = stored_find_resource(&d->stored, o->change->address.text);
    o->is_excluded = true;
    if (r != NULL && !record_has_object(r) && r->deposed_count == 0) { /* a failed creation, half a replacement */
        stored_remove(&d->stored, o->change->address.text);
        write_delete(d, o->change->address.text);
    }
    emit_message(d, o->change->address.text, SV("left out: its condition is false"));
    op_skip(d, op);
}

/* Whether the operation goes on; else it is over. */
static bool settle_condition(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    bool removes = o->op->kind == OP_DESTROY || o->op->kind == OP_UNLINK;
    if (!o->change->condition_known_on_deploy || (removes && !o->op->only_if_excluded)) {
        return true;
    }
    enum condition condition = op_find_condition(d, o);
    if (condition == CONDITION_OPEN || condition == CONDITION_FAILED) {
        op_add_reason(d, o,
                      condition == CONDITION_OPEN ? SV("its condition is still not known")
                                                  : SV("its condition cannot be evaluated"));
        op_fail(d, op, EXEC_FAILED);
        return false;
    }
    bool is_excluded = condition == CONDITION_FALSE;
    if (removes) {
        o->is_excluded = is_excluded;
        if (!is_excluded) {
            op_skip(d, op);
        }
        return is_excluded;
    }
    if (is_excluded) {
        skip_make(d, op);
    }
    return !is_excluded;
}

void op_start(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    o->started_ms = now_monotonic(d);
    if (!settle_condition(d, op)) {
        return;
    }
    switch (o->op->kind) {
    case OP_CREATE:
        start_make(d, op);
        return;
    case OP_DESTROY:
        start_destroy(d, op);
        return;
    case OP_LINK:
    case OP_UNLINK:
        link_start(d, op);
        return;
    }
}

void op_go_on(struct deploy *d, uint32_t op) {
    if (d->ops[op].link != NULL) {
        link_go_on(d, op);
    } else {
        queue_call(d, op);
    }
}
