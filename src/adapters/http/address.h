/* What kind of place a network address is (LC-081). */
#ifndef LINTEL_ADAPTERS_HTTP_ADDRESS_H
#define LINTEL_ADAPTERS_HTTP_ADDRESS_H

#include "base/sv.h"

struct sockaddr;

/* Bits, so that a set of them is an unsigned. */
enum http_peer {
    HTTP_PEER_PUBLIC = 1 << 0,
    HTTP_PEER_LOOPBACK = 1 << 1,
    HTTP_PEER_LINK_LOCAL = 1 << 2, /* 169.254/16, fe80::/10 */
    HTTP_PEER_PRIVATE = 1 << 3,    /* RFC 1918, shared (100.64/10), benchmarks, unique local, site local */
    HTTP_PEER_UNUSABLE = 1 << 4,   /* unspecified ("this host"), multicast, broadcast, reserved, Teredo */
};

/* Addresses that hold an IPv4 address (mapped, compatible, 6to4, NAT64) are what that address is. Other families are
 * unusable. */
enum http_peer http_classify_address(const struct sockaddr *address);
/* A host as it stands in a canonical URL: "localhost" and names below it are loopback, numeric addresses (brackets or
 * not) are what they are; 0 for other names, of which only the resolver knows. */
enum http_peer http_classify_host(sv host);

#endif
