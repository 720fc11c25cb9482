/* What the commands of the dynaml dialect share: options, files, reports. Internal to the command line.
 *
 * All files are read and parsed from left to right before anything is evaluated (DY-332). */
#ifndef LINTEL_APPS_CLI_DYNAML_WORK_H
#define LINTEL_APPS_CLI_DYNAML_WORK_H

#include "apps/cli/cli.h"
#include "dialects/dynaml/dynaml.h"

struct work {
    struct cli *cli;
    struct dynaml_run *run;
    struct dynaml_document **documents;
    size_t count;
    struct dynaml_result result;
};

/* Takes the options over. False after a usage error. */
bool work_open(struct work *w, struct cli *c);
/* Reads files[0] as the template, the others as stubs. False after a report. */
bool work_read(struct work *w, const sv *files, size_t count);
/* The error lines and warnings of a run: true when its document may be printed. */
bool work_check_result(struct work *w);
/* A line on standard error, which is also the message of the JSON failure. */
void work_fail(struct work *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The value as YAML, or JSON. */
enum exit_code work_print(struct work *w, value v);
/* cli_group.write_failure */
void work_write_failure(struct cli *c, struct jsonw *w, enum exit_code code);

#endif
