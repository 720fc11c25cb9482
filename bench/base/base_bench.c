/* The ground floor: allocation beside malloc, the map, UTF-8 beside a plain memory copy, numbers beside the C library,
 * and graphs. */
#include "base/map.h"
#include "base/num.h"
#include "base/utf8.h"
#include "bench/bench.h"
#include "graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 21, MANY = 100000 };

struct state {
    struct arena arena;
    void **objects;
    sv *keys;
    double *numbers;
    sv text;
    struct graph graph;
    uint32_t *order;
    size_t sum; /* of results, so that no work can be left out */
};

static void clean_arena(void *context, size_t n) {
    struct state *s = context;
    (void)n;
    arena_fini(&s->arena);
}

static void run_arena(void *context, size_t n) {
    struct state *s = context;
    for (size_t i = 0; i < n; i++) {
        s->sum += (size_t)(uintptr_t)arena_alloc(&s->arena, 24 + i % 5 * 8);
    }
    arena_fini(&s->arena);
}

static void prepare_malloc(void *context, size_t n) {
    struct state *s = context;
    s->objects = ARENA_ARRAY(&s->arena, void *, n);
}

static void run_malloc(void *context, size_t n) {
    struct state *s = context;
    for (size_t i = 0; i < n; i++) {
        s->objects[i] = calloc(1, 24 + i % 5 * 8);
    }
    for (size_t i = 0; i < n; i++) {
        free(s->objects[i]);
    }
}

static void prepare_keys(void *context, size_t n) {
    struct state *s = context;
    s->keys = ARENA_ARRAY(&s->arena, sv, n);
    for (size_t i = 0; i < n; i++) {
        s->keys[i] = arena_printf(&s->arena, "resources.orders_%zu", i);
    }
}

static void run_map(void *context, size_t n) {
    struct state *s = context;
    struct map m = MAP(&s->arena);
    for (size_t i = 0; i < n; i++) {
        (void)map_put(&m, s->keys[i], &s->keys[i]);
    }
    for (size_t i = 0; i < n; i++) {
        s->sum += map_find(&m, s->keys[i]) == &s->keys[i];
    }
}

static void prepare_text(void *context, size_t n) {
    struct state *s = context;
    char *text = arena_alloc(&s->arena, n);
    memset(text, 'a', n);
    s->text = sv_make(text, n);
}

static void run_check(void *context, size_t n) {
    struct state *s = context;
    (void)n;
    s->sum += utf8_check(s->text);
}

static void run_find(void *context, size_t n) {
    struct state *s = context;
    (void)n;
    for (size_t i = 0; i < s->text.len; i++) {
        s->sum += (unsigned char)s->text.data[i] < 0x80;
        __asm__ volatile("" : "+r"(i)); /* byte by byte */
    }
}

static void prepare_numbers(void *context, size_t n) {
    struct state *s = context;
    uint64_t random = 1;
    s->numbers = ARENA_ARRAY(&s->arena, double, n);
    for (size_t i = 0; i < n; i++) {
        random = random * UINT64_C(6364136223846793005) + 1;
        s->numbers[i] = (double)(random >> 11) / (i % 2 == 0 ? 1e9 : 0x1p53);
    }
}

static void run_print(void *context, size_t n) {
    struct state *s = context;
    for (size_t i = 0; i < n; i++) {
        char text[NUM_TEXT_MAX];
        s->sum += num_print_double(s->numbers[i], text);
    }
}

static void run_printf(void *context, size_t n) {
    struct state *s = context;
    for (size_t i = 0; i < n; i++) {
        char text[NUM_TEXT_MAX];
        s->sum += (size_t)snprintf(text, sizeof text, "%.17g", s->numbers[i]);
    }
}

/* Each node uses three before it, as resources do. */
static void prepare_graph(void *context, size_t n) {
    struct state *s = context;
    graph_init(&s->graph, &s->arena, n);
    s->order = ARENA_ARRAY(&s->arena, uint32_t, n);
    for (uint32_t i = 1; i < n; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            (void)graph_add_edge(&s->graph, i, (uint32_t)((uint64_t)i * (k + 7) * 2654435761u % i), 0, SPAN_NONE);
        }
    }
}

static void run_graph(void *context, size_t n) {
    struct state *s = context;
    struct graph_cycles cycles;
    (void)n;
    s->sum += graph_get_order(&s->graph, GRAPH_USED_FIRST, s->order);
    graph_find_cycles(&s->graph, &s->arena, &cycles);
    s->sum += cycles.items.len;
}

int main(void) {
    struct bench b = {0};
    struct state s = {.sum = 0};
    const struct bench_work arena = {"arena_alloc", NULL, run_arena, clean_arena, &s};
    const struct bench_work heap = {"calloc and free", prepare_malloc, run_malloc, clean_arena, &s};
    const struct bench_work map = {"map put and find", prepare_keys, run_map, clean_arena, &s};
    const struct bench_work check = {"utf8_check", prepare_text, run_check, clean_arena, &s};
    const struct bench_work find = {"byte loop", prepare_text, run_find, clean_arena, &s};
    const struct bench_work print = {"num_print_double", prepare_numbers, run_print, clean_arena, &s};
    const struct bench_work printf_17 = {"printf", prepare_numbers, run_printf, clean_arena, &s};
    const struct bench_work graph = {"graph order and cycles", prepare_graph, run_graph, clean_arena, &s};

    double arena_seconds = bench_check_linear(&b, &arena, 2.0);
    bench_check_least(&b, "arena_alloc against calloc and free", bench_measure(&heap, MANY, RUNS) / arena_seconds, 2,
                      "x");
    (void)bench_check_linear(&b, &map, 4.0); /* caches end between the sizes */
    (void)bench_check_linear(&b, &graph, 4.0);
    enum { MEGABYTES = 16 * 1024 * 1024 };
    double check_seconds = bench_measure(&check, MEGABYTES, RUNS);
    printf("utf8_check: %.1f GB/s on ASCII\n", MEGABYTES / check_seconds / 1e9);
    bench_check_least(&b, "utf8_check against a byte loop", bench_measure(&find, MEGABYTES, RUNS) / check_seconds, 3,
                      "x");
    double print_seconds = bench_check_linear(&b, &print, 1.5);
    bench_check_most(&b, "num_print_double against printf %.17g", print_seconds / bench_measure(&printf_17, MANY, RUNS),
                     6, "x");
    return s.sum == 0 ? 1 : bench_finish(&b);
}
