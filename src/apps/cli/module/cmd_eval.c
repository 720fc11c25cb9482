#include "apps/cli/module/commands.h"
#include "apps/cli/module/modules.h"

#include "base/utf8.h"

/* A set without a module: only the argument counts. */
static void open_nothing(struct modules *m, struct cli *c) {
    *m = (struct modules){.cli = c};
    m->set = module_load(&c->arena, &c->diags, &c->sources, sources_add(&c->sources, SV("eval"), SV("")));
}

enum exit_code cmd_module_eval_run(struct cli *c) {
    struct modules m;
    enum exit_code code = EXIT_INVALID;
    sv text = c->arguments.items[0];
    if (utf8_check(text) != text.len)
        return output_usage_error(c, "the expression is not UTF-8 text");
    open_nothing(&m, c);
    if (!modules_start(&m, &code))
        return code;
    value v = module_evaluate_text(m.run, sources_add(&c->sources, SV("EXPR"), text), &m.given);
    if (modules_finish(&m) != EXIT_OK || value_is_error(v))
        return EXIT_INVALID;
    jsonw_key(&c->writer, SV("value"));
    value_write_json(&c->writer, v, REDACT);
    modules_print(c, v, REDACT);
    return EXIT_OK;
}
