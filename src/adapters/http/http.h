/* The one door to libcurl: bounded requests.
 *
 * Only http and https, over TCP or a unix socket; proxies of the environment are not used; redirects are not followed.
 * Every call is bounded in time and size and may run on any thread. */
#ifndef LINTEL_ADAPTERS_HTTP_HTTP_H
#define LINTEL_ADAPTERS_HTTP_HTTP_H

#include "base/buf.h"

#include <stdatomic.h>

enum http_result {
    HTTP_OK = 1,    /* an answer came, whatever its status */
    HTTP_BAD_URL,   /* malformed, or neither http nor https */
    HTTP_NO_HOST,   /* the name does not resolve */
    HTTP_REFUSED,   /* no connection */
    HTTP_LATE,      /* the time limit is over, or nearly nothing came for too long */
    HTTP_TOO_MUCH,  /* the answer is larger than allowed; what came is kept */
    HTTP_FAILED,    /* anything else: TLS, protocol, an answer that breaks off */
    HTTP_FORBIDDEN, /* the host is at an address that `refused` covers: no connection was made (LC-081) */
    HTTP_STOPPED,   /* by `cancel`, or by a function of the caller */
};

struct http_header {
    sv name, text;
};

/* What is sent with a request, piece by piece as the server takes it. */
struct http_upload {
    /* Writes up to `room` bytes to `out`: how many, 0 at the end, -1 to stop the request. */
    int64_t (*read)(void *user, char *out, size_t room);
    void *user;
};

struct http_request {
    sv url;
    int64_t timeout_ms;
    size_t body_max;
    /* All of these may be zero. */
    const struct http_header *headers; /* sent beside those that curl makes */
    size_t header_count;
    unsigned refused;   /* bits of enum http_peer: addresses that no connection is made to */
    int64_t stall_ms;   /* ends when less than 64 bytes a second came for so long (full seconds); 0: never */
    bool is_path_exact; /* the path is sent as it stands, "/../" and "//" too */
    sv ca_file;         /* certificates to trust in place of the system's; empty: those */
    sv method;          /* empty: GET */
    sv content;         /* sent with the request */
    const struct http_upload *upload;     /* in place of `content`; its length is not told beforehand */
    sv unix_socket;                       /* path of the socket to connect to; the URL's host is only told to it */
    sv certificate_file, key_file;        /* of the client, PEM */
    const atomic_bool *cancel;            /* looked at about once a second and whenever something moves */
    bool (*on_part)(void *user, sv part); /* gets the body piece by piece, and `body` stays empty; false: stop */
    void *user;                           /* of on_part */
    /* out; live in the arena given */
    int64_t status;
    sv body;
    sv why;      /* one sentence, when not OK */
    sv redirect; /* where a 3xx answer points to, absolute, any scheme; else empty */
    sv peer;     /* the address that was refused; else the one that was connected to */
    sv header_lines;
};

enum http_result http_send(struct arena *a, struct http_request *r);
/* The same for a GET without content, whatever the request says. */
enum http_result http_get(struct arena *a, struct http_request *r);
/* The text of a header of the answer, the first of that name in any letter case; empty without. */
sv http_find_header(const struct http_request *r, sv name);

/* Connects to host and port, and closes. `why` (may be NULL) lives in `a`. */
enum http_result http_probe_tcp(struct arena *a, sv host, uint16_t port, int64_t timeout_ms, sv *why);

/* The same with a look at the address: where others connect on our behalf, they are told this one. */
struct http_probe {
    sv host;
    uint16_t port;
    int64_t timeout_ms;
    unsigned refused; /* as of a request */
    /* out; live in the arena given */
    sv address; /* the one that was connected to, or refused; numeric, no brackets */
    sv why;
};
enum http_result http_find_address(struct arena *a, struct http_probe *p);

#endif
