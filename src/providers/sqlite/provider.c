#include "providers/sqlite/sqlite_provider.h"

static const struct resource_type *const sqlite_types[] = {
    &sqlite_database_type,
};

const struct provider provider_sqlite = {
    .name = SV_INIT("sqlite"),
    .summary = SV_INIT("SQLite databases"),
    .resources = sqlite_types,
    .resource_count = sizeof sqlite_types / sizeof sqlite_types[0],
};
