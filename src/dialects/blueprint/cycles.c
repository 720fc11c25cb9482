/* Cycles of references, dependencies and hard links (BP-166, BP-248), and what nothing uses (BP-194). */
#include "dialects/blueprint/loader.h"
#include "graph/graph.h"

enum { CYCLE_REFERENCE = 1, CYCLE_LINK };

static void add_edges(struct loader *l, struct graph *g) {
    for (uint32_t i = 0; i < l->count; i++) {
        const struct element *e = &l->elements[i];
        for (size_t k = 0; k < e->use_count; k++) {
            if (l->elements[e->uses[k].to].kind != ELEMENT_VARIABLE) {
                graph_add_edge(g, i, e->uses[k].to, CYCLE_REFERENCE, e->uses[k].at);
            }
        }
    }
    const struct template *t = l->template;
    for (size_t i = 0; i < t->link_count; i++) {
        const struct template_link *link = &t->links[i];
        if (link->type->hard) {
            bool a_first = link->type->priority == LINK_SIDE_A;
            graph_add_edge(g, a_first ? link->b : link->a, a_first ? link->a : link->b, CYCLE_LINK, link->at);
        }
    }
}

static bool is_of_links(const struct graph *g, const struct graph_cycle *c) {
    for (size_t i = 0; i < c->len; i++) {
        if (g->edges.items[c->edges[i]].kind != CYCLE_LINK) {
            return false;
        }
    }
    return true;
}

enum { CYCLE_SHOWN = 12 }; /* elements named in one message */

static void report_cycle(struct loader *l, const struct graph *g, const struct graph_cycle *c) {
    bool is_links = is_of_links(g, c);
    struct buf text = BUF(&l->scratch);
    for (size_t i = 0; i < c->len && i < CYCLE_SHOWN; i++) {
        buf_printf(&text, "%.*s -> ", SV_ARG(l->elements[g->edges.items[c->edges[i]].from].address.text));
    }
    if (c->len > CYCLE_SHOWN) {
        buf_printf(&text, "… (%zu more) -> ", c->len - CYCLE_SHOWN);
    }
    const struct graph_edge *first = &g->edges.items[c->edges[0]];
    buf_append(&text, l->elements[first->from].address.text);
    size_t from = loader_get_mark(l);
    struct diag *d =
        diags_add(l->diags, is_links ? DIAG_circular_links : DIAG_reference_cycle, first->at, "%s: %.*s",
                  is_links ? "hard links form a cycle" : "these use each other in a circle", SV_ARG(buf_get_sv(&text)));
    for (size_t i = 1; i < c->len && i < CYCLE_SHOWN; i++) {
        const struct graph_edge *edge = &g->edges.items[c->edges[i]];
        diag_add_related(l->diags, d, edge->at, "'%.*s' uses '%.*s' here", SV_ARG(l->elements[edge->from].address.text),
                         SV_ARG(l->elements[edge->to].address.text));
    }
    loader_tag(l, from, first->from);
}

void cycles_check(struct loader *l) {
    struct graph g = {0};
    struct graph_cycles cycles = {0};
    graph_init(&g, &l->scratch, l->count);
    add_edges(l, &g);
    graph_find_cycles(&g, &l->scratch, &cycles);
    l->path.len = 0;
    for (size_t i = 0; i < cycles.items.len; i++) {
        report_cycle(l, &g, &cycles.items.items[i]);
    }
}

void unused_check(struct loader *l) {
    if (l->shape_errors > 0) {
        return; /* a use may stand in what could not be read */
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const struct element *e = &l->elements[i];
        bool counts = e->kind == ELEMENT_VARIABLE || e->kind == ELEMENT_VALUE || e->kind == ELEMENT_DATA;
        if (!counts || l->entries[i].used) {
            continue;
        }
        size_t from = loader_get_mark(l);
        diags_add(l->diags, DIAG_unused_element, e->at, "nothing uses %s '%.*s'",
                  e->kind == ELEMENT_VALUE  ? "value"
                  : e->kind == ELEMENT_DATA ? "data source"
                                            : "variable",
                  SV_ARG(sv_slice(e->name, 0, 80)));
        loader_tag(l, from, i);
    }
}
