/* `state export` and `state import`. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_STATE_TRANSFER_H
#define LINTEL_APPS_CLI_STATE_TRANSFER_H

#include "apps/cli/session.h"

enum exit_code state_export(struct session *s);
/* The file is read before the session is opened: NULL after a report. */
struct transfer *state_import_read(struct cli *c, sv path);
/* Whether the key opens what is in the file, asked before the session that writes is opened: that begins a data key
 * under whatever key is given. Else false after a report, with the exit code. */
bool state_import_check(struct cli *c, const struct transfer *file, enum exit_code *code);
enum exit_code state_import(struct session *s, const struct transfer *file);

#endif
