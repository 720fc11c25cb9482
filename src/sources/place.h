/* Places in the file system, looked at before anything is opened for reading: devices and FIFOs notice nothing, and
 * what is read is what was looked at. Internal to the room. */
#ifndef LINTEL_SOURCES_PLACE_H
#define LINTEL_SOURCES_PLACE_H

#include "base/arena.h"

/* O_PATH, links followed but those of /proc that lead to open files of processes; -1 with errno. */
int place_open_at(int dir_fd, const char *path);
/* Absolute, links resolved; empty when it cannot be told. */
sv place_get_real_path(struct arena *a, int fd);
/* Opens for reading what an O_PATH descriptor stands for; -1 with errno. */
int place_reopen(int fd);
/* Both absolute and real; `dir` itself counts. */
bool place_is_below(sv path, sv dir);

#endif
