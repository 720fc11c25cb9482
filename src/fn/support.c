#include "fn/internal.h"

static const struct type_field sized_kinds[] = {
    {.type = &type_string},
    {.type = &type_list},
    {.type = &type_map},
};
const struct type fn_type_sized = {.kind = TYPE_UNION, .fields = sized_kinds, .field_count = FN_COUNT(sized_kinds)};

static const struct type_field text_kinds[] = {{.type = &type_string}, {.type = &type_list}};
const struct type fn_type_string_or_list = {
    .kind = TYPE_UNION, .fields = text_kinds, .field_count = FN_COUNT(text_kinds)};

static const struct type_field unary_params[] = {{.type = &type_any}};
const struct type fn_type_unary = {
    .kind = TYPE_FUNCTION, .fields = unary_params, .field_count = FN_COUNT(unary_params)};

value fn_check_text_size(struct fn_call *c, size_t bytes) {
    size_t limit = eval_get_limits(c->ev)->result_text;
    if (bytes <= limit) {
        return (value){0};
    }
    return fn_call_fail(c, DIAG_limit_exceeded, SIZE_MAX, "the result has more than %zu bytes", limit);
}

value fn_check_items(struct fn_call *c, size_t count) {
    size_t limit = eval_get_limits(c->ev)->result_items;
    if (count <= limit) {
        return (value){0};
    }
    return fn_call_fail(c, DIAG_limit_exceeded, SIZE_MAX, "the result has more than %zu items", limit);
}

static value fail_kind(struct fn_call *c, size_t arg, const struct fn_param *p) {
    struct buf wanted = BUF(c->arena);
    type_print(&wanted, p->type);
    const char *advice = c->args[arg].kind == VALUE_BYTES ? "; make text of bytes with utf8" : "";
    return fn_call_fail(c, DIAG_invalid_function_argument, arg, "'%.*s' must be of type %.*s, not %s%s",
                        SV_ARG(p->name), SV_ARG(buf_get_sv(&wanted)),
                        value_get_kind_name((enum value_kind)c->args[arg].kind), advice);
}

bool fn_take_args(struct fn_call *c, value *result) {
    for (size_t i = 0; i < c->count; i++) {
        const struct fn_param *p = &c->fn->params[i < c->fn->param_count ? i : c->fn->param_count - 1];
        value *v = &c->args[i];
        bool is_special = v->kind == 0 || v->kind == VALUE_UNKNOWN || v->kind == VALUE_ABSENT;
        if (!is_special && !type_fits_value(p->type, *v)) {
            *result = fail_kind(c, i, p);
            return false;
        }
    }
    return true;
}

value fn_capture(struct fn_call *c, const struct fn_def *fn) {
    value failed = {0};
    return fn_take_args(c, &failed) ? fn_call_capture(c, fn) : failed;
}

sv fn_get_text(const struct fn_call *c, size_t arg) {
    return value_get_text(c->args[arg]);
}

bool fn_has_arg(const struct fn_call *c, size_t arg) {
    return arg < c->count && c->args[arg].kind != 0;
}

void fn_check_not_negative(const struct fn_check *c, size_t arg) {
    value v = arg < c->count ? fn_check_get_literal(c, arg) : (value){0};
    if (v.kind == VALUE_INT && v.integer < 0) {
        fn_check_fail(c, arg, "a position cannot be negative");
    }
}

const struct type *fn_join_types(const struct fn_check *c, size_t first) {
    const struct type *t = NULL;
    for (size_t i = first; i < c->count; i++) {
        if (c->types[i]->kind != TYPE_ABSENT) {
            t = t == NULL ? c->types[i] : type_join(c->arena, t, c->types[i]);
        }
    }
    return t == NULL ? &type_any : t;
}

const struct type *fn_get_result_type(const struct fn_check *c, size_t arg) {
    const struct type *t = c->types[arg];
    return t->kind == TYPE_FUNCTION && t->item != NULL ? t->item : &type_any;
}

int fn_get_truth(value v) {
    if (v.kind == VALUE_ABSENT) {
        return 0;
    }
    return v.kind == VALUE_BOOL ? v.boolean : -1;
}
