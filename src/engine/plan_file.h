/* Names of plan files that writing and reading share. */
#ifndef LINTEL_ENGINE_PLAN_FILE_H
#define LINTEL_ENGINE_PLAN_FILE_H

#include "engine/run.h"

#define PLAN_FORMAT "1.0"

/* Where a change stands in the file (BP-422). Every change has exactly one group. */
struct plan_group {
    const char *key;
    enum element_kind kind;
    enum change_action actions[3];
};
extern const struct plan_group plan_groups[];
extern const size_t plan_group_count;

sv plan_action_name(enum change_action action); /* "create" */
enum change_action plan_find_action(sv name);   /* 0: none of that name */

#endif
