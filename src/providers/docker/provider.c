#include "providers/docker/docker_provider.h"

/* sorted */
static const struct resource_type *const docker_types[] = {
    &docker_container_type,
    &docker_network_type,
    &docker_volume_type,
};

/* By the types of both sides. */
static const struct link_type *const docker_links[] = {
    &container_to_network_link,
    &container_to_volume_link,
    &container_to_database_link,
};

const struct provider provider_docker = {
    .name = SV_INIT("docker"),
    .summary = SV_INIT("Containers, networks and volumes of an engine with the Docker API"),
    .resources = docker_types,
    .resource_count = sizeof docker_types / sizeof docker_types[0],
    .links = docker_links,
    .link_count = sizeof docker_links / sizeof docker_links[0],
};
