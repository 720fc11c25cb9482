/* Where the time of a run went: --timings and --trace FILE. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_TIMINGS_H
#define LINTEL_APPS_CLI_TIMINGS_H

#include "apps/cli/cli.h"

struct timings;

/* NULL when neither option is given. `p` outlives it. */
struct timings *timings_new(struct cli *c, const struct plan *p);
/* Makes the file of --trace, empty so far. False after a report. */
bool timings_begin(struct timings *t);
/* Every event of the run, in order. `t` may be NULL. */
void timings_note(struct timings *t, const struct event *e);
/* The member "timings" of the summary, with --timings. `t` may be NULL. */
void timings_write_json(const struct timings *t, struct jsonw *w);
/* Prints with --timings, and writes the trace. False after a report. `t` may be NULL. */
bool timings_end(struct timings *t);

#endif
