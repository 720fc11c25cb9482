/* The provider `sqlite`: database files with their migrations. */
#ifndef LINTEL_PROVIDERS_SQLITE_SQLITE_PROVIDER_H
#define LINTEL_PROVIDERS_SQLITE_SQLITE_PROVIDER_H

#include "model/provider.h"

extern const struct provider provider_sqlite;

/* Types of the tables; for the provider's own files. */
extern const struct resource_type sqlite_database_type;
extern const struct data_type sqlite_query_data;

#endif
