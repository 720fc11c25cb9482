#include "engine/plan.h"

#include "engine/data_reads.h"
#include "engine/ids.h"
#include "engine/planner.h"
#include "engine/recover.h"
#include "model/lease.h"

bool plan_is_empty(const struct plan *p) {
    return p->change_count == 0;
}

bool plan_is_limited(const struct plan *p) {
    return p->scope.target_count + p->scope.exclude_count > 0;
}

/* --- what evaluation asks the planner --- */

static value demand_resource(void *user, struct evaluation *e, uint32_t element, bool state) {
    (void)e;
    return plan_get_resource_value(user, element, state);
}

static value demand_link(void *user, struct evaluation *e, uint32_t link) {
    (void)e;
    return plan_get_link_state(user, link);
}

static void tick(void *user) {
    (void)user; /* the thread that waits hears of interrupts by itself */
}

/* What is searched for by a field that the template gives is known before the object is made, so the data source is
 * read too early (BP-110). */
static void explain_empty(struct planner *p, const struct element *data, struct diag *d) {
    bool may_wait = d->code == DIAG_empty_data_source_data && d->hint.len == 0 && p->elements != NULL;
    for (size_t i = 0; may_wait && i < data->use_count; i++) {
        uint32_t n = data->uses[i].to;
        bool is_resource = data->uses[i].kind != EDGE_LINK && p->t->elements[n].kind == ELEMENT_RESOURCE;
        if (is_resource && p->elements[n].change.action == ACTION_CREATE) {
            diag_set_hint(p->diags, d,
                          "'%.*s' is still to be made: search by a field that its provider fills in, such as its id, "
                          "and this is read after it",
                          SV_ARG(p->t->elements[n].address.text));
            return;
        }
    }
}

/* `user` is the planner; while it expands there is no expanded template yet. */
static value demand_data(void *user, struct evaluation *e, uint32_t element, const value *searches) {
    struct planner *p = user;
    struct data_read r = {
        .c = p->c, .record = p->record, .diags = p->diags, .base_dir = e->template->root_dir, .tick = tick};
    size_t before = p->diags->items.len;
    value v = data_read(&r, &e->template->elements[element], searches);
    if (value_is_error(v) && p->diags->items.len > before) {
        explain_empty(p, &e->template->elements[element], *VEC_LAST(&p->diags->items));
    }
    return v;
}

static struct evaluation_request get_world(const struct planner *p) {
    return (struct evaluation_request){
        .host = p->c->host, .limits = p->c->limits, .record = p->record, .fetcher = p->c->fetcher};
}

void plan_start_record(struct planner *p) {
    const struct run_config *c = p->c;
    p->record = ARENA_NEW(p->a, struct run_record);
    record_init(p->record, p->a, c->host->ops->get_wall_ms(c->host->user));
    for (size_t i = 0; i < p->stored->body.result_count; i++) {
        const struct run_result *r = &p->stored->body.results[i];
        record_put(p->record, r->key, r->life, r->item);
        VEC_LAST(&p->record->items)->used = false;
    }
}

/* False after a report. */
static bool expand(struct planner *p) {
    if (p->t == NULL) {
        return true;
    }
    struct expand_request request = {
        .arena = p->a, .diags = p->diags, .world = get_world(p), .demand_data = demand_data, .user = p};
    size_t errors = p->diags->errors;
    p->t = template_expand(p->t, &request);
    return p->t != NULL && p->diags->errors == errors;
}

static void start_evaluation(struct planner *p) {
    if (p->t == NULL) {
        return;
    }
    p->elements = ARENA_ARRAY(p->a, struct element_plan, p->t->element_count);
    p->eval = (struct evaluation){.template = p->t,
                                  .arena = p->a,
                                  .diags = p->diags,
                                  .demand_resource = demand_resource,
                                  .demand_data = demand_data,
                                  .demand_link = demand_link,
                                  .user = p};
    const struct evaluation_request request = get_world(p);
    p->t->ops->start_evaluation(p->t, &p->eval, &request);
}

static void summarize(struct plan *plan) {
    for (size_t i = 0; i < plan->change_count; i++) {
        const struct change *c = &plan->changes[i];
        if (c->kind != ELEMENT_RESOURCE) {
            continue;
        }
        switch (c->action) {
        case ACTION_CREATE:
            plan->summary.create++;
            break;
        case ACTION_UPDATE:
            plan->summary.update++;
            break;
        case ACTION_REPLACE:
            plan->summary.replace++;
            plan->summary.retain += c->retain;
            break;
        case ACTION_DELETE:
            plan->summary.destroy++;
            break;
        case ACTION_RETAIN:
            plan->summary.retain++;
            break;
        case ACTION_CHECK:
            plan->summary.check++;
            break;
        case ACTION_NONE:
        case ACTION_READ:
            break;
        }
    }
}

/* The template's file, whose text the plan keeps, so that it can be deployed without it. */
static const struct source *find_template_source(const struct template *t) {
    for (size_t i = 0; t->sources != NULL && i < t->sources->items.len; i++) {
        if (sv_eq(t->sources->items.items[i]->name, t->file_name)) {
            return t->sources->items.items[i];
        }
    }
    return NULL;
}

/* Whether something in the template is secret: then it may be written there as a literal. */
static bool may_hold_secrets(const struct planner *p, const struct source *source) {
    bool found = source->secrets.len > 0;
    for (size_t i = 0; i < p->t->element_count && !found; i++) {
        const struct element_plan *ep = &p->elements[i];
        found = p->t->elements[i].secret || ((ep->spec.within | ep->metadata.within) & MARK_SENSITIVE) != 0;
    }
    return found;
}

static void take_text(const struct planner *p, struct plan *plan) {
    const struct source *source = find_template_source(p->t);
    if (source != NULL) {
        plan->template_text = source->bytes;
        plan->is_text_secret = may_hold_secrets(p, source);
    }
}

/* Values of secret variables are sealed where the plan is written (BP-282). */
static const struct template_input *mark_inputs(struct planner *p, const struct template_input *inputs, size_t count) {
    if (p->t == NULL || count == 0) {
        return inputs;
    }
    struct template_input *marked = ARENA_ARRAY(p->a, struct template_input, count);
    for (size_t i = 0; i < count; i++) {
        marked[i] = inputs[i];
        addr address = addr_make(p->a, (sv){0}, ELEMENT_VARIABLE, inputs[i].name);
        const struct element *e = template_find(p->t, address.text);
        if (e == NULL || e->secret) { /* undeclared ones may be secrets too */
            marked[i].item = value_mark(marked[i].item, MARK_SENSITIVE);
        }
    }
    return marked;
}

/* BP-174: what is deployed is what was staged. */
static void list_contents(const struct planner *p, struct plan *plan) {
    const struct fetcher *f = p->c->fetcher;
    size_t count = f == NULL ? 0 : f->contents.len;
    plan->pins = ARENA_ARRAY(p->a, struct content_pin, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct content *c = f->contents.items[i];
        plan->pins[plan->pin_count++] =
            (struct content_pin){.location = c->location, .digest = c->digest, .commit = c->commit};
    }
}

static struct plan *make_plan(struct planner *p) {
    const struct run_config *c = p->c;
    struct plan *plan = ARENA_NEW(p->a, struct plan);
    plan->arena = p->a;
    plan->id = id_make_run(p->a, c->host);
    plan->run_ms = p->record->run_ms;
    plan->record = p->record;
    plan->expanded = p->t;
    list_contents(p, plan);
    plan->context = c->context;
    bool has_id = p->stored->instance.id.len > 0; /* one that was destroyed gets its own again (BP-524) */
    plan->instance_id = has_id ? p->stored->instance.id : id_make_instance(p->a, c->host);
    plan->instance_name = has_id ? p->stored->instance.name : c->instance_name;
    plan->instance_version = p->stored->found ? p->stored->instance.version : 0;
    plan->dialect = p->stored->instance.dialect;
    if (p->t != NULL) {
        plan->dialect = p->t->dialect;
        plan->template_digest = p->t->digest;
        take_text(p, plan);
        plan->template_file = p->t->file_name;
        plan->root_dir = p->t->root_dir;
    }
    plan->changes = p->changes.items;
    plan->change_count = p->changes.len;
    plan->drift = p->drift.items;
    plan->drift_count = p->drift.len;
    return plan;
}

/* --- what it is limited to --- */

static bool choose(struct planner *p) {
    static const struct target_request everything;
    struct target_world w = {.arena = p->a, .diags = p->diags, .topology = &p->topology, .stored = p->stored};
    return target_choose(&w, p->scope == NULL ? &everything : p->scope, &p->choice);
}

static void list_scope(const struct planner *p, struct plan_scope *scope) {
    const struct target_choice *c = &p->choice;
    if (p->scope == NULL) {
        return;
    }
    *scope = (struct plan_scope){.targets = c->targets,
                                 .target_count = p->scope->targets.count,
                                 .excludes = c->excludes,
                                 .exclude_count = p->scope->excludes.count,
                                 .replaces = c->replaces,
                                 .replace_count = c->replaces == NULL ? 0 : p->scope->replaces.count};
    VEC(sv) left_out = {0};
    for (uint32_t n = 0; n < p->topology.element_count; n++) {
        if (target_is_left_out(c, n)) {
            VEC_PUSH(p->a, &left_out, p->t->elements[n].address.text);
        }
    }
    for (uint32_t i = 0; i < p->topology.link_count; i++) {
        if (target_is_link_left_out(c, i)) {
            VEC_PUSH(p->a, &left_out, p->t->links[i].address.text);
        }
    }
    for (size_t i = 0; i < c->left_alone.len; i++) {
        VEC_PUSH(p->a, &left_out, c->left_alone.entries[i].key);
    }
    scope->left_out = left_out.items;
    scope->left_out_count = left_out.len;
}

struct plan *plan_build(struct planner *p, bool interrupted, enum exit_code *code) {
    if (!expand(p) || !topology_init(&p->topology, p->a, p->t, p->diags)) {
        *code = EXIT_INVALID;
        return NULL;
    }
    start_evaluation(p);
    if (!choose(p)) {
        *code = EXIT_INVALID;
        return NULL;
    }
    plan_resources(p);
    plan_list_changes(p);
    struct plan *plan = make_plan(p);
    list_scope(p, &plan->scope);
    plan->has_interrupted = interrupted;
    if (p->has_failed || !plan_order(p, plan)) {
        *code = EXIT_INVALID;
        return NULL;
    }
    summarize(plan);
    *code = EXIT_OK;
    return plan;
}

struct plan *run_plan(const struct run_config *c, const struct template *t, bool destroy,
                      const struct template_input *inputs, size_t input_count, enum exit_code *code) {
    struct stored stored;
    if (!stored_load(c, &stored, code)) {
        return NULL;
    }
    stored_drop_rows(&stored);
    if (destroy && !stored.found) {
        diags_add(c->diags, DIAG_instance_not_found, SPAN_NONE, "there is no instance '%.*s'",
                  SV_ARG(c->instance_name));
        *code = EXIT_FAILED;
        return NULL;
    }
    struct planner p = {.c = c, .t = destroy ? NULL : t, .a = c->arena, .diags = c->diags, .stored = &stored};
    p.scope = &c->scope;
    struct recoveries recoveries = {0};
    if (!lease_is_held(c->host, &stored.tree.lease)) { /* else what is open is under way */
        struct recovery_request request = {.base_dir = p.t == NULL ? SV("") : p.t->root_dir, .only_look = true};
        recover_all(c, &stored, request, &recoveries);
    }
    p.drift_by_address = MAP(c->arena);
    p.touched_links = MAP(c->arena);
    plan_start_record(&p);
    if (c->refresh && !refresh_all(&p)) {
        *code = EXIT_FAILED;
        return NULL;
    }
    struct plan *plan = plan_build(&p, recoveries.items.len > 0, code);
    if (plan != NULL && !plan_check_claims(&p)) {
        *code = EXIT_FAILED;
        return NULL;
    }
    if (plan != NULL) {
        plan_warn_promises(c, plan);
        plan->destroy = destroy;
        plan->inputs = mark_inputs(&p, inputs, input_count);
        plan->input_count = input_count;
    }
    return plan;
}
