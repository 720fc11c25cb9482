/* Reading what is really there, and going on from it (BP-421 (3), BP-530, BP-531). */
#include "engine/planner.h"

#include "engine/specs.h"
#include "engine/workers.h"

enum { READ_THREADS = 8, READ_DEADLINE_MS = 5 * 60 * 1000 };

struct observation {
    const struct resource_type *type; /* NULL: not read */
    struct resource_record *record;
    enum provider_result result;
    bool differs;
    bool is_fresher;            /* differs in what does not count as drift */
    value found_spec, computed; /* of one that differs or is fresher; in the thread's arena */
    sv reason;
};

struct reader {
    struct planner *p;
    struct observation *items;
    struct arena *arenas; /* per thread; they live as long as the plan */
    size_t threads;
    sv instance_id;
};

/* --- in the threads --- */

/* What is stored, with what links have set (BP-530): what the object is expected to be. */
static value get_expected(const struct planner *p, struct arena *a, const struct resource_record *record) {
    return link_fields_lay_over(&p->fields, a, record->address.text, record->spec);
}

/* What was read, without fields of links that ended half-way. */
static value get_found(const struct planner *p, struct arena *a, const struct observation *o, value expected) {
    return link_fields_take_open_out(&p->fields, a, o->record->address.text, o->found_spec, expected);
}

static void call_read(struct reader *r, struct observation *o, struct provider_call *call) {
    const struct run_config *c = r->p->c;
    const struct resource_record *record = o->record;
    value spec = get_expected(r->p, call->arena, record);
    *call = (struct provider_call){
        .arena = call->arena,
        .address = record->address,
        .instance_id = r->instance_id,
        .host = c->host,
        .base_dir = r->p->t == NULL ? (sv){0} : r->p->t->root_dir,
        .context = c->context,
        .spec = spec,
        .metadata = record->metadata,
        .prior = schema_merge(call->arena, spec, record->computed),
        .physical_id = record->physical_id,
    };
    int64_t limit = o->type->deadline_ms > 0 ? o->type->deadline_ms : READ_DEADLINE_MS;
    call->deadline_ms = c->host->ops->get_monotonic_ms(c->host->user) + limit;
    seal_operation_key(r->instance_id, record->address.text, record->generation, SV("read"), call->op_key);
    o->result = o->type->read(call);
}

static bool is_interrupted(const struct run_config *c) {
    return c->signals != NULL && atomic_load(c->signals) > 0;
}

/* The delay before attempt `n` (BP-500), jitter from the host. */
void refresh_wait(const struct run_config *c, unsigned n) {
    int64_t delay = c->retry_first_ms;
    for (unsigned i = 1; i < n && delay < 300000; i++) {
        delay *= 2;
    }
    uint16_t random = 0;
    c->host->ops->fill_random(c->host->user, &random, sizeof random);
    c->host->ops->sleep_ms(c->host->user, delay * random / UINT16_MAX);
}

struct found {
    value spec, computed;
    struct field_diff diff;
};

/* Sets what is really there against the record (BP-531). */
static void compare_found(const struct planner *p, struct arena *a, const struct observation *o, struct found *f) {
    const struct resource_record *record = o->record;
    value spec = get_expected(p, a, record);
    const struct schema *schema = o->type->schema;
    f->computed = value_is_set(o->computed) ? spec_mark_sensitive(a, schema, o->computed) : record->computed;
    f->spec = value_is_set(o->found_spec) ? spec_mark_sensitive(a, schema, get_found(p, a, o, spec)) : spec;
    struct path_step step = {.key = SV("spec")};
    struct schema_diff_request request = {
        .arena = a,
        .schema = schema,
        .prefix = {&step, 1},
        .before = schema_merge(a, spec, record->computed),
        .after = schema_merge(a, f->spec, f->computed),
        .drift = true,
        .is_same_secret = seal_is_same_secret,
        .user = p->c->sealer,
    };
    schema_diff(&request, &f->diff);
}

static bool is_same(value found, value recorded) {
    return !value_is_set(found) || (value_is_set(recorded) && value_eq(found, recorded));
}

static bool is_as_recorded(const struct planner *p, struct arena *a, const struct observation *o) {
    value expected = get_expected(p, a, o->record);
    return is_same(get_found(p, a, o, expected), expected) && is_same(o->computed, o->record->computed);
}

/* Only what differs outlives the call. */
static void keep_found(const struct planner *p, struct arena *keep, struct observation *o,
                       const struct provider_call *call) {
    o->found_spec = call->found_spec;
    o->computed = call->computed;
    if (o->result == PROVIDER_OK && !is_as_recorded(p, call->arena, o)) {
        struct found f = {0};
        compare_found(p, call->arena, o, &f);
        o->differs = f.diff.changes.len > 0;
        o->is_fresher = !o->differs && !is_same(o->computed, o->record->computed);
    }
    bool keeps = o->differs || o->is_fresher;
    o->found_spec = keeps && value_is_set(o->found_spec) ? value_copy(keep, o->found_spec) : (value){0};
    o->computed = keeps && value_is_set(o->computed) ? value_copy(keep, o->computed) : (value){0};
    o->reason = call->reasons.items.len > 0 ? arena_copy_sv(keep, call->reasons.items.items[0]) : (sv){0};
}

static void read_one(void *user, size_t thread, size_t number) {
    struct reader *r = user;
    struct observation *o = &r->items[number];
    for (unsigned attempt = 1;; attempt++) {
        struct arena scratch = {0};
        struct provider_call call = {.arena = &scratch};
        call_read(r, o, &call);
        bool again = o->result == PROVIDER_TRANSIENT && attempt <= r->p->c->retries && !is_interrupted(r->p->c);
        if (!again) {
            keep_found(r->p, &r->arenas[thread], o, &call);
        }
        arena_fini(&scratch);
        if (!again) {
            return;
        }
        refresh_wait(r->p->c, attempt);
    }
}

/* --- back in the run's thread --- */

static struct change *add_drift(struct planner *p, struct resource_record *record) {
    struct change *d = VEC_ADD(p->a, &p->drift);
    map_put(&p->drift_by_address, record->address.text, (void *)(uintptr_t)p->drift.len);
    d->address = record->address;
    d->kind = ELEMENT_RESOURCE;
    d->type = record->type;
    d->before = record->spec;
    d->computed_before = record->computed;
    d->physical_id = record->physical_id;
    d->generation = record->generation;
    /* As in staging: what an operation that ended half-way has left is lintel's own doing (BP-421 (3)). */
    d->forced = !status_is_settled(record->status) && record->status != STATUS_config_complete;
    return d;
}

static void take_missing(struct planner *p, struct resource_record *record) {
    struct change *d = add_drift(p, record);
    d->action = ACTION_DELETE;
    d->missing = true;
    record->spec = record->computed = (value){0};
    record->physical_id = (sv){0};
    record->generation++; /* what is made in its place is another object */
}

/* The fields in which the real object differs, taken over whole: a field's value comes from one side, never a mixture.
 */
static value take_fields(struct planner *p, value stored, value found, const struct field_diff *diff) {
    for (size_t i = 0; i < diff->changes.len; i++) {
        struct path path = diff->changes.items[i].path;
        if (path.len < 2 || path.steps[1].is_index) {
            continue;
        }
        value real = found.kind == VALUE_MAP ? value_map_find(found, path.steps[1].key) : (value){0};
        bool was = stored.kind == VALUE_MAP && value_map_has(stored, path.steps[1].key);
        if (value_is_set(real) || was) {
            stored = value_map_with(p->a, stored, path.steps[1].key, value_is_set(real) ? real : value_absent());
        }
    }
    return stored;
}

static void take_fresher(struct planner *p, const struct observation *o) {
    struct change *d = add_drift(p, o->record);
    d->action = ACTION_READ;
    d->after = o->record->spec;
    d->computed_after = spec_mark_sensitive(p->a, o->type->schema, o->computed);
    o->record->computed = d->computed_after;
}

/* The link sets its field again (BP-530). */
static void note_touched(void *user, struct link_record *l) {
    struct planner *p = user;
    map_put(&p->touched_links, l->address.text, l);
}

static void take_found(struct planner *p, struct observation *o) {
    if (o->is_fresher && p->is_look) {
        take_fresher(p, o);
    }
    if (!o->differs) {
        return;
    }
    struct resource_record *record = o->record;
    struct found f = {0};
    compare_found(p, p->a, o, &f);
    struct change *d = add_drift(p, record);
    d->action = ACTION_UPDATE;
    d->drifted = true;
    d->diff = f.diff;
    sv address = record->address.text;
    value real = take_fields(p, get_expected(p, p->a, record), f.spec, &f.diff);
    record->spec = link_fields_take_out(&p->fields, p->a, address, real, record->spec);
    link_fields_find_touched(&p->fields, p->a, address, &f.diff, note_touched, p);
    record->computed = f.computed;
    d->after = record->spec;
    d->computed_after = f.computed;
}

static bool take(struct planner *p, struct observation *o) {
    switch (o->result) {
    case PROVIDER_OK:
        take_found(p, o);
        return true;
    case PROVIDER_ABSENT:
        take_missing(p, o->record);
        return true;
    case PROVIDER_NOT_YET:
    case PROVIDER_CANNOT_TELL:
    case PROVIDER_TRANSIENT:
    case PROVIDER_TERMINAL:
    case PROVIDER_FATAL:
        break;
    }
    struct diag *d = diags_add(p->diags, DIAG_provider_error, SPAN_NONE, "reading '%.*s' failed: %.*s",
                               SV_ARG(o->record->address.text), SV_ARG(o->reason));
    d->path = o->record->address.text;
    if (!p->is_look) {
        diag_set_hint(p->diags, d, "--refresh=false plans from the stored state alone");
    }
    return false;
}

static void fini_arenas(void *object) {
    struct reader *r = object;
    for (size_t i = 0; i < r->threads; i++) {
        arena_fini(&r->arenas[i]);
    }
}

bool refresh_all(struct planner *p) {
    p->drift_by_address = MAP(p->a);
    p->touched_links = MAP(p->a);
    link_fields_init(&p->fields, p->a, p->stored);
    struct reader *r = ARENA_NEW(p->a, struct reader);
    r->p = p;
    r->threads = p->c->readers > 0 ? p->c->readers : READ_THREADS;
    r->arenas = ARENA_ARRAY(p->a, struct arena, r->threads);
    r->instance_id = p->stored->instance.id;
    arena_add_cleanup(p->a, fini_arenas, r);
    r->items = ARENA_ARRAY(p->a, struct observation, p->stored->elements.len);
    size_t count = 0;
    for (size_t i = 0; i < p->stored->elements.len; i++) {
        struct resource_record *record = p->stored->elements.items[i]->resource;
        if (record == NULL || p->stored->elements.items[i]->removed || !record_has_object(record)) {
            continue;
        }
        if (p->looks != NULL && !map_has(p->looks, record->address.text)) {
            continue;
        }
        const struct resource_type *type = plan_find_type(p, record->type);
        if (type != NULL && type->read != NULL) {
            r->items[count++] = (struct observation){.type = type, .record = record};
        }
    }
    p->read_count = count;
    struct parallel_work work = {.threads = r->threads, .count = count, .work = read_one, .user = r};
    workers_run_all(&work);
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        ok = take(p, &r->items[i]) && ok;
    }
    return refresh_links(p) && ok;
}

size_t plan_count_drift(const struct plan *p) {
    size_t count = 0;
    for (size_t i = 0; i < p->drift_count; i++) {
        count += p->drift[i].forced ? 0 : 1;
    }
    return count;
}
