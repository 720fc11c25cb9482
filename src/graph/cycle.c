/* Cycles: groups of nodes that reach each other (Tarjan's strongly connected components, with an explicit stack), then
 * in each group the shortest way from a node back to itself. */
#include "graph/graph.h"

#include <assert.h>
#include <string.h>

/* Steps of the search for shorter cycles: so many per node and edge of the graph, and so many more. */
enum { STEPS_PER_ITEM = 16, STEPS_FREE = 1000000 };

enum { NO_GROUP = 0 };

/* Where the walk is in a node. */
struct frame {
    uint32_t node;
    uint32_t next_edge; /* within the node's uses */
};

struct group_search {
    struct graph *graph;
    struct arena scratch;
    uint32_t *group;   /* per node: its group's number, from 1 */
    uint32_t *low;     /* per node: order of discovery of the earliest node it is known to reach; 0 before discovery */
    uint32_t *pending; /* nodes discovered and not yet in a group */
    size_t pending_len;
    struct frame *frames;
    size_t frames_len;
    uint32_t discovered, groups;
};

static void enter_node(struct group_search *s, uint32_t node) {
    s->low[node] = ++s->discovered;
    s->pending[s->pending_len++] = node;
    s->frames[s->frames_len++] = (struct frame){node, 0};
}

/* A node reached through an edge, or one whose walk has ended: what it reaches, `node` reaches. */
static void join_low(struct group_search *s, uint32_t node, uint32_t reached) {
    if (s->group[reached] == NO_GROUP && s->low[reached] < s->low[node]) {
        s->low[node] = s->low[reached];
    }
}

/* `order` is the node's own order of discovery. */
static void leave_node(struct group_search *s, uint32_t node, uint32_t order) {
    if (s->low[node] == order) { /* reaches nothing earlier: all that is pending since then is its group */
        uint32_t member;
        s->groups++;
        do {
            member = s->pending[--s->pending_len];
            s->group[member] = s->groups;
        } while (member != node);
    }
    if (--s->frames_len > 0) {
        join_low(s, s->frames[s->frames_len - 1].node, node);
    }
}

static void walk_from(struct group_search *s, uint32_t *order, uint32_t root) {
    enter_node(s, root);
    order[root] = s->discovered;
    while (s->frames_len > 0) {
        struct frame *frame = &s->frames[s->frames_len - 1];
        struct graph_edge_list edges = graph_get_uses(s->graph, frame->node);
        if (frame->next_edge == edges.len) {
            leave_node(s, frame->node, order[frame->node]);
            continue;
        }
        uint32_t target = s->graph->edges.items[edges.items[frame->next_edge++]].to;
        if (s->low[target] == 0) {
            enter_node(s, target);
            order[target] = s->discovered;
        } else {
            join_low(s, frame->node, target);
        }
    }
}

static void find_groups(struct group_search *s) {
    size_t count = s->graph->node_count;
    s->group = ARENA_ARRAY(&s->scratch, uint32_t, count);
    s->low = ARENA_ARRAY(&s->scratch, uint32_t, count);
    s->pending = ARENA_ARRAY(&s->scratch, uint32_t, count);
    s->frames = ARENA_ARRAY(&s->scratch, struct frame, count);
    uint32_t *order = ARENA_ARRAY(&s->scratch, uint32_t, count);
    for (uint32_t n = 0; n < count; n++) {
        if (s->low[n] == 0) {
            walk_from(s, order, n);
        }
    }
}

/* Nodes sorted by group, ascending within each. */
static uint32_t *sort_by_group(struct group_search *s, uint32_t *starts) {
    size_t count = s->graph->node_count;
    uint32_t *members = ARENA_ARRAY(&s->scratch, uint32_t, count);
    uint32_t *next = starts + 1;
    for (size_t n = 0; n < count; n++) {
        next[s->group[n] + 1]++;
    }
    for (uint32_t i = 0; i <= s->groups; i++) {
        next[i + 1] += next[i];
    }
    for (uint32_t n = 0; n < count; n++) {
        members[next[s->group[n]]++] = n;
    }
    return members;
}

struct way_search {
    struct graph *graph;
    const uint32_t *group;
    uint32_t *seen;     /* per node: number + 1 of the start that has reached it */
    uint32_t *via;      /* per node: the edge it was reached by */
    uint32_t *distance; /* per node */
    uint32_t *queue;
    uint64_t steps;
};

/* The last edge of the shortest way from `start` back to it with fewer than `limit` edges; UINT32_MAX when there is
 * none. */
static uint32_t find_way_back(struct way_search *w, uint32_t start, size_t limit) {
    size_t len = 0;
    w->queue[len++] = start;
    w->seen[start] = start + 1;
    w->distance[start] = 0;
    for (size_t at = 0; at < len; at++) {
        uint32_t node = w->queue[at];
        if (w->distance[node] + 1 >= limit) {
            break;
        }
        struct graph_edge_list edges = graph_get_uses(w->graph, node);
        w->steps += edges.len + 1;
        for (size_t i = 0; i < edges.len; i++) {
            uint32_t target = w->graph->edges.items[edges.items[i]].to;
            if (target == start) {
                return edges.items[i];
            }
            if (w->group[target] == w->group[start] && w->seen[target] != start + 1) {
                w->seen[target] = start + 1;
                w->via[target] = edges.items[i];
                w->distance[target] = w->distance[node] + 1;
                w->queue[len++] = target;
            }
        }
    }
    return UINT32_MAX;
}

/* Writes the way that find_way_back has just found, backwards from its last edge. */
static void copy_way(const struct way_search *w, uint32_t start, uint32_t last, struct graph_cycle *cycle) {
    const struct graph_edge *edges = w->graph->edges.items;
    cycle->len = (size_t)w->distance[edges[last].from] + 1;
    uint32_t edge = last;
    for (size_t i = cycle->len; i > 0; i--) {
        cycle->edges[i - 1] = edge;
        if (i > 1) {
            edge = w->via[edges[edge].from];
        }
    }
    assert(edges[cycle->edges[0]].from == start);
}

/* The first search is complete; each later one may only find something shorter. */
static void find_shortest(struct way_search *w, const uint32_t *members, size_t count, struct graph_cycle *cycle) {
    uint64_t steps_max = (uint64_t)STEPS_PER_ITEM * (w->graph->node_count + w->graph->edges.len) + (uint64_t)STEPS_FREE;
    size_t limit = SIZE_MAX;
    for (size_t i = 0; i < count && limit > 1 && (i == 0 || w->steps < steps_max); i++) {
        uint32_t last = find_way_back(w, members[i], limit);
        if (last != UINT32_MAX) {
            copy_way(w, members[i], last, cycle);
            limit = cycle->len;
        }
    }
}

static void way_search_init(struct way_search *w, struct group_search *s) {
    size_t count = s->graph->node_count;
    *w = (struct way_search){
        .graph = s->graph,
        .group = s->group,
        .seen = ARENA_ARRAY(&s->scratch, uint32_t, count),
        .via = ARENA_ARRAY(&s->scratch, uint32_t, count),
        .distance = ARENA_ARRAY(&s->scratch, uint32_t, count),
        .queue = ARENA_ARRAY(&s->scratch, uint32_t, count),
    };
}

void graph_find_cycles(struct graph *g, struct arena *a, struct graph_cycles *cycles) {
    struct group_search s = {.graph = g};
    find_groups(&s);
    uint32_t *starts = ARENA_ARRAY(&s.scratch, uint32_t, (size_t)s.groups + 3);
    uint32_t *members = sort_by_group(&s, starts);
    struct graph_cycle *shortest = ARENA_ARRAY(&s.scratch, struct graph_cycle, (size_t)s.groups + 1);
    uint32_t *edges = ARENA_ARRAY(&s.scratch, uint32_t, g->node_count);
    struct way_search w;
    way_search_init(&w, &s);
    for (uint32_t i = 1; i <= s.groups; i++) {
        shortest[i].edges = edges + starts[i]; /* a cycle is no longer than its group */
        find_shortest(&w, members + starts[i], starts[i + 1] - starts[i], &shortest[i]);
    }
    *cycles = (struct graph_cycles){0};
    for (uint32_t n = 0; n < g->node_count; n++) {
        const struct graph_cycle *cycle = &shortest[s.group[n]];
        if (cycle->len > 0 && g->edges.items[cycle->edges[0]].from == n) {
            struct graph_cycle *copy = VEC_ADD(a, &cycles->items);
            copy->edges = ARENA_ARRAY(a, uint32_t, cycle->len);
            copy->len = cycle->len;
            memcpy(copy->edges, cycle->edges, cycle->len * sizeof *copy->edges);
        }
    }
    arena_fini(&s.scratch);
}
