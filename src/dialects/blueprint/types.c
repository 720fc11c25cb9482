/* Static types (BP-314): what is known of every expression before it is evaluated. */
#include "dialects/blueprint/loader.h"
#include "dialects/blueprint/scalars.h"
#include "dialects/blueprint/tree.h"

/* Elements whose checks share one brief arena. */
enum { BRIEF_ELEMENTS = 64 };

/* NULL when something is wrong with it: nothing more is said of its type then (BP-302). */
const struct type *types_get(struct loader *l, const struct expr *e) {
    size_t from = loader_get_mark(l);
    size_t errors = l->diags->errors;
    const struct type *t = lang_check_result(&l->check, e, &refs_check_ops, l);
    if (loader_get_mark(l) != from && l->current != UINT32_MAX) {
        loader_tag(l, from, l->current);
    }
    return l->diags->errors == errors ? t : NULL;
}

/* Whether every value of the type can become text (BP-216). */
static bool is_textual(const struct type *t) {
    switch (t->kind) {
    case TYPE_BOOL:
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_NUMBER:
    case TYPE_STRING:
    case TYPE_BYTES:
    case TYPE_TEXT:
    case TYPE_SCALAR:
        return true;
    case TYPE_UNION:
        for (size_t i = 0; i < t->field_count; i++) {
            if (!is_textual(t->fields[i].type)) {
                return false;
            }
        }
        return true;
    case TYPE_ANY:
    case TYPE_NULL:
    case TYPE_LIST:
    case TYPE_MAP:
    case TYPE_OBJECT:
    case TYPE_FUNCTION:
    case TYPE_ABSENT:
        break;
    }
    return false;
}

static value get_leaf(struct loader *l, const struct expr *e, const struct schema *s) {
    const struct type *t = types_get(l, e);
    if (t == NULL) {
        return value_unknown(NULL);
    }
    if (t->kind == TYPE_ABSENT) {
        return value_absent();
    }
    bool to_text = s != NULL && is_textual(t) && tree_wants_text(s, t);
    return value_unknown(to_text ? &type_string : t);
}

static value get_list(struct loader *l, const struct expr *e, const struct schema *s) {
    struct list_builder list = {.arena = l->check.arena};
    for (uint32_t i = 0; i < e->count; i++) {
        tree_enter_index(l, i);
        list_add(&list, types_get_value(l, e->call.args[i], tree_get_item_schema(s)));
        tree_leave(l);
    }
    return list_done(&list);
}

static value get_map(struct loader *l, const struct expr *e, const struct schema *s) {
    struct map_builder map = {.arena = l->check.arena};
    for (uint32_t i = 0; i < e->count; i++) {
        sv key = e->call.names[i];
        tree_enter_key(l, key);
        map_add(&map, key, types_get_value(l, e->call.args[i], tree_get_entry_schema(s, key)));
        tree_leave(l);
    }
    return map_done(&map);
}

value types_get_value(struct loader *l, const struct expr *e, const struct schema *s) {
    if (e->kind == EXPR_LITERAL) {
        return e->literal;
    }
    bool is_container = e->kind == EXPR_OBJECT || e->kind == EXPR_LIST;
    if (!is_container || !depth_enter(&l->depth)) {
        return e->kind == EXPR_ERROR ? value_unknown(NULL) : get_leaf(l, e, s);
    }
    value v = e->kind == EXPR_OBJECT ? get_map(l, e, s) : get_list(l, e, s);
    depth_leave(&l->depth);
    return v;
}

static value get_field(struct loader *l, const struct expr *e, const char *first, const char *second) {
    l->path.len = 0;
    tree_enter_key(l, sv_from_cstr(first));
    if (second != NULL) {
        tree_enter_key(l, sv_from_cstr(second));
    }
    return types_get_value(l, e, NULL);
}

void types_report(struct loader *l, enum diag_code code, span at, const char *what, value v) {
    struct buf type = BUF(&l->scratch);
    if (v.kind == VALUE_UNKNOWN && v.type != NULL) {
        type_print(&type, v.type);
    } else {
        buf_append_cstr(&type, value_get_kind_name((enum value_kind)v.kind));
    }
    size_t from = loader_get_mark(l);
    diags_add(l->diags, code, at, "%s, not %.*s", what, SV_ARG(buf_get_sv(&type)));
    loader_tag(l, from, l->current);
}

static bool fits_text(value v) {
    if (v.kind == VALUE_UNKNOWN) {
        return v.type == NULL || v.type->kind == TYPE_ANY || type_fits(&type_scalar, v.type) ||
               type_fits(&type_text, v.type);
    }
    return value_is_scalar(v) || v.kind == VALUE_BYTES || v.kind == VALUE_ABSENT || v.kind == VALUE_ERROR;
}

/* BP-216, BP-133. */
static void check_text_field(struct loader *l, const struct expr *e, const char *first, const char *second) {
    if (e == NULL) {
        return;
    }
    value v = get_field(l, e, first, second);
    if (!fits_text(v)) {
        types_report(l, DIAG_invalid_substitution, e->at, "text or another scalar is wanted here", v);
    }
    l->path.len = 0;
}

static void check_annotations(struct loader *l, const struct expr *e) {
    if (e == NULL || e->kind != EXPR_OBJECT) {
        return;
    }
    value all = get_field(l, e, "metadata", "annotations");
    for (uint32_t i = 0; i < e->count && all.kind == VALUE_MAP; i++) {
        value v = value_map_find(all, e->call.names[i]);
        bool fits =
            v.kind != VALUE_UNKNOWN || v.type == NULL || v.type->kind == TYPE_ABSENT || type_fits(&type_scalar, v.type);
        if (!fits) {
            tree_enter_key(l, e->call.names[i]);
            types_report(l, DIAG_invalid_substitution, e->call.args[i]->at, "an annotation must be a scalar", v);
            tree_leave(l);
        }
    }
    l->path.len = 0;
}

/* --- values --- */

static bool is_parsed_kind(enum value_kind kind) {
    return kind == VALUE_INT || kind == VALUE_FLOAT || kind == VALUE_BOOL;
}

/* BP-082, BP-083 for what is known before evaluation. */
static bool fits_value(struct loader *l, enum value_kind kind, value v) {
    if (v.kind != VALUE_UNKNOWN) {
        return scalars_convert(l->check.arena, kind, &v);
    }
    if (v.type == NULL || v.type->kind == TYPE_ANY) {
        return true;
    }
    if (kind == VALUE_STRING) {
        return type_fits(&type_text, v.type);
    }
    return (is_parsed_kind(kind) && type_fits(&type_string, v.type)) || type_fits(scalars_get_type(kind), v.type);
}

static void report_value(struct loader *l, const struct element *e, value v) {
    const char *what = arena_printf(&l->scratch, "a value of type '%.*s' is wanted here", SV_ARG(e->type_text)).data;
    size_t from = loader_get_mark(l);
    types_report(l, DIAG_invalid_value, e->expr->at, what, v);
    bool is_text = v.kind == VALUE_STRING || (v.kind == VALUE_UNKNOWN && v.type != NULL && v.type->kind == TYPE_STRING);
    if (is_text && (e->type->kind == TYPE_LIST || e->type->kind == TYPE_MAP) && loader_get_mark(l) > from) {
        diag_set_hint(l->diags, l->diags->items.items[from], "decode JSON text with jsondecode");
    }
}

/* Types of larger values are not made: each reference would search them. */
enum { TYPED_PARTS = 500 };

static bool is_small(value v, size_t *budget) {
    bool is_map = v.kind == VALUE_MAP;
    size_t count = is_map ? v.map->len : v.kind == VALUE_LIST ? v.list->len : 0;
    if (count > *budget) {
        return false;
    }
    *budget -= count;
    for (size_t i = 0; i < count; i++) {
        if (!is_small(is_map ? v.map->entries[i].item : v.list->items[i], budget)) {
            return false;
        }
    }
    return true;
}

static const struct type *get_static_type(struct loader *l, const struct element *e, value v) {
    size_t budget = TYPED_PARTS;
    if ((v.kind == VALUE_MAP || v.kind == VALUE_LIST) && is_small(v, &budget)) {
        return type_of_value(&l->scratch, v);
    }
    bool is_narrower =
        v.kind == VALUE_UNKNOWN && v.type != NULL && v.type->kind != TYPE_ANY && type_fits(e->type, v.type);
    return is_narrower ? v.type : e->type;
}

static void check_value(struct loader *l, uint32_t number) {
    struct element *e = &l->elements[number];
    struct entry *entry = &l->entries[number];
    size_t errors = l->diags->errors;
    l->current = number;
    check_text_field(l, e->description_expr, "description", NULL);
    if (e->expr != NULL) {
        value v = get_field(l, e->expr, "value", NULL);
        enum value_kind kind = scalars_find_value_kind(e->type_text);
        if (kind != 0 && !fits_value(l, kind, v)) {
            report_value(l, e, v);
        } else {
            entry->static_type = get_static_type(l, e, v);
        }
    }
    if (entry->static_type == NULL || is_parsed_kind(scalars_find_value_kind(e->type_text))) {
        entry->static_type = e->type;
    }
    entry->broken |= l->diags->errors > errors;
    l->path.len = 0;
}

struct pending {
    uint32_t number;
    size_t next;
};

/* What a value uses is typed before it; on a cycle the declared type has to do. */
static void check_value_after_uses(struct loader *l, uint32_t number) {
    VEC(struct pending) stack = {0};
    VEC_PUSH(&l->scratch, &stack, ((struct pending){number, 0}));
    l->entries[number].visit = 1;
    while (stack.len > 0) {
        struct pending *top = VEC_LAST(&stack);
        const struct element *e = &l->elements[top->number];
        if (top->next == e->use_count) {
            check_value(l, top->number);
            stack.len--;
            continue;
        }
        uint32_t to = e->uses[top->next++].to;
        if (l->elements[to].kind == ELEMENT_VALUE && l->entries[to].visit == 0) {
            l->entries[to].visit = 1;
            VEC_PUSH(&l->scratch, &stack, ((struct pending){to, 0}));
        }
    }
}

/* --- resources, exports --- */

static void check_resource(struct loader *l, uint32_t number) {
    const struct element *e = &l->elements[number];
    if (e->each != NULL) {
        each_check_type(l, number);
    }
    check_text_field(l, e->description_expr, "description", NULL);
    check_text_field(l, e->display_name, "metadata", "displayName");
    check_annotations(l, e->annotations);
    if (e->custom != NULL && e->custom->kind != EXPR_LITERAL) {
        get_field(l, e->custom, "metadata", "custom");
    }
    l->path.len = 0;
    if (e->condition != NULL) {
        condition_check(l, e->condition);
    }
    if (e->spec != NULL && e->kind == ELEMENT_RESOURCE) {
        spec_check(l, number);
        l->entries[number].elem_type = NULL; /* it ends with the brief arena */
    }
}

static void check_child(struct loader *l, uint32_t number) {
    check_resource(l, number);
}

static void check_data(struct loader *l, uint32_t number) {
    check_resource(l, number);
    data_source_check(l, number);
}

/* BP-192. */
static void check_export(struct loader *l, uint32_t number) {
    const struct element *e = &l->elements[number];
    check_text_field(l, e->description_expr, "description", NULL);
    if (e->expr == NULL) {
        return;
    }
    value v = get_field(l, e->expr, "field", NULL);
    bool fits = v.kind != VALUE_UNKNOWN || v.type == NULL || v.type->kind == TYPE_ABSENT || type_fits(e->type, v.type);
    if (!fits) {
        const char *what = arena_printf(&l->scratch, "export '%.*s' is declared as '%.*s'",
                                        SV_ARG(sv_slice(e->name, 0, 80)), SV_ARG(e->type_text))
                               .data;
        types_report(l, DIAG_invalid_export, e->expr->at, what, v);
    }
    l->path.len = 0;
}

static void check_element(struct loader *l, uint32_t number) {
    size_t errors = l->diags->errors;
    l->current = number;
    l->path.len = 0;
    if (l->elements[number].kind == ELEMENT_RESOURCE) {
        check_resource(l, number);
    } else if (l->elements[number].kind == ELEMENT_CHILD) {
        check_child(l, number);
    } else if (l->elements[number].kind == ELEMENT_DATA) {
        check_data(l, number);
    } else if (l->elements[number].kind == ELEMENT_EXPORT) {
        check_export(l, number);
    }
    l->entries[number].broken |= l->diags->errors > errors;
}

void types_check(struct loader *l) {
    l->check = l->parse;
    l->check.arena = &l->scratch;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->elements[i].kind == ELEMENT_VALUE && l->entries[i].visit == 0) {
            check_value_after_uses(l, i);
        }
    }
    l->check.arena = &l->brief;
    for (uint32_t i = 0; i < l->count; i++) {
        check_element(l, i);
        if (i % BRIEF_ELEMENTS == 0) {
            arena_fini(&l->brief);
        }
    }
    l->current = UINT32_MAX;
    l->path.len = 0;
    if (l->template->metadata != NULL) {
        types_get_value(l, l->template->metadata, NULL);
    }
    arena_fini(&l->brief);
}
