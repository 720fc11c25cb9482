/* What is to be imported, from a mapping of addresses to ids. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_IMPORT_WISHES_H
#define LINTEL_APPS_CLI_IMPORT_WISHES_H

#include "apps/cli/session.h"

#include "engine/import.h"

struct import_wishes {
    VEC(struct import_wish) items;
};

/* YAML, or JSON by the file's name. False after a report. */
bool import_wishes_read(struct cli *c, sv path, struct import_wishes *wishes);

#endif
