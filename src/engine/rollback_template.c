/* A template made of records. */
#include "engine/rollback.h"

#include "engine/fields.h"

/* --- the tree of children and templates: members of a group follow it (model/template.h) --- */

#define NO_NODE UINT32_MAX

struct tree_node {
    addr address;
    enum element_kind kind;
    const struct resource_record *resource;
    const struct export_record *export;
    uint32_t parent, first, last, next;
    uint32_t element; /* number in the template */
};

struct builder {
    const struct rollback_targets *r;
    struct arena *a;
    VEC(struct tree_node) nodes; /* node 0 is the root and no element */
    struct map groups;           /* address → node */
    struct element *elements;
    uint32_t count;
    struct map numbers; /* address → element + 1 */
};

static uint32_t add_node(struct builder *b, uint32_t parent, addr address, enum element_kind kind) {
    uint32_t number = (uint32_t)b->nodes.len;
    VEC_PUSH(
        b->a, &b->nodes,
        ((struct tree_node){
            .address = address, .kind = kind, .parent = parent, .first = NO_NODE, .last = NO_NODE, .next = NO_NODE}));
    if (number == 0) {
        return number;
    }
    struct tree_node *p = &b->nodes.items[parent];
    if (p->last != NO_NODE) {
        b->nodes.items[p->last].next = number;
    } else {
        p->first = number;
    }
    p->last = number;
    return number;
}

static uint32_t get_group(struct builder *b, uint32_t parent, sv address, enum element_kind kind) {
    bool is_new;
    void **slot = map_get_slot(&b->groups, address, &is_new);
    if (is_new) {
        *slot = (void *)(uintptr_t)add_node(b, parent, (addr){address}, kind);
    }
    return (uint32_t)(uintptr_t)*slot;
}

/* The group that an address belongs to, made with all around it. */
static uint32_t get_parent(struct builder *b, sv address) {
    uint32_t parent = 0;
    for (size_t i = 0; i < address.len; i++) {
        if (address.data[i] == '/') {
            parent = get_group(b, parent, sv_slice(address, 0, i), ELEMENT_CHILD);
        }
    }
    return parent;
}

static void add_resource(struct builder *b, const struct resource_record *r) {
    uint32_t parent = get_parent(b, r->address.text);
    struct addr_parts parts;
    if (r->template_name.len > 0 && addr_parse(b->a, r->address.text, &parts)) {
        sv group = addr_make(b->a, parts.parent, ELEMENT_RESOURCE, r->template_name).text;
        parent = sv_eq(group, r->address.text) ? parent : get_group(b, parent, group, ELEMENT_TEMPLATE);
    }
    uint32_t node = add_node(b, parent, r->address, ELEMENT_RESOURCE);
    b->nodes.items[node].resource = r;
}

static void add_export(struct builder *b, const struct export_record *e) {
    bool is_root = sv_find_char(e->name, '/') == SIZE_MAX;
    addr address = is_root ? addr_make(b->a, (sv){0}, ELEMENT_EXPORT, e->name) : (addr){e->name};
    uint32_t node = add_node(b, is_root ? 0 : get_parent(b, e->name), address, ELEMENT_EXPORT);
    b->nodes.items[node].export = e;
}

/* --- elements --- */

static const struct expr *make_literal(struct builder *b, value v) {
    return value_is_set(v) ? expr_new_literal(b->a, SPAN_NONE, v) : NULL;
}

static void fill_resource(struct builder *b, struct element *e, const struct resource_record *r) {
    value metadata = r->metadata;
    e->record = r;
    e->name = r->name;
    e->type_text = r->type;
    e->resource_type = b->r->providers == NULL ? NULL : providers_find_type(b->r->providers, r->type);
    e->spec = make_literal(b, r->spec);
    e->display_name = make_literal(b, field_get_value(metadata, "displayName"));
    e->annotations = make_literal(b, field_get_value(metadata, "annotations"));
    e->custom = make_literal(b, field_get_value(metadata, "custom"));
    e->labels = field_get_value(metadata, "labels");
    e->description = r->description;
    e->template_name = r->template_name;
    e->removal = sv_eq_cstr(r->removal_policy, "retain") ? REMOVAL_RETAIN : REMOVAL_DELETE;
}

static void fill_export(struct builder *b, struct element *e, const struct export_record *record) {
    struct addr_parts parts;
    e->name = addr_parse(b->a, e->address.text, &parts) ? parts.name : record->name;
    e->type_text = record->type;
    e->field_text = record->field;
    e->description = record->description;
    e->expr = make_literal(b, record->item);
}

static void emit(struct builder *b, uint32_t node) {
    struct tree_node *n = &b->nodes.items[node];
    struct element *e = &b->elements[b->count];
    n->element = b->count++;
    *e = (struct element){.address = n->address, .kind = n->kind, .at = SPAN_NONE, .removal = REMOVAL_DELETE};
    e->group = n->parent == 0 ? 0 : b->nodes.items[n->parent].element + 1;
    map_put(&b->numbers, n->address.text, (void *)(uintptr_t)(n->element + 1));
    if (n->resource != NULL) {
        fill_resource(b, e, n->resource);
    } else if (n->export != NULL) {
        fill_export(b, e, n->export);
    }
}

/* Every node before what belongs to it. */
static void emit_all(struct builder *b) {
    b->elements = ARENA_ARRAY(b->a, struct element, b->nodes.len);
    b->numbers = MAP(b->a);
    uint32_t node = b->nodes.items[0].first;
    while (node != NO_NODE && node != 0) {
        emit(b, node);
        uint32_t next = b->nodes.items[node].first;
        while (next == NO_NODE && node != 0) {
            const struct tree_node *n = &b->nodes.items[node];
            bool is_group = n->kind == ELEMENT_CHILD || n->kind == ELEMENT_TEMPLATE;
            b->elements[n->element].group_end = is_group ? b->count : 0;
            next = n->next;
            node = n->parent;
        }
        node = next;
    }
}

/* --- edges --- */

static bool is_around(const struct builder *b, uint32_t group, uint32_t element) {
    for (uint32_t n = b->elements[element].group; n != 0; n = b->elements[n - 1].group) {
        if (n - 1 == group) {
            return true;
        }
    }
    return false;
}

static void add_uses(struct builder *b, uint32_t element) {
    struct element *e = &b->elements[element];
    const struct resource_record *r = e->record;
    struct element_edge *uses = ARENA_ARRAY(b->a, struct element_edge, r->depends_on_count + 1);
    struct map seen = MAP(b->a);
    for (size_t i = 0; i < r->depends_on_count; i++) {
        uintptr_t number = (uintptr_t)map_find(&b->numbers, r->depends_on[i]);
        bool is_new = false;
        map_get_slot(&seen, r->depends_on[i], &is_new);
        uint32_t to = (uint32_t)(number - 1);
        if (is_new && number != 0 && to != element && !is_around(b, to, element)) {
            uses[e->use_count++] =
                (struct element_edge){.to = to, .kind = EDGE_DEPENDS_ON, .direct = true, .at = SPAN_NONE};
        }
    }
    e->uses = uses;
}

/* A side of a link stands in the same child. */
static uint32_t find_side(struct builder *b, const struct link_record *l, sv name) {
    struct addr_parts parts;
    sv parent = addr_parse(b->a, l->address.text, &parts) ? parts.parent : (sv){0};
    uintptr_t number = (uintptr_t)map_find(&b->numbers, addr_make(b->a, parent, ELEMENT_RESOURCE, name).text);
    bool is_there = number != 0 && b->elements[number - 1].record != NULL;
    return is_there ? (uint32_t)(number - 1) : NO_NODE;
}

static void add_links(struct builder *b, struct template *t) {
    struct template_link *links = ARENA_ARRAY(b->a, struct template_link, b->r->links.len + 1);
    t->link_by_address = MAP(b->a);
    for (size_t i = 0; i < b->r->links.len; i++) {
        const struct link_record *l = b->r->links.items[i];
        struct template_link link = {.address = l->address, .at = SPAN_NONE, .record = l};
        link.a = find_side(b, l, l->a);
        link.b = find_side(b, l, l->b);
        if (link.a == NO_NODE || link.b == NO_NODE || b->r->providers == NULL) {
            continue;
        }
        link.type = providers_find_link(b->r->providers, b->elements[link.a].type_text, b->elements[link.b].type_text);
        if (link.type != NULL) {
            links[t->link_count++] = link;
            map_put(&t->link_by_address, link.address.text, (void *)(uintptr_t)t->link_count);
        }
    }
    t->links = links;
}

/* --- evaluation: everything is known --- */

static void set_cell(struct arena *a, struct cell **c, const struct expr *expr, const struct element *e) {
    *c = ARENA_NEW(a, struct cell);
    (*c)->path = e->address.text;
    (*c)->owner = (void *)e;
    (*c)->at = SPAN_NONE;
    cell_set(*c, expr == NULL ? value_absent() : expr->literal);
}

static enum resolve_result refuse(void *user, struct evaluator *ev, const struct expr *ref, const struct scope *scope,
                                  struct resolved *out) {
    (void)user;
    (void)ev;
    (void)ref;
    (void)scope;
    (void)out;
    return RESOLVE_ERROR; /* literals refer to nothing */
}

static const struct eval_ops literal_ops = {.resolve = refuse, .directive = refuse};
static const struct eval_policy literal_policy = {0};

static void start_evaluation(const struct template *t, struct evaluation *e, const struct evaluation_request *r) {
    e->host = r->host;
    e->record = r->record;
    e->fetcher = r->fetcher;
    e->cells = ARENA_ARRAY(e->arena, struct element_cells, t->element_count + 1);
    for (size_t i = 0; i < t->element_count; i++) {
        const struct element *element = &t->elements[i];
        struct element_cells *cells = &e->cells[i];
        const struct expr *main = element->spec != NULL ? element->spec : element->expr;
        cells->main.path = element->address.text;
        cells->main.owner = (void *)element;
        cells->main.at = SPAN_NONE;
        cell_set(&cells->main, main == NULL ? value_absent() : main->literal);
        set_cell(e->arena, &cells->display_name, element->display_name, element);
        set_cell(e->arena, &cells->annotations, element->annotations, element);
        set_cell(e->arena, &cells->custom, element->custom, element);
        set_cell(e->arena, &cells->description, NULL, element);
        set_cell(e->arena, &cells->condition, NULL, element);
        cell_set(cells->condition, value_bool(true));
    }
    const struct eval_options options = {.arena = e->arena,
                                         .diags = e->diags,
                                         .limits = r->limits,
                                         .ops = &literal_ops,
                                         .user = e,
                                         .policy = &literal_policy,
                                         .observer = r->observer,
                                         .host = r->host,
                                         .record = r->record,
                                         .fetcher = r->fetcher};
    e->evaluator = eval_new(&options);
}

static const struct template_ops literal_template_ops = {.start_evaluation = start_evaluation};

/* --- the whole --- */

const struct template *rollback_make_template(const struct rollback_targets *r) {
    struct builder b = {.r = r, .a = r->arena};
    b.groups = MAP(b.a);
    add_node(&b, 0, (addr){0}, ELEMENT_CHILD);
    for (size_t i = 0; i < r->resources.len; i++) {
        add_resource(&b, r->resources.items[i]);
    }
    for (size_t i = 0; i < r->export_count; i++) {
        add_export(&b, &r->exports[i]);
    }
    emit_all(&b);
    for (uint32_t i = 0; i < b.count; i++) {
        if (b.elements[i].record != NULL) {
            add_uses(&b, i);
        }
    }
    struct template *t = ARENA_NEW(b.a, struct template);
    *t = (struct template){.dialect = r->dialect,
                           .ops = &literal_template_ops,
                           .elements = b.elements,
                           .element_count = b.count,
                           .root_dir = r->root_dir,
                           .policies = {.parallel = 10, .late_removals = true, .create_before_destroy = true},
                           .is_expanded = true};
    add_links(&b, t);
    t->by_address = MAP(b.a);
    for (uint32_t i = 0; i < b.count; i++) {
        map_put(&t->by_address, b.elements[i].address.text, &b.elements[i]);
    }
    return t;
}
