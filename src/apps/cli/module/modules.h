/* What the commands of the module dialect share: the root file, the argument. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_MODULE_MODULES_H
#define LINTEL_APPS_CLI_MODULE_MODULES_H

#include "apps/cli/cli.h"
#include "dialects/module/check.h"
#include "dialects/module/evaluate.h"

struct modules {
    struct cli *cli;
    sv file; /* of the root, as given or found */
    struct module_set *set;
    struct module_code *code; /* the one that the command names; NULL without */
    struct module_run *run;
    struct module_given given;
};

/* Loads the root file (MD-010). False after a report with the exit code. */
bool modules_open(struct modules *m, struct cli *c, enum exit_code *code);
/* Finds the module that the first argument names and checks what it reaches; what is said of other documents is
 * dropped, unless they matter, too. False after a report. */
bool modules_choose(struct modules *m, bool others_matter);
/* Opens a run with the texts of -a (MD-270). False after a report with the exit code. */
bool modules_start(struct modules *m, enum exit_code *code);
/* Paths for all diagnostics; EXIT_INVALID when there are errors. */
enum exit_code modules_finish(struct modules *m);
/* A value as YAML; a string bare. */
void modules_print(struct cli *c, value v, enum secrecy secrecy);

#endif
