/* The reference store: rows in memory, gone with close (LC-040, `memory:`).
 *
 * It shows what every store promises, as plainly as possible. A transaction works on the rows themselves and keeps a
 * list of what to undo. */
#ifndef LINTEL_STORES_MEMORY_MEMORY_H
#define LINTEL_STORES_MEMORY_MEMORY_H

#include "model/store.h"

/* `a` holds the handle. Never NULL. */
struct store *memory_store_open(struct arena *a, const struct store_options *options);

#endif
