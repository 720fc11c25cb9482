/* How the rows of command tables are written. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_TABLE_H
#define LINTEL_APPS_CLI_TABLE_H

#include "apps/cli/cli.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define ARGS(array)     .arguments = (array), .argument_count = COUNT(array)
#define OPTIONS(array)  .options = (array), .option_count = COUNT(array)
#define EXAMPLES(array) .examples = (array), .example_count = COUNT(array)
#define EXITS(array)    .exits = (array), .exit_count = COUNT(array)

#endif
