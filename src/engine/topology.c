#include "engine/topology.h"

#include "engine/links.h"
#include "graph/graph.h"
#include "model/state.h"

#include <assert.h>

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
    return n < t->element_count && t->elements[n].kind == ELEMENT_RESOURCE;
}

static bool is_group(const struct element *e) {
    return e->kind == ELEMENT_CHILD || e->kind == ELEMENT_TEMPLATE;
}

bool topology_is_resource(const struct topology *y, uint32_t node) {
    return is_resource(y->t, node);
}

bool topology_is_link(const struct topology *y, uint32_t node) {
    return node >= y->element_count + y->child_count;
}

uint32_t topology_get_link(const struct topology *y, uint32_t node) {
    return node - (uint32_t)(y->element_count + y->child_count);
}

/* The element of an entrance, or the node itself. */
static uint32_t get_element(const struct topology *y, uint32_t node) {
    assert(node < y->element_count || y->children != NULL); /* entrances are there where children are */
    return node < y->element_count ? node : y->children[node - y->element_count];
}

sv topology_get_address(const struct topology *y, uint32_t node) {
    if (topology_is_link(y, node)) {
        return y->t->links[topology_get_link(y, node)].address.text;
    }
    return y->t->elements[get_element(y, node)].address.text;
}

bool topology_has_condition(const struct topology *y, uint32_t element) {
    for (uint32_t n = element + 1; n != 0; n = y->t->elements[n - 1].group) {
        if (y->t->elements[n - 1].condition != NULL) {
            return true;
        }
    }
    return false;
}

bool topology_is_detached(const struct topology *y, uint32_t element) {
    for (uint32_t n = y->t->elements[element].group; n != 0; n = y->t->elements[n - 1].group) {
        if (y->t->elements[n - 1].kind == ELEMENT_CHILD && y->t->elements[n - 1].removal == REMOVAL_RETAIN) {
            return true;
        }
    }
    return false;
}

/* --- what nodes use --- */

/* Rows longer than this are shared by those who would hold them. */
enum { ROW_LIMIT = 16 };

struct item_range {
    size_t from, to;
};

struct use_builder {
    struct topology *y;
    const struct template *t;
    struct row_builder rows;
    struct item_range *ranges; /* per node, into the builder's items */
};

/* The nodes that are named by a node before anything is put in their place. */
typedef void (*visit_node)(void *user, uint32_t node, uint32_t target);

/* The entrance of the innermost child around an element; UINT32_MAX at the root. */
static uint32_t find_entrance(const struct topology *y, uint32_t n) {
    const struct template *t = y->t;
    for (uint32_t g = t->elements[n].group; g != 0; g = t->elements[g - 1].group) {
        if (t->elements[g - 1].kind == ELEMENT_CHILD) {
            size_t low = 0, high = y->child_count;
            while (low + 1 < high) {
                size_t middle = low + (high - low) / 2;
                *(y->children[middle] <= g - 1 ? &low : &high) = middle;
            }
            return (uint32_t)(y->element_count + low);
        }
    }
    return UINT32_MAX;
}

static void visit_members(const struct template *t, uint32_t group, visit_node visit, void *user) {
    for (uint32_t i = group + 1; i < t->elements[group].group_end;) {
        const struct element *e = &t->elements[i];
        if (is_group(e) || e->kind == ELEMENT_RESOURCE) {
            visit(user, group, i);
        }
        i = is_group(e) && e->group_end > i ? e->group_end : i + 1;
    }
}

static void visit_uses(const struct topology *y, uint32_t node, visit_node visit, void *user) {
    const struct element *e = &y->t->elements[get_element(y, node)];
    for (size_t k = 0; k < e->use_count; k++) {
        bool is_link = e->uses[k].kind == EDGE_LINK;
        visit(user, node, is_link ? (uint32_t)(y->element_count + y->child_count) + e->uses[k].to : e->uses[k].to);
    }
}

static void visit_targets(const struct topology *y, uint32_t node, visit_node visit, void *user) {
    bool is_entrance = node >= y->element_count;
    if (!is_entrance && is_group(&y->t->elements[node])) {
        visit_members(y->t, node, visit, user);
        return;
    }
    visit_uses(y, node, visit, user);
    uint32_t outer = is_entrance || is_resource(y->t, node) ? find_entrance(y, get_element(y, node)) : UINT32_MAX;
    if (outer != UINT32_MAX) {
        visit(user, node, outer);
    }
}

/* Resources need no row of those who use them: without edges to them fewer nodes hang together. */
struct knot_edges {
    const struct topology *y;
    struct graph *g;
};

static void add_knot_edge(void *user, uint32_t node, uint32_t target) {
    struct knot_edges *e = user;
    if (!is_resource(e->y->t, target) && !topology_is_link(e->y, target)) {
        graph_add_edge(e->g, node, target, 0, SPAN_NONE);
    }
}

/* Nodes in an order in which each comes behind the knots it uses. The dialect has reported cycles; then those are left
 * out. */
static size_t order_nodes(struct arena *a, const struct topology *y, uint32_t **order) {
    struct graph g;
    graph_init(&g, a, y->element_count + y->child_count);
    struct knot_edges e = {y, &g};
    for (uint32_t n = 0; n < g.node_count; n++) {
        visit_targets(y, n, add_knot_edge, &e);
    }
    *order = ARENA_ARRAY(a, uint32_t, g.node_count);
    return graph_get_order(&g, GRAPH_USED_FIRST, *order);
}

static void add_target(void *user, uint32_t node, uint32_t target) {
    struct use_builder *b = user;
    if (is_resource(b->t, target) || b->y->is_barrier[target] || topology_is_link(b->y, target)) {
        row_add(&b->rows, node, target);
        return;
    }
    for (size_t i = b->ranges[target].from; i < b->ranges[target].to; i++) {
        row_add(&b->rows, node, b->rows.items.items[i]);
    }
}

static void add_row(struct use_builder *b, uint32_t node) {
    b->ranges[node].from = b->rows.items.len;
    visit_targets(b->y, node, add_target, b);
    b->ranges[node].to = b->rows.items.len;
    size_t len = b->ranges[node].to - b->ranges[node].from;
    b->y->is_barrier[node] = !is_resource(b->t, node) && len > ROW_LIMIT;
}

/* Rows of resources, barriers and links; nobody asks for those of other nodes. */
static void keep_rows(struct topology *y, struct arena *a, const struct use_builder *b) {
    size_t nodes = y->element_count + y->child_count, links = y->node_count - nodes;
    y->uses.starts = ARENA_ARRAY(a, uint32_t, y->node_count + 1);
    y->uses.items = ARENA_ARRAY(a, uint32_t, b->rows.items.len + 2 * links);
    uint32_t at = 0;
    for (uint32_t n = 0; n < nodes; n++) {
        y->uses.starts[n] = at;
        bool is_kept = is_resource(b->t, n) || y->is_barrier[n];
        for (size_t i = b->ranges[n].from; is_kept && i < b->ranges[n].to; i++) {
            y->uses.items[at++] = b->rows.items.items[i];
        }
    }
    for (size_t i = 0; i < links; i++) {
        y->uses.starts[nodes + i] = at;
        y->uses.items[at++] = b->t->links[i].a;
        y->uses.items[at++] = b->t->links[i].b;
    }
    y->uses.starts[y->node_count] = at;
}

static void init_uses(struct topology *y, struct arena *a, const struct template *t) {
    struct arena scratch = {0};
    uint32_t *order;
    size_t count = order_nodes(&scratch, y, &order);
    y->is_barrier = ARENA_ARRAY(a, bool, y->node_count);
    struct use_builder b = {
        .y = y,
        .t = t,
        .rows = {.arena = &scratch, .seen = ARENA_ARRAY(&scratch, uint32_t, y->node_count)},
        .ranges = ARENA_ARRAY(&scratch, struct item_range, y->element_count + y->child_count),
    };
    VEC_PUSH(&scratch, &b.rows.items, 0); /* place 0 belongs to no row: the list is never empty */
    for (size_t i = 0; i < count; i++) {
        add_row(&b, order[i]);
    }
    keep_rows(y, a, &b);
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

static void report_cycle(const struct topology *y, const struct graph *g, const struct graph_cycle *cycle,
                         struct diags *diags) {
    struct arena scratch = {0};
    struct buf text = BUF(&scratch);
    const struct graph_edge *first = &g->edges.items[cycle->edges[0]];
    for (size_t i = 0; i <= cycle->len; i++) {
        const struct graph_edge *edge = i < cycle->len ? &g->edges.items[cycle->edges[i]] : first;
        sv name = topology_get_address(y, edge->from);
        buf_printf(&text, "%sC(%.*s)", i == 0 ? "" : " waits for ", SV_ARG(name));
    }
    sv message = buf_get_sv(&text);
    struct diag *d = diags_add(diags, DIAG_operation_cycle, first->at,
                               "operations wait for each other in a circle: %.*s", SV_ARG(message));
    for (size_t i = 0; i < cycle->len; i++) {
        const struct graph_edge *edge = &g->edges.items[cycle->edges[i]];
        sv user = topology_get_address(y, edge->from), used = topology_get_address(y, edge->to);
        diag_add_related(diags, d, edge->at, "'%.*s' needs '%.*s'", SV_ARG(user), SV_ARG(used));
    }
    arena_fini(&scratch);
}

static span get_place(const struct topology *y, uint32_t node) {
    return topology_is_link(y, node) ? y->t->links[topology_get_link(y, node)].at
                                     : y->t->elements[get_element(y, node)].at;
}

static void add_edges(const struct topology *y, struct graph *g) {
    for (uint32_t n = 0; n < y->node_count; n++) {
        for (uint32_t k = y->uses.starts[n]; k < y->uses.starts[n + 1]; k++) {
            graph_add_edge(g, n, y->uses.items[k], 0, get_place(y, n));
        }
    }
    for (size_t i = 0; i < y->link_count; i++) {
        if (y->orders[i].is_ordered) {
            graph_add_edge(g, y->orders[i].second, y->orders[i].first, 0, y->t->links[i].at);
        }
    }
}

/* Whether a resource has a link's contributions depends on the other side's condition (BP-142): it comes behind what
 * the other side uses. */
static bool add_edges_of_side(const struct topology *y, struct graph *g, uint32_t own, uint32_t other, span at) {
    bool any = false;
    for (uint32_t k = y->uses.starts[other]; k < y->uses.starts[other + 1]; k++) {
        if (y->uses.items[k] != own) {
            graph_add_edge(g, own, y->uses.items[k], 0, at);
            any = true;
        }
    }
    return any;
}

static bool add_condition_edges(const struct topology *y, struct graph *g) {
    bool any = false;
    for (size_t i = 0; i < y->link_count; i++) {
        const struct template_link *l = &y->t->links[i];
        if (y->orders[i].gives_a && topology_has_condition(y, l->b)) {
            any = add_edges_of_side(y, g, l->a, l->b, l->at) || any;
        }
        if (y->orders[i].gives_b && topology_has_condition(y, l->a)) {
            any = add_edges_of_side(y, g, l->b, l->a, l->at) || any;
        }
    }
    return any;
}

static void report_cycles(const struct topology *y, struct graph *g, struct diags *diags) {
    struct graph_cycles cycles = {0};
    graph_find_cycles(g, g->arena, &cycles);
    for (size_t i = 0; i < cycles.items.len; i++) {
        report_cycle(y, g, &cycles.items.items[i], diags);
    }
}

static bool init_order(struct topology *y, struct arena *a, struct diags *diags) {
    struct arena scratch = {0};
    struct graph g;
    uint32_t *all = ARENA_ARRAY(&scratch, uint32_t, y->node_count);
    graph_init(&g, &scratch, y->node_count);
    add_edges(y, &g);
    bool has_more = add_condition_edges(y, &g);
    size_t count = graph_get_order(&g, GRAPH_USED_FIRST, all);
    if (count < y->node_count && has_more) { /* better without those that are only good to have */
        graph_init(&g, &scratch, y->node_count);
        add_edges(y, &g);
        count = graph_get_order(&g, GRAPH_USED_FIRST, all);
    }
    bool ok = count == y->node_count;
    if (!ok) {
        report_cycles(y, &g, diags);
    }
    y->order = ARENA_ARRAY(a, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        if (is_resource(y->t, all[i]) || y->is_barrier[all[i]]) {
            y->order[y->order_count++] = all[i];
        }
    }
    arena_fini(&scratch);
    return ok;
}

/* Whether any element uses a link. */
static bool init_children(struct topology *y, struct arena *a, const struct template *t) {
    VEC(uint32_t) children = {0};
    bool uses_links = false;
    for (uint32_t n = 0; n < t->element_count; n++) {
        const struct element *e = &t->elements[n];
        if (e->kind == ELEMENT_CHILD) {
            VEC_PUSH(a, &children, n);
        }
        for (size_t k = 0; k < e->use_count; k++) {
            uses_links = uses_links || e->uses[k].kind == EDGE_LINK;
        }
    }
    y->children = children.items;
    y->child_count = children.len;
    return uses_links;
}

bool topology_init(struct topology *y, struct arena *a, const struct template *t, struct diags *diags) {
    *y = (struct topology){.t = t};
    if (t == NULL) {
        return true;
    }
    y->element_count = t->element_count;
    y->link_count = t->link_count;
    bool uses_links = init_children(y, a, t);
    y->node_count = y->element_count + y->child_count + (uses_links ? y->link_count : 0);
    init_uses(y, a, t);
    init_links(y, a, t);
    y->orders = ARENA_ARRAY(a, struct link_order, t->link_count);
    for (size_t i = 0; i < t->link_count; i++) {
        y->orders[i] = links_find_order(t, &t->links[i]);
    }
    return init_order(y, a, diags);
}

/* --- what is recorded --- */

struct needs {
    const struct topology *y;
    struct arena *arena; /* of the result */
    struct arena scratch;
    bool *seen; /* per node, once one is looked into */
    VEC(uint32_t) inside;
    VEC(sv) texts;
};

/* Groups are found again by their address; what else many stand behind is gone with the template: its parts count. */
static void add_need(struct needs *w, uint32_t node) {
    const struct topology *y = w->y;
    if (topology_is_link(y, node)) {
        return; /* its sides stand beside it */
    }
    bool is_named = is_resource(y->t, node) || (node < y->element_count && is_group(&y->t->elements[node]));
    if (w->seen != NULL && w->seen[node]) {
        return;
    }
    if (!is_named && w->seen == NULL) {
        w->seen = ARENA_ARRAY(&w->scratch, bool, y->node_count);
    }
    if (w->seen != NULL) {
        w->seen[node] = true;
    }
    if (is_named) {
        VEC_PUSH(w->arena, &w->texts, topology_get_address(y, node));
    } else {
        VEC_PUSH(&w->scratch, &w->inside, node);
    }
}

static void add_row_needs(struct needs *w, uint32_t node) {
    const struct number_rows *rows = &w->y->uses;
    for (uint32_t i = rows->starts[node]; i < rows->starts[node + 1]; i++) {
        add_need(w, rows->items[i]);
    }
}

size_t topology_list_needs(const struct topology *y, struct arena *a, uint32_t element, const sv **addresses) {
    const struct resource_record *record = y->t->elements[element].record;
    if (record != NULL) {
        *addresses = record->depends_on;
        return record->depends_on_count;
    }
    struct needs w = {.y = y, .arena = a};
    add_row_needs(&w, element);
    while (w.inside.len > 0) {
        add_row_needs(&w, w.inside.items[--w.inside.len]);
    }
    for (uint32_t i = y->links.starts[element]; i < y->links.starts[element + 1]; i++) {
        const struct link_order *order = &y->orders[y->links.items[i]];
        if (order->is_ordered && order->second == element) {
            VEC_PUSH(a, &w.texts, y->t->elements[order->first].address.text);
        }
    }
    arena_fini(&w.scratch);
    *addresses = w.texts.items;
    return w.texts.len;
}
