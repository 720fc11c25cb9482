/* State in an SQLite file (LC-040 to LC-043): the default store. */
#ifndef LINTEL_STORES_SQLITE_SQLITE_STORE_H
#define LINTEL_STORES_SQLITE_SQLITE_STORE_H

#include "model/store.h"

/* Opens the state file, made when missing (unless `read_only`), brought up to the present format when older. The handle
 * lives in `a`; the caller closes. NULL after a report that names the file and what to do; a file that is no Lintel
 * state, is newer or is damaged has not been written to. `result` (may be NULL) tells which it was. */
struct store *sqlite_store_open(struct arena *a, sv path, const struct store_options *options,
                                enum store_result *result);

#endif
