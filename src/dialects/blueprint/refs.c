/* Names and references: every reference has a target, and every element knows what it uses (BP-240, BP-248). */
#include "dialects/blueprint/refs.h"

#include "base/hint.h"
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/loader.h"
#include "dialects/blueprint/tree.h"

static enum element_kind get_root_kind(uint16_t root) {
    static const enum element_kind kinds[] = {
        [BLUEPRINT_ROOT_NAME] = ELEMENT_RESOURCE,    [BLUEPRINT_ROOT_CHILDREN] = ELEMENT_CHILD,
        [BLUEPRINT_ROOT_DATASOURCES] = ELEMENT_DATA, [BLUEPRINT_ROOT_RESOURCES] = ELEMENT_RESOURCE,
        [BLUEPRINT_ROOT_VALUES] = ELEMENT_VALUE,     [BLUEPRINT_ROOT_VARIABLES] = ELEMENT_VARIABLE,
    };
    return kinds[root];
}

struct ref_target ref_get_target(const struct expr *ref) {
    if (ref->op == BLUEPRINT_ROOT_ELEM || ref->op == BLUEPRINT_ROOT_INDEX) {
        return (struct ref_target){.at = ref->at};
    }
    struct ref_target t = {.kind = get_root_kind(ref->op), .is_bare = ref->op == BLUEPRINT_ROOT_NAME};
    if (t.is_bare) {
        t.name = ref->ref.name;
        t.at = (span){ref->at.source, ref->at.offset, (uint32_t)t.name.len};
        return t;
    }
    t.name = ref->ref.steps[0].name;
    t.first = 1;
    t.at = span_join((span){ref->at.source, ref->at.offset, 0}, ref->ref.steps[0].at);
    return t;
}

static enum ref_part get_metadata_part(const struct step *s) {
    static const struct {
        sv name;
        enum ref_part part;
    } parts[] = {
        {SV_INIT("annotations"), REF_PART_ANNOTATIONS},
        {SV_INIT("custom"), REF_PART_CUSTOM},
        {SV_INIT("displayName"), REF_PART_DISPLAY_NAME},
        {SV_INIT("labels"), REF_PART_LABELS},
    };
    for (size_t i = 0; s->kind == STEP_NAME && i < sizeof parts / sizeof *parts; i++) {
        if (sv_eq(s->name, parts[i].name)) {
            return parts[i].part;
        }
    }
    return REF_PART_INVALID;
}

enum ref_part ref_get_part(const struct expr *ref, size_t first, size_t *next) {
    *next = first + 1;
    if (ref->count == first) {
        *next = first;
        return REF_PART_ID;
    }
    const struct step *s = &ref->ref.steps[first];
    if (s->kind == STEP_INDEX) {
        return REF_PART_INDEX;
    }
    if (ref->count == first + 1) {
        return REF_PART_INVALID;
    }
    if (sv_eq(s->name, SV("spec"))) {
        return REF_PART_SPEC;
    }
    if (sv_eq(s->name, SV("state"))) {
        return REF_PART_STATE;
    }
    if (!sv_eq(s->name, SV("metadata"))) {
        return REF_PART_INVALID;
    }
    *next = first + 2;
    return get_metadata_part(&ref->ref.steps[first + 1]);
}

/* --- targets and edges --- */

static const struct {
    enum diag_code code;
    const char *what;
} missing[] = {
    [ELEMENT_VARIABLE] = {DIAG_missing_variable, "variable"},
    [ELEMENT_VALUE] = {DIAG_missing_value, "value"},
    [ELEMENT_DATA] = {DIAG_missing_data_source, "data source"},
    [ELEMENT_RESOURCE] = {DIAG_resource_missing, "resource"},
    [ELEMENT_CHILD] = {DIAG_missing_child, "child"},
};

static void report_missing(struct loader *l, const struct ref_target *t) {
    struct diag *d = diags_add(l->diags, missing[t->kind].code, t->at, "%s '%.*s' does not exist",
                               missing[t->kind].what, SV_ARG(sv_slice(t->name, 0, 80)));
    loader_hint_name(l, d, t->kind, t->name);
}

static void report_self(struct loader *l, const struct ref_target *t) {
    diags_add(l->diags, DIAG_invalid_substitution, t->at, "%s '%.*s' refers to itself", missing[t->kind].what,
              SV_ARG(sv_slice(t->name, 0, 80)));
}

static void add_edge(struct loader *l, uint32_t to, enum edge_kind kind, span at) {
    l->entries[to].used = true;
    if (l->current == UINT32_MAX) {
        return;
    }
    uint32_t *marks = kind == EDGE_REFERENCE ? l->edge_marks : l->depend_marks;
    if (marks[to] == l->current + 1) {
        return;
    }
    marks[to] = l->current + 1;
    VEC_PUSH(&l->scratch, &l->edges, ((struct element_edge){to, kind, true, at}));
}

static void check_scope(struct loader *l, const struct expr *ref) {
    bool in_template = l->current != UINT32_MAX && l->entries[l->current].is_template;
    if (!in_template) {
        diags_add(l->diags, DIAG_invalid_substitution, ref->at, "'%.*s' exists only in a resource with 'each'",
                  SV_ARG(ref->ref.name));
    }
}

static void resolve_ref(struct loader *l, const struct expr *ref) {
    struct ref_target t = ref_get_target(ref);
    if (t.kind == 0) {
        check_scope(l, ref);
        return;
    }
    bool is_opaque = false;
    uint32_t number = loader_find(l, t.kind, t.name, &is_opaque);
    bool is_working_dir = t.is_bare && ref->count == 0 && sv_eq(t.name, SV("workingDir"));
    if (number == UINT32_MAX) {
        if (!is_opaque && !is_working_dir) {
            report_missing(l, &t);
        }
        return;
    }
    if (number == l->current) {
        report_self(l, &t);
        return;
    }
    add_edge(l, number, EDGE_REFERENCE, t.at);
}

static bool visit(void *user, const struct expr *e) {
    struct loader *l = user;
    if (e->kind == EXPR_REF) {
        size_t from = loader_get_mark(l);
        resolve_ref(l, e);
        if (loader_get_mark(l) != from && l->current != UINT32_MAX) {
            loader_tag(l, from, l->current);
        }
    }
    return true;
}

/* Walks the data of a tree itself, so that paths are at hand when something is reported. */
static void resolve_tree(struct loader *l, const struct expr *e) {
    bool is_map = e->kind == EXPR_OBJECT;
    if ((!is_map && e->kind != EXPR_LIST) || !depth_enter(&l->depth)) {
        if (e->kind != EXPR_LITERAL) {
            expr_walk(e, visit, l);
        }
        return;
    }
    for (uint32_t i = 0; i < e->count; i++) {
        if (is_map) {
            tree_enter_key(l, e->call.names[i]);
        } else {
            tree_enter_index(l, i);
        }
        resolve_tree(l, e->call.args[i]);
        tree_leave(l);
    }
    depth_leave(&l->depth);
}

static void resolve_field(struct loader *l, const struct expr *e, const char *first, const char *second) {
    if (e == NULL || e->kind == EXPR_LITERAL) {
        return;
    }
    l->path.len = 0;
    tree_enter_key(l, sv_from_cstr(first));
    if (second != NULL) {
        tree_enter_key(l, sv_from_cstr(second));
    }
    resolve_tree(l, e);
    l->path.len = 0;
}

/* BP-132. */
static void resolve_dependency(struct loader *l, const struct node *n) {
    if (n->kind != NODE_SCALAR || fields_has_substitution(n) ||
        scalar_resolve_node(n, scalar_resolve_core).kind != SCALAR_STRING) {
        return;
    }
    size_t from = loader_get_mark(l);
    uint32_t number = loader_find(l, ELEMENT_RESOURCE, n->text, NULL);
    if (number == UINT32_MAX) {
        struct diag *d = diags_add(l->diags, DIAG_missing_resource_dependency, n->at, "resource '%.*s' does not exist",
                                   SV_ARG(sv_slice(n->text, 0, 80)));
        loader_hint_name(l, d, ELEMENT_RESOURCE, n->text);
    } else if (number == l->current) {
        diags_add(l->diags, DIAG_invalid_resource, n->at, "resource '%.*s' depends on itself",
                  SV_ARG(sv_slice(n->text, 0, 80)));
    } else {
        add_edge(l, number, EDGE_DEPENDS_ON, n->at);
    }
    tree_enter_key(l, SV("dependsOn"));
    loader_tag(l, from, l->current);
    tree_leave(l);
}

static void resolve_depends_on(struct loader *l, const struct node *n) {
    if (n->kind != NODE_SEQUENCE) {
        resolve_dependency(l, n);
        return;
    }
    for (size_t i = 0; i < n->count; i++) {
        resolve_dependency(l, n->items[i]);
    }
}

static void keep_edges(struct loader *l, struct element *e) {
    if (l->edges.len == 0) {
        return;
    }
    struct element_edge *uses = ARENA_ARRAY(l->arena, struct element_edge, l->edges.len);
    memcpy(uses, l->edges.items, l->edges.len * sizeof *uses);
    e->uses = uses;
    e->use_count = l->edges.len;
}

static void resolve_element(struct loader *l, uint32_t number) {
    struct element *e = &l->elements[number];
    size_t errors = l->diags->errors;
    l->current = number;
    l->edges.len = 0;
    if (e->kind != ELEMENT_VARIABLE) {
        resolve_field(l, e->description_expr, "description", NULL);
        resolve_field(l, e->expr, e->kind == ELEMENT_EXPORT ? "field" : "value", NULL);
    }
    resolve_field(l, e->spec, "spec", NULL);
    resolve_field(l, e->display_name, "metadata", "displayName");
    resolve_field(l, e->annotations, "metadata", "annotations");
    resolve_field(l, e->custom, "metadata", "custom");
    if (l->entries[number].depends_on != NULL) {
        resolve_depends_on(l, l->entries[number].depends_on);
    }
    keep_edges(l, e);
    l->entries[number].broken |= l->diags->errors > errors;
}

void refs_resolve(struct loader *l) {
    l->edge_marks = ARENA_ARRAY(&l->scratch, uint32_t, l->count + 1);
    l->depend_marks = ARENA_ARRAY(&l->scratch, uint32_t, l->count + 1);
    for (uint32_t i = 0; i < l->count; i++) {
        resolve_element(l, i);
    }
    l->current = UINT32_MAX;
    if (l->template->metadata != NULL) {
        resolve_tree(l, l->template->metadata);
    }
    l->path.len = 0;
}

/* --- types of references --- */

/* BP-243: a field that the schema does not know. */
static bool check_known_fields(struct loader *l, const struct type *t, const struct expr *ref, size_t first) {
    for (size_t i = first; i < ref->count && t != NULL && t->kind == TYPE_OBJECT && !t->open; i++) {
        const struct step *s = &ref->ref.steps[i];
        if (s->kind != STEP_NAME) {
            return true;
        }
        const struct type *next = type_find_field(t, s->name);
        if (next == NULL) {
            struct diag *d = diags_add(l->diags, DIAG_missing_resource_spec_property, s->at,
                                       "the resource type has no field '%.*s'", SV_ARG(sv_slice(s->name, 0, 80)));
            struct hint hint = HINT(s->name);
            for (size_t k = 0; k < t->field_count; k++) {
                hint_offer(&hint, t->fields[k].name);
            }
            if (hint.best.len > 0) {
                diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
            }
            return false;
        }
        t = next;
    }
    return true;
}

/* NULL: the resource has no such metadata. Its entries are looked up one by one: making the type of all of them for
 * each reference would be quadratic. */
static const struct type *get_metadata_type(const struct element *e, enum ref_part part) {
    if (part == REF_PART_LABELS) {
        return e->labels.kind == 0 ? NULL : &type_map;
    }
    const struct expr *x = part == REF_PART_DISPLAY_NAME  ? e->display_name
                           : part == REF_PART_ANNOTATIONS ? e->annotations
                                                          : e->custom;
    if (x == NULL) {
        return NULL;
    }
    return part == REF_PART_DISPLAY_NAME ? &type_string : &type_any;
}

/* A label that is not there can be told at once. */
static bool check_label(struct loader *l, const struct element *e, const struct expr *ref, size_t next) {
    const struct step *s = next < ref->count ? &ref->ref.steps[next] : NULL;
    if (s == NULL || s->kind != STEP_NAME || value_map_has(e->labels, s->name)) {
        return true;
    }
    diags_add(l->diags, DIAG_invalid_mapping_path, s->at, "resource '%.*s' has no label '%.*s'",
              SV_ARG(sv_slice(e->name, 0, 80)), SV_ARG(sv_slice(s->name, 0, 80)));
    return false;
}

static const struct type *fail_part(struct loader *l, const struct expr *ref, const struct ref_target *t) {
    bool is_short = ref->count == t->first + 1;
    struct diag *d = diags_add(l->diags, DIAG_invalid_reference, ref->at,
                               is_short ? "the reference to resource '%.*s' is too short"
                                        : "behind resource '%.*s' comes 'spec', 'state' or 'metadata'",
                               SV_ARG(sv_slice(t->name, 0, 80)));
    diag_set_hint(l->diags, d, "write %.*s.spec.FIELD, %.*s.state.FIELD or %.*s.metadata.labels", SV_ARG(t->name),
                  SV_ARG(t->name), SV_ARG(t->name));
    return NULL;
}

static const struct type *get_field_type(struct loader *l, const struct type_entry *type, const struct expr *ref,
                                         size_t next) {
    if (!check_known_fields(l, type->spec_type, ref, next)) {
        return NULL;
    }
    return lang_check_steps(&l->check, type->spec_type, ref, next);
}

static const struct type *get_id_type(struct loader *l, const struct type_entry *type, const struct ref_target *t,
                                      const struct expr *ref) {
    if (type->id_type == NULL) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_reference, ref->at,
                                   "resource '%.*s' has no id field to stand for it", SV_ARG(sv_slice(t->name, 0, 80)));
        diag_set_hint(l->diags, d, "name a field: %.*s.spec.FIELD", SV_ARG(t->name));
    }
    return type->id_type;
}

static const struct type *get_resource_type(struct loader *l, const struct expr *ref, const struct ref_target *t,
                                            uint32_t number) {
    size_t next = 0;
    const struct element *e = &l->elements[number];
    const struct entry *entry = &l->entries[number];
    enum ref_part part = ref_get_part(ref, t->first, &next);
    if (entry->is_template || entry->type == NULL || entry->type->broken) {
        return &type_any;
    }
    switch (part) {
    case REF_PART_ID:
        return get_id_type(l, entry->type, t, ref);
    case REF_PART_SPEC:
    case REF_PART_STATE:
        return get_field_type(l, entry->type, ref, next);
    case REF_PART_INDEX:
        diags_add(l->diags, DIAG_resource_not_template, ref->at, "resource '%.*s' has no 'each', so it has no index",
                  SV_ARG(sv_slice(t->name, 0, 80)));
        return NULL;
    case REF_PART_INVALID:
        return fail_part(l, ref, t);
    case REF_PART_DISPLAY_NAME:
    case REF_PART_LABELS:
    case REF_PART_ANNOTATIONS:
    case REF_PART_CUSTOM:
        break;
    }
    const struct type *type = get_metadata_type(e, part);
    if (type == NULL) {
        const struct step *s = &ref->ref.steps[t->first + 1];
        diags_add(l->diags, DIAG_invalid_mapping_path, s->at, "resource '%.*s' has no '%.*s' in its metadata",
                  SV_ARG(sv_slice(t->name, 0, 80)), SV_ARG(s->name));
        return NULL;
    }
    if (part == REF_PART_LABELS && !check_label(l, e, ref, next)) {
        return NULL;
    }
    return lang_check_steps(&l->check, type, ref, next);
}

static const struct type *get_variable_type(struct loader *l, const struct expr *ref, uint32_t number) {
    if (ref->count > 1) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_substitution, ref->at,
                                   "a variable is a scalar, nothing can follow its name");
        diag_set_hint(l->diags, d, "decode structured text with fromjson");
        return NULL;
    }
    return l->elements[number].type;
}

/* NULL: reported, by refs_resolve for names that do not exist. */
static const struct type *get_ref_type(void *user, const struct expr *ref) {
    struct loader *l = user;
    struct ref_target t = ref_get_target(ref);
    if (t.kind == 0) {
        return l->current != UINT32_MAX && l->entries[l->current].is_template ? &type_any : NULL;
    }
    bool is_opaque = false;
    uint32_t number = loader_find(l, t.kind, t.name, &is_opaque);
    if (number == UINT32_MAX) {
        bool is_working_dir = t.is_bare && ref->count == 0 && sv_eq(t.name, SV("workingDir"));
        return is_opaque ? &type_any : is_working_dir ? &type_string : NULL;
    }
    if (number == l->current) {
        return NULL;
    }
    if (t.kind == ELEMENT_VARIABLE) {
        return get_variable_type(l, ref, number);
    }
    if (t.kind == ELEMENT_RESOURCE) {
        return get_resource_type(l, ref, &t, number);
    }
    const struct entry *entry = &l->entries[number];
    const struct type *type = entry->broken ? &type_any : entry->static_type;
    return lang_check_steps(&l->check, type != NULL ? type : l->elements[number].type, ref, t.first);
}

/* `link` is the only function that takes references themselves (FN-232). */
static void check_syntactic(void *user, const struct expr *call) {
    loader_report_unsupported(user, call->at, call->call.fn->name);
}

const struct check_ops refs_check_ops = {.ref_type = get_ref_type, .check_syntactic = check_syntactic};
