/* Operators (§7). What failed or is pending has decided before they are called, but for those that say so (DY-094,
 * DY-095). */
#include "base/num.h"
#include "base/address.h"
#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/stage.h"

int dynaml_get_truth(value v) {
    switch ((enum value_kind)v.kind) {
    case VALUE_NULL:
        return 0;
    case VALUE_BOOL:
        return v.boolean;
    case VALUE_INT:
        return v.integer != 0;
    case VALUE_STRING:
        return value_get_text(v).len > 0;
    case VALUE_LIST:
        return v.list->len > 0;
    case VALUE_MAP:
        return v.map->len > 0;
    case VALUE_FLOAT:
    case VALUE_BYTES:
    case VALUE_FUNCTION:
    case VALUE_ABSENT:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        return 1;
    }
    return 1;
}

bool dynaml_print_text(struct buf *out, value v) {
    if (v.kind != VALUE_STRING && v.kind != VALUE_INT && v.kind != VALUE_BOOL)
        return false;
    value_print_scalar(out, v);
    return true;
}

sv dynaml_get_lambda_text(struct arena *a, value lambda) {
    struct buf out = BUF(a);
    dynaml_print_lambda(&out, lambda.function, dynaml_print_value);
    return buf_get_sv(&out);
}

/* --- concatenation --- */

static bool is_settled(value v) {
    return v.kind != VALUE_ERROR && v.kind != VALUE_PENDING;
}

/* The first operand with those behind it, up to the first that is not settled: `*end`. */
static value concat_texts(struct fn_call *c, size_t *end) {
    struct buf out = BUF(c->arena);
    dynaml_print_text(&out, c->args[0]);
    for (; *end < c->count && is_settled(c->args[*end]); (*end)++) {
        value v = c->args[*end];
        if (dynaml_is_lambda(v))
            buf_append(&out, dynaml_get_lambda_text(c->arena, v));
        else if (!dynaml_print_text(&out, v))
            return dynaml_fail(c, "simple value can only be concatenated with simple values");
        if (out.len > dynaml_get_text_limit(c))
            return dynaml_exceed_text(c);
    }
    return dynaml_make_string(c->arena, buf_get_sv(&out));
}

/* A list with all operands behind it. */
static value concat_lists(struct fn_call *c, value all, size_t from) {
    size_t max = dynaml_get_item_limit(c);
    all.word = 0;
    for (size_t i = from; i < c->count; i++) {
        const value *v = &c->args[i];
        size_t count = v->kind == VALUE_LIST ? v->list->len : v->kind != VALUE_NULL;
        if (all.list->len > max || count > max - all.list->len)
            return dynaml_exceed(c, SV("items"), max);
        if (count > 0)
            all = value_list_append(c->arena, all, v->kind == VALUE_LIST ? v->list->items : v, count);
        if (!eval_spend(c->ev, count))
            return value_error(NULL);
    }
    return all;
}

/* Behind a list nothing can go wrong any more. */
static bool are_settled(const struct fn_call *c, size_t from) {
    for (size_t i = from; i < c->count; i++) {
        if (!is_settled(c->args[i]))
            return false;
    }
    return true;
}

/* Pairwise from the left: a pair that fails decides, whatever stands behind it. */
static value call_concat(struct fn_call *c) {
    value all = c->args[0];
    size_t i = 1;
    if (all.kind == VALUE_STRING || all.kind == VALUE_INT || all.kind == VALUE_BOOL)
        all = concat_texts(c, &i);
    for (; i < c->count; i++) {
        value next = c->args[i];
        if (all.kind == VALUE_ERROR || next.kind == VALUE_ERROR)
            return value_error(all.kind == VALUE_ERROR ? all.cause : next.cause);
        if (all.kind == VALUE_PENDING || next.kind == VALUE_PENDING)
            all = value_pending(NULL);
        else if (all.kind == VALUE_LIST && are_settled(c, i))
            return concat_lists(c, all, i);
        else if (all.kind == VALUE_LIST)
            continue; /* it is decided by what is not settled behind it */
        else
            return dynaml_fail(c, all.kind == VALUE_MAP ? "first argument must be list or simple value"
                                                        : "simple value can only be concatenated with simple values");
    }
    return all;
}

/* --- what is tried first --- */

static struct dynaml_run *get_run(const struct fn_call *c) {
    const struct stage *s = eval_get_user(c->ev);
    return s->run;
}

static value call_default(struct fn_call *c) {
    for (size_t i = 0; i < 2; i++) {
        if (c->args[i].kind == 0)
            return fn_call_force(c, i);
        if (c->args[i].kind != VALUE_ERROR)
            return i == 0 ? c->args[0] : marks_take_redirect(get_run(c), c->args[1], c->args[0]);
    }
    const struct eval_failure *last = c->args[1].cause;
    bool has_issue = last != NULL && last->message.len > 0;
    value v = c->args[1];
    v.cause = has_issue ? last : c->args[0].cause;
    return marks_take_redirect(get_run(c), v, c->args[0]);
}

static value call_logic(struct fn_call *c, bool is_or) {
    for (size_t i = 0; i < 2; i++) {
        if (c->args[i].kind == 0)
            return fn_call_force(c, i);
        if (!is_settled(c->args[i]))
            return c->args[i];
    }
    value a = c->args[0], b = c->args[1];
    if (a.kind == VALUE_INT && b.kind == VALUE_INT)
        return value_int(is_or ? a.integer | b.integer : a.integer & b.integer);
    bool left = dynaml_get_truth(a) == 1, right = dynaml_get_truth(b) == 1;
    return value_bool(is_or ? left || right : left && right);
}

static value call_or(struct fn_call *c) {
    return call_logic(c, true);
}

static value call_and(struct fn_call *c) {
    return call_logic(c, false);
}

static value call_not(struct fn_call *c) {
    return value_bool(dynaml_get_truth(c->args[0]) == 0);
}

/* --- comparisons --- */

enum equality { EQUAL = 1, UNEQUAL, UNCOMPARABLE };

static enum equality compare(struct arena *a, value left, value right, size_t depth);

static enum equality of(bool is_equal) {
    return is_equal ? EQUAL : UNEQUAL;
}

static enum equality compare_text(struct arena *a, sv left, value right) {
    struct buf text = BUF(a);
    if (dynaml_is_lambda(right))
        return of(sv_eq(left, dynaml_get_lambda_text(a, right)));
    return dynaml_print_text(&text, right) ? of(sv_eq(left, buf_get_sv(&text))) : UNCOMPARABLE;
}

static enum equality compare_int(int64_t left, value right) {
    int64_t n = 0;
    if (right.kind == VALUE_INT)
        return of(left == right.integer);
    if (right.kind == VALUE_BOOL)
        return of(left == right.boolean);
    if (right.kind == VALUE_STRING)
        return of(num_parse_i64(value_get_text(right), 10, &n) == NUM_OK && n == left);
    return UNCOMPARABLE;
}

static enum equality compare_lambda(struct arena *a, value left, value right) {
    if (right.kind != VALUE_STRING && !dynaml_is_lambda(right))
        return UNCOMPARABLE;
    return compare_text(a, dynaml_get_lambda_text(a, left), right);
}

static bool are_equal(struct arena *a, value left, value right, size_t depth) {
    return compare(a, left, right, depth) == EQUAL;
}

static enum equality compare_lists(struct arena *a, value left, value right, size_t depth) {
    if (right.kind != VALUE_LIST || left.list->len != right.list->len)
        return UNEQUAL;
    for (size_t i = 0; i < left.list->len; i++) {
        if (!are_equal(a, left.list->items[i], right.list->items[i], depth))
            return UNEQUAL;
    }
    return EQUAL;
}

static enum equality compare_maps(struct arena *a, value left, value right, size_t depth) {
    if (right.kind != VALUE_MAP || left.map->len != right.map->len)
        return UNEQUAL;
    for (size_t i = 0; i < left.map->len; i++) {
        const struct value_entry *e = &left.map->entries[i];
        value other = value_map_find(right, e->key);
        if (!value_is_set(other) || !are_equal(a, e->item, other, depth))
            return UNEQUAL;
    }
    return EQUAL;
}

/* Values are no deeper than the limit of documents. */
static enum equality compare(struct arena *a, value left, value right, size_t depth) {
    if (depth == 0)
        return UNEQUAL;
    if (dynaml_is_lambda(left))
        return compare_lambda(a, left, right);
    switch ((enum value_kind)left.kind) {
    case VALUE_STRING:
        return compare_text(a, value_get_text(left), right);
    case VALUE_INT:
        return compare_int(left.integer, right);
    case VALUE_LIST:
        return compare_lists(a, left, right, depth - 1);
    case VALUE_MAP:
        return compare_maps(a, left, right, depth - 1);
    case VALUE_FUNCTION:
        return of(right.kind == VALUE_FUNCTION && left.function == right.function);
    case VALUE_FLOAT:
        return of(right.kind == VALUE_FLOAT && left.number == right.number);
    case VALUE_NULL:
    case VALUE_BOOL:
    case VALUE_BYTES:
    case VALUE_ABSENT:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        return of(left.kind == right.kind && value_eq(left, right));
    }
    return UNEQUAL;
}

static value call_equality(struct fn_call *c, enum equality wanted) {
    size_t left = value_get_weight(c->args[0]), right = value_get_weight(c->args[1]);
    if (!eval_spend(c->ev, left < right ? left : right))
        return value_error(NULL);
    enum equality e = compare(c->arena, c->args[0], c->args[1], DYNAML_COMPARE_DEPTH);
    return e == UNCOMPARABLE ? dynaml_fail(c, "types uncomparable") : value_bool(e == wanted);
}

static value call_eq(struct fn_call *c) {
    return call_equality(c, EQUAL);
}

static value call_ne(struct fn_call *c) {
    return call_equality(c, UNEQUAL);
}

/* -1, 0, 1 by `sign`; false when one is no integer. */
static bool get_order(const struct fn_call *c, int *sign) {
    int64_t a = c->args[0].integer, b = c->args[1].integer;
    if (c->args[0].kind != VALUE_INT || c->args[1].kind != VALUE_INT)
        return false;
    *sign = (a > b) - (a < b);
    return true;
}

static value fail_order(struct fn_call *c) {
    return dynaml_fail(c, "comparision %.*s only for integers", SV_ARG(c->fn->name));
}

static value call_le(struct fn_call *c) {
    int sign;
    return get_order(c, &sign) ? value_bool(sign <= 0) : fail_order(c);
}

static value call_ge(struct fn_call *c) {
    int sign;
    return get_order(c, &sign) ? value_bool(sign >= 0) : fail_order(c);
}

static value call_lt(struct fn_call *c) {
    int sign;
    return get_order(c, &sign) ? value_bool(sign < 0) : fail_order(c);
}

static value call_gt(struct fn_call *c) {
    int sign;
    return get_order(c, &sign) ? value_bool(sign > 0) : fail_order(c);
}

/* --- arithmetic --- */

/* Null counts as 0. False: it has a value that is no integer. */
static bool get_number(value v, int64_t *n) {
    *n = v.kind == VALUE_INT ? v.integer : 0;
    return v.kind == VALUE_INT || v.kind == VALUE_NULL;
}

/* DY-094: an operand that has a value is checked although the other is not settled; a failure decides before. True when
 * that is the result. */
static bool decide(struct fn_call *c, size_t first_checked, value *result) {
    int64_t n;
    for (size_t i = 0; i < 2; i++) {
        if (c->args[i].kind == VALUE_ERROR) {
            *result = value_error(c->args[i].cause);
            return true;
        }
    }
    for (size_t i = first_checked; i < 2; i++) {
        if (c->args[i].kind != VALUE_PENDING && !get_number(c->args[i], &n)) {
            *result = dynaml_fail(c, "integer operand required");
            return true;
        }
    }
    *result = value_pending(NULL);
    return c->args[0].kind == VALUE_PENDING || c->args[1].kind == VALUE_PENDING;
}

static value move_address(struct fn_call *c, const char *what, int64_t n) {
    struct address a;
    if (!address_parse(value_get_text(c->args[0]), &a))
        return dynaml_fail(c, "string argument for %s must be an IP address", what);
    struct buf out = BUF(c->arena);
    address_print(&out, address_add(a, n));
    return value_string(c->arena, buf_get_sv(&out));
}

static value call_sum(struct fn_call *c, const char *what, bool is_minus) {
    value v;
    int64_t left = c->args[0].integer, right = 0;
    if (decide(c, 1, &v))
        return v;
    get_number(c->args[1], &right);
    uint64_t distance = is_minus ? 0 - (uint64_t)right : (uint64_t)right;
    if (c->args[0].kind == VALUE_STRING)
        return move_address(c, what, (int64_t)distance);
    if (c->args[0].kind != VALUE_INT)
        return dynaml_fail(c, "first argument of %s must be IP address or integer", what);
    return value_int((int64_t)((uint64_t)left + distance));
}

static value call_plus(struct fn_call *c) {
    return call_sum(c, "PLUS", false);
}

static value call_minus(struct fn_call *c) {
    return call_sum(c, "MINUS", true);
}

static value call_times(struct fn_call *c) {
    value v;
    int64_t a, b;
    if (decide(c, 0, &v))
        return v;
    get_number(c->args[0], &a);
    get_number(c->args[1], &b);
    return value_int((int64_t)((uint64_t)a * (uint64_t)b));
}

/* The smallest integer by -1 wraps to itself. */
static value call_division(struct fn_call *c, bool is_modulo) {
    value v;
    int64_t a, b;
    if (decide(c, 0, &v))
        return v;
    get_number(c->args[0], &a);
    get_number(c->args[1], &b);
    if (b == 0)
        return dynaml_fail(c, "division by zero");
    if (b == -1)
        return value_int(is_modulo ? 0 : (int64_t)(0 - (uint64_t)a));
    return value_int(is_modulo ? a % b : a / b);
}

static value call_divide(struct fn_call *c) {
    return call_division(c, false);
}

static value call_modulo(struct fn_call *c) {
    return call_division(c, true);
}

/* --- ranges --- */

static value call_range(struct fn_call *c) {
    value v;
    if (decide(c, 0, &v))
        return v;
    if (c->args[0].kind != VALUE_INT || c->args[1].kind != VALUE_INT)
        return dynaml_fail(c, "integer operand required");
    int64_t from = c->args[0].integer, to = c->args[1].integer;
    uint64_t steps = from <= to ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
    if (steps >= dynaml_get_item_limit(c))
        return dynaml_exceed(c, SV("items"), dynaml_get_item_limit(c));
    value *items = ARENA_ARRAY(c->arena, value, (size_t)steps + 1);
    for (uint64_t i = 0; i <= steps; i++)
        items[i] = value_int((int64_t)(from <= to ? (uint64_t)from + i : (uint64_t)from - i));
    return value_list_of(c->arena, items, (size_t)steps + 1);
}

/* --- tables --- */

static const struct fn_param two[] = {{.name = SV_INIT("a"), .type = &type_any},
                                      {.name = SV_INIT("b"), .type = &type_any}};
static const struct fn_param many[] = {{.name = SV_INIT("a"), .type = &type_any, .flags = FN_VARIADIC}};

enum {
    STRICT = FN_PURE | FN_OPERATOR | FN_SEES_NULL,
    SEES_ALL = STRICT | FN_SEES_FAILED | FN_SEES_PENDING,
    IN_TURN = SEES_ALL | FN_LAZY,
};

#define BINARY(id, text, how, function)                           \
    const struct fn_def dynaml_##id = {.name = SV_INIT(text),     \
                                       .rule = SV_INIT("DY-130"), \
                                       .params = two,             \
                                       .param_count = 2,          \
                                       .result = &type_any,       \
                                       .flags = (how),            \
                                       .call = (function)}

const struct fn_def dynaml_concat = {.name = SV_INIT(" "),
                                     .rule = SV_INIT("DY-130"),
                                     .params = many,
                                     .param_count = 1,
                                     .result = &type_any,
                                     .flags = SEES_ALL,
                                     .call = call_concat};
BINARY(default, "||", IN_TURN | FN_OWN_WORD, call_default);
BINARY(logic_or, "-or", IN_TURN, call_or);
BINARY(logic_and, "-and", IN_TURN, call_and);
BINARY(eq, "==", STRICT, call_eq);
BINARY(ne, "!=", STRICT, call_ne);
BINARY(le, "<=", STRICT, call_le);
BINARY(ge, ">=", STRICT, call_ge);
BINARY(gt, ">", STRICT, call_gt);
BINARY(lt, "<", STRICT, call_lt);
BINARY(plus, "+", SEES_ALL, call_plus);
BINARY(minus, "-", SEES_ALL, call_minus);
BINARY(times, "*", SEES_ALL, call_times);
BINARY(divide, "/", SEES_ALL, call_divide);
BINARY(modulo, "%", SEES_ALL, call_modulo);
BINARY(range, "..", SEES_ALL, call_range);
const struct fn_def dynaml_not = {.name = SV_INIT("!"),
                                  .rule = SV_INIT("DY-130"),
                                  .params = two,
                                  .param_count = 1,
                                  .result = &type_any,
                                  .flags = STRICT,
                                  .call = call_not};
