#include "apps/cli/consent.h"

#include <stdio.h>
#include <unistd.h>

static bool is_interactive(const struct cli *c) {
    return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && !c->json;
}

bool consent_is_possible(struct cli *c) {
    if (settings_get_flag(c, "auto-approve") || settings_is_given(c, "plan") || is_interactive(c))
        return true;
    struct diag *d = diags_add(&c->diags, DIAG_consent_required, SPAN_NONE,
                               "'%.*s' needs consent and there is no terminal to ask on", SV_ARG(c->command->name));
    diag_set_hint(&c->diags, d, "give --auto-approve, or --plan FILE with a plan that has been looked at");
    return false;
}

enum consent consent_ask(struct cli *c, const char *question) {
    if (settings_get_flag(c, "auto-approve") || settings_is_given(c, "plan"))
        return CONSENT_GIVEN;
    if (!is_interactive(c))
        return CONSENT_IMPOSSIBLE;
    char answer[64] = "";
    dprintf(STDERR_FILENO, "%s Only 'yes' is taken as consent: ", question);
    if (!cli_await_input(c) || !fgets(answer, sizeof answer, stdin)) {
        dprintf(STDERR_FILENO, "\n");
        return CONSENT_REFUSED;
    }
    sv line = sv_from_cstr(answer);
    bool is_whole = sv_has_suffix(line, SV("\n"));
    return is_whole && sv_eq(sv_trim(line), SV("yes")) ? CONSENT_GIVEN : CONSENT_REFUSED;
}
