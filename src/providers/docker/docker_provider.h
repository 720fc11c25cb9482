/* The provider `docker`: containers, networks and volumes of an engine that speaks the Docker Engine API. */
#ifndef LINTEL_PROVIDERS_DOCKER_DOCKER_PROVIDER_H
#define LINTEL_PROVIDERS_DOCKER_DOCKER_PROVIDER_H

#include "model/provider.h"

extern const struct provider provider_docker;

/* Types of the tables; for the provider's own files. */
extern const struct resource_type docker_container_type, docker_network_type, docker_volume_type;
extern const struct link_type container_to_network_link, container_to_volume_link, container_to_database_link;

#endif
