/* One function per command, each in its own file. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_COMMANDS_H
#define LINTEL_APPS_CLI_COMMANDS_H

#include "apps/cli/cli.h"

enum exit_code cmd_completion_run(struct cli *c);
enum exit_code cmd_config_run(struct cli *c);
enum exit_code cmd_console_run(struct cli *c);
enum exit_code cmd_deploy_run(struct cli *c);
enum exit_code cmd_destroy_run(struct cli *c);
enum exit_code cmd_drift_run(struct cli *c);
enum exit_code cmd_errors_run(struct cli *c);
enum exit_code cmd_explain_run(struct cli *c);
enum exit_code cmd_fmt_run(struct cli *c);
enum exit_code cmd_functions_run(struct cli *c);
enum exit_code cmd_graph_run(struct cli *c);
enum exit_code cmd_help_run(struct cli *c);
enum exit_code cmd_history_run(struct cli *c);
enum exit_code cmd_import_run(struct cli *c);
enum exit_code cmd_init_run(struct cli *c);
enum exit_code cmd_list_run(struct cli *c);
enum exit_code cmd_output_run(struct cli *c);
enum exit_code cmd_plan_run(struct cli *c);
enum exit_code cmd_providers_run(struct cli *c);
enum exit_code cmd_queue_run(struct cli *c);
enum exit_code cmd_reconcile_run(struct cli *c);
enum exit_code cmd_render_run(struct cli *c);
enum exit_code cmd_rollback_run(struct cli *c);
enum exit_code cmd_show_run(struct cli *c);
enum exit_code cmd_state_run(struct cli *c);
enum exit_code cmd_unlock_run(struct cli *c);
enum exit_code cmd_validate_run(struct cli *c);
enum exit_code cmd_version_run(struct cli *c);
enum exit_code cmd_work_run(struct cli *c);

#endif
