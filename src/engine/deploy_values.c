/* Values that only now become known (BP-424, BP-466), and texts that must not show secrets (BP-281). */
#include "engine/deploy.h"

#include "engine/data_reads.h"
#include "engine/fields.h"
#include "engine/specs.h"

#define NO_ELEMENT UINT32_MAX

/* --- evaluation --- */

static const struct schema *get_schema(const struct deploy *d, uint32_t element) {
    const struct resource_type *type = d->t->elements[element].resource_type;
    return type == NULL ? NULL : type->schema;
}

/* Whether the element's object is what the plan wants it to be: made, updated, or never to be touched. */
static bool is_made(const struct deploy *d, uint32_t element, const struct resource_record *r) {
    uintptr_t number = (uintptr_t)map_find(&d->op_by_address, d->t->elements[element].address.text);
    if (r == NULL || !record_has_object(r)) {
        return false;
    }
    if (number == 0) {
        return true;
    }
    const struct change *change = d->ops[number - 1].change;
    return change->action != ACTION_REPLACE || r->generation == change->generation;
}

static value get_merged(struct deploy *d, uint32_t element) {
    if (value_is_set(d->merged[element])) {
        return d->merged[element];
    }
    const struct resource_record *r = stored_find_resource(&d->stored, d->t->elements[element].address.text);
    if (!is_made(d, element, r)) {
        return (value){0};
    }
    d->merged[element] = schema_merge(d->a, r->spec, r->computed);
    return d->merged[element];
}

static void set_text_cell(struct cell *c, const struct expr *expr, value metadata, const char *key) {
    if (expr != NULL && metadata.kind == VALUE_MAP && value_map_has(metadata, sv_from_cstr(key))) {
        cell_set(c, value_map_find(metadata, sv_from_cstr(key)));
    }
}

/* Others see the record, not what evaluation would give: it may lead to elements that are still to change. */
static void settle_cells(struct deploy *d, uint32_t element) {
    const struct element *e = &d->t->elements[element];
    struct element_cells *cells = &d->eval.cells[element];
    const struct resource_record *r = stored_find_resource(&d->stored, e->address.text);
    value merged = get_merged(d, element);
    if (!value_is_set(merged)) {
        return;
    }
    cells->merged = cells->state = merged;
    set_text_cell(cells->display_name, e->display_name, r->metadata, "displayName");
    set_text_cell(cells->annotations, e->annotations, r->metadata, "annotations");
    set_text_cell(cells->custom, e->custom, r->metadata, "custom");
}

/* The number of C(x), or SIZE_MAX. */
static size_t find_create(const struct deploy *d, uint32_t element) {
    return (size_t)(uintptr_t)map_find(&d->op_by_address, d->t->elements[element].address.text) - 1;
}

void settle_element(struct deploy *d, uint32_t element) {
    if (element == NO_ELEMENT) {
        return;
    }
    d->merged[element] = (value){0};
    if (d->eval_started) {
        settle_cells(d, element);
    }
}

static value demand_resource(void *user, struct evaluation *e, uint32_t element, bool state) {
    struct deploy *d = user;
    (void)e;
    (void)state; /* what the provider reported last and what others see are one while a run is on (BP-244) */
    value v = get_merged(d, element);
    if (value_is_set(v)) {
        return v;
    }
    const struct schema *schema = get_schema(d, element);
    return value_unknown(schema == NULL ? NULL : schema_get_type(d->a, schema));
}

/* The stored state of a link; it is not known while the link is still to be made (FN-233). */
static value demand_link(void *user, struct evaluation *e, uint32_t link) {
    struct deploy *d = user;
    const struct template_link *l = &e->template->links[link];
    uintptr_t op = (uintptr_t)map_find(&d->op_by_address, l->address.text);
    const struct link_record *record = stored_find_link(&d->stored, l->address.text);
    if (op != 0 && d->ops[op - 1].is_excluded) {
        return value_absent();
    }
    if (op != 0 && !d->ops[op - 1].over) {
        return value_unknown(&type_map);
    }
    if (record == NULL) {
        diags_add(d->c->diags, DIAG_link_not_found_in_state, l->at, "link '%.*s' has no state",
                  SV_ARG(l->address.text));
        return value_error(NULL);
    }
    return links_get_state(d->a, record);
}

/* While a provider looks for data, the lease is kept. */
static void tick(void *user) {
    struct deploy *d = user;
    if (d->has_lease) {
        renew_lease(d);
    }
}

value deploy_demand_data(void *user, struct evaluation *e, uint32_t element, const value *searches) {
    struct deploy *d = user;
    struct data_read r = {
        .c = d->c, .record = d->p->record, .diags = d->c->diags, .base_dir = d->p->root_dir, .tick = tick, .user = d};
    value v = data_read(&r, &e->template->elements[element], searches);
    mask_add_values(d, v);
    return v;
}

struct evaluation *get_evaluation(struct deploy *d) {
    if (!d->eval_started) {
        d->eval = (struct evaluation){.template = d->t,
                                      .arena = d->a,
                                      .diags = d->c->diags,
                                      .demand_resource = demand_resource,
                                      .demand_data = deploy_demand_data,
                                      .demand_link = demand_link,
                                      .user = d};
        const struct evaluation_request request = {
            .host = d->c->host, .limits = d->c->limits, .record = d->p->record, .fetcher = d->c->fetcher};
        d->t->ops->start_evaluation(d->t, &d->eval, &request);
        d->eval_started = true;
        for (uint32_t n = 0; n < d->t->element_count; n++) {
            if (d->t->elements[n].kind != ELEMENT_RESOURCE) {
                continue;
            }
            size_t op = find_create(d, n);
            if (op == SIZE_MAX || d->ops[op].over) {
                settle_cells(d, n);
            }
        }
    }
    return &d->eval;
}

/* --- the world around a link --- */

static value world_get_spec(void *user, uint32_t element) {
    return get_merged(user, element);
}

static value world_get_metadata(void *user, uint32_t element) {
    struct deploy *d = user;
    const struct element *el = &d->t->elements[element];
    uintptr_t number = (uintptr_t)map_find(&d->op_by_address, el->address.text);
    if (number != 0 && !is_made(d, element, stored_find_resource(&d->stored, el->address.text))) {
        return d->ops[number - 1]
            .change->metadata_after; /* what it refers to may not be known yet: not evaluated now */
    }
    if (!value_is_set(d->metadata[element])) {
        value v = spec_eval_metadata(get_evaluation(d), element);
        d->metadata[element] = value_is_error(v) ? (value){0} : v;
    }
    return d->metadata[element];
}

static value world_get_prior(void *user, uint32_t link) {
    const struct deploy *d = user;
    struct link_record *record = stored_find_link(&d->stored, d->t->links[link].address.text);
    return record == NULL ? (value){0} : record->data;
}

static enum condition world_get_condition(void *user, uint32_t element) {
    return condition_find(get_evaluation(user), element);
}

static struct link_world get_world(struct deploy *d) {
    return (struct link_world){
        .topology = &d->topology,
        .diags = d->c->diags,
        .user = d,
        .get_spec = world_get_spec,
        .get_metadata = world_get_metadata,
        .get_prior = world_get_prior,
        .get_condition = world_get_condition,
    };
}

bool op_stage_link(struct deploy *d, const struct op_run *o, struct link_call *call) {
    struct link_world world = get_world(d);
    return links_stage_known(&world, o->element, call);
}

uint32_t op_find_element(const struct deploy *d, const struct op_run *o) {
    const struct element *e = d->t == NULL ? NULL : template_find(d->t, o->change->address.text);
    return e == NULL ? NO_ELEMENT : template_get_number(d->t, e);
}

enum condition op_find_condition(struct deploy *d, const struct op_run *o) {
    if (o->change->kind == ELEMENT_LINK) {
        uintptr_t link = (uintptr_t)map_find(&d->links, o->change->address.text);
        struct link_world world = get_world(d);
        return link == 0 ? CONDITION_FALSE : links_find_condition(&world, (uint32_t)(link - 1));
    }
    uint32_t element = op_find_element(d, o);
    return element == NO_ELEMENT ? CONDITION_TRUE : condition_find(get_evaluation(d), element);
}

/* --- what is only recorded --- */

sv eval_description(struct deploy *d, uint32_t element) {
    const struct element *e = &d->t->elements[element];
    if (e->description_expr == NULL) {
        return e->description;
    }
    struct evaluation *ev = get_evaluation(d);
    value v = eval_cell(ev->evaluator, ev->cells[element].description);
    if (value_is_sensitive(v)) {
        return SV("(sensitive)");
    }
    return v.kind == VALUE_STRING ? value_get_text(v) : e->description;
}

sv get_removal_policy(const struct deploy *d, uint32_t element) {
    if (d->t->elements[element].record != NULL) {
        return d->t->elements[element].record->removal_policy;
    }
    if (d->t->elements[element].removal == REMOVAL_RETAIN) {
        return SV("retain");
    }
    return topology_is_detached(&d->topology, element) ? SV("detach") : SV("delete");
}

/* --- specs --- */

static bool is_open(value v) {
    return (v.within & (WITHIN_UNKNOWN | MARK_PROVISIONAL)) != 0;
}

/* A secret of which only a digest is stored (LC-051). */
static bool is_unopened(value v) {
    return seal_find_digest(v).len > 0;
}

/* Known now? Marks of staging mean nothing any more. */
static bool settle_value(struct deploy *d, struct op_run *o, value *v, const char *what) {
    *v = spec_unmark_leaves(d->a, *v, MARK_PROVISIONAL);
    if (value_is_known(*v) && (v->within & WITHIN_ERROR) == 0) {
        return true;
    }
    struct path_list unopened = {0};
    value_find_paths(d->a, *v, is_unopened, &unopened);
    for (size_t i = 0; i < unopened.items.len; i++) {
        sv path = path_to_text(d->a, unopened.items.items[i]);
        diags_add(d->c->diags, DIAG_secret_value_unavailable, SPAN_NONE,
                  "only the digest of '%s.%.*s' of '%.*s' is stored, its value is needed", what, SV_ARG(path),
                  SV_ARG(o->change->address.text));
    }
    op_add_reason(d, o, arena_printf(d->a, "a part of its %s is still not known", what));
    return false;
}

static bool resolve_spec(struct deploy *d, struct op_run *o) {
    struct evaluation *e = get_evaluation(d);
    value spec = spec_eval(e, o->element);
    if (!value_is_error(spec)) {
        struct link_world world = get_world(d);
        spec = links_lay_over(&world, d->a, o->element, spec);
    }
    if (value_is_error(spec)) {
        op_add_reason(d, o, SV("its spec cannot be evaluated"));
        return false;
    }
    o->spec = spec_resolve(d->a, o->change->after, spec);
    return true;
}

bool op_resolve(struct deploy *d, struct op_run *o) {
    o->spec = o->change->after;
    o->metadata = o->change->metadata_after;
    if (o->element == NO_ELEMENT) {
        return settle_value(d, o, &o->spec, "spec") && settle_value(d, o, &o->metadata, "metadata");
    }
    if (is_open(o->spec) && !resolve_spec(d, o)) {
        return false;
    }
    if (is_open(o->metadata)) {
        value metadata = spec_eval_metadata(get_evaluation(d), o->element);
        o->metadata = spec_resolve(d->a, o->change->metadata_after, metadata);
    }
    return settle_value(d, o, &o->spec, "spec") && settle_value(d, o, &o->metadata, "metadata");
}

/* --- masking --- */

static bool is_secret_text(value v) {
    return (v.marks & MARK_SENSITIVE) != 0;
}

/* Every text that a secret leaf would be shown as. */
static void add_secret(struct deploy *d, value v) {
    if (!value_is_scalar(v)) {
        return;
    }
    struct buf text = BUF(d->a);
    value_print_scalar(&text, v);
    sv secret = buf_get_sv(&text);
    if (secret.len >= 4) {
        mask_add(&d->mask, secret);
    }
}

void mask_add_values(struct deploy *d, value v) {
    if (!d->mask_ready || !value_is_set(v) || (v.within & MARK_SENSITIVE) == 0) {
        return;
    }
    struct arena scratch = {0};
    value marked = (v.marks & MARK_SENSITIVE) != 0 ? spec_mark_leaves(&scratch, v, MARK_SENSITIVE) : v;
    struct path_list paths = {0};
    value_find_paths(&scratch, marked, is_secret_text, &paths);
    for (size_t i = 0; i < paths.items.len; i++) {
        add_secret(d, value_find_path(marked, paths.items.items[i]));
    }
    arena_fini(&scratch);
}

/* Built when the first text comes that could show a secret. */
static void fill_mask(struct deploy *d) {
    d->mask.arena = d->a;
    d->mask_ready = true;
    for (size_t i = 0; i < d->p->change_count; i++) {
        const struct change *c = &d->p->changes[i];
        value all[] = {c->before, c->after, c->computed_before, c->metadata_before, c->metadata_after};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
            mask_add_values(d, all[k]);
        }
    }
    for (size_t i = 0; i < d->stored.elements.len; i++) {
        const struct resource_record *r = d->stored.elements.items[i]->resource;
        if (r != NULL) {
            mask_add_values(d, r->spec);
            mask_add_values(d, r->computed);
        }
    }
    for (size_t i = 0; d->p->record != NULL && i < d->p->record->items.len; i++) {
        mask_add_values(d, d->p->record->items.items[i].item);
    }
    for (size_t i = 0; d->t != NULL && i < d->t->element_count; i++) {
        const struct element *e = &d->t->elements[i];
        if (e->secret && e->expr != NULL && e->expr->kind == EXPR_LITERAL) {
            mask_add_values(d, value_mark(e->expr->literal, MARK_SENSITIVE));
        }
    }
}

sv mask_text(struct deploy *d, sv text) {
    if (!d->mask_ready) {
        fill_mask(d);
    }
    return arena_copy_sv(d->a, mask_apply(&d->mask, d->a, text));
}
