/* The dynaml commands under the name of the established program (CLI-002, DY-335). */
#include "apps/cli/dynaml/commands.h"
#include "apps/cli/dynaml/work.h"

#include <string.h>
#include <unistd.h>

#define SPIFF_VERSION "1.0.8"

/* --- usage --- */

static void append_overview(struct buf *out) {
    buf_append_cstr(out, "spiff: merge YAML files with (( … )) expressions\n\n"
                         "usage: spiff COMMAND [OPTIONS] [ARGUMENTS]\n\ncommands:\n");
    for (size_t i = 0; i < cli_dynaml.command_count; i++) {
        const struct cli_command *command = cli_dynaml.commands[i];
        struct buf names = BUF(out->arena);
        buf_append(&names, command->name);
        if (command->alias.len > 0)
            buf_printf(&names, ", %.*s", SV_ARG(command->alias));
        buf_printf(out, "  %-14.*s %.*s\n", SV_ARG(buf_get_sv(&names)), SV_ARG(command->summary));
    }
    buf_append_cstr(out, "  help, h        show this, or the usage of a command\n\n"
                         "options:\n  --help, -h     show this\n  --version, -v  print the version\n");
}

/* The help of the command with the name of this program in it. Its exit codes are those of lintel and left out. */
static void append_command(struct buf *out, const struct cli_command *command) {
    struct buf text = BUF(out->arena);
    help_render_command(&text, command);
    sv rest = buf_get_sv(&text), own = SV("lintel dynaml");
    rest = sv_slice(rest, 0, sv_find(rest, SV("\nexit codes:")));
    for (size_t at = sv_find(rest, own); at != SIZE_MAX; at = sv_find(rest, own)) {
        buf_append(out, sv_slice(rest, 0, at));
        buf_append_cstr(out, "spiff");
        rest = sv_slice(rest, at + own.len, rest.len);
    }
    buf_append(out, rest);
}

static void append_usage(struct buf *out, const struct cli_command *command) {
    if (command == NULL)
        append_overview(out);
    else
        append_command(out, command);
}

static enum exit_code show_usage(struct cli *c, const struct cli_command *command, enum exit_code code) {
    struct buf out = BUF(&c->arena);
    append_usage(&out, command);
    output_text(c, buf_get_sv(&out));
    return c->output_error == 0 ? code : EXIT_FAILED;
}

static enum exit_code refuse_topic(struct cli *c, sv topic) {
    report_lines(c, arena_printf(&c->arena, "No help topic for '%.*s'\n", SV_ARG(topic)));
    return EXIT_FAILED;
}

/* --- the program --- */

static bool is_one_of(const char *word, const char *one, const char *other) {
    return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

static enum exit_code help(struct cli *c, sv topic) {
    const struct cli_command *command = topic.len == 0 ? NULL : cli_find_group_command(&cli_dynaml, topic);
    return topic.len > 0 && command == NULL ? refuse_topic(c, topic) : show_usage(c, command, EXIT_OK);
}

static bool answer(struct cli *c, int argc, const char *const *argv, enum exit_code *code) {
    const char *first = argc > 1 ? argv[1] : "help";
    if (is_one_of(first, "help", "h")) {
        *code = help(c, argc > 2 ? sv_from_cstr(argv[2]) : SV(""));
        return true;
    }
    if (is_one_of(first, "--help", "-h")) {
        *code = show_usage(c, NULL, EXIT_OK);
        return true;
    }
    if (is_one_of(first, "--version", "-v")) {
        output_text(c, SV("spiff version " SPIFF_VERSION " (lintel " LINTEL_VERSION ")\n"));
        *code = c->output_error == 0 ? EXIT_OK : EXIT_FAILED;
        return true;
    }
    return false;
}

/* How many arguments there have to be; `*most` is what is looked at. */
static size_t count_needed(const struct cli_command *command, size_t *most) {
    size_t least = 0;
    *most = 0;
    for (size_t i = 0; i < command->argument_count; i++) {
        least += !command->arguments[i].optional;
        *most = command->arguments[i].many ? SIZE_MAX : *most + (*most != SIZE_MAX);
    }
    return least;
}

static bool begin(struct cli *c, enum exit_code *code) {
    size_t most = 0, least = c->command == NULL ? 0 : count_needed(c->command, &most);
    bool wants_help = settings_get_flag(c, "help");
    if (!wants_help && c->command != NULL && c->arguments.len >= least) {
        c->arguments.len = c->arguments.len < most ? c->arguments.len : most;
        return false;
    }
    bool is_short = !wants_help && c->command != NULL;
    *code = show_usage(c, c->command, is_short ? EXIT_FAILED : EXIT_OK);
    if (c->json)
        *code = output_usage_error(c, c->command == NULL ? "no command given" : "too few arguments");
    return true;
}

/* An unknown command is left as the only argument. */
static void show_mistake(struct cli *c) {
    struct buf out = BUF(&c->arena);
    if (c->command == NULL && c->arguments.len > 0) {
        refuse_topic(c, c->arguments.items[0]);
        return;
    }
    buf_append_cstr(&out, "Incorrect Usage.\n");
    for (size_t i = 0; i < c->diags.items.len; i++)
        buf_printf(&out, "%.*s\n", SV_ARG(c->diags.items.items[i]->message));
    buf_append_char(&out, '\n');
    append_usage(&out, c->command);
    report_lines(c, buf_get_sv(&out));
}

static enum exit_code finish(struct cli *c, enum exit_code code) {
    if (code == EXIT_OK || code == EXIT_CHANGES)
        return code;
    if (code == EXIT_USAGE) {
        struct buf out = BUF(&c->arena);
        struct jsonw w = JSONW(&out, 0);
        work_write_failure(c, &w, EXIT_FAILED);
        c->result = buf_get_sv(&out);
        show_mistake(c);
        diags_init(&c->diags, &c->arena, &c->sources);
    }
    return EXIT_FAILED;
}

const struct cli_program cli_spiff = {.name = SV_INIT("spiff"), .answer = answer, .begin = begin, .finish = finish};
