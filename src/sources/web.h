/* GET over https, with redirects under our eyes; for this room alone.
 *
 * Invariants (LC-081, F89, F91): the scheme is https, or http for loopback hosts or where the caller allows it; never
 * from https down to http; every hop is checked like the first; an address that is not public is connected to only when
 * the template itself names this host and port and that is allowed, and it is the address of the very socket that is
 * looked at; headers that the caller gave go to the first origin only. */
#ifndef LINTEL_SOURCES_WEB_H
#define LINTEL_SOURCES_WEB_H

#include "adapters/http/http.h"
#include "adapters/http/url.h"
#include "sources/internal.h"

struct web_get {
    struct arena *arena;
    const struct http_url *url; /* named by the template */
    sv name;                    /* for messages */
    bool is_http_allowed;       /* for hosts that are not loopback, too */
    bool is_redirected;         /* redirects are followed */
    bool is_path_exact;
    const struct http_header *headers;
    size_t header_count;
    struct fetch_failure *failure;
    /* out */
    struct http_request answer; /* of the last hop */
};

/* True for an answer with a status of 2xx, or 304. Anything else fills the failure; the answer is there if one came. */
bool web_get(struct gatherer *g, struct web_get *w);
/* Addresses that a host is not connected to at. `is_named`: the template names it. */
unsigned web_get_refused(const struct gatherer *g, sv host, bool is_named);
/* The URL without what may be secret in it: its query. */
sv web_print_name(struct arena *a, const struct http_url *url);
void web_fail_address(struct gatherer *g, struct fetch_failure *failure, sv name, sv address);

#endif
