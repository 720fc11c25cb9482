/* From what was found out to the list of changes, in document order. */
#include "engine/planner.h"

#include "engine/data_reads.h"
#include "engine/specs.h"

/* The resource of that address, unless its condition takes it out of the template (BP-142). */
static bool is_removed(const struct planner *p, const struct element *e) {
    bool is_there = e != NULL && e->kind == ELEMENT_RESOURCE;
    return !is_there || p->elements[template_get_number(p->t, e)].condition == CONDITION_FALSE;
}

/* The policy of the template counts while the resource stands in it, then the recorded one (BP-134, BP-294). */
static bool is_retained(const struct planner *p, const struct element *e, const struct resource_record *r) {
    if (p->is_rollback) {
        return false;
    }
    if (e != NULL && e->kind == ELEMENT_RESOURCE) {
        return e->removal == REMOVAL_RETAIN || topology_is_detached(&p->topology, template_get_number(p->t, e));
    }
    return sv_eq_cstr(r->removal_policy, "retain") || sv_eq_cstr(r->removal_policy, "detach");
}

static void list_removed(struct planner *p, const struct element *e, const struct resource_record *r) {
    struct change *change = VEC_ADD(p->a, &p->changes);
    size_t drift = (size_t)(uintptr_t)map_find(&p->drift_by_address, r->address.text);
    *change = (struct change){
        .address = r->address,
        .kind = ELEMENT_RESOURCE,
        .action = is_retained(p, e, r) ? ACTION_RETAIN : ACTION_DELETE,
        .type = r->type,
        .before = r->spec,
        .computed_before = r->computed,
        .metadata_before = r->metadata,
        .physical_id = r->physical_id,
        .generation = r->generation,
        .missing = drift != 0 && p->drift.items[drift - 1].missing,
        .drifted = drift != 0 && !p->drift.items[drift - 1].missing,
    };
}

static int64_t parse_generation(sv text) {
    int64_t n = 0;
    for (size_t i = 0; i < text.len && text.data[i] >= '0' && text.data[i] <= '9'; i++) {
        n = n * 10 + (text.data[i] - '0');
    }
    return n;
}

static void list_deposed(struct planner *p, const struct resource_record *r) {
    for (size_t i = 0; i < r->deposed_count; i++) {
        const struct deposed *d = &r->deposed[i];
        struct change *change = VEC_ADD(p->a, &p->changes);
        *change = (struct change){
            .address = r->address,
            .kind = ELEMENT_RESOURCE,
            .action = ACTION_DELETE,
            .deposed = true,
            .type = d->type,
            .before = d->spec,
            .computed_before = d->computed,
            .metadata_before = r->metadata,
            .physical_id = d->physical_id,
            .generation = parse_generation(d->generation),
        };
    }
}

static bool is_left_out(const struct planner *p, const struct element *e, const struct resource_record *r) {
    bool is_there = e != NULL && e->kind == ELEMENT_RESOURCE;
    return is_there ? target_is_left_out(&p->choice, template_get_number(p->t, e))
                    : target_is_left_alone(&p->choice, r->address.text);
}

void plan_list_changes(struct planner *p) {
    for (uint32_t n = 0; n < p->topology.element_count; n++) {
        const struct element_plan *ep = &p->elements[n];
        if (ep->is_planned && ep->change.action != ACTION_NONE) {
            VEC_PUSH(p->a, &p->changes, ep->change);
        }
    }
    for (size_t i = 0; i < p->stored->elements.len; i++) {
        const struct stored_element *e = p->stored->elements.items[i];
        if (e->resource == NULL || e->removed) {
            continue;
        }
        const struct element *in_template = p->t == NULL ? NULL : template_find(p->t, e->resource->address.text);
        if (is_left_out(p, in_template, e->resource)) {
            continue;
        }
        list_deposed(p, e->resource);
        if (is_removed(p, in_template)) {
            list_removed(p, in_template, e->resource);
        }
    }
    plan_links(p);
    plan_exports(p);
    plan_data_reads(p);
}

/* --- links --- */

static void compare_part(struct planner *p, struct change *change, const char *name, value before, value after) {
    struct path_step *step = ARENA_NEW(p->a, struct path_step);
    step->key = sv_from_cstr(name);
    struct map_builder empty = {.arena = p->a};
    struct schema_diff_request request = {
        .arena = p->a,
        .prefix = {step, 1},
        .before = value_is_set(before) ? before : map_done(&empty),
        .after = after,
        .is_same_secret = seal_is_same_secret,
        .user = p->c->sealer,
    };
    schema_diff(&request, &change->diff);
}

/* Whether what the operations of the link did is to be done anew, though its data is the same. */
static bool must_redo(const struct planner *p, const struct template_link *l, const struct link_record *record) {
    sv address = l->address.text;
    bool has_new_side =
        p->elements[l->a].change.action == ACTION_CREATE || p->elements[l->b].change.action == ACTION_CREATE;
    bool drifted = map_has(&p->touched_links, address) || map_has(&p->drift_by_address, address);
    return record->is_active && (has_new_side || drifted);
}

/* What stood on the old object goes with it (BP-431). */
static bool is_replaced(const struct planner *p, const struct template_link *l, const struct link_record *record) {
    bool replaced = plan_is_replaced(p, l->a) || plan_is_replaced(p, l->b);
    return replaced && record->is_active;
}

static enum change_action judge_action(const struct planner *p, const struct template_link *l,
                                       const struct link_call *call, const struct change *change,
                                       const struct link_record *record) {
    bool is_open = (change->after.within & (WITHIN_UNKNOWN | MARK_PROVISIONAL)) != 0;
    if (record == NULL || record->status == STATUS_create_failed || record->status == STATUS_create_interrupted ||
        record->status == STATUS_creating) {
        return ACTION_CREATE;
    }
    if (is_replaced(p, l, record)) {
        return ACTION_REPLACE;
    }
    bool replaced = plan_is_replaced(p, l->a) || plan_is_replaced(p, l->b);
    bool half_done = !status_is_settled(record->status);
    bool is_active = link_type_has_operations(l->type) && !call->is_idle;
    if (replaced || half_done || is_active != record->is_active || is_open || change->diff.changes.len > 0 ||
        must_redo(p, l, record)) {
        return ACTION_UPDATE;
    }
    return change->condition_known_on_deploy ? ACTION_CHECK : ACTION_NONE;
}

/* What becomes of a link of which both sides are planned: action NONE when it stays as it is. False after a report. */
static bool judge_link(struct planner *p, uint32_t number, struct change *change) {
    const struct template_link *l = &p->t->links[number];
    struct link_world world = plan_get_world(p);
    struct link_call call = {.arena = p->a, .diags = p->diags};
    if (!links_stage_known(&world, number, &call)) {
        return false;
    }
    struct link_record *record = stored_find_link(p->stored, l->address.text);
    *change = (struct change){.address = l->address, .kind = ELEMENT_LINK, .action = ACTION_NONE, .after = call.data};
    struct map_builder empty = {.arena = p->a};
    change->before = record == NULL ? map_done(&empty) : record->data;
    compare_part(p, change, "data", change->before, change->after);
    if (call.intermediaries.len > 0) { /* else the type tells nothing of them in advance */
        value planned = links_encode_intermediaries(p->a, call.intermediaries.items, call.intermediaries.len);
        compare_part(p, change, "intermediaries", record == NULL ? (value){0} : record->intermediaries, planned);
    }
    if (call.fields.len > 0) {
        value planned = link_fields_encode(p->a, call.name_a, call.name_b, call.fields.items, call.fields.len);
        compare_part(p, change, "fields", record == NULL ? (value){0} : record->fields, planned);
    }
    change->condition_known_on_deploy =
        p->elements[l->a].condition == CONDITION_OPEN || p->elements[l->b].condition == CONDITION_OPEN;
    change->generation = record == NULL ? p->stored->instance.version + 1 : record->generation;
    change->action = judge_action(p, l, &call, change, record);
    change->destroy_first = change->action == ACTION_REPLACE; /* what it did is taken back first */
    change->generation += change->action == ACTION_REPLACE;
    return true;
}

static bool has_planned_sides(const struct planner *p, const struct template_link *l) {
    return p->elements[l->a].is_planned && p->elements[l->b].is_planned;
}

value plan_get_link_state(struct planner *p, uint32_t link) {
    const struct template_link *l = &p->t->links[link];
    if (p->elements[l->a].condition == CONDITION_FALSE || p->elements[l->b].condition == CONDITION_FALSE) {
        return value_absent();
    }
    struct change change;
    if (!has_planned_sides(p, l)) {
        return value_unknown(&type_map);
    }
    if (!judge_link(p, link, &change)) {
        return value_error(NULL);
    }
    const struct link_record *record = stored_find_link(p->stored, l->address.text);
    bool is_as_stored = change.action == ACTION_NONE && record != NULL;
    return is_as_stored ? links_get_state(p->a, record) : value_unknown(&type_map);
}

static void plan_link(struct planner *p, uint32_t number) {
    const struct template_link *l = &p->t->links[number];
    struct change change;
    if (!has_planned_sides(p, l)) {
        return;
    }
    if (!judge_link(p, number, &change)) {
        p->has_failed = true;
        return;
    }
    if (change.action == ACTION_NONE) {
        return;
    }
    change.type = arena_printf(p->a, "%.*s::%.*s", SV_ARG(l->type->type_a), SV_ARG(l->type->type_b));
    change.known_on_deploy_count = spec_find_open_paths(p->a, SV("data"), change.after, &change.known_on_deploy);
    VEC_PUSH(p->a, &p->changes, change);
}

static sv get_link_type(const struct planner *p, const struct link_record *l) {
    bool is_known = l->type_a.len > 0;
    return is_known ? arena_printf(p->a, "%.*s::%.*s", SV_ARG(l->type_a), SV_ARG(l->type_b)) : (sv){0};
}

/* Intermediaries that go with the link. */
static void list_lost(struct planner *p, struct change *change, const struct link_record *l) {
    struct map_builder none = {.arena = p->a};
    if (value_is_set(l->intermediaries)) {
        compare_part(p, change, "intermediaries", l->intermediaries, map_done(&none));
    }
}

/* A link that is left out is made anew, all the same, when the object of a side is: it would be gone with the old one.
 */
static bool stays_as_stored(const struct planner *p, uint32_t link) {
    const struct template_link *l = &p->t->links[link];
    bool is_torn = plan_is_replaced(p, l->a) || plan_is_replaced(p, l->b);
    return target_is_link_left_out(&p->choice, link) &&
           !(is_torn && has_planned_sides(p, l) && stored_find_link(p->stored, l->address.text) != NULL);
}

void plan_links(struct planner *p) {
    struct map kept = MAP(p->a);
    struct link_world world = plan_get_world(p);
    for (uint32_t i = 0; i < p->topology.link_count; i++) {
        if (stays_as_stored(p, i)) {
            map_put(&kept, p->t->links[i].address.text, p);
        } else if (links_find_condition(&world, i) != CONDITION_FALSE) {
            map_put(&kept, p->t->links[i].address.text, p);
            plan_link(p, i);
        }
    }
    for (size_t i = 0; i < p->stored->elements.len; i++) {
        const struct stored_element *e = p->stored->elements.items[i];
        bool is_other = e->link == NULL || e->removed || map_has(&kept, e->link->address.text);
        if (is_other || target_is_left_alone(&p->choice, e->link->address.text)) {
            continue;
        }
        struct change *change = VEC_ADD(p->a, &p->changes);
        *change = (struct change){.address = e->link->address,
                                  .kind = ELEMENT_LINK,
                                  .action = ACTION_DELETE,
                                  .type = get_link_type(p, e->link),
                                  .before = e->link->data,
                                  .generation = e->link->generation};
        list_lost(p, change, e->link);
    }
}

/* --- exports --- */

sv plan_get_export_name(const struct element *e) {
    return e->group == 0 ? e->name : e->address.text;
}

static void plan_export(struct planner *p, uint32_t n, const struct export_record *record) {
    const struct element *e = &p->t->elements[n];
    value after = eval_cell(p->eval.evaluator, &p->eval.cells[n].main);
    if (value_is_error(after)) {
        p->has_failed = true;
        return;
    }
    if (after.kind == VALUE_ABSENT) {
        diags_add(p->diags, DIAG_export_omitted, e->at, "export '%.*s' yields none and is left out", SV_ARG(e->name));
        return;
    }
    struct change change = {.address = e->address, .kind = ELEMENT_EXPORT, .type = e->type_text, .after = after};
    change.before = record == NULL ? (value){0} : record->item;
    bool is_open = (after.within & (WITHIN_UNKNOWN | MARK_PROVISIONAL)) != 0;
    if (record != NULL && !is_open && value_eq(record->item, after)) {
        return;
    }
    change.action = record == NULL ? ACTION_CREATE : ACTION_UPDATE;
    change.known_on_deploy_count = spec_find_open_paths(p->a, SV("value"), after, &change.known_on_deploy);
    VEC_PUSH(p->a, &p->changes, change);
}

static void list_removed_export(struct planner *p, const struct export_record *record) {
    bool is_address = sv_find(record->name, SV("/")) != SIZE_MAX;
    addr address = is_address ? (addr){record->name} : addr_make(p->a, (sv){0}, ELEMENT_EXPORT, record->name);
    if (target_is_left_alone(&p->choice, address.text)) {
        return;
    }
    struct change *change = VEC_ADD(p->a, &p->changes);
    *change = (struct change){.address = address,
                              .kind = ELEMENT_EXPORT,
                              .action = ACTION_DELETE,
                              .type = record->type,
                              .before = record->item};
}

void plan_exports(struct planner *p) {
    struct map stored = MAP(p->a), kept = MAP(p->a);
    for (size_t i = 0; i < p->stored->body.export_count; i++) {
        map_put(&stored, p->stored->body.exports[i].name, &p->stored->body.exports[i]);
    }
    for (uint32_t n = 0; n < p->topology.element_count; n++) {
        const struct element *e = &p->t->elements[n];
        if (e->kind == ELEMENT_EXPORT && target_is_left_out(&p->choice, n)) {
            map_put(&kept, plan_get_export_name(e), p);
        } else if (e->kind == ELEMENT_EXPORT && plan_find_condition(p, n) != CONDITION_FALSE) {
            map_put(&kept, plan_get_export_name(e), p);
            plan_export(p, n, map_find(&stored, plan_get_export_name(e)));
        }
    }
    for (size_t i = 0; i < p->stored->body.export_count; i++) {
        if (!map_has(&kept, p->stored->body.exports[i].name)) {
            list_removed_export(p, &p->stored->body.exports[i]);
        }
    }
}

/* --- data sources --- */

void plan_data_reads(struct planner *p) {
    for (uint32_t n = 0; n < p->topology.element_count; n++) {
        const struct element *e = &p->t->elements[n];
        const struct cell *searches = &p->eval.cells[n].main;
        if (e->kind != ELEMENT_DATA || searches->state != CELL_DONE || data_is_read(p->record, e)) {
            continue; /* not asked for, or done */
        }
        if ((searches->result.within & (WITHIN_UNKNOWN | MARK_PROVISIONAL)) != 0) {
            VEC_PUSH(p->a, &p->changes,
                     ((struct change){
                         .address = e->address, .kind = ELEMENT_DATA, .action = ACTION_READ, .type = e->type_text}));
        }
    }
}
