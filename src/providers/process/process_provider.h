/* The provider `process`: services of this machine. */
#ifndef LINTEL_PROVIDERS_PROCESS_PROCESS_PROVIDER_H
#define LINTEL_PROVIDERS_PROCESS_PROCESS_PROVIDER_H

#include "model/provider.h"

extern const struct provider provider_process;

/* Types of the tables; for the provider's own files. */
extern const struct resource_type process_service_type;
extern const struct data_type process_environment_data;
extern const struct link_type service_to_sqlite_database_link, service_to_local_file_link;

/* --- registry.c: the service's entry in a table of the database --- */
/* What the annotations ask for, into the link's data; idle when they ask for nothing. False after a report. */
bool registry_stage(struct link_call *c, struct map_builder *data);
enum provider_result registry_update(struct link_op_call *c);
enum provider_result registry_tell(struct link_op_call *c);
enum provider_result registry_remove(struct link_op_call *c);
enum provider_result registry_read(struct link_op_call *c);

#endif
