/* `state rekey`. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_REKEY_H
#define LINTEL_APPS_CLI_REKEY_H

#include "apps/cli/cli.h"

enum exit_code rekey_command(struct cli *c);

#endif
