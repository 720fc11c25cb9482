/* What link types demand (BP-165): how many links each side has, annotations, and capabilities that other links give.
 */
#include "dialects/blueprint/links.h"
#include "dialects/blueprint/scalars.h"
#include "model/link_annotation.h"

enum { BRIEF_LINKS = 1000 }; /* after so many the arena of checks is emptied */

/* --- cardinality --- */

struct side_count {
    const struct link_type *type;
    bool is_a;
    uint32_t *counts;                  /* per element */
    const struct template_link **last; /* per element: the link that was counted last */
};

static void report_cardinality(struct loader *l, const struct side_count *c, uint32_t number) {
    const struct link_cardinality *limits = c->is_a ? &c->type->cardinality_a : &c->type->cardinality_b;
    const struct element *e = &l->elements[number];
    size_t count = c->counts[number];
    size_t from = loader_get_mark(l);
    if (limits->max > 0 && count > limits->max) {
        diags_add(l->diags, DIAG_link_cardinality_exceeded, c->last[number]->at,
                  "resource '%.*s' has %zu links of '%.*s' and '%.*s', at most %zu are possible",
                  SV_ARG(sv_slice(e->name, 0, 80)), count, SV_ARG(c->type->type_a), SV_ARG(c->type->type_b),
                  limits->max);
    } else if (count < limits->min) {
        diags_add(l->diags, DIAG_link_cardinality_not_met, e->at,
                  "resource '%.*s' has %zu links of '%.*s' and '%.*s', it needs %zu", SV_ARG(sv_slice(e->name, 0, 80)),
                  count, SV_ARG(c->type->type_a), SV_ARG(c->type->type_b), limits->min);
    }
    loader_tag(l, from, number);
}

static void check_side(struct loader *l, const struct link_type *type, bool is_a) {
    const struct link_cardinality *limits = is_a ? &type->cardinality_a : &type->cardinality_b;
    if (limits->min == 0 && limits->max == 0) {
        return;
    }
    struct side_count c = {type, is_a, ARENA_ARRAY(&l->brief, uint32_t, l->count),
                           ARENA_ARRAY(&l->brief, const struct template_link *, l->count)};
    for (size_t i = 0; i < l->template->link_count; i++) {
        const struct template_link *link = &l->template->links[i];
        uint32_t number = is_a ? link->a : link->b;
        if (link->type == type) {
            c.counts[number]++;
            c.last[number] = link;
        }
    }
    sv wanted = is_a ? type->type_a : type->type_b;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct resource_type *t = l->elements[i].resource_type;
        if (t != NULL && sv_eq(t->name, wanted) && !l->entries[i].broken) {
            report_cardinality(l, &c, i);
        }
    }
    arena_fini(&l->brief);
}

/* --- annotations --- */

struct annotation_check {
    struct loader *l;
    const struct link_annotation *rule;
    uint32_t on, other;
    const struct template_link *link;
};

/* The annotation's value; UNKNOWN of its type when it is computed, kind 0 when it is not there. */
static value find_annotation(struct loader *l, uint32_t number, sv key) {
    const struct expr *x = l->elements[number].annotations;
    if (x == NULL) {
        return (value){0};
    }
    if (x->kind == EXPR_LITERAL) {
        return x->literal.kind == VALUE_MAP ? value_map_find(x->literal, key) : value_unknown(NULL);
    }
    for (uint32_t i = 0; x->kind == EXPR_OBJECT && i < x->count; i++) {
        if (sv_eq(x->call.names[i], key)) {
            l->current = number;
            return l->entries[number].broken ? value_unknown(NULL) : types_get_value(l, x->call.args[i], NULL);
        }
    }
    if (x->kind != EXPR_OBJECT) {
        return value_unknown(NULL);
    }
    return (value){0};
}

static span find_annotation_place(const struct annotation_check *c, sv key) {
    const struct node *n = c->l->entries[c->on].annotations;
    const struct node *found = n != NULL ? node_find(n, key) : NULL;
    return found != NULL ? found->at : c->l->elements[c->on].at;
}

/* What is computed: text may be parsed as anything, the rest must have the type (BP-314). */
static void check_annotation_type(const struct annotation_check *c, sv key, const struct type *t, span at) {
    enum value_kind kind = link_annotation_get_kind(c->rule);
    if (t == NULL || kind == 0 || type_fits(&type_text, t) || type_fits(scalars_get_type(kind), t)) {
        return;
    }
    struct buf type = BUF(&c->l->brief);
    type_print(&type, t);
    diags_add(c->l->diags, DIAG_link_annotation_invalid, at, "annotation '%.*s' must be of type '%s', not %.*s",
              SV_ARG(sv_slice(key, 0, 120)), value_get_kind_name(kind), SV_ARG(buf_get_sv(&type)));
}

static void check_annotation(const struct annotation_check *c) {
    struct loader *l = c->l;
    const struct element *e = &l->elements[c->on];
    sv key = link_annotation_get_key(&l->brief, c->rule, l->elements[c->other].name);
    value v = find_annotation(l, c->on, key);
    span at = find_annotation_place(c, key);
    size_t from = loader_get_mark(l);
    if (v.kind == 0 && c->rule->required) {
        struct diag *d =
            diags_add(l->diags, DIAG_link_annotation_missing, at,
                      "the link '%.*s' needs the annotation '%.*s' on resource '%.*s'", SV_ARG(c->link->address.text),
                      SV_ARG(sv_slice(key, 0, 120)), SV_ARG(sv_slice(e->name, 0, 80)));
        diag_add_related(l->diags, d, c->link->at, "the link is selected here");
    } else if (value_is_scalar(v)) {
        enum link_annotation_fault fault = link_annotation_check(&l->brief, c->rule, v);
        if (fault != LINK_ANNOTATION_FINE) {
            link_annotation_report(l->diags, c->rule, fault, key, at);
        }
    } else if (v.kind == VALUE_UNKNOWN) {
        check_annotation_type(c, key, v.type, at);
    }
    loader_tag(l, from, c->on);
}

static void check_annotations(struct loader *l, const struct template_link *link) {
    for (size_t i = 0; i < link->type->annotation_count; i++) {
        struct annotation_check c = {.l = l, .rule = &link->type->annotations[i], .link = link};
        if (c.rule->side != LINK_SIDE_B) {
            c.on = link->a;
            c.other = link->b;
            check_annotation(&c);
        }
        if (c.rule->side != LINK_SIDE_A) {
            c.on = link->b;
            c.other = link->a;
            check_annotation(&c);
        }
    }
}

/* --- capabilities --- */

/* How many links give the resource this capability: a number in the place of a pointer. */
static void **get_slot(struct map *given, uint32_t number, sv capability) {
    return map_get_slot(given, arena_printf(given->arena, "%u %.*s", number, SV_ARG(capability)), NULL);
}

static void add_capability(struct map *given, uint32_t number, sv capability) {
    void **slot = get_slot(given, number, capability);
    *slot = (void *)((uintptr_t)*slot + 1);
}

static void count_capabilities(struct map *given, const struct template_link *link) {
    for (size_t i = 0; i < link->type->provides_count; i++) {
        add_capability(given, link->a, link->type->provides[i]);
        add_capability(given, link->b, link->type->provides[i]);
    }
}

/* A link does not help itself. */
static bool is_given(struct map *given, const struct template_link *link, sv capability) {
    uintptr_t own = 0;
    for (size_t i = 0; i < link->type->provides_count; i++) {
        own += sv_eq(link->type->provides[i], capability);
    }
    return (uintptr_t)*get_slot(given, link->a, capability) > own ||
           (uintptr_t)*get_slot(given, link->b, capability) > own;
}

static void check_capabilities(struct loader *l) {
    struct map given = MAP(&l->brief);
    for (size_t i = 0; i < l->template->link_count; i++) {
        count_capabilities(&given, &l->template->links[i]);
    }
    for (size_t i = 0; i < l->template->link_count; i++) {
        const struct template_link *link = &l->template->links[i];
        size_t from = loader_get_mark(l);
        for (size_t k = 0; k < link->type->requires_count; k++) {
            sv capability = link->type->requires[k];
            if (!is_given(&given, link, capability)) {
                diags_add(l->diags, DIAG_link_capability_missing, link->at,
                          "the link '%.*s' needs the capability '%.*s', which no other link of its resources provides",
                          SV_ARG(link->address.text), SV_ARG(sv_slice(capability, 0, 80)));
            }
        }
        loader_tag(l, from, link->a);
    }
    arena_fini(&l->brief);
}

void links_check_rules(struct loader *l) {
    const struct providers *providers = l->request->providers;
    for (size_t i = 0; providers != NULL && i < providers->count; i++) {
        for (size_t k = 0; k < providers->items[i]->link_count; k++) {
            check_side(l, providers->items[i]->links[k], true);
            check_side(l, providers->items[i]->links[k], false);
        }
    }
    for (size_t i = 0; i < l->template->link_count; i++) {
        check_annotations(l, &l->template->links[i]);
        if (i % BRIEF_LINKS == 0) {
            arena_fini(&l->brief);
        }
    }
    arena_fini(&l->brief);
    check_capabilities(l);
}
