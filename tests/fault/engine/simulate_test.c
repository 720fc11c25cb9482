/* The execution machine among random graphs, outcomes, delays, stops and kills, judged by an oracle at every step
 * (LC-010 to LC-014, LC-020 to LC-023, BP-480 to BP-484, BP-500 to BP-503; F1, F3).
 *
 * Time is a number here, operations are bits of a world: an effect happens somewhere between start and outcome. A kill
 * leaves the journal up to a commit and the world as it is; going on, what has an outcome is skipped, and of what has
 * an intent alone the world is asked. Runs are repeated until one gets through: then every effect is there, once.
 *
 * A number that fails is printed; LINTEL_SEED=n in the environment runs that one alone. LINTEL_GRAPHS=n: so many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "fault/long_form.h"
#include "simulate_oracle.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { MAX_RUNS = 30, LOOK_AT_ALL_BELOW = 80 };

/* What an operation that is under way will come to. */
struct flight {
    int64_t ends_ms;
    enum exec_outcome outcome;
};

enum record { RECORD_NONE = 0, RECORD_INTENT, RECORD_OUTCOME };

struct simulation {
    struct arena arena;
    struct dice dice;
    struct graph g;
    struct oracle oracle;
    struct exec *e;
    struct flight *flights;
    uint32_t *flying; /* operations under way */
    size_t flying_count;
    uint8_t *journal, *committed; /* enum record; of this turn, durable */
    uint8_t *made;                /* how often the effect of an operation happened in the world */
    int64_t now_ms;
    uint32_t trouble; /* percent of outcomes that are not simply good */
    bool is_killed, has_ended;
    size_t kills, runs;
};

struct totals {
    size_t operations, runs, kills;
};

/* --- the world --- */

static void complain(struct simulation *s, uint32_t op, const char *what) {
    if (s->oracle.wrong == NULL) {
        s->oracle.wrong = what;
        s->oracle.wrong_op = op;
    }
}

/* Everything in front of an operation has happened before it does; at config complete, that much of it. */
static void check_effects_before(struct simulation *s, uint32_t op) {
    const struct exec_op *in = &s->g.ops[op];
    for (size_t k = 0; k < in->after_count; k++) {
        uint32_t before = in->after[k];
        if (!s->g.ops[before].is_barrier && s->made[before] == 0) {
            complain(s, op, "happens before what it needs");
        }
    }
}

static void make_effect(struct simulation *s, uint32_t op) {
    if (s->made[op] == 0) { /* the same key a second time within one run: nothing new (LC-022) */
        check_effects_before(s, op);
        s->made[op] = 1;
    }
}

/* --- flights --- */

static enum exec_outcome roll_outcome(struct simulation *s, uint32_t op) {
    uint32_t kind = dice_below(&s->dice, 100);
    if (kind >= s->trouble) {
        return EXEC_SUCCEEDED;
    }
    switch (kind % 13) {
    case 0:
        return dice_chance(&s->dice, 30) ? EXEC_FAILED : EXEC_SUCCEEDED;
    case 1:
        return dice_chance(&s->dice, 10) ? EXEC_FATAL : EXEC_WAIT;
    case 2:
        return dice_chance(&s->dice, 20) ? EXEC_UNKNOWN : EXEC_SUCCEEDED;
    case 3:
    case 4:
    case 5:
        return EXEC_CONFIG_COMPLETE;
    case 6:
    case 7:
        return s->oracle.ops[op].config ? EXEC_WAIT : EXEC_TRANSIENT;
    case 8:
        return EXEC_PHASE_DONE;
    default:
        return EXEC_TRANSIENT;
    }
}

static void take_off(struct simulation *s, uint32_t op) {
    uint32_t longest = dice_chance(&s->dice, 10) ? 8000 : 300;
    s->flights[op] = (struct flight){s->now_ms + dice_below(&s->dice, longest), roll_outcome(s, op)};
    s->flying[s->flying_count++] = op;
}

static void remove_flight(struct simulation *s, size_t at) {
    s->flying[at] = s->flying[--s->flying_count];
}

/* One report of an operation under way; it may go on. */
static void land(struct simulation *s, size_t at) {
    uint32_t op = s->flying[at];
    enum exec_outcome outcome = s->flights[op].outcome;
    uint32_t random =
        dice_chance(&s->dice, 20) ? (dice_chance(&s->dice, 50) ? 0 : UINT32_MAX) : (uint32_t)dice_roll(&s->dice);
    struct exec_report r = {op, outcome, s->now_ms, dice_below(&s->dice, 3000), random};
    if (outcome == EXEC_SUCCEEDED || outcome == EXEC_CONFIG_COMPLETE || outcome == EXEC_WAIT ||
        dice_chance(&s->dice, 30)) {
        make_effect(s, op);
    }
    bool goes_on = exec_done(s->e, &r);
    oracle_take_report(&s->oracle, &r, goes_on);
    if (goes_on && (outcome == EXEC_CONFIG_COMPLETE || outcome == EXEC_PHASE_DONE)) {
        s->flights[op] = (struct flight){s->now_ms + dice_below(&s->dice, 500), roll_outcome(s, op)};
        return;
    }
    remove_flight(s, at);
    if (outcome == EXEC_SUCCEEDED) {
        s->journal[op] = RECORD_OUTCOME;
    } else if (!goes_on && dice_chance(&s->dice, 10)) { /* told twice (LC-011 (3)) */
        oracle_take_report(&s->oracle, &r, exec_done(s->e, &r));
    }
}

/* Outcomes that are there by now, in any order. */
static bool land_due(struct simulation *s) {
    bool any = false;
    for (size_t i = s->flying_count; i-- > 0;) {
        if (s->flights[s->flying[i]].ends_ms <= s->now_ms) {
            land(s, i);
            any = true;
        }
    }
    return any;
}

/* --- one run --- */

static void take_step(struct simulation *s, const struct exec_step *step) {
    oracle_take_step(&s->oracle, step, s->now_ms);
    switch (step->action) {
    case EXEC_START:
        s->journal[step->op] = RECORD_INTENT;
        take_off(s, step->op);
        break;
    case EXEC_AGAIN:
        take_off(s, step->op);
        break;
    case EXEC_GIVE_UP:
        break;
    case EXEC_ABANDON:
        for (size_t i = 0; i < s->flying_count && dice_chance(&s->dice, 50); i++) {
            if (s->flying[i] == step->op) { /* else its outcome still comes, and is ignored */
                remove_flight(s, i);
                break;
            }
        }
        break;
    }
}

static void skip_time(struct simulation *s) {
    int64_t wake = exec_get_wake(s->e);
    for (size_t i = 0; i < s->flying_count; i++) {
        int64_t ends = s->flights[s->flying[i]].ends_ms;
        wake = ends < wake ? ends : wake;
    }
    if (wake == INT64_MAX) {
        complain(s, 0, "waits for ever");
    } else if (wake > s->now_ms) {
        s->now_ms = wake + (dice_chance(&s->dice, 20) ? dice_below(&s->dice, 50) : 0);
    }
}

/* A turn: steps, one commit of what became true, outcomes (LC-012). Killed in front of the commit or behind it. */
static void take_turn(struct simulation *s) {
    uint32_t luck = dice_below(&s->dice, 4000);
    if (luck < s->trouble / 8 && !s->oracle.stopped) {
        exec_stop(s->e, s->now_ms);
        oracle_stop(&s->oracle, s->now_ms, s->g.options.drain_ms);
    }
    struct exec_step step;
    size_t first_new = s->flying_count;
    while (s->oracle.wrong == NULL && exec_next(s->e, s->now_ms, &step)) {
        take_step(s, &step);
    }
    oracle_check_rest(&s->oracle, s->e, s->now_ms);
    bool kills = dice_below(&s->dice, 1500) < s->trouble;
    if (kills && dice_chance(&s->dice, 50)) {
        s->flying_count = first_new < s->flying_count ? first_new : s->flying_count; /* calls wait for the commit */
        s->is_killed = true;
        return;
    }
    memcpy(s->committed, s->journal, s->g.count);
    s->is_killed = kills;
    s->has_ended = exec_get_state(s->e) == EXEC_DONE;
    if (!kills && !s->has_ended && !land_due(s)) {
        skip_time(s);
        land_due(s);
    }
}

/* What recovery finds out about operations with an intent alone (LC-023). */
static void recover(struct simulation *s, uint32_t op) {
    if (s->trouble > 0 && dice_chance(&s->dice, 5)) {
        exec_block(s->e, op);
        oracle_block(&s->oracle, op);
    } else if (s->made[op] > 0 && dice_chance(&s->dice, 90)) {
        s->journal[op] = RECORD_OUTCOME;
        exec_skip(s->e, op);
        oracle_skip(&s->oracle, op);
    } /* else absent, or known and run again whatever became of it: free to run */
}

static void begin(struct simulation *s) {
    memcpy(s->journal, s->committed, s->g.count);
    s->e = exec_new(&s->arena, s->g.ops, s->g.count, &s->g.options);
    oracle_init(&s->arena, &s->oracle, &s->g);
    s->oracle.thorough = s->g.count < LOOK_AT_ALL_BELOW || dice_chance(&s->dice, 2);
    s->flying_count = 0;
    s->is_killed = s->has_ended = false;
    for (uint32_t i = 0; i < s->g.count; i++) {
        if (s->journal[i] == RECORD_OUTCOME) {
            exec_skip(s->e, i);
            oracle_skip(&s->oracle, i);
        } else if (s->journal[i] == RECORD_INTENT) {
            recover(s, i);
        }
    }
}

/* What was in the air when the process went, may have happened. */
static void crash(struct simulation *s) {
    s->kills++;
    for (size_t i = 0; i < s->flying_count; i++) {
        if (dice_chance(&s->dice, 50)) {
            make_effect(s, s->flying[i]);
        }
    }
}

static bool run_once(struct simulation *s) {
    s->runs++;
    begin(s);
    while (s->oracle.wrong == NULL && !s->is_killed && !s->has_ended) {
        take_turn(s);
    }
    if (s->is_killed) {
        crash(s);
        return false;
    }
    if (s->oracle.wrong == NULL) {
        oracle_check_end(&s->oracle, s->e);
    }
    return s->has_ended && !s->oracle.bad;
}

/* --- one graph --- */

static void check_world(struct simulation *s) {
    for (uint32_t i = 0; i < s->g.count; i++) {
        if (s->made[i] != !s->g.ops[i].is_barrier) {
            complain(s, i, "is missing in the world, or there twice, though the run got through");
        }
    }
}

static bool simulate(uint64_t seed, struct totals *totals) {
    struct simulation s = {.dice = {seed * UINT64_C(0x2545f4914f6cdd1d)}};
    graph_roll(&s.arena, &s.dice, &s.g);
    s.flights = ARENA_ARRAY(&s.arena, struct flight, s.g.count);
    s.flying = ARENA_ARRAY(&s.arena, uint32_t, 2 * s.g.count + 1);
    s.journal = ARENA_ARRAY(&s.arena, uint8_t, s.g.count);
    s.committed = ARENA_ARRAY(&s.arena, uint8_t, s.g.count);
    s.made = ARENA_ARRAY(&s.arena, uint8_t, s.g.count);
    s.trouble = dice_below(&s.dice, 5) * 20;
    bool is_through = false;
    while (!is_through && s.oracle.wrong == NULL && s.runs < MAX_RUNS) {
        s.trouble = s.runs + 1 == MAX_RUNS ? 0 : s.trouble; /* the last run meets no trouble */
        is_through = run_once(&s);
        s.trouble -= s.trouble / 5;
    }
    if (s.oracle.wrong == NULL && !is_through) {
        complain(&s, 0, "never gets through");
    }
    if (s.oracle.wrong == NULL) {
        check_world(&s);
    }
    if (s.oracle.wrong != NULL) {
        print_error("operation %u of %zu, run %zu, at %lld ms: %s\nreplay: LINTEL_SEED=%llu\n", s.oracle.wrong_op,
                    s.g.count, s.runs, (long long)s.now_ms, s.oracle.wrong, (unsigned long long)seed);
    }
    totals->operations += s.g.count;
    totals->runs += s.runs;
    totals->kills += s.kills;
    bool is_right = s.oracle.wrong == NULL;
    arena_fini(&s.arena);
    return is_right;
}

/* The machine's own assertions end the program: the number must be known all the same. */
static volatile sig_atomic_t seed_under_way;

static void tell_seed(int number) {
    char text[64] = "\nreplay: LINTEL_SEED=";
    size_t len = strlen(text);
    long seed = seed_under_way;
    for (long unit = 1000000000; unit > 0; unit /= 10) {
        text[len++] = (char)('0' + seed / unit % 10);
    }
    text[len++] = '\n';
    if (write(STDERR_FILENO, text, len) >= 0) {
        signal(number, SIG_DFL);
    }
}

static uint64_t get_number(const char *name, uint64_t fallback) {
    const char *text = getenv(name);
    return text == NULL ? fallback : strtoull(text, NULL, 10);
}

static void random_graphs_run_as_they_must(void **state) {
    (void)state;
    struct totals totals = {0};
    signal(SIGABRT, tell_seed);
    uint64_t only = get_number("LINTEL_SEED", 0);
    uint64_t last = only != 0 ? only : get_number("LINTEL_GRAPHS", (uint64_t)choose_form(3000, 100000));
    size_t wrong = 0;
    for (uint64_t seed = only != 0 ? only : 1; seed <= last && wrong < 5; seed++) {
        seed_under_way = (sig_atomic_t)seed;
        wrong += !simulate(seed, &totals);
    }
    print_message("# %zu operations, %zu runs, %zu kills\n", totals.operations, totals.runs, totals.kills);
    assert_int_equal(wrong, 0);
    assert_true(only != 0 || totals.kills > last / 4); /* the simulation has teeth */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs_run_as_they_must)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
