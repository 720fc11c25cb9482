#include "apps/cli/commands.h"

enum exit_code cmd_completion_run(struct cli *c) {
    struct buf out = BUF(&c->arena);
    sv shell = c->arguments.items[0];
    if (!completion_render(&out, shell)) {
        output_usage_error(c, "no completion for the shell '%.*s'", SV_ARG(render_escape(&c->arena, shell)));
        diag_set_hint(&c->diags, *VEC_LAST(&c->diags.items), "there are bash, zsh and fish");
        return EXIT_USAGE;
    }
    output_text(c, buf_get_sv(&out));
    jsonw_put_text(&c->writer, "shell", shell);
    jsonw_put_text(&c->writer, "script", buf_get_sv(&out));
    return EXIT_OK;
}
