/* URLs of http and https, taken apart and put together again in one canonical form.
 *
 * Canonical: scheme and host in small letters, numeric hosts as four decimal numbers, no default port, dot segments
 * resolved, no fragment, no user; characters that may not stand in a URL are percent-encoded. */
#ifndef LINTEL_ADAPTERS_HTTP_URL_H
#define LINTEL_ADAPTERS_HTTP_URL_H

#include "base/buf.h"

struct http_url {
    sv text;   /* all of it */
    sv scheme; /* "https" "http", or another one that nothing here speaks */
    sv host;   /* an IPv6 address in brackets */
    sv origin; /* "https://host" or "https://host:8443" */
    sv path;   /* from '/' */
    sv query;  /* without '?' */
    uint16_t port;
    bool has_user;     /* it held a user name or password, which are gone */
    bool has_fragment; /* it held a fragment, which is gone */
};

/* False for what is no URL or has no host. Any scheme is taken apart: the caller looks at it. All lives in `a`. */
bool http_url_parse(struct arena *a, sv text, struct http_url *result);
/* A relative reference in the place of `base`'s last path segment (RFC 3986). */
bool http_url_join(struct arena *a, const struct http_url *base, sv relative, struct http_url *result);
/* Appends the text with every byte but letters, digits, "-._~" and those of `kept` as %XX. */
void http_url_encode(struct buf *out, sv text, sv kept);

#endif
