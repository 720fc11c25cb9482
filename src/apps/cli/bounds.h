/* --limit NAME=N: the bounds of a unit that a setting can move (LC-080), in one table. */
#ifndef LINTEL_APPS_CLI_BOUNDS_H
#define LINTEL_APPS_CLI_BOUNDS_H

#include "apps/cli/cli.h"

#include "sources/sources.h"

/* Whether `text` is NAME=N with a known name and a number it may have. */
bool bounds_is_valid(sv text);
/* The names, ", " between them, as an error message lists them. */
sv bounds_list_names(struct arena *a);
/* Takes over what the setting says, checked before. */
void bounds_apply(struct cli *c);
void bounds_apply_to_sources(const struct cli *c, struct sources_limits *limits);

#endif
