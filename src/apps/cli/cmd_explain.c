#include "apps/cli/commands.h"
#include "apps/cli/inspect.h"

#include "views/explain.h"

static enum exit_code explain(struct inspection *i, const struct explain_notes *notes) {
    struct cli *c = i->cli;
    struct explain_request request = {
        .arena = &c->arena,
        .evaluation = &i->evaluation,
        .notes = notes,
        .inputs = i->loaded.inputs,
        .input_count = i->loaded.input_count,
    };
    if (!inspect_find(i, c->arguments.items[0], &request.element, &request.property))
        return EXIT_USAGE;
    const struct explanation *e = explain_make(&request);
    if (!e) {
        diags_add(&c->diags, DIAG_invalid_mapping_path, request.element->at, "'%.*s' is written nowhere",
                  SV_ARG(render_escape(&c->arena, c->arguments.items[0])));
        return EXIT_INVALID;
    }
    struct buf text = BUF(&c->arena);
    explain_render(&text, e, &c->sources, REDACT);
    output_text(c, buf_get_sv(&text));
    jsonw_key(&c->writer, SV("explanation"));
    explain_write_json(&c->writer, e, &c->sources, REDACT);
    return output_get_check_code(c);
}

enum exit_code cmd_explain_run(struct cli *c) {
    struct inspection inspection = {0};
    struct explain_notes notes;
    struct inspect_request request = {.observer = &notes.observer};
    explain_notes_init(&notes, &c->arena);
    sv address = c->arguments.items[0];
    if (c->arguments.len > 1) {
        request.file = c->arguments.items[1];
    } else {
        c->arguments.len = 0;
        bool is_chosen = template_choose_file(c, &request.file);
        c->arguments.len = 1;
        if (!is_chosen)
            return EXIT_USAGE;
    }
    c->arguments.items[0] = address;
    enum exit_code code =
        inspect_open(c, &request, &inspection) ? explain(&inspection, &notes) : output_get_input_code(c);
    inspect_close(&inspection);
    return code;
}
