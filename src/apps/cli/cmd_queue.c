#include "apps/cli/commands.h"
#include "apps/cli/session.h"

#include "engine/queue.h"
#include "model/lease.h"

/* --- showing --- */

/* A run whose worker is gone waits for another. */
static sv get_state(struct session *s, const struct store_run *run) {
    struct store_tree tree = {0};
    if (run->status != STORE_RUN_RUNNING)
        return queue_get_status_name(run->status);
    struct arena scratch = {0};
    enum store_result r = s->store->ops->load_tree(s->store, &scratch, run->instance_id, &tree);
    bool is_held = r == STORE_OK && tree.lease.holder.len > 0 && lease_is_held(s->config.host, &tree.lease);
    arena_fini(&scratch);
    return is_held ? SV("running") : SV("interrupted");
}

static void write_run(struct session *s, const struct store_run *run, sv state) {
    struct jsonw *w = &s->cli->writer;
    jsonw_begin_object(w);
    jsonw_put_text(w, "runId", run->id);
    jsonw_put_text(w, "status", state);
    jsonw_put_text(w, "kind", run->kind);
    jsonw_put_text(w, "instanceId", run->instance_id);
    jsonw_put_text(w, "instanceName", run->instance_name);
    jsonw_put_text(w, "context", run->context);
    jsonw_put_text(w, "actor", run->actor);
    jsonw_put_i64(w, "createdMs", run->created_ms);
    jsonw_put_i64(w, "takes", run->takes);
    if (run->taken_ms > 0)
        jsonw_put_i64(w, "takenMs", run->taken_ms);
    if (run->ended_ms > 0)
        jsonw_put_i64(w, "endedMs", run->ended_ms);
    if (run->status == STORE_RUN_ENDED) {
        jsonw_put_text(w, "outcome", run->outcome);
        jsonw_put_i64(w, "runExitCode", run->exit_code);
    }
    jsonw_end_object(w);
}

static void show_run(struct session *s, struct buf *out, const struct store_run *run) {
    struct arena *a = &s->cli->arena;
    sv state = get_state(s, run);
    write_run(s, run, state);
    bool is_ended = run->status == STORE_RUN_ENDED;
    sv shown = is_ended ? arena_printf(a, "%.*s, exit %lld", SV_ARG(run->outcome), (long long)run->exit_code) : state;
    buf_printf(out, "%.*s  %-8.*s %-24.*s %-24.*s %.*s\n", SV_ARG(run->id), SV_ARG(run->kind),
               SV_ARG(render_escape(a, run->instance_name)), SV_ARG(shown), SV_ARG(render_escape(a, run->actor)));
}

static enum exit_code list(struct session *s) {
    struct cli *c = s->cli;
    struct store_run *items = NULL;
    size_t count = 0;
    sv context = settings_get_flag(c, "all-contexts") ? SV("") : s->config.context;
    bool is_open = !settings_get_flag(c, "all");
    if (s->store->ops->list_runs(s->store, &c->arena, context, is_open, &items, &count) != STORE_OK)
        return session_get_error_code(c);
    struct buf out = BUF(&c->arena);
    buf_append_cstr(&out, count > 0 ? "RUN                         KIND     INSTANCE                 STATUS"
                                      "                   ACTOR\n"
                                    : "no runs in the queue\n");
    jsonw_key(&c->writer, SV("runs"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 0; i < count; i++)
        show_run(s, &out, &items[i]);
    jsonw_end_array(&c->writer);
    output_text(c, buf_get_sv(&out));
    return EXIT_OK;
}

/* --- cancelling --- */

static enum exit_code cancel(struct session *s) {
    struct cli *c = s->cli;
    enum exit_code code = EXIT_OK;
    jsonw_key(&c->writer, SV("cancelled"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 1; i < c->arguments.len && code == EXIT_OK; i++) {
        sv id = c->arguments.items[i];
        if (!queue_cancel(&s->config, id, &code))
            break;
        jsonw_text(&c->writer, id);
        output_text(c, arena_printf(&c->arena, "cancelled %.*s\n", SV_ARG(id)));
    }
    jsonw_end_array(&c->writer);
    return session_refine_code(c, code);
}

enum exit_code cmd_queue_run(struct cli *c) {
    struct session session = {0};
    bool cancels = c->arguments.len > 0 && sv_eq(c->arguments.items[0], SV("cancel"));
    if (cancels && c->arguments.len < 2)
        return output_usage_error(c, "which run is to be cancelled? 'lintel queue' shows their ids");
    if (!cancels && c->arguments.len > 1)
        return output_usage_error(c, "'queue list' takes no run");
    if (!session_open(c, &session, cancels ? SESSION_WRITE : SESSION_LOOK)) {
        session_close(&session);
        return session_get_error_code(c);
    }
    enum exit_code code = cancels ? cancel(&session) : list(&session);
    session_close(&session);
    return code;
}
