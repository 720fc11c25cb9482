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
    buf_append_cstr(out, "lintel ");
    cli_print_name(out, command->group, command);
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

static void render_globals(struct buf *out, const struct cli_group *group) {
    buf_append_cstr(out, "\nglobal options:\n");
    for (size_t i = 0; i < cli_global_option_count; i++) {
        if (cli_takes_global(group, cli_global_options[i]))
            render_option(out, cli_global_options[i]);
    }
}

static void render_alias(struct buf *out, const struct cli_command *command) {
    struct cli_command other = *command;
    other.name = command->alias;
    if (command->alias.len == 0)
        return;
    buf_append_cstr(out, "also:  lintel ");
    cli_print_name(out, command->group, &other);
    buf_append_char(out, '\n');
}

void help_render_command(struct buf *out, const struct cli_command *command) {
    buf_printf(out, "%.*s\n\nusage: ", SV_ARG(command->summary));
    render_synopsis(out, command);
    buf_append_char(out, '\n');
    render_alias(out, command);
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
    render_globals(out, command->group);
    buf_append_cstr(out, "\nexamples:\n");
    for (size_t i = 0; i < command->example_count; i++)
        buf_printf(out, "  %.*s\n", SV_ARG(command->examples[i]));
    buf_append_cstr(out, "\nexit codes:\n");
    for (size_t i = 0; i < command->exit_count; i++)
        buf_printf(out, "  %-4d %.*s\n", (int)command->exits[i], SV_ARG(exit_code_get_meaning(command->exits[i])));
}

static void render_row(struct buf *out, sv name, sv summary) {
    buf_printf(out, "  %-12.*s %.*s\n", SV_ARG(name), SV_ARG(summary));
}

void help_render_overview(struct buf *out) {
    buf_append_cstr(out, "lintel: validate, plan, deploy and destroy what declarative templates describe\n\n"
                         "usage: lintel [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]\n\ncommands:\n");
    for (size_t i = 0; i < cli_command_count; i++)
        render_row(out, cli_commands[i]->name, cli_commands[i]->summary);
    buf_append_cstr(out, "\ngroups of commands:\n");
    for (size_t i = 0; i < cli_group_count; i++)
        render_row(out, cli_groups[i]->name, cli_groups[i]->summary);
    render_globals(out, NULL);
    buf_append_cstr(out, "\n`lintel help COMMAND` tells more.\n");
}

void help_render_group(struct buf *out, const struct cli_group *group) {
    sv name = group->name;
    buf_printf(out, "%.*s\n\nusage: lintel %.*s COMMAND [OPTIONS] [ARGUMENTS]\n", SV_ARG(group->summary), SV_ARG(name));
    if (group->program)
        buf_printf(out, "also:  %.*s, a link to lintel\n", SV_ARG(group->program->name));
    buf_append_char(out, '\n');
    append_wrapped(out, group->details);
    buf_append_cstr(out, "\ncommands:\n");
    for (size_t i = 0; i < group->command_count; i++)
        render_row(out, group->commands[i]->name, group->commands[i]->summary);
    render_globals(out, group);
    buf_printf(out, "\n`lintel help %.*s COMMAND` tells more.\n", SV_ARG(name));
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

static void write_globals(struct jsonw *w, const struct cli_group *group) {
    jsonw_key(w, SV("globalOptions"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < cli_global_option_count; i++) {
        if (cli_takes_global(group, cli_global_options[i]))
            write_option(w, cli_global_options[i]);
    }
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

static sv get_output_name(enum cli_output output) {
    switch (output) {
    case OUTPUT_ONE_SHOT:
        return SV("object");
    case OUTPUT_EVENTS:
        return SV("events");
    case OUTPUT_OWN:
        return SV("own");
    }
    return SV("");
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
    jsonw_put_text(w, "output", get_output_name(command->output));
    jsonw_end_object(w);
}

static void write_commands(struct jsonw *w, const struct cli_command *const *commands, size_t count,
                           const struct cli_command *only) {
    jsonw_key(w, SV("commands"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        if (!only || only == commands[i])
            write_command(w, commands[i]);
    }
    jsonw_end_array(w);
}

static void write_group(struct jsonw *w, const struct cli_group *group, const struct cli_command *only) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "name", group->name);
    jsonw_put_text(w, "summary", group->summary);
    jsonw_put_text(w, "details", group->details);
    if (group->program)
        jsonw_put_text(w, "program", group->program->name);
    write_globals(w, group);
    write_commands(w, group->commands, group->command_count, only);
    jsonw_end_object(w);
}

void help_write_json(struct jsonw *w, const struct cli_group *group, const struct cli_command *command) {
    jsonw_begin_object(w);
    write_globals(w, NULL);
    write_commands(w, cli_commands, group ? 0 : cli_command_count, command);
    jsonw_key(w, SV("groups"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < cli_group_count; i++) {
        bool is_wanted = group ? group == cli_groups[i] : !command;
        if (is_wanted)
            write_group(w, cli_groups[i], command);
    }
    jsonw_end_array(w);
    jsonw_end_object(w);
}
