/* What links keep between their sides, read and set against the state (BP-530): several links at a time. */
#include "engine/fields.h"
#include "engine/link_phases.h"
#include "engine/planner.h"
#include "engine/specs.h"
#include "engine/workers.h"

enum { READ_THREADS = 8, READ_DEADLINE_MS = 5 * 60 * 1000 };

struct link_observation {
    const struct link_type *type;
    struct link_record *record;
    enum provider_result result;
    value found; /* as records keep intermediaries; in the thread's arena */
    sv reason;
};

struct link_reader {
    struct planner *p;
    struct link_observation *items;
    struct arena *arenas; /* per thread; they live as long as the plan */
    size_t threads;
};

/* --- in the threads --- */

static void prepare(const struct link_reader *r, const struct link_observation *o, struct link_op_call *call,
                    struct arena *scratch) {
    const struct run_config *c = r->p->c;
    const struct link_record *l = o->record;
    int64_t limit = o->type->deadline_ms > 0 ? o->type->deadline_ms : READ_DEADLINE_MS;
    struct link_intermediary *known;
    size_t count = links_decode_intermediaries(scratch, l->intermediaries, &known);
    *call = (struct link_op_call){
        .call = {.arena = scratch,
                 .address = l->address,
                 .instance_id = r->p->stored->instance.id,
                 .host = c->host,
                 .base_dir = r->p->t == NULL ? (sv){0} : r->p->t->root_dir,
                 .context = c->context,
                 .deadline_ms = c->host->ops->get_monotonic_ms(c->host->user) + limit},
        .phase = LINK_PHASE_INTERMEDIARIES,
        .a = link_find_side(scratch, r->p->stored, l, l->a),
        .b = link_find_side(scratch, r->p->stored, l, l->b),
        .data = links_get_data(scratch, l),
        .prior = links_get_data(scratch, l),
        .known = known,
        .known_count = count,
    };
    seal_operation_key(r->p->stored->instance.id, l->address.text, l->generation, SV("read"), call->call.op_key);
}

static void read_once(struct link_reader *r, size_t thread, struct link_observation *o) {
    struct arena scratch = {.secret = true};
    struct link_op_call call;
    prepare(r, o, &call, &scratch);
    o->result = o->type->read_intermediaries(&call);
    struct arena *keep = &r->arenas[thread];
    if (o->result == PROVIDER_OK) {
        value found = links_encode_intermediaries(&scratch, call.intermediaries.items, call.intermediaries.len);
        o->found = value_is_set(found) ? value_copy(keep, found) : found;
    }
    bool has_reason = call.call.reasons.items.len > 0;
    o->reason = has_reason ? arena_copy_sv(keep, call.call.reasons.items.items[0]) : (sv){0};
    arena_fini(&scratch);
}

static void read_link(void *user, size_t thread, size_t number) {
    struct link_reader *r = user;
    struct link_observation *o = &r->items[number];
    const struct run_config *c = r->p->c;
    for (unsigned attempt = 1;; attempt++) {
        read_once(r, thread, o);
        bool is_interrupted = c->signals != NULL && atomic_load(c->signals) > 0;
        if (o->result != PROVIDER_TRANSIENT || attempt > c->retries || is_interrupted) {
            return;
        }
        refresh_wait(c, attempt);
    }
}

/* --- back in the run's thread --- */

/* Leaves that are secret in the state are secret in what was read, too. */
static value mark_like(struct arena *a, value found, value recorded) {
    if (!value_is_set(recorded) || !value_is_sensitive(recorded)) {
        return found;
    }
    return value_is_set(found) ? spec_mark_leaves(a, found, MARK_SENSITIVE) : found;
}

static value mark_found(struct arena *a, value found, value recorded) {
    struct map_builder b = {.arena = a};
    for (size_t i = 0; found.kind == VALUE_MAP && i < found.map->len; i++) {
        const struct value_entry *e = &found.map->entries[i];
        value before = value_map_find(recorded, e->key);
        if (value_is_set(before)) { /* what nobody asked for is nobody's */
            map_set(&b, e->key, mark_like(a, value_copy(a, e->item), before));
        }
    }
    return map_done(&b);
}

static void take_found(struct planner *p, struct link_observation *o) {
    struct link_record *l = o->record;
    value found = mark_found(p->a, o->result == PROVIDER_OK ? o->found : (value){0}, l->intermediaries);
    struct path_step *step = ARENA_NEW(p->a, struct path_step);
    step->key = SV("intermediaries");
    struct field_diff diff = {0};
    struct schema_diff_request request = {.arena = p->a,
                                          .prefix = {step, 1},
                                          .before = l->intermediaries,
                                          .after = found,
                                          .drift = true,
                                          .is_same_secret = seal_is_same_secret,
                                          .user = p->c->sealer};
    schema_diff(&request, &diff);
    if (diff.changes.len == 0) {
        return;
    }
    struct change *d = VEC_ADD(p->a, &p->drift);
    map_put(&p->drift_by_address, l->address.text, (void *)(uintptr_t)p->drift.len);
    *d = (struct change){.address = l->address,
                         .kind = ELEMENT_LINK,
                         .action = ACTION_UPDATE,
                         .type = arena_printf(p->a, "%.*s::%.*s", SV_ARG(l->type_a), SV_ARG(l->type_b)),
                         .diff = diff,
                         .before = l->intermediaries,
                         .after = found,
                         .generation = l->generation};
    d->missing = found.map->len == 0;
    d->drifted = !d->missing;
}

static bool take(struct planner *p, struct link_observation *o) {
    if (o->result == PROVIDER_OK || o->result == PROVIDER_ABSENT) {
        take_found(p, o);
        return true;
    }
    struct diag *d = diags_add(p->diags, DIAG_provider_error, SPAN_NONE, "reading '%.*s' failed: %.*s",
                               SV_ARG(o->record->address.text), SV_ARG(o->reason));
    if (!p->is_look) {
        diag_set_hint(p->diags, d, "--refresh=false plans from the stored state alone");
    }
    return false;
}

static void fini_arenas(void *object) {
    struct link_reader *r = object;
    for (size_t i = 0; i < r->threads; i++) {
        arena_fini(&r->arenas[i]);
    }
}

/* Of what ended half-way nobody knows yet what is there; it is done anew anyway. */
static bool is_read(const struct planner *p, const struct stored_element *e, const struct link_type **type) {
    const struct link_record *l = e->link;
    if (l == NULL || e->removed || !value_is_set(l->intermediaries) || !status_is_settled(l->status)) {
        return false;
    }
    if (p->looks != NULL && !map_has(p->looks, l->address.text)) {
        return false;
    }
    *type = links_find_type(p->c->providers, l);
    return *type != NULL && (*type)->read_intermediaries != NULL;
}

bool refresh_links(struct planner *p) {
    struct link_reader *r = ARENA_NEW(p->a, struct link_reader);
    *r = (struct link_reader){.p = p, .threads = p->c->readers > 0 ? p->c->readers : READ_THREADS};
    r->items = ARENA_ARRAY(p->a, struct link_observation, p->stored->elements.len + 1);
    size_t count = 0;
    for (size_t i = 0; i < p->stored->elements.len; i++) {
        const struct link_type *type;
        if (is_read(p, p->stored->elements.items[i], &type)) {
            r->items[count++] = (struct link_observation){.type = type, .record = p->stored->elements.items[i]->link};
        }
    }
    if (count == 0) {
        return true;
    }
    p->read_count += count;
    r->arenas = ARENA_ARRAY(p->a, struct arena, r->threads);
    arena_add_cleanup(p->a, fini_arenas, r);
    struct parallel_work work = {.threads = r->threads, .count = count, .work = read_link, .user = r};
    workers_run_all(&work);
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        ok = take(p, &r->items[i]) && ok;
    }
    return ok;
}
