/* Values (1.6): shape and syntax. */
#include "dialects/blueprint/loader.h"

#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/scalars.h"
#include "dialects/blueprint/tree.h"

enum { FIELD_ALLOWED, FIELD_DEFAULT, FIELD_DESCRIPTION, FIELD_SECRET, FIELD_TYPE, FIELD_VALUE, FIELD_COUNT };

/* sorted */
static const sv field_names[FIELD_COUNT] = {
    SV_INIT("allowedValues"), SV_INIT("default"), SV_INIT("description"),
    SV_INIT("secret"),        SV_INIT("type"),    SV_INIT("value"),
};
static const struct field_set field_set = {field_names, FIELD_COUNT, "a value"};

/* A description: text, or an expression when it has substitutions. */
void description_load(struct loader *l, struct element *e, const struct node *n) {
    if (n == NULL) {
        return;
    }
    tree_enter_key(l, SV("description"));
    if (fields_has_substitution(n)) {
        struct part part = tree_build_scalar(l, n, false);
        e->description_expr = tree_get_expr(l, &part);
    } else {
        fields_get_text(l, n, "'description'", &e->description);
    }
    tree_leave(l);
}

static enum value_kind read_type(struct loader *l, struct element *e, const struct node *n) {
    if (n == NULL) {
        diags_add(l->diags, DIAG_invalid_value_type, e->at, "value '%.*s' has no 'type'", SV_ARG(e->name));
        return 0;
    }
    if (fields_is_broken(n) || !fields_check_static(l, n)) {
        return 0;
    }
    sv text = n->kind == NODE_SCALAR ? n->text : (sv){0};
    enum value_kind kind = scalars_find_value_kind(text);
    if (kind == 0) {
        struct diag *d =
            diags_add(l->diags, DIAG_invalid_value_type, n->at, "'%.*s' is no type of a value", SV_ARG(fields_show(n)));
        loader_hint_word(l, d, text, scalars_kind_names, SCALARS_TYPE_COUNT);
    }
    e->type_text = text;
    return kind;
}

static void read_secret(struct loader *l, struct element *e, const struct node *n) {
    if (n == NULL) {
        return;
    }
    e->secret = true; /* rather too much hidden than too little */
    if (fields_is_broken(n) || !fields_check_static(l, n)) {
        return;
    }
    struct scalar s = n->kind == NODE_SCALAR ? scalar_resolve_node(n, scalar_resolve_core) : (struct scalar){0};
    e->secret = s.kind != SCALAR_BOOL || s.boolean;
    if (s.kind != SCALAR_BOOL) {
        enum diag_code code = n->kind == NODE_SCALAR ? DIAG_invalid_scalar_type : DIAG_must_be_scalar;
        diags_add(l->diags, code, n->at, "'secret' must be true or false");
    }
}

static void read_value(struct loader *l, struct element *e, const struct node *n, enum value_kind kind) {
    tree_enter_key(l, SV("value"));
    struct part part =
        n->kind == NODE_SCALAR ? tree_build_scalar(l, n, kind != 0 && kind != VALUE_STRING) : tree_build(l, n, NULL);
    e->expr = tree_get_expr(l, &part);
    tree_leave(l);
}

void value_load(struct loader *l, uint32_t number) {
    struct element *e = &l->elements[number];
    const struct node *fields[FIELD_COUNT];
    e->type = &type_any;
    if (!fields_read(l, l->entries[number].def, &field_set, fields)) {
        return;
    }
    enum value_kind kind = read_type(l, e, fields[FIELD_TYPE]);
    e->type = kind == 0 ? &type_any : scalars_get_type(kind);
    read_secret(l, e, fields[FIELD_SECRET]);
    if (e->secret && fields[FIELD_VALUE] != NULL) {
        fields_hide(l, fields[FIELD_VALUE]);
    }
    description_load(l, e, fields[FIELD_DESCRIPTION]);
    for (size_t i = FIELD_ALLOWED; i <= FIELD_DEFAULT; i++) {
        if (fields[i] != NULL) {
            diags_add(l->diags, DIAG_invalid_value, fields[i]->at, "a value has no '%.*s', only variables do",
                      SV_ARG(field_names[i]));
        }
    }
    if (fields[FIELD_VALUE] == NULL) {
        diags_add(l->diags, DIAG_invalid_value, e->at, "value '%.*s' has no 'value'", SV_ARG(e->name));
    } else {
        read_value(l, e, fields[FIELD_VALUE], kind);
    }
}
