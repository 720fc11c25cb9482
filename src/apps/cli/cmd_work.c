/* A worker: takes runs from the queue, one after the other, until it is told to stop (LC-045). */
#include "apps/cli/commands.h"
#include "apps/cli/consent.h"
#include "apps/cli/outside.h"

#include "engine/queue.h"

enum { WAIT_MS = 1000 };

/* --- one run, in a unit of its own --- */

static void unit_init(struct cli *unit, const struct cli *c) {
    *unit = *c;
    unit->arena = (struct arena){.secret = true};
    sources_init(&unit->sources, &unit->arena);
    diags_init(&unit->diags, &unit->arena, &unit->sources);
    unit->diags.strict = c->diags.strict;
    unit->mask = (struct mask){.arena = &unit->arena};
    unit->fetcher = NULL;
    unit->transforms = NULL;
    unit->fetchers.items = NULL;
    unit->fetchers.len = unit->fetchers.cap = 0;
    unit->forgotten_sources = 0;
    unit->is_settled = unit->rescued = false;
    unit->payload = BUF(&unit->arena);
    unit->writer = JSONW(&unit->payload, 0);
    jsonw_begin_object(&unit->writer);
}

static void say_started(struct cli *c, const struct store_run *run) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("run"));
    jsonw_put_text(&w, "runId", run->id);
    jsonw_put_text(&w, "phase", SV("started"));
    jsonw_put_i64(&w, "wallMs", c->host->ops->get_wall_ms(c->host->user));
    jsonw_put_i64(&w, "monotonicMs", c->host->ops->get_monotonic_ms(c->host->user));
    jsonw_put_text(&w, "kind", run->kind);
    jsonw_put_text(&w, "instanceId", run->instance_id);
    jsonw_put_text(&w, "instanceName", run->instance_name);
    jsonw_put_i64(&w, "takes", run->takes);
    jsonw_end_object(&w);
    output_event_line(c, buf_get_sv(&out));
    output_note(c, "run %.*s: %.*s %.*s%s", SV_ARG(run->id), SV_ARG(run->kind),
                SV_ARG(render_escape(&c->arena, run->instance_name)), run->takes > 1 ? ", resumed" : "");
}

/* The plan was consented to when it was queued, drift and all; --deny of the worker holds nevertheless. */
static enum exit_code carry_out(struct session *s, struct queue_item *item) {
    struct cli *c = s->cli;
    const struct plan *p = plan_read_json(&c->arena, item->run.plan, s->sealer, &c->diags);
    struct template *t = NULL;
    if (p == NULL)
        return EXIT_INVALID;
    if (!guard_allows(c, p))
        return EXIT_USAGE;
    if (!p->destroy && !template_load_from_plan(c, p, &t))
        return EXIT_INVALID;
    struct progress *progress = progress_new(c);
    progress_set_run(progress, item->run.id);
    s->config.fetcher = c->fetcher;
    s->config.instance_id = SV("");
    s->config.instance_name = p->instance_name;
    s->config.context = p->context;
    s->config.accept_drift = true;
    s->config.force = item->force;
    s->config.queued = &item->queued;
    s->config.on_event = progress_on_event;
    s->config.on_rescue = rescue_on_line;
    s->config.user = progress;
    enum exit_code code = run_deploy(&s->config, t, p);
    progress_end(progress);
    return code;
}

static bool is_drained(enum exit_code code) {
    return code == EXIT_SIGINT || code == EXIT_SIGTERM;
}

static void say_ended(struct cli *c, const struct store_run *run, enum exit_code code) {
    output_note(c, "run %.*s: %s", SV_ARG(run->id),
                is_drained(code)      ? "given back to the queue"
                : code == EXIT_LOCKED ? "another worker has taken it over"
                : code == EXIT_OK     ? "done"
                                      : arena_printf(&c->arena, "failed, exit %d", (int)code).data);
    outside_close(c, code == EXIT_OK);
    output_end_run(c, run->id, code);
}

/* A run of a key that this worker does not have yet: its data key was rotated since it began (LC-052). */
static bool has_key(struct session *s, struct queue_item *item) {
    if (sealer_is_current(s->sealer, s->store, s->config.context))
        return true;
    queue_finish(&s->config, item, EXIT_SIGINT); /* goes back */
    return false;
}

/* OK, NOT_FOUND when there was none, CONFLICT when the key has to be read anew, or a failure of the store. */
static enum store_result work_once(struct session *worker) {
    struct cli unit;
    struct session session = *worker;
    struct queue_item item;
    unit_init(&unit, worker->cli);
    session.cli = &unit;
    session.config.arena = &unit.arena;
    session.config.diags = &unit.diags;
    session.store->diags = &unit.diags;
    enum store_result r = queue_take(&session.config, &item);
    r = r == STORE_OK && !has_key(&session, &item) ? STORE_CONFLICT : r;
    if (r == STORE_OK) {
        say_started(&unit, &item.run);
        enum exit_code code = carry_out(&session, &item);
        queue_finish(&session.config, &item, code);
        say_ended(&unit, &item.run, code);
    } else if (r != STORE_NOT_FOUND && r != STORE_CONFLICT) {
        output_show_diagnostics(&unit);
    }
    session.store->diags = &worker->cli->diags;
    arena_fini(&unit.arena);
    return r;
}

/* --- the loop --- */

/* A store that is busy or cannot be reached for a while is no reason for a worker to end that goes on for ever. */
static bool is_fatal(struct cli *c, enum store_result r) {
    bool has_end = settings_get_flag(c, "once") || settings_get_flag(c, "until-empty");
    bool may_pass = r == STORE_CONFLICT || (!has_end && (r == STORE_BUSY || r == STORE_FAILED));
    return r != STORE_OK && r != STORE_NOT_FOUND && !may_pass;
}

static bool is_enough(struct cli *c, enum store_result r) {
    return (r == STORE_OK && settings_get_flag(c, "once")) ||
           (r == STORE_NOT_FOUND && settings_get_flag(c, "until-empty"));
}

static bool reopen(struct session *s) {
    struct cli *c = s->cli;
    session_close(s);
    return session_open(c, s, SESSION_WRITE);
}

static enum exit_code work(struct session *s, int64_t *count) {
    struct cli *c = s->cli;
    while (atomic_load(&c->signals->count) == 0) {
        enum store_result r = work_once(s);
        *count += r == STORE_OK;
        if (is_enough(c, r))
            return EXIT_OK;
        if (is_fatal(c, r))
            return r == STORE_BUSY ? EXIT_LOCKED : EXIT_FAILED;
        if (r == STORE_CONFLICT && !reopen(s))
            return session_get_error_code(c);
        if (r != STORE_OK && r != STORE_CONFLICT)
            s->store->ops->await_news(s->store, WAIT_MS);
    }
    return EXIT_SIGINT;
}

enum exit_code cmd_work_run(struct cli *c) {
    struct session session = {0};
    if (!guard_check_options(c))
        return EXIT_USAGE;
    if (!session_open(c, &session, SESSION_WRITE)) {
        session_close(&session);
        return session_get_error_code(c);
    }
    int64_t count = 0;
    enum exit_code code = work(&session, &count);
    jsonw_put_i64(&c->writer, "runs", count);
    output_note(c, "%lld %s carried out", (long long)count, count == 1 ? "run" : "runs");
    session_close(&session);
    return code;
}
