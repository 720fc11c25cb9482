/* A script of `state apply`: an edit a line, all in one transaction. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_STATE_SCRIPT_H
#define LINTEL_APPS_CLI_STATE_SCRIPT_H

#include "apps/cli/import_wishes.h"

struct script_line {
    size_t number;
    bool is_move;
    sv first, second; /* addresses; `second` of a move */
};
struct script {
    VEC(struct script_line) lines; /* rm and mv */
    struct import_wishes wishes;   /* import: they come last, for what they find depends on all others */
    struct loaded loaded;          /* the blueprint that imports need */
};

/* Reads it, and the blueprint if there is something to import. False after a report. */
bool script_read(struct cli *c, sv path, struct script *script);
/* Changes the picture in memory. False after a report. */
bool script_run(const struct script *script, struct edit *e);

#endif
