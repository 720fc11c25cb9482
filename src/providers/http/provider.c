#include "providers/http/http_provider.h"

static const struct data_type *const http_data[] = {
    &http_document_data,
};

const struct provider provider_http = {
    .name = SV_INIT("http"),
    .summary = SV_INIT("Documents on web servers"),
    .data = http_data,
    .data_count = sizeof http_data / sizeof http_data[0],
};
