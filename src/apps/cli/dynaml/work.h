/* What the commands of the dynaml dialect share: options, files, results. Internal to the command line.
 *
 * All files are read and parsed from left to right before anything is evaluated (DY-332). A command calls work_open,
 * does its work, and ends with work_end, which says what went wrong in JSON as well (DY-334). */
#ifndef LINTEL_APPS_CLI_DYNAML_WORK_H
#define LINTEL_APPS_CLI_DYNAML_WORK_H

#include "apps/cli/cli.h"
#include "dialects/dynaml/dynaml.h"

#include <signal.h>

struct work {
    struct cli *cli;
    struct dynaml_options options;
    struct dynaml_run *run;
    const struct dynaml_world *world;            /* below the one of `options` */
    struct sigaction on_interrupt, on_terminate; /* as lintel handles them */
    struct dynaml_document **documents;
    size_t count, warnings; /* warnings: that have been shown */
    struct dynaml_result result;
    sv message, hint; /* what went wrong; empty: nothing */
};

/* Takes the options over. False after a usage error. */
bool work_open(struct work *w, struct cli *c);
/* Reads files[0] as the template, the others as stubs. False after a report. */
bool work_read(struct work *w, const sv *files, size_t count);
/* The same for one file of that role ("template", "stub", "a", "b"); NULL after a report. */
struct dynaml_document *work_read_one(struct work *w, sv file, const char *role);
/* Warnings that are not shown yet; false when they count as errors (--strict). */
bool work_check_warnings(struct work *w);
/* Whether the run gave a document. Reports what it did not resolve. */
bool work_check_result(struct work *w);
/* The part that --path asks for. False after a report. */
bool work_take_path(struct work *w, value *v);
/* Prints the value as YAML or JSON. */
enum exit_code work_print(struct work *w, value v);
/* One line of what went wrong, which is also the message in JSON. Returns false. */
bool work_fail(struct work *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether output is as the established tool's (DY-320, DY-343). */
bool work_is_compatible(const struct cli *c);
/* The exit code is `code`; with --json a failure is told there. */
enum exit_code work_end(struct work *w, enum exit_code code);

/* cli_group.write_failure */
void work_write_failure(struct cli *c, struct jsonw *w, enum exit_code code);

/* --- report.c --- */
/* Lines to standard error; on a terminal without control characters but line breaks and tabs (DY-365). */
void report_lines(struct cli *c, sv text);
/* What was wrong with the file read last: its place and hint, where these are wanted (DY-333). */
void report_problem(struct work *w);
/* The unresolved nodes of the result. */
void report_unresolved(struct work *w);
/* {"error": …} (DY-334). */
sv report_make_json(struct work *w, enum exit_code code);

#endif
