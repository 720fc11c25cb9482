#include "base/address.h"

#include "base/num.h"

enum { GROUPS = 8, BYTES = 16 };
#define IPV4_PREFIX UINT64_C(0x0000ffff00000000)

static bool parse_decimal(sv text, uint64_t max, uint64_t *n) {
    bool ok = text.len > 0 && text.len <= 3 && text.data[0] != '+' && text.data[0] != '-' &&
              (text.len == 1 || text.data[0] != '0');
    return ok && num_parse_u64(text, 10, n) == NUM_OK && *n <= max;
}

static bool parse_dotted(sv text, uint32_t *result) {
    sv rest = text;
    *result = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t octet = 0;
        bool is_last = sv_find_char(rest, '.') == SIZE_MAX;
        if (is_last != (i == 3) || !parse_decimal(sv_cut(&rest, '.'), 255, &octet))
            return false;
        *result = *result << 8 | (uint32_t)octet;
    }
    return true;
}

struct groups {
    uint16_t items[GROUPS];
    size_t count;
};

static bool parse_group(sv text, struct groups *g) {
    uint64_t n = 0;
    bool ok = text.len > 0 && text.len <= 4 && text.data[0] != '+' && text.data[0] != '-' && g->count < GROUPS;
    if (!ok || num_parse_u64(text, 16, &n) != NUM_OK)
        return false;
    g->items[g->count++] = (uint16_t)n;
    return true;
}

/* Groups with colons between them; the last may be a dotted address where `dotted` allows it. */
static bool parse_groups(sv text, bool dotted, struct groups *g) {
    sv rest = text;
    bool is_last = text.len == 0;
    g->count = 0;
    while (!is_last) {
        uint32_t ipv4 = 0;
        is_last = sv_find_char(rest, ':') == SIZE_MAX;
        sv part = sv_cut(&rest, ':');
        if (is_last && dotted && sv_find_char(part, '.') != SIZE_MAX) {
            if (!parse_dotted(part, &ipv4) || g->count > GROUPS - 2)
                return false;
            g->items[g->count++] = (uint16_t)(ipv4 >> 16);
            g->items[g->count++] = (uint16_t)(ipv4 & 0xffff);
        } else if (!parse_group(part, g)) {
            return false;
        }
    }
    return true;
}

static struct address join_groups(const struct groups *head, const struct groups *tail) {
    uint16_t all[GROUPS] = {0};
    for (size_t i = 0; i < head->count; i++)
        all[i] = head->items[i];
    for (size_t i = 0; i < tail->count; i++)
        all[GROUPS - tail->count + i] = tail->items[i];
    struct address a = {0, 0};
    for (size_t i = 0; i < GROUPS / 2; i++) {
        a.high = a.high << 16 | all[i];
        a.low = a.low << 16 | all[i + GROUPS / 2];
    }
    return a;
}

static bool parse_colons(sv text, struct address *result) {
    struct groups head = {.count = 0}, tail = {.count = 0};
    size_t gap = sv_find(text, SV("::"));
    if (gap == SIZE_MAX) {
        if (!parse_groups(text, true, &head) || head.count != GROUPS)
            return false;
    } else if (!parse_groups(sv_slice(text, 0, gap), false, &head) ||
               !parse_groups(sv_slice(text, gap + 2, text.len), true, &tail) || head.count + tail.count >= GROUPS) {
        return false;
    }
    *result = join_groups(&head, &tail);
    return true;
}

bool address_parse(sv text, struct address *result) {
    uint32_t ipv4 = 0;
    if (sv_find_char(text, ':') != SIZE_MAX)
        return parse_colons(text, result);
    if (!parse_dotted(text, &ipv4))
        return false;
    *result = (struct address){0, IPV4_PREFIX | ipv4};
    return true;
}

static unsigned get_group(struct address a, size_t i) {
    uint64_t half = i < GROUPS / 2 ? a.high : a.low;
    return (unsigned)(half >> (48 - 16 * (i % (GROUPS / 2))) & 0xffff);
}

/* The longest run of zeros, the first of equals; a single one is not shortened. */
static size_t find_zeros(struct address a, size_t *length) {
    size_t best = GROUPS;
    *length = 1;
    for (size_t from = 0; from < GROUPS; from++) {
        size_t to = from;
        while (to < GROUPS && get_group(a, to) == 0)
            to++;
        if (to - from > *length) {
            best = from;
            *length = to - from;
        }
    }
    return best;
}

void address_print(struct buf *out, struct address a) {
    if (a.high == 0 && a.low >> 32 == 0xffff) {
        uint32_t n = (uint32_t)a.low;
        buf_printf(out, "%u.%u.%u.%u", n >> 24, n >> 16 & 255, n >> 8 & 255, n & 255);
        return;
    }
    size_t length, zeros = find_zeros(a, &length);
    for (size_t i = 0; i < GROUPS; i++) {
        if (i == zeros) {
            buf_append_cstr(out, "::");
            i += length - 1;
            continue;
        }
        if (i > 0 && (zeros == GROUPS || i != zeros + length))
            buf_append_char(out, ':');
        buf_printf(out, "%x", get_group(a, i));
    }
}

struct address address_add(struct address a, int64_t n) {
    uint64_t low = a.low + (uint64_t)n;
    uint64_t carry = low < a.low;
    return (struct address){a.high + carry - (n < 0), low};
}

struct address address_subtract(struct address a, struct address b) {
    return (struct address){a.high - b.high - (a.low < b.low), a.low - b.low};
}

int address_compare(struct address a, struct address b) {
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}

static uint64_t get_mask(unsigned bits) {
    return bits == 0 ? 0 : bits >= 64 ? UINT64_MAX : ~(UINT64_MAX >> bits);
}

bool network_parse(sv text, struct network *result) {
    size_t slash = sv_find_char(text, '/');
    uint64_t bits = 0;
    struct address a;
    if (slash == SIZE_MAX || !address_parse(sv_slice(text, 0, slash), &a))
        return false;
    bool is_ipv4 = sv_find_char(text, ':') == SIZE_MAX;
    if (!parse_decimal(sv_slice(text, slash + 1, text.len), is_ipv4 ? 32 : 128, &bits))
        return false;
    unsigned prefix = (unsigned)bits + (is_ipv4 ? 96 : 0);
    uint64_t high = get_mask(prefix), low = get_mask(prefix <= 64 ? 0 : prefix - 64);
    *result = (struct network){
        .lowest = {a.high & high, a.low & low},
        .highest = {a.high | ~high, a.low | ~low},
        .bits = (unsigned)bits,
        .is_ipv4 = is_ipv4,
    };
    return true;
}
