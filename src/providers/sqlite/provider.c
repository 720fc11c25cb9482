#include "providers/sqlite/sqlite_provider.h"

static const struct resource_type *const sqlite_types[] = {
    &sqlite_database_type,
};

static const struct data_type *const sqlite_data[] = {
    &sqlite_query_data,
};

const struct provider provider_sqlite = {
    .name = SV_INIT("sqlite"),
    .summary = SV_INIT("SQLite databases"),
    .data = sqlite_data,
    .data_count = sizeof sqlite_data / sizeof sqlite_data[0],
    .resources = sqlite_types,
    .resource_count = sizeof sqlite_types / sizeof sqlite_types[0],
};
