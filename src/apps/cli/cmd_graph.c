#include "apps/cli/commands.h"
#include "apps/cli/inspect.h"

#include "adapters/process/process.h"
#include "base/num.h"
#include "views/graph_view.h"

enum { DOT_TIMEOUT_MS = 60000, SVG_MAX = 64 << 20 };

/* --- the picture, drawn by the graphviz program --- */

static bool report_dot(struct cli *c, const char *why, const char *hint) {
    struct diag *d = diags_add(&c->diags, DIAG_graphviz_failed, SPAN_NONE, "%s", why);
    diag_set_hint(&c->diags, d, "%s", hint);
    return false;
}

static bool draw_svg(struct cli *c, sv dot, sv *svg) {
    sv search = {0};
    c->host->ops->find_env(c->host->user, &c->arena, SV("PATH"), &search);
    sv program = process_find_program(&c->arena, SV("dot"), search);
    if (program.len == 0)
        return report_dot(c, "there is no program 'dot' to draw the picture",
                          "install graphviz, or choose --format dot or mermaid");
    struct process_strings arguments = {0}, environment = {0};
    process_strings_add(&c->arena, &arguments, SV("dot"));
    process_strings_add(&c->arena, &arguments, SV("-Tsvg"));
    struct process_run run = {
        .program = arena_copy_cstr(&c->arena, program),
        .arguments = process_strings_end(&c->arena, &arguments),
        .environment = process_strings_end(&c->arena, &environment),
        .input = dot,
        .output_max = SVG_MAX,
        .timeout_ms = DOT_TIMEOUT_MS,
    };
    bool is_done = process_run_to_end(&c->arena, &run) && run.status == 0 && !run.is_late && !run.is_too_much;
    *svg = run.output;
    return is_done || report_dot(c, "the program 'dot' could not draw the picture",
                                 "show less of the graph with --focus ADDRESS, or choose --format dot");
}

/* --- what is planned --- */

static const char *get_action_name(enum change_action action) {
    switch (action) {
    case ACTION_CREATE:
        return "create";
    case ACTION_UPDATE:
        return "update";
    case ACTION_REPLACE:
        return "replace";
    case ACTION_DELETE:
        return "delete";
    case ACTION_READ:
        return "read";
    case ACTION_RETAIN:
        return "retain";
    case ACTION_CHECK:
        return "check";
    case ACTION_NONE:
        break;
    }
    return "";
}

/* Nodes get the action that a plan has for them. */
static bool note_plan(struct inspection *i, struct graph_view *view, enum exit_code *code) {
    struct cli *c = i->cli;
    if (!session_choose_instance(&i->session, i->loaded.file)) {
        *code = EXIT_USAGE;
        return false;
    }
    const struct plan *p =
        run_plan(&i->session.config, i->loaded.template, false, i->loaded.inputs, i->loaded.input_count, code);
    if (!p) {
        *code = session_refine_code(c, *code);
        return false;
    }
    struct map notes = MAP(&c->arena);
    for (size_t k = 0; k < p->change_count; k++)
        map_put(&notes, p->changes[k].address.text, (void *)get_action_name(p->changes[k].action));
    for (size_t k = 0; k < view->node_count; k++)
        view->nodes[k].note = sv_from_cstr(map_find(&notes, view->nodes[k].element->address.text));
    return true;
}

/* --- the command --- */

static bool read_scope(struct inspection *i, struct graph_request *r) {
    struct cli *c = i->cli;
    sv focus = settings_get_text(c, "focus");
    struct path property;
    r->depth = settings_is_given(c, "depth") ? (size_t)settings_get_number(c, "depth") : 1;
    if (focus.len == 0 && settings_is_given(c, "depth")) {
        output_usage_error(c, "'--depth' needs '--focus ADDRESS'");
        return false;
    }
    return focus.len == 0 || inspect_find(i, focus, &r->focus, &property);
}

static bool write_view(struct inspection *i, const struct graph_view *view) {
    struct cli *c = i->cli;
    struct buf out = BUF(&c->arena);
    sv format = settings_get_text(c, "format");
    sv text;
    graph_view_write_json(&c->writer, view);
    if (sv_eq(format, SV("mermaid"))) {
        graph_view_write_mermaid(&out, view);
    } else {
        graph_view_write_dot(&out, view);
    }
    text = buf_get_sv(&out);
    if (sv_eq(format, SV("svg")) && !draw_svg(c, text, &text))
        return false;
    output_text(c, text);
    return true;
}

static enum exit_code show_graph(struct inspection *i) {
    struct graph_request request = {.arena = &i->cli->arena, .template = i->expanded};
    struct graph_view view;
    enum exit_code code = EXIT_FAILED;
    if (!read_scope(i, &request))
        return EXIT_USAGE;
    graph_view_make(&request, &view);
    if (settings_get_flag(i->cli, "plan") && !note_plan(i, &view, &code))
        return code;
    return write_view(i, &view) ? output_get_check_code(i->cli) : EXIT_FAILED;
}

enum exit_code cmd_graph_run(struct cli *c) {
    struct inspection inspection = {0};
    struct inspect_request request = {0};
    if (!template_choose_file(c, &request.file))
        return EXIT_USAGE;
    enum exit_code code = inspect_open(c, &request, &inspection) ? show_graph(&inspection) : output_get_input_code(c);
    inspect_close(&inspection);
    return code;
}
