/* The provider `http`: documents on web servers. */
#ifndef LINTEL_PROVIDERS_HTTP_HTTP_PROVIDER_H
#define LINTEL_PROVIDERS_HTTP_HTTP_PROVIDER_H

#include "model/provider.h"

extern const struct provider provider_http;

/* Types of the tables; for the provider's own files. */
extern const struct data_type http_document_data;

#endif
