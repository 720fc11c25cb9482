/* What the commands of the cfn dialect share: the template, what is given to it, the run. Internal to the command line.
 *
 * A command calls stack_open, works with the run, and ends with stack_close. */
#ifndef LINTEL_APPS_CLI_CFN_STACK_H
#define LINTEL_APPS_CLI_CFN_STACK_H

#include "apps/cli/cli.h"
#include "dialects/cfn/cfn.h"
#include "dialects/cfn/inputs.h"
#include "dialects/cfn/stacks.h"

struct stack {
    struct cli *cli;
    struct cfn *cfn;
    struct cfn_inputs *inputs;
    struct cfn_options options;
    struct cfn_run *run;             /* NULL until stack_start */
    const struct cfn_nested *nested; /* CF-260 */
    size_t nested_count;
};

/* Reads the template that the first argument names and all that is given, and takes the options over. False after a
 * report with the exit code. */
bool stack_open(struct stack *s, struct cli *c, enum exit_code *code);
/* Opens the run. */
void stack_start(struct stack *s);
void stack_close(struct stack *s);
/* What is given by options: -p, --params, --symbols, --set, --region …; false after a report with the exit code. */
bool given_collect(struct cli *c, struct cfn_inputs *in, enum exit_code *code);
/* A summary line per kind of entry to standard error, the report as the member `report` and into the file of --report
 * (CF-215). False after a report. */
bool stack_report(struct stack *s);
/* Text to the file of -o, or to standard output. False after a report. */
bool stack_write(struct cli *c, sv text);
/* EXIT_INVALID when there are errors. */
enum exit_code stack_get_code(const struct cli *c);

#endif
