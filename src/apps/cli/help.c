/* Help for people and machines, from the command table. */
#include "apps/cli/cli.h"
#include "apps/cli/settings.h"

enum { LINE_MAX_CHARS = 100 };

/* "-i, --instance NAME". */
static sv get_spelling(struct arena *a, const struct cli_option *o) {
    struct buf out = BUF(a);
    if (o->letter)
        buf_printf(&out, "-%c", o->letter);
    if (o->name.len > 1)
        buf_printf(&out, "%s--%.*s", o->letter ? ", " : "    ", SV_ARG(o->name));
    if (o->type != OPTION_FLAG)
        buf_printf(&out, " %.*s", SV_ARG(o->type == OPTION_CHOICE ? SV("WORD") : o->value_name));
    return buf_get_sv(&out);
}

static void render_option(struct buf *out, const struct cli_option *o) {
    if (o->alias_of.len > 0)
        return;
    sv spelling = get_spelling(out->arena, o);
    buf_printf(out, "  %-27.*s %.*s", SV_ARG(spelling), SV_ARG(o->summary));
    if (o->type == OPTION_CHOICE)
        buf_printf(out, " (%.*s)", SV_ARG(o->value_name));
    if (o->fallback.len > 0 && o->type != OPTION_FLAG)
        buf_printf(out, " [%.*s]", SV_ARG(o->fallback));
    buf_append_char(out, '\n');
}

static void render_synopsis(struct buf *out, const struct cli_command *command) {
    buf_printf(out, "lintel %.*s", SV_ARG(command->name));
    if (command->option_count > 0)
        buf_append_cstr(out, " [OPTIONS]");
    for (size_t i = 0; i < command->argument_count; i++) {
        const struct cli_argument *a = &command->arguments[i];
        buf_printf(out, a->optional ? " [%.*s%s]" : " %.*s%s", SV_ARG(a->name), a->many ? "…" : "");
    }
}

/* A paragraph in lines of at most LINE_MAX_CHARS. */
static void append_wrapped(struct buf *out, sv text) {
    sv rest = text;
    size_t column = 0;
    while (rest.len > 0) {
        sv word = sv_cut(&rest, ' ');
        bool fits = column == 0 || column + 1 + word.len <= LINE_MAX_CHARS;
        if (column > 0)
            buf_append_char(out, fits ? ' ' : '\n');
        column = column > 0 && fits ? column + 1 + word.len : word.len;
        buf_append(out, word);
    }
    buf_append_char(out, '\n');
}

void help_render_command(struct buf *out, const struct cli_command *command) {
    buf_printf(out, "%.*s\n\nusage: ", SV_ARG(command->summary));
    render_synopsis(out, command);
    buf_append_char(out, '\n');
    if (command->alias.len > 0)
        buf_printf(out, "also:  lintel %.*s\n", SV_ARG(command->alias));
    if (command->details.len > 0) {
        buf_append_char(out, '\n');
        append_wrapped(out, command->details);
    }
    if (command->argument_count > 0)
        buf_append_cstr(out, "\narguments:\n");
    for (size_t i = 0; i < command->argument_count; i++)
        buf_printf(out, "  %-27.*s %.*s\n", SV_ARG(command->arguments[i].name), SV_ARG(command->arguments[i].summary));
    if (command->option_count > 0)
        buf_append_cstr(out, "\noptions:\n");
    for (size_t i = 0; i < command->option_count; i++)
        render_option(out, command->options[i]);
    buf_append_cstr(out, "\nglobal options:\n");
    for (size_t i = 0; i < cli_global_option_count; i++)
        render_option(out, cli_global_options[i]);
    buf_append_cstr(out, "\nexamples:\n");
    for (size_t i = 0; i < command->example_count; i++)
        buf_printf(out, "  %.*s\n", SV_ARG(command->examples[i]));
    buf_append_cstr(out, "\nexit codes:\n");
    for (size_t i = 0; i < command->exit_count; i++)
        buf_printf(out, "  %-4d %.*s\n", (int)command->exits[i], SV_ARG(exit_code_get_meaning(command->exits[i])));
}

void help_render_overview(struct buf *out) {
    buf_append_cstr(out, "lintel: validate, plan, deploy and destroy what declarative templates describe\n\n"
                         "usage: lintel [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]\n\ncommands:\n");
    for (size_t i = 0; i < cli_command_count; i++)
        buf_printf(out, "  %-12.*s %.*s\n", SV_ARG(cli_commands[i]->name), SV_ARG(cli_commands[i]->summary));
    buf_append_cstr(out, "\nglobal options:\n");
    for (size_t i = 0; i < cli_global_option_count; i++)
        render_option(out, cli_global_options[i]);
    buf_append_cstr(out, "\n`lintel help COMMAND` tells more.\n");
}

static sv get_type_name(enum cli_option_type type) {
    switch (type) {
    case OPTION_FLAG:
        return SV("flag");
    case OPTION_TEXT:
        return SV("text");
    case OPTION_NUMBER:
        return SV("number");
    case OPTION_DURATION:
        return SV("duration");
    case OPTION_CHOICE:
        return SV("choice");
    }
    return SV("");
}

static void write_option(struct jsonw *w, const struct cli_option *o) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "name", o->name);
    if (o->letter)
        jsonw_put_text(w, "letter", sv_make(&o->letter, 1));
    jsonw_put_text(w, "type", get_type_name(o->type));
    if (o->type != OPTION_FLAG)
        jsonw_put_text(w, "value", o->value_name);
    if (o->fallback.len > 0)
        jsonw_put_text(w, "default", o->fallback);
    sv variable = option_get_variable(w->out->arena, o);
    if (variable.len > 0)
        jsonw_put_text(w, "environment", sv_eq(o->name, SV("var")) ? SV("LINTEL_VAR_NAME") : variable);
    if (o->alias_of.len > 0)
        jsonw_put_text(w, "aliasOf", o->alias_of);
    jsonw_put_bool(w, "repeatable", o->repeatable);
    jsonw_put_text(w, "summary", o->summary);
    jsonw_end_object(w);
}

static void write_options(struct jsonw *w, const char *key, const struct cli_option *const *options, size_t count) {
    jsonw_key(w, sv_from_cstr(key));
    jsonw_begin_array(w);
    for (size_t i = 0; i < count; i++)
        write_option(w, options[i]);
    jsonw_end_array(w);
}

static void write_arguments(struct jsonw *w, const struct cli_command *command) {
    jsonw_key(w, SV("arguments"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < command->argument_count; i++) {
        const struct cli_argument *a = &command->arguments[i];
        jsonw_begin_object(w);
        jsonw_put_text(w, "name", a->name);
        jsonw_put_bool(w, "optional", a->optional);
        jsonw_put_bool(w, "many", a->many);
        if (a->choices.len > 0)
            jsonw_put_text(w, "choices", a->choices);
        jsonw_put_text(w, "summary", a->summary);
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
}

static void write_command(struct jsonw *w, const struct cli_command *command) {
    struct arena *a = w->out->arena;
    struct buf synopsis = BUF(a);
    render_synopsis(&synopsis, command);
    jsonw_begin_object(w);
    jsonw_put_text(w, "name", command->name);
    if (command->alias.len > 0)
        jsonw_put_text(w, "alias", command->alias);
    jsonw_put_text(w, "summary", command->summary);
    jsonw_put_text(w, "details", command->details);
    jsonw_put_text(w, "synopsis", buf_get_sv(&synopsis));
    write_arguments(w, command);
    write_options(w, "options", command->options, command->option_count);
    jsonw_key(w, SV("examples"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < command->example_count; i++)
        jsonw_text(w, command->examples[i]);
    jsonw_end_array(w);
    jsonw_key(w, SV("exitCodes"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < command->exit_count; i++) {
        jsonw_begin_object(w);
        jsonw_put_i64(w, "code", command->exits[i]);
        jsonw_put_text(w, "meaning", exit_code_get_meaning(command->exits[i]));
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
    jsonw_put_text(w, "output", command->output == OUTPUT_EVENTS ? SV("events") : SV("object"));
    jsonw_end_object(w);
}

void help_write_json(struct jsonw *w, const struct cli_command *command) {
    jsonw_begin_object(w);
    write_options(w, "globalOptions", cli_global_options, cli_global_option_count);
    jsonw_key(w, SV("commands"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < cli_command_count; i++) {
        if (!command || command == cli_commands[i])
            write_command(w, cli_commands[i]);
    }
    jsonw_end_array(w);
    jsonw_end_object(w);
}
