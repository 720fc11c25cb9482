#include "engine/planner.h"

#include "engine/specs.h"

const struct resource_type *plan_find_type(const struct planner *p, sv type) {
    return p->c->providers == NULL ? NULL : providers_find_type(p->c->providers, type);
}

enum condition plan_find_condition(struct planner *p, uint32_t element) {
    struct element_plan *ep = &p->elements[element];
    if (ep->condition == 0) {
        ep->condition = condition_find(&p->eval, element);
    }
    return ep->condition;
}

bool plan_is_replaced(const struct planner *p, uint32_t element) {
    return p->elements[element].change.action == ACTION_REPLACE;
}

/* --- what others see of a planned resource --- */

static const struct schema *get_schema(const struct element *e) {
    return e->resource_type == NULL ? NULL : e->resource_type->schema;
}

/* Stored computed fields, carried as provisional (BP-456); those that the update makes unknown are left out. */
static value carry_computed(struct planner *p, const struct element_plan *ep) {
    value computed = spec_mark_leaves(p->a, ep->change.computed_before, MARK_PROVISIONAL);
    if (!ep->computed_unknown || computed.kind != VALUE_MAP) {
        return computed;
    }
    for (size_t i = 0; i < ep->change.diff.changes.len; i++) {
        const struct field_change *f = &ep->change.diff.changes.items[i];
        if (f->unknown && f->path.len == 2 && !f->path.steps[1].is_index &&
            value_map_has(computed, f->path.steps[1].key)) {
            computed = value_map_with(p->a, computed, f->path.steps[1].key, value_absent());
        }
    }
    return computed;
}

static value make_merged(struct planner *p, const struct element *e, const struct element_plan *ep) {
    const struct schema *schema = get_schema(e);
    switch (ep->change.action) {
    case ACTION_CREATE:
    case ACTION_REPLACE:
        return schema == NULL ? ep->spec : schema_add_unknowns(p->a, schema, ep->spec);
    case ACTION_UPDATE:
    case ACTION_CHECK: {
        value merged = schema_merge(p->a, ep->spec, carry_computed(p, ep));
        return ep->computed_unknown && schema != NULL ? schema_add_unknowns(p->a, schema, merged) : merged;
    }
    case ACTION_NONE:
    case ACTION_DELETE:
    case ACTION_READ:
    case ACTION_RETAIN:
        break;
    }
    return schema_merge(p->a, ep->spec, ep->change.computed_before);
}

static value make_state(struct planner *p, const struct element *e, const struct element_plan *ep) {
    bool is_new = ep->change.action == ACTION_CREATE || ep->change.action == ACTION_REPLACE;
    if (is_new || ep->record == NULL || !record_has_object(ep->record)) {
        const struct schema *schema = get_schema(e);
        return value_unknown(schema == NULL ? NULL : schema_get_type(p->a, schema));
    }
    value state = schema_merge(p->a, ep->change.before, ep->change.computed_before);
    return ep->change.action == ACTION_NONE ? state : spec_mark_leaves(p->a, state, MARK_PROVISIONAL);
}

value plan_get_resource_value(struct planner *p, uint32_t element, bool state) {
    struct element_plan *ep = &p->elements[element];
    const struct element *e = &p->t->elements[element];
    if (ep->has_failed) {
        return value_error(NULL);
    }
    if (ep->condition == CONDITION_FALSE) {
        return value_absent();
    }
    if (!ep->is_planned) { /* only where the order could not be kept */
        const struct schema *schema = get_schema(e);
        return value_unknown(schema == NULL ? NULL : schema_get_type(p->a, schema));
    }
    /* What may turn out not to be there is never taken for sure. */
    bool is_open = ep->condition == CONDITION_OPEN;
    if (state) {
        value v = make_state(p, e, ep);
        return is_open ? spec_mark_leaves(p->a, v, MARK_PROVISIONAL) : v;
    }
    if (!value_is_set(ep->merged)) {
        value v = make_merged(p, e, ep);
        ep->merged = is_open ? spec_mark_leaves(p->a, v, MARK_PROVISIONAL) : v;
    }
    return ep->merged;
}

/* --- contributions --- */

static value world_get_spec(void *user, uint32_t element) {
    struct planner *p = user;
    const struct element_plan *ep = &p->elements[element];
    return ep->is_planned ? plan_get_resource_value(p, element, false) : (value){0};
}

static value world_get_metadata(void *user, uint32_t element) {
    const struct planner *p = user;
    return p->elements[element].metadata;
}

static value world_get_prior(void *user, uint32_t link) {
    const struct planner *p = user;
    struct link_record *record = stored_find_link(p->stored, p->t->links[link].address.text);
    return record == NULL ? (value){0} : record->data;
}

static enum condition world_get_condition(void *user, uint32_t element) {
    return plan_find_condition(user, element);
}

struct link_world plan_get_world(struct planner *p) {
    return (struct link_world){
        .topology = &p->topology,
        .diags = p->diags,
        .user = p,
        .get_spec = world_get_spec,
        .get_metadata = world_get_metadata,
        .get_prior = world_get_prior,
        .get_condition = world_get_condition,
    };
}

/* False after a report. */
static bool lay_contributions_over(struct planner *p, uint32_t n, struct element_plan *ep) {
    struct link_world world = plan_get_world(p);
    ep->spec = links_lay_over(&world, p->a, n, ep->spec);
    return !value_is_error(ep->spec);
}

/* --- comparison --- */

void plan_compare(const struct compare_request *r, struct field_diff *diff) {
    struct path_step step = {.key = SV("spec")};
    struct schema_diff_request spec = {
        .arena = r->arena,
        .schema = r->type == NULL ? NULL : r->type->schema,
        .prefix = {&step, 1},
        .before = r->spec_before,
        .after = r->spec_after,
        .is_same_secret = seal_is_same_secret,
        .user = r->sealer,
    };
    schema_diff(&spec, diff);
    struct path_step metadata_step = {.key = SV("metadata")};
    struct map_builder empty = {.arena = r->arena};
    value nothing = map_done(&empty);
    struct schema_diff_request metadata = {
        .arena = r->arena,
        .prefix = {&metadata_step, 1},
        .is_same_secret = seal_is_same_secret,
        .user = r->sealer,
        .before = value_is_set(r->metadata_before) ? r->metadata_before : nothing,
        .after = value_is_set(r->metadata_after) ? r->metadata_after : nothing,
    };
    schema_diff(&metadata, diff);
    if (r->type != NULL && r->type->plan != NULL && diff->changes.len > 0) {
        value merged = schema_merge(r->arena, r->spec_before, r->computed_before);
        r->type->plan(r->arena, merged, r->spec_after, diff);
    }
}

static void add_reason(struct planner *p, struct change *change, sv text, span at) {
    VEC_PUSH(p->a, &change->reasons, ((struct change_reason){.text = text, .at = at}));
}

/* What is replaced behind a node that comes before the one that is looked at. */
static unsigned look_behind(const struct planner *p, uint32_t node) {
    if (topology_is_link(&p->topology, node)) {
        return 0;
    }
    if (p->topology.is_barrier[node]) {
        return p->barriers[node];
    }
    const struct change *used = &p->elements[node].change;
    return used->action != ACTION_REPLACE ? 0 : USED_REPLACED | (used->destroy_first ? USED_DESTROYED_FIRST : 0);
}

static unsigned look_behind_all(const struct planner *p, uint32_t node) {
    const struct number_rows *uses = &p->topology.uses;
    unsigned found = 0;
    for (uint32_t i = uses->starts[node]; i < uses->starts[node + 1]; i++) {
        found |= look_behind(p, uses->items[i]);
    }
    return found;
}

/* Why it is replaced: the paths, and the replaced resources behind those that are unknown (BP-423). */
static void find_reasons(struct planner *p, uint32_t n, struct change *change) {
    const struct element *e = &p->t->elements[n];
    bool any_unknown = false;
    for (size_t i = 0; i < change->diff.changes.len; i++) {
        const struct field_change *f = &change->diff.changes.items[i];
        if (f->must_recreate) {
            add_reason(p, change, path_to_text(p->a, f->path), e->at);
            any_unknown = any_unknown || f->unknown;
        }
    }
    const struct number_rows *uses = &p->topology.uses;
    for (uint32_t i = uses->starts[n]; any_unknown && i < uses->starts[n + 1]; i++) {
        if ((look_behind(p, uses->items[i]) & USED_REPLACED) != 0) {
            add_reason(p, change, topology_get_address(&p->topology, uses->items[i]), e->at);
        }
    }
}

static bool same_identity(const struct schema *schema, value before, value after) {
    size_t found = 0;
    for (size_t i = 0; schema != NULL && i < schema->attribute_count; i++) {
        const struct schema_attribute *attribute = &schema->attributes[i];
        if ((attribute->schema->flags & SCHEMA_IDENTITY) == 0) {
            continue;
        }
        struct path_step step = {.key = attribute->name};
        value x = value_find_path(before, (struct path){&step, 1}), y = value_find_path(after, (struct path){&step, 1});
        if (!value_is_set(x) || !value_is_set(y) || !value_eq(x, y)) {
            return false;
        }
        found++;
    }
    return found > 0;
}

/* BP-446, BP-447; an object that would have the identity of the one it replaces cannot be made beside it. */
static bool must_destroy_first(struct planner *p, uint32_t n, const struct element_plan *ep) {
    const struct resource_type *type = p->t->elements[n].resource_type;
    bool same_type = type != NULL && sv_eq(type->name, ep->record->type);
    if (!p->t->policies.create_before_destroy || (type != NULL && type->destroy_before_create)) {
        return true;
    }
    if (same_type && same_identity(type->schema, ep->change.before, ep->spec)) {
        return true;
    }
    return (look_behind_all(p, n) & USED_DESTROYED_FIRST) != 0;
}

static void decide_replacement(struct planner *p, uint32_t n, struct element_plan *ep) {
    struct change *change = &ep->change;
    const struct element *e = &p->t->elements[n];
    change->action = ACTION_REPLACE;
    change->must_recreate = true;
    change->generation = ep->record->generation + 1;
    change->destroy_first = must_destroy_first(p, n, ep);
    bool was_there = !p->is_rollback || e->record == NULL || e->record->generation == ep->record->generation;
    change->retain = was_there && sv_eq_cstr(ep->record->removal_policy, "retain");
    find_reasons(p, n, change);
    if (change->retain && change->destroy_first) {
        struct diag *d = diags_add(p->diags, DIAG_replacement_blocked_by_retain, e->at,
                                   "'%.*s' must be destroyed before its replacement is made, but is to be retained",
                                   SV_ARG(e->name));
        diag_set_hint(p->diags, d, "deploy it once with removalPolicy 'delete'");
        d->path = e->address.text;
        ep->has_failed = true;
    }
}

/* Whether the last operation on the object ended half-way, so that it is updated even if nothing seems to differ. */
static bool is_half_done(const struct resource_record *r) {
    return !status_is_settled(r->status) && r->status != STATUS_config_complete;
}

static void decide_update(struct planner *p, uint32_t n, struct element_plan *ep) {
    struct change *change = &ep->change;
    bool recreate = false, real = false;
    for (size_t i = 0; i < change->diff.changes.len; i++) {
        const struct field_change *f = &change->diff.changes.items[i];
        recreate = recreate || f->must_recreate;
        real = real || !f->provisional;
        ep->computed_unknown = ep->computed_unknown || f->unknown;
    }
    bool is_open = ((ep->spec.within | ep->metadata.within) & (WITHIN_UNKNOWN | MARK_PROVISIONAL)) != 0;
    change->generation = ep->record->generation;
    change->forced = is_half_done(ep->record);
    if (recreate) {
        decide_replacement(p, n, ep);
    } else if (real || change->forced) {
        change->action = ACTION_UPDATE;
    } else {
        is_open = is_open || ep->condition == CONDITION_OPEN;
        change->action = is_open || change->diff.changes.len > 0 ? ACTION_CHECK : ACTION_NONE;
    }
}

static bool same_metadata(value before, value after) {
    if (!value_is_set(before)) {
        return !value_is_set(after) || (after.kind == VALUE_MAP && after.map->len == 0);
    }
    return value_is_set(after) && value_eq(before, after);
}

static void compare(struct planner *p, uint32_t n, struct element_plan *ep) {
    const struct element *e = &p->t->elements[n];
    struct resource_record *record = ep->record;
    struct change *change = &ep->change;
    if (record == NULL || !record_has_object(record)) {
        change->action = ACTION_CREATE;
        bool goes_on = record != NULL && record->generation > 0;
        change->generation = goes_on ? record->generation : p->stored->instance.version + 1;
        struct map_builder empty = {.arena = p->a};
        struct compare_request all_new = {.arena = p->a,
                                          .sealer = p->c->sealer,
                                          .type = NULL,
                                          .spec_before = map_done(&empty),
                                          .spec_after = ep->spec,
                                          .metadata_after = ep->metadata};
        plan_compare(&all_new, &change->diff);
        return;
    }
    change->before = record->spec;
    change->computed_before = record->computed;
    change->metadata_before = record->metadata;
    change->physical_id = record->physical_id;
    struct compare_request request = {
        .arena = p->a,
        .sealer = p->c->sealer,
        .type = e->resource_type,
        .spec_before = record->spec,
        .computed_before = record->computed,
        .metadata_before = record->metadata,
        .spec_after = ep->spec,
        .metadata_after = ep->metadata,
    };
    bool is_open = ((ep->spec.within | ep->metadata.within) & (WITHIN_UNKNOWN | MARK_PROVISIONAL)) != 0;
    bool is_same = !is_open && value_eq(record->spec, ep->spec) && same_metadata(record->metadata, ep->metadata);
    if (!is_same) { /* else nothing would be listed but what is unchanged */
        plan_compare(&request, &change->diff);
    }
    if (!sv_eq(record->type, e->type_text)) {
        decide_replacement(p, n, ep);
        add_reason(p, change, SV("type"), e->at);
        return;
    }
    if (target_is_replaced(&p->choice, n)) {
        add_reason(p, change, SV("--replace"), SPAN_NONE);
        decide_replacement(p, n, ep);
        return;
    }
    decide_update(p, n, ep);
}

static void list_known_on_deploy(struct planner *p, struct element_plan *ep) {
    struct change *change = &ep->change;
    const sv *spec, *metadata;
    size_t spec_count = spec_find_open_paths(p->a, SV("spec"), ep->spec, &spec);
    size_t metadata_count = spec_find_open_paths(p->a, SV("metadata"), ep->metadata, &metadata);
    if (spec_count + metadata_count == 0) {
        return;
    }
    sv *all = ARENA_ARRAY(p->a, sv, spec_count + metadata_count);
    for (size_t i = 0; i < spec_count; i++) {
        all[i] = spec[i];
    }
    for (size_t i = 0; i < metadata_count; i++) {
        all[spec_count + i] = metadata[i];
    }
    change->known_on_deploy = all;
    change->known_on_deploy_count = spec_count + metadata_count;
}

/* --- one resource --- */

static bool eval_resource(struct planner *p, uint32_t n, struct element_plan *ep) {
    ep->spec = spec_eval(&p->eval, n);
    ep->metadata = spec_eval_metadata(&p->eval, n);
    bool has_text = p->t->elements[n].description_expr != NULL; /* recorded later: its mistakes are told now */
    value text = has_text ? eval_cell(p->eval.evaluator, p->eval.cells[n].description) : value_absent();
    bool has_failed = value_is_error(ep->spec) || (ep->spec.within & WITHIN_ERROR) != 0;
    if (has_failed || value_is_error(ep->metadata) || value_is_error(text)) {
        return false;
    }
    return lay_contributions_over(p, n, ep);
}

/* What is left out is there as it is stored, or is not there. */
static void leave_as_stored(const struct element *e, struct element_plan *ep) {
    const struct resource_record *record = ep->record;
    ep->condition = CONDITION_FALSE;
    if (record == NULL || !record_has_object(record)) {
        return;
    }
    ep->condition = CONDITION_TRUE;
    ep->is_planned = true;
    ep->spec = record->spec;
    ep->metadata = record->metadata;
    ep->change = (struct change){
        .address = e->address,
        .kind = ELEMENT_RESOURCE,
        .action = ACTION_NONE,
        .type = record->type,
        .before = record->spec,
        .computed_before = record->computed,
        .metadata_before = record->metadata,
        .physical_id = record->physical_id,
        .generation = record->generation,
    };
}

static void plan_resource(struct planner *p, uint32_t n) {
    const struct element *e = &p->t->elements[n];
    struct element_plan *ep = &p->elements[n];
    ep->record = stored_find_resource(p->stored, e->address.text);
    if (target_is_left_out(&p->choice, n)) {
        leave_as_stored(e, ep);
        return;
    }
    enum condition condition = plan_find_condition(p, n);
    if (condition == CONDITION_FALSE) {
        return;
    }
    ep->has_failed = condition == CONDITION_FAILED;
    ep->change.condition_known_on_deploy = condition == CONDITION_OPEN;
    ep->change.address = e->address;
    ep->change.kind = ELEMENT_RESOURCE;
    ep->change.type = e->type_text;
    ep->change.type_version = e->resource_type == NULL ? 0 : (int64_t)e->resource_type->version;
    size_t drift = (size_t)(uintptr_t)map_find(&p->drift_by_address, e->address.text);
    ep->change.missing = drift != 0 && p->drift.items[drift - 1].missing;
    ep->change.drifted = drift != 0 && !ep->change.missing;
    if (ep->has_failed || !eval_resource(p, n, ep)) {
        ep->has_failed = true;
    } else {
        ep->change.after = ep->spec;
        ep->change.metadata_after = ep->metadata;
        compare(p, n, ep);
    }
    if (ep->has_failed) {
        p->has_failed = true;
        return;
    }
    value name = ep->metadata.kind == VALUE_MAP ? value_map_find(ep->metadata, SV("displayName")) : (value){0};
    if (name.kind == VALUE_STRING && !value_is_sensitive(name)) {
        ep->change.display_name = value_get_text(name);
    }
    if (ep->change.action != ACTION_NONE) {
        list_known_on_deploy(p, ep);
        const struct schema *schema = get_schema(e);
        ep->change.computed_field_count = spec_find_computed_paths(p->a, schema, &ep->change.computed_fields);
    }
    ep->is_planned = true;
}

void plan_resources(struct planner *p) {
    p->barriers = ARENA_ARRAY(p->a, uint8_t, p->topology.node_count);
    for (size_t i = 0; i < p->topology.order_count; i++) {
        uint32_t node = p->topology.order[i];
        if (topology_is_resource(&p->topology, node)) {
            plan_resource(p, node);
        } else {
            p->barriers[node] = (uint8_t)look_behind_all(p, node);
        }
    }
}
