#include "apps/cli/commands.h"
#include "apps/cli/session.h"

static const struct export_record *find_export(const struct instance_view *view, sv name) {
    for (size_t i = 0; i < view->export_count; i++) {
        if (sv_eq(view->exports[i].name, name))
            return &view->exports[i];
    }
    return NULL;
}

static enum exit_code report_missing(struct cli *c, const struct instance_view *view, sv name) {
    struct hint hint = HINT(name);
    for (size_t i = 0; i < view->export_count; i++)
        hint_offer(&hint, view->exports[i].name);
    diags_add(&c->diags, DIAG_child_export_not_found, SPAN_NONE, "the instance '%.*s' has no export '%.*s'",
              SV_ARG(view->instance.name), SV_ARG(render_escape(&c->arena, sv_slice(name, 0, 80))));
    output_add_hint(c, &hint, "");
    return EXIT_INVALID;
}

static void write_export(struct jsonw *w, const struct export_record *e, enum secrecy secrecy) {
    jsonw_key(w, e->name);
    jsonw_begin_object(w);
    jsonw_put_text(w, "type", e->type);
    jsonw_put_bool(w, "sensitive", value_is_sensitive(e->item));
    jsonw_key(w, SV("value"));
    value_write_json(w, e->item, secrecy);
    jsonw_end_object(w);
}

/* The bare text of one export, for scripts. */
static void render_raw(struct buf *out, value v, enum secrecy secrecy) {
    if (secrecy == REDACT && value_is_sensitive(v))
        buf_append_cstr(out, "(sensitive)");
    else if (value_is_scalar(v))
        value_print_scalar(out, v);
    else
        buf_append(out, value_print_json(out->arena, v, 0, secrecy));
    buf_append_char(out, '\n');
}

static enum exit_code show(struct cli *c, const struct instance_view *view, enum secrecy secrecy) {
    sv only = c->arguments.len > 0 ? c->arguments.items[0] : SV("");
    if (only.len > 0 && !find_export(view, only))
        return report_missing(c, view, only);
    struct buf out = BUF(&c->arena);
    jsonw_key(&c->writer, SV("exports"));
    jsonw_begin_object(&c->writer);
    for (size_t i = 0; i < view->export_count; i++) {
        const struct export_record *e = &view->exports[i];
        if (only.len > 0 && !sv_eq(only, e->name))
            continue;
        write_export(&c->writer, e, secrecy);
        if (settings_get_flag(c, "raw")) {
            render_raw(&out, e->item, secrecy);
            continue;
        }
        buf_printf(&out, "%.*s = ", SV_ARG(render_escape(&c->arena, e->name)));
        value_render(&out, e->item, 4096, secrecy);
        buf_append_char(&out, '\n');
    }
    jsonw_end_object(&c->writer);
    output_text(c, buf_get_sv(&out));
    return EXIT_OK;
}

static enum exit_code show_instance(struct session *s, enum secrecy secrecy) {
    struct instance_view view = {0};
    if (!session_choose_instance(s, SV("blueprint.yaml")))
        return EXIT_USAGE;
    if (!run_view_instance(&s->config, &view))
        return session_get_error_code(s->cli);
    return show(s->cli, &view, secrecy);
}

enum exit_code cmd_output_run(struct cli *c) {
    enum secrecy secrecy;
    struct session session = {0};
    if (!secrecy_choose(c, &secrecy))
        return EXIT_USAGE;
    if (settings_get_flag(c, "raw") && c->arguments.len == 0)
        return output_usage_error(c, "'--raw' needs the NAME of one export");
    enum exit_code code =
        session_open(c, &session, SESSION_READ) ? show_instance(&session, secrecy) : session_get_error_code(c);
    session_close(&session);
    return code;
}
