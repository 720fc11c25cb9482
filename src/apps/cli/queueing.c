#include "apps/cli/queueing.h"

#include "engine/fields.h"
#include "engine/queue.h"
#include "value/convert.h"

enum { PAGE = 64, WAIT_MS = 1000 };

bool queueing_check_options(struct cli *c) {
    if (settings_get_flag(c, "queue") && settings_get_flag(c, "rollback")) {
        output_usage_error(c, "a queued run is not rolled back by itself: leave out --queue or --rollback");
        diag_set_hint(&c->diags, *VEC_LAST(&c->diags.items), "after a failure: lintel rollback");
        return false;
    }
    if (!settings_get_flag(c, "wait") || settings_get_flag(c, "queue"))
        return true;
    output_usage_error(c, "'--wait' goes with '--queue': without it the run is always waited for");
    return false;
}

/* --- following --- */

struct follower {
    struct session *session;
    sv run_id;
    int64_t sequence; /* of the last events shown */
    struct store_run run;
    bool has_summary;
};

static void say_element(struct cli *c, value event) {
    sv address = field_get_text(event, "address"), status = field_get_text(event, "status");
    if (sv_eq(field_get_text(event, "phase"), SV("ended"))) {
        struct buf elapsed = BUF(&c->arena);
        output_render_duration(&elapsed, field_get_int(event, "elapsedMs"));
        output_note(c, "  %.*s %.*s (%.*s)", SV_ARG(render_escape(&c->arena, address)), SV_ARG(status),
                    SV_ARG(buf_get_sv(&elapsed)));
        return;
    }
    output_note(c, "  %.*s %.*s", SV_ARG(render_escape(&c->arena, address)), SV_ARG(field_get_text(event, "action")));
}

static void say_message(struct cli *c, value event) {
    sv address = field_get_text(event, "address");
    output_note(c, "%s%.*s%s%.*s", address.len > 0 ? "  " : "", SV_ARG(render_escape(&c->arena, address)),
                address.len > 0 ? ": " : "", SV_ARG(render_escape(&c->arena, field_get_text(event, "text"))));
}

/* What the worker found: it is no diagnostic of ours, whose sources are here. */
static void show_diagnostic(struct cli *c, value summary, value diagnostic) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("diagnostic"));
    jsonw_put_i64(&w, "wallMs", field_get_int(summary, "wallMs"));
    jsonw_put_i64(&w, "monotonicMs", field_get_int(summary, "monotonicMs"));
    jsonw_key(&w, SV("diagnostic"));
    value_write_json(&w, diagnostic, REDACT);
    jsonw_end_object(&w);
    output_event_line(c, buf_get_sv(&out));
    if (c->json)
        return;
    sv hint = field_get_text(diagnostic, "hint");
    output_note(c, "%.*s[%.*s]: %.*s", SV_ARG(field_get_text(diagnostic, "severity")),
                SV_ARG(field_get_text(diagnostic, "code")),
                SV_ARG(render_escape(&c->arena, field_get_text(diagnostic, "message"))));
    if (hint.len > 0)
        output_note(c, "   = hint: %.*s", SV_ARG(render_escape(&c->arena, hint)));
}

/* The worker's last line becomes part of ours. */
static void take_summary(struct follower *f, value summary) {
    struct cli *c = f->session->cli;
    const value *items = NULL;
    size_t count = field_get_items(summary, "diagnostics", &items);
    for (size_t i = 0; i < count; i++)
        show_diagnostic(c, summary, items[i]);
    f->has_summary = value_is_set(field_get_value(summary, "done"));
    if (!f->has_summary)
        return;
    jsonw_put_text(&c->writer, "outcome", field_get_text(summary, "outcome"));
    jsonw_key(&c->writer, SV("done"));
    value_write_json(&c->writer, field_get_value(summary, "done"), REDACT);
    jsonw_put_i64(&c->writer, "elapsedMs", field_get_int(summary, "elapsedMs"));
}

static void show_event(struct follower *f, sv line) {
    struct cli *c = f->session->cli;
    sv why;
    size_t offset;
    value event = value_parse_json(&c->arena, line, &c->limits, true, &why, &offset);
    sv type = event.kind == VALUE_MAP ? field_get_text(event, "type") : SV("version");
    if (sv_eq(type, SV("version")))
        return; /* ours has been written */
    if (sv_eq(type, SV("summary"))) {
        take_summary(f, event);
        return;
    }
    output_event_line(c, line);
    if (c->json)
        return;
    if (sv_eq(type, SV("element")))
        say_element(c, event);
    else if (sv_eq(type, SV("message")))
        say_message(c, event);
}

static bool show_page(struct follower *f, bool *is_last) {
    struct store *store = f->session->store;
    struct store_events *items = NULL;
    size_t count = 0;
    struct arena *a = &f->session->cli->arena;
    struct store_events_request page = {.run_id = f->run_id, .after = f->sequence, .limit = PAGE};
    if (store->ops->list_events(store, a, &page, &items, &count) != STORE_OK)
        return false;
    for (size_t i = 0; i < count; i++) {
        sv rest = items[i].body;
        while (rest.len > 0)
            show_event(f, sv_cut(&rest, '\n'));
        f->sequence = items[i].sequence;
    }
    *is_last = count < PAGE;
    return true;
}

static bool is_over(const struct store_run *run) {
    return run->status == STORE_RUN_ENDED || run->status == STORE_RUN_CANCELLED;
}

/* The run is looked at before its events, so that none is left when it is over. */
static bool look(struct follower *f) {
    struct store *store = f->session->store;
    enum store_result r = store->ops->find_run(store, &f->session->cli->arena, f->run_id, &f->run);
    if (r == STORE_NOT_FOUND)
        diags_add(&f->session->cli->diags, DIAG_run_not_found, SPAN_NONE, "the run '%.*s' is in the queue no more",
                  SV_ARG(f->run_id));
    bool ok = r == STORE_OK;
    for (bool is_last = false; ok && !is_last;)
        ok = show_page(f, &is_last);
    return ok;
}

static enum exit_code get_end(struct follower *f) {
    struct cli *c = f->session->cli;
    if (f->run.status == STORE_RUN_CANCELLED) {
        diags_add(&c->diags, DIAG_run_cancelled, SPAN_NONE, "the run '%.*s' was cancelled", SV_ARG(f->run_id));
        return EXIT_FAILED;
    }
    output_text(c, arena_printf(&c->arena, "\nInstance %.*s: %.*s.\n",
                                SV_ARG(render_escape(&c->arena, f->run.instance_name)), SV_ARG(f->run.outcome)));
    return (enum exit_code)f->run.exit_code;
}

static enum exit_code follow(struct session *s, sv run_id) {
    struct follower f = {.session = s, .run_id = run_id};
    for (;;) {
        if (!look(&f))
            return session_get_error_code(s->cli);
        if (is_over(&f.run))
            return get_end(&f);
        if (atomic_load(s->config.signals) > 0) {
            output_note(s->cli, "the run %.*s goes on without us; 'lintel queue' shows it", SV_ARG(run_id));
            return EXIT_SIGINT;
        }
        s->store->ops->await_news(s->store, WAIT_MS);
    }
}

/* --- adding --- */

static void say_queued(struct cli *c, sv run_id, const struct plan *p) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("run"));
    jsonw_put_text(&w, "runId", run_id);
    jsonw_put_text(&w, "phase", SV("queued"));
    jsonw_put_i64(&w, "wallMs", c->host->ops->get_wall_ms(c->host->user));
    jsonw_put_i64(&w, "monotonicMs", c->host->ops->get_monotonic_ms(c->host->user));
    jsonw_put_text(&w, "kind", p->destroy ? SV("destroy") : SV("deploy"));
    jsonw_put_text(&w, "instanceId", p->instance_id);
    jsonw_put_text(&w, "instanceName", p->instance_name);
    jsonw_end_object(&w);
    output_event_line(c, buf_get_sv(&out));
    output_text(c, arena_printf(&c->arena, "queued as run %.*s\n", SV_ARG(run_id)));
}

enum exit_code queueing_add(struct session *s, const struct plan *p) {
    sv run_id;
    if (!queue_add(&s->config, p, &run_id))
        return session_get_error_code(s->cli);
    say_queued(s->cli, run_id, p);
    return settings_get_flag(s->cli, "wait") ? follow(s, run_id) : EXIT_OK;
}
