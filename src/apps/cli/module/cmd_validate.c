#include "apps/cli/module/commands.h"
#include "apps/cli/module/modules.h"

static void check_all(struct modules *m) {
    for (size_t i = 0; i < m->set->files.len; i++) {
        for (size_t k = 0; k < m->set->files.items[i]->modules.len; k++)
            module_check(m->set, m->set->files.items[i]->modules.items[k], true);
    }
    module_check_recursion(m->set, NULL);
}

/* MD-018, MD-323 */
static void validate(struct modules *m, enum exit_code *code) {
    struct module_outcome outcome = {0};
    check_all(m);
    bool can_run = m->cli->arguments.len > 0 && !diags_has_errors(&m->cli->diags);
    if (can_run && modules_choose(m, true) && modules_start(m, code))
        module_evaluate(m->run, m->code, &m->given, &outcome);
}

enum exit_code cmd_module_validate_run(struct cli *c) {
    struct modules m;
    enum exit_code code = EXIT_OK;
    if (settings_is_given(c, "argument") && c->arguments.len == 0)
        return output_usage_error(c, "'--argument' needs the MODULE that it is for");
    if (!modules_open(&m, c, &code))
        return code;
    code = EXIT_INVALID;
    validate(&m, &code);
    enum exit_code found = modules_finish(&m);
    bool is_valid = found == EXIT_OK;
    jsonw_put_bool(&c->writer, "valid", is_valid);
    if (is_valid && !c->quiet)
        output_text(c, arena_printf(&c->arena, "%.*s is valid\n", SV_ARG(render_escape(&c->arena, m.file))));
    return is_valid ? EXIT_OK : code;
}
