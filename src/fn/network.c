/* Networks (FN-193): IPv4 and IPv6 prefixes, read and printed here, so that nothing depends on the system. */
#include "fn/internal.h"

#include "base/num.h"

#include <arpa/inet.h>

struct network {
    unsigned char bytes[16];
    unsigned bits;   /* of an address: 32 or 128 */
    unsigned prefix; /* leading bits that are fixed */
};

static bool read_number(sv text, unsigned most, unsigned *result) {
    int64_t n = 0;
    bool has_form =
        text.len > 0 && text.data[0] >= '0' && text.data[0] <= '9' && (text.len == 1 || text.data[0] != '0');
    if (!has_form || num_parse_i64(text, 10, &n) != NUM_OK || n > (int64_t)most) {
        return false;
    }
    *result = (unsigned)n;
    return true;
}

static bool read_network(sv text, struct network *n) {
    char address[INET6_ADDRSTRLEN];
    size_t slash = sv_find_char(text, '/');
    if (slash == SIZE_MAX || slash >= sizeof address || sv_find_char(sv_slice(text, 0, slash), '\0') != SIZE_MAX) {
        return false;
    }
    memcpy(address, text.data, slash);
    address[slash] = '\0';
    n->bits = inet_pton(AF_INET, address, n->bytes) == 1 ? 32 : inet_pton(AF_INET6, address, n->bytes) == 1 ? 128 : 0;
    return n->bits != 0 && read_number(sv_slice(text, slash + 1, text.len), n->bits, &n->prefix);
}

static void clear_host_bits(struct network *n) {
    for (unsigned i = n->prefix; i < n->bits; i++) {
        n->bytes[i / 8] = (unsigned char)(n->bytes[i / 8] & ~(0x80u >> i % 8));
    }
}

/* The number into the bits that end at `prefix`. */
static void set_number(struct network *n, uint64_t number, unsigned prefix) {
    for (unsigned i = prefix; number > 0 && i > 0; i--, number >>= 1) {
        unsigned bit = 0x80u >> (i - 1) % 8;
        n->bytes[(i - 1) / 8] = (unsigned char)(n->bytes[(i - 1) / 8] | ((number & 1) != 0 ? bit : 0));
    }
}

static value print_network(struct fn_call *c, const struct network *n) {
    char address[INET6_ADDRSTRLEN];
    if (inet_ntop(n->bits == 32 ? AF_INET : AF_INET6, n->bytes, address, sizeof address) == NULL) {
        return fn_call_fail(c, DIAG_function_call_error, SIZE_MAX, "the address cannot be printed");
    }
    return value_string(c->arena, arena_printf(c->arena, "%s/%u", address, n->prefix));
}

static value call_cidrsubnet(struct fn_call *c) {
    value failed = {0};
    struct network n = {{0}, 0, 0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    if (!read_network(fn_get_text(c, 0), &n)) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 0, "this is no network address with its prefix length");
    }
    int64_t more = c->args[1].integer, number = c->args[2].integer;
    if (more < 0 || more > (int64_t)(n.bits - n.prefix)) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 1, "the new prefix is longer than an address");
    }
    if (number < 0 || (more < 63 && number >= (INT64_C(1) << more))) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 2, "there is no network of this number");
    }
    clear_host_bits(&n);
    n.prefix += (unsigned)more;
    set_number(&n, (uint64_t)number, n.prefix);
    return print_network(c, &n);
}

/* FN-032. */
static void check_cidrsubnet(const struct fn_check *c) {
    struct network n;
    value cidr = fn_check_get_literal(c, 0), more = fn_check_get_literal(c, 1), number = fn_check_get_literal(c, 2);
    bool is_network = cidr.kind != VALUE_STRING || read_network(value_get_text(cidr), &n);
    if (!is_network) {
        fn_check_fail(c, 0, "this is no network address with its prefix length");
    } else if (cidr.kind == VALUE_STRING && more.kind == VALUE_INT &&
               (more.integer < 0 || more.integer > (int64_t)(n.bits - n.prefix))) {
        fn_check_fail(c, 1, "the new prefix is longer than an address");
    } else if (number.kind == VALUE_INT &&
               (number.integer < 0 || (more.kind == VALUE_INT && more.integer >= 0 && more.integer < 63 &&
                                       number.integer >= (INT64_C(1) << more.integer)))) {
        fn_check_fail(c, 2, "there is no network of this number");
    }
}

static const struct fn_param cidr_params[] = {
    {SV_INIT("cidr"), &type_string, 0, SV_INIT("a network, IPv4 or IPv6; bits behind the prefix are cleared")},
    {SV_INIT("newbits"), &type_int, 0, SV_INIT("by how many bits the prefix becomes longer")},
    {SV_INIT("netnum"), &type_int, 0, SV_INIT("number of the subnet, from 0")},
};

static const struct fn_def fn_cidrsubnet = {
    .name = SV_INIT("cidrsubnet"),
    .rule = SV_INIT("FN-193"),
    .family = SV_INIT("Numbers"),
    .params = cidr_params,
    .param_count = FN_COUNT(cidr_params),
    .result = &type_string,
    .flags = FN_PURE,
    .call = call_cidrsubnet,
    .check = check_cidrsubnet,
    .summary = SV_INIT("A subnet of a network."),
    .example = SV_INIT("cidrsubnet(\"192.168.0.0/16\", 8, 1)"),
    .example_result = SV_INIT("192.168.1.0/24"),
};

static const struct fn_def *const defs[] = {&fn_cidrsubnet};
const struct fn_table fn_table_network = {defs, FN_COUNT(defs)};
