#include "apps/cli/commands.h"
#include "apps/cli/consent.h"
#include "apps/cli/queueing.h"
#include "apps/cli/scope.h"
#include "apps/cli/timings.h"

#include "value/convert.h"

#include <errno.h>
#include <string.h>

/* Told here, where the place is known. */
static bool is_json(struct cli *c, struct source *source) {
    sv why;
    size_t offset = 0;
    if (!value_is_error(value_parse_json(&c->arena, source->bytes, &c->limits, true, &why, &offset)))
        return true;
    diags_add(&c->diags, DIAG_invalid_plan_file, span_make(source, offset, 0), "this is no plan: %.*s", SV_ARG(why));
    return false;
}

struct plan *deploy_read_plan(struct session *s, sv path) {
    struct cli *c = s->cli;
    struct source *source = NULL;
    int error = 0;
    enum source_read r = sources_read_file(&c->sources, path, c->limits.document_bytes, &source, &error);
    if (r != SOURCE_READ_OK) {
        diags_add(&c->diags, DIAG_file_not_readable, SPAN_NONE, "the plan '%.*s' cannot be read: %s",
                  SV_ARG(render_escape(&c->arena, path)),
                  r == SOURCE_READ_TOO_LARGE ? "it is too large" : strerror(error));
        return NULL;
    }
    return is_json(c, source) ? plan_read_json(&c->arena, source->bytes, s->sealer, &c->diags) : NULL;
}

static void show_exports(struct session *s) {
    struct cli *c = s->cli;
    struct instance_view view = {0};
    if (c->quiet || !run_view_instance(&s->config, &view) || view.export_count == 0)
        return;
    struct buf out = BUF(&c->arena);
    buf_append_cstr(&out, "\nExports:\n");
    for (size_t i = 0; i < view.export_count; i++) {
        buf_printf(&out, "  %.*s = ", SV_ARG(render_escape(&c->arena, view.exports[i].name)));
        value_render(&out, view.exports[i].item, 400, REDACT);
        buf_append_char(&out, '\n');
    }
    output_text(c, buf_get_sv(&out));
}

static const char *describe_end(const struct plan *p, enum exit_code code) {
    if (code == EXIT_STALE || code == EXIT_LOCKED || code == EXIT_DRIFT)
        return "is as it was: nothing was done";
    if (code != EXIT_OK && p->rollback)
        return "is not rolled back: 'lintel rollback' goes on from here";
    if (code != EXIT_OK)
        return "is not finished: deploying or destroying it goes on from here";
    if (p->rollback)
        return "rolled back";
    if (p->destroy)
        return plan_is_limited(p) ? "is as the plan says: what was chosen is destroyed" : "destroyed";
    return p->instance_version == 0 ? "deployed" : "updated";
}

/* Nothing to show and nothing to ask: one line at the end says it all. */
static bool is_nothing_to_do(const struct plan *p) {
    return plan_is_empty(p) && !p->destroy && !p->rollback && p->drift_count == 0 && !p->has_interrupted;
}

void deploy_say_end(struct cli *c, const struct plan *p, enum exit_code code) {
    if (c->quiet && code == EXIT_OK)
        return;
    sv name = render_escape(&c->arena, p->instance_name);
    if (code == EXIT_OK && is_nothing_to_do(p)) {
        const char *what = plan_is_limited(p) ? ": nothing to do in what was chosen" : " is up to date: nothing to do";
        output_text(c, arena_printf(&c->arena, "Instance %.*s%s.\n", SV_ARG(name), what));
        return;
    }
    output_text(c, arena_printf(&c->arena, "\nInstance %.*s %s.\n", SV_ARG(name), describe_end(p, code)));
}

void deploy_write_plan_event(struct cli *c, const struct plan *p) {
    if (!output_wants_events(c))
        return;
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("plan"));
    jsonw_key(&w, SV("plan"));
    plan_write_json(&w, p, NULL);
    jsonw_end_object(&w);
    output_event_line(c, buf_get_sv(&out));
}

/* Only of what has begun: a plan that was stale or met a lock has changed nothing. */
static bool wants_rollback(const struct cli *c, const struct plan *p, enum exit_code code) {
    bool is_deployment = !p->destroy && !p->rollback;
    return is_deployment && (code == EXIT_FAILED || code == EXIT_PART_WAY) && settings_get_flag(c, "rollback");
}

enum exit_code deploy_carry_out(struct session *s, const struct template *t, const struct plan *p) {
    struct cli *c = s->cli;
    struct buf text = BUF(&c->arena);
    if (!is_nothing_to_do(p))
        plan_render(&text, p, c->color_out, REDACT);
    if (p->rollback)
        rollback_render(c, &text, p->rollback);
    if (!c->quiet || consent_may_ask(c)) /* nobody consents to what is not shown */
        output_text(c, buf_get_sv(&text));
    deploy_write_plan_event(c, p);
    enum consent consent = consent_get(c, p);
    if (consent != CONSENT_GIVEN && consent != CONSENT_BY_KIND) {
        output_note(c, "nothing was done");
        return cli_get_signal_code(c, EXIT_USAGE);
    }
    if (!plan_is_empty(p) && !c->json)
        output_note(c, "%s", "");
    /* Whoever has seen the plan has seen the drift in it (BP-421 (3)). */
    bool is_unseen = consent == CONSENT_BY_KIND || settings_get_flag(c, "auto-approve");
    s->config.accept_drift = s->config.accept_drift || !is_unseen;
    if (settings_get_flag(c, "queue"))
        return run_needs_consent(&s->config, p) ? EXIT_DRIFT : queueing_add(s, p);
    struct progress *progress = progress_new(c);
    struct timings *timings = timings_new(c, p);
    if (!timings_begin(timings))
        return EXIT_FAILED;
    progress_set_timings(progress, timings);
    if (is_nothing_to_do(p))
        progress_set_idle(progress);
    s->config.on_event = progress_on_event;
    s->config.on_rescue = rescue_on_line;
    s->config.user = progress;
    enum exit_code code = run_deploy(&s->config, t, p);
    bool rolls_back = wants_rollback(c, p, code);
    if (rolls_back)
        progress_hold_summary(progress);
    progress_end(progress);
    deploy_say_end(c, p, code);
    if (code == EXIT_OK && !p->destroy)
        show_exports(s);
    bool is_told = timings_end(timings);
    if (rolls_back)
        return rollback_after_failure(s, p, code);
    return is_told || code != EXIT_OK ? code : EXIT_FAILED;
}

/* A plan file holds the text of its template and the inputs (LC-003). */
static enum exit_code deploy_saved_plan(struct session *s) {
    struct cli *c = s->cli;
    const struct plan *p = deploy_read_plan(s, settings_get_text(c, "plan"));
    if (!p)
        return EXIT_INVALID;
    s->config.instance_id = SV("");
    s->config.instance_name = p->instance_name;
    s->config.context = p->context;
    struct template *t = NULL;
    if (!p->destroy && !template_load_from_plan(c, p, &t))
        return EXIT_INVALID;
    s->config.fetcher = c->fetcher;
    return deploy_carry_out(s, t, p);
}

static enum exit_code deploy_file(struct session *s, const struct loaded *l) {
    enum exit_code code = EXIT_FAILED;
    if (!session_choose_instance(s, l->file))
        return EXIT_USAGE;
    if (!session_await_others(s))
        return cli_get_signal_code(s->cli, session_get_error_code(s->cli));
    scope_collect(s->cli, &s->config.scope);
    const struct plan *p = run_plan(&s->config, l->template, false, l->inputs, l->input_count, &code);
    if (!p)
        return session_refine_code(s->cli, code);
    return deploy_carry_out(s, l->template, p);
}

enum exit_code cmd_deploy_run(struct cli *c) {
    struct loaded loaded = {0};
    struct session session = {0};
    bool saved = settings_is_given(c, "plan");
    if (!queueing_check_options(c))
        return EXIT_USAGE;
    if (saved && c->arguments.len > 0)
        return output_usage_error(c, "a saved plan holds its blueprint: give either --plan or FILE");
    if (saved && (settings_is_given(c, "instance") || settings_is_given(c, "instance-id")))
        return output_usage_error(c, "a saved plan names its instance: give either --plan or --instance");
    if (saved && !scope_check_saved(c))
        return EXIT_USAGE;
    if (!saved && !template_choose_file(c, &loaded.file))
        return EXIT_USAGE;
    if (!saved && !template_load(c, loaded.file, &loaded))
        return cli_get_signal_code(c, output_get_input_code(c));
    if (!consent_is_possible(c))
        return EXIT_USAGE;
    enum exit_code code;
    if (!session_open(c, &session, SESSION_WRITE))
        code = session_get_error_code(c);
    else
        code = saved ? deploy_saved_plan(&session) : deploy_file(&session, &loaded);
    session_close(&session);
    return code;
}
