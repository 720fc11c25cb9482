/* What a parent passes to a child (BP-177). */
#include "base/hint.h"
#include "dialects/blueprint/children.h"
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/scalars.h"
#include "dialects/blueprint/tree.h"

/* --- values --- */

static bool refuse(struct child_refusal *why, enum diag_code code, sv message) {
    *why = (struct child_refusal){code, message};
    return false;
}

static bool refuse_kind(struct arena *a, const struct element *variable, value given, struct child_refusal *why) {
    return refuse(why, DIAG_include_variable_type_mismatch,
                  arena_printf(a, "variable '%.*s' of the child is of type '%.*s', not %s",
                               SV_ARG(sv_slice(variable->name, 0, 80)), SV_ARG(sv_slice(variable->type_text, 0, 80)),
                               value_get_kind_phrase((enum value_kind)given.kind)));
}

/* BP-077: a label, or a value that exactly one option has. */
static bool take_option(struct arena *a, const struct variable_type *type, const struct element *variable, value *given,
                        struct child_refusal *why) {
    const struct variable_option *only = NULL;
    size_t hits = 0;
    for (size_t i = 0; i < type->option_count; i++) {
        const struct variable_option *o = &type->options[i];
        if (given->kind == VALUE_STRING && sv_eq(o->label, value_get_text(*given))) {
            *given = value_mark(o->item, given->marks);
            return true;
        }
        if (value_eq(o->item, *given)) {
            hits++;
            only = o;
        }
    }
    if (hits == 1) {
        *given = value_mark(only->item, given->marks);
        return true;
    }
    return refuse(why, DIAG_custom_variable_value_not_in_options,
                  arena_printf(a, "the value for variable '%.*s' of the child is no option of '%.*s'",
                               SV_ARG(sv_slice(variable->name, 0, 80)), SV_ARG(sv_slice(variable->type_text, 0, 80))));
}

static bool is_allowed(const struct blueprint_variable *v, value given) {
    bool found = v->allowed.kind != VALUE_LIST;
    for (size_t i = 0; !found && i < v->allowed.list->len; i++) {
        found = value_eq(v->allowed.list->items[i], given);
    }
    return found;
}

bool child_take_input(struct arena *a, const struct blueprint_data *file, const struct element *variable,
                      uint32_t number, value *given, struct child_refusal *why) {
    const struct blueprint_variable *v = file->variables != NULL ? file->variables[number] : NULL;
    enum value_kind kind = scalars_find_kind(variable->type_text);
    if (given->kind == VALUE_UNKNOWN || given->kind == VALUE_ABSENT || given->kind == VALUE_ERROR) {
        return true;
    }
    if (v != NULL && v->custom != NULL) {
        if (!take_option(a, v->custom, variable, given, why)) {
            return false;
        }
    } else if (kind != 0 ? !scalars_widen(kind, given) : !value_is_scalar(*given)) {
        return refuse_kind(a, variable, *given, why);
    }
    if (v != NULL && !is_allowed(v, *given)) {
        return refuse(why, DIAG_variable_value_not_allowed,
                      arena_printf(a, "the value for variable '%.*s' of the child is not one of its allowed values",
                                   SV_ARG(sv_slice(variable->name, 0, 80))));
    }
    return true;
}

/* --- static --- */

/* What is passed to one child. */
struct passing {
    struct loader *l;
    const struct element *element;
    const struct blueprint_child *child;
    const struct template *template;
    const struct blueprint_data *file;
};

static uint32_t find_variable(const struct passing *p, sv name) {
    uintptr_t found = (uintptr_t)map_find(&p->file->names[ELEMENT_VARIABLE], name);
    return found == 0 ? UINT32_MAX : (uint32_t)(found - 1);
}

static void report_unknown(const struct passing *p, const struct node *key) {
    struct loader *l = p->l;
    const struct map *names = &p->file->names[ELEMENT_VARIABLE];
    struct diag *d =
        diags_add(l->diags, DIAG_include_unknown_variable, key->at, "child '%.*s' declares no variable '%.*s'",
                  SV_ARG(sv_slice(p->element->name, 0, 80)), SV_ARG(sv_slice(key->text, 0, 80)));
    if (d == l->diags->spare || names->len > l->hint_budget) {
        return;
    }
    l->hint_budget -= names->len;
    struct hint hint = HINT(key->text);
    for (size_t i = 0; i < names->len; i++) {
        hint_offer(&hint, names->entries[i].key);
    }
    if (hint.best.len > 0) {
        diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    }
}

static void relate(const struct passing *p, struct diag *d, const struct element *variable) {
    diag_add_related(p->l->diags, d, variable->at, "declared here");
}

static void report_missing(const struct passing *p, const struct element *variable) {
    struct diag *d = diags_add(p->l->diags, DIAG_include_missing_required_variable, p->element->at,
                               "child '%.*s' needs a value for variable '%.*s'",
                               SV_ARG(sv_slice(p->element->name, 0, 80)), SV_ARG(sv_slice(variable->name, 0, 80)));
    diag_set_hint(p->l->diags, d, "pass it under 'variables', or give it a default in the child");
    relate(p, d, variable);
}

static void report_type(const struct passing *p, const struct element *variable, span at, const struct type *given) {
    struct buf text = BUF(&p->l->scratch);
    type_print(&text, given);
    struct diag *d =
        diags_add(p->l->diags, DIAG_include_variable_type_mismatch, at,
                  "variable '%.*s' of the child is of type '%.*s', not %.*s", SV_ARG(sv_slice(variable->name, 0, 80)),
                  SV_ARG(sv_slice(variable->type_text, 0, 80)), SV_ARG(buf_get_sv(&text)));
    relate(p, d, variable);
}

/* A custom type takes labels, which are text, beside the values of its options. */
static bool fits_variable(const struct passing *p, uint32_t number, const struct type *given) {
    const struct element *variable = &p->template->elements[number];
    const struct blueprint_variable *v = p->file->variables != NULL ? p->file->variables[number] : NULL;
    bool is_plain = scalars_find_kind(variable->type_text) != 0;
    if (!is_plain || (v != NULL && v->custom != NULL)) {
        return type_fits(&type_scalar, given);
    }
    return type_fits(variable->type, given);
}

static void check_known(const struct passing *p, uint32_t number, value given, span at) {
    const struct element *variable = &p->template->elements[number];
    struct child_refusal why = {0};
    if (!child_take_input(&p->l->scratch, p->file, variable, number, &given, &why)) {
        struct diag *d = diags_add(p->l->diags, why.code, at, "%.*s", SV_ARG(why.message));
        relate(p, d, variable);
    }
}

static void check_input(const struct passing *p, size_t i) {
    struct loader *l = p->l;
    uint32_t number = find_variable(p, p->child->names[i]);
    if (number == UINT32_MAX) {
        report_unknown(p, p->child->keys[i]);
        types_get_value(l, p->child->exprs[i], NULL);
        return;
    }
    const struct element *variable = &p->template->elements[number];
    const struct expr *e = child_find_input(p->child, variable);
    value given = types_get_value(l, e, NULL);
    if (given.kind == VALUE_ABSENT ||
        (given.kind == VALUE_UNKNOWN && given.type != NULL && given.type->kind == TYPE_ABSENT)) {
        if (variable->expr == NULL) {
            report_missing(p, variable);
        }
    } else if (given.kind != VALUE_UNKNOWN) {
        check_known(p, number, given, e->at);
    } else if (given.type != NULL && !fits_variable(p, number, given.type)) {
        report_type(p, variable, e->at, given.type);
    }
}

static void check_required(const struct passing *p) {
    for (size_t i = 0; i < p->template->element_count; i++) {
        const struct element *e = &p->template->elements[i];
        if (e->kind == ELEMENT_VARIABLE && e->expr == NULL && !map_has(&p->child->inputs, e->name)) {
            report_missing(p, e);
        }
    }
}

static void check_passing(const struct passing *p) {
    struct loader *l = p->l;
    if (p->child->is_resource) {
        tree_enter_key(l, SV("spec"));
    }
    tree_enter_key(l, SV("variables"));
    for (size_t i = 0; i < p->child->count; i++) {
        tree_enter_key(l, p->child->names[i]);
        size_t from = loader_get_mark(l);
        if (p->template != NULL) {
            check_input(p, i);
        } else {
            types_get_value(l, p->child->exprs[i], NULL);
        }
        loader_tag(l, from, l->current);
        tree_leave(l);
    }
    l->path.len = 0;
    if (p->template != NULL) {
        check_required(p);
    }
}

/* Types in the expressions of the source (BP-314); the path is text (BP-216), else it is the mistake of the field. */
static void check_source(struct loader *l, const struct blueprint_child *c) {
    struct child_part part;
    for (size_t i = 0; i < CHILD_SOURCE_PARTS && child_get_part(c, i, &part); i++) {
        if (part.expr == NULL || part.expr->kind == EXPR_LITERAL) {
            continue;
        }
        l->path.len = 0;
        for (size_t k = 0; k < part.key_count; k++) {
            tree_enter_key(l, part.keys[k]);
        }
        size_t from = loader_get_mark(l);
        value v = types_get_value(l, part.expr, NULL);
        bool is_text = v.kind != VALUE_UNKNOWN || v.type == NULL || type_fits(&type_scalar, v.type) ||
                       type_fits(&type_text, v.type);
        if (part.expr != c->metadata && !is_text) {
            struct buf text = BUF(&l->scratch);
            type_print(&text, v.type);
            diags_add(l->diags, DIAG_invalid_include, c->path_at, "'%.*s' must be text, not %.*s",
                      SV_ARG(part.keys[part.key_count - 1]), SV_ARG(buf_get_sv(&text)));
        }
        loader_tag(l, from, l->current);
    }
    l->path.len = 0;
}

enum { BRIEF_CHILDREN = 64 };

void children_check(struct loader *l) {
    l->check.arena = &l->brief;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct blueprint_child *c = l->children[i];
        if (c == NULL) {
            continue;
        }
        const struct passing p = {.l = l,
                                  .element = &l->elements[i],
                                  .child = c,
                                  .template = c->template,
                                  .file = c->template != NULL ? c->template->dialect_data : NULL};
        size_t from = loader_get_mark(l);
        size_t errors = l->diags->errors;
        l->current = i;
        l->path.len = 0;
        check_source(l, c);
        check_passing(&p);
        loader_tag(l, from, i);
        l->entries[i].broken |= l->diags->errors > errors;
        if (i % BRIEF_CHILDREN == 0) {
            arena_fini(&l->brief);
        }
    }
    arena_fini(&l->brief);
}
