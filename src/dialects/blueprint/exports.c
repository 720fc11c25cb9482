/* Exports and top-level metadata (1.12): shape and syntax. */
#include "dialects/blueprint/loader.h"

#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/scalars.h"
#include "dialects/blueprint/tables.h"
#include "dialects/blueprint/tree.h"

enum { FIELD_DESCRIPTION, FIELD_FIELD, FIELD_TYPE, FIELD_COUNT };

static const sv field_names[FIELD_COUNT] = {SV_INIT("description"), SV_INIT("field"), SV_INIT("type")};
static const struct field_set field_set = {field_names, FIELD_COUNT, "an export"};

/* BP-190. */
static void read_type(struct loader *l, struct element *e, const struct node *n) {
    sv text = {0};
    if (n == NULL) {
        diags_add(l->diags, DIAG_missing_export_type, e->at, "export '%.*s' has no 'type'", SV_ARG(e->name));
        return;
    }
    if (fields_is_broken(n) || !fields_check_static(l, n)) {
        return;
    }
    text = n->kind == NODE_SCALAR ? n->text : text;
    enum value_kind kind = scalars_find_value_kind(text);
    if (kind == 0) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_export_type, n->at, "'%.*s' is no type of an export",
                                   SV_ARG(fields_show(n)));
        loader_hint_word(l, d, text, scalars_kind_names, SCALARS_TYPE_COUNT);
        return;
    }
    e->type_text = text;
    e->type = scalars_get_type(kind);
}

/* The working directory is no element, unless a resource has this name (BP-247). */
static bool is_working_dir(const struct loader *l, const struct expr *e) {
    return e->op == BLUEPRINT_ROOT_NAME && e->count == 0 && sv_eq(e->ref.name, SV("workingDir")) &&
           loader_find(l, ELEMENT_RESOURCE, e->ref.name) == UINT32_MAX;
}

static bool is_export_root(const struct loader *l, const struct expr *e) {
    bool is_ref = e->kind == EXPR_REF && e->op != BLUEPRINT_ROOT_ELEM && e->op != BLUEPRINT_ROOT_INDEX;
    return (is_ref && !is_working_dir(l, e)) || e->kind == EXPR_ERROR;
}

/* BP-191. */
static void parse_field(struct loader *l, struct element *e, const struct node *n) {
    struct parse_context c = l->parse;
    c.dialect = &blueprint_export_dialect;
    struct expr_text text = {.text = n->text, .source = n->at.source};
    text.offsets = (n->flags & NODE_ESCAPED) != 0 ? node_map_offsets(l->arena, l->request->sources, n) : NULL;
    text.start = text.offsets == NULL ? node_get_text_start(l->request->sources, n) : 0;
    const struct expr *parsed = lang_parse_expr(&c, &text, 0, n->text.len);
    if (!is_export_root(l, parsed)) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_reference_pattern, parsed->at,
                                   "the field of an export must be one reference");
        diag_set_hint(l->diags, d, "compute it in 'values' and export that");
        return;
    }
    e->expr = parsed;
}

static void read_field(struct loader *l, struct element *e, const struct node *n) {
    if (n == NULL) {
        diags_add(l->diags, DIAG_empty_export_field, e->at, "export '%.*s' has no 'field'", SV_ARG(e->name));
        return;
    }
    sv text = {0};
    if (!fields_get_text(l, n, "'field'", &text)) {
        return;
    }
    if (sv_trim(text).len == 0) {
        diags_add(l->diags, DIAG_empty_export_field, n->at, "the field of export '%.*s' is empty", SV_ARG(e->name));
        return;
    }
    e->field_text = sv_trim(text);
    tree_enter_key(l, SV("field"));
    size_t from = loader_get_mark(l);
    parse_field(l, e, n);
    loader_tag(l, from, l->current);
    tree_leave(l);
}

void export_load(struct loader *l, uint32_t number) {
    struct element *e = &l->elements[number];
    const struct node *fields[FIELD_COUNT];
    e->type = &type_any;
    if (!fields_read(l, l->entries[number].def, &field_set, fields)) {
        return;
    }
    read_type(l, e, fields[FIELD_TYPE]);
    read_field(l, e, fields[FIELD_FIELD]);
    description_load(l, e, fields[FIELD_DESCRIPTION]);
}

void metadata_load(struct loader *l, const struct node *n) {
    l->current = UINT32_MAX;
    if (n == NULL || !fields_check_mapping(l, n, "'metadata'")) {
        return;
    }
    struct part part = tree_build(l, n, NULL);
    l->template->metadata = tree_get_expr(l, &part);
}
