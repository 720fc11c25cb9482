/* The provider `local`: files and directories of this machine. */
#ifndef LINTEL_PROVIDERS_LOCAL_LOCAL_H
#define LINTEL_PROVIDERS_LOCAL_LOCAL_H

#include "model/provider.h"

extern const struct provider provider_local;

/* Types of the table; for the provider's own files. */
extern const struct resource_type local_directory_type, local_file_type;
extern const struct data_type local_file_data;
extern const struct link_type local_file_to_directory_link;

#endif
