/* Names and references: every reference has a target, and every element knows what it uses (BP-240, BP-248). */
#include "dialects/blueprint/refs.h"

#include "base/num.h"
#include "dialects/blueprint/children.h"
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

bool ref_has_index(const struct expr *ref, size_t first) {
    return ref->count > first && ref->ref.steps[first].kind == STEP_INDEX;
}

bool ref_is_child_input(sv name) {
    return sv_eq(name, SV("metadata")) || sv_eq(name, SV("module")) || sv_eq(name, SV("path")) ||
           sv_eq(name, SV("variables"));
}

sv ref_get_export(const struct expr *ref, enum element_kind kind, size_t first) {
    size_t at = first;
    bool is_input = false;
    if (kind == ELEMENT_RESOURCE) {
        enum ref_part part = ref_get_part(ref, first, &at);
        if (part != REF_PART_SPEC && part != REF_PART_STATE) {
            return (sv){0};
        }
        is_input = part == REF_PART_SPEC && ref->ref.steps[at].kind == STEP_NAME &&
                   ref_is_child_input(ref->ref.steps[at].name);
    }
    bool has_name = at < ref->count && ref->ref.steps[at].kind == STEP_NAME && !is_input;
    return has_name ? ref->ref.steps[at].name : (sv){0};
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

/* `t_3` where `t` is a template: written t[3] in references (BP-154). */
bool refs_find_instance(const struct loader *l, sv name, uint32_t *template, uint32_t *item) {
    size_t at = sv_rfind_char(name, '_');
    uint64_t index = 0;
    if (at == SIZE_MAX || num_parse_u64(sv_slice(name, at + 1, name.len), 10, &index) != NUM_OK ||
        index >= l->request->limits->each_instances) {
        return false;
    }
    bool is_canonical = name.data[at + 1] != '0' || at + 2 == name.len;
    *template = loader_find(l, ELEMENT_RESOURCE, sv_slice(name, 0, at));
    *item = (uint32_t)index;
    return is_canonical && *template != UINT32_MAX && l->entries[*template].is_template;
}

/* Words that stand for something else than a resource: literals, other languages' null, functions. */
static bool hint_word(struct loader *l, struct diag *d, sv name) {
    static const sv literals[] = {SV_INIT("false"), SV_INIT("none"), SV_INIT("true")};
    for (size_t i = 0; i < sizeof literals / sizeof literals[0]; i++) {
        if (sv_eq_nocase(name, literals[i])) {
            diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(literals[i]));
            return true;
        }
    }
    if (sv_eq_nocase(name, SV("null"))) {
        diag_set_hint(l->diags, d, "'none' leaves a field out; null itself is jsondecode(\"null\")");
        return true;
    }
    if (fn_find(l->parse.dialect->functions, name) == NULL) {
        return false;
    }
    diag_set_hint(l->diags, d, "'%.*s' is a function: write %.*s(…)", SV_ARG(name), SV_ARG(name));
    return true;
}

static void report_missing(struct loader *l, const struct ref_target *t) {
    struct diag *d = diags_add(l->diags, missing[t->kind].code, t->at, "%s '%.*s' does not exist",
                               missing[t->kind].what, SV_ARG(sv_slice(t->name, 0, 80)));
    uint32_t template = 0, item = 0;
    if (t->kind == ELEMENT_RESOURCE && refs_find_instance(l, t->name, &template, &item)) {
        diag_set_hint(l->diags, d, "write %.*s[%u]", SV_ARG(sv_slice(l->elements[template].name, 0, 80)), item);
        return;
    }
    if (!t->is_bare || !hint_word(l, d, t->name)) {
        loader_hint_name(l, d, t->kind, t->name);
    }
}

static void report_self(struct loader *l, const struct ref_target *t) {
    diags_add(l->diags, DIAG_invalid_substitution, t->at, "%s '%.*s' refers to itself", missing[t->kind].what,
              SV_ARG(sv_slice(t->name, 0, 80)));
}

/* Uses of the same target are told apart by what they name beside it. */
static bool is_new_detail(struct loader *l, uint32_t to, const struct blueprint_use *use) {
    sv key = arena_printf(&l->scratch, "%u %u %.*s", to, use->item, SV_ARG(use->export));
    void **slot = map_get_slot(&l->detail_marks, key, NULL);
    bool is_new = (uintptr_t)*slot != l->current + 1u;
    *slot = (void *)(uintptr_t)(l->current + 1u);
    return is_new;
}

static bool is_new_edge(struct loader *l, uint32_t to, enum edge_kind kind, const struct blueprint_use *use) {
    if (use->item > 0 || use->export.len > 0) {
        return is_new_detail(l, to, use);
    }
    uint32_t *marks = kind == EDGE_REFERENCE ? l->edge_marks : l->depend_marks;
    bool is_new = marks[to] != l->current + 1;
    marks[to] = l->current + 1;
    return is_new;
}

static void add_edge(struct loader *l, struct element_edge edge, struct blueprint_use use) {
    l->entries[edge.to].used = true;
    if (l->current == UINT32_MAX || !is_new_edge(l, edge.to, edge.kind, &use)) {
        return;
    }
    edge.direct = true;
    l->has_details |= use.item > 0 || use.export.len > 0;
    VEC_PUSH(&l->scratch, &l->edges, edge);
    VEC_PUSH(&l->scratch, &l->edge_details, use);
}

static void check_scope(struct loader *l, const struct expr *ref) {
    bool in_template = l->current != UINT32_MAX && l->entries[l->current].is_template;
    if (!in_template || l->in_each) {
        diags_add(l->diags, DIAG_invalid_substitution, ref->at,
                  in_template ? "'%.*s' does not exist in 'each' itself"
                              : "'%.*s' exists only in a resource with 'each'",
                  SV_ARG(ref->ref.name));
    }
}

static struct blueprint_use get_use(const struct loader *l, const struct expr *ref, const struct ref_target *t,
                                    uint32_t number) {
    struct blueprint_use use = {0};
    size_t first = t->first;
    if (l->entries[number].is_template && ref_has_index(ref, first)) {
        size_t index = ref->ref.steps[first++].index;
        use.item = index < UINT32_MAX ? (uint32_t)index + 1 : UINT32_MAX;
    }
    if (l->elements[number].kind == ELEMENT_CHILD) {
        use.export = ref_get_export(ref, t->kind, first);
    }
    return use;
}

static void resolve_ref(struct loader *l, const struct expr *ref) {
    struct ref_target t = ref_get_target(ref);
    if (t.kind == 0) {
        check_scope(l, ref);
        return;
    }
    uint32_t number = loader_find(l, t.kind, t.name);
    bool is_working_dir = t.is_bare && ref->count == 0 && sv_eq(t.name, SV("workingDir"));
    if (number == UINT32_MAX) {
        if (!is_working_dir) {
            report_missing(l, &t);
        }
        return;
    }
    if (number == l->current) {
        report_self(l, &t);
        return;
    }
    struct blueprint_use use = get_use(l, ref, &t, number);
    span at = use.item > 0 ? span_join(t.at, ref->ref.steps[t.first].at) : t.at;
    add_edge(l, (struct element_edge){.to = number, .kind = EDGE_REFERENCE, .at = at}, use);
}

/* --- link(a, b) --- */

/* Both sides are uses, and beside them the link itself (FN-232). */
static void resolve_link(struct loader *l, const struct expr *call) {
    struct blueprint_link_use use = {.at = call->at};
    struct blueprint_link_side *sides[] = {&use.a, &use.b};
    bool known = call->count == 2;
    for (size_t i = 0; i < 2 && i < call->count; i++) {
        const struct expr *arg = call->call.args[i];
        if (!refs_find_link_side(l, arg, sides[i])) {
            known = false;
            continue;
        }
        add_edge(l, (struct element_edge){.to = sides[i]->element, .kind = EDGE_REFERENCE, .at = arg->at},
                 (struct blueprint_use){.item = sides[i]->item});
    }
    if (known && l->current != UINT32_MAX) {
        VEC_PUSH(&l->scratch, &l->link_uses, use);
    }
}

static bool visit(void *user, const struct expr *e) {
    struct loader *l = user;
    bool is_syntactic = e->kind == EXPR_CALL && e->call.fn != NULL && (e->call.fn->flags & FN_SYNTACTIC) != 0;
    if (e->kind != EXPR_REF && !is_syntactic) {
        return true;
    }
    size_t from = loader_get_mark(l);
    if (is_syntactic) {
        resolve_link(l, e);
    } else {
        resolve_ref(l, e);
    }
    if (loader_get_mark(l) != from && l->current != UINT32_MAX) {
        loader_tag(l, from, l->current);
    }
    return false;
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
    uint32_t number = loader_find(l, ELEMENT_RESOURCE, n->text);
    if (number == UINT32_MAX) {
        struct diag *d = diags_add(l->diags, DIAG_missing_resource_dependency, n->at, "resource '%.*s' does not exist",
                                   SV_ARG(sv_slice(n->text, 0, 80)));
        if (sv_has_prefix(n->text, SV("resources."))) {
            diag_set_hint(l->diags, d, "write the name alone, without 'resources.'");
        } else {
            loader_hint_name(l, d, ELEMENT_RESOURCE, n->text);
        }
    } else if (number == l->current) {
        diags_add(l->diags, DIAG_invalid_resource, n->at, "resource '%.*s' depends on itself",
                  SV_ARG(sv_slice(n->text, 0, 80)));
    } else {
        add_edge(l, (struct element_edge){.to = number, .kind = EDGE_DEPENDS_ON, .at = n->at},
                 (struct blueprint_use){0});
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

static void keep_edges(struct loader *l, uint32_t number) {
    struct element *e = &l->elements[number];
    if (l->edges.len > 0) {
        struct element_edge *uses = ARENA_ARRAY(l->arena, struct element_edge, l->edges.len);
        memcpy(uses, l->edges.items, l->edges.len * sizeof *uses);
        e->uses = uses;
        e->use_count = l->edges.len;
    }
    if (l->has_details) {
        struct blueprint_use *details = ARENA_ARRAY(l->arena, struct blueprint_use, l->edges.len);
        memcpy(details, l->edge_details.items, l->edges.len * sizeof *details);
        l->uses[number] = details;
    }
    if (l->link_uses.len > 0) {
        struct blueprint_link_use *links = ARENA_ARRAY(l->arena, struct blueprint_link_use, l->link_uses.len);
        memcpy(links, l->link_uses.items, l->link_uses.len * sizeof *links);
        l->all_link_uses[number] = (struct blueprint_link_uses){links, l->link_uses.len};
    }
}

/* First of all, so that its uses are the first ones. */
static void resolve_each(struct loader *l, uint32_t number) {
    l->in_each = true;
    resolve_field(l, l->elements[number].each, "each", NULL);
    l->in_each = false;
    l->entries[number].each_count = (uint32_t)l->edges.len;
}

static void resolve_child(struct loader *l, const struct blueprint_child *c) {
    struct child_part part;
    for (size_t i = 0; child_get_part(c, i, &part); i++) {
        l->path.len = 0;
        for (size_t k = 0; k < part.key_count; k++) {
            tree_enter_key(l, part.keys[k]);
        }
        if (part.expr != NULL) {
            resolve_tree(l, part.expr);
        }
    }
    l->path.len = 0;
}

static const char *get_main_field(enum element_kind kind) {
    return kind == ELEMENT_EXPORT ? "field" : kind == ELEMENT_DATA ? "filter" : "value";
}

static void resolve_element(struct loader *l, uint32_t number) {
    struct element *e = &l->elements[number];
    const struct blueprint_child *child = l->children[number];
    size_t errors = l->diags->errors;
    l->current = number;
    l->edges.len = l->edge_details.len = l->link_uses.len = 0;
    l->has_details = false;
    resolve_each(l, number);
    resolve_field(l, e->condition, "condition", NULL);
    if (e->kind != ELEMENT_VARIABLE) {
        resolve_field(l, e->description_expr, "description", NULL);
        resolve_field(l, e->expr, get_main_field(e->kind), NULL);
    }
    if (child != NULL) {
        resolve_child(l, child);
    } else {
        resolve_field(l, e->spec, "spec", NULL);
    }
    resolve_field(l, e->display_name, "metadata", "displayName");
    resolve_field(l, e->annotations, "metadata", "annotations");
    resolve_field(l, e->custom, "metadata", "custom");
    if (l->entries[number].depends_on != NULL) {
        resolve_depends_on(l, l->entries[number].depends_on);
    }
    keep_edges(l, number);
    l->entries[number].broken |= l->diags->errors > errors;
}

void refs_resolve(struct loader *l) {
    l->edge_marks = ARENA_ARRAY(&l->scratch, uint32_t, l->count + 1);
    l->depend_marks = ARENA_ARRAY(&l->scratch, uint32_t, l->count + 1);
    l->detail_marks = MAP(&l->scratch);
    l->uses = ARENA_ARRAY(l->arena, const struct blueprint_use *, l->count + 1);
    l->all_link_uses = ARENA_ARRAY(l->arena, struct blueprint_link_uses, l->count + 1);
    uint32_t *each_uses = ARENA_ARRAY(l->arena, uint32_t, l->count + 1);
    for (uint32_t i = 0; i < l->count; i++) {
        resolve_element(l, i);
        each_uses[i] = l->entries[i].each_count;
    }
    l->data->uses = l->uses;
    l->data->link_uses = l->all_link_uses;
    l->data->each_uses = each_uses;
    l->current = UINT32_MAX;
    if (l->template->metadata != NULL) {
        resolve_tree(l, l->template->metadata);
    }
    l->path.len = 0;
}
