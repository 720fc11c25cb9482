#include "apps/cli/key_spec.h"

#include "adapters/process/process.h"

#include <unistd.h>

enum { KEY_MAX = 4096, KEY_TIMEOUT_MS = 60000 };

static bool fail(struct cli *c, sv source, const char *why, const char *hint) {
    struct diag *d = diags_add(&c->diags, DIAG_key_not_usable, SPAN_NONE, "the key from '%.*s' %s",
                               SV_ARG(render_escape(&c->arena, sv_slice(source, 0, 80))), why);
    diag_set_hint(&c->diags, d, "%s", hint);
    return false;
}

static bool read_variable(struct cli *c, sv source, sv name, sv *text) {
    bool is_name = name.len > 0 && sv_find_char(name, '=') == SIZE_MAX;
    if (is_name && c->host->ops->find_env(c->host->user, &c->arena, name, text) && text->len > 0)
        return true;
    return fail(c, source, "is not there: the variable is not set",
                "it holds the text of a key file, as --key file:PATH makes one");
}

/* Words between blanks; no shell looks at them. */
static const char *const *split_words(struct cli *c, sv rest, sv *program) {
    struct process_strings words = {0};
    *program = (sv){0};
    while (rest.len > 0) {
        sv word = sv_cut(&rest, ' ');
        if (word.len == 0)
            continue;
        if (program->len == 0)
            *program = word;
        process_strings_add(&c->arena, &words, word);
    }
    return process_strings_end(&c->arena, &words);
}

/* It has the environment of whoever started lintel: helpers for keys need agents, homes and displays. */
static bool run_command(struct cli *c, sv source, sv line, sv *text) {
    static const char hint[] = "it must print the text of a key file within a minute, and end with 0";
    sv search = {0}, name;
    const char *const *arguments = split_words(c, line, &name);
    c->host->ops->find_env(c->host->user, &c->arena, SV("PATH"), &search);
    sv program = sv_find_char(name, '/') != SIZE_MAX ? name : process_find_program(&c->arena, name, search);
    if (name.len == 0 || program.len == 0)
        return fail(c, source, "is not there: there is no such program", hint);
    struct process_run run = {
        .program = arena_copy_cstr(&c->arena, program),
        .arguments = arguments,
        .environment = (const char *const *)environ,
        .output_max = KEY_MAX,
        .timeout_ms = KEY_TIMEOUT_MS,
    };
    run.working_dir = arena_copy_cstr(&c->arena, c->host->ops->get_cwd(c->host->user, &c->arena));
    if (!process_run_to_end(&c->arena, &run))
        return fail(c, source, "is not there: the program could not be started", hint);
    *text = run.output;
    if (run.is_late)
        return fail(c, source, "is not there: the program took too long", hint);
    if (run.is_too_much)
        return fail(c, source, "is not there: the program printed too much", hint);
    return run.status == 0 || fail(c, source, "is not there: the program failed", hint);
}

bool key_spec_resolve(struct cli *c, sv spec, struct sealer_options *options) {
    if (spec.len == 0) {
        options->key_file = arena_printf(&c->arena, "%.*s/.lintel/vault/%.*s.key", SV_ARG(c->project_dir),
                                         SV_ARG(settings_get_text(c, "context")));
        return true;
    }
    if (sv_has_prefix(spec, SV("file:"))) {
        options->key_file = sv_slice(spec, 5, spec.len);
        return true;
    }
    options->key_source = spec;
    if (sv_has_prefix(spec, SV("env:")))
        return read_variable(c, spec, sv_slice(spec, 4, spec.len), &options->key_text);
    if (sv_eq_cstr(spec, "passphrase") || sv_has_prefix(spec, SV("passphrase:env:")))
        return true;
    if (!sv_has_prefix(spec, SV("command:"))) {
        output_usage_error(c, "a key is file:PATH, env:NAME, command:ARGV, passphrase or passphrase:env:NAME");
        return false;
    }
    if (settings_get_flag(c, "pure")) {
        options->no_seal = true;
        return true;
    }
    return run_command(c, spec, sv_slice(spec, 8, spec.len), &options->key_text);
}
