/* The one door to libcurl: small, bounded requests.
 *
 * Only http and https; proxies of the environment are not used; redirects are not followed. Every call is bounded in
 * time and size and may run on any thread. */
#ifndef LINTEL_ADAPTERS_HTTP_HTTP_H
#define LINTEL_ADAPTERS_HTTP_HTTP_H

#include "base/buf.h"

enum http_result {
    HTTP_OK = 1,   /* an answer came, whatever its status */
    HTTP_BAD_URL,  /* malformed, or neither http nor https */
    HTTP_NO_HOST,  /* the name does not resolve */
    HTTP_REFUSED,  /* no connection */
    HTTP_LATE,     /* the time limit is over */
    HTTP_TOO_MUCH, /* the answer is larger than allowed; what came is kept */
    HTTP_FAILED,   /* anything else: TLS, protocol */
};

struct http_request {
    sv url;
    int64_t timeout_ms;
    size_t body_max;
    /* out; live in the arena given */
    int64_t status;
    sv body;
    sv why; /* one sentence, when not OK */
};

enum http_result http_get(struct arena *a, struct http_request *r);
/* Connects to host and port, and closes. `why` (may be NULL) lives in `a`. */
enum http_result http_probe_tcp(struct arena *a, sv host, uint16_t port, int64_t timeout_ms, sv *why);

#endif
