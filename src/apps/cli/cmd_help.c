#include "apps/cli/commands.h"

static void render_markdown(struct buf *out) {
    buf_append_cstr(out, "# The command line\n\nMade by `lintel help --markdown` from the command table.\n\n```\n");
    help_render_overview(out);
    buf_append_cstr(out, "```\n");
    for (size_t i = 0; i < cli_command_count; i++) {
        buf_printf(out, "\n## %.*s\n\n```\n", SV_ARG(cli_commands[i]->name));
        help_render_command(out, cli_commands[i]);
        buf_append_cstr(out, "```\n");
    }
}

enum exit_code cmd_help_run(struct cli *c) {
    const struct cli_command *about = NULL;
    if (c->arguments.len > 0) {
        sv topic = c->arguments.items[0];
        about = cli_find_command(topic);
        if (!about) {
            struct hint hint = HINT(topic);
            for (size_t i = 0; i < cli_command_count; i++)
                hint_offer(&hint, cli_commands[i]->name);
            return output_report_unknown(c, "command", topic, &hint);
        }
    }
    struct buf out = BUF(&c->arena);
    if (settings_get_flag(c, "man"))
        man_render(&out, about);
    else if (settings_get_flag(c, "markdown"))
        render_markdown(&out);
    else if (about)
        help_render_command(&out, about);
    else
        help_render_overview(&out);
    output_text(c, buf_get_sv(&out));
    jsonw_key(&c->writer, SV("help"));
    help_write_json(&c->writer, about);
    return EXIT_OK;
}
