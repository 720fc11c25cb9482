/* State stores by URL (LC-040). */
#ifndef LINTEL_API_STORE_OPEN_H
#define LINTEL_API_STORE_OPEN_H

#include "model/store.h"

/* `PATH`, `sqlite:PATH`, `postgres://…` or `memory:`. The handle lives in `a`; the caller closes it through its ops.
 * NULL after a report; `result` (may be NULL) says of which kind. */
struct store *store_open_url(struct arena *a, sv url, const struct store_options *options, enum store_result *result);
/* State that several machines share. */
bool store_is_postgres_url(sv url);
/* Whether there is a password in it; what can be shown of it to people, in `a`. */
bool store_url_has_password(sv url);
sv store_show_url(struct arena *a, sv url);
/* The same for callers that need no kind. */
struct store *store_open(struct arena *a, sv url, const struct store_options *options);

#endif
