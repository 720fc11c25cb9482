#include "simulate_oracle.h"

static void complain(struct oracle *o, uint32_t op, const char *what) {
    if (o->wrong == NULL) {
        o->wrong = what;
        o->wrong_op = op;
    }
}

static void expect(struct oracle *o, bool holds, uint32_t op, const char *what) {
    if (!holds) {
        complain(o, op, what);
    }
}

void oracle_init(struct arena *a, struct oracle *o, const struct graph *g) {
    *o = (struct oracle){.g = g, .drain_until = INT64_MAX};
    o->ops = ARENA_ARRAY(a, struct oracle_op, g->count);
    o->group_runs = ARENA_ARRAY(a, size_t, g->options.group_count + 1);
    for (size_t i = 0; i < g->count; i++) {
        o->early_open += !g->ops[i].late && !g->ops[i].is_barrier;
    }
}

/* --- what may be --- */

static bool is_met(struct oracle *o, uint32_t op);

/* A barrier is done when all in front of it is; once done it stays so. */
static bool is_done(struct oracle *o, uint32_t op) {
    struct oracle_op *p = &o->ops[op];
    if (p->state == ORACLE_IDLE && o->g->ops[op].is_barrier && !p->blocked && is_met(o, op)) {
        p->state = ORACLE_DONE;
    }
    return p->state == ORACLE_DONE;
}

/* Every edge in front of the operation. */
static bool is_met(struct oracle *o, uint32_t op) {
    const struct exec_op *p = &o->g->ops[op];
    for (size_t k = 0; k < p->after_count; k++) {
        uint32_t before = p->after[k];
        bool config_is_enough = p->after_config != NULL && p->after_config[k];
        if (!is_done(o, before) && !(config_is_enough && o->ops[before].config)) {
            return false;
        }
    }
    return true;
}

static bool group_has_room(const struct oracle *o, uint32_t op) {
    const struct exec_options *options = &o->g->options;
    uint32_t group = o->g->ops[op].group;
    size_t limit = options->group_limits == NULL ? 0 : options->group_limits[group];
    return limit == 0 || o->group_runs[group] < limit;
}

static bool has_room(const struct oracle *o, uint32_t op) {
    return o->runs < o->g->options.parallel && group_has_room(o, op);
}

static bool may_start(struct oracle *o, uint32_t op) {
    const struct oracle_op *p = &o->ops[op];
    const struct exec_op *in = &o->g->ops[op];
    bool may = p->state == ORACLE_IDLE && !p->blocked && !in->is_barrier && !o->stopped;
    return may && (!in->late || (o->early_open == 0 && !o->bad)) && is_met(o, op);
}

/* --- changes --- */

static void end_well(struct oracle *o, uint32_t op) {
    const struct exec_op *in = &o->g->ops[op];
    o->ops[op].state = ORACLE_DONE;
    o->ops[op].config = true;
    o->early_open -= !in->late && !in->is_barrier;
}

static void end_badly(struct oracle *o, uint32_t op) {
    o->ops[op].state = ORACLE_BAD;
    o->bad = true;
}

static void enter(struct oracle *o, uint32_t op) {
    o->ops[op].state = ORACLE_RUNS;
    o->runs++;
    o->group_runs[o->g->ops[op].group]++;
}

static void leave(struct oracle *o, uint32_t op) {
    o->runs--;
    o->group_runs[o->g->ops[op].group]--;
}

void oracle_skip(struct oracle *o, uint32_t op) {
    end_well(o, op);
}

void oracle_block(struct oracle *o, uint32_t op) {
    o->ops[op].blocked = true;
    end_badly(o, op);
}

void oracle_stop(struct oracle *o, int64_t now_ms, int64_t patience_ms) {
    o->stopped = true;
    o->bad = true;
    if (now_ms + patience_ms < o->drain_until) {
        o->drain_until = now_ms + patience_ms;
    }
}

/* --- steps --- */

/* Nothing in front of it in the document could have started in its place (LC-012). */
static void check_order(struct oracle *o, uint32_t op) {
    for (uint32_t i = 0; i < op; i++) {
        expect(o, !(group_has_room(o, i) && may_start(o, i)), op, "started out of document order (LC-012)");
    }
}

static void take_start(struct oracle *o, uint32_t op) {
    expect(o, !o->stopped, op, "started while draining (BP-501)");
    expect(o, !o->ops[op].started, op, "started twice");
    expect(o, is_met(o, op), op, "started before what it comes after (BP-480)");
    expect(o, !o->g->ops[op].late || o->early_open == 0, op, "a late removal before all others (BP-484)");
    expect(o, !o->g->ops[op].late || !o->bad, op, "a late removal after a failure (BP-502)");
    expect(o, may_start(o, op), op, "started although it must not be");
    expect(o, o->runs < o->g->options.parallel, op, "more under way than allowed (LC-013)");
    expect(o, group_has_room(o, op), op, "more under way than its group allows (LC-013)");
    if (o->thorough) {
        check_order(o, op);
    }
    o->ops[op].started = true;
    enter(o, op);
}

static void take_again(struct oracle *o, uint32_t op, int64_t now_ms) {
    const struct oracle_op *p = &o->ops[op];
    expect(o, p->state == ORACLE_PAUSED, op, "goes on without a pause");
    expect(o, p->asks || !o->stopped, op, "another attempt while draining (BP-501)");
    expect(o, now_ms >= p->due_from, op, "goes on too early (BP-500)");
    expect(o, now_ms < o->drain_until, op, "goes on after the drain time (BP-501)");
    expect(o, has_room(o, op), op, "goes on without room (LC-013)");
    enter(o, op);
}

void oracle_take_step(struct oracle *o, const struct exec_step *step, int64_t now_ms) {
    uint32_t op = step->op;
    expect(o, !o->g->ops[op].is_barrier, op, "a step for a barrier");
    switch (step->action) {
    case EXEC_START:
        take_start(o, op);
        break;
    case EXEC_AGAIN:
        take_again(o, op, now_ms);
        break;
    case EXEC_GIVE_UP:
        expect(o, o->stopped && o->ops[op].state == ORACLE_PAUSED && !o->ops[op].asks, op, "given up without reason");
        end_badly(o, op);
        break;
    case EXEC_ABANDON:
        expect(o, o->stopped && now_ms >= o->drain_until, op, "abandoned too early (BP-501)");
        expect(o, o->ops[op].state == ORACLE_RUNS || o->ops[op].asks, op, "abandoned without being under way");
        if (o->ops[op].state == ORACLE_RUNS) {
            leave(o, op);
        }
        end_badly(o, op);
        break;
    }
}

/* --- reports --- */

static int64_t get_longest_delay(const struct exec_options *options, unsigned failures) {
    double delay = (double)options->retry_first_ms;
    for (unsigned i = 1; i < failures; i++) {
        delay *= 2;
    }
    return delay < (double)options->retry_max_ms ? (int64_t)delay : options->retry_max_ms;
}

static void pause_until(struct oracle *o, uint32_t op, bool asks, int64_t from, int64_t until) {
    struct oracle_op *p = &o->ops[op];
    leave(o, op);
    p->state = ORACLE_PAUSED;
    p->asks = asks;
    p->due_from = from;
    p->due_until = until;
}

static bool take_transient(struct oracle *o, const struct exec_report *r) {
    struct oracle_op *p = &o->ops[r->op];
    p->failures++;
    if (o->stopped || p->failures > o->g->options.retries) {
        leave(o, r->op);
        end_badly(o, r->op);
        oracle_stop(o, r->now_ms, o->g->options.drain_ms);
        return false;
    }
    int64_t longest = get_longest_delay(&o->g->options, p->failures);
    int64_t shortest = r->random == UINT32_MAX ? longest : 0;
    pause_until(o, r->op, false, r->now_ms + shortest, r->now_ms + (r->random == 0 ? 0 : longest));
    return true;
}

static bool take_outcome(struct oracle *o, const struct exec_report *r) {
    struct oracle_op *p = &o->ops[r->op];
    switch (r->outcome) {
    case EXEC_CONFIG_COMPLETE:
        p->failures = p->config ? p->failures : 0;
        p->config = true;
        return true;
    case EXEC_WAIT:
        pause_until(o, r->op, true, r->now_ms + r->wait_ms, r->now_ms + r->wait_ms);
        return true;
    case EXEC_PHASE_DONE:
        p->failures = 0;
        return true;
    case EXEC_TRANSIENT:
        return take_transient(o, r);
    case EXEC_SUCCEEDED:
        leave(o, r->op);
        end_well(o, r->op);
        return false;
    case EXEC_FAILED:
    case EXEC_FATAL:
        leave(o, r->op);
        end_badly(o, r->op);
        oracle_stop(o, r->now_ms, r->outcome == EXEC_FATAL ? o->g->options.fatal_drain_ms : o->g->options.drain_ms);
        return false;
    case EXEC_UNKNOWN:
        leave(o, r->op);
        end_badly(o, r->op);
        return false;
    }
    return false;
}

void oracle_take_report(struct oracle *o, const struct exec_report *r, bool goes_on) {
    bool should = o->ops[r->op].state == ORACLE_RUNS && take_outcome(o, r);
    expect(o, goes_on == should, r->op, goes_on ? "goes on after its end" : "does not go on");
}

/* --- rest and end --- */

static bool is_due(const struct oracle *o, uint32_t op, int64_t now_ms) {
    const struct oracle_op *p = &o->ops[op];
    if (p->state != ORACLE_PAUSED) {
        return o->stopped && p->state == ORACLE_RUNS && now_ms >= o->drain_until;
    }
    bool goes_on = p->due_until <= now_ms && has_room(o, op);
    return goes_on || (o->stopped && (!p->asks || now_ms >= o->drain_until));
}

static void check_all(struct oracle *o, const struct exec *e, int64_t now_ms) {
    for (uint32_t i = 0; i < o->g->count; i++) {
        expect(o, !is_due(o, i, now_ms), i, "is due and gets no step");
        expect(o, !(has_room(o, i) && may_start(o, i)), i, "may start and is not started");
        const struct oracle_op *p = &o->ops[i];
        bool sleeps = p->state == ORACLE_PAUSED && has_room(o, i);
        expect(o, !sleeps || exec_get_wake(e) <= p->due_until, i, "is slept over");
    }
}

void oracle_check_rest(struct oracle *o, const struct exec *e, int64_t now_ms) {
    expect(o, exec_count_under_way(e) == o->runs, 0, "miscounts what is under way");
    bool is_over = exec_get_state(e) == EXEC_DONE;
    expect(o, !is_over || o->runs == 0, 0, "is done while operations are under way");
    expect(o, is_over || exec_get_wake(e) > now_ms, 0, "wants to be woken at once, for nothing");
    expect(o, is_over || (exec_get_state(e) == EXEC_DRAINING) == o->stopped, 0, "drains without reason, or not at all");
    if (o->thorough) {
        check_all(o, e, now_ms);
        expect(o, is_over == oracle_is_over(o), 0, "is done too early, or does not end");
    }
}

bool oracle_is_over(struct oracle *o) {
    for (uint32_t i = 0; i < o->g->count; i++) {
        bool is_open = o->ops[i].state == ORACLE_RUNS || o->ops[i].state == ORACLE_PAUSED;
        if (is_open || may_start(o, i)) {
            return false;
        }
    }
    return true;
}

static bool stands_as(const struct oracle *o, uint32_t op, enum exec_op_state state) {
    switch (state) {
    case EXEC_OP_WAITING:
    case EXEC_OP_READY:
        return o->ops[op].state == ORACLE_IDLE;
    case EXEC_OP_UNDER_WAY:
        return o->ops[op].state == ORACLE_RUNS;
    case EXEC_OP_PAUSED:
        return o->ops[op].state == ORACLE_PAUSED;
    case EXEC_OP_SUCCEEDED:
        return o->ops[op].state == ORACLE_DONE;
    case EXEC_OP_FAILED:
    case EXEC_OP_UNKNOWN:
        return o->ops[op].state == ORACLE_BAD;
    }
    return false;
}

void oracle_check_end(struct oracle *o, const struct exec *e) {
    expect(o, oracle_is_over(o), 0, "is done too early");
    for (uint32_t i = 0; i < o->g->count; i++) {
        (void)is_done(o, i); /* of barriers */
        expect(o, stands_as(o, i, exec_get_op_state(e, i)), i, "stands otherwise at the end");
        bool is_left = o->ops[i].state == ORACLE_IDLE && !o->bad;
        expect(o, !is_left, i, "was never started although nothing went wrong");
    }
}
