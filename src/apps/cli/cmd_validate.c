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

static void say_valid(struct cli *c, sv file, size_t count) {
    sv shown = render_escape(&c->arena, file);
    output_text(c, count == 1 ? arena_printf(&c->arena, "%.*s is valid\n", SV_ARG(shown))
                              : arena_printf(&c->arena, "all %zu files are valid\n", count));
}

enum exit_code cmd_validate_run(struct cli *c) {
    sv format = settings_get_text(c, "format");
    sv file;
    if (!template_choose_file(c, &file))
        return EXIT_USAGE;
    size_t count = c->arguments.len > 0 ? c->arguments.len : 1;
    struct template_input *inputs = NULL;
    size_t input_count = 0;
    if (!inputs_collect(c, &inputs, &input_count))
        return output_get_input_code(c);
    jsonw_key(&c->writer, SV("files"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 0; i < count; i++) {
        sv one = c->arguments.len > 0 ? c->arguments.items[i] : file;
        struct loaded loaded = {.file = one, .inputs = inputs, .input_count = input_count};
        template_check(c, &loaded);
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
        say_valid(c, file, count);
    return code;
}
