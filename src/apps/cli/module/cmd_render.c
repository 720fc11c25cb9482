#include "apps/cli/module/commands.h"
#include "apps/cli/module/modules.h"

/* The calls as one value, in order of execution. */
static value make_list(struct cli *c, const struct module_outcome *o) {
    struct list_builder calls = {.arena = &c->arena};
    for (size_t i = 0; i < o->steps.len; i++) {
        const struct module_step *s = &o->steps.items[i];
        struct map_builder call = {.arena = &c->arena};
        map_add(&call, SV("name"), value_string(&c->arena, s->address));
        map_add(&call, SV("module"), value_string(&c->arena, s->target));
        if (s->is_unsure)
            map_add(&call, SV("conditional"), value_bool(true));
        map_add(&call, SV("argument"), s->argument);
        list_add(&calls, map_done(&call));
    }
    return list_done(&calls);
}

static enum exit_code render(struct modules *m) {
    struct cli *c = m->cli;
    struct module_outcome outcome = {0};
    enum exit_code code = EXIT_INVALID;
    enum secrecy secrecy = settings_get_flag(c, "show-sensitive") ? REVEAL : REDACT;
    bool ok =
        modules_choose(m, false) && modules_start(m, &code) && module_evaluate(m->run, m->code, &m->given, &outcome);
    if (modules_finish(m) != EXIT_OK || !ok)
        return code;
    value calls = make_list(c, &outcome);
    jsonw_key(&c->writer, SV("calls"));
    value_write_json(&c->writer, calls, secrecy);
    modules_print(c, calls, secrecy);
    return EXIT_OK;
}

enum exit_code cmd_module_render_run(struct cli *c) {
    struct modules m;
    enum exit_code code = EXIT_OK;
    return modules_open(&m, c, &code) ? render(&m) : code;
}
