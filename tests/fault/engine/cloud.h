/* A provider whose objects have names that only it knows: files in a directory, each marked with the key of the
 * operation that made it. Two creations with different keys make two objects, as in a real cloud: so a lost or doubled
 * object can be counted. */
#ifndef TESTS_FAULT_ENGINE_CLOUD_H
#define TESTS_FAULT_ENGINE_CLOUD_H

#include "model/provider.h"

extern const struct provider provider_cloud;

#endif
