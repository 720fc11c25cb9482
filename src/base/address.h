/* IP addresses and networks as numbers of 16 bytes (DY-131, DY-160, CF-125). IPv4 is ::ffff:a.b.c.d. */
#ifndef LINTEL_BASE_ADDRESS_H
#define LINTEL_BASE_ADDRESS_H

#include "base/buf.h"

struct address {
    uint64_t high, low;
};

/* Dotted or with colons; octets with leading zeros are none. */
bool address_parse(sv text, struct address *result);
/* Dotted when it is IPv4-mapped, else compressed as RFC 5952 says (DY-131, CF-125). */
void address_print(struct buf *out, struct address a);
/* Wraps at 128 bits. */
struct address address_add(struct address a, int64_t n);
struct address address_subtract(struct address a, struct address b);
int address_compare(struct address a, struct address b);

struct network {
    struct address lowest, highest;
    unsigned bits; /* of the prefix */
    bool is_ipv4;
};
/* CIDR notation; host bits are allowed. */
bool network_parse(sv text, struct network *result);

#endif
