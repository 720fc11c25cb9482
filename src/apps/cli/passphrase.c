/* Passphrases: from a variable, or asked for on the terminal without echo. */
#include "apps/cli/key_spec.h"
#include "apps/cli/session.h"

#include <string.h>
#include <unistd.h>

enum { LEAST = 8 };

bool key_spec_is_passphrase(sv spec) {
    return sv_eq_cstr(spec, "passphrase") || sv_has_prefix(spec, SV("passphrase:"));
}

/* `passphrase:env:NAME`, or the variables for that purpose. */
static sv get_variable(sv spec, enum key_use use) {
    static const char prefix[] = "passphrase:env:";
    if (sv_has_prefix(spec, sv_from_cstr(prefix)))
        return sv_slice(spec, sizeof prefix - 1, spec.len);
    return use == KEY_NEXT ? SV("LINTEL_NEW_PASSPHRASE") : SV("LINTEL_PASSPHRASE");
}

static bool find_variable(struct cli *c, sv name, sv *text) {
    bool is_name = name.len > 0 && sv_find_char(name, '=') == SIZE_MAX;
    return is_name && c->host->ops->find_env(c->host->user, &c->arena, name, text) && text->len > 0;
}

static bool fail(struct cli *c, const char *why, sv hint) {
    struct diag *d = diags_add(&c->diags, DIAG_key_not_usable, SPAN_NONE, "the passphrase %s", why);
    diag_set_hint(&c->diags, d, "%.*s", SV_ARG(hint));
    return false;
}

bool key_spec_can_ask(struct cli *c, sv spec, enum key_use use) {
    sv unused;
    bool names_variable = !sv_eq_cstr(spec, "passphrase");
    return find_variable(c, get_variable(spec, use), &unused) || (!names_variable && isatty(STDIN_FILENO) == 1);
}

static bool ask(struct cli *c, enum key_use use, sv *text) {
    struct buf line = BUF(&c->arena), again = BUF(&c->arena);
    bool is_new = use != KEY_PRESENT;
    bool got = inputs_read_silently(c, use == KEY_NEXT ? SV("New passphrase") : SV("Passphrase"), &line);
    if (got && is_new)
        got = inputs_read_silently(c, SV("The same again"), &again);
    if (!got)
        return fail(c, "was not given", SV("the command was ended before; nothing was written"));
    *text = buf_get_sv(&line);
    if (is_new && !sv_eq(*text, buf_get_sv(&again)))
        return fail(c, "was typed differently the second time", SV("try again; nothing was written"));
    return true;
}

static bool check(struct cli *c, enum key_use use, sv text) {
    if (text.len == 0)
        return fail(c, "is empty", SV("nothing was written"));
    if (use != KEY_PRESENT && text.len < LEAST)
        return fail(c, "is too short", SV("at least 8 characters; several words are better"));
    return true;
}

bool key_spec_ask(struct cli *c, sv spec, enum key_use use, struct sealer_options *options) {
    sv name = get_variable(spec, use), text = {0};
    if (!find_variable(c, name, &text)) {
        if (!key_spec_can_ask(c, spec, use))
            return fail(c, "is not there",
                        arena_printf(&c->arena, "set the variable %.*s; without a terminal it cannot be asked for",
                                     SV_ARG(render_escape(&c->arena, sv_slice(name, 0, 80)))));
        if (!ask(c, use, &text))
            return false;
    }
    options->passphrase = text;
    return check(c, use, text);
}
