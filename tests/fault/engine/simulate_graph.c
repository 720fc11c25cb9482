#include "simulate_graph.h"

enum { MAX_EDGES = 6, GROUPS = 4 };

uint64_t dice_roll(struct dice *d) {
    uint64_t x = d->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint32_t dice_below(struct dice *d, uint32_t bound) {
    return (uint32_t)(dice_roll(d) % bound);
}

bool dice_chance(struct dice *d, uint32_t percent) {
    return dice_below(d, 100) < percent;
}

static size_t roll_count(struct dice *d) {
    uint32_t kind = dice_below(d, 1000);
    if (kind < 2) {
        return 2000;
    }
    return 1 + dice_below(d, kind < 500 ? 30 : kind < 800 ? 100 : 200);
}

static void roll_options(struct arena *a, struct dice *d, struct graph *g) {
    size_t *limits = ARENA_ARRAY(a, size_t, GROUPS);
    for (size_t i = 1; i < GROUPS; i++) {
        limits[i] = dice_below(d, 4); /* 0: no limit */
    }
    g->options = (struct exec_options){
        .parallel = 1 + dice_below(d, dice_chance(d, 20) ? 40 : 6),
        .retries = dice_below(d, 5),
        .retry_first_ms = 1 + dice_below(d, 2000),
        .retry_max_ms = 1 + dice_below(d, 20000),
        .drain_ms = dice_below(d, 5000),
        .fatal_drain_ms = dice_below(d, 1000),
    };
    if (dice_chance(d, 60)) {
        g->options.group_limits = limits;
        g->options.group_count = GROUPS;
    }
}

/* An order in which the operations could run, unlike their numbers. */
static uint32_t *roll_order(struct arena *a, struct dice *d, size_t count) {
    uint32_t *order = ARENA_ARRAY(a, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t at = dice_chance(d, 50) ? (uint32_t)i : dice_below(d, (uint32_t)i + 1);
        order[i] = order[at];
        order[at] = (uint32_t)i;
    }
    return order;
}

/* Edges of the operation at `place` of the order come from places in front of it. */
static void roll_edges(struct arena *a, struct dice *d, struct graph *g, const uint32_t *order, size_t place,
                       bool *is_behind_late) {
    struct exec_op *op = &g->ops[order[place]];
    size_t wanted = place == 0 ? 0 : dice_below(d, op->is_barrier ? 2 * MAX_EDGES : MAX_EDGES);
    uint32_t *after = ARENA_ARRAY(a, uint32_t, wanted + 1);
    bool *after_config = ARENA_ARRAY(a, bool, wanted + 1);
    for (size_t k = 0; k < wanted; k++) {
        uint32_t reach = dice_chance(d, 70) && place > 8 ? 8 : (uint32_t)place;
        uint32_t before = order[place - 1 - dice_below(d, reach)];
        bool is_late = g->ops[before].late || is_behind_late[before];
        if (is_late && !op->late && !op->is_barrier) {
            continue;
        }
        is_behind_late[order[place]] = is_behind_late[order[place]] || is_late;
        after[op->after_count] = before;
        after_config[op->after_count++] = dice_chance(d, 25);
    }
    op->after = after;
    op->after_config = dice_chance(d, 80) ? after_config : NULL;
}

void graph_roll(struct arena *a, struct dice *d, struct graph *g) {
    g->count = roll_count(d);
    g->ops = ARENA_ARRAY(a, struct exec_op, g->count);
    roll_options(a, d, g);
    uint32_t late_percent = dice_below(d, 3) * 15, barrier_percent = dice_below(d, 3) * 5;
    for (size_t i = 0; i < g->count; i++) {
        g->ops[i].is_barrier = dice_chance(d, barrier_percent);
        g->ops[i].late = !g->ops[i].is_barrier && dice_chance(d, late_percent);
        g->ops[i].group = g->options.group_limits == NULL || g->ops[i].is_barrier ? 0 : dice_below(d, GROUPS);
    }
    uint32_t *order = roll_order(a, d, g->count);
    bool *is_behind_late = ARENA_ARRAY(a, bool, g->count);
    for (size_t i = 0; i < g->count; i++) {
        roll_edges(a, d, g, order, i, is_behind_late);
    }
}
