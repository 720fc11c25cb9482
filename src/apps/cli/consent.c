#include "apps/cli/consent.h"

#include <stdio.h>
#include <unistd.h>

static bool is_interactive(const struct cli *c) {
    return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && !c->json;
}

static bool has_option(const struct cli *c, const char *name) {
    for (size_t i = 0; i < c->command->option_count; i++) {
        if (sv_eq_cstr(c->command->options[i]->name, name))
            return true;
    }
    return false;
}

bool consent_may_ask(const struct cli *c) {
    bool is_given = settings_get_flag(c, "auto-approve") || settings_is_given(c, "plan");
    return is_interactive(c) && !is_given;
}

bool consent_is_possible(struct cli *c) {
    if (!guard_check_options(c))
        return false;
    if (settings_get_flag(c, "auto-approve") || settings_is_given(c, "plan") || guard_has_approval(c) ||
        is_interactive(c))
        return true;
    struct diag *d = diags_add(&c->diags, DIAG_consent_required, SPAN_NONE,
                               "'%.*s' needs consent and there is no terminal to ask on", SV_ARG(c->command->name));
    diag_set_hint(&c->diags, d, "give --auto-approve%s%s",
                  has_option(c, "plan") ? ", --approve KINDS, or --plan FILE with a plan that has been looked at" : "",
                  has_option(c, "dry-run") ? "; --dry-run shows what would be done" : "");
    return false;
}

static enum consent ask(struct cli *c, const char *question) {
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

static enum consent refuse(struct cli *c, sv why) {
    struct diag *d = diags_add(&c->diags, DIAG_consent_required, SPAN_NONE, "%.*s", SV_ARG(why));
    diag_set_hint(&c->diags, d, "look at the plan, then give these kinds to --approve, too, or --auto-approve");
    return CONSENT_IMPOSSIBLE;
}

enum consent consent_ask(struct cli *c, const char *question) {
    if (settings_get_flag(c, "auto-approve"))
        return CONSENT_GIVEN;
    return is_interactive(c) ? ask(c, question) : CONSENT_IMPOSSIBLE;
}

enum consent consent_get(struct cli *c, const struct plan *p) {
    const char *question = p->destroy ? "\nDestroy all this?" : p->rollback ? "\nRoll back so?" : "\nCarry this out?";
    sv why = {0};
    if (!guard_allows(c, p))
        return CONSENT_REFUSED;
    if ((plan_is_empty(p) && !p->destroy) || settings_get_flag(c, "auto-approve"))
        return CONSENT_GIVEN;
    if (!guard_has_approval(c))
        return settings_is_given(c, "plan") ? CONSENT_GIVEN : is_interactive(c) ? ask(c, question) : CONSENT_IMPOSSIBLE;
    if (guard_approves(c, p, &why))
        return settings_is_given(c, "plan") ? CONSENT_GIVEN : CONSENT_BY_KIND;
    if (!is_interactive(c))
        return refuse(c, why);
    output_note(c, "%.*s", SV_ARG(why));
    return ask(c, question);
}
