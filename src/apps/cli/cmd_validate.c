#include "apps/cli/session.h"

#include "apps/cli/commands.h"

static void write_sarif(struct cli *c) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 2);
    struct render_options options = {.mask = &c->mask};
    render_diags_sarif(&w, &c->diags, &options);
    buf_append_char(&out, '\n');
    output_text(c, buf_get_sv(&out));
}

enum exit_code cmd_validate_run(struct cli *c) {
    sv format = settings_get_text(c, "format");
    if (sv_eq(format, SV("json")))
        c->json = true;
    sv file;
    if (!template_choose_file(c, &file))
        return EXIT_USAGE;
    size_t count = c->arguments.len > 0 ? c->arguments.len : 1;
    jsonw_key(&c->writer, SV("files"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 0; i < count; i++) {
        sv one = c->arguments.len > 0 ? c->arguments.items[i] : file;
        template_check(c, one);
        jsonw_text(&c->writer, one);
    }
    jsonw_end_array(&c->writer);
    enum exit_code code = output_get_check_code(c);
    jsonw_put_bool(&c->writer, "valid", code == EXIT_OK);
    if (code == EXIT_INVALID)
        jsonw_put_text(&c->writer, "code", diags_get_result_code(&c->diags, false));
    if (sv_eq(format, SV("sarif")) && !c->json)
        write_sarif(c);
    else if (code == EXIT_OK && !c->quiet)
        output_text(
            c, arena_printf(&c->arena, "%s valid\n",
                            count == 1 ? arena_printf(&c->arena, "%.*s is", SV_ARG(render_escape(&c->arena, file))).data
                                       : "all files are"));
    return code;
}
