/* Objects that an element of another instance of this store stands for, too (F38): where the id is a name that the
 * template gives, as a path. Told, not refused: in a store that several machines share, equal names may be different
 * objects. */
#include "engine/planner.h"

#include "engine/specs.h"

struct own_object {
    const struct element *element;
    sv address;
};

struct own_objects {
    VEC(struct store_object) items;
    VEC(struct own_object) owners; /* beside the items */
    struct map by_text;            /* type and id → number + 1 */
};

/* Names that a provider makes come again: process numbers. */
static bool is_name(struct arena *a, const struct resource_type *type) {
    struct path path;
    if (type == NULL || type->schema == NULL || type->id_field.len == 0 || !path_parse(a, type->id_field, &path)) {
        return false;
    }
    const struct schema *field = schema_find_path(type->schema, path);
    return field != NULL && (field->flags & SCHEMA_IDENTITY) != 0;
}

static sv get_key(struct arena *a, const struct store_object *o) {
    return arena_printf(a, "%.*s %.*s", SV_ARG(o->type), SV_ARG(o->physical_id));
}

static void add_element(struct planner *p, uint32_t n, struct own_objects *all) {
    const struct element *e = &p->t->elements[n];
    const struct element_plan *ep = &p->elements[n];
    if (e->kind != ELEMENT_RESOURCE || !ep->is_planned || !is_name(p->a, e->resource_type)) {
        return;
    }
    struct store_object o = {e->resource_type->name, spec_get_id(p->a, e->resource_type, ep->spec)};
    if (o.physical_id.len == 0) {
        return;
    }
    VEC_PUSH(p->a, &all->items, o);
    VEC_PUSH(p->a, &all->owners, ((struct own_object){e, e->address.text}));
    map_put(&all->by_text, get_key(p->a, &o), (void *)(uintptr_t)all->items.len);
}

static void report(struct planner *p, const struct own_object *own, const struct store_claim *claim) {
    struct diag *d =
        diags_add(p->diags, DIAG_object_claimed_twice, own->element->at,
                  "the object of '%.*s' is also '%.*s' of instance '%.*s' in name space '%.*s'", SV_ARG(own->address),
                  SV_ARG(claim->address), SV_ARG(claim->instance_name), SV_ARG(claim->context));
    diag_set_hint(p->diags, d, "one of both should forget it: lintel state rm ADDRESS");
}

bool plan_check_claims(struct planner *p) {
    struct own_objects all = {.by_text = MAP(p->a)};
    struct store_claim *claims = NULL;
    size_t count = 0;
    for (uint32_t n = 0; n < p->topology.element_count; n++) {
        add_element(p, n, &all);
    }
    if (all.items.len == 0) {
        return true;
    }
    const struct run_config *c = p->c;
    if (c->store->ops->find_claims(c->store, p->a, all.items.items, all.items.len, &claims, &count) != STORE_OK) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uintptr_t number = (uintptr_t)map_find(&all.by_text, get_key(p->a, &claims[i].object));
        if (number != 0 && !sv_eq(claims[i].instance_id, p->stored->instance.id)) {
            report(p, &all.owners.items[number - 1], &claims[i]);
        }
    }
    return true;
}
