/* Expressions of which only a part is known: values where they are, source text where they are not. */
#include "dialects/blueprint/render.h"

#include "dialects/blueprint/blueprint.h"
#include "dialects/blueprint/evaluate.h"
#include "dialects/blueprint/refs.h"
#include "dialects/blueprint/scalars.h"
#include "dialects/blueprint/tree.h"

/* --- values that stand in the document --- */

static sv escape_text(struct arena *a, sv text) {
    if (sv_find(text, SV("${")) == SIZE_MAX) {
        return text;
    }
    struct buf out = BUF(a);
    for (size_t i = 0; i < text.len; i++) {
        bool opens = text.data[i] == '$' && i + 1 < text.len && text.data[i + 1] == '{';
        if (opens) {
            buf_append_cstr(&out, "${\"${\"}");
            i++;
        } else {
            buf_append_char(&out, text.data[i]);
        }
    }
    return buf_get_sv(&out);
}

static value settle_map(struct renderer *x, value v) {
    struct map_builder b = {.arena = x->arena};
    for (size_t i = 0; i < v.map->len; i++) {
        map_add(&b, v.map->entries[i].key, render_settle(x, v.map->entries[i].item));
    }
    return map_done(&b);
}

static value settle_list(struct renderer *x, value v) {
    struct list_builder b = {.arena = x->arena};
    for (size_t i = 0; i < v.list->len; i++) {
        list_add(&b, render_settle(x, v.list->items[i]));
    }
    return list_done(&b);
}

value render_settle(struct renderer *x, value v) {
    if (v.kind == VALUE_STRING) {
        return value_mark(value_string(x->arena, escape_text(x->arena, value_get_text(v))), v.marks);
    }
    if ((v.kind != VALUE_MAP && v.kind != VALUE_LIST) || !depth_enter(&x->depth)) {
        return v;
    }
    value result = v.kind == VALUE_MAP ? settle_map(x, v) : settle_list(x, v);
    depth_leave(&x->depth);
    return value_mark(result, v.marks);
}

/* --- literals inside of substitutions (1.15) --- */

/* JSON text in single quotes: it holds no such quote but in strings, where it has another spelling. */
static void append_decoded(struct renderer *x, struct buf *out, value v) {
    sv json = value_print_json(x->arena, v, 0, REVEAL);
    buf_append_cstr(out, "jsondecode('");
    for (size_t i = 0; i < json.len; i++) {
        if (json.data[i] == '\'') {
            buf_append_cstr(out, "\\u0027");
        } else {
            buf_append_char(out, json.data[i]);
        }
    }
    buf_append_cstr(out, "')");
}

static void append_string(struct renderer *x, struct buf *out, value v) {
    sv text = value_get_text(v);
    if (sv_find(text, SV("\\")) != SIZE_MAX) {
        append_decoded(x, out, v); /* a backslash is no escape there */
        return;
    }
    buf_append_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"') {
            buf_append_char(out, '\\');
        }
        buf_append_char(out, text.data[i]);
    }
    buf_append_char(out, '"');
}

static void append_literal(struct renderer *x, struct buf *out, value v) {
    struct buf scalar = BUF(x->arena);
    if (v.kind == VALUE_FUNCTION) {
        buf_append(out, v.function->fn->name);
    } else if (v.kind == VALUE_ABSENT) {
        buf_append_cstr(out, "none");
    } else if (v.kind == VALUE_STRING) {
        append_string(x, out, v);
    } else if (v.kind == VALUE_INT || v.kind == VALUE_BOOL) {
        value_print_scalar(out, v);
    } else if (v.kind == VALUE_FLOAT) {
        value_print_scalar(&scalar, v);
        if (sv_find(buf_get_sv(&scalar), SV("e")) == SIZE_MAX) {
            buf_append(out, buf_get_sv(&scalar));
        } else {
            append_decoded(x, out, v); /* literals have no exponent */
        }
    } else {
        append_decoded(x, out, v);
    }
}

/* --- expressions --- */

static bool is_plain_name(sv name) {
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (c >= 128 || (lexis_classes_name[c] & (i == 0 ? LEXIS_START : LEXIS_PART)) == 0) {
            return false;
        }
    }
    return name.len > 0;
}

static void append_name_step(struct buf *out, sv name) {
    if (is_plain_name(name)) {
        buf_printf(out, ".%.*s", SV_ARG(name));
    } else {
        buf_printf(out, "[\"%.*s\"]", SV_ARG(name));
    }
}

static void append_steps(struct buf *out, const struct expr *e, size_t from) {
    for (size_t i = from; i < e->count; i++) {
        const struct step *s = &e->ref.steps[i];
        if (s->kind == STEP_NAME) {
            append_name_step(out, s->name);
        } else {
            buf_printf(out, "[%zu]", s->index);
        }
    }
}

bool render_instance_ref(struct renderer *x, struct buf *out, const struct expr *e, const struct scope *scope) {
    struct ref_target target = ref_get_target(e);
    uint32_t number =
        target.kind == ELEMENT_RESOURCE ? blueprint_find_number(scope->owner, target.kind, target.name) : UINT32_MAX;
    if (number == UINT32_MAX || x->t->elements[number].kind != ELEMENT_TEMPLATE || !ref_has_index(e, target.first)) {
        return false;
    }
    struct buf name = BUF(x->arena);
    buf_printf(&name, "%.*s_%zu", SV_ARG(target.name), e->ref.steps[target.first].index);
    buf_append_cstr(out, "resources");
    append_name_step(out, buf_get_sv(&name));
    append_steps(out, e, target.first + 1);
    return true;
}

static void append_ref(struct renderer *x, struct buf *out, const struct expr *e, struct scope *scope) {
    value v = eval_expr(x->e->evaluator, e, scope);
    x->has_failed |= value_is_error(v);
    if (value_is_known(v) && !value_is_sensitive(v) && v.kind != VALUE_BYTES) {
        append_literal(x, out, v);
        return;
    }
    if (render_instance_ref(x, out, e, scope)) {
        return;
    }
    if (e->op == BLUEPRINT_ROOT_VARIABLES && e->count > 0) {
        map_put(&x->kept, e->ref.steps[0].name, x);
    }
    buf_append(out, e->ref.name);
    append_steps(out, e, 0);
}

static void append_call(struct renderer *x, struct buf *out, const struct expr *e, struct scope *scope) {
    buf_printf(out, "%.*s(", SV_ARG(e->call.fn->name));
    for (uint32_t i = 0; i < e->count; i++) {
        if (i > 0) {
            buf_append_cstr(out, ", ");
        }
        if (e->call.names != NULL && e->call.names[i].len > 0) {
            buf_printf(out, "%.*s = ", SV_ARG(e->call.names[i]));
        }
        bool is_name = (e->call.fn->flags & FN_SYNTACTIC) != 0 && e->call.args[i]->kind == EXPR_REF;
        if (!is_name) {
            render_residual(x, out, e->call.args[i], scope);
        } else if (!render_instance_ref(x, out, e->call.args[i], scope)) {
            buf_append(out, e->call.args[i]->ref.name);
            append_steps(out, e->call.args[i], 0);
        }
    }
    buf_append_char(out, ')');
}

void render_residual(struct renderer *x, struct buf *out, const struct expr *e, struct scope *scope) {
    if (!depth_enter(&x->depth)) {
        x->has_failed = true;
        diags_add(x->e->diags, DIAG_limit_exceeded, e->at, "the expression is nested too deep to be shown");
        return;
    }
    if (e->kind == EXPR_LITERAL) {
        append_literal(x, out, e->literal);
    } else if (e->kind == EXPR_REF) {
        append_ref(x, out, e, scope);
    } else if (e->kind == EXPR_CALL && e->call.fn != NULL) {
        append_call(x, out, e, scope);
    } else if (e->kind == EXPR_INDEX) {
        render_residual(x, out, e->ref.base, scope);
        append_steps(out, e, 0);
    }
    depth_leave(&x->depth);
}

static value make_text(struct renderer *x, sv text) {
    return value_string(x->arena, arena_copy_sv(x->arena, text));
}

static void append_part(struct renderer *x, struct buf *out, const struct expr *part, struct scope *scope) {
    value v = eval_expr(x->e->evaluator, part, scope);
    bool is_text = value_is_known(v) && !value_is_sensitive(v) && scalars_to_text(x->arena, &v);
    x->has_failed |= value_is_error(v);
    if (is_text && v.kind == VALUE_STRING) {
        buf_append(out, escape_text(x->arena, value_get_text(v)));
    } else if (v.kind != VALUE_ABSENT) {
        buf_append_cstr(out, "${");
        render_residual(x, out, part, scope);
        buf_append_char(out, '}');
    }
}

static value render_open(struct renderer *x, const struct expr *e, struct scope *scope) {
    struct buf out = BUF(x->arena);
    if (e->kind == EXPR_TEMPLATE) {
        for (uint32_t i = 0; i < e->count; i++) {
            append_part(x, &out, e->call.args[i], scope);
        }
    } else {
        buf_append_cstr(&out, "${");
        render_residual(x, &out, e, scope);
        buf_append_char(&out, '}');
    }
    return make_text(x, buf_get_sv(&out));
}

static value render_leaf(struct renderer *x, struct render_source from) {
    bool is_done = value_is_set(from.resolved) && value_is_known(from.resolved);
    value v = is_done ? from.resolved : eval_expr(x->e->evaluator, from.expr, from.scope);
    if (value_is_error(v) || (v.within & WITHIN_ERROR) != 0) {
        x->has_failed = true;
        return value_absent();
    }
    if (!value_is_known(v)) {
        return render_open(x, from.expr, from.scope);
    }
    bool wants_text = from.schema != NULL && from.schema->type == SCHEMA_STRING && from.expr->kind != EXPR_LITERAL;
    if (v.kind == VALUE_BYTES || wants_text) {
        scalars_to_text(x->arena, &v);
    }
    return render_settle(x, v);
}

static value render_map(struct renderer *x, struct render_source from) {
    struct map_builder b = {.arena = x->arena};
    for (uint32_t i = 0; i < from.expr->count; i++) {
        struct render_source entry = {from.expr->call.args[i], from.scope, NULL, {0}};
        sv key = from.expr->call.names[i];
        entry.schema = tree_get_entry_schema(from.schema, key);
        if (from.resolved.kind == VALUE_MAP) {
            entry.resolved = value_map_find(from.resolved, key);
        }
        map_add(&b, key, render_expr(x, entry));
    }
    return map_done(&b);
}

/* Items that are `none` have left the resolved list: then its places are others. */
static value render_list(struct renderer *x, struct render_source from) {
    struct list_builder b = {.arena = x->arena};
    bool is_aligned = from.resolved.kind == VALUE_LIST && from.resolved.list->len == from.expr->count;
    for (uint32_t i = 0; i < from.expr->count; i++) {
        struct render_source item = {from.expr->call.args[i], from.scope, tree_get_item_schema(from.schema), {0}};
        if (is_aligned) {
            item.resolved = from.resolved.list->items[i];
        }
        list_add(&b, render_expr(x, item));
    }
    return list_done(&b);
}

value render_expr(struct renderer *x, struct render_source from) {
    const struct expr *e = from.expr;
    bool is_container = (e->kind == EXPR_OBJECT && e->op != EXPR_COMPUTED_KEYS) || e->kind == EXPR_LIST;
    if (!is_container || !depth_enter(&x->depth)) {
        return render_leaf(x, from);
    }
    value v = e->kind == EXPR_OBJECT ? render_map(x, from) : render_list(x, from);
    depth_leave(&x->depth);
    return v;
}
