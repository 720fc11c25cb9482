#include "engine/topology.h"

#include "engine/links.h"
#include "graph/graph.h"

/* --- rows --- */

struct row_builder {
    struct arena *arena;
    struct number_rows rows;
    VEC(uint32_t) items;
    uint32_t *seen; /* per number: the row that holds it last, + 1 */
};

static void row_add(struct row_builder *b, uint32_t row, uint32_t number) {
    if (b->seen[number] != row + 1) {
        b->seen[number] = row + 1;
        VEC_PUSH(b->arena, &b->items, number);
    }
}

static bool is_resource(const struct template *t, uint32_t n) {
    return t->elements[n].kind == ELEMENT_RESOURCE;
}

/* Elements in an order in which each comes behind what it uses. The dialect has reported cycles; then those are left
 * out. */
static size_t order_elements(struct arena *a, const struct template *t, uint32_t **order) {
    struct graph g;
    graph_init(&g, a, t->element_count);
    for (uint32_t i = 0; i < t->element_count; i++) {
        for (size_t k = 0; k < t->elements[i].use_count; k++) {
            graph_add_edge(&g, i, t->elements[i].uses[k].to, 0, SPAN_NONE);
        }
    }
    *order = ARENA_ARRAY(a, uint32_t, t->element_count);
    return graph_get_order(&g, GRAPH_USED_FIRST, *order);
}

/* What element `n` uses: resources stand for themselves, everything else for what it uses itself. */
struct item_range {
    size_t from, to;
};

static void add_uses(struct row_builder *b, const struct template *t, struct item_range *ranges, uint32_t n) {
    const struct element *e = &t->elements[n];
    ranges[n].from = b->items.len;
    for (size_t k = 0; k < e->use_count; k++) {
        uint32_t to = e->uses[k].to;
        if (is_resource(t, to)) {
            row_add(b, n, to);
            continue;
        }
        for (size_t i = ranges[to].from; i < ranges[to].to; i++) {
            row_add(b, n, b->items.items[i]);
        }
    }
    ranges[n].to = b->items.len;
}

static void init_uses(struct topology *y, struct arena *a, const struct template *t) {
    struct arena scratch = {0};
    uint32_t *order;
    size_t count = order_elements(&scratch, t, &order);
    struct row_builder b = {.arena = &scratch, .seen = ARENA_ARRAY(&scratch, uint32_t, t->element_count)};
    struct item_range *ranges = ARENA_ARRAY(&scratch, struct item_range, t->element_count);
    VEC_PUSH(&scratch, &b.items, 0); /* place 0 belongs to no row: the list is never empty */
    for (size_t i = 0; i < count; i++) {
        add_uses(&b, t, ranges, order[i]);
    }
    y->uses.starts = ARENA_ARRAY(a, uint32_t, t->element_count + 1);
    y->uses.items = ARENA_ARRAY(a, uint32_t, b.items.len);
    uint32_t at = 0;
    for (uint32_t n = 0; n < t->element_count; n++) {
        y->uses.starts[n] = at;
        for (size_t i = ranges[n].from; i < ranges[n].to; i++) {
            y->uses.items[at++] = b.items.items[i];
        }
    }
    y->uses.starts[t->element_count] = at;
    arena_fini(&scratch);
}

static void init_links(struct topology *y, struct arena *a, const struct template *t) {
    y->links.starts = ARENA_ARRAY(a, uint32_t, t->element_count + 1);
    y->links.items = ARENA_ARRAY(a, uint32_t, 2 * t->link_count);
    for (size_t i = 0; i < t->link_count; i++) {
        y->links.starts[t->links[i].a]++;
        y->links.starts[t->links[i].b]++;
    }
    uint32_t at = 0;
    for (size_t n = 0; n <= t->element_count; n++) {
        uint32_t count = y->links.starts[n];
        y->links.starts[n] = at;
        at += count;
    }
    uint32_t *next = ARENA_ARRAY(a, uint32_t, t->element_count);
    for (uint32_t i = 0; i < t->link_count; i++) {
        uint32_t sides[2] = {t->links[i].a, t->links[i].b};
        for (size_t side = 0; side < 2; side++) {
            y->links.items[y->links.starts[sides[side]] + next[sides[side]]++] = i;
        }
    }
}

/* --- order --- */

static void report_cycle(const struct template *t, const struct graph *g, const struct graph_cycle *cycle,
                         struct diags *diags) {
    struct arena scratch = {0};
    struct buf text = BUF(&scratch);
    for (size_t i = 0; i < cycle->len; i++) {
        const struct graph_edge *edge = &g->edges.items[cycle->edges[i]];
        buf_printf(&text, "C(%.*s) ", SV_ARG(t->elements[edge->from].address.text));
        buf_append_cstr(&text, "waits for ");
    }
    buf_printf(&text, "C(%.*s)", SV_ARG(t->elements[g->edges.items[cycle->edges[0]].from].address.text));
    const struct graph_edge *first = &g->edges.items[cycle->edges[0]];
    sv message = buf_get_sv(&text);
    struct diag *d = diags_add(diags, DIAG_operation_cycle, t->elements[first->from].at,
                               "operations wait for each other in a circle: %.*s", SV_ARG(message));
    for (size_t i = 0; i < cycle->len; i++) {
        const struct graph_edge *edge = &g->edges.items[cycle->edges[i]];
        diag_add_related(diags, d, edge->at, "'%.*s' needs '%.*s'", SV_ARG(t->elements[edge->from].name),
                         SV_ARG(t->elements[edge->to].name));
    }
    arena_fini(&scratch);
}

static void add_edges(const struct topology *y, struct graph *g) {
    const struct template *t = y->t;
    for (uint32_t n = 0; n < t->element_count; n++) {
        for (uint32_t k = y->uses.starts[n]; is_resource(t, n) && k < y->uses.starts[n + 1]; k++) {
            graph_add_edge(g, n, y->uses.items[k], 0, t->elements[n].at);
        }
    }
    for (size_t i = 0; i < t->link_count; i++) {
        if (y->orders[i].is_ordered) {
            graph_add_edge(g, y->orders[i].second, y->orders[i].first, 0, t->links[i].at);
        }
    }
}

static bool init_order(struct topology *y, struct arena *a, struct diags *diags) {
    const struct template *t = y->t;
    struct arena scratch = {0};
    struct graph g;
    graph_init(&g, &scratch, t->element_count);
    add_edges(y, &g);
    uint32_t *all = ARENA_ARRAY(&scratch, uint32_t, t->element_count);
    size_t count = graph_get_order(&g, GRAPH_USED_FIRST, all);
    bool ok = count == t->element_count;
    if (!ok) {
        struct graph_cycles cycles = {0};
        graph_find_cycles(&g, &scratch, &cycles);
        for (size_t i = 0; i < cycles.items.len; i++) {
            report_cycle(t, &g, &cycles.items.items[i], diags);
        }
    }
    y->order = ARENA_ARRAY(a, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        if (is_resource(t, all[i])) {
            y->order[y->order_count++] = all[i];
        }
    }
    arena_fini(&scratch);
    return ok;
}

bool topology_init(struct topology *y, struct arena *a, const struct template *t, struct diags *diags) {
    *y = (struct topology){.t = t};
    if (t == NULL) {
        return true;
    }
    y->element_count = t->element_count;
    y->link_count = t->link_count;
    init_uses(y, a, t);
    init_links(y, a, t);
    y->orders = ARENA_ARRAY(a, struct link_order, t->link_count);
    for (size_t i = 0; i < t->link_count; i++) {
        y->orders[i] = links_find_order(t, &t->links[i]);
    }
    return init_order(y, a, diags);
}
