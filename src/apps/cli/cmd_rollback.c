/* Rolling back by hand, and after a run that failed (BP-520 to BP-523). */
#include "apps/cli/commands.h"
#include "apps/cli/consent.h"

#include "engine/rollback.h"

/* --- what the plan does not say --- */

static void render_skipped(struct cli *c, struct buf *out, const struct rollback_skip *s) {
    buf_printf(out, "  %.*s (%.*s)", SV_ARG(render_escape(&c->arena, s->name)), SV_ARG(s->type));
    if (s->child.len > 0)
        buf_printf(out, " of %.*s", SV_ARG(render_escape(&c->arena, s->child)));
    buf_append_cstr(out, ", ");
    status_render(out, s->status);
    buf_printf(out, ": %.*s\n", SV_ARG(s->reason));
}

void rollback_render(struct cli *c, struct buf *out, const struct rollback *r) {
    for (size_t i = 0; i < r->taken.len; i++)
        buf_printf(out, "%s  %.*s\n", i == 0 ? "\nTaken back into the state, the object is still there:\n" : "",
                   SV_ARG(render_escape(&c->arena, r->taken.items[i].address)));
    for (size_t i = 0; i < r->skipped.len; i++) {
        buf_append_cstr(out, i == 0 ? "\nNot rolled back:\n" : "");
        render_skipped(c, out, &r->skipped.items[i]);
    }
}

void rollback_write_json(struct jsonw *w, const struct rollback *r) {
    jsonw_key(w, SV("takenBack"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < r->taken.len; i++)
        jsonw_text(w, r->taken.items[i].address);
    jsonw_end_array(w);
    jsonw_key(w, SV("skipped"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < r->skipped.len; i++) {
        const struct rollback_skip *s = &r->skipped.items[i];
        jsonw_begin_object(w);
        jsonw_put_text(w, "address", s->address);
        jsonw_put_text(w, "name", s->name);
        jsonw_put_text(w, "type", s->type);
        jsonw_put_text(w, "child", s->child);
        jsonw_put_text(w, "status", status_get_text(s->status));
        jsonw_put_text(w, "reason", s->reason);
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
}

/* --- after a failure --- */

static void say_rolling_back(struct cli *c, const struct plan *p) {
    struct buf text = BUF(&c->arena);
    buf_append_cstr(&text, "\nRolling back:\n");
    plan_render(&text, p, c->color_out, REDACT);
    rollback_render(c, &text, p->rollback);
    if (!c->quiet)
        output_text(c, buf_get_sv(&text));
    deploy_write_plan_event(c, p);
}

enum exit_code rollback_after_failure(struct session *s, const struct plan *failed, enum exit_code code) {
    struct cli *c = s->cli;
    enum exit_code plan_code;
    sv why_not;
    s->config.instance_id = failed->instance_id;
    s->config.instance_name = SV("");
    s->config.refresh = true;
    const struct plan *p = run_plan_rollback(&s->config, &why_not, &plan_code);
    if (!p) {
        if (why_not.len > 0)
            output_note(c, "there is nothing to roll back: %.*s", SV_ARG(why_not));
        return why_not.len > 0 ? code : EXIT_PART_WAY;
    }
    if (p->rollback->undoes > 0) { /* it is not in the journal: what would be led back is the run before it */
        output_note(c, "there is nothing to roll back: the run has not begun");
        return code;
    }
    say_rolling_back(c, p);
    if (!guard_allows(c, p))
        return EXIT_PART_WAY;
    struct progress *progress = progress_new(c);
    s->config.user = progress;
    enum exit_code end = run_deploy(&s->config, p->expanded, p);
    progress_end(progress);
    deploy_say_end(c, p, end);
    if (end == EXIT_OK)
        return EXIT_ROLLED_BACK;
    return end == EXIT_FAILED ? EXIT_PART_WAY : end;
}

/* --- the command --- */

static enum exit_code say_nothing(struct session *s, sv why_not) {
    struct cli *c = s->cli;
    jsonw_put_text(&c->writer, "outcome", SV("unchanged"));
    jsonw_put_text(&c->writer, "reason", why_not);
    output_text(c, arena_printf(&c->arena, "There is nothing to roll back: %.*s.\n", SV_ARG(why_not)));
    return EXIT_OK;
}

static enum exit_code show_only(struct cli *c, const struct plan *p) {
    struct buf text = BUF(&c->arena);
    plan_render(&text, p, c->color_out, REDACT);
    rollback_render(c, &text, p->rollback);
    output_text(c, buf_get_sv(&text));
    deploy_write_plan_event(c, p);
    jsonw_put_text(&c->writer, "outcome", SV("planned"));
    rollback_write_json(&c->writer, p->rollback);
    return EXIT_OK;
}

static enum exit_code roll_back(struct session *s, bool dry_run) {
    struct cli *c = s->cli;
    enum exit_code code = EXIT_FAILED;
    sv why_not;
    if (!session_choose_instance(s, SV("blueprint.yaml")))
        return EXIT_USAGE;
    if (!session_await_others(s))
        return cli_get_signal_code(c, session_get_error_code(c));
    const struct plan *p = run_plan_rollback(&s->config, &why_not, &code);
    if (!p)
        return why_not.len > 0 ? say_nothing(s, why_not) : session_refine_code(c, code);
    return dry_run ? show_only(c, p) : deploy_carry_out(s, p->expanded, p);
}

enum exit_code cmd_rollback_run(struct cli *c) {
    struct session session = {0};
    bool dry_run = settings_get_flag(c, "dry-run");
    if (!dry_run && !consent_is_possible(c))
        return EXIT_USAGE;
    enum exit_code code;
    if (!session_open(c, &session, dry_run ? SESSION_READ : SESSION_WRITE))
        code = session_get_error_code(c);
    else
        code = roll_back(&session, dry_run);
    session_close(&session);
    return code;
}
