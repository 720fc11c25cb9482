/* Who runs (LC-001): user and machine, process, command line without secret values. */
#ifndef LINTEL_ENGINE_ACTOR_H
#define LINTEL_ENGINE_ACTOR_H

#include "engine/run.h"

/* Fields `actor`, `pid` and `command` of a run's first row and of its history entry. */
void actor_put(struct map_builder *b, const struct run_config *c);

#endif
