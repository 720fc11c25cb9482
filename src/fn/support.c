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

#define UNARY_TYPE(variable, parameter, result)                                   \
    static const struct type_field variable##_params[] = {{.type = (parameter)}}; \
    const struct type variable = {                                                \
        .kind = TYPE_FUNCTION, .item = (result), .fields = variable##_params, .field_count = 1}

UNARY_TYPE(fn_type_text_to_text, &type_string, &type_string);
UNARY_TYPE(fn_type_text_to_bool, &type_string, &type_bool);
UNARY_TYPE(fn_type_text_to_texts, &type_string, &type_list_of_strings);
UNARY_TYPE(fn_type_text_to_any, &type_string, &type_any);
UNARY_TYPE(fn_type_map_to_any, &type_map, &type_any);
UNARY_TYPE(fn_type_list_to_any, &type_list, &type_any);
UNARY_TYPE(fn_type_searched_to_bool, &fn_type_string_or_list, &type_bool);

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

value fn_fail_with_hint(struct fn_call *c, enum diag_code code, size_t arg, sv message, sv hint) {
    struct diags *diags = eval_get_diags(c->ev);
    size_t before = diags->items.len;
    value v = fn_call_fail(c, code, arg, "%.*s", SV_ARG(message));
    if (hint.len > 0 && diags->items.len > before) {
        diag_set_hint(diags, diags->items.items[before], "%.*s", SV_ARG(hint));
    }
    return v;
}

sv fn_print_type_phrase(struct arena *a, const struct type *t) {
    struct buf out = BUF(a);
    type_print(&out, t);
    sv name = buf_get_sv(&out);
    bool takes_none =
        t == NULL || t->kind == TYPE_NULL || t->kind == TYPE_BYTES || t->kind == TYPE_ABSENT || t->kind == TYPE_ANY;
    bool vowel = name.len > 0 && sv_find_char(SV("aeio"), name.data[0]) != SIZE_MAX;
    return takes_none ? name : arena_printf(a, "%s %.*s", vowel ? "an" : "a", SV_ARG(name));
}

static value fail_kind(struct fn_call *c, size_t arg, const struct fn_param *p) {
    sv wanted = fn_print_type_phrase(c->arena, p->type);
    enum value_kind kind = (enum value_kind)c->args[arg].kind;
    bool decodes = kind == VALUE_BYTES && type_fits(p->type, &type_string);
    sv message = arena_printf(c->arena, "'%.*s' must be %.*s, not %s", SV_ARG(p->name), SV_ARG(wanted),
                              value_get_kind_phrase(kind));
    return fn_fail_with_hint(c, DIAG_invalid_function_argument, arg, message,
                             decodes ? SV("make text of bytes with utf8") : (sv){0});
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

unsigned fn_get_group(const struct type *t) {
    switch (t->kind) {
    case TYPE_BOOL:
        return 1;
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_NUMBER:
        return 2;
    case TYPE_STRING:
        return 3;
    case TYPE_BYTES:
        return 4;
    case TYPE_LIST:
        return 5;
    case TYPE_MAP:
    case TYPE_OBJECT:
        return 6;
    case TYPE_ANY:
    case TYPE_NULL:
    case TYPE_TEXT:
    case TYPE_SCALAR:
    case TYPE_FUNCTION:
    case TYPE_ABSENT:
    case TYPE_UNION:
        break;
    }
    return 0;
}

int fn_get_truth(value v) {
    if (v.kind == VALUE_ABSENT) {
        return 0;
    }
    return v.kind == VALUE_BOOL ? v.boolean : -1;
}
