/* The commands of the module dialect: `lintel module NAME`, or `dacrane NAME` (MD-004). Internal to the command line.
 */
#ifndef LINTEL_APPS_CLI_MODULE_COMMANDS_H
#define LINTEL_APPS_CLI_MODULE_COMMANDS_H

#include "apps/cli/cli.h"

extern const struct cli_group cli_module;

enum exit_code cmd_module_eval_run(struct cli *c);
enum exit_code cmd_module_graph_run(struct cli *c);
enum exit_code cmd_module_render_run(struct cli *c);
enum exit_code cmd_module_validate_run(struct cli *c);

#endif
