#include "apps/cli/commands.h"
#include "apps/cli/differences.h"

#include "engine/drift.h"

static void write_drift(struct cli *c, const struct drift_report *r, enum secrecy secrecy) {
    struct jsonw *j = &c->writer;
    jsonw_key(j, SV("instance"));
    jsonw_begin_object(j);
    jsonw_put_text(j, "id", r->instance.id);
    jsonw_put_text(j, "name", r->instance.name);
    jsonw_put_i64(j, "version", r->instance.version);
    jsonw_end_object(j);
    jsonw_put_i64(j, "checked", (int64_t)r->checked);
    jsonw_put_i64(j, "cleared", (int64_t)r->cleared);
    jsonw_put_i64(j, "interrupted", (int64_t)r->interrupted);
    jsonw_key(j, SV("drift"));
    jsonw_begin_array(j);
    for (size_t i = 0; i < r->count; i++) {
        const struct change *found = &r->items[i];
        jsonw_begin_object(j);
        jsonw_put_text(j, "address", found->address.text);
        jsonw_put_text(j, "type", found->type);
        jsonw_put_text(j, "physicalId", found->physical_id);
        jsonw_put_text(j, "kind", found->missing ? SV("missing") : SV("changed"));
        jsonw_key(j, SV("differences"));
        differences_write_json(j, &c->arena, &found->diff, secrecy);
        jsonw_end_object(j);
    }
    jsonw_end_array(j);
}

static void render_drift(struct cli *c, const struct drift_report *r, enum secrecy secrecy) {
    struct buf out = BUF(&c->arena);
    struct difference_writer w = {.out = &out, .color = c->color_out, .secrecy = secrecy};
    for (size_t i = 0; i < r->count; i++) {
        const struct change *found = &r->items[i];
        buf_printf(&out, "  %s%.*s%s (%.*s) %s\n", output_start_color(w.color, "yellow"),
                   SV_ARG(render_escape(&c->arena, found->address.text)), output_end_color(w.color),
                   SV_ARG(found->type), found->missing ? "is gone" : "differs from its stored state:");
        differences_render(&w, &found->diff);
    }
    buf_printf(&out, "%sInstance %.*s: %zu of %zu objects read %s drifted.\n", r->count > 0 ? "\n" : "",
               SV_ARG(render_escape(&c->arena, r->instance.name)), r->count, r->checked,
               r->count == 1 ? "has" : "have");
    output_text(c, buf_get_sv(&out));
    if (r->interrupted > 0)
        output_note(c, "%zu operations were cut off; their elements are left out: see lintel reconcile",
                    r->interrupted);
}

static enum exit_code check(struct session *s, enum secrecy secrecy) {
    struct cli *c = s->cli;
    if (!session_choose_instance(s, SV("blueprint.yaml")))
        return EXIT_USAGE;
    if (!session_await_others(s))
        return cli_get_signal_code(c, session_get_error_code(c));
    const struct setting *parallel = settings_find(c, SV("parallel"));
    if (parallel != NULL && parallel->origin != ORIGIN_DEFAULT)
        s->config.readers = s->config.parallel;
    struct drift_report report;
    enum exit_code code = run_drift(&s->config, &report);
    bool is_whole = code == EXIT_OK || code == EXIT_DRIFT;
    if (is_whole || report.count > 0) {
        write_drift(c, &report, secrecy);
        render_drift(c, &report, secrecy);
    }
    return cli_get_signal_code(c, session_refine_code(c, code));
}

enum exit_code cmd_drift_run(struct cli *c) {
    enum secrecy secrecy;
    struct session session = {0};
    if (!secrecy_choose(c, &secrecy))
        return EXIT_USAGE;
    enum exit_code code =
        session_open(c, &session, SESSION_WRITE) ? check(&session, secrecy) : session_get_error_code(c);
    session_close(&session);
    return code;
}
