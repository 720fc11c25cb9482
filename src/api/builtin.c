#include "api/builtin.h"

#include "providers/docker/docker_provider.h"
#include "providers/http/http_provider.h"
#include "providers/local/local.h"
#include "providers/process/process_provider.h"
#include "providers/random/random.h"
#include "providers/sqlite/sqlite_provider.h"

static const struct provider *const items[] = {&provider_docker,  &provider_http,   &provider_local,
                                               &provider_process, &provider_random, &provider_sqlite};

const struct providers builtin_providers = {items, sizeof items / sizeof *items};
