/* What happens between fork and exec; for this room alone. Only calls that are safe after a fork of a program with
 * threads. */
#ifndef LINTEL_ADAPTERS_PROCESS_CHILD_H
#define LINTEL_ADAPTERS_PROCESS_CHILD_H

#include "adapters/process/process.h"

#include <sys/types.h>

/* Becomes the program: session of its own, descriptors 0, 1, 2 as given, nothing else open, signals as at the start of
 * the world. On failure writes a struct process_failure to `report` and ends. */
_Noreturn void child_become(const struct process_start *start, int input, int output, int errors, int report);
/* Waits for the end of `report`; false when a failure came through it. */
bool child_await_exec(int report, struct process_failure *failure);
/* Waits for a child; its status. */
int child_reap(pid_t pid);

#endif
