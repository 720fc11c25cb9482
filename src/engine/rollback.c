#include "engine/rollback.h"

#include "engine/fields.h"
#include "engine/places.h"
#include "engine/planner.h"
#include "engine/recover.h"
#include "model/lease.h"

/* --- statuses --- */

enum status rollback_get_instance_status(const struct rollback *r, enum rollback_phase phase) {
    static const enum status of_deploy[] = {0, STATUS_deploy_rolling_back, STATUS_deploy_rollback_complete,
                                            STATUS_deploy_rollback_failed, 0};
    static const enum status of_update[] = {0, STATUS_update_rolling_back, STATUS_update_rollback_complete,
                                            STATUS_update_rollback_failed, 0};
    static const enum status of_destroy[] = {0, STATUS_destroy_rolling_back, STATUS_destroy_rollback_complete,
                                             STATUS_destroy_rollback_failed, 0};
    if (r->of == RUN_DESTROY) {
        return of_destroy[phase];
    }
    return r->of_first ? of_deploy[phase] : of_update[phase];
}

enum status rollback_get_precise(enum change_action action, bool removes, enum rollback_phase phase) {
    static const enum status of_create[] = {0, STATUS_create_rolling_back, STATUS_create_rollback_complete,
                                            STATUS_create_rollback_failed, STATUS_create_rolling_back};
    static const enum status of_update[] = {0, STATUS_update_rolling_back, STATUS_update_rollback_complete,
                                            STATUS_update_rollback_failed, STATUS_update_rollback_config_complete};
    static const enum status of_destroy[] = {0, STATUS_destroy_rolling_back, STATUS_destroy_rollback_complete,
                                             STATUS_destroy_rollback_failed, STATUS_destroy_rollback_config_complete};
    if (action == ACTION_CREATE) {
        return of_destroy[phase];
    }
    bool goes = action == ACTION_DELETE || action == ACTION_RETAIN;
    return removes && goes ? of_create[phase] : of_update[phase];
}

enum status rollback_get_status(enum rollback_phase phase) {
    switch (phase) {
    case ROLLBACK_COMPLETE:
        return STATUS_rollback_complete;
    case ROLLBACK_FAILED:
        return STATUS_rollback_failed;
    case ROLLBACK_RUNNING:
    case ROLLBACK_CONFIG_COMPLETE:
        break;
    }
    return STATUS_rolling_back;
}

/* --- the work --- */

struct roller {
    const struct run_config *c;
    struct arena *a;
    struct stored stored;
    struct earlier_state earlier;
    struct rollback *rb;
    struct record_codec codec;
    struct rollback_targets targets;
    struct map left_out; /* addresses that are neither planned nor touched */
    bool has_failed;
};

static void leave_out(struct roller *k, sv address) {
    map_put(&k->left_out, address, k);
    stored_remove(&k->stored, address);
}

static void skip(struct roller *k, const struct stored_element *e, sv reason) {
    struct rollback_skip *s = VEC_ADD(k->a, &k->rb->skipped);
    struct addr_parts parts;
    s->address = e->resource != NULL ? e->resource->address.text : e->link->address.text;
    s->type = e->resource != NULL ? e->resource->type : SV("link");
    s->status = e->resource != NULL ? e->resource->precise_status : e->link->status;
    s->reason = reason;
    if (addr_parse(k->a, s->address, &parts)) {
        s->name = parts.name;
        s->child = parts.parent.len > 0 ? sv_slice(parts.parent, 0, parts.parent.len - 1) : (sv){0};
    }
    leave_out(k, s->address);
}

/* --- what nobody can tell (BP-522) --- */

static void skip_interrupted(struct roller *k) {
    for (size_t i = 0; i < k->stored.elements.len; i++) {
        const struct stored_element *e = k->stored.elements.items[i];
        enum status status = e->resource != NULL ? e->resource->status : e->link->status;
        if (!e->removed && sv_has_suffix(status_get_text(status), SV("_interrupted"))) {
            skip(k, e, SV("it was cut off, and nobody can tell what became of it"));
        }
    }
}

static bool has_side(struct roller *k, const struct link_record *l, sv name) {
    struct addr_parts parts;
    sv parent = addr_parse(k->a, l->address.text, &parts) ? parts.parent : (sv){0};
    return map_has(&k->left_out, addr_make(k->a, parent, ELEMENT_RESOURCE, name).text);
}

/* A link stays as it is when one of its sides is not touched. */
static void leave_links_out(struct roller *k) {
    for (size_t i = 0; i < k->stored.elements.len; i++) {
        const struct stored_element *e = k->stored.elements.items[i];
        bool is_link = e->link != NULL && !e->removed;
        if (is_link && (has_side(k, e->link, e->link->a) || has_side(k, e->link, e->link->b))) {
            leave_out(k, e->link->address.text);
        }
    }
}

/* --- objects that are there still (BP-521) --- */

bool rollback_take_back(struct stored *s, const struct taken_back *t) {
    struct resource_record *now = stored_find_resource(s, t->address);
    struct resource_record record = t->record;
    size_t count = now == NULL ? 0 : now->deposed_count;
    struct deposed *deposed = ARENA_ARRAY(s->arena, struct deposed, count + 1);
    sv from = arena_printf(s->arena, "%lld", (long long)t->from);
    bool found = t->from == 0;
    record.deposed_count = 0;
    record.deposed = deposed;
    for (size_t i = 0; i < count; i++) {
        if (t->from != 0 && sv_eq(now->deposed[i].generation, from)) {
            found = true;
        } else {
            deposed[record.deposed_count++] = now->deposed[i];
        }
    }
    if (!found) {
        return false;
    }
    if (now != NULL && record_has_object(now)) {
        deposed[record.deposed_count++] =
            (struct deposed){.physical_id = now->physical_id,
                             .type = now->type,
                             .spec = now->spec,
                             .computed = now->computed,
                             .generation = arena_printf(s->arena, "%lld", (long long)now->generation)};
    }
    *stored_put_resource(s, (addr){t->address}) = record;
    return true;
}

static int64_t parse_generation(sv text) {
    int64_t n = 0;
    for (size_t i = 0; i < text.len && text.data[i] >= '0' && text.data[i] <= '9'; i++) {
        n = n * 10 + (text.data[i] - '0');
    }
    return n;
}

/* One that no object of the element has had, so that no operation's key comes again (LC-022). */
static int64_t next_generation(const struct resource_record *was, const struct resource_record *now) {
    int64_t highest = was->generation;
    if (now != NULL && now->generation > highest) {
        highest = now->generation;
    }
    for (size_t i = 0; now != NULL && i < now->deposed_count; i++) {
        int64_t one = parse_generation(now->deposed[i].generation);
        highest = one > highest ? one : highest;
    }
    return highest + 1;
}

static bool find_deposed(const struct resource_record *was, const struct resource_record *now, struct taken_back *t) {
    for (size_t i = 0; now != NULL && i < now->deposed_count; i++) {
        const struct deposed *d = &now->deposed[i];
        if (parse_generation(d->generation) == was->generation) {
            t->record.spec = d->spec;
            t->record.computed = d->computed;
            t->record.physical_id = d->physical_id;
            t->from = was->generation;
            return true;
        }
    }
    return false;
}

static bool find_left(struct roller *k, const struct resource_record *was, struct taken_back *t) {
    const struct snapshot *places[] = {&k->earlier.since, &k->earlier.of_run};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        for (size_t i = 0; i < places[p]->left.len; i++) {
            const struct earlier *left = &places[p]->left.items[i];
            struct resource_record record;
            if (!sv_eq(left->address, was->address.text) || !left->was_there ||
                !record_decode_resource(&k->codec, &left->row, &record) || record.generation != was->generation) {
                continue;
            }
            t->record.spec = record.spec;
            t->record.computed = record.computed;
            t->record.metadata = record.metadata;
            t->record.physical_id = record.physical_id;
            return !snapshot_is_taken(&k->earlier.since, was->address.text);
        }
    }
    return false;
}

static void take_back(struct roller *k, const struct resource_record *was) {
    const struct resource_record *now = stored_find_resource(&k->stored, was->address.text);
    bool is_there = now != NULL && record_has_object(now) && now->generation == was->generation;
    struct taken_back t = {.address = was->address.text, .record = *was};
    if (is_there || !record_has_object(was) || (!find_deposed(was, now, &t) && !find_left(k, was, &t))) {
        return;
    }
    t.record.generation = next_generation(was, now);
    t.record.status = STATUS_rollback_complete;
    t.record.precise_status = now == NULL ? STATUS_destroy_rollback_complete : STATUS_update_rollback_complete;
    t.record.last_status_ms = k->c->host->ops->get_wall_ms(k->c->host->user);
    t.record.updated_ms = t.record.last_status_ms;
    t.record.drift = (value){0};
    if (rollback_take_back(&k->stored, &t)) {
        VEC_PUSH(k->a, &k->rb->taken, t);
    }
}

/* --- what is to be there --- */

static bool decode_resource(struct roller *k, const struct store_element *row, struct resource_record **r) {
    *r = ARENA_NEW(k->a, struct resource_record);
    return record_decode_resource(&k->codec, row, *r);
}

static void add_row(struct roller *k, const struct store_element *row) {
    if (record_is_link_row(row)) {
        struct link_record *l = ARENA_NEW(k->a, struct link_record);
        bool ok = record_decode_link(&k->codec, row, l);
        if (ok && !has_side(k, l, l->a) && !has_side(k, l, l->b)) {
            VEC_PUSH(k->a, &k->targets.links, l);
        }
        k->has_failed = k->has_failed || !ok;
        return;
    }
    struct resource_record *r;
    bool ok = decode_resource(k, row, &r);
    k->has_failed = k->has_failed || !ok;
    if (ok && record_has_object(r)) {
        VEC_PUSH(k->a, &k->targets.resources, r);
    }
}

/* Secrets of which only digests are stored cannot be planned with; they need not be where nothing changes. */
static bool has_unopened(const struct resource_record *r) {
    return ((r->spec.within | r->metadata.within) & WITHIN_UNKNOWN) != 0;
}

static void add_present(struct roller *k, const struct stored_element *e) {
    if (e->link != NULL) {
        VEC_PUSH(k->a, &k->targets.links, e->link);
    } else if (has_unopened(e->resource)) {
        leave_out(k, e->resource->address.text);
    } else if (record_has_object(e->resource)) {
        VEC_PUSH(k->a, &k->targets.resources, e->resource);
    }
}

static void add_earlier(struct roller *k, const struct snapshot *s) {
    for (size_t i = 0; i < s->items.len; i++) {
        sv address = s->items.items[i].address;
        const struct store_element *row;
        bool is_new = !map_has(&k->left_out, address) && stored_find_resource(&k->stored, address) == NULL &&
                      stored_find_link(&k->stored, address) == NULL;
        if (is_new && rollback_find_row(&k->earlier, address, &row) && row != NULL) {
            add_row(k, row);
        }
    }
}

static void fill_targets(struct roller *k) {
    struct rollback_targets *t = &k->targets;
    t->resources.len = t->links.len = 0;
    for (size_t i = 0; i < k->stored.elements.len; i++) {
        const struct stored_element *e = k->stored.elements.items[i];
        const struct store_element *row;
        if (e->removed) {
            continue;
        }
        sv address = e->resource != NULL ? e->resource->address.text : e->link->address.text;
        if (!rollback_find_row(&k->earlier, address, &row)) {
            add_present(k, e);
        } else if (row != NULL) {
            add_row(k, row);
        }
    }
    leave_links_out(k);
    add_earlier(k, &k->earlier.of_run);
    add_earlier(k, &k->earlier.since);
    places_sort_targets(t->resources.items, t->resources.len);
    places_sort_link_targets(t->links.items, t->links.len);
}

/* Exports with secrets that cannot be opened are put back with the rest of the instance; the plan does not show them.
 */
static size_t keep_known(struct export_record *items, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if ((items[i].item.within & WITHIN_UNKNOWN) == 0) {
            items[kept++] = items[i];
        }
    }
    return kept;
}

static bool read_instance(struct roller *k) {
    struct store_instance row = {.id = k->stored.instance.id};
    struct rollback *rb = k->rb;
    value v = k->earlier.of_run.instance;
    if (v.kind == VALUE_MAP) {
        snapshot_decode_instance(v, &row);
        if (row.body.len > 0 && !record_decode_instance(&k->codec, row.body, &rb->body)) {
            return false;
        }
    }
    rb->of = k->earlier.of_destroy ? RUN_DESTROY : RUN_DEPLOY;
    rb->of_first = rb->body.last_deployed_ms == 0;
    rb->undoes = k->earlier.undoes;
    rb->root_dir = rb->body.root_dir.len > 0 ? rb->body.root_dir : k->stored.body.root_dir;
    struct rollback_targets *t = &k->targets;
    *t = (struct rollback_targets){
        .arena = k->a, .providers = k->c->providers, .root_dir = rb->root_dir, .dialect = k->stored.instance.dialect};
    struct export_record *exports = ARENA_ARRAY(k->a, struct export_record, rb->body.export_count + 1);
    for (size_t i = 0; i < rb->body.export_count; i++) {
        exports[i] = rb->body.exports[i];
    }
    t->exports = exports;
    t->export_count = keep_known(exports, rb->body.export_count);
    k->stored.body.export_count = keep_known(k->stored.body.exports, k->stored.body.export_count);
    return true;
}

/* --- planning --- */

/* Only what the run has changed is read: a rollback leads nothing else back. */
static struct map *list_looks(struct roller *k) {
    struct map *looks = ARENA_NEW(k->a, struct map);
    *looks = MAP(k->a);
    for (size_t i = 0; i < k->stored.elements.len; i++) {
        const struct resource_record *r = k->stored.elements.items[i]->resource;
        const struct store_element *row;
        if (r != NULL && rollback_find_row(&k->earlier, r->address.text, &row)) {
            map_put(looks, r->address.text, k);
        }
    }
    return looks;
}

static bool is_unopened(value v) {
    return seal_find_digest(v).len > 0;
}

static bool has_digest(struct roller *k, value v) {
    struct path_list paths = {0};
    if (value_is_set(v)) {
        value_find_paths(k->a, v, is_unopened, &paths);
    }
    return paths.items.len > 0;
}

/* Whether something had to be left out, so that the plan is to be made again. */
static bool skip_secrets(struct roller *k, const struct plan *plan) {
    bool any = false;
    for (size_t i = 0; i < plan->change_count; i++) {
        const struct change *c = &plan->changes[i];
        bool needs = c->kind == ELEMENT_RESOURCE && value_is_set(c->after) &&
                     ((c->after.within | c->metadata_after.within) & WITHIN_UNKNOWN) != 0;
        bool makes = c->action == ACTION_CREATE || c->action == ACTION_UPDATE || c->action == ACTION_REPLACE;
        if (!needs || map_has(&k->left_out, c->address.text)) {
            continue;
        }
        bool is_changed = makes || c->diff.changes.len > 0;
        struct resource_record *r = stored_find_resource(&k->stored, c->address.text);
        struct resource_record gone = {.address = c->address, .type = c->type};
        gone.status = gone.precise_status = STATUS_destroyed;
        struct stored_element e = {.resource = r == NULL ? &gone : r};
        bool is_open = has_digest(k, c->after) || has_digest(k, c->metadata_after);
        if (is_changed && is_open) {
            skip(k, &e, SV("it needs a secret of which only a digest is stored"));
            any = true;
        } else if (is_open) {
            leave_out(k, c->address.text);
            any = true;
        }
    }
    return any;
}

static struct plan *plan_once(struct roller *k, const struct planner *base, bool interrupted, enum exit_code *code) {
    struct planner p = *base;
    fill_targets(k);
    if (k->has_failed) {
        *code = EXIT_FAILED;
        return NULL;
    }
    p.t = rollback_make_template(&k->targets);
    return plan_build(&p, interrupted, code);
}

static struct plan *plan_all(struct roller *k, bool interrupted, enum exit_code *code) {
    struct planner base = {.c = k->c, .a = k->a, .diags = k->c->diags, .stored = &k->stored};
    base.is_rollback = true;
    base.drift_by_address = MAP(k->a);
    base.touched_links = MAP(k->a);
    base.looks = list_looks(k);
    plan_start_record(&base);
    if (k->c->refresh && !refresh_all(&base)) {
        *code = EXIT_FAILED;
        return NULL;
    }
    for (;;) { /* each round leaves something more out */
        struct plan *plan = plan_once(k, &base, interrupted, code);
        if (plan == NULL || !skip_secrets(k, plan)) {
            return plan;
        }
    }
}

/* Types that make nothing outside are nothing but their values: drawn anew they would be other ones than those that
 * their users go back to. */
static void recall_values(struct roller *k) {
    k->rb->recalled = MAP(k->a);
    for (size_t i = 0; i < k->targets.resources.len; i++) {
        const struct resource_record *r = k->targets.resources.items[i];
        const struct resource_type *type = providers_find_type(k->c->providers, r->type);
        if (type != NULL && type->effectless && value_is_set(r->computed) && !has_unopened(r) &&
            (r->computed.within & WITHIN_UNKNOWN) == 0) {
            map_put(&k->rb->recalled, r->address.text, (void *)r);
        }
    }
}

static void take_all_back(struct roller *k) {
    for (size_t i = 0; i < k->earlier.of_run.items.len; i++) {
        const struct store_element *row;
        struct resource_record *was;
        sv address = k->earlier.of_run.items.items[i].address;
        bool is_known = !map_has(&k->left_out, address) && rollback_find_row(&k->earlier, address, &row);
        if (!is_known || row == NULL || record_is_link_row(row)) {
            continue;
        }
        if (decode_resource(k, row, &was)) {
            take_back(k, was);
        } else {
            k->has_failed = true;
        }
    }
}

/* --- an instance that was destroyed --- */

static bool refuse(struct roller *k, const char *hint, sv message) {
    struct diag *d = diags_add(k->c->diags, DIAG_instance_not_found, SPAN_NONE, "%.*s", SV_ARG(message));
    diag_set_hint(k->c->diags, d, "%s", hint);
    return false;
}

static bool check_gone(struct roller *k, const struct gone_instance *g) {
    const struct run_config *c = k->c;
    struct store_instance other;
    if (!g->found) {
        sv wanted = c->instance_id.len > 0 ? c->instance_id : c->instance_name;
        return refuse(k, "the history tells of none that was destroyed, either: deploy it",
                      arena_printf(k->a, "there is no instance '%.*s'", SV_ARG(wanted)));
    }
    if (!sv_eq(g->row.context, c->context)) {
        return refuse(k, "choose the name space with --context",
                      arena_printf(k->a, "instance '%.*s' was destroyed in the name space '%.*s'", SV_ARG(g->row.name),
                                   SV_ARG(g->row.context)));
    }
    enum store_result r = c->store->ops->find_instance(c->store, k->a, c->context, g->row.name, &other);
    if (r == STORE_OK) {
        return refuse(k, "destroy that one first, or deploy the blueprint under another name",
                      arena_printf(k->a, "the name of instance '%.*s', which was destroyed, is another's now",
                                   SV_ARG(g->row.name)));
    }
    return r == STORE_NOT_FOUND;
}

/* Its picture: nothing is there of it. */
static bool load_gone(struct roller *k) {
    struct gone_instance *g = &k->rb->gone;
    if (!gone_find(k->c, g) || !check_gone(k, g)) {
        return false;
    }
    k->stored.instance = g->row;
    k->stored.body.history_number = g->history_number;
    return true;
}

static bool load(struct roller *k, bool *interrupted, enum exit_code *code) {
    const struct run_config *c = k->c;
    if (!stored_load_if_there(c, &k->stored, code)) {
        return false;
    }
    if (!k->stored.found && !load_gone(k)) {
        *code = EXIT_FAILED;
        return false;
    }
    struct recoveries recoveries = {0};
    if (!lease_is_held(c->host, &k->stored.tree.lease)) {
        struct recovery_request request = {.base_dir = k->stored.body.root_dir, .only_look = true, .is_quiet = true};
        recover_all(c, &k->stored, request, &recoveries);
    }
    *interrupted = recoveries.items.len > 0;
    return true;
}

struct plan *run_plan_rollback(const struct run_config *c, sv *why_not, enum exit_code *code) {
    struct roller *k = ARENA_NEW(c->arena, struct roller);
    bool interrupted = false;
    *why_not = (sv){0};
    *code = EXIT_FAILED;
    k->c = c;
    k->a = c->arena;
    k->left_out = MAP(k->a);
    k->rb = ARENA_NEW(k->a, struct rollback);
    if (!load(k, &interrupted, code)) {
        return NULL;
    }
    k->codec = (struct record_codec){
        .arena = k->a, .sealer = c->sealer, .diags = c->diags, .instance_id = k->stored.instance.id};
    if (!rollback_find_state(c, &k->stored, &k->earlier, why_not)) {
        *code = why_not->len > 0 ? EXIT_OK : EXIT_FAILED;
        return NULL;
    }
    if (!read_instance(k)) {
        return NULL;
    }
    skip_interrupted(k);
    take_all_back(k);
    struct plan *plan = plan_all(k, interrupted, code);
    bool is_idle = plan != NULL && k->rb->undoes > 0 && plan_is_empty(plan) && k->rb->taken.len == 0;
    if (is_idle && k->stored.tree.journal.len == 0 && k->rb->skipped.len == 0) {
        *why_not = k->rb->gone.found ? SV("the instance was empty before it was destroyed")
                                     : SV("the last run has changed nothing");
        return NULL;
    }
    if (plan != NULL) {
        plan->rollback = k->rb;
        recall_values(k);
        rollback_warn(c, &k->targets, plan);
        plan_warn_promises(c, plan);
    }
    return plan;
}
