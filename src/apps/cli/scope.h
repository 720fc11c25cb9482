/* What a plan is limited to (CLI-013): the options, and how plans say so. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_SCOPE_H
#define LINTEL_APPS_CLI_SCOPE_H

#include "apps/cli/session.h"

/* `--target`, `--exclude` and `--replace` of the command, each with a place of its own for mistakes. */
void scope_collect(struct cli *c, struct target_request *request);
/* True when none of them is given with `--plan FILE`, which holds its own; else a usage error. */
bool scope_check_saved(struct cli *c);
/* A line with its end, or nothing: "Limited by --target resources.a: 2 elements are left out." */
void scope_render(struct buf *out, const struct plan *p);

#endif
