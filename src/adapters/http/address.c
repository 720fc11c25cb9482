#include "adapters/http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

struct block_v4 {
    uint32_t base;
    unsigned bits;
    enum http_peer peer;
};

/* The first that matches holds. */
static const struct block_v4 blocks_v4[] = {
    {0x00000000, 8, HTTP_PEER_UNUSABLE},    /* 0/8: "this network"; 0.0.0.0 reaches the own host */
    {0x7f000000, 8, HTTP_PEER_LOOPBACK},    /* 127/8 */
    {0xa9fe0000, 16, HTTP_PEER_LINK_LOCAL}, /* 169.254/16 */
    {0x0a000000, 8, HTTP_PEER_PRIVATE},     /* 10/8 */
    {0xac100000, 12, HTTP_PEER_PRIVATE},    /* 172.16/12 */
    {0xc0a80000, 16, HTTP_PEER_PRIVATE},    /* 192.168/16 */
    {0x64400000, 10, HTTP_PEER_PRIVATE},    /* 100.64/10 */
    {0xc0000000, 24, HTTP_PEER_PRIVATE},    /* 192.0.0/24 */
    {0xc6120000, 15, HTTP_PEER_PRIVATE},    /* 198.18/15 */
    {0xe0000000, 3, HTTP_PEER_UNUSABLE},    /* 224/3: multicast, reserved, broadcast */
};

static enum http_peer classify_v4(uint32_t address) {
    for (size_t i = 0; i < sizeof blocks_v4 / sizeof blocks_v4[0]; i++) {
        if ((address ^ blocks_v4[i].base) >> (32 - blocks_v4[i].bits) == 0) {
            return blocks_v4[i].peer;
        }
    }
    return HTTP_PEER_PUBLIC;
}

static uint32_t read_v4(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

struct block_v6 {
    uint8_t base[16];
    unsigned bits;
    enum http_peer peer; /* 0: that of the IPv4 address at `v4_at` */
    unsigned v4_at;
};

static const struct block_v6 blocks_v6[] = {
    {{0}, 128, HTTP_PEER_UNUSABLE, 0},
    {{[15] = 1}, 128, HTTP_PEER_LOOPBACK, 0},
    {{[10] = 0xff, [11] = 0xff}, 96, 0, 12},                          /* ::ffff:a.b.c.d */
    {{[8] = 0xff, [9] = 0xff}, 96, 0, 12},                            /* ::ffff:0:a.b.c.d */
    {{0}, 96, 0, 12},                                                 /* ::a.b.c.d */
    {{0x00, 0x64, 0xff, 0x9b}, 96, 0, 12},                            /* 64:ff9b::a.b.c.d */
    {{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01}, 48, HTTP_PEER_PRIVATE, 0}, /* NAT64 of one's own */
    {{0x01, 0x00}, 64, HTTP_PEER_UNUSABLE, 0},                        /* 100::/64 discards */
    {{0x20, 0x01}, 32, HTTP_PEER_UNUSABLE, 0},                        /* Teredo */
    {{0x20, 0x02}, 16, 0, 2},                                         /* 6to4 */
    {{0xfc}, 7, HTTP_PEER_PRIVATE, 0},
    {{0xfe, 0x80}, 10, HTTP_PEER_LINK_LOCAL, 0},
    {{0xfe, 0xc0}, 10, HTTP_PEER_PRIVATE, 0},
    {{0xff}, 8, HTTP_PEER_UNUSABLE, 0},
};

static bool has_prefix(const uint8_t *address, const uint8_t *base, unsigned bits) {
    unsigned whole = bits / 8, rest = bits % 8;
    return memcmp(address, base, whole) == 0 &&
           (rest == 0 || ((unsigned)address[whole] ^ base[whole]) >> (8 - rest) == 0);
}

static enum http_peer classify_v6(const uint8_t address[16]) {
    for (size_t i = 0; i < sizeof blocks_v6 / sizeof blocks_v6[0]; i++) {
        const struct block_v6 *block = &blocks_v6[i];
        if (has_prefix(address, block->base, block->bits)) {
            return block->peer != 0 ? block->peer : classify_v4(read_v4(address + block->v4_at));
        }
    }
    return HTTP_PEER_PUBLIC;
}

enum http_peer http_classify_address(const struct sockaddr *address) {
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return classify_v4(ntohl(v4.sin_addr.s_addr));
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        return classify_v6(v6.sin6_addr.s6_addr);
    }
    return HTTP_PEER_UNUSABLE;
}

enum http_peer http_classify_host(sv host) {
    bool has_brackets = host.len > 1 && host.data[0] == '[' && host.data[host.len - 1] == ']';
    sv name = has_brackets ? sv_slice(host, 1, host.len - 1) : host;
    name = sv_slice(name, 0, sv_find_char(name, '%')); /* without a zone */
    name = sv_has_suffix(name, SV(".")) ? sv_slice(name, 0, name.len - 1) : name;
    size_t below = name.len > 10 ? name.len - 10 : 0;
    if (sv_eq_nocase(name, SV("localhost")) || sv_eq_nocase(sv_slice(name, below, name.len), SV(".localhost"))) {
        return HTTP_PEER_LOOPBACK;
    }
    char text[INET6_ADDRSTRLEN] = "";
    if (name.len >= sizeof text) {
        return 0;
    }
    memcpy(text, name.data == NULL ? "" : name.data, name.len);
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, text, &v4) == 1) {
        return classify_v4(ntohl(v4.s_addr));
    }
    return inet_pton(AF_INET6, text, &v6) == 1 ? classify_v6(v6.s6_addr) : 0;
}
