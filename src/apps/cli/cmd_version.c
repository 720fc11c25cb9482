#include "apps/cli/commands.h"

enum exit_code cmd_version_run(struct cli *c) {
    output_text(c, SV("lintel " LINTEL_VERSION "\n"));
    jsonw_put_text(&c->writer, "version", SV(LINTEL_VERSION));
    return EXIT_OK;
}
