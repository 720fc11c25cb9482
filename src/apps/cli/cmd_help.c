#include "apps/cli/commands.h"
#include "apps/cli/settings.h"

static void render_chapter(struct buf *out, const struct cli_command *command) {
    buf_append_cstr(out, "\n## ");
    cli_print_name(out, command->group, command);
    buf_append_cstr(out, "\n\n```\n");
    help_render_command(out, command);
    buf_append_cstr(out, "```\n");
}

static void render_group(struct buf *out, const struct cli_group *group) {
    buf_printf(out, "\n## %.*s\n\n```\n", SV_ARG(group->name));
    help_render_group(out, group);
    buf_append_cstr(out, "```\n");
    for (size_t i = 0; i < group->command_count; i++)
        render_chapter(out, group->commands[i]);
}

static void render_markdown(struct buf *out) {
    buf_append_cstr(out, "# The command line\n\nMade by `lintel help --markdown` from the command table.\n\n```\n");
    help_render_overview(out);
    buf_append_cstr(out, "```\n");
    for (size_t i = 0; i < cli_command_count; i++)
        render_chapter(out, cli_commands[i]);
    for (size_t i = 0; i < cli_group_count; i++)
        render_group(out, cli_groups[i]);
}

struct topic {
    const struct cli_group *group;
    const struct cli_command *command;
};

static enum exit_code report_unknown(struct cli *c, const struct cli_group *group, sv topic) {
    struct hint hint = HINT(topic);
    option_offer_commands(&hint, group);
    return output_report_unknown(c, "command", topic, &hint);
}

static enum exit_code find_topic(struct cli *c, struct topic *t) {
    if (c->arguments.len == 0)
        return EXIT_OK;
    sv first = c->arguments.items[0];
    t->group = cli_find_group(first);
    if (t->group && c->arguments.len > 1)
        t->command = cli_find_group_command(t->group, c->arguments.items[1]);
    else if (!t->group)
        t->command = cli_find_command(first);
    if (t->group && c->arguments.len > 1 && !t->command)
        return report_unknown(c, t->group, c->arguments.items[1]);
    if (!t->group && !t->command)
        return report_unknown(c, NULL, first);
    if (!t->group && c->arguments.len > 1)
        return output_usage_error(c, "'%.*s' is no group of commands", SV_ARG(t->command->name));
    return EXIT_OK;
}

static void render(struct cli *c, struct buf *out, const struct topic *t) {
    if (settings_get_flag(c, "man"))
        man_render(out, t->group, t->command);
    else if (settings_get_flag(c, "markdown"))
        render_markdown(out);
    else if (t->command)
        help_render_command(out, t->command);
    else if (t->group)
        help_render_group(out, t->group);
    else
        help_render_overview(out);
}

enum exit_code cmd_help_run(struct cli *c) {
    struct topic about = {0};
    enum exit_code code = find_topic(c, &about);
    if (code != EXIT_OK)
        return code;
    struct buf out = BUF(&c->arena);
    render(c, &out, &about);
    output_text(c, buf_get_sv(&out));
    jsonw_key(&c->writer, SV("help"));
    help_write_json(&c->writer, about.group, about.command);
    return EXIT_OK;
}
