/* Files that expressions read by path while they are evaluated, without a fetcher: nothing is kept of them. */
#ifndef LINTEL_SOURCES_READ_H
#define LINTEL_SOURCES_READ_H

#include "base/arena.h"

enum sources_read {
    SOURCES_READ_OK = 1,
    SOURCES_READ_OUTSIDE, /* not below the root directory, or no regular file */
    SOURCES_READ_FAILED,  /* errno tells why */
};

/* As the process sees the path, whatever is there. At most `max` bytes and one more, which tells that there are more; a
 * NUL stands behind them. */
enum sources_read sources_read_path(struct arena *a, sv path, size_t max, sv *bytes);
/* A regular file below a directory; a relative path is meant from there. What was checked is what is read, whatever
 * becomes of the path meanwhile. */
enum sources_read sources_read_below(struct arena *a, sv root, sv path, size_t max, sv *bytes);

#endif
