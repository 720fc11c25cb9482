/* Links of an expanded template (BP-164): one per instance, pairs of instances by their index. */
#include "dialects/blueprint/expand.h"

struct link_builder {
    struct expander *x;
    struct template *t;
    struct copy *copy;
    const struct template_link *from;
    VEC(struct template_link) items;
    size_t limit;
};

static void add_link(struct link_builder *b, uint32_t one, uint32_t two) {
    const struct element *elements = b->t->elements;
    struct arena *a = b->x->arena;
    if (b->items.len >= b->limit) {
        return;
    }
    sv name = arena_printf(&b->x->scratch, "%.*s::%.*s", SV_ARG(elements[one].name), SV_ARG(elements[two].name));
    addr address = addr_make(a, b->copy->prefix, ELEMENT_LINK, name);
    void **slot = map_get_slot(&b->t->link_by_address, address.text, NULL);
    if (*slot != NULL) {
        return; /* one pair is linked once (BP-163) */
    }
    *slot = (void *)(uintptr_t)(b->items.len + 1);
    struct template_link link = {.address = address, .a = one, .b = two, .type = b->from->type, .at = b->from->at};
    VEC_PUSH(&b->x->scratch, &b->items, link);
}

static const struct blueprint_instances *find_instances(const struct link_builder *b, uint32_t origin) {
    bool is_template = b->copy->file->elements[origin].each != NULL;
    return is_template ? &b->copy->names->instances[origin] : NULL;
}

static void report_lengths(struct link_builder *b, uint32_t one, uint32_t two) {
    const struct element *elements = b->copy->file->elements;
    const struct element *a = &elements[b->from->a], *c = &elements[b->from->b];
    struct diag *d = diags_add(b->x->diags, DIAG_resource_template_link_length_mismatch, b->from->at,
                               "'%.*s' has %u instances and '%.*s' %u, so they cannot be linked in pairs",
                               SV_ARG(sv_slice(a->name, 0, 80)), one, SV_ARG(sv_slice(c->name, 0, 80)), two);
    if (d != b->x->diags->spare && d->path.len == 0) {
        d->path = b->t->elements[b->copy->names->numbers[b->from->a]].address.text;
        d->group = blueprint_get_group(ELEMENT_RESOURCE);
    }
    b->x->failed = true;
}

static void expand_link(struct link_builder *b, uint32_t b_item) {
    const struct template_link *from = b->from;
    const struct blueprint_instances *one = find_instances(b, from->a), *two = find_instances(b, from->b);
    const uint32_t *numbers = b->copy->names->numbers;
    uint32_t first = b_item > 0 ? b_item - 1 : 0;
    uint32_t end = two == NULL ? 1 : b_item == 0 ? two->count : b_item <= two->count ? b_item : first;
    if (one != NULL && two != NULL && b_item == 0) {
        if (one->count != two->count) {
            report_lengths(b, one->count, two->count);
        }
        for (uint32_t i = 0; i < one->count && i < two->count; i++) {
            add_link(b, one->numbers[i], two->numbers[i]);
        }
        return;
    }
    for (uint32_t i = 0; i < (one != NULL ? one->count : 1); i++) {
        for (uint32_t k = first; k < end && b->items.len < b->limit; k++) {
            add_link(b, one != NULL ? one->numbers[i] : numbers[from->a],
                     two != NULL ? two->numbers[k] : numbers[from->b]);
        }
    }
}

void expand_links(struct expander *x, struct template *t) {
    struct link_builder b = {.x = x, .t = t, .limit = x->r->world.limits->list_items};
    for (size_t i = 0; i < x->copies.len; i++) {
        b.copy = x->copies.items[i];
        for (size_t k = 0; k < b.copy->file->link_count && b.items.len < b.limit; k++) {
            b.from = &b.copy->file->links[k];
            expand_link(&b, b.copy->data->link_items[k]);
        }
    }
    if (b.items.len >= b.limit) {
        diags_add(x->diags, DIAG_limit_exceeded, SPAN_NONE, "the expanded blueprint has more than %zu links", b.limit);
        x->failed = true;
    }
    struct template_link *links = ARENA_ARRAY(x->arena, struct template_link, b.items.len + 1);
    if (b.items.len > 0) {
        memcpy(links, b.items.items, b.items.len * sizeof *links);
    }
    t->links = links;
    t->link_count = b.items.len;
}
