/* Operations of links (BP-490 to BP-492): update A, update B, the intermediaries; removal the other way round.
 *
 * Invariants: (1) one intent stands for the whole operation; no phase is called before it and the row that says so are
 * durable. (2) What a phase did is in the link's row in the transaction that holds its progress row, so that a run that
 * goes on begins behind it. (3) Whoever goes on with what was cut off uses the same key, unless something else is
 * wanted now. (4) The phases A and B are called only by the one operation that holds the lock of the resource; none
 * holds two. (5) What may have been made is in the row before it is made, so that a removal finds it. */
#include "engine/deploy.h"

#include "engine/fields.h"
#include "engine/link_phases.h"
#include "engine/specs.h"

#define NO_ELEMENT UINT32_MAX

enum { LINK_DEADLINE_MS = 5 * 60 * 1000, LOCK_MS = 15 * 60 * 1000, LOCK_LOOK_MS = 20 };

struct link_run {
    const struct link_type *type;
    struct link_record *record; /* the stored one */
    struct link_resource a, b;
    value data, prior, mappings;
    bool removes, becomes_idle;
    size_t at;     /* number of the phase */
    bool has_lock; /* of the phase's resource */
    bool has_call; /* the phase was begun */
    bool is_waiting;
    int64_t waits_since_ms;
};

/* --- links that only contribute --- */

static void fill_record(struct deploy *d, const struct op_run *o, const struct link_call *call, struct link_record *l) {
    const struct link_type *type = d->t->links[o->element].type;
    l->a = call->name_a;
    l->b = call->name_b;
    l->type_a = type->type_a;
    l->type_b = type->type_b;
    l->data = spec_unmark_leaves(d->a, call->data, MARK_PROVISIONAL);
    l->mappings = links_get_mappings(d->a, call);
}

/* The operation has ended well: what there was to say of earlier attempts is over. */
static enum status settle_record(struct deploy *d, struct op_run *o, struct link_record *l) {
    bool was_there = l->created_ms != 0;
    l->updated_ms = l->last_status_ms = now_wall(d);
    l->created_ms = was_there ? l->created_ms : l->updated_ms;
    l->duration_ms = now_monotonic(d) - o->started_ms;
    l->status = l->precise_status = was_there ? STATUS_updated : STATUS_created;
    rollback_mark_link(d, o, l, ROLLBACK_COMPLETE);
    l->generation = o->generation;
    l->op_key = l->op_digest = (sv){0};
    l->failure_reasons = NULL;
    l->failure_reason_count = 0;
    l->drift = (value){0};
    o->precise = l->precise_status;
    return l->status;
}

static void succeed_at_once(struct deploy *d, uint32_t op, const struct link_call *call) {
    struct op_run *o = &d->ops[op];
    struct link_record *l = stored_put_link(&d->stored, o->change->address);
    fill_record(d, o, call, l);
    enum status status = settle_record(d, o, l);
    write_link(d, l);
    op_end_well(d, op, status);
}

/* The row goes, or stays for the link that takes its place. */
static void end_removal(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    struct link_record *l = stored_find_link(&d->stored, o->change->address.text);
    if (l != NULL && op_element_stays(d, o)) {
        l->computed = l->fields = l->intermediaries = l->drift = (value){0};
        l->is_active = false;
        l->op_key = l->op_digest = (sv){0};
        l->status = l->precise_status = STATUS_updating;
        l->updated_ms = l->last_status_ms = now_wall(d);
        write_link(d, l);
    } else {
        stored_remove(&d->stored, o->change->address.text);
        write_delete(d, o->change->address.text);
    }
    o->precise = STATUS_destroyed;
    op_end_well(d, op, STATUS_destroyed);
}

/* --- sides --- */

static struct link_resource side_of(struct deploy *d, const struct link_record *l, sv name) {
    return link_find_side(d->a, &d->stored, l, name);
}

/* Of a removal: the object that the link was made with, which is deposed by now when its replacement stands already. */
static struct link_resource old_side_of(struct deploy *d, const struct link_record *l, sv name) {
    struct link_resource side = side_of(d, l, name);
    uintptr_t number = (uintptr_t)map_find(&d->op_by_address, side.address.text);
    const struct change *change = number == 0 ? NULL : d->ops[number - 1].change;
    const struct resource_record *r = stored_find_resource(&d->stored, side.address.text);
    if (change == NULL || change->action != ACTION_REPLACE || r == NULL || r->generation != change->generation) {
        return side;
    }
    sv generation = arena_printf(d->a, "%lld", (long long)(change->generation - 1));
    side.spec = (value){0};
    for (size_t i = 0; i < r->deposed_count; i++) {
        if (sv_eq(r->deposed[i].generation, generation)) {
            side.type = r->deposed[i].type;
            side.physical_id = r->deposed[i].physical_id;
            side.spec = schema_merge(d->a, r->deposed[i].spec, r->deposed[i].computed);
        }
    }
    return side;
}

/* --- keys --- */

static void list_side(struct map_builder *b, const char *key, const struct link_resource *side) {
    struct map_builder one = {.arena = b->arena};
    field_put_text(&one, "id", side->physical_id);
    field_put_value(&one, "spec", side->spec);
    field_put_value(&one, "metadata", side->metadata);
    map_add(b, sv_from_cstr(key), map_done(&one));
}

/* Tells whether what is wanted now is what was wanted when an operation was cut off (3). */
static sv digest_wanted(struct deploy *d, const struct link_run *run) {
    struct map_builder b = {.arena = &d->turn};
    map_add(&b, SV("removes"), value_bool(run->removes));
    field_put_value(&b, "data", run->data);
    list_side(&b, "a", &run->a);
    list_side(&b, "b", &run->b);
    value text = value_string(&d->turn, value_print_json(&d->turn, map_done(&b), 0, REVEAL));
    return seal_digest(d->c->sealer, d->a, text);
}

/* Goes on with the key and behind the phases of what was cut off, or begins anew. */
static void choose_key(struct deploy *d, struct op_run *o) {
    struct link_run *run = o->link;
    struct link_record *l = run->record;
    sv digest = digest_wanted(d, run);
    if (sv_eq(digest, l->op_digest) && field_parse_hex(l->op_key, o->key, sizeof o->key)) {
        run->at = link_count_done(l->precise_status, run->removes);
        return;
    }
    bool is_new = l->created_ms == 0 && l->op_key.len == 0 && !run->removes;
    sv action = is_new         ? SV("create")
                : run->removes ? SV("destroy")
                               : arena_printf(d->a, "update %lld", (long long)d->p->instance_version);
    seal_operation_key(d->p->instance_id, o->change->address.text, o->generation, action, o->key);
    l->op_key = field_print_hex(d->a, o->key, sizeof o->key);
    l->op_digest = digest;
}

/* --- rows --- */

static enum status get_phase_status(const struct deploy *d, const struct link_run *run, enum link_phase_state state) {
    return link_phase_get_status(link_phase_find(run->at, run->removes), state, d->p->rollback != NULL);
}

static void write_phase(struct deploy *d, struct op_run *o, enum link_phase_state state) {
    struct link_record *l = o->link->record;
    enum status precise = get_phase_status(d, o->link, state);
    l->precise_status = o->precise = precise;
    l->last_status_ms = now_wall(d);
    struct map_builder token = {.arena = &d->turn};
    field_put_text(&token, "phase", link_phase_get_name(link_phase_find(o->link->at, o->link->removes)));
    field_put_text(&token, "status", status_get_text(precise));
    op_write_progress(d, o, map_done(&token));
    write_link(d, l);
}

static void put_side(struct map_builder *b, const char *key, const struct link_resource *side) {
    struct map_builder one = {.arena = b->arena};
    field_put_text(&one, "address", side->address.text);
    field_put_text(&one, "name", side->name);
    field_put_text(&one, "type", side->type);
    field_put_text(&one, "physicalId", side->physical_id);
    field_put_value(&one, "spec", side->spec);
    field_put_value(&one, "metadata", side->metadata);
    map_add(b, sv_from_cstr(key), map_done(&one));
}

static void write_intent(struct deploy *d, struct op_run *o) {
    const struct link_run *run = o->link;
    struct map_builder b = {.arena = &d->turn};
    field_put_text(&b, "kind", SV("link"));
    field_put_text(&b, "type", o->change->type);
    field_put_text(&b, "opKey", field_print_hex(&d->turn, o->key, sizeof o->key));
    field_put_int(&b, "generation", o->generation);
    field_put_text(&b, "planId", d->p->id);
    field_put_text(&b, "rootDir", d->p->root_dir);
    field_put_bool(&b, "elementStays", op_element_stays(d, o));
    field_put_value(&b, "desired", run->data);
    field_put_value(&b, "prior", run->prior);
    put_side(&b, "a", &run->a);
    put_side(&b, "b", &run->b);
    write_journal(d, &(struct journal_entry){.kind = JOURNAL_INTENT,
                                             .operation = o->op->id,
                                             .address = o->change->address.text,
                                             .action = o->action,
                                             .body = map_done(&b)});
    o->has_intent = true;
}

/* --- locks --- */

/* The resource that the phase writes; empty for intermediaries. */
static sv get_lock(const struct link_run *run) {
    enum link_phase phase = link_phase_find(run->at, run->removes);
    return phase == LINK_PHASE_A ? run->a.address.text : phase == LINK_PHASE_B ? run->b.address.text : (sv){0};
}

static void release_lock(struct deploy *d, struct link_run *run) {
    if (run->has_lock) {
        map_remove(&d->locks, get_lock(run));
    }
    run->has_lock = run->is_waiting = false;
}

/* Whether the phase may go on; else it waits, or has failed. */
static bool take_lock(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    struct link_run *run = o->link;
    sv lock = get_lock(run);
    if (lock.len == 0 || run->has_lock) {
        return true;
    }
    uintptr_t holder = (uintptr_t)map_find(&d->locks, lock);
    if (holder == 0) {
        map_put(&d->locks, lock, (void *)(uintptr_t)(op + 1));
        run->has_lock = true;
        run->is_waiting = false;
        return true;
    }
    int64_t now = now_monotonic(d), limit = d->c->resource_lock_ms > 0 ? d->c->resource_lock_ms : LOCK_MS;
    run->waits_since_ms = run->is_waiting ? run->waits_since_ms : now;
    run->is_waiting = true;
    if (now - run->waits_since_ms < limit) {
        op_tell_wait(d, op, LOCK_LOOK_MS);
        return false;
    }
    sv other = d->ops[holder - 1].change->address.text;
    diags_add(d->c->diags, DIAG_resource_lock_timeout, SPAN_NONE, "'%.*s' waited %lld s for '%.*s', which '%.*s' holds",
              SV_ARG(o->change->address.text), (long long)(limit / 1000), SV_ARG(lock), SV_ARG(other));
    op_add_reason(d, o, arena_printf(d->a, "'%.*s' did not let go of '%.*s' in time", SV_ARG(other), SV_ARG(lock)));
    op_fail(d, op, EXEC_FAILED);
    return false;
}

/* --- calls --- */

static value copy_if_set(struct arena *a, value v) {
    return value_is_set(v) ? value_copy(a, v) : v;
}

static struct link_resource copy_side(struct arena *a, const struct link_resource *side) {
    return (struct link_resource){
        .address.text = arena_copy_sv(a, side->address.text),
        .name = arena_copy_sv(a, side->name),
        .type = arena_copy_sv(a, side->type),
        .physical_id = arena_copy_sv(a, side->physical_id),
        .spec = copy_if_set(a, side->spec),
        .metadata = copy_if_set(a, side->metadata),
    };
}

/* What operations added to the data so far stands beside what is staged. */
static value get_data(struct deploy *d, const struct link_run *run) {
    value computed = run->record->computed;
    return value_is_set(computed) ? schema_merge(&d->turn, run->data, computed) : run->data;
}

static struct job *make_job(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    const struct link_run *run = o->link;
    struct job *j = job_new();
    struct arena *a = &j->arena;
    a->secret = true;
    int64_t limit = run->type->deadline_ms > 0 ? run->type->deadline_ms : LINK_DEADLINE_MS;
    j->op = op;
    j->call.address.text = arena_copy_sv(a, o->change->address.text);
    j->call.instance_id = arena_copy_sv(a, d->p->instance_id);
    j->call.deadline_ms = now_monotonic(d) + limit;
    j->call.host = d->c->host;
    j->call.base_dir = arena_copy_sv(a, d->p->root_dir);
    j->call.context = arena_copy_sv(a, d->c->context);
    memcpy(j->call.op_key, o->key, sizeof o->key);
    j->link = ARENA_NEW(a, struct link_op_call);
    j->link->phase = link_phase_find(run->at, run->removes);
    j->link_fn = link_phase_get_operation(run->type, j->link->phase, run->removes);
    j->link->a = copy_side(a, &run->a);
    j->link->b = copy_side(a, &run->b);
    j->link->data = value_copy(a, get_data(d, run));
    j->link->prior = copy_if_set(a, run->prior);
    struct link_intermediary *known;
    j->link->known_count = links_decode_intermediaries(a, copy_if_set(a, run->record->intermediaries), &known);
    j->link->known = known;
    o->job = j;
    o->call_ends_ms = j->call.deadline_ms;
    return j;
}

static void finish(struct deploy *d, uint32_t op);

/* The next phase that has an operation, or the end. */
static void begin_phase(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    struct link_run *run = o->link;
    while (run->at < LINK_PHASES &&
           link_phase_get_operation(run->type, link_phase_find(run->at, run->removes), run->removes) == NULL) {
        run->at++;
    }
    if (run->at == LINK_PHASES) {
        finish(d, op);
    } else if (take_lock(d, op)) {
        if (!run->has_call) { /* else it is tried again */
            write_phase(d, o, LINK_PHASE_RUNS);
            run->has_call = true;
        }
        VEC_PUSH(&d->turn, &d->batch.starts, make_job(d, op));
    }
}

/* --- beginnings --- */

/* `items` behind what is there already. */
static value add_missing(struct arena *a, value known, value items) {
    struct map_builder empty = {.arena = a};
    known = value_is_set(items) && !value_is_set(known) ? map_done(&empty) : known;
    for (size_t i = 0; items.kind == VALUE_MAP && i < items.map->len; i++) {
        const struct value_entry *e = &items.map->entries[i];
        known = value_map_has(known, e->key) ? known : value_map_with(a, known, e->key, e->item);
    }
    return known;
}

/* What may be made and set is known from now on (5). */
static void keep_planned(struct deploy *d, struct link_record *l, const struct link_call *call) {
    value made = links_encode_intermediaries(d->a, call->intermediaries.items, call->intermediaries.len);
    value set = link_fields_encode(d->a, l->a, l->b, call->fields.items, call->fields.len);
    l->intermediaries = add_missing(d->a, l->intermediaries, made);
    l->fields = add_missing(d->a, l->fields, set);
}

static void begin(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    struct link_run *run = o->link;
    struct link_record *l = run->record;
    choose_key(d, o);
    l->generation = o->generation;
    l->is_active = true;
    l->status = run->removes ? STATUS_destroying : l->created_ms == 0 ? STATUS_creating : STATUS_updating;
    rollback_mark_link(d, o, l, ROLLBACK_RUNNING);
    l->precise_status = run->at == 0 ? l->status : l->precise_status;
    mask_add_values(d, run->data);
    o->has_started = true;
    emit_op_event(d, EVENT_ELEMENT_STARTED, o);
    write_intent(d, o);
    begin_phase(d, op);
}

static bool is_known(value v) {
    return value_is_known(v) && (v.within & WITHIN_ERROR) == 0;
}

/* Staged only because a condition was open, and it holds: nothing is to be done (BP-457). */
static bool is_as_stored(struct deploy *d, const struct op_run *o, const struct link_call *call,
                         const struct link_record *before) {
    return o->change->action == ACTION_CHECK && before != NULL && status_is_settled(before->status) &&
           value_eq(before->data, spec_unmark_leaves(d->a, call->data, MARK_PROVISIONAL));
}

static void start_link(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    struct link_call call = {.arena = d->a, .diags = d->c->diags};
    if (o->element == NO_ELEMENT || !op_stage_link(d, o, &call) || !is_known(call.data)) {
        op_add_reason(d, o, SV("its data cannot be told"));
        op_fail(d, op, EXEC_FAILED);
        return;
    }
    const struct link_record *before = stored_find_link(&d->stored, o->change->address.text);
    const struct link_type *type = d->t->links[o->element].type;
    bool was_active = before != NULL && before->is_active;
    bool does_nothing = !link_type_has_operations(type) || (call.is_idle && !was_active);
    if (does_nothing || is_as_stored(d, o, &call, before)) {
        succeed_at_once(d, op, &call);
        return;
    }
    struct link_run *run = ARENA_NEW(d->a, struct link_run);
    o->link = run;
    *run = (struct link_run){.type = type, .becomes_idle = call.is_idle};
    run->prior = before == NULL || before->created_ms == 0 ? (value){0} : links_get_data(d->a, before);
    run->record = stored_put_link(&d->stored, o->change->address);
    struct link_record wanted = {.address = o->change->address};
    fill_record(d, o, &call, &wanted);
    run->data = wanted.data;
    run->mappings = wanted.mappings;
    run->record->a = wanted.a;
    run->record->b = wanted.b;
    run->record->type_a = wanted.type_a;
    run->record->type_b = wanted.type_b;
    run->a = side_of(d, run->record, wanted.a);
    run->b = side_of(d, run->record, wanted.b);
    keep_planned(d, run->record, &call);
    begin(d, op);
}

static void start_unlink(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    struct link_record *l = stored_find_link(&d->stored, o->change->address.text);
    if (l == NULL || !l->is_active) {
        end_removal(d, op);
        return;
    }
    struct link_run *run = ARENA_NEW(d->a, struct link_run);
    o->link = run;
    *run = (struct link_run){.type = links_find_type(d->c->providers, l), .record = l, .removes = true};
    if (run->type == NULL) {
        op_add_reason(d, o, SV("no provider offers its type"));
        op_fail(d, op, EXEC_FAILED);
        return;
    }
    run->data = run->prior = links_get_data(d->a, l);
    run->a = old_side_of(d, l, l->a);
    run->b = old_side_of(d, l, l->b);
    begin(d, op);
}

void link_start(struct deploy *d, uint32_t op) {
    if (d->ops[op].op->kind == OP_LINK) {
        start_link(d, op);
    } else {
        start_unlink(d, op);
    }
}

void link_go_on(struct deploy *d, uint32_t op) {
    begin_phase(d, op);
}

/* --- ends --- */

static void finish(struct deploy *d, uint32_t op) {
    struct op_run *o = &d->ops[op];
    struct link_run *run = o->link;
    struct link_record *l = run->record;
    if (run->removes) {
        op_write_outcome(d, o, "succeeded", (value){0});
        end_removal(d, op);
        return;
    }
    l->data = run->data;
    l->mappings = run->mappings;
    l->is_active = !run->becomes_idle;
    enum status status = settle_record(d, o, l);
    op_write_outcome(d, o, "succeeded", links_get_data(&d->turn, l));
    write_link(d, l);
    op_end_well(d, op, status);
}

void link_take_result(struct deploy *d, uint32_t op, const struct job *job) {
    struct op_run *o = &d->ops[op];
    struct link_run *run = o->link;
    bool is_done = job->result == PROVIDER_OK || (run->removes && job->result == PROVIDER_ABSENT);
    if (!is_done) {
        op_take_failure(d, op, job);
        return;
    }
    link_phase_take(d->a, run->record, job->link, run->removes);
    mask_add_values(d, run->record->computed);
    write_phase(d, o, LINK_PHASE_ENDED);
    release_lock(d, run);
    run->at++;
    run->has_call = false;
    o->reasons.len = 0;
    op_tell(d, op, EXEC_PHASE_DONE);
    begin_phase(d, op);
}

static enum status get_end(const struct op_run *o, const struct link_record *l, bool failed) {
    if (o->op->kind == OP_UNLINK) {
        return failed ? STATUS_destroy_failed : STATUS_destroy_interrupted;
    }
    if (l->created_ms == 0) {
        return failed ? STATUS_create_failed : STATUS_create_interrupted;
    }
    return failed ? STATUS_update_failed : STATUS_update_interrupted;
}

void link_record_failure(struct deploy *d, struct op_run *o, enum op_failure failure) {
    bool failed = failure == FAILURE_FAILED;
    struct link_run *run = o->link;
    struct link_record *l = stored_find_link(&d->stored, o->change->address.text);
    if (l == NULL) { /* nothing was begun, and nothing is recorded */
        o->status = o->op->kind == OP_UNLINK ? STATUS_destroy_failed : STATUS_create_failed;
        return;
    }
    o->status = l->status = get_end(o, l, failed);
    l->failure_reasons = o->reasons.items;
    l->failure_reason_count = o->reasons.len;
    l->updated_ms = l->last_status_ms = now_wall(d);
    if (run != NULL && run->at < LINK_PHASES && run->has_call) {
        l->precise_status = get_phase_status(d, run, failed ? LINK_PHASE_FAILED : LINK_PHASE_INTERRUPTED);
    } else if (run == NULL) {
        l->precise_status = l->status;
    }
    o->precise = l->precise_status;
    if (failed) {
        rollback_mark_link(d, o, l, ROLLBACK_FAILED);
        o->status = l->status;
    }
    if (failed && run != NULL) {
        release_lock(d, run); /* of an interrupted call nobody knows whether it still writes */
    }
    write_link(d, l);
}
