/* What the operator has told the tools of AWS: credentials and region, from the environment and the shared files. For
 * this room alone. No program is run for credentials and no service asked. */
#ifndef LINTEL_SOURCES_AWS_H
#define LINTEL_SOURCES_AWS_H

#include "sources/internal.h"
#include "sources/sigv4.h"

struct aws_settings {
    struct sigv4_credentials credentials; /* empty keys: requests go unsigned */
    sv region;                            /* empty: none is set */
    sv endpoint;                          /* AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL; empty: none */
};

/* All lives in `a`, which should be a secret arena. */
void aws_read_settings(struct gatherer *g, struct arena *a, struct aws_settings *result);

#endif
