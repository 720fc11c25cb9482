#include "providers/local/local.h"

/* sorted */
static const struct resource_type *const local_types[] = {
    &local_directory_type,
    &local_file_type,
};

static const struct data_type *const local_data[] = {
    &local_file_data,
};

static const struct link_type *const local_links[] = {
    &local_file_to_directory_link,
};

const struct provider provider_local = {
    .name = SV_INIT("local"),
    .summary = SV_INIT("Files and directories of this machine"),
    .data = local_data,
    .data_count = sizeof local_data / sizeof local_data[0],
    .resources = local_types,
    .resource_count = sizeof local_types / sizeof local_types[0],
    .links = local_links,
    .link_count = sizeof local_links / sizeof local_links[0],
};
