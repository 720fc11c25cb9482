/* State in a PostgreSQL database (LC-040, LC-044): one that several machines share. */
#ifndef LINTEL_STORES_POSTGRES_POSTGRES_STORE_H
#define LINTEL_STORES_POSTGRES_POSTGRES_STORE_H

#include "model/store.h"

/* `url` is a URI of libpq, with `schema=NAME` among its parameters when the tables shall not be in schema `lintel`. The
 * schema and its tables are made when missing (unless `read_only`) and brought up to the present format when older. The
 * handle lives in `a`; the caller closes. NULL after a report that names server and database but no password;
 * STORE_NOT_FOUND, without a report: `read_only`, and there is no state yet. */
struct store *postgres_store_open(struct arena *a, sv url, const struct store_options *options,
                                  enum store_result *result);
/* Whether there is a password in the URL; what can be shown of it to people, in `a`. */
bool postgres_url_has_password(sv url);
sv postgres_url_show(struct arena *a, sv url);

#endif
