/* Functions of addresses: min_ip max_ip num_ip static_ips (DY-160, DY-168, DY-169). */
#include "base/vec.h"
#include "base/address.h"
#include "dialects/dynaml/internal.h"

/* --- networks --- */

static value get_network(struct fn_call *c, struct network *n) {
    if (c->count != 1)
        return dynaml_fail(c, "only one argument expected for CIDR function");
    if (c->args[0].kind != VALUE_STRING || !network_parse(value_get_text(c->args[0]), n))
        return dynaml_fail(c, "CIDR argument required");
    return value_null();
}

static value make_address(struct fn_call *c, struct address a) {
    struct buf out = BUF(c->arena);
    address_print(&out, a);
    return value_string(c->arena, buf_get_sv(&out));
}

static value call_min_ip(struct fn_call *c) {
    struct network n = {0};
    value v = get_network(c, &n);
    return v.kind == VALUE_ERROR ? v : make_address(c, n.lowest);
}

static value call_max_ip(struct fn_call *c) {
    struct network n = {0};
    value v = get_network(c, &n);
    return v.kind == VALUE_ERROR ? v : make_address(c, n.highest);
}

static value call_num_ip(struct fn_call *c) {
    struct network n = {0};
    value v = get_network(c, &n);
    if (v.kind == VALUE_ERROR)
        return v;
    return value_int(n.is_ipv4 ? (int64_t)1 << (32 - n.bits) : 0);
}

/* --- static_ips --- */

struct ip_range {
    struct address from;
    uint64_t count; /* UINT64_MAX: that many or more */
};

enum wanted { WANT_NAME = 0, WANT_SUBNETS, WANT_INSTANCES, WANT_DONE };

struct static_ips {
    int wanted; /* enum wanted: what is being evaluated */
    sv network;
    VEC(struct ip_range) pool;
};

static const struct expr *make_reference(struct fn_call *c, enum dynaml_root root, const sv *names, size_t count) {
    span at = c->expr == NULL ? SPAN_NONE : c->expr->at;
    struct expr *ref = expr_new(c->arena, EXPR_REF, at);
    struct step *steps = ARENA_ARRAY(c->arena, struct step, count);
    for (size_t i = 0; i < count; i++)
        steps[i] = (struct step){.kind = STEP_NAME, .at = at, .name = names[i]};
    ref->op = (uint16_t)root;
    ref->ref.name = names[0];
    ref->ref.steps = steps;
    ref->count = (uint32_t)count;
    return ref;
}

static value want(struct fn_call *c, const struct static_ips *s) {
    sv path[] = {SV("networks"), s->network, SV("subnets")};
    sv name = s->wanted == WANT_NAME ? SV("name") : SV("instances");
    const struct expr *e = s->wanted == WANT_SUBNETS ? make_reference(c, DYNAML_ABSOLUTE, path, 3)
                                                     : make_reference(c, DYNAML_RELATIVE, &name, 1);
    return fn_call_request(c, (struct fn_request){.kind = FN_EVALUATE, .expr = e, .scope = c->scope});
}

/* `A - B`, or one address. Kind null when it is one. */
static value add_range(struct fn_call *c, struct static_ips *s, sv text) {
    size_t dash = sv_find_char(text, '-');
    sv from = sv_trim(sv_slice(text, 0, dash)),
       to = dash == SIZE_MAX ? from : sv_trim(sv_slice(text, dash + 1, text.len));
    struct address first, last;
    if (!address_parse(from, &first) || !address_parse(to, &last))
        return dynaml_fail(c, "invalid address '%.*s' in static ips for network %.*s", SV_ARG(text),
                           SV_ARG(s->network));
    if (address_compare(first, last) > 0)
        return dynaml_fail(c, "reversed range '%.*s' in static ips for network %.*s", SV_ARG(text), SV_ARG(s->network));
    struct address size = address_subtract(last, first);
    bool is_huge = size.high != 0 || size.low == UINT64_MAX;
    VEC_PUSH(c->arena, &s->pool, ((struct ip_range){first, is_huge ? UINT64_MAX : size.low + 1}));
    return value_null();
}

static value add_static(struct fn_call *c, struct static_ips *s, value subnet) {
    if (subnet.kind != VALUE_MAP)
        return dynaml_fail(c, "subnet must be a map");
    value list = value_map_find(subnet, SV("static"));
    if (!value_is_set(list))
        return dynaml_fail(c, "no static ips for network %.*s", SV_ARG(s->network));
    if (list.kind != VALUE_LIST)
        return dynaml_fail(c, "static ips for network %.*s must be a list", SV_ARG(s->network));
    for (size_t i = 0; i < list.list->len; i++) {
        value item = list.list->items[i];
        if (item.kind != VALUE_STRING)
            return dynaml_fail(c, "invalid entry for static ips for network %.*s", SV_ARG(s->network));
        value v = add_range(c, s, value_get_text(item));
        if (v.kind == VALUE_ERROR)
            return v;
    }
    return value_null();
}

static value take_subnets(struct fn_call *c, struct static_ips *s, value subnets) {
    if (subnets.kind != VALUE_LIST)
        return dynaml_fail(c, "subnets field must be a list");
    for (size_t i = 0; i < subnets.list->len; i++) {
        value v = add_static(c, s, subnets.list->items[i]);
        if (v.kind == VALUE_ERROR)
            return v;
    }
    return value_null();
}

/* DY-169: in time of the number of ranges. */
static bool pick(const struct static_ips *s, uint64_t index, struct address *a) {
    for (size_t i = 0; i < s->pool.len; i++) {
        const struct ip_range *r = &s->pool.items[i];
        if (index < r->count) {
            struct address start = r->from;
            start.low += index;
            start.high += start.low < r->from.low;
            *a = start;
            return true;
        }
        index -= r->count;
    }
    return false;
}

static value choose(struct fn_call *c, const struct static_ips *s, int64_t instances) {
    struct list_builder b = {.arena = c->arena};
    for (size_t i = 0; i < c->count && (int64_t)i < instances; i++) {
        struct address a;
        if (c->args[i].kind != VALUE_INT)
            return dynaml_fail(c, "static ip index must be an integer");
        int64_t index = c->args[i].integer;
        if (index < 0 || !pick(s, (uint64_t)index, &a))
            return dynaml_fail(c, "static ip index %lld out of range", (long long)index);
        list_add(&b, make_address(c, a));
    }
    if ((int64_t)b.len < instances)
        return dynaml_fail(c, "too less static IPs for %lld instances", (long long)instances);
    return list_done(&b);
}

/* What has come; kind null to go on. */
static value take(struct fn_call *c, struct static_ips *s, value v) {
    if (v.kind == VALUE_PENDING || v.kind == VALUE_ERROR)
        return v;
    if (s->wanted == WANT_NAME) {
        if (v.kind != VALUE_STRING)
            return dynaml_fail(c, "name field must be string");
        s->network = value_get_text(v);
        return value_null();
    }
    if (s->wanted == WANT_SUBNETS)
        return take_subnets(c, s, v);
    if (v.kind != VALUE_INT)
        return dynaml_fail(c, "instances must be an integer");
    return choose(c, s, v.integer);
}

static value call_static_ips(struct fn_call *c) {
    struct static_ips **state = (struct static_ips **)fn_call_get_state(c);
    if (*state == NULL) {
        *state = ARENA_NEW(c->arena, struct static_ips);
        return want(c, *state);
    }
    struct static_ips *s = *state;
    value v = take(c, s, fn_call_get_answer(c));
    if (v.kind != VALUE_NULL)
        return v;
    s->wanted++;
    return want(c, s);
}

DYNAML_FUNCTION(max_ip, "DY-160", call_max_ip, "The highest address of a network", "max_ip(\"10.0.0.0/24\")");
DYNAML_FUNCTION(min_ip, "DY-160", call_min_ip, "The lowest address of a network", "min_ip(\"10.0.0.7/24\")");
DYNAML_FUNCTION(num_ip, "DY-160", call_num_ip, "How many addresses a network has", "num_ip(\"10.0.0.0/24\")");
DYNAML_FUNCTION(static_ips, "DY-162", call_static_ips, "Addresses of the network of this job by their numbers",
                "static_ips(0, 1)");

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_max_ip,
    &fn_min_ip,
    &fn_num_ip,
    &fn_static_ips,
};
const struct fn_table dynaml_network_functions = {.defs = defs, .count = sizeof defs / sizeof *defs};
