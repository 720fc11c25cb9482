#include "views/graph_view.h"

/* An edge between elements, before it is known which of them are shown. */
struct raw_edge {
    uint32_t from, to;
    enum graph_edge_kind kind;
    sv name;
};

struct raw_edges {
    VEC(struct raw_edge) items;
};

sv graph_edge_get_kind_name(enum graph_edge_kind kind) {
    switch (kind) {
    case GRAPH_REFERENCE:
        return SV("reference");
    case GRAPH_DEPENDS_ON:
        return SV("dependsOn");
    case GRAPH_LINK:
        return SV("link");
    }
    return SV("");
}

static void collect_edges(const struct graph_request *r, struct raw_edges *edges) {
    const struct template *t = r->template;
    for (uint32_t i = 0; i < t->element_count; i++) {
        const struct element *e = &t->elements[i];
        for (size_t k = 0; k < e->use_count; k++) {
            const struct element_edge *use = &e->uses[k];
            if (use->kind == EDGE_LINK) {
                continue; /* edges to both sides stand beside it */
            }
            enum graph_edge_kind kind = use->kind == EDGE_DEPENDS_ON ? GRAPH_DEPENDS_ON : GRAPH_REFERENCE;
            VEC_PUSH(r->arena, &edges->items, ((struct raw_edge){i, use->to, kind, {0}}));
        }
    }
    for (size_t i = 0; i < t->link_count; i++) {
        const struct template_link *l = &t->links[i];
        VEC_PUSH(r->arena, &edges->items, ((struct raw_edge){l->a, l->b, GRAPH_LINK, l->address.text}));
    }
}

/* --- what is near the focus --- */

/* Neighbours of element n: items[starts[n] .. starts[n + 1]), whichever way the edge leads. */
struct neighbours {
    size_t *starts;
    uint32_t *items;
};

static struct neighbours make_neighbours(const struct graph_request *r, const struct raw_edges *edges) {
    size_t count = r->template->element_count;
    struct neighbours n = {ARENA_ARRAY(r->arena, size_t, count + 2),
                           ARENA_ARRAY(r->arena, uint32_t, 2 * edges->items.len + 1)};
    for (size_t i = 0; i < edges->items.len; i++) {
        n.starts[edges->items.items[i].from + 2]++;
        n.starts[edges->items.items[i].to + 2]++;
    }
    for (size_t i = 2; i < count + 2; i++) {
        n.starts[i] += n.starts[i - 1];
    }
    for (size_t i = 0; i < edges->items.len; i++) {
        const struct raw_edge *e = &edges->items.items[i];
        n.items[n.starts[e->from + 1]++] = e->to;
        n.items[n.starts[e->to + 1]++] = e->from;
    }
    return n;
}

/* Breadth first from the focus; with a group its members are as near as the group itself. */
static void mark_near(const struct graph_request *r, const struct raw_edges *edges, bool *shown) {
    const struct template *t = r->template;
    struct neighbours n = make_neighbours(r, edges);
    uint32_t *queue = ARENA_ARRAY(r->arena, uint32_t, t->element_count + 1);
    size_t *depths = ARENA_ARRAY(r->arena, size_t, t->element_count + 1);
    size_t len = 0;
    uint32_t first = template_get_number(t, r->focus);
    uint32_t end = r->focus->group_end > first ? r->focus->group_end : first + 1;
    for (uint32_t i = first; i < end; i++) {
        shown[i] = true;
        queue[len++] = i;
    }
    for (size_t i = 0; i < len; i++) {
        uint32_t at = queue[i];
        for (size_t k = n.starts[at]; k < n.starts[at + 1] && depths[at] < r->depth; k++) {
            uint32_t to = n.items[k];
            if (!shown[to]) {
                shown[to] = true;
                depths[to] = depths[at] + 1;
                queue[len++] = to;
            }
        }
    }
}

void graph_view_make(const struct graph_request *r, struct graph_view *view) {
    const struct template *t = r->template;
    struct raw_edges edges = {0};
    bool *shown = ARENA_ARRAY(r->arena, bool, t->element_count + 1);
    uint32_t *numbers = ARENA_ARRAY(r->arena, uint32_t, t->element_count + 1); /* node + 1 */
    collect_edges(r, &edges);
    if (r->focus != NULL) {
        mark_near(r, &edges, shown);
    }
    *view = (struct graph_view){.nodes = ARENA_ARRAY(r->arena, struct graph_node, t->element_count + 1),
                                .edges = ARENA_ARRAY(r->arena, struct graph_edge, edges.items.len + 1)};
    for (uint32_t i = 0; i < t->element_count; i++) {
        if (r->focus != NULL && !shown[i]) {
            continue;
        }
        const struct element *e = &t->elements[i];
        view->nodes[view->node_count].element = e;
        view->nodes[view->node_count++].group = e->group > 0 ? numbers[e->group - 1] : 0;
        numbers[i] = (uint32_t)view->node_count;
    }
    for (size_t i = 0; i < edges.items.len; i++) {
        const struct raw_edge *e = &edges.items.items[i];
        if (numbers[e->from] != 0 && numbers[e->to] != 0) {
            view->edges[view->edge_count++] =
                (struct graph_edge){numbers[e->from] - 1, numbers[e->to] - 1, e->kind, e->name};
        }
    }
}
