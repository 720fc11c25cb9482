/* Writing files that people own: all or nothing. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_FILES_H
#define LINTEL_APPS_CLI_FILES_H

#include "apps/cli/cli.h"

/* Puts `bytes` in place of what the existing regular file holds: symbolic links are followed, the mode stays, and
 * whoever reads sees either the old text or the new one, whatever fails. False after a report. */
bool file_replace(struct cli *c, sv path, sv bytes);

enum file_made {
    FILE_MADE = 1,
    FILE_EXISTS, /* whatever has that name is left alone; not reported */
    FILE_FAILED, /* reported; nothing is left behind */
};
/* Makes a new file. */
enum file_made file_make(struct cli *c, sv path, sv bytes);
/* Makes the directory and those above it that are missing. False after a report. */
bool directory_make(struct cli *c, sv path);

#endif
