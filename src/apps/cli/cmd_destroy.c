#include "apps/cli/commands.h"
#include "apps/cli/consent.h"
#include "apps/cli/queueing.h"
#include "apps/cli/scope.h"

static enum exit_code destroy_saved_plan(struct session *s) {
    struct cli *c = s->cli;
    const struct plan *p = deploy_read_plan(s, settings_get_text(c, "plan"));
    if (!p)
        return EXIT_INVALID;
    if (!p->destroy)
        return output_usage_error(c, "the saved plan deploys; carry it out with: lintel deploy --plan");
    s->config.instance_id = SV("");
    s->config.instance_name = p->instance_name;
    s->config.context = p->context;
    return deploy_carry_out(s, NULL, p);
}

static enum exit_code destroy_instance(struct session *s) {
    enum exit_code code = EXIT_FAILED;
    if (!session_choose_instance(s, SV("blueprint.yaml")))
        return EXIT_USAGE;
    if (!session_await_others(s))
        return cli_get_signal_code(s->cli, session_get_error_code(s->cli));
    scope_collect(s->cli, &s->config.scope);
    const struct plan *p = run_plan(&s->config, NULL, true, NULL, 0, &code);
    return p ? deploy_carry_out(s, NULL, p) : session_refine_code(s->cli, code);
}

enum exit_code cmd_destroy_run(struct cli *c) {
    struct session session = {0};
    if (!queueing_check_options(c) || !consent_is_possible(c) ||
        (settings_is_given(c, "plan") && !scope_check_saved(c)))
        return EXIT_USAGE;
    enum exit_code code;
    if (!session_open(c, &session, SESSION_WRITE))
        code = session_get_error_code(c);
    else
        code = settings_is_given(c, "plan") ? destroy_saved_plan(&session) : destroy_instance(&session);
    session_close(&session);
    return code;
}
