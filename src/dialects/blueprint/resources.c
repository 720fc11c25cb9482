/* Resources (1.9, 1.10): shape and syntax. */
#include "dialects/blueprint/loader.h"

#include "dialects/blueprint/children.h"
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/scalars.h"
#include "dialects/blueprint/tree.h"

enum {
    FIELD_CONDITION,
    FIELD_DEPENDS_ON,
    FIELD_DESCRIPTION,
    FIELD_EACH,
    FIELD_LINK_SELECTOR,
    FIELD_METADATA,
    FIELD_REMOVAL_POLICY,
    FIELD_SPEC,
    FIELD_TYPE,
    FIELD_COUNT
};

/* sorted */
static const sv field_names[FIELD_COUNT] = {
    SV_INIT("condition"), SV_INIT("dependsOn"),     SV_INIT("description"), SV_INIT("each"), SV_INIT("linkSelector"),
    SV_INIT("metadata"),  SV_INIT("removalPolicy"), SV_INIT("spec"),        SV_INIT("type"),
};
static const struct field_set field_set = {field_names, FIELD_COUNT, "a resource"};

enum { META_ANNOTATIONS, META_CUSTOM, META_DISPLAY_NAME, META_LABELS, META_COUNT };

/* sorted */
static const sv meta_names[META_COUNT] = {
    SV_INIT("annotations"),
    SV_INIT("custom"),
    SV_INIT("displayName"),
    SV_INIT("labels"),
};
static const struct field_set meta_set = {meta_names, META_COUNT, "the metadata of a resource"};

/* --- type --- */

static void fill_type(struct loader *l, struct type_entry *t) {
    const struct resource_type *type = t->type;
    t->spec_type = type->schema != NULL ? schema_get_type(l->arena, type->schema) : &type_any;
    if (type->id_field.len == 0) {
        return;
    }
    struct path path;
    t->id_type = &type_any;
    if (type->schema != NULL && path_parse(l->arena, type->id_field, &path)) {
        const struct schema *id = schema_find_path(type->schema, path);
        t->id_type = id != NULL ? schema_get_type(l->arena, id) : &type_any;
    }
}

static void report_type(struct loader *l, sv text, span at) {
    const struct providers *providers = l->request->providers;
    sv name = text;
    name = sv_cut(&name, '/');
    struct diag *d = NULL;
    if (providers_find(providers, name) == NULL) {
        d = diags_add(l->diags, DIAG_provider_not_found, at, "there is no provider '%.*s'", SV_ARG(name));
    } else {
        d = diags_add(l->diags, DIAG_resource_type_not_found, at, "there is no resource type '%.*s'", SV_ARG(text));
    }
    sv close = providers_find_close(providers, text);
    if (close.len > 0) {
        diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(close));
    }
    if (l->skips_transforms) {
        diag_lower(l->diags, d);
    }
}

/* Reported at every use: each resource of the type has the mistake. */
static const struct type_entry *find_type(struct loader *l, sv text, span at) {
    struct type_entry *t = map_find(&l->types, text);
    if (t == NULL) {
        t = ARENA_NEW(&l->scratch, struct type_entry);
        t->spec_type = &type_any;
        t->id_type = &type_any;
        map_put(&l->types, text, t);
        if (l->request->providers != NULL) {
            t->type = providers_find_type(l->request->providers, text);
            t->broken = t->type == NULL;
        }
        if (t->type != NULL) {
            t->id_type = NULL;
            fill_type(l, t);
        }
    }
    if (t->broken) {
        report_type(l, text, at);
    }
    return t;
}

static void read_type(struct loader *l, uint32_t number, const struct node *n) {
    struct element *e = &l->elements[number];
    sv text = {0};
    if (n == NULL) {
        diags_add(l->diags, DIAG_invalid_resource_type, e->at, "resource '%.*s' has no 'type'", SV_ARG(e->name));
        return;
    }
    if (fields_is_broken(n) || !fields_check_static(l, n)) {
        return;
    }
    text = n->kind == NODE_SCALAR ? n->text : text;
    if (!scalars_is_type_text(text)) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_resource_type, n->at, "'%.*s' is no resource type",
                                   SV_ARG(fields_show(n)));
        diag_set_hint(l->diags, d, "a type is written as provider/type or provider/service/type");
        return;
    }
    e->type_text = text;
    if (sv_eq(text, SV("lintel/blueprint"))) {
        e->kind = ELEMENT_CHILD;
        e->type = &type_any;
        return;
    }
    const struct type_entry *t = find_type(l, text, n->at);
    l->entries[number].type = t;
    e->resource_type = t->type;
}

/* --- metadata --- */

static value read_labels(struct loader *l, const struct node *n) {
    struct map_builder labels = {.arena = l->arena};
    for (size_t i = 0; i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        if (!fields_check_key(l, pair->key) || fields_is_broken(pair->value) || !fields_check_static(l, pair->value)) {
            continue;
        }
        bool is_string = pair->value->kind == NODE_SCALAR &&
                         scalar_resolve_node(pair->value, scalar_resolve_core).kind == SCALAR_STRING;
        if (is_string) {
            map_add(&labels, pair->key->text, value_string(l->arena, pair->value->text));
            continue;
        }
        struct diag *d =
            diags_add(l->diags, DIAG_invalid_resource, pair->value->at, "label '%.*s' must be a string, this is %s",
                      SV_ARG(sv_slice(pair->key->text, 0, 80)), node_get_kind_name(pair->value));
        if (pair->value->kind == NODE_SCALAR) {
            diag_set_hint(l->diags, d, "put quotes around it");
        }
    }
    return map_done(&labels);
}

/* Annotations are scalars (BP-133); what a substitution yields is checked with its type. */
static void check_annotations(struct loader *l, const struct node *n) {
    for (size_t i = 0; i < n->count; i++) {
        const struct node *item = n->pairs[i].value;
        if (!fields_is_broken(item) && (item->kind != NODE_SCALAR || fields_is_null(item))) {
            diags_add(l->diags, DIAG_must_be_scalar, item->at, "annotation '%.*s' must be a scalar, this is %s",
                      SV_ARG(sv_slice(n->pairs[i].key->kind == NODE_SCALAR ? n->pairs[i].key->text : SV("?"), 0, 80)),
                      node_get_kind_name(item));
        }
    }
}

static const struct expr *read_tree(struct loader *l, const struct node *n, sv key) {
    tree_enter_key(l, key);
    struct part part = tree_build(l, n, NULL);
    tree_leave(l);
    return tree_get_expr(l, &part);
}

static void read_display_name(struct loader *l, struct element *e, const struct node *n) {
    sv text = {0};
    if (fields_has_substitution(n)) {
        e->display_name = read_tree(l, n, meta_names[META_DISPLAY_NAME]);
    } else if (fields_get_text(l, n, "'displayName'", &text)) {
        e->display_name = expr_new_literal(l->arena, n->at, value_string(l->arena, text));
    }
}

static void read_metadata(struct loader *l, uint32_t number, const struct node *n) {
    struct element *e = &l->elements[number];
    const struct node *meta[META_COUNT];
    if (!fields_read(l, n, &meta_set, meta)) {
        return;
    }
    tree_enter_key(l, SV("metadata"));
    if (meta[META_DISPLAY_NAME] != NULL) {
        read_display_name(l, e, meta[META_DISPLAY_NAME]);
    }
    if (meta[META_LABELS] != NULL && fields_check_mapping(l, meta[META_LABELS], "'labels'")) {
        e->labels = read_labels(l, meta[META_LABELS]);
    }
    const struct node *annotations = meta[META_ANNOTATIONS];
    if (annotations != NULL && fields_check_mapping(l, annotations, "'annotations'")) {
        check_annotations(l, annotations); /* the others are looked at all the same (BP-302) */
        l->entries[number].annotations = annotations;
        e->annotations = read_tree(l, annotations, meta_names[META_ANNOTATIONS]);
    }
    if (meta[META_CUSTOM] != NULL) {
        e->custom = read_tree(l, meta[META_CUSTOM], meta_names[META_CUSTOM]);
    }
    tree_leave(l);
}

/* --- the rest --- */

static void read_removal_policy(struct loader *l, struct element *e, const struct node *n) {
    sv text = {0};
    e->removal = REMOVAL_DELETE;
    if (n == NULL || fields_is_broken(n) || !fields_check_static(l, n)) {
        return;
    }
    text = n->kind == NODE_SCALAR ? n->text : text;
    if (sv_eq(text, SV("retain"))) {
        e->removal = REMOVAL_RETAIN;
    } else if (!sv_eq(text, SV("delete"))) {
        struct diag *d =
            diags_add(l->diags, DIAG_invalid_resource, n->at, "'removalPolicy' must be 'delete' or 'retain'");
        const sv words[] = {SV("delete"), SV("retain")};
        loader_hint_word(l, d, text, words, sizeof words / sizeof *words);
    }
}

/* BP-132; names are looked up with the references. */
static void check_depends_on(struct loader *l, const struct node *n) {
    const struct node *items[] = {n};
    size_t count = n->kind == NODE_SEQUENCE ? n->count : 1;
    for (size_t i = 0; i < count; i++) {
        const struct node *item = n->kind == NODE_SEQUENCE ? n->items[i] : items[0];
        bool is_string =
            item->kind == NODE_SCALAR && scalar_resolve_node(item, scalar_resolve_core).kind == SCALAR_STRING;
        if (!is_string && !fields_is_broken(item)) {
            diags_add(l->diags, DIAG_invalid_dependency_type, item->at,
                      "'dependsOn' must be the name of a resource or an array of names, this is %s",
                      node_get_kind_name(item));
        }
    }
    fields_check_static(l, n);
}

static void read_spec(struct loader *l, uint32_t number, const struct node *n) {
    struct element *e = &l->elements[number];
    if (n == NULL) {
        diags_add(l->diags, DIAG_resource_def_item_empty, e->at, "resource '%.*s' has no 'spec'", SV_ARG(e->name));
        return;
    }
    if (!fields_check_mapping(l, n, "'spec'")) {
        return;
    }
    const struct resource_type *type = e->resource_type;
    tree_enter_key(l, SV("spec"));
    struct part part = tree_build(l, n, type != NULL ? type->schema : NULL);
    tree_leave(l);
    e->spec = tree_get_expr(l, &part);
    e->spec_node = n;
}

static void add_input(struct expr *object, sv name, const struct expr *e) {
    if (e != NULL) {
        ((sv *)object->call.names)[object->count] = name;
        object->call.args[object->count++] = e;
    }
}

static struct expr *new_object(struct loader *l, span at, size_t room) {
    sv *names = ARENA_ARRAY(l->arena, sv, room + 1);
    const struct expr **args = ARENA_ARRAY(l->arena, const struct expr *, room + 1);
    return expr_new_object(l->arena, at, names, args, 0);
}

/* The inputs of a blueprint that is a resource as one object, for `.spec.path` and the like (BP-293). */
static const struct expr *make_inputs(struct loader *l, span at, const struct blueprint_child *c) {
    struct expr *all = new_object(l, at, 4), *module = new_object(l, at, 2), *variables = new_object(l, at, c->count);
    add_input(module, SV("name"), c->module_name);
    add_input(module, SV("version"), c->module_version);
    for (size_t i = 0; i < c->count; i++) {
        add_input(variables, c->names[i], c->exprs[i]);
    }
    add_input(all, SV("path"), c->path);
    add_input(all, SV("metadata"), c->metadata);
    add_input(all, SV("module"), c->module_name != NULL ? module : NULL);
    add_input(all, SV("variables"), variables);
    return all;
}

void resource_load(struct loader *l, uint32_t number) {
    struct element *e = &l->elements[number];
    struct entry *entry = &l->entries[number];
    const struct node *fields[FIELD_COUNT];
    if (!fields_read(l, entry->def, &field_set, fields)) {
        return;
    }
    read_type(l, number, fields[FIELD_TYPE]);
    if (e->kind == ELEMENT_CHILD && fields[FIELD_SPEC] != NULL) {
        blueprint_resource_load(l, number, fields[FIELD_SPEC]);
        if (l->children[number] != NULL) {
            e->spec = make_inputs(l, fields[FIELD_SPEC]->at, l->children[number]);
            e->spec_node = fields[FIELD_SPEC];
        }
    } else {
        read_spec(l, number, fields[FIELD_SPEC]);
    }
    description_load(l, e, fields[FIELD_DESCRIPTION]);
    read_removal_policy(l, e, fields[FIELD_REMOVAL_POLICY]);
    if (fields[FIELD_METADATA] != NULL) {
        read_metadata(l, number, fields[FIELD_METADATA]);
    }
    if (fields[FIELD_DEPENDS_ON] != NULL) {
        check_depends_on(l, fields[FIELD_DEPENDS_ON]);
        entry->depends_on = fields[FIELD_DEPENDS_ON];
    }
    entry->selector = fields[FIELD_LINK_SELECTOR];
    if (fields[FIELD_CONDITION] != NULL) {
        condition_load(l, e, fields[FIELD_CONDITION]);
    }
    if (fields[FIELD_EACH] != NULL) {
        each_load(l, number, fields[FIELD_EACH]);
    }
}
