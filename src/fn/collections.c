/* Arrays and objects (FN-140 to FN-143, FN-151 to FN-153). */
#include "fn/internal.h"

static value call_list(struct fn_call *c) {
    return value_list_of(c->arena, c->args, c->count);
}

static const struct type *get_list_type(const struct fn_check *c) {
    return type_new_list(c->arena, fn_join_types(c, 0));
}

static value call_object(struct fn_call *c) {
    struct map_builder map = {.arena = c->arena};
    if (c->names == NULL && c->count > 0) {
        return fn_call_fail(c, DIAG_invalid_function_argument, SIZE_MAX, "every argument needs a name");
    }
    for (size_t i = 0; i < c->count; i++) {
        map_set(&map, c->names[i], c->args[i]);
    }
    return map_done(&map);
}

/* A name may be given once (FN-141). */
static void check_object(const struct fn_check *c) {
    struct map seen = MAP(c->arena);
    for (size_t i = 0; i < c->count && c->expr->call.names != NULL; i++) {
        bool is_new = false;
        map_get_slot(&seen, c->expr->call.names[i], &is_new);
        if (!is_new) {
            fn_check_fail(c, i, "the name '%.*s' is given twice", SV_ARG(c->expr->call.names[i]));
        }
    }
}

static const struct type *get_object_type(const struct fn_check *c) {
    struct type *t = ARENA_NEW(c->arena, struct type);
    struct type_field *fields = ARENA_ARRAY(c->arena, struct type_field, c->count);
    *t = (struct type){.kind = TYPE_OBJECT, .fields = fields};
    for (size_t i = 0; i < c->count && c->expr->call.names != NULL; i++) {
        if (c->types[i]->kind != TYPE_ABSENT) {
            fields[t->field_count++] = (struct type_field){.name = c->expr->call.names[i], .type = c->types[i]};
        }
    }
    return t;
}

static value call_keys(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    if (c->args[0].kind == VALUE_UNKNOWN) {
        return value_unknown(&type_list_of_strings);
    }
    struct list_builder list = {.arena = c->arena};
    for (size_t i = 0; i < c->args[0].map->len; i++) {
        list_add(&list, value_string(c->arena, c->args[0].map->entries[i].key));
    }
    return list_done(&list);
}

static value call_vals(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    struct list_builder list = {.arena = c->arena};
    for (size_t i = 0; i < c->args[0].map->len; i++) {
        list_add(&list, c->args[0].map->entries[i].item);
    }
    return list_done(&list);
}

/* --- lookup --- */

static value get_default(struct fn_call *c, uint8_t marks) {
    if (c->count < 3) {
        return value_mark(value_absent(), marks);
    }
    return c->args[2].kind == 0 ? fn_call_force(c, 2) : value_mark(c->args[2], marks);
}

/* FN-012, FN-013: the keys and the item found are all that counts. */
static value call_lookup(struct fn_call *c) {
    for (size_t i = 0; i < 2; i++) {
        if (c->args[i].kind == 0) {
            return fn_call_force(c, i);
        }
    }
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    value m = c->args[0], key = c->args[1];
    uint8_t marks = (uint8_t)((m.marks | key.marks) & (MARK_SENSITIVE | MARK_PROVISIONAL));
    if (key.kind == VALUE_ABSENT) {
        return value_mark(value_absent(), marks);
    }
    if (m.kind == VALUE_UNKNOWN || key.kind == VALUE_UNKNOWN) {
        return value_mark(value_unknown(NULL), marks);
    }
    value found = m.kind == VALUE_MAP ? value_map_find(m, fn_get_text(c, 1)) : (value){0};
    return found.kind != 0 ? value_mark(found, marks) : get_default(c, marks);
}

/* FN-033: what is known of the entry, and of the default where there may be no entry. */
static const struct type *get_lookup_type(const struct fn_check *c) {
    value key = fn_check_get_literal(c, 1);
    const struct type *of = c->types[0], *other = c->count > 2 ? c->types[2] : &type_absent;
    if (of->kind == TYPE_MAP) {
        return type_join(c->arena, type_find_field(of, SV("")), other);
    }
    if (of->kind != TYPE_OBJECT || key.kind != VALUE_STRING) {
        return &type_any;
    }
    for (size_t i = 0; i < of->field_count; i++) {
        const struct type_field *f = &of->fields[i];
        if (sv_eq(f->name, value_get_text(key)) && f->type != NULL && f->type->kind != TYPE_ABSENT) {
            return f->optional ? type_join(c->arena, f->type, other) : f->type;
        }
    }
    return of->open ? &type_any : other;
}

static const struct type *get_vals_type(const struct fn_check *c) {
    const struct type *of = c->types[0], *item = NULL;
    if (of->kind == TYPE_MAP) {
        return type_new_list(c->arena, of->item);
    }
    for (size_t i = 0; of->kind == TYPE_OBJECT && !of->open && i < of->field_count; i++) {
        const struct type *t = of->fields[i].type == NULL ? &type_any : of->fields[i].type;
        item = item == NULL ? t : type_join(c->arena, item, t);
    }
    return type_new_list(c->arena, item);
}

/* --- getattr, getelem: functions of one argument --- */

static value call_attribute(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    value found = value_map_find(c->args[0], fn_get_text(c, 1));
    return found.kind != 0
               ? found
               : fn_call_fail(c, DIAG_invalid_function_argument, 0, "there is no entry '%.*s'",
                              SV_ARG(value_is_sensitive(c->args[1]) ? SV("?") : sv_slice(fn_get_text(c, 1), 0, 80)));
}

static value call_element(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    int64_t at = c->args[1].integer;
    const struct value_list *list = c->args[0].list;
    if (at < 0 || (uint64_t)at >= list->len) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 0, "there is no item at this position");
    }
    return list->items[at];
}

static const struct fn_param attribute_params[] = {
    {SV_INIT("of"), &type_map, 0, SV_INIT("")},
    {SV_INIT("name"), &type_string, 0, SV_INIT("name of an entry")},
};
static const struct fn_param element_params[] = {
    {SV_INIT("of"), &type_list, 0, SV_INIT("")},
    {SV_INIT("position"), &type_int, 0, SV_INIT("from 0")},
};

static const struct fn_def attribute = {
    .name = SV_INIT("getattr"),
    .params = attribute_params,
    .param_count = 2,
    .result = &type_any,
    .flags = FN_PURE,
    .call = call_attribute,
};
static const struct fn_def element = {
    .name = SV_INIT("getelem"),
    .params = element_params,
    .param_count = 2,
    .result = &type_any,
    .flags = FN_PURE,
    .call = call_element,
};

static value call_getattr(struct fn_call *c) {
    return fn_capture(c, &attribute);
}

static value call_getelem(struct fn_call *c) {
    return fn_capture(c, &element);
}

static void check_getelem(const struct fn_check *c) {
    fn_check_not_negative(c, 0);
}

/* --- tables --- */

static const struct fn_param items_params[] = {
    {SV_INIT("items"), &type_any, FN_VARIADIC | FN_OPTIONAL, SV_INIT("of any kinds; none is left out")},
};
static const struct fn_param entries_params[] = {
    {SV_INIT("entries"), &type_any, FN_VARIADIC | FN_OPTIONAL, SV_INIT("name = value; none is left out")},
};
static const struct fn_param object_params[] = {{SV_INIT("of"), &type_map, 0, SV_INIT("")}};
static const struct fn_param lookup_params[] = {
    {SV_INIT("of"), &type_map, 0, SV_INIT("")},
    {SV_INIT("key"), &type_string, 0, SV_INIT("")},
    {SV_INIT("default"), &type_any, FN_OPTIONAL, SV_INIT("when there is no such key; else none")},
};

#define COLLECTION_FN(fn_name, fn_rule, parameters, count, type, body)                                            \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Collections"), .params = (parameters), \
    .param_count = (count), .result = (type), .call = (body)

static const struct fn_def fn_getattr = {
    COLLECTION_FN("getattr", "FN-151", attribute_params + 1, 1, &fn_type_map_to_any, call_getattr),
    .flags = FN_PURE,
    .summary = SV_INIT("The function that takes the entry of that name out of an object."),
    .example = SV_INIT("map(list(object(id=\"x\")), getattr(\"id\"))"),
    .example_result = SV_INIT("[\"x\"]"),
};
static const struct fn_def fn_getelem = {
    COLLECTION_FN("getelem", "FN-152", element_params + 1, 1, &fn_type_list_to_any, call_getelem),
    .flags = FN_PURE,
    .check = check_getelem,
    .summary = SV_INIT("The function that takes the item at that position out of an array."),
    .example = SV_INIT("map(list(list(\"a\", \"b\")), getelem(1))"),
    .example_result = SV_INIT("[\"b\"]"),
};
static const struct fn_def fn_keys = {
    COLLECTION_FN("keys", "FN-142", object_params, 1, &type_list_of_strings, call_keys),
    .flags = FN_PURE | FN_SEES_UNKNOWN,
    .summary = SV_INIT("The keys of an object, in its order."),
    .example = SV_INIT("keys(object(b=1, a=2))"),
    .example_result = SV_INIT("[\"b\",\"a\"]"),
};
static const struct fn_def fn_list = {
    COLLECTION_FN("list", "FN-140", items_params, 1, &type_list, call_list),
    .flags = FN_PURE | FN_SEES_UNKNOWN | FN_SEES_ABSENT | FN_OWN_SECRECY,
    .result_type = get_list_type,
    .summary = SV_INIT("An array of the arguments."),
    .example = SV_INIT("list(1, \"a\", none)"),
    .example_result = SV_INIT("[1,\"a\"]"),
};
static const struct fn_def fn_lookup = {
    COLLECTION_FN("lookup", "FN-153", lookup_params, 3, &type_any, call_lookup),
    .flags = FN_PURE | FN_LAZY | FN_SEES_UNKNOWN | FN_SEES_ABSENT | FN_OWN_SECRECY,
    .result_type = get_lookup_type,
    .summary = SV_INIT("The entry of an object, or a default."),
    .example = SV_INIT("lookup(object(a=1), \"b\", 9)"),
    .example_result = SV_INIT("9"),
};
static const struct fn_def fn_object = {
    COLLECTION_FN("object", "FN-141", entries_params, 1, &type_map, call_object),
    .flags = FN_PURE | FN_SEES_UNKNOWN | FN_SEES_ABSENT | FN_OWN_SECRECY,
    .named_only = true,
    .check = check_object,
    .result_type = get_object_type,
    .summary = SV_INIT("An object of the named arguments, in their order."),
    .example = SV_INIT("object(id=\"s-1\", n=2)"),
    .example_result = SV_INIT("{\"id\":\"s-1\",\"n\":2}"),
};
static const struct fn_def fn_vals = {
    COLLECTION_FN("vals", "FN-143", object_params, 1, &type_list, call_vals),
    .flags = FN_PURE,
    .result_type = get_vals_type,
    .summary = SV_INIT("The values of an object, in the order of its keys."),
    .example = SV_INIT("vals(object(b=1, a=2))"),
    .example_result = SV_INIT("[1,2]"),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_getattr, &fn_getelem, &fn_keys, &fn_list, &fn_lookup, &fn_object, &fn_vals,
};
const struct fn_table fn_table_collections = {defs, FN_COUNT(defs)};
