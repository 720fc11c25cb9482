/* Calls with `for` become copies before the graph is built (MD-173, MD-174); then their order (MD-201, MD-202). */
#include "dialects/module/check.h"
#include "dialects/module/run.h"
#include "graph/graph.h"

static const sv for_name[1] = {SV_INIT("for")};

static struct scope *make_scope(struct arena *a, value list, size_t index) {
    struct scope *s = ARENA_NEW(a, struct scope);
    value *item = ARENA_NEW(a, value);
    struct map_builder b = {.arena = a};
    map_add(&b, SV("element"), value_mark(list.list->items[index], list.marks));
    map_add(&b, SV("index"), value_int((int64_t)index));
    *item = map_done(&b);
    *s = (struct scope){.names = for_name, .items = item, .count = 1};
    return s;
}

static struct module_unit *add_unit(struct module_run *r, struct module_frame *f, const struct module_call *call,
                                    sv name) {
    struct module_unit *unit = VEC_ADD(r->set->arena, &f->units);
    *unit = (struct module_unit){.call = call, .name = name};
    return unit;
}

static bool index_name(struct module_run *r, struct module_frame *f, sv name, span at) {
    bool is_new = true;
    if (name.len == 0)
        return true;
    void **slot = map_get_slot(&f->by_name, name, &is_new);
    bool is_free = is_new && (!f->code->has_computed_names || !map_has(&f->code->locals, name) ||
                              map_find(&f->code->locals, name) == f->units.items[f->units.len - 1].call);
    if (!is_free)
        diags_add(r->set->diags, DIAG_module_document, at, "the name '%.*s' stands in this module already",
                  SV_ARG(name));
    *slot = (void *)(uintptr_t)f->units.len;
    return is_free;
}

static bool add_copies(struct module_run *r, struct module_unit *unit, value list) {
    unit->is_indexed = true;
    unit->count = list.list->len;
    unit->copies = ARENA_ARRAY(r->set->arena, struct module_copy, unit->count + 1);
    for (size_t i = 0; i < unit->count; i++) {
        unit->copies[i].name = arena_printf(r->set->arena, "%.*s[%zu]", SV_ARG(unit->name), i);
        unit->copies[i].scope = make_scope(r->set->arena, list, i);
    }
    return true;
}

static bool take_name(struct module_run *r, const struct module_call *call, struct scope *scope, sv *name) {
    value v = eval_expr(r->ev, call->make_name, scope);
    if (value_is_error(v))
        return false;
    if (value_is_sensitive(v)) {
        diags_add(r->set->diags, DIAG_module_value, call->name_at, "the name of a call cannot be sensitive");
        return false;
    }
    bool is_name = v.kind == VALUE_STRING && module_is_name(value_get_text(v));
    if (is_name && module_is_reserved(r->frame->code, value_get_text(v))) {
        diags_add(r->set->diags, DIAG_module_document, call->name_at, "'%.*s' is a reserved name",
                  SV_ARG(value_get_text(v)));
        return false;
    }
    if (is_name) {
        *name = value_get_text(v);
        return true;
    }
    if (v.kind == VALUE_UNKNOWN)
        diags_add(r->set->diags, DIAG_module_value, call->name_at, "the name of a call must be known");
    else
        diags_add(r->set->diags, DIAG_module_value, call->name_at, "the name of a call must be a name, not %s",
                  v.kind == VALUE_STRING ? "this string" : module_kind_name(v));
    return false;
}

static bool add_named(struct module_run *r, struct module_frame *f, const struct module_call *call, value list) {
    bool ok = true;
    for (size_t i = 0; i < list.list->len; i++) {
        sv name = {0};
        struct scope *scope = make_scope(r->set->arena, list, i);
        if (!take_name(r, call, scope, &name)) {
            ok = false;
            continue;
        }
        struct module_unit *unit = add_unit(r, f, call, name);
        unit->copies = ARENA_NEW(r->set->arena, struct module_copy);
        unit->copies[0] = (struct module_copy){name, scope};
        unit->count = 1;
        ok = index_name(r, f, name, call->name_at) && ok;
    }
    return ok;
}

/* One that has no copies for now: its result is what its `for` is. */
static bool add_without_copies(struct module_run *r, struct module_frame *f, const struct module_call *call, value v) {
    struct module_unit *unit = add_unit(r, f, call, call->name);
    unit->is_unknown = v.kind == VALUE_UNKNOWN;
    unit->is_failed = !unit->is_unknown;
    if (!unit->is_unknown && !value_is_error(v))
        diags_add(r->set->diags, DIAG_module_value, call->each_at, "'for' needs a list");
    return index_name(r, f, call->name, call->name_at) && unit->is_unknown;
}

static bool expand_call(struct module_run *r, struct module_frame *f, const struct module_call *call) {
    if (call->each == NULL) {
        struct module_unit *unit = add_unit(r, f, call, call->name);
        unit->copies = ARENA_NEW(r->set->arena, struct module_copy);
        unit->copies[0].name = call->name;
        unit->count = 1;
        return index_name(r, f, call->name, call->name_at);
    }
    value list = eval_expr(r->ev, call->each, NULL);
    if (list.kind != VALUE_LIST)
        return add_without_copies(r, f, call, list);
    if (call->make_name != NULL)
        return add_named(r, f, call, list);
    add_copies(r, add_unit(r, f, call, call->name), list);
    return index_name(r, f, call->name, call->name_at);
}

/* --- order, when names are computed --- */

static bool report_unknown_use(struct module_run *r, const struct module_use *use) {
    diags_add(r->set->diags, DIAG_module_unknown_name, use->at, "unknown module '%.*s'%s",
              SV_ARG(sv_slice(use->name, 0, 80)), use->is_depends_on ? " in depends_on" : "");
    return false;
}

static bool add_edges(struct module_run *r, const struct module_frame *f, uint32_t number, struct graph *g) {
    const struct module_unit *unit = &f->units.items[number];
    bool ok = true;
    for (size_t i = 0; i < unit->call->uses.len; i++) {
        const struct module_use *use = &unit->call->uses.items[i];
        uintptr_t used = (uintptr_t)map_find(&f->by_name, use->name);
        bool is_dependency = map_has(&f->code->locals, use->name) && map_find(&f->code->locals, use->name) == NULL &&
                             !use->is_depends_on;
        if (used != 0)
            graph_add_edge(g, number, (uint32_t)used - 1, 0, use->at);
        else if (!is_dependency && !use->is_bare)
            ok = report_unknown_use(r, use);
    }
    return ok;
}

static bool order_units(struct module_run *r, struct module_frame *f) {
    struct arena *a = r->set->arena;
    struct graph g;
    bool ok = true;
    sv *names = ARENA_ARRAY(a, sv, f->units.len + 1);
    uint32_t *order = ARENA_ARRAY(a, uint32_t, f->units.len + 1);
    graph_init(&g, a, f->units.len);
    for (size_t i = 0; i < f->units.len; i++) {
        names[i] = f->units.items[i].name;
        ok = add_edges(r, f, (uint32_t)i, &g) && ok;
    }
    f->order = order;
    if (graph_get_order(&g, GRAPH_USED_FIRST, order) < f->units.len)
        return module_report_cycles(r->set->diags, &g, names, "circular reference") && ok;
    return ok;
}

bool module_expand(struct module_run *r, struct module_frame *f) {
    bool ok = true;
    f->by_name = MAP(r->set->arena);
    for (size_t i = 0; i < f->code->calls.len; i++)
        ok = expand_call(r, f, f->code->calls.items[i]) && ok;
    f->order = f->code->order;
    return (!f->code->has_computed_names || order_units(r, f)) && ok;
}
