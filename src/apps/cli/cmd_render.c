#include "apps/cli/commands.h"
#include "apps/cli/inspect.h"

#include "dialects/blueprint/data.h"
#include "dialects/blueprint/render.h"
#include "doc/reader.h"
#include "doc/writer.h"
#include "value/convert.h"

static bool wants_json(struct cli *c, const struct inspection *i) {
    sv format = settings_get_text(c, "format");
    if (format.len > 0)
        return sv_eq(format, SV("json"));
    unsigned own = template_get_format(c);
    own = own != 0 ? own : doc_find_format(i->loaded.file);
    return own == DOC_JSON || own == DOC_JSONC;
}

static enum exit_code render(struct inspection *i, enum secrecy secrecy) {
    struct cli *c = i->cli;
    const struct blueprint_data *data = i->loaded.template->dialect_data;
    struct render_blueprint_request request = {
        .arena = &c->arena, .evaluation = &i->evaluation, .document = data->tree};
    value v = render_blueprint(&request);
    if (value_is_error(v))
        return output_get_check_code(c);
    struct buf out = BUF(&c->arena);
    if (wants_json(c, i)) {
        buf_append(&out, value_print_json(&c->arena, v, 2, secrecy));
        buf_append_char(&out, '\n');
    } else {
        doc_write_yaml(&out, value_to_node(&c->arena, v, secrecy), &yaml_style_default);
    }
    output_text(c, buf_get_sv(&out));
    jsonw_key(&c->writer, SV("blueprint"));
    value_write_json(&c->writer, v, secrecy);
    return output_get_check_code(c);
}

enum exit_code cmd_render_run(struct cli *c) {
    struct inspection inspection = {0};
    struct inspect_request request = {0};
    enum secrecy secrecy;
    if (!secrecy_choose(c, &secrecy) || !template_choose_file(c, &request.file))
        return EXIT_USAGE;
    enum exit_code code =
        inspect_open(c, &request, &inspection) ? render(&inspection, secrecy) : output_get_input_code(c);
    inspect_close(&inspection);
    return code;
}
