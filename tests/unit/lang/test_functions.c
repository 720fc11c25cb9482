/* Functions of the test dialects. */
#include "test_functions.h"

#include "lang/eval.h"

#include <string.h>

/* Arguments of other kinds than the parameters say (FN-018). */
static bool has_wrong_kinds(struct fn_call *c, value *failed) {
    for (size_t i = 0; i < c->count; i++) {
        const struct fn_param *p = &c->fn->params[i < c->fn->param_count ? i : c->fn->param_count - 1];
        bool special = c->args[i].kind == 0 || c->args[i].kind == VALUE_UNKNOWN || c->args[i].kind == VALUE_ABSENT ||
                       c->args[i].kind == VALUE_ERROR;
        if (!special && !type_fits_value(p->type, c->args[i])) {
            *failed = fn_call_fail(c, DIAG_invalid_function_argument, i, "'%.*s' is of another kind", SV_ARG(p->name));
            return true;
        }
    }
    return false;
}

#define CHECK_KINDS(c)                 \
    value failed = {0};                \
    if (has_wrong_kinds((c), &failed)) \
    return failed

static int64_t wrap(uint64_t n) {
    return (int64_t)n;
}

static value call_text_join(struct fn_call *c) {
    CHECK_KINDS(c);
    struct buf out = BUF(c->arena);
    for (size_t i = 0; i < c->count; i++) {
        value_print_scalar(&out, c->args[i]);
    }
    return value_string(c->arena, buf_get_sv(&out));
}

static value call_add(struct fn_call *c) {
    CHECK_KINDS(c);
    if (c->args[0].kind != VALUE_INT || c->args[1].kind != VALUE_INT) {
        return fn_call_fail(c, DIAG_invalid_function_argument, c->args[0].kind != VALUE_INT ? 0 : 1,
                            "integers are wanted");
    }
    return value_int(wrap((uint64_t)c->args[0].integer + (uint64_t)c->args[1].integer));
}

static value call_sub(struct fn_call *c) {
    CHECK_KINDS(c);
    return value_int(wrap((uint64_t)c->args[0].integer - (uint64_t)c->args[1].integer));
}

static value call_mul(struct fn_call *c) {
    CHECK_KINDS(c);
    return value_int(wrap((uint64_t)c->args[0].integer * (uint64_t)c->args[1].integer));
}

static value call_neg(struct fn_call *c) {
    CHECK_KINDS(c);
    return value_int(wrap(0 - (uint64_t)c->args[0].integer));
}

static value call_not(struct fn_call *c) {
    CHECK_KINDS(c);
    return value_bool(!c->args[0].boolean);
}

static value call_eq(struct fn_call *c) {
    return value_bool(value_eq(c->args[0], c->args[1]));
}

static value call_less(struct fn_call *c) {
    CHECK_KINDS(c);
    return value_bool(c->args[0].integer < c->args[1].integer);
}

static value call_power(struct fn_call *c) {
    CHECK_KINDS(c);
    uint64_t result = 1;
    for (int64_t i = 0; i < c->args[1].integer && i < 60; i++) {
        result *= (uint64_t)c->args[0].integer;
    }
    return value_int(wrap(result));
}

/* a && b, lazy: unknown decides only when it is needed. */
static value call_and(struct fn_call *c) {
    CHECK_KINDS(c);
    for (size_t i = 0; i < 2; i++) {
        if (c->args[i].kind == 0) {
            return fn_call_force(c, i);
        }
        if (c->args[i].kind == VALUE_UNKNOWN) {
            return c->args[i];
        }
        if (!c->args[i].boolean) {
            return value_bool(false);
        }
    }
    return value_bool(true);
}

/* a || b: b only when a failed; pending stays pending (DY-095). */
static value call_default(struct fn_call *c) {
    if (c->args[0].kind == 0) {
        return fn_call_force(c, 0);
    }
    if (c->args[0].kind != VALUE_ERROR) {
        return c->args[0];
    }
    return c->args[1].kind == 0 ? fn_call_force(c, 1) : c->args[1];
}

static value call_defined(struct fn_call *c) {
    return value_bool(c->args[0].kind != VALUE_ERROR);
}

static value call_kind(struct fn_call *c) {
    return value_string(c->arena, sv_from_cstr(value_get_kind_name((enum value_kind)c->args[0].kind)));
}

static value call_list(struct fn_call *c) {
    return value_list_of(c->arena, c->args, c->count);
}

static value call_object(struct fn_call *c) {
    struct map_builder b = {.arena = c->arena};
    for (size_t i = 0; i < c->count; i++) {
        map_add(&b, c->names[i], c->args[i]);
    }
    return map_done(&b);
}

/* map(list, fn): asks for one application after the other. */
struct map_state {
    size_t next;
    struct list_builder results;
};

static value call_map(struct fn_call *c) {
    CHECK_KINDS(c);
    void **state = fn_call_get_state(c);
    struct map_state *s = *state;
    if (s == NULL) {
        s = *state = ARENA_NEW(c->arena, struct map_state);
        s->results.arena = c->arena;
    } else {
        list_add(&s->results, fn_call_get_answer(c));
        s->next++;
    }
    if (s->next == c->args[0].list->len) {
        return list_done(&s->results);
    }
    const struct closure *f = c->args[1].function;
    value args[2] = {c->args[0].list->items[s->next], value_int((int64_t)s->next)};
    value *kept = ARENA_ARRAY(c->arena, value, 2);
    memcpy(kept, args, sizeof args);
    return fn_call_apply(c, f, kept, closure_takes_index(f, 1) ? 2 : 1, s->next);
}

static value call_cut(struct fn_call *c) {
    CHECK_KINDS(c);
    sv text = value_get_text(c->args[0]);
    int64_t from = c->args[1].integer;
    if (from < 0 || (size_t)from > text.len) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 1, "position %lld is outside of the text",
                            (long long)from);
    }
    return value_string(c->arena, sv_slice(text, (size_t)from, text.len));
}

static value call_capture_cut(struct fn_call *c) {
    CHECK_KINDS(c);
    return fn_call_capture(c, c->fn->data);
}

static value call_compose(struct fn_call *c) {
    CHECK_KINDS(c);
    struct closure *made = ARENA_NEW(c->arena, struct closure);
    const struct closure **chain = ARENA_ARRAY(c->arena, const struct closure *, c->count);
    for (size_t i = 0; i < c->count; i++) {
        chain[i] = c->args[c->count - 1 - i].function;
    }
    made->chain = chain;
    made->chain_count = c->count;
    return value_function(made);
}

static value call_fail(struct fn_call *c) {
    CHECK_KINDS(c);
    sv text = value_get_text(c->args[0]);
    return fn_call_fail(c, DIAG_function_call_error, SIZE_MAX, "%.*s", SV_ARG(text));
}

static value call_link(struct fn_call *c) {
    return value_string(c->arena, c->expr->call.args[0]->ref.name);
}

static value call_repeat(struct fn_call *c) {
    CHECK_KINDS(c);
    struct buf out = BUF(c->arena);
    for (int64_t i = 0; i < c->args[1].integer && i < 1000; i++) {
        buf_append(&out, value_get_text(c->args[0]));
    }
    return value_string(c->arena, buf_get_sv(&out));
}

static const struct type *type_of_map_result(const struct fn_check *c) {
    return type_new_list(c->arena, c->types[1]->item);
}

static void check_cut(const struct fn_check *c) {
    value from = fn_check_get_literal(c, 1);
    if (from.kind == VALUE_INT && from.integer < 0) {
        fn_check_fail(c, 1, "a position is not negative");
    }
}

#define P(n, t, f) \
    { .name = SV_INIT(n), .type = (t), .flags = (f) }
#define PARAMS(id, ...) static const struct fn_param params_##id[] = {__VA_ARGS__}
/* `more` are further initialisers. */
#define DEF(id, fname, res, fl, ...)                                                               \
    static const struct fn_def fn_##id = {.name = SV_INIT(fname),                                  \
                                          .params = params_##id,                                   \
                                          .param_count = sizeof params_##id / sizeof *params_##id, \
                                          .result = (res),                                         \
                                          .flags = (fl),                                           \
                                          __VA_ARGS__}

static const struct type_field one_any[] = {{.type = &type_any}, {.type = &type_int, .optional = true}};
static const struct type type_callback = {.kind = TYPE_FUNCTION, .fields = one_any, .field_count = 2};

PARAMS(add, P("a", &type_int, 0), P("b", &type_int, 0));
DEF(add, "+", &type_int, FN_PURE | FN_OPERATOR, .call = call_add);
PARAMS(sub, P("a", &type_int, 0), P("b", &type_int, 0));
DEF(sub, "-", &type_int, FN_PURE | FN_OPERATOR, .call = call_sub);
PARAMS(mul, P("a", &type_int, 0), P("b", &type_int, 0));
DEF(mul, "*", &type_int, FN_PURE | FN_OPERATOR, .call = call_mul);
PARAMS(neg, P("a", &type_int, 0));
DEF(neg, "-", &type_int, FN_PURE | FN_OPERATOR, .call = call_neg);
PARAMS(not, P("a", &type_bool, 0));
DEF(not, "!", &type_bool, FN_PURE | FN_OPERATOR, .call = call_not);
PARAMS(eq, P("a", &type_any, 0), P("b", &type_any, 0));
DEF(eq, "==", &type_bool, FN_PURE | FN_OPERATOR, .call = call_eq);
PARAMS(less, P("a", &type_int, 0), P("b", &type_int, 0));
DEF(less, "<", &type_bool, FN_PURE | FN_OPERATOR, .call = call_less);
PARAMS(power, P("a", &type_int, 0), P("b", &type_int, 0));
DEF(power, "**", &type_int, FN_PURE | FN_OPERATOR, .call = call_power);
PARAMS(and, P("a", &type_bool, 0), P("b", &type_bool, 0));
DEF(and, "&&", &type_bool, FN_PURE | FN_OPERATOR | FN_LAZY | FN_SEES_UNKNOWN, .call = call_and);
PARAMS(default, P("a", &type_any, 0), P("b", &type_any, 0));
DEF(default, "||", &type_any, FN_PURE | FN_OPERATOR | FN_LAZY | FN_SEES_FAILED | FN_OWN_SECRECY, .call = call_default);
PARAMS(compose, P("f", &type_callback, FN_VARIADIC));
DEF(compose, "compose", &type_function, FN_PURE, .call = call_compose);
PARAMS(cut, P("s", &type_string, 0), P("from", &type_int, 0));
DEF(cut, "cut", &type_string, FN_PURE, .call = call_cut, .check = check_cut);
PARAMS(capture_cut, P("from", &type_int, 0));
DEF(capture_cut, "cut_g", &type_function, FN_PURE, .call = call_capture_cut, .data = &fn_cut);
PARAMS(defined, P("x", &type_any, 0));
DEF(defined, "defined", &type_bool, FN_PURE | FN_SEES_FAILED | FN_SEES_ABSENT, .call = call_defined);
PARAMS(fail, P("why", &type_string, 0));
DEF(fail, "fail", &type_any, FN_PURE, .call = call_fail);
PARAMS(text_join, P("x", &type_scalar, FN_VARIADIC | FN_OPTIONAL));
DEF(text_join, "join", &type_string, FN_PURE, .call = call_text_join);
PARAMS(kind, P("x", &type_any, 0));
DEF(kind, "kind", &type_string, FN_PURE | FN_SEES_UNKNOWN | FN_SEES_ABSENT, .call = call_kind);
PARAMS(link, P("r", &type_any, 0));
DEF(link, "link", &type_string, FN_PURE | FN_SYNTACTIC, .call = call_link);
PARAMS(list, P("x", &type_any, FN_VARIADIC | FN_OPTIONAL));
DEF(list, "list", &type_list, FN_PURE | FN_SEES_UNKNOWN | FN_SEES_ABSENT | FN_OWN_SECRECY, .call = call_list);
PARAMS(map, P("a", &type_list, 0), P("f", &type_callback, 0));
DEF(map, "map", &type_list, FN_PURE, .call = call_map, .result_type = type_of_map_result);
PARAMS(object, P("x", &type_any, FN_VARIADIC | FN_OPTIONAL));
DEF(object, "object", &type_map, FN_PURE | FN_SEES_UNKNOWN | FN_SEES_ABSENT | FN_OWN_SECRECY, .call = call_object,
    .named_only = true);
PARAMS(repeat, P("s", &type_string, 0), P("n", &type_int, 0));
DEF(repeat, "repeat", &type_string, FN_PURE, .call = call_repeat);

static const struct fn_def *const defs[] = {
    &fn_compose, &fn_cut,  &fn_capture_cut, &fn_defined, &fn_fail,   &fn_text_join,
    &fn_kind,    &fn_link, &fn_list,        &fn_map,     &fn_object, &fn_repeat,
};
static const struct fn_table table = {defs, sizeof defs / sizeof *defs};
static const struct fn_table *const tables[] = {&table};
const struct fn_registry test_functions = {.tables = tables, .count = 1};

const struct operator_def test_operators[] = {
    {SV_INIT("!"), 0, 15, false, &fn_not},     {SV_INIT("&&"), 5, 6, false, &fn_and},
    {SV_INIT("*"), 11, 12, false, &fn_mul},    {SV_INIT("**"), 14, 13, false, &fn_power},
    {SV_INIT("+"), 9, 10, false, &fn_add},     {SV_INIT("-"), 9, 10, false, &fn_sub},
    {SV_INIT("-"), 0, 15, false, &fn_neg},     {SV_INIT("<"), 7, 8, false, &fn_less},
    {SV_INIT("=="), 7, 8, false, &fn_eq},      {SV_INIT("and"), 5, 6, true, &fn_and},
    {SV_INIT("||"), 3, 4, false, &fn_default},
};
const size_t test_operator_count = sizeof test_operators / sizeof *test_operators;
