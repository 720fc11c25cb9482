/* The commands of the cfn dialect (CF-280). Internal to the command line. */
#ifndef LINTEL_APPS_CLI_CFN_COMMANDS_H
#define LINTEL_APPS_CLI_CFN_COMMANDS_H

#include "apps/cli/cli.h"

extern const struct cli_group cli_cfn;

enum exit_code cmd_cfn_graph_run(struct cli *c);
enum exit_code cmd_cfn_params_run(struct cli *c);
enum exit_code cmd_cfn_resolve_run(struct cli *c);
enum exit_code cmd_cfn_validate_run(struct cli *c);

#endif
