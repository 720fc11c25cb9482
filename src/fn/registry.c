/* All core functions, and the registry of a unit: these and what providers add (FN-001, FN-002). */
#include "fn/fn.h"
#include "fn/internal.h"

#include <stdlib.h>

static const struct fn_table *const tables[] = {
    &fn_table_json,        &fn_table_strings, &fn_table_search,  &fn_table_collections, &fn_table_callbacks,
    &fn_table_logic,       &fn_table_numbers, &fn_table_digests, &fn_table_encoding,    &fn_table_files,
    &fn_table_environment, &fn_table_letters, &fn_table_network, &fn_table_links,
};

const struct fn_registry fn_core_registry = {.tables = tables, .count = FN_COUNT(tables)};

/* One unit's provider functions while they are gathered. */
struct gathering {
    struct arena *arena;
    const struct fn_registry *core;
    struct diags *diags;
    struct map owners; /* name → provider that offers it first; NULL behind the second, which has been reported */
    const struct fn_def **defs;
    size_t count;
};

static void report_clash(struct gathering *g, sv name, const struct provider *first, const struct provider *second) {
    struct diag *d = NULL;
    if (first == NULL) {
        bool is_declared = second->name.len == 0; /* in a file, for a provider that is not here (BP-324) */
        d = diags_add(g->diags, DIAG_function_already_provided, SPAN_NONE,
                      "function '%.*s' of %s%.*s%s has the name of a core function", SV_ARG(name),
                      is_declared ? "the declared types" : "provider '", SV_ARG(second->name), is_declared ? "" : "'");
    } else {
        d = diags_add(g->diags, DIAG_function_already_provided, SPAN_NONE,
                      "function '%.*s' is offered by provider '%.*s' and again by provider '%.*s'", SV_ARG(name),
                      SV_ARG(first->name), SV_ARG(second->name));
    }
    diag_set_hint(g->diags, d, "names of functions are global: rename it");
}

/* What is marked as a provider's is a copy: validation does not run it (FN-034). */
static void add_def(struct gathering *g, const struct provider *p, const struct fn_def *def) {
    bool is_new = false;
    void **owner = map_get_slot(&g->owners, def->name, &is_new);
    if (!is_new) {
        if (*owner != NULL) {
            report_clash(g, def->name, *owner, p);
            *owner = NULL;
        }
        return;
    }
    if (fn_find(g->core, def->name) != NULL) {
        report_clash(g, def->name, NULL, p);
        return; /* the slot stays NULL: reported */
    }
    *owner = (void *)(uintptr_t)p;
    struct fn_def *copy = ARENA_NEW(g->arena, struct fn_def);
    *copy = *def;
    copy->flags |= FN_PROVIDED;
    copy->flags &= ~(unsigned)FN_PURE;
    g->defs[g->count++] = copy;
}

static int compare_names(const void *a, const void *b) {
    const struct fn_def *const *x = a, *const *y = b;
    return sv_cmp((*x)->name, (*y)->name);
}

const struct fn_registry *fn_registry_for(struct arena *a, const struct fn_registry *core, const struct providers *p,
                                          struct diags *diags) {
    size_t total = 0;
    for (size_t i = 0; p != NULL && i < p->count; i++) {
        total += p->items[i]->functions != NULL ? p->items[i]->functions->count : 0;
    }
    if (total == 0) {
        return core;
    }
    struct gathering g = {.arena = a, .core = core, .diags = diags, .owners = MAP(a)};
    g.defs = ARENA_ARRAY(a, const struct fn_def *, total);
    for (size_t i = 0; i < p->count; i++) {
        const struct fn_table *t = p->items[i]->functions;
        for (size_t k = 0; t != NULL && k < t->count; k++) {
            add_def(&g, p->items[i], t->defs[k]);
        }
    }
    qsort(g.defs, g.count, sizeof *g.defs, compare_names);
    struct fn_table *provided = ARENA_NEW(a, struct fn_table);
    *provided = (struct fn_table){g.defs, g.count};
    const struct fn_table **all = ARENA_ARRAY(a, const struct fn_table *, core->count + 1);
    memcpy(all, core->tables, core->count * sizeof *all);
    all[core->count] = provided;
    return fn_registry_new(a, all, core->count + 1);
}
