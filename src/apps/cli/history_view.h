/* What `history` and `history diff` share. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_HISTORY_VIEW_H
#define LINTEL_APPS_CLI_HISTORY_VIEW_H

#include "apps/cli/session.h"

#include "engine/edit.h"

/* Local, with its zone (CLI-021); "-" for 0. */
sv history_render_time(struct cli *c, int64_t ms);
/* The states after two runs, by number or id; empty: as it is now. */
enum exit_code history_diff(struct session *s, sv first, sv second);

#endif
