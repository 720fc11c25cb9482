/* Children as written: includes (1.11), and the spec of lintel/blueprint resources (1.20). Shape and syntax. */
#include "dialects/blueprint/children.h"
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/tree.h"

/* --- expressions --- */

static bool get_source_part(const struct blueprint_child *c, size_t number, struct child_part *part) {
    static const sv names[CHILD_SOURCE_PARTS][2] = {
        {SV_INIT("path"), SV_INIT("")},
        {SV_INIT("metadata"), SV_INIT("")},
        {SV_INIT("module"), SV_INIT("name")},
        {SV_INIT("module"), SV_INIT("version")},
    };
    const struct expr *exprs[CHILD_SOURCE_PARTS] = {c->path, c->metadata, c->module_name, c->module_version};
    part->expr = exprs[number];
    for (size_t i = 0; i < 2 && names[number][i].len > 0; i++) {
        part->keys[part->key_count++] = names[number][i];
    }
    return true;
}

bool child_get_part(const struct blueprint_child *c, size_t number, struct child_part *part) {
    *part = (struct child_part){0};
    if (c->is_resource) {
        part->keys[part->key_count++] = SV("spec");
    }
    if (number < CHILD_SOURCE_PARTS) {
        return get_source_part(c, number, part);
    }
    if (number - CHILD_SOURCE_PARTS >= c->count) {
        return false;
    }
    part->expr = c->exprs[number - CHILD_SOURCE_PARTS];
    part->keys[part->key_count++] = SV("variables");
    part->keys[part->key_count++] = c->names[number - CHILD_SOURCE_PARTS];
    return true;
}

const struct expr *child_find_input(const struct blueprint_child *c, const struct element *variable) {
    uintptr_t found = (uintptr_t)map_find(&c->inputs, variable->name);
    if (found == 0) {
        return NULL;
    }
    bool is_text = variable->type != NULL && variable->type->kind == TYPE_STRING;
    return is_text ? c->exprs[found - 1] : c->soles[found - 1];
}

/* --- syntax --- */

static const struct expr *read_scalar(struct loader *l, const struct node *n, sv key) {
    if (n == NULL) {
        return NULL;
    }
    tree_enter_key(l, key);
    struct part part = tree_build_scalar(l, n, false);
    tree_leave(l);
    return tree_get_expr(l, &part);
}

/* BP-291: an unquoted number counts as its written text. */
static const struct expr *read_version(struct loader *l, const struct node *n) {
    if (n == NULL || fields_has_substitution(n)) {
        return read_scalar(l, n, SV("version"));
    }
    return expr_new_literal(l->arena, n->at, value_string(l->arena, n->text));
}

static const struct expr *read_variable(struct loader *l, const struct node *n) {
    if (n->kind == NODE_SEQUENCE || n->kind == NODE_MAPPING) {
        diags_add(l->diags, DIAG_must_be_scalar, n->at, "the value of a variable must be a scalar, this is %s",
                  node_get_kind_name(n));
        return expr_new_error(l->arena, n->at);
    }
    struct part part = tree_build(l, n, NULL);
    return tree_get_expr(l, &part);
}

/* What the variable gets when it is none of strings. */
static const struct expr *read_sole(struct loader *l, const struct node *n, const struct expr *e) {
    bool has_blanks = n->kind == NODE_SCALAR && sv_trim(n->text).len < n->text.len;
    if (!has_blanks || e->kind != EXPR_TEMPLATE) {
        return e;
    }
    struct part part = tree_build_scalar(l, n, true);
    return tree_get_expr(l, &part);
}

static void read_variables(struct loader *l, struct blueprint_child *c, const struct node *n) {
    sv *names = ARENA_ARRAY(l->arena, sv, n->count);
    const struct expr **exprs = ARENA_ARRAY(l->arena, const struct expr *, n->count);
    const struct expr **soles = ARENA_ARRAY(l->arena, const struct expr *, n->count);
    const struct node **nodes = ARENA_ARRAY(l->arena, const struct node *, n->count);
    const struct node **keys = ARENA_ARRAY(l->arena, const struct node *, n->count);
    for (size_t i = 0; i < n->count; i++) {
        if (!fields_check_key(l, n->pairs[i].key)) {
            continue;
        }
        size_t at = c->count++;
        names[at] = n->pairs[i].key->text;
        keys[at] = n->pairs[i].key;
        nodes[at] = n->pairs[i].value;
        tree_enter_key(l, names[at]);
        exprs[at] = read_variable(l, nodes[at]);
        soles[at] = read_sole(l, nodes[at], exprs[at]);
        tree_leave(l);
        map_put(&c->inputs, names[at], (void *)(uintptr_t)(at + 1));
    }
    c->names = names;
    c->exprs = exprs;
    c->soles = soles;
    c->nodes = nodes;
    c->keys = keys;
}

static void read_source(struct loader *l, struct blueprint_child *c, const struct child_fields *fields) {
    c->path = read_scalar(l, fields->path, SV("path"));
    if (fields->module_name != NULL) {
        tree_enter_key(l, SV("module"));
        c->module_name = read_scalar(l, fields->module_name, SV("name"));
        c->module_version = read_version(l, fields->module_version);
        tree_leave(l);
    }
    if (fields->metadata != NULL && fields_check_mapping(l, fields->metadata, "'metadata'")) {
        tree_enter_key(l, SV("metadata"));
        struct part part = tree_build(l, fields->metadata, NULL);
        tree_leave(l);
        c->metadata = tree_get_expr(l, &part);
        c->metadata_at = fields->metadata->at;
    }
}

struct blueprint_child *child_new(struct loader *l, uint32_t number, const struct child_fields *fields,
                                  bool is_resource) {
    struct blueprint_child *c = ARENA_NEW(l->arena, struct blueprint_child);
    const struct node *source = fields->path != NULL ? fields->path : fields->module_name;
    c->is_resource = is_resource;
    c->inputs = MAP(l->arena);
    c->path_at = source != NULL ? source->at : l->elements[number].at;
    c->metadata_at = c->path_at;
    read_source(l, c, fields);
    if (fields->variables != NULL && fields_check_mapping(l, fields->variables, "'variables'")) {
        tree_enter_key(l, SV("variables"));
        read_variables(l, c, fields->variables);
        tree_leave(l);
    }
    l->children[number] = c;
    return c;
}

/* --- includes --- */

enum { FIELD_DESCRIPTION, FIELD_METADATA, FIELD_PATH, FIELD_VARIABLES, FIELD_COUNT };

/* sorted */
static const sv field_names[FIELD_COUNT] = {
    SV_INIT("description"),
    SV_INIT("metadata"),
    SV_INIT("path"),
    SV_INIT("variables"),
};
static const struct field_set field_set = {field_names, FIELD_COUNT, "an include"};

/* BP-170; a number or boolean is no path (BP-216: literals are never converted). */
static const struct node *check_path(struct loader *l, const struct element *e, const struct node *n) {
    sv text = {0};
    if (n == NULL) {
        diags_add(l->diags, DIAG_invalid_include, e->at, "include '%.*s' has no 'path'", SV_ARG(e->name));
        return NULL;
    }
    if (n->kind == NODE_SEQUENCE || n->kind == NODE_MAPPING) {
        diags_add(l->diags, DIAG_invalid_include, n->at, "'path' must be a string, this is %s", node_get_kind_name(n));
        return NULL;
    }
    return fields_has_substitution(n) || fields_get_text(l, n, "'path'", &text) ? n : NULL;
}

void include_load(struct loader *l, uint32_t number) {
    struct element *e = &l->elements[number];
    const struct node *nodes[FIELD_COUNT];
    e->removal = REMOVAL_DELETE;
    e->type = &type_any;
    if (!fields_read(l, l->entries[number].def, &field_set, nodes)) {
        return;
    }
    description_load(l, e, nodes[FIELD_DESCRIPTION]);
    const struct child_fields fields = {.path = check_path(l, e, nodes[FIELD_PATH]),
                                        .metadata = nodes[FIELD_METADATA],
                                        .variables = nodes[FIELD_VARIABLES]};
    child_new(l, number, &fields, false);
}
