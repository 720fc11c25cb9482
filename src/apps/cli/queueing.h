/* Queueing a plan and following its run (LC-045). Internal to the command line. */
#ifndef LINTEL_APPS_CLI_QUEUEING_H
#define LINTEL_APPS_CLI_QUEUEING_H

#include "apps/cli/consent.h"

/* --wait only together with --queue. False after a usage error. */
bool queueing_check_options(struct cli *c);
/* Instead of carrying a plan out that was consented to: stores it; with --wait follows the run to its end and gives its
 * exit code. */
enum exit_code queueing_add(struct session *s, const struct plan *p);

#endif
