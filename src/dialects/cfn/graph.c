/* Resources need each other in a circle (CF-037). */
#include "graph/graph.h"

#include "dialects/cfn/evaluate.h"

/* DependsOn is needed as long as both sides are there. */
static void add_dependencies(struct cfn_run *run, struct graph *g, const struct cfn_resource *r, const struct node *n) {
    if (n->kind == NODE_SEQUENCE) {
        for (uint32_t i = 0; i < n->count; i++)
            add_dependencies(run, g, r, n->items[i]);
        return;
    }
    const struct cfn_resource *to = n->kind == NODE_SCALAR ? map_find(&run->t->resources_by_name, n->text) : NULL;
    if (to != NULL && !to->is_made && !cfn_resource_is_off(run, to))
        graph_add_edge(g, r->e.number, to->e.number, CFN_NO_FUNCTION, n->at);
}

static void report(struct cfn_run *run, const struct graph *g, const struct graph_cycle *cycle) {
    enum { SHOWN = 24 };
    struct cfn_resource **all = run->t->resources.items;
    const struct cfn_resource *first = all[g->edges.items[cycle->edges[0]].from];
    struct buf path = BUF(run->arena);
    for (size_t i = 0; i < cycle->len && i < SHOWN; i++)
        buf_printf(&path, "%.*s → ", SV_ARG(all[g->edges.items[cycle->edges[i]].from]->e.name));
    if (cycle->len > SHOWN)
        buf_printf(&path, "… %zu more → ", cycle->len - SHOWN);
    buf_append(&path, first->e.name);
    struct diag *d =
        cfn_report(run, DIAG_cfn_cycle, first->e.key->at, "resources need each other: %.*s", SV_ARG(buf_get_sv(&path)));
    for (size_t i = 0; i < cycle->len && i < SHOWN; i++) {
        const struct graph_edge *e = &g->edges.items[cycle->edges[i]];
        sv how = e->kind == CFN_NO_FUNCTION ? SV("DependsOn") : cfn_function_get((enum cfn_function)e->kind)->name;
        diag_add_related(run->o.diags, d, e->at, "'%.*s' needs '%.*s' (%.*s)", SV_ARG(all[e->from]->e.name),
                         SV_ARG(all[e->to]->e.name), SV_ARG(how));
    }
    cfn_hint(run, d, "take one of the references out");
}

void cfn_graph_check(struct cfn_run *run) {
    size_t count = run->t->resources.len;
    graph_init(&run->graph, run->arena, count);
    for (size_t i = 0; i < run->edges.len; i++) {
        const struct cfn_edge *e = &run->edges.items[i];
        graph_add_edge(&run->graph, e->from, e->to, e->function, e->at);
    }
    for (size_t i = 0; i < count; i++) {
        const struct cfn_resource *r = run->t->resources.items[i];
        if (r->depends_on != NULL && !cfn_resource_is_off(run, r))
            add_dependencies(run, &run->graph, r, r->depends_on);
    }
    struct graph_cycles cycles = {0};
    graph_find_cycles(&run->graph, run->arena, &cycles);
    for (size_t i = 0; i < cycles.items.len; i++)
        report(run, &run->graph, &cycles.items.items[i]);
}
