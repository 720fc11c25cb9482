/* What --verbose says beside the rest, on standard error: settings that were set and from where, the store and the
 * sealing key, the documents that were read, how it ended. Never the text of a setting. */
#ifndef LINTEL_APPS_CLI_VERBOSE_H
#define LINTEL_APPS_CLI_VERBOSE_H

#include "apps/cli/cli.h"

void verbose_begin(struct cli *c);
/* `url` as people may see it, `key` the source of the sealing key. */
void verbose_say_store(struct cli *c, sv url, sv key);
void verbose_end(struct cli *c, enum exit_code code, int64_t started_ms);

#endif
