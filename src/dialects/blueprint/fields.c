#include "dialects/blueprint/fields.h"

#include "base/hint.h"

bool fields_is_broken(const struct node *n) {
    return n->kind == NODE_ERROR || n->kind == NODE_ALIAS;
}

void fields_hide(struct loader *l, const struct node *n) {
    VEC(const struct node *) stack = {0};
    VEC_PUSH(&l->scratch, &stack, n);
    while (stack.len > 0) {
        const struct node *top = stack.items[--stack.len];
        if (top->kind == NODE_SCALAR && !fields_has_substitution(top)) {
            sources_hide(l->request->sources, top->at);
        }
        for (size_t i = 0; top->kind == NODE_SEQUENCE && i < top->count; i++) {
            VEC_PUSH(&l->scratch, &stack, top->items[i]);
        }
        for (size_t i = 0; top->kind == NODE_MAPPING && i < top->count; i++) {
            VEC_PUSH(&l->scratch, &stack, top->pairs[i].value);
        }
    }
}

sv fields_show(const struct node *n) {
    return n->kind == NODE_SCALAR ? sv_slice(n->text, 0, 80) : sv_from_cstr(node_get_kind_name(n));
}

bool fields_is_null(const struct node *n) {
    return n->kind == NODE_SCALAR && (n->style == NODE_PLAIN || n->style == NODE_EMPTY) && n->text.len <= 4 &&
           scalar_resolve_core(n->text).kind == SCALAR_NULL;
}

bool fields_has_substitution(const struct node *n) {
    return n->kind == NODE_SCALAR && lang_has_substitution(&blueprint_dialect, n->text);
}

/* The reader has refused it (BP-015). */
static bool is_merge_key(const struct node *key) {
    return key->kind == NODE_SCALAR && key->style == NODE_PLAIN && sv_eq(key->text, SV("<<"));
}

bool fields_check_key(struct loader *l, const struct node *key) {
    if (fields_is_broken(key) || is_merge_key(key) || (key->flags & NODE_DUPLICATE) != 0) {
        return false;
    }
    if (key->kind != NODE_SCALAR) {
        diags_add(l->diags, DIAG_invalid_map_key, key->at, "a key must be a scalar");
        return false;
    }
    if (fields_is_null(key)) {
        diags_add(l->diags, DIAG_invalid_map_key, key->at, "a key must not be null");
        return false;
    }
    if (fields_has_substitution(key)) {
        diags_add(l->diags, DIAG_invalid_map_key, key->at, "a key cannot hold a substitution");
        return false;
    }
    return true;
}

bool fields_check_mapping(struct loader *l, const struct node *n, const char *what) {
    if (n->kind == NODE_MAPPING) {
        return true;
    }
    if (!fields_is_broken(n)) {
        diags_add(l->diags, DIAG_invalid_map, n->at, "%s must be a mapping, this is %s", what, node_get_kind_name(n));
    }
    return false;
}

static size_t find_field(const struct field_set *set, sv name) {
    for (size_t i = 0; i < set->count; i++) {
        if (sv_eq(set->names[i], name)) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void report_unknown_key(struct loader *l, const struct field_set *set, const struct node *key) {
    struct diag *d = diags_add(l->diags, DIAG_unknown_key, key->at, "%s has no field '%.*s'", set->what,
                               SV_ARG(sv_slice(key->text, 0, 80)));
    loader_hint_word(l, d, key->text, set->names, set->count);
}

bool fields_read(struct loader *l, const struct node *def, const struct field_set *set, const struct node **fields) {
    for (size_t i = 0; i < set->count; i++) {
        fields[i] = NULL;
    }
    if (!fields_check_mapping(l, def, set->what)) {
        return false;
    }
    for (size_t i = 0; i < def->count; i++) {
        const struct node_pair *pair = &def->pairs[i];
        if (!fields_check_key(l, pair->key)) {
            continue;
        }
        size_t field = find_field(set, pair->key->text);
        if (field == SIZE_MAX) {
            report_unknown_key(l, set, pair->key);
        } else if (!fields_is_null(pair->value)) {
            fields[field] = pair->value;
        }
    }
    return true;
}

static void report_substitution(struct loader *l, const struct node *n) {
    size_t at = sv_find(n->text, SV("${"));
    size_t end = sv_find(sv_slice(n->text, at, n->text.len), SV("}"));
    size_t length = end == SIZE_MAX ? n->text.len - at : end + 1;
    struct diag *d = diags_add(l->diags, DIAG_substitution_not_allowed,
                               node_map_span(l->request->sources, n, at, length), "no substitution is allowed here");
    diag_set_hint(l->diags, d, "this is read before anything is evaluated: write it out");
}

/* The stack of what is left to visit lies in the scratch arena, so that depth costs no C stack. */
bool fields_check_static(struct loader *l, const struct node *n) {
    if (n->kind == NODE_SCALAR && !fields_has_substitution(n)) {
        return true;
    }
    VEC(const struct node *) stack = {0};
    bool clean = true;
    VEC_PUSH(&l->scratch, &stack, n);
    while (stack.len > 0) {
        const struct node *top = stack.items[--stack.len];
        if (fields_has_substitution(top)) {
            report_substitution(l, top);
            clean = false;
        }
        if (top->kind == NODE_SEQUENCE) {
            for (size_t i = top->count; i > 0; i--) {
                VEC_PUSH(&l->scratch, &stack, top->items[i - 1]);
            }
        }
        for (size_t i = top->kind == NODE_MAPPING ? top->count : 0; i > 0; i--) {
            VEC_PUSH(&l->scratch, &stack, top->pairs[i - 1].value);
        }
    }
    return clean;
}

bool fields_get_text(struct loader *l, const struct node *n, const char *what, sv *text) {
    if (fields_is_broken(n)) {
        return false;
    }
    if (n->kind != NODE_SCALAR) {
        diags_add(l->diags, DIAG_must_be_scalar, n->at, "%s must be a string, this is %s", what, node_get_kind_name(n));
        return false;
    }
    if (fields_has_substitution(n)) {
        report_substitution(l, n);
        return false;
    }
    if (scalar_resolve_node(n, scalar_resolve_core).kind != SCALAR_STRING) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_scalar_type, n->at, "%s must be a string, this is %s", what,
                                   node_get_kind_name(n));
        diag_set_hint(l->diags, d, "put quotes around it");
        return false;
    }
    *text = n->text;
    return true;
}
