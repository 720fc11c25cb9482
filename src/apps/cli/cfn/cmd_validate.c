#include "apps/cli/cfn/commands.h"
#include "apps/cli/cfn/stack.h"

#include "dialects/cfn/describe.h"
#include "text/render.h"

static void write_sarif(struct cli *c) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 2);
    struct render_options options = {.mask = &c->mask};
    render_diags_sarif(&w, &c->diags, &options);
    buf_append_char(&out, '\n');
    output_text(c, buf_get_sv(&out));
}

static void write_junit(struct cli *c) {
    struct buf out = BUF(&c->arena);
    struct render_options options = {.mask = &c->mask};
    const struct diag **items = ARENA_ARRAY(&c->arena, const struct diag *, c->diags.items.len + 1);
    struct checked_file file = {.name = c->arguments.items[0], .items = items};
    diags_sort(&c->diags);
    for (size_t i = 0; i < c->diags.items.len; i++)
        items[file.count++] = c->diags.items.items[i];
    render_junit(&out, &c->diags, &file, 1, &options);
    output_text(c, buf_get_sv(&out));
}

static void show(struct cli *c, enum exit_code code) {
    sv format = settings_get_text(c, "format");
    output_settle_diagnostics(c);
    if (sv_eq(format, SV("sarif")) && !c->json)
        write_sarif(c);
    else if (sv_eq(format, SV("junit")) && !c->json)
        write_junit(c);
    else if (code == EXIT_OK && !c->quiet)
        output_text(
            c, arena_printf(&c->arena, "%.*s is valid\n", SV_ARG(render_escape(&c->arena, c->arguments.items[0]))));
}

enum exit_code cmd_cfn_validate_run(struct cli *c) {
    struct stack s;
    enum exit_code code = EXIT_INVALID;
    bool is_open = stack_open(&s, c, &code);
    if (is_open) {
        s.options.is_validation = true;
        stack_start(&s);
        if (cfn_run_check(s.run)) {
            cfn_run_report_unused(s.run);
            if (cfn_run_resolve(s.run))
                cfn_run_resolve_nested(s.run, &s.nested);
        }
        code = stack_get_code(c);
    }
    if (is_open || code == EXIT_INVALID) {
        jsonw_put_bool(&c->writer, "valid", code == EXIT_OK);
        show(c, code);
    }
    stack_close(&s);
    return code;
}
