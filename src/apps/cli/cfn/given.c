/* What is given to a template on the command line (CF-220 to CF-222, CF-280). */
#include "apps/cli/cfn/stack.h"
#include "apps/cli/session.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

static bool fail_usage(enum exit_code *code) {
    *code = EXIT_USAGE;
    return false;
}

/* A place that shows where a value came from, and not the value. */
static span make_place(struct cli *c, const char *option, sv name) {
    sv shown = arena_printf(&c->arena, "%s %.*s", option, SV_ARG(sv_slice(name, 0, 200)));
    return span_make(sources_add(&c->sources, shown, SV("")), 0, 0);
}

static bool check_text(struct cli *c, const char *option, sv text) {
    if (utf8_check(text) == text.len)
        return true;
    output_usage_error(c, "the value of '%s' is not UTF-8 text", option);
    return false;
}

/* NAME=VALUE of an option, in order. */
typedef bool (*pair_taker)(struct cli *c, struct cfn_inputs *in, sv name, sv text);

static bool take_pairs(struct cli *c, struct cfn_inputs *in, const char *option, pair_taker take) {
    const struct setting *given = settings_find(c, sv_from_cstr(option));
    for (size_t i = 0; given != NULL && i < given->texts.len; i++) {
        sv text = given->texts.items[i];
        size_t equals = sv_find_char(text, '=');
        if (equals == SIZE_MAX || equals == 0) {
            output_usage_error(c, "'--%s' takes NAME=VALUE", option);
            return false;
        }
        sv rest = sv_slice(text, equals + 1, text.len);
        if (!check_text(c, option, text) || !take(c, in, sv_slice(text, 0, equals), rest))
            return false;
    }
    return true;
}

static bool take_parameter(struct cli *c, struct cfn_inputs *in, sv name, sv text) {
    cfn_inputs_put_parameter(in, name, value_string(&c->arena, text), make_place(c, "-p", name));
    return true;
}

static bool take_export(struct cli *c, struct cfn_inputs *in, sv name, sv text) {
    (void)c;
    cfn_inputs_put_export(in, name, text);
    return true;
}

static bool take_pseudo(struct cli *c, struct cfn_inputs *in, const char *option, sv name) {
    if (!settings_is_given(c, option))
        return true;
    sv text = settings_get_text(c, option);
    if (!check_text(c, option, text))
        return false;
    cfn_inputs_put_parameter(in, name, value_string(&c->arena, text), make_place(c, option, SV("")));
    return true;
}

static bool take_sets(struct cli *c, struct cfn_inputs *in, enum exit_code *code) {
    const struct setting *given = settings_find(c, SV("set"));
    for (size_t i = 0; given != NULL && i < given->texts.len; i++) {
        if (!check_text(c, "set", given->texts.items[i]))
            return fail_usage(code);
        struct source *source = sources_add(&c->sources, SV("--set"), arena_copy_sv(&c->arena, given->texts.items[i]));
        if (!cfn_inputs_set(in, source))
            return fail_usage(code);
    }
    return true;
}

static sv find_directory(struct cli *c, sv file) {
    size_t slash = sv_rfind_char(file, '/');
    sv directory = slash == SIZE_MAX ? SV(".") : slash == 0 ? SV("/") : sv_slice(file, 0, slash);
    char *real = realpath(arena_copy_cstr(&c->arena, directory), NULL);
    sv result = arena_copy_sv(&c->arena, sv_from_cstr(real));
    free(real);
    return result;
}

static bool take_files(struct cli *c, struct cfn_inputs *in, const char *option, enum exit_code *code) {
    const struct setting *given = settings_find(c, sv_from_cstr(option));
    bool is_symbols = strcmp(option, "symbols") == 0;
    for (size_t i = 0; given != NULL && i < given->texts.len; i++) {
        sv file = given->texts.items[i];
        struct source *source = inputs_read_source(c, file);
        if (source == NULL) {
            *code = EXIT_FAILED;
            return false;
        }
        bool ok = is_symbols ? cfn_inputs_read_symbols(in, source, find_directory(c, file))
                             : cfn_inputs_read_parameters(in, source);
        if (!ok) {
            *code = EXIT_INVALID;
            return false;
        }
    }
    return true;
}

bool given_collect(struct cli *c, struct cfn_inputs *in, enum exit_code *code) {
    if (!take_pairs(c, in, "param", take_parameter) || !take_pairs(c, in, "import", take_export) ||
        !take_pseudo(c, in, "region", SV("AWS::Region")) || !take_pseudo(c, in, "account", SV("AWS::AccountId")) ||
        !take_pseudo(c, in, "stack-name", SV("AWS::StackName")))
        return fail_usage(code);
    if (!take_sets(c, in, code) || !take_files(c, in, "params", code) || !take_files(c, in, "symbols", code))
        return false;
    cfn_inputs_close(in);
    return true;
}
