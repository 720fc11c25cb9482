/* The dependency graph against naive oracles, and its size and stack bounds. */
#include "graph/graph.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SMALL_NODES = 9 };

/* Reproducible numbers. */
static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void add(struct graph *g, uint32_t from, uint32_t to) {
    graph_add_edge(g, from, to, 0, SPAN_NONE);
}

static void test_order_is_document_order_where_possible(void **state) {
    (void)state;
    struct arena a = {0};
    struct graph g;
    uint32_t order[5];
    graph_init(&g, &a, 5);
    assert_int_equal(graph_get_order(&g, GRAPH_USED_FIRST, order), 5);
    assert_memory_equal(order, ((uint32_t[]){0, 1, 2, 3, 4}), sizeof order);
    add(&g, 0, 3); /* 0 uses 3 */
    add(&g, 3, 4);
    assert_int_equal(graph_get_order(&g, GRAPH_USED_FIRST, order), 5);
    assert_memory_equal(order, ((uint32_t[]){1, 2, 4, 3, 0}), sizeof order);
    assert_int_equal(graph_get_order(&g, GRAPH_USERS_FIRST, order), 5);
    assert_memory_equal(order, ((uint32_t[]){0, 1, 2, 3, 4}), sizeof order);
    arena_fini(&a);
}

static void test_edges_keep_their_order_kind_and_span(void **state) {
    (void)state;
    struct arena a = {0};
    struct graph g;
    graph_init(&g, &a, 3);
    assert_int_equal(graph_add_edge(&g, 0, 2, 7, (span){1, 10, 3}), 0);
    assert_int_equal(graph_add_edge(&g, 0, 1, 8, (span){1, 20, 3}), 1);
    assert_int_equal(graph_add_edge(&g, 0, 2, 9, (span){1, 30, 3}), 2);
    struct graph_edge_list uses = graph_get_uses(&g, 0);
    assert_int_equal(uses.len, 3);
    assert_memory_equal(uses.items, ((uint32_t[]){0, 1, 2}), 12);
    struct graph_edge_list users = graph_get_users(&g, 2);
    assert_int_equal(users.len, 2);
    assert_int_equal(g.edges.items[users.items[1]].kind, 9);
    assert_int_equal(g.edges.items[users.items[1]].at.offset, 30);
    graph_add_edge(&g, 2, 1, 0, SPAN_NONE); /* the index is built anew */
    assert_int_equal(graph_get_users(&g, 1).len, 2);
    arena_fini(&a);
}

static void test_cycle_is_the_shortest_and_starts_lowest(void **state) {
    (void)state;
    struct arena a = {0};
    struct graph g;
    struct graph_cycles cycles;
    graph_init(&g, &a, 8);
    add(&g, 0, 1); /* 0 1 2 3 0: four edges */
    add(&g, 1, 2);
    add(&g, 2, 3);
    add(&g, 3, 0);
    add(&g, 3, 2); /* edge 4: 2 3 2, two edges */
    add(&g, 5, 5); /* edge 5: a group of its own */
    add(&g, 6, 0); /* behind a cycle, on none */
    graph_find_cycles(&g, &a, &cycles);
    assert_int_equal(cycles.items.len, 2);
    assert_int_equal(cycles.items.items[0].len, 2);
    assert_memory_equal(cycles.items.items[0].edges, ((uint32_t[]){2, 4}), 8);
    assert_int_equal(cycles.items.items[1].len, 1);
    assert_int_equal(cycles.items.items[1].edges[0], 5);
    uint32_t order[8];
    assert_int_equal(graph_get_order(&g, GRAPH_USED_FIRST, order), 2);
    assert_memory_equal(order, ((uint32_t[]){4, 7}), 8);
    arena_fini(&a);
}

static void test_of_equal_cycles_the_lowest_then_first_added(void **state) {
    (void)state;
    struct arena a = {0};
    struct graph g;
    struct graph_cycles cycles;
    graph_init(&g, &a, 4);
    add(&g, 3, 2);
    add(&g, 2, 3);
    add(&g, 1, 3); /* 1 3 1 has the lower number */
    add(&g, 3, 1);
    add(&g, 1, 3); /* a second edge of the same way comes too late */
    graph_find_cycles(&g, &a, &cycles);
    assert_int_equal(cycles.items.len, 1);
    assert_memory_equal(cycles.items.items[0].edges, ((uint32_t[]){2, 3}), 8);
    arena_fini(&a);
}

/* The oracle: way[i][j] is the length of the shortest way of at least one edge, 0 for none. */
struct oracle {
    size_t n;
    uint32_t way[SMALL_NODES][SMALL_NODES];
};

static void oracle_join(struct oracle *o, size_t i, size_t k, size_t j) {
    uint32_t through = o->way[i][k] + o->way[k][j];
    if (o->way[i][k] != 0 && o->way[k][j] != 0 && (o->way[i][j] == 0 || through < o->way[i][j])) {
        o->way[i][j] = through;
    }
}

static void oracle_fill(struct oracle *o, const struct graph *g) {
    memset(o, 0, sizeof *o);
    o->n = g->node_count;
    for (size_t i = 0; i < g->edges.len; i++) {
        o->way[g->edges.items[i].from][g->edges.items[i].to] = 1;
    }
    for (size_t k = 0; k < o->n; k++) {
        for (size_t i = 0; i < o->n; i++) {
            for (size_t j = 0; j < o->n; j++) {
                oracle_join(o, i, k, j);
            }
        }
    }
}

/* Written as the definition says: again and again the lowest node whose uses are all done. */
static size_t oracle_order(const struct graph *g, enum graph_direction direction, uint32_t *order) {
    bool done[SMALL_NODES] = {false};
    size_t count = 0;
    for (uint32_t n = 0; n < g->node_count; n++) {
        bool ready = !done[n];
        for (size_t i = 0; i < g->edges.len; i++) {
            const struct graph_edge *edge = &g->edges.items[i];
            bool first = direction == GRAPH_USED_FIRST;
            ready = ready && ((first ? edge->from : edge->to) != n || done[first ? edge->to : edge->from]);
        }
        if (ready) {
            done[n] = true;
            order[count++] = n;
            n = UINT32_MAX; /* from the start again */
        }
    }
    return count;
}

static void check_cycle(const struct graph *g, const struct oracle *o, const struct graph_cycle *cycle) {
    uint32_t start = g->edges.items[cycle->edges[0]].from;
    uint32_t at = start;
    for (size_t i = 0; i < cycle->len; i++) {
        assert_int_equal(g->edges.items[cycle->edges[i]].from, at);
        assert_true(at >= start);
        at = g->edges.items[cycle->edges[i]].to;
    }
    assert_int_equal(at, start);
    for (size_t n = 0; n < o->n; n++) {
        bool same_group = n == start || (o->way[n][start] != 0 && o->way[start][n] != 0);
        if (same_group) {
            assert_true(o->way[n][n] >= cycle->len); /* none is shorter */
            assert_true(o->way[n][n] > cycle->len || n >= start);
        }
    }
}

static size_t oracle_count_groups(const struct oracle *o) {
    size_t count = 0;
    for (size_t n = 0; n < o->n; n++) {
        bool is_lowest = o->way[n][n] != 0;
        for (size_t m = 0; m < n; m++) {
            is_lowest = is_lowest && !(o->way[n][m] != 0 && o->way[m][n] != 0);
        }
        count += is_lowest;
    }
    return count;
}

static void check_marks(struct graph *g, const struct oracle *o, uint32_t chosen) {
    bool uses[SMALL_NODES] = {false};
    bool users[SMALL_NODES] = {false};
    uses[chosen] = users[chosen] = true;
    graph_mark_uses(g, uses);
    graph_mark_users(g, users);
    for (uint32_t n = 0; n < o->n; n++) {
        assert_int_equal(uses[n], n == chosen || o->way[chosen][n] != 0);
        assert_int_equal(users[n], n == chosen || o->way[n][chosen] != 0);
    }
}

static void check_random_graph(uint64_t *random) {
    struct arena a = {0};
    struct graph g;
    graph_init(&g, &a, 1 + next_random(random) % SMALL_NODES);
    size_t edges = next_random(random) % (2 * g.node_count + 1);
    for (size_t i = 0; i < edges; i++) {
        add(&g, next_random(random) % (uint32_t)g.node_count, next_random(random) % (uint32_t)g.node_count);
    }
    struct oracle o;
    oracle_fill(&o, &g);
    uint32_t expected[SMALL_NODES];
    uint32_t order[SMALL_NODES];
    for (enum graph_direction d = GRAPH_USED_FIRST; d <= GRAPH_USERS_FIRST; d++) {
        size_t count = oracle_order(&g, d, expected);
        assert_int_equal(graph_get_order(&g, d, order), count);
        assert_memory_equal(order, expected, count * sizeof *order);
    }
    struct graph_cycles cycles;
    graph_find_cycles(&g, &a, &cycles);
    assert_int_equal(cycles.items.len, oracle_count_groups(&o));
    for (size_t i = 0; i < cycles.items.len; i++) {
        check_cycle(&g, &o, &cycles.items.items[i]);
    }
    check_marks(&g, &o, next_random(random) % (uint32_t)g.node_count);
    arena_fini(&a);
}

static void test_random_graphs_against_oracle(void **state) { /* F75 */
    (void)state;
    uint64_t random = 42;
    for (int i = 0; i < 10000; i++) {
        check_random_graph(&random);
    }
}

enum { MANY = 1000000 };

struct long_chain {
    bool is_ring;
    bool is_right; /* result */
};

static void *use_long_chain(void *argument) {
    struct long_chain *chain = argument;
    struct arena a = {0};
    struct graph g;
    graph_init(&g, &a, MANY);
    for (uint32_t n = 0; n + 1 < MANY; n++) {
        add(&g, n, n + 1);
    }
    if (chain->is_ring) {
        add(&g, MANY - 1, 0);
    }
    uint32_t *order = ARENA_ARRAY(&a, uint32_t, MANY);
    bool *marks = ARENA_ARRAY(&a, bool, MANY);
    marks[0] = true;
    graph_mark_uses(&g, marks);
    struct graph_cycles cycles;
    graph_find_cycles(&g, &a, &cycles);
    size_t count = graph_get_order(&g, GRAPH_USED_FIRST, order);
    if (chain->is_ring) {
        chain->is_right = count == 0 && cycles.items.len == 1 && cycles.items.items[0].len == MANY;
    } else {
        chain->is_right = count == MANY && order[0] == MANY - 1 && order[MANY - 1] == 0 && cycles.items.len == 0;
    }
    chain->is_right = chain->is_right && marks[MANY - 1];
    arena_fini(&a);
    return NULL;
}

static void check_in_small_stack(bool is_ring) {
    struct long_chain chain = {.is_ring = is_ring};
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)128 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attributes, use_long_chain, &chain), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    assert_true(chain.is_right);
}

static void test_million_nodes_in_a_chain_in_a_small_stack(void **state) { /* F15, F76 */
    (void)state;
    check_in_small_stack(false);
}

static void test_million_nodes_in_a_ring_in_a_small_stack(void **state) {
    (void)state;
    check_in_small_stack(true);
}

/* Every node uses every other: many short cycles, and the search must not try them all. */
static void test_dense_graph_is_quick(void **state) {
    (void)state;
    struct arena a = {0};
    struct graph g;
    struct graph_cycles cycles;
    graph_init(&g, &a, 1000);
    for (uint32_t from = 0; from < 1000; from++) {
        for (uint32_t to = 0; to < 1000; to++) {
            if (from != to) {
                add(&g, from, to);
            }
        }
    }
    graph_find_cycles(&g, &a, &cycles);
    assert_int_equal(cycles.items.len, 1);
    assert_int_equal(cycles.items.items[0].len, 2);
    assert_int_equal(g.edges.items[cycles.items.items[0].edges[0]].to, 1);
    arena_fini(&a);
}

static void test_empty_graph(void **state) {
    (void)state;
    struct arena a = {0};
    struct graph g;
    struct graph_cycles cycles;
    graph_init(&g, &a, 0);
    assert_int_equal(graph_get_order(&g, GRAPH_USED_FIRST, NULL), 0);
    graph_find_cycles(&g, &a, &cycles);
    assert_int_equal(cycles.items.len, 0);
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_is_document_order_where_possible),
        cmocka_unit_test(test_edges_keep_their_order_kind_and_span),
        cmocka_unit_test(test_cycle_is_the_shortest_and_starts_lowest),
        cmocka_unit_test(test_of_equal_cycles_the_lowest_then_first_added),
        cmocka_unit_test(test_random_graphs_against_oracle),
        cmocka_unit_test(test_million_nodes_in_a_chain_in_a_small_stack),
        cmocka_unit_test(test_million_nodes_in_a_ring_in_a_small_stack),
        cmocka_unit_test(test_dense_graph_is_quick),
        cmocka_unit_test(test_empty_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
