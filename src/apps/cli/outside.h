/* What templates may reach outside of their own text: other files and documents (BP-170 to BP-176), modules (BP-291),
 * transforms (BP-057), as the global options allow it. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_OUTSIDE_H
#define LINTEL_APPS_CLI_OUTSIDE_H

#include "apps/cli/cli.h"

/* Opens the outside of a root file (empty or "-": of the working directory) and puts it into the request. The fetcher
 * stays in `c->fetcher` for what comes after loading, until outside_close. */
void outside_open(struct cli *c, sv root_dir, struct load_request *request);
/* The directory of a file as it is meant for outside_open: absolute, links resolved. */
sv outside_find_root(struct cli *c, sv file);
/* Writes lintel.lock as the command wants it (CLI-013), and ends every fetcher. False after a report. */
bool outside_close(struct cli *c, bool is_sound);
/* The providers of templates: with --pure no data source is fetched, with --offline none that opens a connection. */
const struct providers *outside_get_providers(struct cli *c);

#endif
