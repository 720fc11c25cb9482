#include "dialects/module/check.h"

#include "base/hint.h"
#include "dialects/module/language_internal.h"
#include "graph/graph.h"

enum { NESTING_MAX = 64 };

/* --- names in expressions --- */

struct place {
    const struct expr *e;
    bool in_branch; /* may not be evaluated */
    bool in_for;
};

struct checking {
    struct module_set *set;
    struct module_code *code;
    bool warns;
    struct map nulls; /* names told to be null */
    VEC(struct place) stack;
};

static void push(struct checking *c, const struct expr *e, bool in_branch, bool in_for) {
    if (e != NULL)
        VEC_PUSH(c->set->arena, &c->stack, ((struct place){e, in_branch, in_for}));
}

static void report_unknown(struct checking *c, const struct place *p) {
    sv name = p->e->ref.name;
    enum diag_code code = p->in_branch ? DIAG_module_branch_name : DIAG_module_unknown_name;
    if (p->in_branch && !c->warns)
        return;
    struct diag *d = diags_add(c->set->diags, code, p->e->at, "unknown variable '%.*s'", SV_ARG(sv_slice(name, 0, 80)));
    if (map_has(&c->code->locals, name)) {
        diag_set_hint(c->set->diags, d, "did you mean 'module.%.*s'?", SV_ARG(name));
        return;
    }
    struct hint h = HINT(name);
    hint_offer(&h, SV("parameter"));
    hint_offer(&h, SV("module"));
    hint_offer(&h, SV("dependencies"));
    hint_offer(&h, SV("$env"));
    hint_offer(&h, SV("$self"));
    if (h.best.len > 0)
        diag_set_hint(c->set->diags, d, "did you mean '%.*s'?", SV_ARG(h.best));
}

static bool is_parameter(const struct module_code *code, sv name) {
    for (size_t i = 0; i < code->parameters.len; i++) {
        if (sv_eq(code->parameters.items[i].name, name))
            return true;
    }
    return false;
}

/* MD-222 */
static void check_bare_name(struct checking *c, const struct expr *e) {
    sv name = e->ref.name;
    bool is_new = true;
    if (!c->warns || map_has(&c->code->locals, name) || is_parameter(c->code, name))
        return;
    map_get_slot(&c->nulls, name, &is_new);
    if (is_new)
        diags_add(c->set->diags, DIAG_module_null_name, e->at,
                  "'%.*s' is no call and no declared parameter: it is null unless it is given", SV_ARG(name));
}

/* MD-180 */
static void check_static(struct checking *c, const struct expr *e) {
    bool is_static = e->count > 0 && e->ref.steps[0].kind == STEP_NAME;
    if (!is_static)
        diags_add(c->set->diags, DIAG_module_value, e->at, "%s reference must be static",
                  e->op == MODULE_ROOT_ENV            ? "$env"
                  : e->op == MODULE_ROOT_DEPENDENCIES ? "dependencies"
                                                      : "module");
}

static void check_reference(struct checking *c, const struct place *p) {
    bool is_list_form = c->code->form == MODULE_LIST_FORM;
    switch ((enum module_root)p->e->op) {
    case MODULE_ROOT_FOR:
        if (!p->in_for)
            report_unknown(c, p);
        break;
    case MODULE_ROOT_ENV:
        check_static(c, p->e);
        break;
    case MODULE_ROOT_SELF:
        break;
    case MODULE_ROOT_NAME:
    case MODULE_ROOT_PARAMETER:
    case MODULE_ROOT_MODULE:
    case MODULE_ROOT_DEPENDENCIES:
        if (is_list_form)
            check_bare_name(c, p->e);
        else if (p->e->op == MODULE_ROOT_NAME)
            report_unknown(c, p);
        else if (p->e->op != MODULE_ROOT_PARAMETER)
            check_static(c, p->e);
        break;
    }
}

static void push_steps(struct checking *c, const struct place *p) {
    for (uint32_t i = p->e->count; i > 0; i--) {
        if (p->e->ref.steps[i - 1].kind == STEP_EXPR)
            push(c, p->e->ref.steps[i - 1].expr, p->in_branch, p->in_for);
    }
}

static void push_parts(struct checking *c, const struct place *p, const struct module_layout *l) {
    const struct expr **args = p->e->call.args;
    for (size_t i = l->count; i > 0; i--) {
        const struct module_part *part = &l->parts[i - 1];
        bool is_each = part->list != MODULE_NO_PART, is_when = part->condition != MODULE_NO_PART;
        bool in_for = p->in_for || is_each, in_branch = p->in_branch || is_each;
        push(c, args[part->body], in_branch || is_when, in_for);
        if (is_when)
            push(c, args[part->condition], in_branch, in_for);
        if (is_each)
            push(c, args[part->list], p->in_branch, p->in_for);
    }
}

static void push_args(struct checking *c, const struct place *p) {
    const struct expr *e = p->e;
    bool is_call = e->kind == EXPR_CALL, is_condition = e->kind == EXPR_COND;
    bool is_lazy = is_call && (e->call.fn == &module_and || e->call.fn == &module_or || e->call.fn == &module_default);
    size_t count = e->kind == EXPR_OBJECT && e->op == EXPR_COMPUTED_KEYS ? (size_t)e->count * 2 : e->count;
    const struct module_layout *l = module_find_layout(e);
    if (is_condition)
        count = 3;
    if (l != NULL) {
        push_parts(c, p, l);
        return;
    }
    for (size_t i = count; i > 0; i--)
        push(c, e->call.args[i - 1], p->in_branch || ((is_lazy || is_condition) && i > 1), p->in_for);
}

static void check_place(struct checking *c, const struct place *p) {
    switch ((enum expr_kind)p->e->kind) {
    case EXPR_REF:
        check_reference(c, p);
        push_steps(c, p);
        break;
    case EXPR_INDEX:
        push_steps(c, p);
        push(c, p->e->ref.base, p->in_branch, p->in_for);
        break;
    case EXPR_CALL:
    case EXPR_COND:
    case EXPR_LIST:
    case EXPR_OBJECT:
    case EXPR_TEMPLATE:
        push_args(c, p);
        break;
    case EXPR_LITERAL:
    case EXPR_LAMBDA:
    case EXPR_DIRECTIVE:
    case EXPR_ERROR:
        break;
    }
}

static void check_expr(struct checking *c, const struct expr *e, bool in_branch, bool in_for) {
    push(c, e, in_branch, in_for);
    while (c->stack.len > 0) {
        struct place p = c->stack.items[--c->stack.len];
        check_place(c, &p);
    }
}

static void check_expressions(struct checking *c) {
    for (size_t i = 0; i < c->code->calls.len; i++) {
        const struct module_call *call = c->code->calls.items[i];
        bool is_each = call->each != NULL, is_when = call->condition != NULL;
        check_expr(c, call->each, false, false);
        check_expr(c, call->make_name, is_each, is_each);
        check_expr(c, call->condition, is_each, is_each);
        check_expr(c, call->make_target, is_each || is_when, is_each);
        check_expr(c, call->argument, is_each || is_when, is_each);
    }
}

/* --- names of calls --- */

static void report_unknown_use(struct checking *c, const struct module_use *use) {
    struct diag *d = diags_add(c->set->diags, DIAG_module_unknown_name, use->at, "unknown module '%.*s'%s",
                               SV_ARG(sv_slice(use->name, 0, 80)), use->is_depends_on ? " in depends_on" : "");
    sv close = module_find_close_local(c->code, use->name);
    if (close.len > 0)
        diag_set_hint(c->set->diags, d, "did you mean '%.*s'?", SV_ARG(close));
}

static void check_uses(struct checking *c, const struct module_call *call, struct graph *g) {
    for (size_t i = 0; i < call->uses.len; i++) {
        const struct module_use *use = &call->uses.items[i];
        const struct module_call *used = map_find(&c->code->locals, use->name);
        bool is_known = used != NULL || (map_has(&c->code->locals, use->name) && !use->is_depends_on);
        if (used != NULL)
            graph_add_edge(g, call->number, used->number, 0, use->at);
        else if (!is_known && !use->is_bare)
            report_unknown_use(c, use);
    }
}

bool module_report_cycles(struct diags *diags, struct graph *g, const sv *names, const char *what) {
    struct graph_cycles cycles = {0};
    graph_find_cycles(g, g->arena, &cycles);
    for (size_t i = 0; i < cycles.items.len; i++) {
        const struct graph_cycle *cycle = &cycles.items.items[i];
        struct buf path = BUF(g->arena);
        for (size_t k = 0; k < cycle->len; k++) {
            buf_append(&path, names[g->edges.items[cycle->edges[k]].from]);
            buf_append_cstr(&path, " -> ");
        }
        const struct graph_edge *first = &g->edges.items[cycle->edges[0]];
        buf_append(&path, names[first->from]);
        sv text = buf_get_sv(&path);
        diags_add(diags, DIAG_module_cycle, first->at, "%s: %.*s", what, SV_ARG(text));
    }
    return cycles.items.len == 0;
}

static void order_calls(struct checking *c) {
    struct module_code *code = c->code;
    struct graph g;
    sv *names = ARENA_ARRAY(c->set->arena, sv, code->calls.len + 1);
    graph_init(&g, c->set->arena, code->calls.len);
    for (size_t i = 0; i < code->calls.len; i++) {
        names[i] = code->calls.items[i]->name;
        check_uses(c, code->calls.items[i], &g);
    }
    code->order = ARENA_ARRAY(c->set->arena, uint32_t, code->calls.len + 1);
    if (graph_get_order(&g, GRAPH_USED_FIRST, code->order) < code->calls.len)
        module_report_cycles(c->set->diags, &g, names, "circular reference");
}

void module_check(struct module_set *s, struct module_code *code, bool warns) {
    struct checking c = {.set = s, .code = code, .warns = warns, .nulls = MAP(s->arena)};
    size_t errors = s->diags->errors;
    if (code->is_checked)
        return;
    code->is_checked = true;
    check_expressions(&c);
    if (!code->has_computed_names)
        order_calls(&c);
    code->is_broken = code->is_broken || s->diags->errors > errors;
}

/* --- modules that call modules --- */

void module_list_reached(struct module_set *s, struct module_code *code, struct module_codes *reached) {
    struct map seen = MAP(s->arena);
    VEC_PUSH(s->arena, &reached->items, code);
    for (size_t i = 0; i < reached->items.len; i++) {
        const struct module_code *at = reached->items.items[i];
        for (size_t k = 0; k < at->calls.len; k++) {
            struct module_code *next = (struct module_code *)at->calls.items[k]->module;
            bool is_new = true;
            if (next == NULL || next == code)
                continue;
            struct module_code **key = ARENA_NEW(s->arena, struct module_code *);
            *key = next;
            map_get_slot(&seen, sv_make((const char *)key, sizeof *key), &is_new);
            if (is_new)
                VEC_PUSH(s->arena, &reached->items, next);
        }
    }
}

static size_t find_number(const struct map *numbers, const struct module_code *const *code) {
    return (size_t)(uintptr_t)map_find(numbers, sv_make((const char *)code, sizeof *code)) - 1;
}

static void collect_all(struct module_set *s, struct module_codes *all) {
    for (size_t i = 0; i < s->files.len; i++) {
        for (size_t k = 0; k < s->files.items[i]->modules.len; k++)
            VEC_PUSH(s->arena, &all->items, s->files.items[i]->modules.items[k]);
    }
}

static void add_module_edges(struct graph *g, const struct map *numbers, const struct module_codes *codes) {
    for (size_t i = 0; i < codes->items.len; i++) {
        const struct module_code *code = codes->items.items[i];
        for (size_t k = 0; k < code->calls.len; k++) {
            const struct module_call *call = code->calls.items[k];
            if (call->module != NULL)
                graph_add_edge(g, (uint32_t)i, (uint32_t)find_number(numbers, &call->module), 0, call->target_at);
        }
    }
}

/* How deep modules are nested below each, used ones first. */
static bool check_depth(struct module_set *s, struct graph *g, const uint32_t *order,
                        const struct module_codes *codes) {
    size_t *depths = ARENA_ARRAY(s->arena, size_t, codes->items.len + 1);
    for (size_t i = 0; i < codes->items.len; i++) {
        struct graph_edge_list uses = graph_get_uses(g, order[i]);
        for (size_t k = 0; k < uses.len; k++) {
            size_t below = depths[g->edges.items[uses.items[k]].to] + 1;
            depths[order[i]] = below > depths[order[i]] ? below : depths[order[i]];
        }
        if (depths[order[i]] >= NESTING_MAX) {
            diags_add(s->diags, DIAG_module_cycle, codes->items.items[order[i]]->name_at,
                      "modules are nested deeper than %d levels", NESTING_MAX);
            return false;
        }
    }
    return true;
}

bool module_check_recursion(struct module_set *s, const struct module_code *code) {
    struct module_codes codes = {0};
    struct map numbers = MAP(s->arena);
    struct graph g;
    if (code != NULL)
        module_list_reached(s, (struct module_code *)code, &codes);
    else
        collect_all(s, &codes);
    size_t count = codes.items.len;
    sv *names = ARENA_ARRAY(s->arena, sv, count + 1);
    uint32_t *order = ARENA_ARRAY(s->arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        names[i] = codes.items.items[i]->name;
        map_put(&numbers, sv_make((const char *)&codes.items.items[i], sizeof codes.items.items[i]),
                (void *)(uintptr_t)(i + 1));
    }
    graph_init(&g, s->arena, count);
    add_module_edges(&g, &numbers, &codes);
    if (graph_get_order(&g, GRAPH_USED_FIRST, order) < count)
        return module_report_cycles(s->diags, &g, names, "module recursion");
    return check_depth(s, &g, order, &codes);
}

/* --- documents that are not used --- */

static bool holds(const struct module_code *code, span at) {
    span whole = code->root->at;
    return whole.source == at.source && at.offset >= whole.offset && at.offset < whole.offset + whole.length;
}

static bool is_of_other(const struct module_set *s, const struct module_codes *reached, span at) {
    for (size_t i = 0; i < reached->items.len; i++) {
        if (holds(reached->items.items[i], at))
            return false;
    }
    for (size_t i = 0; i < s->files.len; i++) {
        for (size_t k = 0; k < s->files.items[i]->modules.len; k++) {
            if (holds(s->files.items[i]->modules.items[k], at))
                return true;
        }
    }
    return false;
}

void module_drop_others(struct module_set *s, const struct module_codes *reached) {
    struct diags *d = s->diags;
    size_t kept = 0;
    for (size_t i = 0; i < d->items.len; i++) {
        struct diag *diag = d->items.items[i];
        bool is_other = diag->code != DIAG_module_import && is_of_other(s, reached, diag->at);
        if (!is_other)
            d->items.items[kept++] = diag;
        d->errors -= is_other && diag->level == DIAG_ERROR;
        d->kept_errors -= is_other && diag->level == DIAG_ERROR;
        d->warnings -= is_other && diag->level == DIAG_WARNING;
    }
    d->items.len = kept;
}
