/* Resources of type lintel/blueprint (1.20): the spec names a blueprint and passes variables. */
#include "dialects/blueprint/children.h"
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/tree.h"

enum { FIELD_METADATA, FIELD_MODULE, FIELD_PATH, FIELD_VARIABLES, FIELD_COUNT };

/* sorted */
static const sv field_names[FIELD_COUNT] = {
    SV_INIT("metadata"),
    SV_INIT("module"),
    SV_INIT("path"),
    SV_INIT("variables"),
};

enum { MODULE_NAME, MODULE_VERSION, MODULE_COUNT };

/* sorted */
static const sv module_names[MODULE_COUNT] = {
    SV_INIT("name"),
    SV_INIT("version"),
};

struct names {
    const sv *items;
    size_t count;
    const char *what;
};

static void report_unknown(struct loader *l, const struct names *names, const struct node *key) {
    struct diag *d = diags_add(l->diags, DIAG_resource_def_unknown_field, key->at, "%s has no field '%.*s'",
                               names->what, SV_ARG(sv_slice(key->text, 0, 80)));
    loader_hint_word(l, d, key->text, names->items, names->count);
}

/* As a schema would: unknown fields are mistakes (BP-320). `n` is a mapping. */
static void read_fields(struct loader *l, const struct node *n, const struct names *names, const struct node **fields) {
    for (size_t i = 0; i < names->count; i++) {
        fields[i] = NULL;
    }
    for (size_t i = 0; i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        if (!fields_check_key(l, pair->key)) {
            continue;
        }
        size_t found = 0;
        while (found < names->count && !sv_eq(names->items[found], pair->key->text)) {
            found++;
        }
        if (found == names->count) {
            report_unknown(l, names, pair->key);
        } else if (!fields_is_null(pair->value)) {
            fields[found] = pair->value;
        }
    }
}

static void report_shape(struct loader *l, span at, const char *what) {
    diags_add(l->diags, DIAG_resource_def_invalid_type, at, "%s", what);
}

/* A text, or what becomes one; a version may be a number (BP-291). */
static const struct node *check_text(struct loader *l, const struct node *n, const char *what, bool numbers) {
    if (n == NULL || fields_is_broken(n) || fields_has_substitution(n)) {
        return n != NULL && !fields_is_broken(n) ? n : NULL;
    }
    enum scalar_kind kind = n->kind == NODE_SCALAR ? scalar_resolve_node(n, scalar_resolve_core).kind : 0;
    bool ok = kind == SCALAR_STRING || (numbers && (kind == SCALAR_INT || kind == SCALAR_FLOAT));
    if (!ok) {
        diags_add(l->diags, DIAG_resource_def_invalid_type, n->at, "%s must be a string, this is %s", what,
                  node_get_kind_name(n));
    }
    return ok ? n : NULL;
}

static void read_module(struct loader *l, const struct node *n, struct child_fields *fields) {
    const struct names names = {module_names, MODULE_COUNT, "a module"};
    const struct node *parts[MODULE_COUNT];
    if (n->kind != NODE_MAPPING) {
        if (!fields_is_broken(n)) {
            report_shape(l, n->at, "'module' must be a mapping with 'name' and 'version'");
        }
        return;
    }
    tree_enter_key(l, SV("module"));
    read_fields(l, n, &names, parts);
    if (parts[MODULE_NAME] == NULL || parts[MODULE_VERSION] == NULL) {
        report_shape(l, n->at, "a module has a 'name' and a 'version'");
    }
    fields->module_name = check_text(l, parts[MODULE_NAME], "the name of a module", false);
    fields->module_version = check_text(l, parts[MODULE_VERSION], "the version of a module", true);
    tree_leave(l);
}

static void check_choice(struct loader *l, const struct node *spec, const struct node *const *parts) {
    if (parts[FIELD_PATH] != NULL && parts[FIELD_MODULE] != NULL) {
        report_shape(l, parts[FIELD_MODULE]->at, "a blueprint has a 'path' or a 'module', not both");
    } else if (parts[FIELD_PATH] == NULL && parts[FIELD_MODULE] == NULL) {
        report_shape(l, spec->at, "a blueprint has a 'path' or a 'module'");
    } else if (parts[FIELD_MODULE] != NULL && parts[FIELD_METADATA] != NULL) {
        report_shape(l, parts[FIELD_METADATA]->at, "'metadata' goes with 'path', a module has none");
    }
}

static const struct node *check_mapping(struct loader *l, const struct node *n, const char *what) {
    if (n != NULL && n->kind != NODE_MAPPING && !fields_is_broken(n)) {
        diags_add(l->diags, DIAG_resource_def_invalid_type, n->at, "%s must be a mapping, this is %s", what,
                  node_get_kind_name(n));
    }
    return n != NULL && n->kind == NODE_MAPPING ? n : NULL;
}

void blueprint_resource_load(struct loader *l, uint32_t number, const struct node *spec) {
    struct element *e = &l->elements[number];
    const struct names names = {field_names, FIELD_COUNT, "a blueprint"};
    const struct node *parts[FIELD_COUNT];
    e->kind = ELEMENT_CHILD;
    e->type = &type_any;
    tree_enter_key(l, SV("spec"));
    if (spec->kind != NODE_MAPPING) {
        if (!fields_is_broken(spec)) {
            report_shape(l, spec->at, "'spec' of a blueprint must be a mapping");
        }
        tree_leave(l);
        return;
    }
    read_fields(l, spec, &names, parts);
    check_choice(l, spec, parts);
    struct child_fields fields = {.path = check_text(l, parts[FIELD_PATH], "'path'", false),
                                  .metadata = check_mapping(l, parts[FIELD_METADATA], "'metadata'"),
                                  .variables = check_mapping(l, parts[FIELD_VARIABLES], "'variables'")};
    if (parts[FIELD_MODULE] != NULL) {
        read_module(l, parts[FIELD_MODULE], &fields);
    }
    child_new(l, number, &fields, true);
    tree_leave(l);
}
