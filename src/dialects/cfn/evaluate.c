/* The evaluator's hooks: what references mean, once (CF-225). */
#include "dialects/cfn/evaluate.h"

#include "dialects/cfn/check.h"
#include "dialects/cfn/data.h"
#include "dialects/cfn/origin.h"

/* --- references --- */

/* `${X}`, as in the text of a Sub and as a placeholder (CF-211). */
static sv get_placeholder(struct cfn_run *run, const struct cfn_site *site) {
    if (site->symbol != NULL && sv_eq_cstr(site->symbol->attribute, "Ref"))
        return arena_printf(run->arena, "${%.*s}", SV_ARG(site->symbol->resource->e.name));
    if (site->symbol != NULL)
        return arena_printf(run->arena, "${%.*s.%.*s}", SV_ARG(site->symbol->resource->e.name),
                            SV_ARG(site->symbol->attribute));
    if (site->target == CFN_TARGET_PARAMETER)
        return arena_printf(run->arena, "${%.*s}", SV_ARG(run->t->parameters.items[site->number].name));
    return (sv){0};
}

/* A name in a Sub stands for this call (CF-025). */
static const struct node *get_written(struct cfn_run *run, const struct cfn_site *site, const struct expr *e) {
    if (site->layout != CFN_IN_SUB)
        return site->node;
    (void)run;
    (void)e;
    return NULL; /* Fn::Sub keeps the name in its text */
}

/* What was found, used here: unknown and sensitive values learn how they were written. */
static value use(struct cfn_run *run, const struct expr *e, value v) {
    const struct cfn_site *site = e->call.data;
    bool is_unknown = v.kind == VALUE_UNKNOWN || v.kind == VALUE_ERROR;
    if (!is_unknown && (v.within & (MARK_SENSITIVE | WITHIN_UNKNOWN)) == 0)
        return v;
    cfn_error_note(run, v);
    struct cfn_note from = *cfn_note_get(run, v);
    struct cfn_note note = {.residual = get_written(run, site, e),
                            .at = e->at,
                            .cause = v.word & CFN_WORD_NOTE,
                            .reasons = from.reasons,
                            .function = site->function,
                            .is_list = from.is_list,
                            .is_error = v.kind == VALUE_ERROR || from.is_error};
    if (v.kind == VALUE_ERROR)
        v = value_unknown(NULL);
    if (run->o.mode == CFN_PLACEHOLDER && v.kind == VALUE_UNKNOWN && !note.is_list && !note.is_error) {
        struct cfn_note_more *more = ARENA_NEW(run->arena, struct cfn_note_more);
        more->placeholder = get_placeholder(run, site);
        note.more = more;
    }
    return cfn_note_put(run, v, &note);
}

static void add_edge(struct cfn_run *run, const struct cfn_site *site, const struct cfn_resource *to, span at) {
    const struct cfn_resource *target = to->is_made && to->maker != NULL ? to->maker : to;
    if (site->owner == NULL || run->unsure > 0 || target->is_made)
        return;
    struct cfn_edge *edge = VEC_ADD(run->arena, &run->edges);
    *edge = (struct cfn_edge){.from = site->owner->e.number, .to = target->e.number, .at = at};
    edge->function = site->layout == CFN_IN_SUB ? CFN_SUB : site->function;
}

/* CF-034. */
static bool is_off(struct cfn_run *run, const struct cfn_resource *r) {
    const struct cfn_resource *made_by = r->is_made && r->maker != NULL ? r->maker : r;
    return made_by->condition != CFN_NONE && cfn_condition_get(run, made_by->condition) == 0;
}

static value refuse_off(struct cfn_run *run, const struct cfn_resource *r, span at) {
    struct diag *d =
        cfn_report(run, DIAG_cfn_ref_off, at, "'%.*s' is needed, but it is switched off", SV_ARG(r->e.name));
    if (r->e.key != NULL)
        diag_add_related(run->o.diags, d, r->e.key->at, "its condition is false");
    cfn_hint(run, d, "use 'Fn::If' with the same condition, or give the user the condition, too");
    return cfn_failed(run);
}

static enum resolve_result give(struct cfn_run *run, const struct expr *e, value v, struct resolved *out) {
    out->item = use(run, e, v);
    return RESOLVE_VALUE;
}

static enum resolve_result resolve_resource(struct cfn_run *run, const struct expr *e, struct resolved *out) {
    const struct cfn_site *site = e->call.data;
    const struct cfn_symbol *symbol = site->symbol;
    struct cell *cell = run->symbol_cells[symbol->number];
    if (out->state != NULL) /* it was demanded */
        return give(run, e, cell->state == CELL_DONE ? cell->result : value_error(NULL), out);
    if (is_off(run, symbol->resource))
        return give(run, e, refuse_off(run, symbol->resource, e->at), out);
    add_edge(run, site, symbol->resource, e->at);
    if (cell->state == CELL_DONE)
        return give(run, e, cell->result, out);
    out->state = cell;
    out->cell = cell;
    return RESOLVE_AGAIN;
}

static enum resolve_result resolve_reference(struct cfn_run *run, const struct expr *e, struct resolved *out) {
    const struct cfn_site *site = e->call.data;
    switch ((enum cfn_target)site->target) {
    case CFN_TARGET_PARAMETER:
        return give(run, e, run->parameters[site->number], out);
    case CFN_TARGET_PSEUDO:
        return give(run, e, cfn_pseudo_get(run, (enum cfn_pseudo)site->number), out);
    case CFN_TARGET_RESOURCE:
        return resolve_resource(run, e, out);
    case CFN_TARGET_LOOP:
        return give(run, e, cfn_unknown(run, CFN_REASON_foreach, e->at, SV("give what the loop goes over")), out);
    case CFN_TARGET_COMPUTED:
        break;
    }
    out->item = cfn_failed(run);
    return RESOLVE_VALUE;
}

/* --- other directives --- */

static enum resolve_result resolve_symbol(struct cfn_run *run, const struct expr *e, struct resolved *out) {
    const struct cfn_symbol *symbol = e->call.data;
    value v = {0};
    struct cell *demand = NULL;
    /* What was demanded last is under way still: a cycle, which the graph reports (CF-037). */
    if (out->state != NULL && out->item.kind == VALUE_ERROR) {
        out->item = cfn_failed(run);
        return RESOLVE_VALUE;
    }
    if (cfn_symbol_ask(run, symbol, &v, &demand) == CFN_LOOKUP_WAIT && demand != NULL) {
        out->state = demand;
        out->cell = demand;
        return RESOLVE_AGAIN;
    }
    out->item = v.kind == 0 ? cfn_failed(run) : v;
    return RESOLVE_VALUE;
}

static enum resolve_result resolve_part(struct cfn_run *run, const struct expr *e, struct resolved *out) {
    value v = {0};
    struct cell *cell = NULL;
    if (out->state != NULL && out->item.kind == VALUE_ERROR) {
        out->item = cfn_failed(run);
        return RESOLVE_VALUE;
    }
    if (cfn_part_find_value(run, e->call.data, &v, &cell)) {
        out->item = v;
        return RESOLVE_VALUE;
    }
    out->state = cell;
    out->cell = cell;
    return RESOLVE_AGAIN;
}

static enum resolve_result resolve_condition(struct cfn_run *run, const struct expr *e, struct resolved *out) {
    const struct cfn_site *site = e->call.data;
    struct cell *cell = &run->conditions[site->number];
    if (cell->state == CELL_DONE || out->state != NULL)
        return give(run, e, cell->state == CELL_DONE ? cell->result : value_error(NULL), out);
    out->state = cell;
    out->cell = cell;
    return RESOLVE_AGAIN;
}

static enum resolve_result directive(void *user, struct evaluator *ev, const struct expr *e, const struct scope *scope,
                                     struct resolved *out) {
    struct cfn_run *run = user;
    (void)ev;
    (void)scope;
    switch (e->op) {
    case CFN_DIRECTIVE_PART:
        return resolve_part(run, e, out);
    case CFN_DIRECTIVE_SYMBOL:
        return resolve_symbol(run, e, out);
    case CFN_CONDITION:
        return resolve_condition(run, e, out);
    default:
        return resolve_reference(run, e, out);
    }
}

/* The last origin; the note stays that of the result. */
static uint32_t join_words(void *user, uint32_t left, uint32_t right) {
    (void)user;
    uint32_t l = left >> CFN_WORD_ORIGIN_SHIFT, r = right >> CFN_WORD_ORIGIN_SHIFT;
    return ((l > r ? l : r) << CFN_WORD_ORIGIN_SHIFT) | (left & CFN_WORD_NOTE);
}

const struct eval_ops cfn_eval_ops = {.directive = directive};

const struct eval_policy cfn_eval_policy = {
    .null_operand = OPERAND_PASS,
    .absent_operand = OPERAND_PASS,
    .unknown_operand = OPERAND_PASS,
    .failed_operand = OPERAND_PASS,
    .pending_operand = OPERAND_PASS,
    .failed_item = OPERAND_PASS,
    .pending_item = OPERAND_PASS,
    .strict_all_operands = true,
    .failed_is_silent = true,
    .drop_absent_items = true,
    .join_words = join_words,
};

/* --- starting --- */

void cfn_evaluate_early(struct cfn_run *run) {
    struct eval_options o = {.arena = run->arena,
                             .diags = run->o.diags,
                             .limits = &run->limits,
                             .ops = &cfn_eval_ops,
                             .user = run,
                             .policy = &cfn_eval_policy,
                             .observer = run->o.observer,
                             .host = run->o.host,
                             .sources = run->o.sources};
    run->ev = eval_new(&o);
}

void cfn_symbol_cell_add(struct cfn_run *run, const struct cfn_symbol *s) {
    if (s->number >= run->symbol_cell_count) {
        size_t count = run->symbol_cell_count == 0 ? run->t->symbols.len + 1 : 2 * run->symbol_cell_count;
        run->symbol_cells =
            arena_grow_array(run->arena, run->symbol_cells, run->symbol_cell_count, count, sizeof(struct cell *));
        run->symbol_cell_count = count;
    }
    const struct node *key = s->resource->e.key; /* of an API that SAM makes: none */
    struct expr *e = expr_new(run->arena, EXPR_DIRECTIVE, key == NULL ? SPAN_NONE : key->at);
    e->op = CFN_DIRECTIVE_SYMBOL;
    e->call.data = s;
    struct cell *cell = ARENA_NEW(run->arena, struct cell);
    *cell = (struct cell){.expr = e, .at = e->at};
    run->symbol_cells[s->number] = cell;
}

static struct map *make_index(struct cfn_run *run, const struct node *mapping) {
    struct indexed {
        struct map keys;
        const struct node *mapping;
    } *made = ARENA_NEW(run->arena, struct indexed);
    made->keys = MAP(run->arena);
    made->mapping = mapping;
    for (uint32_t i = 0; i < mapping->count; i++)
        map_put(&made->keys, mapping->pairs[i].key->text, mapping->pairs[i].value);
    map_put(&run->node_maps, sv_make((const char *)&made->mapping, sizeof made->mapping), made);
    return &made->keys;
}

const struct node *cfn_node_find(struct cfn_run *run, const struct node *mapping, sv key) {
    enum { SMALL = 16 };
    if (mapping->kind != NODE_MAPPING || mapping->count <= SMALL)
        return node_find(mapping, key);
    const struct map *index = map_find(&run->node_maps, sv_make((const char *)&mapping, sizeof mapping));
    return map_find(index == NULL ? make_index(run, mapping) : index, key);
}

void cfn_evaluate_start(struct cfn_run *run) {
    struct cfn_template *t = run->t;
    run->conditions = ARENA_ARRAY(run->arena, struct cell, t->conditions.len + 1);
    run->symbol_cells = NULL;
    run->symbol_cell_count = 0;
    run->node_maps = MAP(run->arena);
    run->part_values = ARENA_ARRAY(run->arena, value, t->slot_count + 1);
    run->part_cells = MAP(run->arena);
    for (size_t i = 0; i < t->conditions.len; i++)
        run->conditions[i] =
            (struct cell){.expr = t->conditions.items[i]->expr, .at = t->conditions.items[i]->e.key->at};
    for (size_t i = 0; i < t->symbols.len; i++)
        cfn_symbol_cell_add(run, t->symbols.items[i]);
    cfn_evaluate_early(run);
}

int cfn_condition_get(struct cfn_run *run, uint32_t number) {
    value v = run->conditions[number].state == CELL_DONE ? run->conditions[number].result
                                                         : eval_cell(run->ev, &run->conditions[number]);
    return v.kind == VALUE_BOOL ? v.boolean : -1;
}
