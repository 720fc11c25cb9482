/* The commands of the dynaml dialect (DY-330). Internal to the command line. */
#ifndef LINTEL_APPS_CLI_DYNAML_COMMANDS_H
#define LINTEL_APPS_CLI_DYNAML_COMMANDS_H

#include "apps/cli/cli.h"

extern const struct cli_group cli_dynaml;

/* `spiff` (DY-335). */
extern const struct cli_program cli_spiff;

enum exit_code cmd_dynaml_diff_run(struct cli *c);
enum exit_code cmd_dynaml_eval_run(struct cli *c);
enum exit_code cmd_dynaml_explain_run(struct cli *c);
enum exit_code cmd_dynaml_merge_run(struct cli *c);

#endif
