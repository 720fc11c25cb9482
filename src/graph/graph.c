#include "graph/graph.h"

#include <assert.h>

void graph_init(struct graph *g, struct arena *a, size_t node_count) {
    assert(node_count < UINT32_MAX);
    *g = (struct graph){.arena = a, .node_count = node_count, .indexed = SIZE_MAX};
}

uint32_t graph_add_edge(struct graph *g, uint32_t from, uint32_t to, uint32_t kind, span at) {
    assert(from < g->node_count && to < g->node_count && g->edges.len < UINT32_MAX - 1);
    VEC_PUSH(g->arena, &g->edges, ((struct graph_edge){from, to, kind, at}));
    return (uint32_t)(g->edges.len - 1);
}

static uint32_t edge_get_end(const struct graph_edge *edge, bool by_user) {
    return by_user ? edge->from : edge->to;
}

/* A counting sort: stable, so the edges of a node keep their order. */
static void index_build(const struct graph *g, struct graph_index *index, bool by_user) {
    uint32_t *starts = ARENA_ARRAY(g->arena, uint32_t, g->node_count + 2);
    uint32_t *numbers = ARENA_ARRAY(g->arena, uint32_t, g->edges.len);
    uint32_t *next = starts + 1; /* next[n] moves from the start of n to its end, which is starts[n + 1] */
    for (size_t i = 0; i < g->edges.len; i++) {
        next[edge_get_end(&g->edges.items[i], by_user) + 1]++;
    }
    for (size_t n = 0; n < g->node_count; n++) {
        next[n + 1] += next[n];
    }
    for (size_t i = 0; i < g->edges.len; i++) {
        numbers[next[edge_get_end(&g->edges.items[i], by_user)]++] = (uint32_t)i;
    }
    *index = (struct graph_index){starts, numbers};
}

static void graph_build(struct graph *g) {
    if (g->indexed != g->edges.len) {
        index_build(g, &g->uses, true);
        index_build(g, &g->users, false);
        g->indexed = g->edges.len;
    }
}

static struct graph_edge_list index_get(const struct graph_index *index, uint32_t node) {
    return (struct graph_edge_list){index->numbers + index->starts[node],
                                    index->starts[node + 1] - index->starts[node]};
}

struct graph_edge_list graph_get_uses(struct graph *g, uint32_t node) {
    assert(node < g->node_count);
    graph_build(g);
    return index_get(&g->uses, node);
}

struct graph_edge_list graph_get_users(struct graph *g, uint32_t node) {
    assert(node < g->node_count);
    graph_build(g);
    return index_get(&g->users, node);
}

/* Nodes that are ready, as a heap with the lowest number on top. */
struct heap {
    uint32_t *items;
    size_t len;
};

static void heap_push(struct heap *h, uint32_t node) {
    size_t at = h->len++;
    while (at > 0 && h->items[(at - 1) / 2] > node) {
        h->items[at] = h->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    h->items[at] = node;
}

static uint32_t heap_pop(struct heap *h) {
    uint32_t top = h->items[0];
    uint32_t last = h->items[--h->len];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= h->len) {
            break;
        }
        if (child + 1 < h->len && h->items[child + 1] < h->items[child]) {
            child++;
        }
        if (h->items[child] >= last) {
            break;
        }
        h->items[at] = h->items[child];
        at = child;
    }
    h->items[at] = last;
    return top;
}

size_t graph_get_order(struct graph *g, enum graph_direction direction, uint32_t *order) {
    graph_build(g);
    struct arena scratch = {0};
    bool used_first = direction == GRAPH_USED_FIRST;
    const struct graph_index *before = used_first ? &g->uses : &g->users;
    const struct graph_index *after = used_first ? &g->users : &g->uses;
    uint32_t *waits_for = ARENA_ARRAY(&scratch, uint32_t, g->node_count);
    struct heap ready = {ARENA_ARRAY(&scratch, uint32_t, g->node_count + 1), 0};
    for (uint32_t n = 0; n < g->node_count; n++) {
        waits_for[n] = (uint32_t)index_get(before, n).len;
        if (waits_for[n] == 0) {
            heap_push(&ready, n);
        }
    }
    size_t count = 0;
    while (ready.len > 0) {
        uint32_t node = heap_pop(&ready);
        order[count++] = node;
        struct graph_edge_list edges = index_get(after, node);
        for (size_t i = 0; i < edges.len; i++) {
            uint32_t next = edge_get_end(&g->edges.items[edges.items[i]], used_first);
            if (--waits_for[next] == 0) {
                heap_push(&ready, next);
            }
        }
    }
    arena_fini(&scratch);
    return count;
}

/* Breadth first from all marked nodes; `to_used` tells the direction. */
static void graph_mark(struct graph *g, bool *marks, bool to_used) {
    graph_build(g);
    struct arena scratch = {0};
    uint32_t *queue = ARENA_ARRAY(&scratch, uint32_t, g->node_count);
    size_t len = 0;
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (marks[n]) {
            queue[len++] = n;
        }
    }
    for (size_t at = 0; at < len; at++) {
        struct graph_edge_list edges = index_get(to_used ? &g->uses : &g->users, queue[at]);
        for (size_t i = 0; i < edges.len; i++) {
            uint32_t next = edge_get_end(&g->edges.items[edges.items[i]], !to_used);
            if (!marks[next]) {
                marks[next] = true;
                queue[len++] = next;
            }
        }
    }
    arena_fini(&scratch);
}

void graph_mark_uses(struct graph *g, bool *marks) {
    graph_mark(g, marks, true);
}

void graph_mark_users(struct graph *g, bool *marks) {
    graph_mark(g, marks, false);
}
