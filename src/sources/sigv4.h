/* Signature Version 4 of AWS: what makes a request one of the holder of a key, for every S3-compatible store. Pure. */
#ifndef LINTEL_SOURCES_SIGV4_H
#define LINTEL_SOURCES_SIGV4_H

#include "base/buf.h"

struct sigv4_credentials {
    sv access_key, secret_key;
    sv session_token; /* of temporary credentials; else empty */
};

/* A header or a parameter of the query, decoded. */
struct sigv4_pair {
    sv name, text;
};

struct sigv4_request {
    sv method;
    sv path; /* encoded as it is sent: every byte but unreserved ones and '/' as %XX */
    const struct sigv4_pair *query;
    size_t query_count;
    const struct sigv4_pair *headers; /* to be signed, "host" among them; not those that signing makes */
    size_t header_count;
    sv payload_digest; /* SHA-256 of the body in hexadecimal */
    sv region, service;
    int64_t wall_ms; /* Unix time */
};

/* What goes into the request beside its own headers. All of it lives in the arena. */
struct sigv4_signature {
    sv authorization; /* header Authorization */
    sv date;          /* header x-amz-date: 20130524T000000Z */
    sv signature;     /* the last part of `authorization`, 64 hexadecimal digits */
};

/* x-amz-date, x-amz-content-sha256 and, with temporary credentials, x-amz-security-token are signed, too, and have to
 * be sent. Names of headers are put in small letters and sorted, parameters sorted and encoded here. */
void sigv4_sign(struct arena *a, const struct sigv4_request *r, const struct sigv4_credentials *c,
                struct sigv4_signature *result);
/* SHA-256 of the empty body. */
#define SIGV4_EMPTY_DIGEST SV("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")

#endif
