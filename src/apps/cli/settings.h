/* How settings come together (CLI-004): option, environment, project file, default. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_SETTINGS_H
#define LINTEL_APPS_CLI_SETTINGS_H

#include "apps/cli/cli.h"

struct setting_source {
    enum setting_origin origin;
    sv text; /* name of the variable or file */
};

/* Takes a value unless a stronger origin has given one; repeatable options collect those of one origin. False after a
 * report. */
bool settings_put(struct cli *c, const struct cli_option *option, const struct setting_source *from, sv text);

/* --- options.c --- */
/* Options and arguments of the command line; finds the command. False after usage errors. */
bool options_parse(struct cli *c, int argc, const char *const *argv);
/* The option of that name among the global ones (that the group takes) and those of the command; either may be NULL.
 * Aliases are followed. NULL when unknown. */
const struct cli_option *option_find(const struct cli_group *group, const struct cli_command *command, sv name);
/* The option of that name of any command. */
const struct cli_option *option_find_anywhere(sv name);
/* The commands of the group; without one those of the top level, and the groups. */
void option_offer_commands(struct hint *hint, const struct cli_group *group);
bool option_is_global(const struct cli_option *option);
void option_offer_all(struct hint *hint);
/* The variable of the environment that sets it; empty for aliases and options that have only a short form. */
sv option_get_variable(struct arena *a, const struct cli_option *option);
bool option_check_value(struct cli *c, const struct cli_option *option, const struct setting_source *from, sv text);

/* --- project.c --- */
/* -C DIR. */
bool project_change_directory(struct cli *c);
/* Sets project_dir and project_file. */
void project_find(struct cli *c);
/* lintel.yaml; false after a report. */
bool project_load_file(struct cli *c);

#endif
