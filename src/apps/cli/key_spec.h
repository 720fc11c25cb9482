/* Where the sealing key comes from: --key SPEC (LC-050). Internal to the command line. */
#ifndef LINTEL_APPS_CLI_KEY_SPEC_H
#define LINTEL_APPS_CLI_KEY_SPEC_H

#include "apps/cli/cli.h"

/* Fills in the key file, or the key's text and its source. With --pure no program runs: no key then. False after a
 * report that names the source, never the key. */
bool key_spec_resolve(struct cli *c, sv spec, struct sealer_options *options);

#endif
