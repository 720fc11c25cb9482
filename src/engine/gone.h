/* Instances that are not there any more: their history stays when they are destroyed, and tells what they were. */
#ifndef LINTEL_ENGINE_GONE_H
#define LINTEL_ENGINE_GONE_H

#include "engine/run.h"

struct gone_instance {
    bool found;
    struct store_instance row; /* as it was before its destruction; `version` is higher than any that it has had */
    int64_t history_number;    /* of its last entry */
};

/* By the configuration's id; else by its name, within its name space: of several the one that was destroyed last. An
 * instance that is there is not gone. False after a report. */
bool gone_find(const struct run_config *c, struct gone_instance *g);

#endif
