/* link(a, b): what its arguments name, and whether there is such a link (FN-232). */
#include "dialects/blueprint/loader.h"
#include "dialects/blueprint/refs.h"

static bool fail_missing(struct loader *l, span at, sv name) {
    struct diag *d = diags_add(l->diags, DIAG_sub_func_link_arg_resource_not_found, at,
                               "'link': resource '%.*s' does not exist", SV_ARG(sv_slice(name, 0, 80)));
    loader_hint_name(l, d, ELEMENT_RESOURCE, name);
    return false;
}

static bool fail_template(struct loader *l, span at, sv name) {
    struct diag *d =
        diags_add(l->diags, DIAG_invalid_substitution, at, "'link': '%.*s' has 'each', one of its instances is wanted",
                  SV_ARG(sv_slice(name, 0, 80)));
    diag_set_hint(l->diags, d, "write %.*s[0]", SV_ARG(sv_slice(name, 0, 80)));
    return false;
}

static bool fail_form(struct loader *l, span at) {
    diags_add(l->diags, DIAG_invalid_substitution, at,
              "'link': a resource or the name of one is wanted, without anything behind it");
    return false;
}

/* A link that waits for its own user (BP-248). */
static bool check_is_other(struct loader *l, span at, uint32_t number) {
    if (number != l->current) {
        return true;
    }
    sv address = l->elements[number].address.text;
    diags_add(l->diags, DIAG_reference_cycle, at, "these use each other in a circle: %.*s -> link(…) -> %.*s",
              SV_ARG(address), SV_ARG(address));
    return false;
}

static bool find_by_name(struct loader *l, const struct expr *arg, struct blueprint_link_side *side) {
    sv name = value_get_text(arg->literal);
    uint32_t number = loader_find(l, ELEMENT_RESOURCE, name);
    uint32_t item = 0;
    if (number != UINT32_MAX && l->entries[number].is_template) {
        return fail_template(l, arg->at, name);
    }
    if (number == UINT32_MAX && refs_find_instance(l, name, &number, &item)) {
        *side = (struct blueprint_link_side){number, item + 1};
        return check_is_other(l, arg->at, number);
    }
    if (number == UINT32_MAX) {
        return fail_missing(l, arg->at, name);
    }
    *side = (struct blueprint_link_side){.element = number};
    return check_is_other(l, arg->at, number);
}

static bool find_by_reference(struct loader *l, const struct expr *arg, struct blueprint_link_side *side) {
    struct ref_target t = ref_get_target(arg);
    if (t.kind != ELEMENT_RESOURCE) {
        return fail_form(l, arg->at);
    }
    uint32_t number = loader_find(l, ELEMENT_RESOURCE, t.name);
    if (number == UINT32_MAX) {
        return fail_missing(l, t.at, t.name);
    }
    bool has_index = ref_has_index(arg, t.first);
    size_t index = has_index ? arg->ref.steps[t.first].index : 0;
    if (l->entries[number].is_template != has_index) {
        if (!has_index) {
            return fail_template(l, arg->at, t.name);
        }
        diags_add(l->diags, DIAG_resource_not_template, arg->at, "resource '%.*s' has no 'each', so it has no index",
                  SV_ARG(sv_slice(t.name, 0, 80)));
        return false;
    }
    if (arg->count > t.first + has_index) {
        return fail_form(l, arg->at);
    }
    uint32_t item = !has_index ? 0 : index < UINT32_MAX ? (uint32_t)index + 1 : UINT32_MAX;
    *side = (struct blueprint_link_side){number, item};
    return check_is_other(l, arg->at, number);
}

bool refs_find_link_side(struct loader *l, const struct expr *arg, struct blueprint_link_side *side) {
    if (arg->kind == EXPR_ERROR) {
        return false;
    }
    if (arg->kind == EXPR_LITERAL && arg->literal.kind == VALUE_STRING) {
        return find_by_name(l, arg, side);
    }
    return arg->kind == EXPR_REF ? find_by_reference(l, arg, side) : fail_form(l, arg->at);
}

/* --- does the link follow from the blueprint --- */

static sv make_key(struct arena *a, uint32_t from, uint32_t to) {
    return arena_printf(a, "%u %u", from, to);
}

/* Links by their sides: number of the link + 1. */
static void index_links(struct loader *l, struct map *pairs) {
    for (size_t i = 0; i < l->links.len; i++) {
        const struct template_link *link = &l->links.items[i];
        map_put(pairs, make_key(&l->scratch, link->a, link->b), (void *)(uintptr_t)(i + 1));
    }
}

static bool is_blurred(const struct loader *l, uint32_t number) {
    const struct entry *entry = &l->entries[number];
    return entry->broken || entry->type == NULL || entry->type->broken;
}

static size_t find_link(struct loader *l, const struct map *pairs, const struct blueprint_link_use *use) {
    uintptr_t found = (uintptr_t)map_find(pairs, make_key(&l->brief, use->a.element, use->b.element));
    bool both = use->a.item > 0 && use->b.item > 0;
    return both && use->a.item != use->b.item && found != 0 && l->link_items.items[found - 1] == 0 ? 0 : found;
}

static void check_use(struct loader *l, const struct map *pairs, const struct blueprint_link_use *use) {
    bool unknown = is_blurred(l, use->a.element) || is_blurred(l, use->b.element);
    if (unknown || find_link(l, pairs, use) != 0) {
        return;
    }
    struct diag *d = diags_add(l->diags, DIAG_invalid_substitution, use->at, "no link leads from '%.*s' to '%.*s'",
                               SV_ARG(sv_slice(l->elements[use->a.element].name, 0, 80)),
                               SV_ARG(sv_slice(l->elements[use->b.element].name, 0, 80)));
    const struct blueprint_link_use turned = {use->b, use->a, use->at};
    if (find_link(l, pairs, &turned) != 0) {
        diag_set_hint(l->diags, d, "the link leads the other way");
    }
}

void refs_check_links(struct loader *l) {
    struct map pairs = MAP(&l->scratch);
    bool indexed = false;
    if (l->request->providers == NULL) {
        return;
    }
    l->path.len = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct blueprint_link_uses *uses = &l->all_link_uses[i];
        if (uses->count > 0 && !indexed) {
            index_links(l, &pairs);
            indexed = true;
        }
        size_t from = loader_get_mark(l);
        for (size_t k = 0; k < uses->count; k++) {
            check_use(l, &pairs, &uses->items[k]);
        }
        loader_tag(l, from, i);
        arena_fini(&l->brief);
    }
}

/* --- edges --- */

static uint32_t find_number(struct loader *l, const struct blueprint_link_use *use) {
    sv a = l->elements[use->a.element].name, b = l->elements[use->b.element].name;
    addr address =
        addr_make(&l->brief, (sv){0}, ELEMENT_LINK, arena_printf(&l->brief, "%.*s::%.*s", SV_ARG(a), SV_ARG(b)));
    return (uint32_t)((uintptr_t)map_find(&l->template->link_by_address, address.text) - 1);
}

void refs_add_link_edges(struct loader *l) {
    for (uint32_t i = 0; i < l->count; i++) {
        const struct blueprint_link_uses *asked = &l->all_link_uses[i];
        if (asked->count == 0) {
            continue;
        }
        struct element *e = &l->elements[i];
        struct element_edge *uses = ARENA_ARRAY(l->arena, struct element_edge, e->use_count + asked->count);
        memcpy(uses, e->uses, e->use_count * sizeof *uses);
        for (size_t k = 0; k < asked->count; k++) {
            uint32_t number = find_number(l, &asked->items[k]);
            if (number != UINT32_MAX) {
                uses[e->use_count++] = (struct element_edge){number, EDGE_LINK, true, asked->items[k].at};
            }
        }
        e->uses = uses;
        arena_fini(&l->brief);
    }
}
