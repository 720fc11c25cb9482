#include "providers/process/process_provider.h"

static const struct resource_type *const process_types[] = {
    &process_service_type,
};

/* sorted */
static const struct link_type *const process_links[] = {
    &service_to_local_file_link,
    &service_to_sqlite_database_link,
};

static const struct data_type *const process_data[] = {
    &process_environment_data,
};

const struct provider provider_process = {
    .name = SV_INIT("process"),
    .summary = SV_INIT("Services of this machine"),
    .data = process_data,
    .data_count = sizeof process_data / sizeof process_data[0],
    .resources = process_types,
    .resource_count = sizeof process_types / sizeof process_types[0],
    .links = process_links,
    .link_count = sizeof process_links / sizeof process_links[0],
};
