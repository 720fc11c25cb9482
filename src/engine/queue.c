#include "engine/queue.h"

#include "engine/fields.h"
#include "engine/held.h"
#include "engine/ids.h"
#include "text/render.h"
#include "value/convert.h"

sv queue_get_status_name(enum store_run_status status) {
    switch (status) {
    case STORE_RUN_QUEUED:
        return SV("queued");
    case STORE_RUN_RUNNING:
        return SV("running");
    case STORE_RUN_ENDED:
        return SV("ended");
    case STORE_RUN_CANCELLED:
        return SV("cancelled");
    }
    return SV("");
}

static int64_t now_wall_of(const struct run_config *c) {
    return c->host->ops->get_wall_ms(c->host->user);
}

/* Commits what went well. */
static enum store_result end(const struct run_config *c, enum store_result result) {
    if (result == STORE_OK) {
        return c->store->ops->commit(c->store);
    }
    c->store->ops->rollback(c->store);
    return result;
}

/* --- adding --- */

static sv write_options(const struct run_config *c) {
    struct buf out = BUF(c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_bool(&w, "force", c->force);
    jsonw_put_text(&w, "command", c->actor_command);
    jsonw_end_object(&w);
    return buf_get_sv(&out);
}

bool queue_add(const struct run_config *c, const struct plan *p, sv *run_id) {
    struct buf plan = BUF(c->arena);
    struct jsonw w = JSONW(&plan, 0);
    plan_write_json(&w, p, c->sealer);
    struct store_run run = {
        .id = id_make_run(c->arena, c->host),
        .status = STORE_RUN_QUEUED,
        .instance_id = p->instance_id,
        .instance_name = p->instance_name,
        .context = p->context,
        .kind = p->destroy ? SV("destroy") : SV("deploy"),
        .actor = c->host->ops->get_actor(c->host->user, c->arena),
        .created_ms = now_wall_of(c),
        .body = write_options(c),
        .plan = buf_get_sv(&plan),
    };
    enum store_result result = c->store->ops->begin(c->store, NULL);
    if (result == STORE_OK) {
        result = end(c, c->store->ops->add_run(c->store, &run));
    }
    if (result == STORE_CONFLICT) { /* ids hold 80 random bits */
        diags_add(c->diags, DIAG_internal_error, SPAN_NONE, "a run of the id '%.*s' is there already", SV_ARG(run.id));
    }
    *run_id = run.id;
    return result == STORE_OK;
}

/* --- taking --- */

static void read_options(const struct run_config *c, struct queue_item *item) {
    sv why;
    size_t offset;
    value body = value_parse_json(c->arena, item->run.body, c->limits, true, &why, &offset);
    item->force = body.kind == VALUE_MAP && field_get_bool(body, "force");
}

enum store_result queue_take(const struct run_config *c, struct queue_item *item) {
    *item = (struct queue_item){0};
    struct holder who = {.command = c->actor_command};
    struct store_lease_request request = {.holder = id_make_holder(c->arena, c->host, &who), .ttl_ms = c->lease_ttl_ms};
    item->queued.taken_ms = c->host->ops->get_monotonic_ms(c->host->user);
    enum store_result result =
        c->store->ops->take_run(c->store, c->arena, c->context, &request, &item->run, &item->queued.lease);
    if (result == STORE_OK) {
        item->queued.id = item->run.id;
        read_options(c, item);
    }
    return result;
}

/* --- finishing --- */

/* Why there was no run, where there are no events of one. */
static sv write_refusal(const struct run_config *c, enum exit_code code) {
    struct buf out = BUF(c->arena);
    struct jsonw w = JSONW(&out, 0);
    struct render_options options = {0};
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("summary"));
    jsonw_put_i64(&w, "wallMs", now_wall_of(c));
    jsonw_put_i64(&w, "monotonicMs", c->host->ops->get_monotonic_ms(c->host->user));
    jsonw_put_i64(&w, "exitCode", code);
    jsonw_key(&w, SV("diagnostics"));
    render_diags_json(&w, c->diags, &options);
    jsonw_end_object(&w);
    buf_append_char(&out, '\n');
    return buf_get_sv(&out);
}

static sv get_refusal_outcome(enum exit_code code) {
    return code == EXIT_STALE     ? SV("stale")
           : code == EXIT_INVALID ? SV("invalid")
           : code == EXIT_USAGE   ? SV("denied")
                                  : SV("failed");
}

static enum store_result write_end(const struct run_config *c, const struct queue_item *item, enum exit_code code) {
    struct store *store = c->store;
    bool is_back = code == EXIT_SIGINT || code == EXIT_SIGTERM;
    struct store_run_change change = {
        .id = item->run.id,
        .from = STORE_RUN_RUNNING,
        .to = is_back ? STORE_RUN_QUEUED : STORE_RUN_ENDED,
        .wall_ms = now_wall_of(c),
        .exit_code = code,
        .outcome = get_refusal_outcome(code),
    };
    enum store_result result = store->ops->begin(store, &item->queued.lease);
    if (result != STORE_OK) {
        return result;
    }
    result = store->ops->change_run(store, &change);
    if (result == STORE_OK && !is_back) {
        result = store->ops->append_events(store, item->run.instance_id, item->run.id, write_refusal(c, code));
    }
    return end(c, result); /* CONFLICT: it is over */
}

void queue_finish(const struct run_config *c, struct queue_item *item, enum exit_code code) {
    struct queued_run *q = &item->queued;
    if (q->is_lost) {
        return;
    }
    bool is_signal = code == EXIT_SIGINT || code == EXIT_SIGTERM;
    if (!q->has_begun || is_signal) {
        write_end(c, item, code); /* (2): one that has begun and could not write its end is taken again */
    }
    if (!q->has_strays) {
        c->store->ops->release_lease(c->store, &q->lease);
    }
}

/* --- cancelling --- */

static enum store_result change_to_cancelled(const struct run_config *c, sv run_id, enum store_run_status from,
                                             const struct store_lease *lease) {
    struct store_run_change change = {.id = run_id, .from = from, .to = STORE_RUN_CANCELLED, .wall_ms = now_wall_of(c)};
    enum store_result result = c->store->ops->begin(c->store, lease);
    return result == STORE_OK ? end(c, c->store->ops->change_run(c->store, &change)) : result;
}

/* Only who holds the instance knows that nobody is at it (1). */
static enum store_result cancel_begun(const struct run_config *c, const struct store_run *run) {
    struct store_lease lease;
    struct holder who = {.run_id = run->id, .command = c->actor_command};
    struct store_lease_request request = {
        .instance_id = run->instance_id, .holder = id_make_holder(c->arena, c->host, &who), .ttl_ms = c->lease_ttl_ms};
    enum store_result result = c->store->ops->take_lease(c->store, c->arena, &request, &lease);
    if (result == STORE_CONFLICT) {
        struct held held = {.arena = c->arena,
                            .diags = c->diags,
                            .host = c->host,
                            .instance_id = run->instance_id,
                            .instance_name = run->instance_name};
        held_report(&held, &lease);
        return STORE_LOST_LEASE;
    }
    if (result != STORE_OK) {
        return result;
    }
    result = change_to_cancelled(c, run->id, STORE_RUN_RUNNING, &lease);
    c->store->ops->release_lease(c->store, &lease);
    return result;
}

static bool report(const struct run_config *c, enum exit_code *code, enum diag_code what, sv message) {
    struct diag *d = diags_add(c->diags, what, SPAN_NONE, "%.*s", SV_ARG(message));
    diag_set_hint(c->diags, d, "see: lintel queue --all");
    *code = EXIT_INVALID;
    return false;
}

bool queue_cancel(const struct run_config *c, sv run_id, enum exit_code *code) {
    struct store_run run = {0};
    enum store_result result = change_to_cancelled(c, run_id, STORE_RUN_QUEUED, NULL);
    if (result == STORE_CONFLICT) {
        result = c->store->ops->find_run(c->store, c->arena, run_id, &run);
        bool is_begun = result == STORE_OK && run.status == STORE_RUN_RUNNING;
        result = is_begun ? cancel_begun(c, &run) : result == STORE_OK ? STORE_CONFLICT : result;
    }
    if (result == STORE_NOT_FOUND) {
        return report(c, code, DIAG_run_not_found,
                      arena_printf(c->arena, "there is no run '%.*s' in the queue", SV_ARG(run_id)));
    }
    if (result == STORE_CONFLICT) {
        sv name = run.status == 0 ? SV("under way") : queue_get_status_name(run.status);
        return report(
            c, code, DIAG_run_not_waiting,
            arena_printf(c->arena, "the run '%.*s' is %.*s: it cannot be cancelled", SV_ARG(run_id), SV_ARG(name)));
    }
    *code = result == STORE_OK                                   ? EXIT_OK
            : result == STORE_LOST_LEASE || result == STORE_BUSY ? EXIT_LOCKED
                                                                 : EXIT_FAILED;
    return result == STORE_OK;
}
