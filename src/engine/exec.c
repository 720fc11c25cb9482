/* Invariants (LC-011 as far as this machine can keep them; the others are kept by the run, see deploy.c):
 *
 *  1. START comes at most once for an operation, and only after every operation before it has met its edge: it
 * succeeded, was skipped, or is config complete where that suffices (BP-482).
 *  2. Never more operations are under way than `parallel`, nor than their group's limit. Paused ones do not count.
 *  3. Of those ready, the first in document order starts first, of those paused the first that is due; a full group
 * holds back its own members only.
 *  4. After a failure or a stop no START and no AGAIN for another attempt comes; what asks whether an object is stable
 * goes on until the drain time.
 *  5. A late operation starts only after every other one has succeeded or was skipped (BP-484), never after a failure
 * (BP-502).
 *  6. Every operation that started comes to exactly one end: SUCCEEDED, FAILED or UNKNOWN. Reports after the end are
 * ignored.
 *  7. Barriers never start; they succeed in the moment in which their last edge is met.
 *  8. DONE holds exactly when nothing is under way or paused and nothing can start any more. */
#include "engine/exec.h"

#include "base/num.h"

#include <assert.h>

struct slot {
    uint8_t state; /* enum exec_op_state */
    bool config_complete;
    bool asking; /* paused between questions, not between attempts */
    bool blocked;
    unsigned attempts; /* that have failed */
    uint32_t unmet;
    int64_t due_ms;                  /* PAUSED */
    uint32_t first_next, next_count; /* in `nexts` */
};

struct next_edge {
    uint32_t op;
    bool at_config;
};

/* A binary heap of operation numbers, least first. */
struct heap {
    uint32_t *items;
    size_t len;
    bool by_due; /* by due time, then number */
};

struct exec {
    const struct exec_op *ops;
    size_t count;
    struct exec_options options;
    struct slot *slots;
    struct next_edge *nexts;
    struct heap *ready; /* per group */
    size_t group_count;
    size_t *group_under_way;
    struct heap late;    /* late ones whose edges are met, until (5) lets them go */
    struct heap *paused; /* per group, by due time */
    struct heap met;     /* barriers whose edges are met, not yet succeeded; a stack (7) */
    size_t under_way, open_early;
    bool stopped; /* (4) */
    bool failed;
    int64_t drain_until_ms;
    uint32_t abandon_from; /* operations below it are over, once the drain time is */
};

/* --- heaps --- */

static bool heap_before(const struct exec *e, const struct heap *h, uint32_t x, uint32_t y) {
    if (h->by_due && e->slots[x].due_ms != e->slots[y].due_ms) {
        return e->slots[x].due_ms < e->slots[y].due_ms;
    }
    return x < y;
}

static void heap_push(const struct exec *e, struct heap *h, uint32_t op) {
    size_t at = h->len++;
    while (at > 0 && heap_before(e, h, op, h->items[(at - 1) / 2])) {
        h->items[at] = h->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    h->items[at] = op;
}

static uint32_t heap_pop(const struct exec *e, struct heap *h) {
    uint32_t first = h->items[0], last = h->items[--h->len];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= h->len) {
            break;
        }
        if (child + 1 < h->len && heap_before(e, h, h->items[child + 1], h->items[child])) {
            child++;
        }
        if (!heap_before(e, h, h->items[child], last)) {
            break;
        }
        h->items[at] = h->items[child];
        at = child;
    }
    h->items[at] = last;
    return first;
}

/* --- making --- */

static void link_edges(struct arena *a, struct exec *e) {
    size_t edges = 0;
    for (size_t i = 0; i < e->count; i++) {
        e->slots[i].unmet = (uint32_t)e->ops[i].after_count;
        for (size_t k = 0; k < e->ops[i].after_count; k++) {
            assert(e->ops[i].after[k] < e->count);
            e->slots[e->ops[i].after[k]].next_count++;
            edges++;
        }
    }
    e->nexts = ARENA_ARRAY(a, struct next_edge, edges);
    uint32_t start = 0;
    for (size_t i = 0; i < e->count; i++) {
        e->slots[i].first_next = start;
        start += e->slots[i].next_count;
        e->slots[i].next_count = 0;
    }
    for (size_t i = 0; i < e->count; i++) {
        const struct exec_op *op = &e->ops[i];
        for (size_t k = 0; k < op->after_count; k++) {
            struct slot *before = &e->slots[op->after[k]];
            bool at_config = op->after_config != NULL && op->after_config[k];
            e->nexts[before->first_next + before->next_count++] = (struct next_edge){(uint32_t)i, at_config};
        }
    }
}

static void make_groups(struct arena *a, struct exec *e) {
    e->group_count = e->options.group_limits == NULL || e->options.group_count == 0 ? 1 : e->options.group_count;
    e->ready = ARENA_ARRAY(a, struct heap, e->group_count);
    e->paused = ARENA_ARRAY(a, struct heap, e->group_count);
    e->group_under_way = ARENA_ARRAY(a, size_t, e->group_count);
    size_t *sizes = ARENA_ARRAY(a, size_t, e->group_count);
    for (size_t i = 0; i < e->count; i++) {
        assert(e->ops[i].group < e->group_count);
        sizes[e->ops[i].group]++;
    }
    for (size_t g = 0; g < e->group_count; g++) {
        e->ready[g].items = ARENA_ARRAY(a, uint32_t, sizes[g]);
        e->paused[g] = (struct heap){.items = ARENA_ARRAY(a, uint32_t, sizes[g]), .by_due = true};
    }
}

static bool late_may_go(const struct exec *e) {
    return e->open_early == 0 && !e->failed;
}

static void make_ready(struct exec *e, uint32_t op) {
    if (e->slots[op].blocked) {
        return;
    }
    if (e->ops[op].is_barrier) {
        e->met.items[e->met.len++] = op;
        return;
    }
    e->slots[op].state = EXEC_OP_READY;
    if (e->ops[op].late && !late_may_go(e)) {
        heap_push(e, &e->late, op);
        return;
    }
    heap_push(e, &e->ready[e->ops[op].group], op);
}

/* --- ends --- */

static void meet(struct exec *e, uint32_t op) {
    struct slot *s = &e->slots[op];
    assert(s->unmet > 0);
    if (--s->unmet == 0 && s->state == EXEC_OP_WAITING) {
        make_ready(e, op);
    }
}

static void meet_edges(struct exec *e, uint32_t op, bool at_config) {
    const struct slot *s = &e->slots[op];
    for (uint32_t k = 0; k < s->next_count; k++) {
        const struct next_edge *edge = &e->nexts[s->first_next + k];
        if (edge->at_config == at_config) {
            meet(e, edge->op);
        }
    }
}

static void release_late(struct exec *e) {
    while (e->late.len > 0) {
        uint32_t op = heap_pop(e, &e->late);
        heap_push(e, &e->ready[e->ops[op].group], op);
    }
}

/* Counts for those that are late (5). */
static bool is_early(const struct exec *e, uint32_t op) {
    return !e->ops[op].late && !e->ops[op].is_barrier;
}

static void succeed_one(struct exec *e, uint32_t op) {
    struct slot *s = &e->slots[op];
    bool was_complete = s->config_complete;
    s->state = EXEC_OP_SUCCEEDED;
    s->config_complete = true;
    if (is_early(e, op) && --e->open_early == 0 && !e->failed) {
        release_late(e);
    }
    if (!was_complete) {
        meet_edges(e, op, true);
    }
    meet_edges(e, op, false);
}

static void settle_barriers(struct exec *e) {
    while (e->met.len > 0) {
        succeed_one(e, e->met.items[--e->met.len]);
    }
}

static void succeed(struct exec *e, uint32_t op) {
    succeed_one(e, op);
    settle_barriers(e);
}

/* Attempts that wait are given up as soon as the machine is asked for a step (4). */
static void put_attempts_first(struct exec *e, struct heap *paused) {
    size_t len = paused->len;
    paused->len = 0;
    for (size_t i = 0; i < len; i++) {
        uint32_t op = paused->items[i]; /* the heap grows behind the place that is read */
        if (!e->slots[op].asking) {
            e->slots[op].due_ms = INT64_MIN;
        }
        heap_push(e, paused, op);
    }
}

static void drain(struct exec *e, int64_t now_ms, int64_t patience_ms) {
    int64_t until = INT64_MAX;
    if (!num_add_i64(now_ms, patience_ms, &until)) {
        until = INT64_MAX;
    }
    if (!e->stopped) {
        e->stopped = true;
        for (size_t g = 0; g < e->group_count; g++) {
            put_attempts_first(e, &e->paused[g]);
        }
    }
    if (until < e->drain_until_ms) {
        e->drain_until_ms = until;
    }
}

/* Under way no more; the place is free for another. */
static void leave(struct exec *e, uint32_t op) {
    e->under_way--;
    e->group_under_way[e->ops[op].group]--;
}

static void end_badly(struct exec *e, uint32_t op, enum exec_op_state state) {
    e->slots[op].state = (uint8_t)state;
    e->failed = true; /* (5) */
}

/* --- the beginning --- */

struct exec *exec_new(struct arena *a, const struct exec_op *ops, size_t count, const struct exec_options *options) {
    assert(count < UINT32_MAX && options->parallel > 0);
    struct exec *e = ARENA_NEW(a, struct exec);
    e->ops = ops;
    e->count = count;
    e->options = *options;
    e->slots = ARENA_ARRAY(a, struct slot, count);
    e->late.items = ARENA_ARRAY(a, uint32_t, count);
    e->drain_until_ms = INT64_MAX;
    size_t barriers = 0;
    link_edges(a, e);
    make_groups(a, e);
    for (size_t i = 0; i < count; i++) {
        e->slots[i].state = EXEC_OP_WAITING;
        barriers += ops[i].is_barrier;
        e->open_early += is_early(e, (uint32_t)i);
    }
    e->met.items = ARENA_ARRAY(a, uint32_t, barriers);
    for (size_t i = 0; i < count; i++) {
        if (e->slots[i].unmet == 0) {
            make_ready(e, (uint32_t)i);
        }
    }
    settle_barriers(e);
    return e;
}

void exec_skip(struct exec *e, uint32_t op) {
    struct slot *s = &e->slots[op];
    assert(s->state == EXEC_OP_WAITING || s->state == EXEC_OP_READY);
    succeed(e, op); /* its entry in a ready heap is passed over by take_ready */
}

void exec_block(struct exec *e, uint32_t op) {
    struct slot *s = &e->slots[op];
    assert(s->state == EXEC_OP_WAITING || s->state == EXEC_OP_READY);
    s->blocked = true;
    end_badly(e, op, EXEC_OP_UNKNOWN);
}

/* --- steps --- */

/* Late ones that were let go before something went wrong stay where they are, too (5). */
static bool is_held(const struct exec *e, uint32_t op) {
    return e->ops[op].late && e->failed && e->slots[op].state == EXEC_OP_READY;
}

static void clean_top(struct exec *e, struct heap *h, enum exec_op_state state) {
    while (h->len > 0 && (e->slots[h->items[0]].state != state || is_held(e, h->items[0]))) {
        heap_pop(e, h);
    }
}

static bool group_is_full(const struct exec *e, size_t group) {
    size_t limit = e->options.group_limits == NULL ? 0 : e->options.group_limits[group];
    return limit != 0 && e->group_under_way[group] >= limit;
}

/* The group whose first ready operation comes first and may start; group_count without one (2, 3). */
static size_t find_group(struct exec *e) {
    size_t best = e->group_count;
    for (size_t g = 0; g < e->group_count; g++) {
        struct heap *h = &e->ready[g];
        clean_top(e, h, EXEC_OP_READY);
        if (h->len == 0 || group_is_full(e, g)) {
            continue;
        }
        if (best == e->group_count || h->items[0] < e->ready[best].items[0]) {
            best = g;
        }
    }
    return best;
}

static void enter(struct exec *e, uint32_t op) {
    e->slots[op].state = EXEC_OP_UNDER_WAY;
    e->under_way++;
    e->group_under_way[e->ops[op].group]++;
}

/* What waits for another attempt is over as soon as nothing starts any more (4). */
static bool next_given_up(struct exec *e, struct exec_step *step) {
    for (size_t g = 0; e->stopped && g < e->group_count; g++) {
        struct heap *h = &e->paused[g];
        if (h->len > 0 && !e->slots[h->items[0]].asking) {
            *step = (struct exec_step){heap_pop(e, h), EXEC_GIVE_UP};
            end_badly(e, step->op, EXEC_OP_FAILED);
            return true;
        }
    }
    return false;
}

/* The group whose first paused operation is due first among those with room (2, 3); group_count without one. */
static size_t find_paused(const struct exec *e) {
    size_t best = e->group_count;
    for (size_t g = 0; e->under_way < e->options.parallel && g < e->group_count; g++) {
        const struct heap *h = &e->paused[g];
        if (h->len == 0 || group_is_full(e, g)) {
            continue;
        }
        if (best == e->group_count || heap_before(e, h, h->items[0], e->paused[best].items[0])) {
            best = g;
        }
    }
    return best;
}

/* Those that were paused go on first: they are older. */
static bool next_paused(struct exec *e, int64_t now_ms, struct exec_step *step) {
    size_t group = find_paused(e);
    if (group == e->group_count || e->slots[e->paused[group].items[0]].due_ms > now_ms) {
        return false;
    }
    *step = (struct exec_step){heap_pop(e, &e->paused[group]), EXEC_AGAIN};
    enter(e, step->op);
    return true;
}

static bool next_abandoned(struct exec *e, int64_t now_ms, struct exec_step *step) {
    if (now_ms < e->drain_until_ms) {
        return false;
    }
    for (; e->abandon_from < e->count; e->abandon_from++) {
        uint32_t i = e->abandon_from;
        struct slot *s = &e->slots[i];
        if (s->state != EXEC_OP_UNDER_WAY && s->state != EXEC_OP_PAUSED) {
            continue;
        }
        if (s->state == EXEC_OP_UNDER_WAY) {
            leave(e, i);
        }
        end_badly(e, i, EXEC_OP_UNKNOWN);
        *step = (struct exec_step){i, EXEC_ABANDON};
        return true;
    }
    return false;
}

bool exec_next(struct exec *e, int64_t now_ms, struct exec_step *step) {
    for (size_t g = 0; g < e->group_count; g++) {
        clean_top(e, &e->paused[g], EXEC_OP_PAUSED);
    }
    if (next_given_up(e, step) || next_abandoned(e, now_ms, step) || next_paused(e, now_ms, step)) {
        return true;
    }
    if (e->stopped || e->under_way >= e->options.parallel) {
        return false;
    }
    size_t group = find_group(e);
    if (group == e->group_count) {
        return false;
    }
    uint32_t op = heap_pop(e, &e->ready[group]);
    enter(e, op);
    *step = (struct exec_step){op, EXEC_START};
    return true;
}

/* --- outcomes --- */

static void pause_op(struct exec *e, uint32_t op, int64_t due_ms, bool asking) {
    leave(e, op);
    e->slots[op].state = EXEC_OP_PAUSED;
    e->slots[op].due_ms = due_ms;
    e->slots[op].asking = asking;
    heap_push(e, &e->paused[e->ops[op].group], op);
}

/* Full jitter: uniform between 0 and first × 2^n, at most the maximum (BP-500). */
static int64_t get_delay(const struct exec *e, unsigned attempts, uint32_t random) {
    int64_t delay = e->options.retry_first_ms;
    for (unsigned i = 1; i < attempts && delay < e->options.retry_max_ms; i++) {
        delay *= 2;
    }
    if (delay > e->options.retry_max_ms) {
        delay = e->options.retry_max_ms;
    }
    return (int64_t)((double)delay * ((double)random / (double)UINT32_MAX));
}

static bool try_again(struct exec *e, const struct exec_report *r) {
    struct slot *s = &e->slots[r->op];
    s->attempts++;
    if (s->attempts > e->options.retries || e->stopped) {
        leave(e, r->op);
        end_badly(e, r->op, EXEC_OP_FAILED);
        drain(e, r->now_ms, e->options.drain_ms);
        return false;
    }
    pause_op(e, r->op, r->now_ms + get_delay(e, s->attempts, r->random), false);
    return true;
}

bool exec_done(struct exec *e, const struct exec_report *r) {
    struct slot *s = &e->slots[r->op];
    if (s->state != EXEC_OP_UNDER_WAY) { /* (6): it was abandoned */
        return false;
    }
    switch (r->outcome) {
    case EXEC_CONFIG_COMPLETE:
        if (!s->config_complete) {
            s->config_complete = true;
            s->attempts = 0;
            meet_edges(e, r->op, true);
            settle_barriers(e);
        }
        return true;
    case EXEC_WAIT:
        pause_op(e, r->op, r->now_ms + r->wait_ms, true);
        return true;
    case EXEC_PHASE_DONE:
        s->attempts = 0;
        return true;
    case EXEC_TRANSIENT:
        return try_again(e, r);
    case EXEC_SUCCEEDED:
        leave(e, r->op);
        succeed(e, r->op);
        return false;
    case EXEC_FAILED:
    case EXEC_FATAL:
        leave(e, r->op);
        end_badly(e, r->op, EXEC_OP_FAILED);
        drain(e, r->now_ms, r->outcome == EXEC_FATAL ? e->options.fatal_drain_ms : e->options.drain_ms);
        return false;
    case EXEC_UNKNOWN:
        leave(e, r->op);
        end_badly(e, r->op, EXEC_OP_UNKNOWN);
        return false;
    }
    assert(false); /* an outcome out of the enumeration */
    return false;
}

void exec_stop(struct exec *e, int64_t now_ms) {
    e->failed = true;
    drain(e, now_ms, e->options.drain_ms);
}

/* --- asking --- */

static bool has_any(const struct exec *e, const struct heap *heaps, enum exec_op_state state) {
    for (size_t g = 0; g < e->group_count; g++) {
        for (size_t i = 0; i < heaps[g].len; i++) {
            if (e->slots[heaps[g].items[i]].state == state && !is_held(e, heaps[g].items[i])) {
                return true;
            }
        }
    }
    return false;
}

enum exec_state exec_get_state(const struct exec *e) {
    if (e->under_way > 0 || has_any(e, e->paused, EXEC_OP_PAUSED)) {
        return e->stopped ? EXEC_DRAINING : EXEC_RUNNING;
    }
    return !e->stopped && has_any(e, e->ready, EXEC_OP_READY) ? EXEC_RUNNING : EXEC_DONE;
}

enum exec_op_state exec_get_op_state(const struct exec *e, uint32_t op) {
    return (enum exec_op_state)e->slots[op].state;
}

size_t exec_count_under_way(const struct exec *e) {
    return e->under_way;
}

/* What is due but finds no room waits for an outcome, not for a time. */
int64_t exec_get_wake(const struct exec *e) {
    int64_t wake = e->stopped ? e->drain_until_ms : INT64_MAX;
    size_t group = find_paused(e);
    if (group < e->group_count && e->slots[e->paused[group].items[0]].due_ms < wake) {
        wake = e->slots[e->paused[group].items[0]].due_ms;
    }
    return wake;
}
