/* Fn::Cidr (CF-125). */
#include "base/address.h"
#include "dialects/cfn/functions.h"

#include <inttypes.h>

enum { MOST_BLOCKS = 256, IPV4_BITS = 32, IPV6_BITS = 128 };

static value fail_range(struct fn_call *c, size_t arg, const char *what, int64_t n, int most) {
    return cfn_call_fail(c, DIAG_cfn_cidr, arg, "%s is between 1 and %d, not %" PRId64, what, most, n);
}

/* `step` blocks further: bits may be any from 0 to 128. */
static struct address add_block(struct address a, unsigned bits) {
    if (bits >= 64)
        a.high += bits >= IPV6_BITS ? 0 : UINT64_C(1) << (bits - 64);
    else
        a = address_subtract(a, address_subtract((struct address){0, 0}, (struct address){0, UINT64_C(1) << bits}));
    return a;
}

static value make_blocks(struct fn_call *c, const struct network *block, uint64_t count, unsigned host_bits) {
    unsigned all = block->is_ipv4 ? IPV4_BITS : IPV6_BITS, mask = all - host_bits;
    if (mask < block->bits)
        return cfn_call_fail(c, DIAG_cfn_cidr, 2, "a block of %u bits is larger than the network", host_bits);
    unsigned spare = mask - block->bits;
    if (spare < 16 && count > UINT64_C(1) << spare)
        return cfn_call_fail(c, DIAG_cfn_cidr, 1, "the network has room for %" PRIu64 " blocks only",
                             UINT64_C(1) << spare);
    struct list_builder list = {.arena = c->arena};
    struct address at = block->lowest;
    for (uint64_t i = 0; i < count; i++) {
        struct buf out = BUF(c->arena);
        address_print(&out, at);
        buf_printf(&out, "/%u", mask);
        list_add(&list, cfn_call_string(c, buf_get_sv(&out)));
        at = add_block(at, host_bits);
    }
    return cfn_call_seal(c, list_done(&list));
}

static value leave_bits(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    return cfn_call_found(c, cfn_unknown(run, CFN_REASON_cidr_bits, c->expr->at,
                                         SV("give the third argument, its default is not documented")));
}

value cfn_fn_cidr(struct fn_call *c) {
    sv text;
    int64_t count = 0, bits = 0;
    struct network block;
    value failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    if (!cfn_call_text(c, 0, &text, &failed) || !cfn_call_integer(c, 1, &count, &failed) ||
        (c->count > 2 && !cfn_call_integer(c, 2, &bits, &failed)))
        return failed;
    if (!network_parse(text, &block)) {
        bool is_secret = (c->args[0].within & MARK_SENSITIVE) != 0;
        return cfn_call_fail(c, DIAG_cfn_cidr, 0, "'%.*s' is no block of addresses",
                             SV_ARG(is_secret ? SV("(sensitive)") : sv_slice(text, 0, 80)));
    }
    if (count < 1 || count > MOST_BLOCKS)
        return fail_range(c, 1, "the number of blocks", count, MOST_BLOCKS);
    if (c->count < 3)
        return leave_bits(c);
    int most = block.is_ipv4 ? IPV4_BITS : IPV6_BITS;
    if (bits < 1 || bits > most)
        return fail_range(c, 2, "the number of bits", bits, most);
    return make_blocks(c, &block, (uint64_t)count, (unsigned)bits);
}
