/* Links that follow from references in fields marked `activatesLink` (BP-163). */
#include "dialects/blueprint/links.h"
#include "dialects/blueprint/refs.h"

void links_add(struct loader *l, const struct link_pair *pair) {
    const struct element *a = &l->elements[pair->a], *b = &l->elements[pair->b];
    struct buf name = BUF(&l->brief);
    buf_printf(&name, "%.*s::%.*s", SV_ARG(a->name), SV_ARG(b->name));
    if (pair->b_item > 0) {
        buf_printf(&name, "_%u", pair->b_item - 1);
    }
    addr address = addr_make(l->arena, (sv){0}, ELEMENT_LINK, buf_get_sv(&name));
    struct template_link link = {.address = address, .a = pair->a, .b = pair->b, .type = pair->type, .at = pair->at};
    VEC_PUSH(&l->scratch, &l->links, link);
    VEC_PUSH(&l->scratch, &l->link_items, pair->b_item);
}

struct activation {
    struct loader *l;
    uint32_t a;
    struct map *pairs; /* "a b" and "a b item" → something: linked already */
    size_t selected;   /* links that were there before */
    bool is_indexed;   /* `pairs` holds those of the selectors */
};

static sv make_key(struct arena *arena, uint32_t a, uint32_t b, uint32_t item) {
    return arena_printf(arena, "%u %u %u", a, b, item);
}

static void index_selected(struct activation *x) {
    struct loader *l = x->l;
    for (size_t i = 0; !x->is_indexed && i < x->selected; i++) {
        const struct template_link *link = &l->links.items[i];
        map_put(x->pairs, make_key(&l->scratch, link->a, link->b, 0), l);
    }
    x->is_indexed = true;
}

static bool is_linked(struct activation *x, uint32_t b, uint32_t item) {
    struct loader *l = x->l;
    return map_has(x->pairs, make_key(&l->brief, x->a, b, 0)) ||
           (item > 0 && map_has(x->pairs, make_key(&l->brief, x->a, b, item)));
}

static bool visit(void *user, const struct expr *e) {
    struct activation *x = user;
    struct loader *l = x->l;
    if (e->kind != EXPR_REF) {
        return true;
    }
    struct ref_target t = ref_get_target(e);
    uint32_t b = t.kind == ELEMENT_RESOURCE ? loader_find(l, t.kind, t.name) : UINT32_MAX;
    const struct resource_type *to = b == UINT32_MAX ? NULL : l->elements[b].resource_type;
    const struct link_type *type =
        to == NULL || b == x->a
            ? NULL
            : providers_find_link(l->request->providers, l->elements[x->a].resource_type->name, to->name);
    bool has_index = ref_has_index(e, t.first);
    if (type == NULL || l->entries[b].is_template != has_index) {
        return false;
    }
    size_t index = has_index ? e->ref.steps[t.first].index : 0;
    uint32_t item = has_index && index < UINT32_MAX ? (uint32_t)index + 1 : 0;
    index_selected(x);
    if (!is_linked(x, b, item)) {
        map_put(x->pairs, make_key(&l->scratch, x->a, b, item), l);
        links_add(l, &(const struct link_pair){x->a, b, item, type, e->at});
    }
    return false;
}

/* Along the schema, as far as it is marked. */
static void walk(struct activation *x, const struct expr *e, const struct schema *s) {
    struct loader *l = x->l;
    bool is_map = e->kind == EXPR_OBJECT;
    if (s == NULL || e->kind == EXPR_LITERAL) {
        return;
    }
    if ((s->flags & SCHEMA_ACTIVATES_LINK) != 0) {
        expr_walk(e, visit, x);
        return;
    }
    if ((!is_map && e->kind != EXPR_LIST) || !depth_enter(&l->depth)) {
        return;
    }
    for (uint32_t i = 0; i < e->count; i++) {
        walk(x, e->call.args[i], is_map ? tree_get_entry_schema(s, e->call.names[i]) : tree_get_item_schema(s));
    }
    depth_leave(&l->depth);
}

void links_activate(struct loader *l) {
    struct map pairs = MAP(&l->scratch);
    struct activation x = {.l = l, .pairs = &pairs, .selected = l->links.len};
    for (uint32_t i = 0; l->request->providers != NULL && i < l->count; i++) {
        const struct element *e = &l->elements[i];
        x.a = i;
        if (e->resource_type != NULL && e->spec != NULL && !l->entries[i].broken) {
            walk(&x, e->spec, e->resource_type->schema);
            arena_fini(&l->brief);
        }
    }
}
