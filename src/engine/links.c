#include "engine/links.h"

#include "engine/fields.h"
#include "engine/specs.h"
#include "model/link_annotation.h"

#include <assert.h>

/* A spec of which nothing is known: every field of the schema, unknown. */
static value unknown_spec(struct arena *a, const struct resource_type *type) {
    struct map_builder b = {.arena = a};
    if (type != NULL && type->schema != NULL) {
        for (size_t i = 0; i < type->schema->attribute_count; i++) {
            const struct schema_attribute *attribute = &type->schema->attributes[i];
            map_add(&b, attribute->name, value_unknown(schema_get_type(a, attribute->schema)));
        }
    }
    return map_done(&b);
}

static value or_empty(struct arena *a, value v) {
    if (value_is_set(v)) {
        return v;
    }
    struct map_builder b = {.arena = a};
    return map_done(&b);
}

bool links_stage(struct link_call *call, const struct template *t, const struct template_link *l,
                 const struct link_sides *sides) {
    const struct element *a = &t->elements[l->a], *b = &t->elements[l->b];
    call->name_a = a->name;
    call->name_b = b->name;
    call->spec_a = value_is_set(sides->spec_a) ? sides->spec_a : unknown_spec(call->arena, a->resource_type);
    call->spec_b = value_is_set(sides->spec_b) ? sides->spec_b : unknown_spec(call->arena, b->resource_type);
    call->metadata_a = or_empty(call->arena, sides->metadata_a);
    call->metadata_b = or_empty(call->arena, sides->metadata_b);
    call->prior = sides->prior;
    call->at_a = a->at;
    call->at_b = b->at;
    if (l->type->stage != NULL && !l->type->stage(call)) {
        return false;
    }
    call->data = or_empty(call->arena, call->data);
    return true;
}

/* Metadata as far as it is literally in the template: enough to see where a link's contributions go. */
static value literal_metadata(struct arena *a, const struct element *e) {
    struct map_builder b = {.arena = a};
    if (e->annotations != NULL && e->annotations->kind == EXPR_LITERAL) {
        map_add(&b, SV("annotations"), e->annotations->literal);
    }
    if (value_is_set(e->labels)) {
        map_add(&b, SV("labels"), e->labels);
    }
    return map_done(&b);
}

struct link_order links_find_order(const struct template *t, const struct template_link *l) {
    struct link_order order = {0};
    bool a_first = l->type->hard && l->type->priority == LINK_SIDE_A;
    bool b_first = l->type->hard && l->type->priority == LINK_SIDE_B;
    if (l->type->stage != NULL) {
        struct arena scratch = {0};
        struct diags ignored;
        diags_init(&ignored, &scratch, NULL);
        struct link_call call = {.arena = &scratch, .diags = &ignored};
        struct link_sides sides = {
            .metadata_a = literal_metadata(&scratch, &t->elements[l->a]),
            .metadata_b = literal_metadata(&scratch, &t->elements[l->b]),
        };
        bool staged = links_stage(&call, t, l, &sides);
        order.gives_a = order.gives_b = !staged;
        for (size_t i = 0; staged && i < call.contributions.len; i++) {
            const struct link_contribution *c = &call.contributions.items[i];
            order.gives_a = order.gives_a || c->side != LINK_SIDE_B;
            order.gives_b = order.gives_b || c->side != LINK_SIDE_A;
            a_first = a_first || (!l->type->hard && c->needs_other && c->side == LINK_SIDE_B);
            b_first = b_first || (!l->type->hard && c->needs_other && c->side == LINK_SIDE_A);
        }
        arena_fini(&scratch);
    }
    if (a_first || b_first) {
        order.is_ordered = true;
        order.first = a_first ? l->a : l->b;
        order.second = a_first ? l->b : l->a;
    }
    return order;
}

/* --- contributions --- */

/* Fields laid over a resource's spec, with the link each comes from. */
struct contribution_set {
    struct arena *arena;
    struct diags *diags;
    const struct template *t;
    uint32_t element; /* the side that receives them */
    VEC(struct link_contribution) items;
    VEC(uint32_t) links;             /* beside items */
    const struct link_order *orders; /* of all links */
    struct map by_path;              /* text of the path → number in items */
};

static bool report_conflict(struct contribution_set *s, uint32_t first, uint32_t second, struct path path) {
    sv text = path_to_text(s->arena, path);
    const struct template_link *x = &s->t->links[first], *y = &s->t->links[second];
    struct diag *d =
        diags_add(s->diags, DIAG_link_contribution_conflict, s->t->elements[s->element].at,
                  "'%.*s' and '%.*s' set 'spec.%.*s' of '%.*s' to different values", SV_ARG(x->address.text),
                  SV_ARG(y->address.text), SV_ARG(text), SV_ARG(s->t->elements[s->element].name));
    diag_add_related(s->diags, d, x->at, "'%.*s' follows from here", SV_ARG(x->address.text));
    diag_add_related(s->diags, d, y->at, "'%.*s' follows from here", SV_ARG(y->address.text));
    return false;
}

/* The side that a hard link or another contribution puts first needs something of the side that comes behind it. */
static bool report_circle(struct contribution_set *s, uint32_t link) {
    const struct template_link *l = &s->t->links[link];
    const struct element *first = &s->t->elements[s->element];
    const struct element *second = &s->t->elements[l->a == s->element ? l->b : l->a];
    diags_add(s->diags, DIAG_operation_cycle, l->at,
              "operations wait for each other in a circle: C(%.*s) waits for C(%.*s) waits for C(%.*s)",
              SV_ARG(first->address.text), SV_ARG(second->address.text), SV_ARG(first->address.text));
    return false;
}

static bool add_one(struct contribution_set *s, uint32_t link, const struct link_contribution *c) {
    if (c->needs_other && s->orders[link].is_ordered && s->orders[link].first == s->element) {
        return report_circle(s, link);
    }
    if (s->by_path.arena == NULL) {
        s->by_path = MAP(s->arena);
    }
    bool is_new;
    void **slot = map_get_slot(&s->by_path, path_to_text(s->arena, c->path), &is_new);
    if (is_new) {
        *slot = (void *)(uintptr_t)s->items.len;
        VEC_PUSH(s->arena, &s->items, *c);
        VEC_PUSH(s->arena, &s->links, link);
        return true;
    }
    size_t i = (size_t)(uintptr_t)*slot;
    value before = s->items.items[i].item;
    bool can_tell = value_is_known(before) && value_is_known(c->item);
    if (can_tell && !value_eq(before, c->item)) {
        return report_conflict(s, s->links.items[i], link, c->path);
    }
    if (!value_is_known(c->item)) {
        s->items.items[i].item = c->item;
    }
    return true;
}

/* Keeps those for the set's element. False after a report. */
static bool add_contributions(struct contribution_set *s, uint32_t link, const struct link_call *call, uint8_t marks) {
    const struct template_link *l = &s->t->links[link];
    enum link_side side = l->a == s->element ? LINK_SIDE_A : LINK_SIDE_B;
    for (size_t i = 0; i < call->contributions.len; i++) {
        struct link_contribution c = call->contributions.items[i];
        c.item = marks == 0 ? c.item : spec_mark_leaves(s->arena, c.item, marks);
        if (c.side == side && !add_one(s, link, &c)) {
            return false;
        }
    }
    return true;
}

static bool has_contribution(const struct link_call *call, enum link_side side) {
    for (size_t i = 0; i < call->contributions.len; i++) {
        if (call->contributions.items[i].side == side) {
            return true;
        }
    }
    return false;
}

/* Whether the link gives the element anything at all. Where it does not, nobody asks for the other side's condition,
 * which may not be known yet. */
static bool gives_anything(struct contribution_set *set, uint32_t link, const struct link_sides *sides) {
    const struct template_link *l = &set->t->links[link];
    struct diags ignored;
    diags_init(&ignored, set->arena, NULL);
    struct link_call call = {.arena = set->arena, .diags = &ignored};
    enum link_side side = l->a == set->element ? LINK_SIDE_A : LINK_SIDE_B;
    return !links_stage(&call, set->t, l, sides) || has_contribution(&call, side);
}

/* `own`: what is known of the element itself; its record or plan does not have it yet. */
static bool stage_for(const struct link_world *w, struct contribution_set *set, uint32_t link, value own) {
    const struct template_link *l = &set->t->links[link];
    uint32_t n = set->element, other = l->a == n ? l->b : l->a;
    value theirs = w->get_spec(w->user, other);
    struct link_sides sides = {
        .spec_a = l->a == n ? own : theirs,
        .spec_b = l->a == n ? theirs : own,
        .metadata_a = w->get_metadata(w->user, l->a),
        .metadata_b = w->get_metadata(w->user, l->b),
        .prior = w->get_prior(w->user, link),
    };
    uint8_t marks = 0;
    if (topology_has_condition(w->topology, other)) {
        enum condition condition =
            gives_anything(set, link, &sides) ? w->get_condition(w->user, other) : CONDITION_FALSE;
        if (condition == CONDITION_FALSE) { /* the link does not follow from the template (BP-142), or gives nothing */
            return true;
        }
        marks = condition == CONDITION_OPEN ? MARK_PROVISIONAL : 0;
    }
    struct link_call call = {.arena = set->arena, .diags = w->diags};
    return links_stage(&call, set->t, l, &sides) && add_contributions(set, link, &call, marks);
}

value links_lay_over(const struct link_world *w, struct arena *a, uint32_t element, value spec) {
    const struct number_rows *rows = &w->topology->links;
    struct contribution_set set = {
        .arena = a, .diags = w->diags, .t = w->topology->t, .element = element, .orders = w->topology->orders};
    bool ok = true;
    for (uint32_t i = rows->starts[element]; i < rows->starts[element + 1]; i++) {
        ok = stage_for(w, &set, rows->items[i], spec) && ok;
    }
    if (set.items.len == 0) {
        return ok ? spec : value_error(NULL);
    }
    struct path_item *items = ARENA_ARRAY(a, struct path_item, set.items.len);
    for (size_t i = 0; i < set.items.len; i++) {
        items[i] = (struct path_item){set.items.items[i].path, set.items.items[i].item};
    }
    spec = value_with_paths(a, spec, items, set.items.len);
    return ok ? spec : value_error(NULL);
}

bool links_stage_known(const struct link_world *w, uint32_t link, struct link_call *call) {
    const struct template_link *l = &w->topology->t->links[link];
    struct link_sides sides = {
        .spec_a = w->get_spec(w->user, l->a),
        .spec_b = w->get_spec(w->user, l->b),
        .metadata_a = w->get_metadata(w->user, l->a),
        .metadata_b = w->get_metadata(w->user, l->b),
        .prior = w->get_prior(w->user, link),
    };
    return links_stage(call, w->topology->t, l, &sides) && link_check_annotations(call, l->type);
}

enum condition links_find_condition(const struct link_world *w, uint32_t link) {
    const struct template_link *l = &w->topology->t->links[link];
    enum condition a = w->get_condition(w->user, l->a), b = w->get_condition(w->user, l->b);
    if (a == CONDITION_FALSE || b == CONDITION_FALSE) {
        return CONDITION_FALSE;
    }
    return a == CONDITION_TRUE ? b : a;
}

value links_get_data(struct arena *a, const struct link_record *l) {
    value data = or_empty(a, l->data);
    return value_is_set(l->computed) ? schema_merge(a, data, l->computed) : data;
}

value links_get_state(struct arena *a, const struct link_record *l) {
    struct map_builder b = {.arena = a};
    struct list_builder list = {.arena = a};
    for (size_t i = 0; l->intermediaries.kind == VALUE_MAP && i < l->intermediaries.map->len; i++) {
        const struct value_entry *e = &l->intermediaries.map->entries[i];
        struct map_builder one = {.arena = a};
        map_add(&one, SV("resourceID"), value_string(a, e->key));
        map_add(&one, SV("resourceSpecData"), or_empty(a, field_get_value(e->item, "resourceSpecData")));
        list_add(&list, map_done(&one));
    }
    map_add(&b, SV("linkData"), links_get_data(a, l));
    map_add(&b, SV("intermediaryResourceStates"), list_done(&list));
    return map_done(&b);
}

value links_get_all_mappings(struct arena *a, const struct link_record *l) {
    bool has_both = value_is_set(l->mappings) && value_is_set(l->fields);
    return has_both ? schema_merge(a, l->mappings, l->fields) : value_is_set(l->fields) ? l->fields : l->mappings;
}

sv links_get_side(struct arena *a, sv link, sv name) {
    struct addr_parts parts;
    sv parent = addr_parse(a, link, &parts) ? parts.parent : (sv){0};
    return addr_make(a, parent, ELEMENT_RESOURCE, name).text;
}

const struct link_type *links_find_type(const struct providers *providers, const struct link_record *l) {
    return providers == NULL ? NULL : providers_find_link(providers, l->type_a, l->type_b);
}

value links_encode_intermediaries(struct arena *a, const struct link_intermediary *items, size_t count) {
    struct map_builder b = {.arena = a};
    for (size_t i = 0; i < count; i++) {
        struct map_builder one = {.arena = a};
        field_put_text(&one, "resourceType", items[i].type);
        map_add(&one, SV("owned"), value_bool(items[i].is_owned));
        field_put_value(&one, "resourceSpecData", items[i].state);
        map_set(&b, items[i].id, map_done(&one));
    }
    return count == 0 ? (value){0} : map_done(&b);
}

size_t links_decode_intermediaries(struct arena *a, value map, struct link_intermediary **items) {
    size_t count = map.kind == VALUE_MAP ? map.map->len : 0;
    *items = ARENA_ARRAY(a, struct link_intermediary, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct value_entry *e = &map.map->entries[i];
        (*items)[i] = (struct link_intermediary){.id = e->key,
                                                 .type = field_get_text(e->item, "resourceType"),
                                                 .is_owned = field_get_bool(e->item, "owned"),
                                                 .state = field_get_value(e->item, "resourceSpecData")};
    }
    return count;
}

value links_get_mappings(struct arena *a, const struct link_call *call) {
    if (call->contributions.len == 0) {
        return (value){0};
    }
    struct map_builder b = {.arena = a};
    for (size_t i = 0; i < call->contributions.len; i++) {
        const struct link_contribution *c = &call->contributions.items[i];
        sv name = c->side == LINK_SIDE_A ? call->name_a : call->name_b;
        sv path = path_to_text(a, c->path);
        map_set(&b, arena_printf(a, "%.*s::spec.%.*s", SV_ARG(name), SV_ARG(path)), value_string(a, path));
    }
    return map_done(&b);
}
