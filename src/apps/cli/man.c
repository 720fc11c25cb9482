/* Manual pages in mdoc-free man(7), from the command table. */
#include "apps/cli/cli.h"

#include <ctype.h>

/* Text of a page: '\' and leading '.' or '\'' would be commands, '-' would become a hyphen. */
static void append_text(struct buf *out, sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char ch = text.data[i];
        bool at_start = i == 0 || text.data[i - 1] == '\n';
        if (at_start && (ch == '.' || ch == '\''))
            buf_append_cstr(out, "\\&");
        if (ch == '\\')
            buf_append_cstr(out, "\\e");
        else if (ch == '-')
            buf_append_cstr(out, "\\-");
        else
            buf_append_char(out, ch);
    }
}

static void append_line(struct buf *out, const char *macro, sv text) {
    buf_append_cstr(out, macro);
    append_text(out, text);
    buf_append_char(out, '\n');
}

static void append_option(struct buf *out, const struct cli_option *o) {
    if (o->alias_of.len > 0)
        return;
    buf_append_cstr(out, ".TP\n\\fB");
    if (o->letter)
        buf_printf(out, "\\-%c", o->letter);
    if (o->letter && o->name.len > 1)
        buf_append_cstr(out, "\\fR, \\fB");
    if (o->name.len > 1) {
        buf_append_cstr(out, "\\-\\-");
        append_text(out, o->name);
    }
    buf_append_cstr(out, "\\fR");
    if (o->type != OPTION_FLAG) {
        buf_append_cstr(out, " \\fI");
        append_text(out, o->value_name);
        buf_append_cstr(out, "\\fR");
    }
    buf_append_char(out, '\n');
    append_text(out, o->summary);
    if (o->fallback.len > 0 && o->type != OPTION_FLAG) {
        buf_append_cstr(out, " [");
        append_text(out, o->fallback);
        buf_append_char(out, ']');
    }
    buf_append_char(out, '\n');
}

static void append_exit_codes(struct buf *out, const enum exit_code *codes, size_t count) {
    buf_append_cstr(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, ".TP\n%d\n", (int)codes[i]);
        append_line(out, "", exit_code_get_meaning(codes[i]));
    }
}

static void append_command(struct buf *out, const struct cli_command *command) {
    struct buf name = BUF(out->arena);
    cli_print_name(&name, command->group, command);
    buf_append_cstr(out, ".SS \"");
    append_text(out, buf_get_sv(&name));
    for (size_t i = 0; i < command->argument_count; i++) {
        const struct cli_argument *a = &command->arguments[i];
        buf_printf(out, a->optional ? " [%.*s%s]" : " %.*s%s", SV_ARG(a->name), a->many ? "..." : "");
    }
    buf_append_cstr(out, "\"\n");
    append_line(out, "", command->summary);
    if (command->details.len > 0)
        append_line(out, ".PP\n", command->details);
    for (size_t i = 0; i < command->option_count; i++)
        append_option(out, command->options[i]);
}

static void append_group_commands(struct buf *out, const struct cli_group *group) {
    for (size_t i = 0; i < group->command_count; i++)
        append_command(out, group->commands[i]);
}

static void append_globals(struct buf *out, const struct cli_group *group) {
    buf_append_cstr(out, ".SH GLOBAL OPTIONS\n");
    for (size_t i = 0; i < cli_global_option_count; i++) {
        if (cli_takes_global(group, cli_global_options[i]))
            append_option(out, cli_global_options[i]);
    }
}

static void append_overview(struct buf *out) {
    buf_append_cstr(
        out,
        ".TH LINTEL 1 \"\" \"lintel " LINTEL_VERSION "\"\n"
        ".SH NAME\nlintel \\- validate, plan, deploy and destroy declarative templates\n"
        ".SH SYNOPSIS\n\\fBlintel\\fR [\\fIGLOBAL OPTIONS\\fR] \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n"
        ".SH DESCRIPTION\nLintel reads deployment templates, evaluates them, and plans, deploys, updates and destroys "
        "what they "
        "describe. Results go to standard output, errors and progress to standard error.\n"
        ".SH COMMANDS\n");
    for (size_t i = 0; i < cli_command_count; i++)
        append_command(out, cli_commands[i]);
    for (size_t i = 0; i < cli_group_count; i++)
        append_group_commands(out, cli_groups[i]);
    append_globals(out, NULL);
    append_exit_codes(out, exit_codes, exit_code_count);
    buf_append_cstr(
        out, ".SH ENVIRONMENT\nEvery option can be set by LINTEL_ and its name in capitals with '_' for '\\-'. "
             "LINTEL_VAR_\\fIname\\fR gives the variable \\fIname\\fR of a blueprint.\n"
             ".SH FILES\n.TP\nlintel.yaml\nsettings of a project: a mapping from long option names to values\n"
             ".TP\n\\&.lintel/state.db\nthe state store\n.TP\n\\&.lintel/vault/\nsealing keys; keep them, and keep "
             "them private\n");
}

/* The title is in capitals as the file is named: lintel-dynaml-merge(1). */
static void append_head(struct buf *out, const struct cli_group *group, const struct cli_command *command) {
    struct buf name = BUF(out->arena);
    buf_append_cstr(&name, "lintel ");
    cli_print_name(&name, group, command);
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] == ' ')
            name.data[i] = '-';
    }
    struct buf title = BUF(out->arena);
    for (size_t i = 0; i < name.len; i++)
        buf_append_char(&title, (char)toupper((unsigned char)name.data[i]));
    buf_append_cstr(out, ".TH ");
    append_text(out, buf_get_sv(&title));
    buf_append_cstr(out, " 1 \"\" \"lintel " LINTEL_VERSION "\"\n.SH NAME\n");
    append_text(out, buf_get_sv(&name));
    buf_append_cstr(out, " \\- ");
    append_line(out, "", command ? command->summary : group->summary);
    buf_append_cstr(out, ".SH DESCRIPTION\n");
}

static void append_group(struct buf *out, const struct cli_group *group) {
    append_head(out, group, NULL);
    append_line(out, "", group->details);
    buf_append_cstr(out, ".SH COMMANDS\n");
    append_group_commands(out, group);
    append_globals(out, group);
}

void man_render(struct buf *out, const struct cli_group *group, const struct cli_command *command) {
    if (!command && !group) {
        append_overview(out);
        return;
    }
    if (!command) {
        append_group(out, group);
        return;
    }
    append_head(out, group, command);
    append_command(out, command);
    buf_append_cstr(out, ".SH EXAMPLES\n");
    for (size_t i = 0; i < command->example_count; i++)
        append_line(out, ".PP\n", command->examples[i]);
    append_exit_codes(out, command->exits, command->exit_count);
}
