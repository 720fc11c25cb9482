/* The loop of a run.
 *
 * Invariants (LC-011): (1) a provider is called only after the turn that holds its intent has committed (flush_batch),
 * unless the type is effectless (queue_call).
 * (2) An element's row is deleted only by apply_removed, after the provider's word or for retained objects. (3)
 * Outcomes are written by deploy_done.c, once per operation, and by recover() for those of earlier runs. (4) Every
 * write begins with the lease. (5) Rows are encoded through the sealer, nowhere else. (6) Records follow from outcomes
 * by the functions of apply.c alone, in this run and after a crash. (7) Keys are made from the plan (op_fill_all) and
 * kept in the intent. */
#include "engine/deploy.h"

#include "engine/fields.h"
#include "engine/ids.h"

#include <stdlib.h>

enum { STEPS_PER_TURN = 512, TURN_MS = 50, FATAL_DRAIN_MS = 30000, RETRY_MAX_MS = 300000, LOOK_MS = 100 };

/* --- the machine's view of the plan --- */

struct groups {
    uint32_t *of_type; /* per operation */
    size_t *limits;
    size_t count;
};

/* Operations of a provider with a limit of its own form a group; those of a serial type one with the limit 1 (LC-013).
 */
static void make_groups(struct deploy *d, struct groups *g) {
    const struct providers *all = d->c->providers;
    g->count = 1 + 2 * all->count;
    g->limits = ARENA_ARRAY(d->a, size_t, g->count);
    g->of_type = ARENA_ARRAY(d->a, uint32_t, d->p->op_count);
    struct map numbers = MAP(d->a);
    for (size_t i = 0; i < all->count; i++) {
        map_put(&numbers, all->items[i]->name, (void *)(uintptr_t)(i + 1));
        g->limits[1 + 2 * i] = all->items[i]->max_parallel;
        g->limits[2 + 2 * i] = 1;
    }
    for (size_t i = 0; i < d->p->op_count; i++) {
        const struct resource_type *type = d->ops[i].type;
        if (type == NULL) {
            continue;
        }
        sv rest = type->name;
        uintptr_t number = (uintptr_t)map_find(&numbers, sv_cut(&rest, '/'));
        if (number != 0) {
            g->of_type[i] = (uint32_t)(2 * number - (type->serial ? 0 : 1));
        }
    }
}

static void make_exec(struct deploy *d) {
    struct groups g;
    make_groups(d, &g);
    size_t count = d->p->op_count + d->p->barrier_count;
    struct exec_op *ops = ARENA_ARRAY(d->a, struct exec_op, count);
    bool late_removals = d->t == NULL || d->t->policies.late_removals;
    for (size_t i = 0; i < d->p->op_count; i++) {
        const struct plan_op *op = &d->p->ops[i];
        ops[i] = (struct exec_op){.after = op->after,
                                  .after_config = op->after_config,
                                  .after_count = op->after_count,
                                  .late = op->late && late_removals,
                                  .group = g.of_type[i]};
    }
    for (size_t i = d->p->op_count; i < count; i++) {
        const struct plan_barrier *b = &d->p->barriers[i - d->p->op_count];
        ops[i] = (struct exec_op){
            .after = b->after, .after_config = b->after_config, .after_count = b->after_count, .is_barrier = true};
    }
    struct exec_options options = {
        .parallel = d->c->parallel == 0 ? 10 : d->c->parallel,
        .group_limits = g.limits,
        .group_count = g.count,
        .retries = d->c->retries,
        .retry_first_ms = d->c->retry_first_ms,
        .retry_max_ms = RETRY_MAX_MS,
        .drain_ms = d->c->drain_ms,
        .fatal_drain_ms = d->c->drain_ms < FATAL_DRAIN_MS ? d->c->drain_ms : FATAL_DRAIN_MS,
    };
    d->exec = exec_new(d->a, ops, count, &options);
}

/* Operations that an earlier run of this very plan ended well (LC-023). */
static void skip_done(struct deploy *d) {
    struct map numbers = MAP(d->a);
    for (size_t i = 0; i < d->p->op_count; i++) {
        map_put(&numbers, d->p->ops[i].id, (void *)(uintptr_t)(i + 1));
    }
    struct record_codec codec = {
        .arena = d->a, .sealer = d->c->sealer, .diags = d->c->diags, .instance_id = d->stored.instance.id};
    struct store_tree tree = {0};
    struct store *store = d->c->store;
    if (!check_write(d, store->ops->load_tree(store, d->a, d->stored.instance.id, &tree))) {
        return;
    }
    struct seal_place place = {.instance_id = d->stored.instance.id, .address = SV("journal")};
    for (size_t i = 0; i < tree.journal.len; i++) {
        const struct journal_row *row = &tree.journal.items[i];
        uintptr_t number = row->kind == JOURNAL_OUTCOME ? (uintptr_t)map_find(&numbers, row->operation) : 0;
        if (number == 0) {
            continue;
        }
        value body = seal_decode(d->c->sealer, d->a, &place, row->body, &codec.unopened, d->c->diags);
        sv result = field_get_text(body, "result");
        bool well = sv_eq_cstr(result, "succeeded") || sv_eq_cstr(result, "absent");
        uint32_t op = (uint32_t)(number - 1);
        if (well && sv_eq(field_get_text(body, "planId"), d->p->id) && !d->ops[op].over) {
            d->ops[op].over = true;
            d->succeeded++;
            exec_skip(d->exec, op);
        }
    }
}

static void block_untold(struct deploy *d) {
    struct map untold = MAP(d->a);
    for (size_t i = 0; i < d->untold.len; i++) {
        map_put(&untold, d->untold.items[i], d);
    }
    for (uint32_t i = 0; untold.live > 0 && i < d->p->op_count; i++) {
        if (map_has(&untold, d->ops[i].change->address.text) && !d->ops[i].over) {
            d->ops[i].over = true;
            exec_block(d->exec, i);
        }
    }
}

/* --- turns --- */

static void look_for_signals(struct deploy *d) {
    int seen = d->c->signals == NULL ? 0 : atomic_load(d->c->signals);
    if (seen > d->signals_seen && d->signals_seen == 0) {
        exec_stop(d->exec, now_monotonic(d));
        emit_message(d, (sv){0}, SV("interrupted: no further operation starts, those under way are awaited"));
        diags_add(d->c->diags, DIAG_interrupted, SPAN_NONE, "the run was interrupted");
    }
    d->hard_stop = d->hard_stop || seen > 1;
    d->signals_seen = seen;
}

static void take_message(struct deploy *d, const struct message *m) {
    struct op_run *o = &d->ops[m->job->op];
    switch (m->kind) {
    case MESSAGE_DONE:
        op_take_result(d, m->job);
        return;
    case MESSAGE_PROGRESS: {
        struct map_builder b = {.arena = &d->turn};
        field_put_value(&b, "token", m->token);
        write_journal(d, &(struct journal_entry){.kind = JOURNAL_PROGRESS,
                                                 .operation = o->op->id,
                                                 .address = o->change->address.text,
                                                 .action = o->action,
                                                 .body = map_done(&b)});
        VEC_PUSH(&d->turn, &d->batch.answers, m->job);
        return;
    }
    case MESSAGE_LOG:
        emit_message(d, o->change->address.text, mask_text(d, m->line));
        return;
    }
}

static size_t take_messages(struct deploy *d, int64_t timeout_ms) {
    struct message m;
    size_t count = 0;
    while (workers_take(d->workers, count == 0 ? timeout_ms : 0, &m)) {
        take_message(d, &m);
        count++;
    }
    return count;
}

static size_t take_steps(struct deploy *d) {
    struct exec_step step;
    size_t count = 0;
    int64_t end = now_monotonic(d) + TURN_MS; /* no outcome waits longer (LC-012) */
    while (count < STEPS_PER_TURN && now_monotonic(d) < end && exec_next(d->exec, now_monotonic(d), &step)) {
        count++;
        switch (step.action) {
        case EXEC_START:
            op_start(d, step.op);
            break;
        case EXEC_AGAIN:
            op_go_on(d, step.op);
            break;
        case EXEC_GIVE_UP:
            op_give_up(d, step.op);
            break;
        case EXEC_ABANDON:
            op_abandon(d, step.op);
            break;
        }
    }
    return count;
}

/* How long the loop may sleep: until a retry, a heartbeat, the next renewal, or a look at the signals. */
static int64_t get_timeout(const struct deploy *d) {
    int64_t now = now_monotonic(d);
    int64_t timeout = d->c->lease_ttl_ms / 8 + 1;
    int64_t wake = exec_get_wake(d->exec);
    if (wake < INT64_MAX && wake - now < timeout) {
        timeout = wake > now ? wake - now : 0;
    }
    return timeout < LOOK_MS ? timeout : LOOK_MS;
}

/* A call that does not come back in spite of its deadline is given up: nobody knows what it did (F43, LC-024). Its
 * thread is lost. */
static void look_for_hung_calls(struct deploy *d) {
    enum { LOOK_EVERY_MS = 1000, GRACE_MS = 5000 };
    int64_t now = now_monotonic(d);
    if (now - d->look_ms < LOOK_EVERY_MS) {
        return;
    }
    d->look_ms = now;
    for (uint32_t i = 0; i < d->p->op_count; i++) {
        struct op_run *o = &d->ops[i];
        if (o->job != NULL && !o->over && now > o->call_ends_ms + GRACE_MS) {
            op_abandon(d, i);
            exec_done(d->exec, &(struct exec_report){.op = i, .outcome = EXEC_FAILED, .now_ms = now});
        }
    }
}

static void run_loop(struct deploy *d) {
    size_t handled = 0;
    while (!d->hard_stop) {
        look_for_signals(d);
        renew_lease(d);
        if (!d->stopping && (d->lease_lost || d->store_failed || d->is_over_ttl)) {
            d->stopping = true;
            exec_stop(d->exec, now_monotonic(d));
        }
        handled += take_steps(d);
        look_for_hung_calls(d);
        emit_heartbeats(d);
        flush_batch(d);
        if (handled == 0 && exec_get_state(d->exec) == EXEC_DONE) {
            break;
        }
        handled = take_messages(d, handled > 0 ? 0 : get_timeout(d));
    }
}

static void run_operations(struct deploy *d) {
    size_t threads = d->c->parallel == 0 ? 10 : d->c->parallel;
    make_exec(d);
    if (d->is_resumed) {
        skip_done(d);
    }
    block_untold(d);
    if (d->p->op_count == 0) {
        return;
    }
    d->workers = workers_open(threads < d->p->op_count ? threads : d->p->op_count);
    if (d->workers == NULL) {
        diags_add(d->c->diags, DIAG_internal_error, SPAN_NONE, "no thread can be started");
        d->failed++;
        return;
    }
    run_loop(d);
    if (d->hard_stop || d->interrupted > 0) {
        workers_cancel(d->workers);
    }
    d->has_strays = !workers_close(d->workers, d->hard_stop || d->interrupted > 0 ? 1000 : 10000);
}

bool run_needs_consent(const struct run_config *c, const struct plan *p) {
    /* A rollback leads what its run has left behind to what it was: what differs is no surprise. */
    size_t count = plan_count_drift(p);
    if (count == 0 || c->accept_drift || p->rollback != NULL) {
        return false;
    }
    const struct change *first = p->drift;
    while (first->forced) {
        first++;
    }
    struct diag *d =
        diags_add(c->diags, DIAG_drift_detected, SPAN_NONE, "%zu %s not what the state says: '%.*s'%s", count,
                  count == 1 ? "element is" : "elements are", SV_ARG(first->address.text), count > 1 ? ", …" : "");
    diag_set_hint(c->diags, d, "look at the plan; --accept-drift goes on from what is really there");
    return true;
}

/* The template that was planned. A plan that was read from a file has none: it is expanded again, with the results that
 * were recorded. False after a report. */
static bool find_template(struct deploy *d, const struct template *loaded) {
    d->loaded = loaded;
    if (d->p->destroy || loaded == NULL) {
        return true;
    }
    if (d->p->expanded != NULL) {
        d->t = d->p->expanded;
        return true;
    }
    struct expand_request request = {
        .arena = d->a,
        .diags = d->c->diags,
        .world = {.host = d->c->host, .limits = d->c->limits, .record = d->p->record, .fetcher = d->c->fetcher},
        .demand_data = deploy_demand_data,
        .user = d,
    };
    size_t errors = d->c->diags->errors;
    d->t = template_expand(loaded, &request);
    return d->t != NULL && d->c->diags->errors == errors;
}

enum exit_code run_deploy(const struct run_config *c, const struct template *t, const struct plan *p) {
    if (p == NULL) {
        diags_add(c->diags, DIAG_missing_change_set, SPAN_NONE, "there is no plan to carry out");
        return EXIT_INVALID;
    }
    if (run_needs_consent(c, p)) {
        return EXIT_DRIFT;
    }
    struct deploy *d = ARENA_NEW(c->arena, struct deploy);
    *d = (struct deploy){.c = c, .p = p, .a = c->arena};
    if (!find_template(d, t)) {
        return EXIT_INVALID;
    }
    d->run_id = c->queued != NULL ? c->queued->id : id_make_run(d->a, c->host);
    d->started_wall_ms = now_wall(d);
    d->started_ms = d->beat_ms = now_monotonic(d);
    enum exit_code code = EXIT_FAILED;
    bool begun = begin_run(d, &code);
    bool goes_on = d->untold.len == 0 || c->force || p->rollback != NULL; /* BP-522 */
    if (begun && goes_on && !d->lease_lost && !d->store_failed) {
        run_operations(d);
        report_failed_children(d);
    }
    if (begun) {
        end_run(d);
        code = get_exit_code(d);
    }
    if (d->lease_lost) {
        diags_add(c->diags, DIAG_lease_lost, SPAN_NONE, "another run has taken instance '%.*s' over",
                  SV_ARG(p->instance_name));
    }
    if (c->queued != NULL) {
        c->queued->lease = d->has_lease ? d->lease : c->queued->lease;
        c->queued->is_lost = d->lease_lost;
        c->queued->has_strays = d->has_strays;
    } else if (d->has_lease && !d->lease_lost && !d->has_strays) {
        c->store->ops->release_lease(c->store, &d->lease);
    }
    events_forget(d);
    arena_fini(&d->turn);
    return code;
}
