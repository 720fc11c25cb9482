/* Where the sealing key comes from: --key SPEC (LC-050). Internal to the command line. */
#ifndef LINTEL_APPS_CLI_KEY_SPEC_H
#define LINTEL_APPS_CLI_KEY_SPEC_H

#include "apps/cli/cli.h"

/* Fills in the key file, or the key's text and its source; of a passphrase only the source. With --pure no program
 * runs: no key then. False after a report that names the source, never the key. */
bool key_spec_resolve(struct cli *c, sv spec, struct sealer_options *options);
bool key_spec_is_passphrase(sv spec);

enum key_use {
    KEY_PRESENT = 1, /* secrets are sealed with it */
    KEY_FIRST,       /* nothing is sealed yet: asked for twice */
    KEY_NEXT,        /* of --new-key: asked for twice */
};
/* Whether a passphrase can be had: a variable is set, or there is a terminal to ask on. */
bool key_spec_can_ask(struct cli *c, sv spec, enum key_use use);
/* Fills in the passphrase. False after a report. */
bool key_spec_ask(struct cli *c, sv spec, enum key_use use, struct sealer_options *options);

#endif
