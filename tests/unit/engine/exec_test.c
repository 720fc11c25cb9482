/* The execution machine under a seeded shuffle of completions: its invariants (numbers of exec.c), BP-465, BP-480 to
 * BP-484, BP-500 to BP-503, LC-010 to LC-014. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/vec.h"
#include "engine/exec.h"

enum { MAX_OPS = 60, PARALLEL = 4 };

struct world {
    struct arena arena;
    struct exec_op ops[MAX_OPS];
    size_t count;
    struct exec_options options;
    struct exec *exec;
    uint64_t seed;
    int64_t now_ms;
    /* what the driver knows by itself */
    bool started[MAX_OPS], config[MAX_OPS], done[MAX_OPS], ended[MAX_OPS];
    uint32_t running[MAX_OPS];
    size_t running_count;
    bool failed;
};

static uint32_t next_random(struct world *w) {
    w->seed = w->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(w->seed >> 33);
}

static void world_init(struct world *w, uint64_t seed, size_t count) {
    *w = (struct world){.seed = seed, .count = count};
    w->options = (struct exec_options){.parallel = PARALLEL,
                                       .retries = 2,
                                       .retry_first_ms = 100,
                                       .retry_max_ms = 1000,
                                       .drain_ms = 500,
                                       .fatal_drain_ms = 100};
}

/* Edges lead from lower to higher numbers, so there is no cycle. */
static void make_random_ops(struct world *w) {
    for (size_t i = 0; i < w->count; i++) {
        size_t edges = i == 0 ? 0 : next_random(w) % 4;
        uint32_t *after = ARENA_ARRAY(&w->arena, uint32_t, edges + 1);
        bool *config = ARENA_ARRAY(&w->arena, bool, edges + 1);
        size_t kept = 0;
        for (size_t k = 0; k < edges; k++) {
            uint32_t to = (uint32_t)(next_random(w) % i);
            bool is_new = !w->ops[to].late;
            for (size_t j = 0; j < kept; j++) {
                is_new = is_new && after[j] != to;
            }
            if (is_new) {
                after[kept] = to;
                config[kept++] = next_random(w) % 2 == 0;
            }
        }
        w->ops[i] = (struct exec_op){.after = after,
                                     .after_config = config,
                                     .after_count = kept,
                                     .late = next_random(w) % 5 == 0,
                                     .group = next_random(w) % 3};
        w->ops[i].is_barrier = !w->ops[i].late && next_random(w) % 5 == 0;
    }
}

/* Barriers end when all before them have met their edges, whatever the numbers of those that use them (7). */
static void end_barriers(struct world *w) {
    for (size_t i = 0; i < w->count; i++) { /* edges lead from lower to higher numbers */
        const struct exec_op *o = &w->ops[i];
        bool met = o->is_barrier;
        for (size_t k = 0; met && k < o->after_count; k++) {
            met = w->done[o->after[k]] || (o->after_config[k] && w->config[o->after[k]]);
        }
        w->done[i] = w->done[i] || met;
    }
}

static void check_start(struct world *w, uint32_t op) {
    const struct exec_op *o = &w->ops[op];
    assert_false(o->is_barrier); /* 7 */
    end_barriers(w);
    assert_false(w->started[op]); /* 1 */
    for (size_t k = 0; k < o->after_count; k++) {
        bool met = w->done[o->after[k]] || (o->after_config[k] && w->config[o->after[k]]);
        assert_true(met); /* 1 */
    }
    assert_false(w->failed); /* 4 */
    for (size_t i = 0; o->late && i < w->count; i++) {
        assert_true(w->ops[i].late || w->ops[i].is_barrier || w->done[i]); /* 5 */
    }
}

static void end_running(struct world *w, uint32_t op) {
    for (size_t i = 0; i < w->running_count; i++) {
        if (w->running[i] == op) {
            w->running[i] = w->running[--w->running_count];
        }
    }
}

static void take_steps(struct world *w) {
    struct exec_step step;
    uint32_t last = 0;
    bool any = false;
    while (exec_next(w->exec, w->now_ms, &step)) {
        if (step.action == EXEC_START) {
            check_start(w, step.op);
            w->started[step.op] = true;
            if (w->options.group_limits == NULL) {
                assert_true(!any || step.op > last); /* 3 */
            }
            any = true;
            last = step.op;
        }
        if (step.action == EXEC_START || step.action == EXEC_AGAIN) {
            w->running[w->running_count++] = step.op;
        } else {
            assert_false(w->ended[step.op]); /* 6 */
            w->ended[step.op] = true;
            end_running(w, step.op);
        }
        assert_true(w->running_count <= w->options.parallel); /* 2 */
    }
    assert_int_equal(exec_count_under_way(w->exec), w->running_count);
}

static bool report(struct world *w, uint32_t op, enum exec_outcome outcome) {
    struct exec_report r = {.op = op, .outcome = outcome, .now_ms = w->now_ms, .wait_ms = 50, .random = next_random(w)};
    return exec_done(w->exec, &r);
}

static void finish(struct world *w, size_t index, enum exec_outcome outcome) {
    uint32_t op = w->running[index];
    bool goes_on = report(w, op, outcome);
    if (outcome == EXEC_CONFIG_COMPLETE) {
        assert_true(goes_on);
        w->config[op] = true;
        return;
    }
    w->running[index] = w->running[--w->running_count];
    if (goes_on) {
        return;
    }
    assert_false(w->ended[op]); /* 6 */
    w->ended[op] = true;
    w->done[op] = outcome == EXEC_SUCCEEDED;
    w->failed = w->failed || (outcome != EXEC_SUCCEEDED && outcome != EXEC_UNKNOWN);
}

static void drive(struct world *w, unsigned failure_percent) {
    w->exec = exec_new(&w->arena, w->ops, w->count, &w->options);
    for (size_t turn = 0; exec_get_state(w->exec) != EXEC_DONE; turn++) {
        assert_true(turn < 100000);
        take_steps(w);
        if (w->running_count == 0) {
            int64_t wake = exec_get_wake(w->exec);
            if (exec_get_state(w->exec) == EXEC_DONE) {
                break;
            }
            assert_true(wake < INT64_MAX);
            w->now_ms = wake > w->now_ms ? wake : w->now_ms + 1;
            continue;
        }
        size_t index = next_random(w) % w->running_count;
        unsigned dice = next_random(w) % 100;
        enum exec_outcome outcome = dice < failure_percent ? EXEC_FAILED
                                    : dice < 30            ? EXEC_TRANSIENT
                                    : dice < 40            ? EXEC_WAIT
                                    : dice < 55            ? EXEC_CONFIG_COMPLETE
                                                           : EXEC_SUCCEEDED;
        finish(w, index, outcome);
    }
}

static void runs_every_graph_to_its_end(void **state) { /* LC-010 */
    (void)state;
    size_t limits[] = {0, 1, 2};
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct world w;
        world_init(&w, seed, 1 + seed % MAX_OPS);
        make_random_ops(&w);
        w.options.retries = 1000;
        if (seed % 2 == 0) {
            w.options.group_limits = limits;
            w.options.group_count = 3;
        } else {
            for (size_t i = 0; i < w.count; i++) {
                w.ops[i].group = 0;
            }
        }
        drive(&w, 0);
        end_barriers(&w);
        for (size_t i = 0; i < w.count; i++) {
            assert_true(w.done[i]);
            assert_int_equal(exec_get_op_state(w.exec, (uint32_t)i), EXEC_OP_SUCCEEDED);
        }
        arena_fini(&w.arena);
    }
}

static void drains_after_any_failure(void **state) { /* BP-501, BP-502, LC-014 */
    (void)state;
    size_t with_failure = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct world w;
        world_init(&w, seed, 1 + seed % MAX_OPS);
        make_random_ops(&w);
        for (size_t i = 0; i < w.count; i++) {
            w.ops[i].group = 0;
        }
        drive(&w, 5);
        with_failure += w.failed;
        for (size_t i = 0; i < w.count; i++) {
            assert_true(!w.started[i] || w.ended[i]); /* 6 */
            bool early_failed = !w.ops[i].late && w.ended[i] && !w.done[i];
            for (size_t k = 0; early_failed && k < w.count; k++) {
                assert_false(w.ops[k].late && w.started[k]); /* 5 */
            }
        }
        arena_fini(&w.arena);
    }
    assert_true(with_failure > 100);
}

static struct exec *make_plain(struct world *w, size_t count) {
    world_init(w, 1, count);
    w->exec = exec_new(&w->arena, w->ops, count, &w->options);
    return w->exec;
}

static bool starts(struct world *w, uint32_t op) {
    struct exec_step step;
    return exec_next(w->exec, w->now_ms, &step) && step.op == op && step.action == EXEC_START;
}

static void retries_with_back_off(void **state) { /* BP-500 */
    (void)state;
    struct world w;
    make_plain(&w, 1);
    assert_true(starts(&w, 0));
    struct exec_report r = {.op = 0, .outcome = EXEC_TRANSIENT, .random = UINT32_MAX};
    struct exec_step step;
    assert_true(exec_done(w.exec, &r));
    assert_int_equal(exec_get_wake(w.exec), 100);
    assert_false(exec_next(w.exec, 99, &step));
    assert_true(exec_next(w.exec, 100, &step));
    assert_int_equal(step.action, EXEC_AGAIN);
    r.now_ms = 100;
    assert_true(exec_done(w.exec, &r));
    assert_int_equal(exec_get_wake(w.exec), 300); /* doubled */
    assert_true(exec_next(w.exec, 300, &step));
    r.now_ms = 300;
    assert_false(exec_done(w.exec, &r)); /* after the last retry it is terminal */
    assert_int_equal(exec_get_op_state(w.exec, 0), EXEC_OP_FAILED);
    assert_int_equal(exec_get_state(w.exec), EXEC_DONE);
    arena_fini(&w.arena);
}

static void gives_up_attempts_when_draining(void **state) { /* BP-501 */
    (void)state;
    struct world w;
    make_plain(&w, 3);
    assert_true(starts(&w, 0) && starts(&w, 1));
    assert_true(starts(&w, 2));
    assert_true(report(&w, 0, EXEC_TRANSIENT));
    assert_true(report(&w, 1, EXEC_WAIT));
    assert_false(report(&w, 2, EXEC_FAILED));
    struct exec_step step;
    assert_true(exec_next(w.exec, 0, &step));
    assert_int_equal(step.action, EXEC_GIVE_UP);
    assert_int_equal(step.op, 0);
    assert_int_equal(exec_get_state(w.exec), EXEC_DRAINING);
    assert_true(exec_next(w.exec, 50, &step)); /* what asks for stability goes on */
    assert_int_equal(step.action, EXEC_AGAIN);
    assert_int_equal(step.op, 1);
    assert_false(exec_next(w.exec, 499, &step));
    assert_true(exec_next(w.exec, 500, &step)); /* the drain time is over */
    assert_int_equal(step.action, EXEC_ABANDON);
    assert_int_equal(step.op, 1);
    assert_int_equal(exec_get_state(w.exec), EXEC_DONE);
    assert_false(report(&w, 1, EXEC_SUCCEEDED)); /* comes too late: ignored (6) */
    assert_int_equal(exec_get_op_state(w.exec, 1), EXEC_OP_UNKNOWN);
    arena_fini(&w.arena);
}

static void is_less_patient_after_a_fatal_failure(void **state) { /* BP-503 */
    (void)state;
    struct world w;
    make_plain(&w, 2);
    assert_true(starts(&w, 0) && starts(&w, 1));
    report(&w, 1, EXEC_FATAL);
    struct exec_step step;
    assert_int_equal(exec_get_wake(w.exec), 100);
    assert_true(exec_next(w.exec, 100, &step));
    assert_int_equal(step.action, EXEC_ABANDON);
    arena_fini(&w.arena);
}

static void stops_for_the_user(void **state) { /* LC-061 */
    (void)state;
    struct world w;
    make_plain(&w, 6);
    assert_true(starts(&w, 0));
    exec_stop(w.exec, 0);
    struct exec_step step;
    assert_false(exec_next(w.exec, 0, &step));
    assert_int_equal(exec_get_state(w.exec), EXEC_DRAINING);
    assert_false(report(&w, 0, EXEC_SUCCEEDED));
    assert_int_equal(exec_get_state(w.exec), EXEC_DONE);
    assert_int_equal(exec_get_op_state(w.exec, 1), EXEC_OP_READY);
    arena_fini(&w.arena);
}

static void skips_and_blocks(void **state) { /* LC-023 */
    (void)state;
    struct world w;
    world_init(&w, 1, 4);
    static const uint32_t after_0[] = {0}, after_1[] = {1};
    w.ops[2] = (struct exec_op){.after = after_0, .after_count = 1};
    w.ops[3] = (struct exec_op){.after = after_1, .after_count = 1};
    w.exec = exec_new(&w.arena, w.ops, 4, &w.options);
    exec_skip(w.exec, 0);
    exec_block(w.exec, 1);
    assert_true(starts(&w, 2));
    report(&w, 2, EXEC_SUCCEEDED);
    struct exec_step step;
    assert_false(exec_next(w.exec, 0, &step));
    assert_int_equal(exec_get_state(w.exec), EXEC_DONE);
    assert_int_equal(exec_get_op_state(w.exec, 3), EXEC_OP_WAITING);
    arena_fini(&w.arena);
}

static void starts_at_config_complete(void **state) { /* BP-482 */
    (void)state;
    struct world w;
    world_init(&w, 1, 3);
    static const uint32_t after[] = {0};
    static const bool config[] = {true};
    w.ops[1] = (struct exec_op){.after = after, .after_config = config, .after_count = 1};
    w.ops[2] = (struct exec_op){.after = after, .after_count = 1};
    w.exec = exec_new(&w.arena, w.ops, 3, &w.options);
    assert_true(starts(&w, 0));
    assert_true(report(&w, 0, EXEC_CONFIG_COMPLETE));
    assert_true(starts(&w, 1));
    struct exec_step step;
    assert_false(exec_next(w.exec, 0, &step));
    report(&w, 0, EXEC_SUCCEEDED);
    assert_true(starts(&w, 2));
    arena_fini(&w.arena);
}

/* Two groups with room for one each; the first of each waits for its next question, then the second runs. */
static void waits_in_its_group_alone(void **state) { /* LC-013; 3 of exec.c */
    (void)state;
    struct world w;
    world_init(&w, 1, 4);
    size_t limits[] = {0, 1, 1};
    w.options.group_limits = limits;
    w.options.group_count = 3;
    for (uint32_t i = 0; i < 4; i++) {
        w.ops[i].group = i % 2 + 1;
    }
    w.exec = exec_new(&w.arena, w.ops, w.count, &w.options);
    struct exec_step step = {0};
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(exec_next(w.exec, 0, &step));
        assert_int_equal(step.op, i);
        assert_true(report(&w, i, EXEC_WAIT)); /* 50 ms */
    }
    assert_true(exec_next(w.exec, 0, &step));
    assert_int_equal(step.op, 2); /* the first group is full from here on */
    assert_int_equal(exec_get_wake(w.exec), 50);
    assert_true(exec_next(w.exec, 0, &step));
    assert_int_equal(step.op, 3);
    assert_int_equal(exec_get_wake(w.exec), INT64_MAX); /* both are full: only an outcome helps */
    assert_false(report(&w, 3, EXEC_SUCCEEDED));
    assert_int_equal(exec_get_wake(w.exec), 50);
    assert_true(exec_next(w.exec, 50, &step));
    assert_int_equal(step.op, 1); /* though 0 has waited as long */
    assert_int_equal(step.action, EXEC_AGAIN);
    arena_fini(&w.arena);
}

/* Nobody can tell about the first late removal: the second stays, though it could have started before (BP-502). */
static void holds_late_removals_back(void **state) { /* BP-484, BP-502 */
    (void)state;
    struct world w;
    world_init(&w, 1, 3);
    w.options.parallel = 1;
    w.ops[1].late = w.ops[2].late = true;
    w.exec = exec_new(&w.arena, w.ops, w.count, &w.options);
    struct exec_step step = {0};
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(exec_next(w.exec, 0, &step));
        assert_int_equal(step.op, i);
        assert_false(report(&w, i, i == 0 ? EXEC_SUCCEEDED : EXEC_UNKNOWN));
    }
    assert_false(exec_next(w.exec, 0, &step));
    assert_int_equal(exec_get_state(w.exec), EXEC_DONE);
    arena_fini(&w.arena);
}

/* A chain and a wide graph of 200 000 operations: linear, no recursion. */
static void takes_large_graphs(void **state) {
    (void)state;
    enum { COUNT = 200000 };
    struct arena a = {0};
    struct exec_op *ops = ARENA_ARRAY(&a, struct exec_op, COUNT);
    uint32_t *before = ARENA_ARRAY(&a, uint32_t, COUNT);
    for (uint32_t i = 1; i < COUNT; i++) {
        before[i] = i - 1;
        ops[i] = (struct exec_op){.after = &before[i], .after_count = i % 2}; /* every other one waits */
    }
    struct exec_options options = {.parallel = 10};
    struct exec *e = exec_new(&a, ops, COUNT, &options);
    struct exec_step step;
    size_t done = 0;
    while (exec_next(e, 0, &step)) {
        exec_done(e, &(struct exec_report){.op = step.op, .outcome = EXEC_SUCCEEDED});
        done++;
    }
    assert_int_equal(done, COUNT);
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_every_graph_to_its_end),
        cmocka_unit_test(drains_after_any_failure),
        cmocka_unit_test(retries_with_back_off),
        cmocka_unit_test(gives_up_attempts_when_draining),
        cmocka_unit_test(is_less_patient_after_a_fatal_failure),
        cmocka_unit_test(stops_for_the_user),
        cmocka_unit_test(skips_and_blocks),
        cmocka_unit_test(starts_at_config_complete),
        cmocka_unit_test(waits_in_its_group_alone),
        cmocka_unit_test(holds_late_removals_back),
        cmocka_unit_test(takes_large_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
