/* Data sources (1.7): definitions, and what is known of their searches before anything is fetched.
 *
 * The searches of an element are one expression: { search: … } for a single filter, a list of these for an array of
 * filters, so that the path of a part is the one it has in the file and a search that is `none` leaves its place
 * empty. */
#include "base/hint.h"
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/loader.h"
#include "dialects/blueprint/scalars.h"
#include "dialects/blueprint/tree.h"

enum { FIELD_DESCRIPTION, FIELD_EXPORTS, FIELD_FILTER, FIELD_METADATA, FIELD_TYPE, FIELD_COUNT };
enum { FILTER_FIELD, FILTER_OPERATOR_FIELD, FILTER_SEARCH, FILTER_FIELD_COUNT };
enum { EXPORT_ALIAS, EXPORT_DESCRIPTION, EXPORT_TYPE, EXPORT_FIELD_COUNT };
enum { META_ANNOTATIONS, META_CUSTOM, META_DISPLAY_NAME, META_COUNT };

/* sorted */
static const sv field_names[FIELD_COUNT] = {
    SV_INIT("description"), SV_INIT("exports"), SV_INIT("filter"), SV_INIT("metadata"), SV_INIT("type"),
};
static const struct field_set field_set = {field_names, FIELD_COUNT, "a data source"};
static const sv filter_names[FILTER_FIELD_COUNT] = {SV_INIT("field"), SV_INIT("operator"), SV_INIT("search")};
static const struct field_set filter_set = {filter_names, FILTER_FIELD_COUNT, "a filter"};
static const sv export_names[EXPORT_FIELD_COUNT] = {SV_INIT("aliasFor"), SV_INIT("description"), SV_INIT("type")};
static const struct field_set export_set = {export_names, EXPORT_FIELD_COUNT, "an export of a data source"};
static const sv meta_names[META_COUNT] = {SV_INIT("annotations"), SV_INIT("custom"), SV_INIT("displayName")};
static const struct field_set meta_set = {meta_names, META_COUNT, "the metadata of a data source"};

/* BP-107: an array holds scalars. */
static const struct type array_type = {.kind = TYPE_LIST, .item = &type_scalar};

/* Names of fields and types in messages are cut. */
static sv cut(sv text) {
    return sv_slice(text, 0, 80);
}

/* --- Type --- */

static void read_type(struct loader *l, struct element *e, const struct node *n) {
    if (n == NULL) {
        diags_add(l->diags, DIAG_data_source_missing_type, e->at, "data source '%.*s' has no 'type'",
                  SV_ARG(cut(e->name)));
        return;
    }
    if (!fields_get_text(l, n, "'type'", &e->type_text)) {
        return;
    }
    if (e->type_text.len == 0) {
        diags_add(l->diags, DIAG_data_source_missing_type, n->at, "data source '%.*s' has no 'type'",
                  SV_ARG(cut(e->name)));
        return;
    }
    if (l->request->providers == NULL) {
        return;
    }
    e->data_type = providers_find_data(l->request->providers, e->type_text);
    if (e->data_type != NULL) {
        return;
    }
    struct diag *d = diags_add(l->diags, DIAG_data_source_type_not_found, n->at,
                               "no provider offers the data source type '%.*s'", SV_ARG(cut(e->type_text)));
    sv close = providers_find_close_data(l->request->providers, e->type_text);
    if (close.len > 0) {
        diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(close));
    }
}

/* --- Filters --- */

static void report_field(struct loader *l, const struct element *e, const struct node *n, sv field) {
    struct diag *d = diags_add(l->diags, DIAG_data_source_filter_field_not_supported, n->at,
                               "data sources of type '%.*s' cannot be filtered by '%.*s'", SV_ARG(cut(e->type_text)),
                               SV_ARG(cut(field)));
    struct hint h = HINT(field);
    for (size_t i = 0; i < e->data_type->filter_field_count; i++) {
        hint_offer(&h, e->data_type->filter_fields[i].field);
    }
    if (h.best.len > 0) {
        diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(h.best));
    }
}

static void report_operator(struct loader *l, const struct data_filter_field *offered, const struct node *n) {
    struct diag *d = diags_add(l->diags, DIAG_data_source_filter_operator_not_supported, n->at,
                               "operator '%.*s' is not supported for the field '%.*s'", SV_ARG(cut(n->text)),
                               SV_ARG(cut(offered->field)));
    struct buf list = BUF(&l->scratch);
    for (enum filter_operator op = FILTER_EQUALS; op <= FILTER_LESS_EQUAL; op++) {
        if ((offered->operators & (1u << op)) != 0) {
            buf_printf(&list, "%s'%.*s'", list.len > 0 ? ", " : "", SV_ARG(filter_get_text(op)));
        }
    }
    diag_set_hint(l->diags, d, "supported: %.*s", SV_ARG(buf_get_sv(&list)));
}

/* BP-102 for what the provider declares. */
static void check_offered(struct loader *l, const struct element *e, const struct element_filter *f,
                          const struct node *const *nodes) {
    if (e->data_type == NULL || f->field.len == 0) {
        return;
    }
    const struct data_filter_field *offered = data_type_find_filter(e->data_type, f->field);
    if (offered == NULL) {
        report_field(l, e, nodes[FILTER_FIELD], f->field);
    } else if (f->op != 0 && offered->operators != 0 && (offered->operators & (1u << f->op)) == 0) {
        report_operator(l, offered, nodes[FILTER_OPERATOR_FIELD]);
    }
}

static void read_filter_field(struct loader *l, struct element_filter *f, const struct node *n) {
    struct path path;
    if (n == NULL) {
        diags_add(l->diags, DIAG_data_source_missing_filter_field, f->at, "the filter has no 'field'");
    } else if (fields_get_text(l, n, "'field'", &f->field) && f->field.len == 0) {
        diags_add(l->diags, DIAG_data_source_missing_filter_field, n->at, "the 'field' of the filter is empty");
    } else if (f->field.len > 0 && !filter_parse_path(&l->scratch, f->field, &path)) {
        struct diag *d = diags_add(l->diags, DIAG_data_source_filter_field_not_supported, n->at,
                                   "'%.*s' is no path of a field", SV_ARG(cut(f->field)));
        diag_set_hint(l->diags, d, "names are joined by '.', items are chosen by [0]");
        f->field = (sv){0};
    }
}

static void read_operator(struct loader *l, struct element_filter *f, const struct node *n) {
    sv text = {0};
    if (n == NULL) {
        diags_add(l->diags, DIAG_data_source_missing_filter_operator, f->at, "the filter has no 'operator'");
        return;
    }
    if (!fields_get_text(l, n, "'operator'", &text)) {
        return;
    }
    f->op = filter_find_operator(text);
    if (f->op != 0) {
        return;
    }
    struct diag *d = diags_add(l->diags, DIAG_invalid_data_source_filter_operator, n->at,
                               "'%.*s' is no filter operator", SV_ARG(cut(text)));
    sv words[FILTER_OPERATOR_COUNT];
    for (enum filter_operator op = FILTER_EQUALS; op <= FILTER_LESS_EQUAL; op++) {
        words[op - FILTER_EQUALS] = filter_get_text(op);
    }
    loader_hint_word(l, d, text, words, FILTER_OPERATOR_COUNT);
}

/* Literals of another shape; what substitutions yield is judged by its type. */
static bool check_search_shape(struct loader *l, const struct node *n) {
    size_t count = n->kind == NODE_SEQUENCE ? n->count : 1;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        const struct node *item = n->kind == NODE_SEQUENCE ? n->items[i] : n;
        if (!fields_is_broken(item) && (item->kind != NODE_SCALAR || fields_is_null(item))) {
            diags_add(l->diags, DIAG_must_be_scalar, item->at,
                      n->kind == NODE_SEQUENCE ? "an item of 'search' must be a scalar, this is %s"
                                               : "'search' must be a scalar or an array of scalars, this is %s",
                      node_get_kind_name(item));
            ok = false;
        }
    }
    return ok;
}

static const struct expr *read_search(struct loader *l, struct element_filter *f, const struct node *n) {
    if (n == NULL) {
        diags_add(l->diags, DIAG_data_source_missing_filter_search, f->at, "the filter has no 'search'");
        return expr_new_error(l->arena, f->at);
    }
    f->search_at = n->at;
    if (!check_search_shape(l, n)) {
        return expr_new_error(l->arena, n->at);
    }
    tree_enter_key(l, filter_names[FILTER_SEARCH]);
    struct part part = tree_build(l, n, NULL);
    tree_leave(l);
    return tree_get_expr(l, &part);
}

static void report_empty_filter(struct loader *l, span at) {
    diags_add(l->diags, DIAG_data_source_empty_filter, at, "the filter of a data source must not be empty");
}

/* The filter's { search: … }. */
static const struct expr *read_filter(struct loader *l, const struct element *e, struct element_filter *f,
                                      const struct node *n) {
    const struct node *nodes[FILTER_FIELD_COUNT];
    f->at = f->search_at = n->at;
    if (n->kind == NODE_MAPPING && n->count == 0) {
        report_empty_filter(l, n->at);
        return expr_new_error(l->arena, n->at);
    }
    if (!fields_read(l, n, &filter_set, nodes)) {
        return expr_new_error(l->arena, n->at);
    }
    read_filter_field(l, f, nodes[FILTER_FIELD]);
    read_operator(l, f, nodes[FILTER_OPERATOR_FIELD]);
    check_offered(l, e, f, nodes);
    const struct expr **items = ARENA_ARRAY(l->arena, const struct expr *, 1);
    items[0] = read_search(l, f, nodes[FILTER_SEARCH]);
    return expr_new_object(l->arena, n->at, &filter_names[FILTER_SEARCH], items, 1);
}

static sv get_offered_field(const struct element *e, const struct element_filter *f) {
    const struct data_filter_field *offered = f->field.len > 0 ? data_type_find_filter(e->data_type, f->field) : NULL;
    return offered != NULL ? offered->field : f->field;
}

/* The first filter on a field of the set, from `from` on. */
static const struct element_filter *find_filter(const struct element *e, const sv *set, const sv * not, sv *field) {
    for (size_t i = 0; i < e->filter_count; i++) {
        *field = get_offered_field(e, &e->filters[i]);
        for (const sv *name = set; name->len > 0; name++) {
            if (sv_eq(*name, *field) && (not == NULL || !sv_eq(*not, *field))) {
                return &e->filters[i];
            }
        }
    }
    return NULL;
}

static void check_conflicts(struct loader *l, const struct element *e) {
    for (size_t i = 0; e->data_type != NULL && i < e->data_type->exclusive_count; i++) {
        sv one = {0}, other = {0};
        const struct element_filter *first = find_filter(e, e->data_type->exclusive[i], NULL, &one);
        const struct element_filter *second =
            first == NULL ? NULL : find_filter(e, e->data_type->exclusive[i], &one, &other);
        if (second != NULL) {
            struct diag *d =
                diags_add(l->diags, DIAG_data_source_filter_field_conflict, second->at,
                          "filters on '%.*s' and '%.*s' exclude each other", SV_ARG(cut(one)), SV_ARG(cut(other)));
            diag_add_related(l->diags, d, first->at, "the other filter is here");
        }
    }
}

static void read_filters(struct loader *l, struct element *e, const struct node *n) {
    bool is_list = n->kind == NODE_SEQUENCE;
    if (!is_list && n->kind != NODE_MAPPING) {
        fields_check_mapping(l, n, "'filter'");
        return;
    }
    if (n->count == 0) {
        report_empty_filter(l, n->at);
        return;
    }
    size_t count = is_list ? n->count : 1;
    struct element_filter *filters = ARENA_ARRAY(l->arena, struct element_filter, count);
    const struct expr **items = ARENA_ARRAY(l->arena, const struct expr *, count);
    tree_enter_key(l, field_names[FIELD_FILTER]);
    for (size_t i = 0; i < count; i++) {
        if (is_list) {
            tree_enter_index(l, i);
        }
        items[i] = read_filter(l, e, &filters[i], is_list ? n->items[i] : n);
        if (is_list) {
            tree_leave(l);
        }
    }
    tree_leave(l);
    e->filters = filters;
    e->filter_count = count;
    e->expr = is_list ? expr_new_list(l->arena, n->at, items, (uint32_t)count) : items[0];
    check_conflicts(l, e);
}

/* --- Exports --- */

static const struct type *read_export_type(struct loader *l, const struct node *n, span at, sv name) {
    sv text = {0};
    if (n == NULL) {
        diags_add(l->diags, DIAG_invalid_data_source_field_type, at, "exported field '%.*s' has no 'type'",
                  SV_ARG(cut(name)));
        return NULL;
    }
    if (fields_is_broken(n) || fields_has_substitution(n)) {
        return NULL;
    }
    text = n->kind == NODE_SCALAR ? n->text : text;
    if (sv_eq(text, SV("array"))) {
        return &array_type;
    }
    enum value_kind kind = scalars_find_kind(text);
    if (kind != 0) {
        return scalars_get_type(kind);
    }
    struct diag *d = diags_add(l->diags, DIAG_invalid_data_source_field_type, n->at,
                               "'%.*s' is no type of an exported field", SV_ARG(fields_show(n)));
    loader_hint_word(l, d, text, scalars_kind_names, SCALARS_KIND_COUNT + 1);
    return NULL;
}

static void report_unknown_export(struct loader *l, const struct element *e, const struct element_export_field *f,
                                  span at) {
    struct diag *d =
        diags_add(l->diags, DIAG_invalid_data_source, at, "data sources of type '%.*s' have no field '%.*s'",
                  SV_ARG(cut(e->type_text)), SV_ARG(cut(f->field)));
    struct hint h = HINT(f->field);
    const struct schema *s = e->data_type->schema;
    for (size_t i = 0; s != NULL && i < s->attribute_count; i++) {
        hint_offer(&h, s->attributes[i].name);
    }
    if (h.best.len > 0) {
        diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(h.best));
    }
}

/* BP-103, BP-107. */
static void check_export(struct loader *l, const struct element *e, const struct element_export_field *f, span at) {
    struct path path;
    if (!filter_parse_path(&l->scratch, f->field, &path)) {
        struct diag *d =
            diags_add(l->diags, DIAG_invalid_data_source, at, "'%.*s' is no path of a field", SV_ARG(cut(f->field)));
        diag_set_hint(l->diags, d, "names are joined by '.', items are chosen by [0]");
        return;
    }
    if (e->data_type == NULL) {
        return;
    }
    if (!data_type_has_field(e->data_type, f->field)) {
        report_unknown_export(l, e, f, at);
        return;
    }
    const struct type *given = data_type_get_type(&l->scratch, e->data_type, f->field);
    if (f->type->kind == TYPE_ANY || type_fits(f->type, given)) {
        return;
    }
    struct buf wanted = BUF(&l->scratch), found = BUF(&l->scratch);
    type_print(&wanted, f->type);
    type_print(&found, given);
    diags_add(l->diags, DIAG_invalid_data_source, at, "field '%.*s' is declared as '%.*s', the provider gives '%.*s'",
              SV_ARG(cut(f->field)), SV_ARG(buf_get_sv(&wanted)), SV_ARG(buf_get_sv(&found)));
}

static void read_export(struct loader *l, struct element *e, struct element_export_field *f,
                        const struct node_pair *pair) {
    const struct node *nodes[EXPORT_FIELD_COUNT];
    sv description = {0};
    *f = (struct element_export_field){
        .name = pair->key->text, .field = pair->key->text, .type = &type_any, .at = pair->key->at};
    if (!fields_read(l, pair->value, &export_set, nodes)) {
        return;
    }
    const struct type *type = read_export_type(l, nodes[EXPORT_TYPE], f->at, f->name);
    f->type = type != NULL ? type : &type_any;
    if (nodes[EXPORT_DESCRIPTION] != NULL && !fields_has_substitution(nodes[EXPORT_DESCRIPTION])) {
        fields_get_text(l, nodes[EXPORT_DESCRIPTION], "'description'", &description);
    }
    const struct node *alias = nodes[EXPORT_ALIAS];
    if (alias == NULL) {
        check_export(l, e, f, f->at);
    } else if (!fields_has_substitution(alias) && fields_get_text(l, alias, "'aliasFor'", &f->field)) {
        check_export(l, e, f, alias->at);
    }
}

/* BP-106. */
static void export_all(struct loader *l, struct element *e) {
    const struct schema *s = e->data_type != NULL ? e->data_type->schema : NULL;
    if (s == NULL) {
        return; /* nothing is known: any field may be referred to */
    }
    struct element_export_field *fields = ARENA_ARRAY(l->arena, struct element_export_field, s->attribute_count + 1);
    for (size_t i = 0; i < s->attribute_count; i++) {
        sv name = s->attributes[i].name;
        fields[i] = (struct element_export_field){
            .name = name, .field = name, .type = schema_get_type(l->arena, s->attributes[i].schema), .at = e->at};
    }
    e->fields = fields;
    e->field_count = s->attribute_count;
}

static bool is_star(const struct node *n) {
    return n->kind == NODE_SCALAR && sv_eq(n->text, SV("*"));
}

static void read_exports(struct loader *l, struct element *e, const struct node *n) {
    if (is_star(n)) {
        export_all(l, e);
        return;
    }
    if (!fields_check_mapping(l, n, "'exports'")) {
        return;
    }
    if (n->count == 0) {
        diags_add(l->diags, DIAG_data_source_missing_exports, n->at, "data source '%.*s' exports nothing",
                  SV_ARG(cut(e->name)));
        return;
    }
    struct element_export_field *fields = ARENA_ARRAY(l->arena, struct element_export_field, n->count);
    fields_check_static(l, n);
    tree_enter_key(l, field_names[FIELD_EXPORTS]);
    for (size_t i = 0; i < n->count; i++) {
        if (fields_check_key(l, n->pairs[i].key)) {
            tree_enter_key(l, n->pairs[i].key->text);
            read_export(l, e, &fields[e->field_count++], &n->pairs[i]);
            tree_leave(l);
        }
    }
    tree_leave(l);
    e->fields = fields;
}

/* --- Metadata --- */

static const struct expr *read_tree(struct loader *l, const struct node *n, sv key) {
    tree_enter_key(l, key);
    struct part part = tree_build(l, n, NULL);
    tree_leave(l);
    return tree_get_expr(l, &part);
}

static bool check_annotations(struct loader *l, const struct node *n) {
    if (!fields_check_mapping(l, n, "'annotations'")) {
        return false;
    }
    for (size_t i = 0; i < n->count; i++) {
        const struct node *item = n->pairs[i].value;
        if (!fields_is_broken(item) && (item->kind != NODE_SCALAR || fields_is_null(item))) {
            diags_add(l->diags, DIAG_must_be_scalar, item->at, "an annotation must be a scalar, this is %s",
                      node_get_kind_name(item));
        }
    }
    return true; /* the others are looked at all the same (BP-302) */
}

static void read_metadata(struct loader *l, struct element *e, const struct node *n) {
    const struct node *meta[META_COUNT];
    sv text = {0};
    if (!fields_read(l, n, &meta_set, meta)) {
        return;
    }
    tree_enter_key(l, field_names[FIELD_METADATA]);
    const struct node *name = meta[META_DISPLAY_NAME];
    if (name != NULL && fields_has_substitution(name)) {
        e->display_name = read_tree(l, name, meta_names[META_DISPLAY_NAME]);
    } else if (name != NULL && fields_get_text(l, name, "'displayName'", &text)) {
        e->display_name = expr_new_literal(l->arena, name->at, value_string(l->arena, text));
    }
    if (meta[META_ANNOTATIONS] != NULL && check_annotations(l, meta[META_ANNOTATIONS])) {
        e->annotations = read_tree(l, meta[META_ANNOTATIONS], meta_names[META_ANNOTATIONS]);
    }
    if (meta[META_CUSTOM] != NULL) {
        e->custom = read_tree(l, meta[META_CUSTOM], meta_names[META_CUSTOM]);
    }
    tree_leave(l);
}

void data_source_load(struct loader *l, uint32_t number) {
    struct element *e = &l->elements[number];
    const struct node *fields[FIELD_COUNT];
    e->type = &type_any;
    if (!fields_read(l, l->entries[number].def, &field_set, fields)) {
        return;
    }
    read_type(l, e, fields[FIELD_TYPE]);
    description_load(l, e, fields[FIELD_DESCRIPTION]);
    if (fields[FIELD_METADATA] != NULL) {
        read_metadata(l, e, fields[FIELD_METADATA]);
    }
    if (fields[FIELD_FILTER] == NULL) {
        diags_add(l->diags, DIAG_data_source_missing_filter, e->at, "data source '%.*s' has no 'filter'",
                  SV_ARG(cut(e->name)));
    } else if (!fields_is_broken(fields[FIELD_FILTER])) {
        read_filters(l, e, fields[FIELD_FILTER]);
    }
    if (fields[FIELD_EXPORTS] == NULL) {
        diags_add(l->diags, DIAG_data_source_missing_exports, e->at, "data source '%.*s' has no 'exports'",
                  SV_ARG(cut(e->name)));
    } else if (!fields_is_broken(fields[FIELD_EXPORTS])) {
        read_exports(l, e, fields[FIELD_EXPORTS]);
    }
}

/* --- Static types of searches --- */

value data_source_find_search(value searches, size_t number) {
    value filter = searches.kind == VALUE_LIST && number < searches.list->len ? searches.list->items[number] : searches;
    return filter.kind == VALUE_MAP ? value_map_find(filter, filter_names[FILTER_SEARCH]) : filter; /* broken */
}

/* BP-104: a scalar, or an array of scalars. */
static bool is_search_type(const struct type *t) {
    if (t->kind == TYPE_UNION) {
        return type_fits(&type_scalar, t) || type_fits(&array_type, t);
    }
    const struct type *item = t->kind != TYPE_LIST ? t : t->item == NULL ? &type_any : t->item;
    return item->kind == TYPE_BYTES || type_fits(&type_scalar, item);
}

static bool is_operator_offered(const struct element *e, const struct element_filter *f) {
    const struct data_filter_field *offered =
        e->data_type != NULL ? data_type_find_filter(e->data_type, f->field) : NULL;
    return offered == NULL || offered->operators == 0 || (offered->operators & (1u << f->op)) != 0;
}

static void check_operands(struct loader *l, const struct element *e, const struct element_filter *f, value search) {
    if (!is_operator_offered(e, f)) {
        return; /* reported (BP-302) */
    }
    struct buf why = BUF(&l->scratch);
    const struct type *field =
        e->data_type != NULL ? data_type_get_filter_type(&l->scratch, e->data_type, f->field) : &type_any;
    bool is_known = value_is_known(search);
    enum filter_result result = is_known ? filter_check_search(f->op, field, search, &why)
                                         : filter_check_types(f->op, field, type_of_value(&l->scratch, search), &why);
    if (result == FILTER_BAD_OPERANDS) {
        diags_add(l->diags, DIAG_invalid_filter_operand, f->search_at, "%.*s", SV_ARG(buf_get_sv(&why)));
    }
}

static void check_search(struct loader *l, const struct element *e, const struct element_filter *f, value search) {
    if (search.kind == VALUE_ERROR || (search.within & WITHIN_ERROR) != 0) {
        return;
    }
    const struct type *t = search.kind == 0 ? &type_absent : type_of_value(&l->scratch, search);
    if (t->kind == TYPE_ABSENT) {
        diags_add(l->diags, DIAG_data_source_missing_filter_search, f->search_at, "the search of the filter is none");
        return;
    }
    if (!is_search_type(t)) {
        types_report(l, DIAG_invalid_substitution, f->search_at, "a search is a scalar or an array of scalars", search);
    } else if (f->op != 0 && f->field.len > 0) {
        check_operands(l, e, f, search);
    }
}

void data_source_check(struct loader *l, uint32_t number) {
    const struct element *e = &l->elements[number];
    if (e->expr == NULL) {
        return;
    }
    size_t from = loader_get_mark(l);
    tree_enter_key(l, field_names[FIELD_FILTER]);
    value searches = types_get_value(l, e->expr, NULL);
    for (size_t i = 0; i < e->filter_count; i++) {
        check_search(l, e, &e->filters[i], data_source_find_search(searches, i));
    }
    loader_tag(l, from, number);
    tree_leave(l);
}
