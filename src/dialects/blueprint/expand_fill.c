/* The second pass: elements and edges. */
#include "dialects/blueprint/children.h"
#include "dialects/blueprint/expand.h"
#include "dialects/blueprint/refs.h"

/* --- elements --- */

static sv make_name(struct expander *x, const struct slot *s, sv name) {
    return s->item == 0 ? name : arena_printf(x->arena, "%.*s_%u", SV_ARG(name), s->item - 1);
}

/* A template as a whole has no data of its own; its instances have. */
static void make_group(struct element *e) {
    e->kind = ELEMENT_TEMPLATE;
    e->condition = NULL;
    e->spec = NULL;
    e->display_name = e->annotations = e->custom = e->description_expr = NULL;
}

/* A variable of a child gets what the parent passes, in the parent's scope. */
static void pass_variable(struct element *e, const struct slot *s, struct blueprint_origin *origin) {
    const struct copy *c = s->copy;
    const struct expr *given = c->child != NULL ? child_find_input(c->child, e) : NULL;
    if (given != NULL) {
        e->expr = given;
        e->scope = c->outer;
        origin->passed_by = c->child_element;
    }
}

static void make_element(struct expander *x, const struct slot *s, struct element *e, struct blueprint_origin *origin) {
    const struct element *from = &s->copy->file->elements[s->origin];
    *e = *from;
    e->address.text = s->address;
    e->name = make_name(x, s, from->name);
    e->scope = s->scope;
    e->group = s->group;
    e->group_end = s->group_end;
    e->uses = NULL;
    e->use_count = 0;
    *origin = (struct blueprint_origin){.element = from, .copy = s->copy->names};
    origin->content = s->content != NULL ? s->content->names : NULL;
    if (s->item > 0) {
        e->template_name = from->name;
        e->each = NULL;
    }
    if (s->kind == ELEMENT_TEMPLATE) {
        make_group(e);
    } else if (s->kind == ELEMENT_VARIABLE) {
        pass_variable(e, s, origin);
    }
}

/* --- edges --- */

struct edge_builder {
    struct expander *x;
    struct template *t;
    uint32_t *marks; /* per slot, a row per kind: stamp of the last list with such an edge */
    uint32_t stamp;
    uint64_t room; /* edges that may still be made */
    VEC(struct element_edge) items;
};

static void push(struct edge_builder *b, uint32_t to, const struct element_edge *like) {
    uint32_t *mark = &b->marks[to * 2u + (like->kind == EDGE_DEPENDS_ON)];
    if (*mark != b->stamp) {
        *mark = b->stamp;
        VEC_PUSH(&b->x->scratch, &b->items, ((struct element_edge){to, like->kind, like->direct, like->at}));
    }
}

static void push_use(struct edge_builder *b, const struct copy *c, const struct element_edge *use,
                     const struct blueprint_use *what) {
    uint32_t to = c->names->numbers[use->to];
    const struct slot *s = &b->x->slots.items[to];
    if (s->kind == ELEMENT_TEMPLATE && what != NULL && what->item > 0) {
        const struct blueprint_instances *all = &c->names->instances[use->to];
        if (what->item > all->count) {
            return; /* reported when it is evaluated (BP-154) */
        }
        to = all->numbers[what->item - 1];
        s = &b->x->slots.items[to];
    }
    push(b, to, use);
    if (s->content != NULL && what != NULL && what->export.len > 0) {
        uintptr_t found = (uintptr_t)map_find(&s->content->data->names[ELEMENT_EXPORT], what->export);
        if (found != 0) {
            push(b, s->content->names->numbers[found - 1], use);
        }
    }
}

static const struct element *find_side(const struct edge_builder *b, const struct copy *c,
                                       const struct blueprint_link_side *side) {
    uint32_t number = c->names->numbers[side->element];
    if (side->item > 0) {
        const struct blueprint_instances *all = &c->names->instances[side->element];
        if (side->item > all->count) {
            return NULL;
        }
        number = all->numbers[side->item - 1];
    }
    return &b->t->elements[number];
}

static void push_link(struct edge_builder *b, const struct copy *c, const struct blueprint_link_use *use) {
    const struct element *one = find_side(b, c, &use->a), *two = find_side(b, c, &use->b);
    if (one == NULL || two == NULL) {
        return;
    }
    struct arena *a = &b->x->scratch;
    sv name = arena_printf(a, "%.*s::%.*s", SV_ARG(one->name), SV_ARG(two->name));
    uintptr_t found = (uintptr_t)map_find(&b->t->link_by_address, addr_make(a, c->prefix, ELEMENT_LINK, name).text);
    if (found != 0) {
        VEC_PUSH(a, &b->items, ((struct element_edge){(uint32_t)(found - 1), EDGE_LINK, true, use->at}));
    }
}

static const struct element_edge *keep(struct edge_builder *b, size_t *count) {
    *count = b->items.len;
    b->room -= b->items.len < b->room ? b->items.len : b->room;
    if (b->items.len == 0) {
        return NULL;
    }
    struct element_edge *uses = ARENA_ARRAY(b->x->arena, struct element_edge, b->items.len);
    memcpy(uses, b->items.items, b->items.len * sizeof *uses);
    return uses;
}

static void begin_list(struct edge_builder *b) {
    b->stamp++;
    b->items.len = 0;
}

/* The same for all instances of a template: made once for each copy of a file. */
static void make_uses(struct edge_builder *b, struct copy *c, uint32_t origin) {
    const struct element *from = &c->file->elements[origin];
    const struct blueprint_use *what = c->data->uses[origin];
    begin_list(b);
    for (size_t i = 0; i < from->use_count; i++) {
        if (from->uses[i].kind != EDGE_LINK) {
            push_use(b, c, &from->uses[i], what != NULL ? &what[i] : NULL);
        }
    }
    const struct blueprint_link_uses *links = &c->data->link_uses[origin];
    for (size_t i = 0; i < links->count; i++) {
        push_link(b, c, &links->items[i]);
    }
    c->uses[origin] = keep(b, &c->use_counts[origin]);
}

/* A template as a whole uses what `each` does. */
static void make_group_uses(struct edge_builder *b, const struct slot *s, struct element *e) {
    const struct copy *c = s->copy;
    const struct element *from = &c->file->elements[s->origin];
    begin_list(b);
    for (uint32_t i = 0; i < c->data->each_uses[s->origin]; i++) {
        push_use(b, c, &from->uses[i], NULL);
    }
    e->uses = keep(b, &e->use_count);
}

struct passed_walk {
    struct edge_builder *b;
    const struct copy *parent;
};

static bool visit_passed(void *user, const struct expr *e) {
    struct passed_walk *w = user;
    if (e->kind != EXPR_REF) {
        return true;
    }
    struct ref_target t = ref_get_target(e);
    uintptr_t found = t.kind == 0 ? 0 : (uintptr_t)map_find(&w->parent->data->names[t.kind], t.name);
    if (found == 0) {
        return false;
    }
    uint32_t to = (uint32_t)(found - 1);
    struct blueprint_use what = {0};
    bool is_template = w->parent->file->elements[to].each != NULL;
    if (is_template && ref_has_index(e, t.first)) {
        what.item = (uint32_t)e->ref.steps[t.first++].index + 1;
    }
    what.export = w->parent->file->elements[to].kind == ELEMENT_CHILD ? ref_get_export(e, t.kind, t.first) : (sv){0};
    struct element_edge use = {.to = to, .kind = EDGE_REFERENCE, .direct = true, .at = t.at};
    push_use(w->b, w->parent, &use, &what);
    return false;
}

/* A variable of a child uses what the parent's expression does. */
static void make_variable_uses(struct edge_builder *b, const struct slot *s, struct element *e) {
    if (s->copy->parent == NULL || e->expr == NULL || e->expr->kind == EXPR_LITERAL) {
        return;
    }
    struct passed_walk w = {b, s->copy->parent};
    begin_list(b);
    expr_walk(e->expr, visit_passed, &w);
    e->uses = keep(b, &e->use_count);
}

static void make_edges(struct expander *x, struct template *t, struct element *elements) {
    struct edge_builder b = {.x = x, .t = t, .room = x->r->world.limits->list_items};
    b.marks = ARENA_ARRAY(&x->scratch, uint32_t, x->slots.len * 2 + 2);
    for (size_t i = 0; i < x->slots.len && b.room > 0; i++) {
        const struct slot *s = &x->slots.items[i];
        struct element *e = &elements[i];
        if (s->kind == ELEMENT_TEMPLATE) {
            make_group_uses(&b, s, e);
        } else if (s->kind == ELEMENT_VARIABLE) {
            make_variable_uses(&b, s, e);
        } else {
            if (s->item <= 1) {
                make_uses(&b, s->copy, s->origin);
            }
            e->uses = s->copy->uses[s->origin];
            e->use_count = s->copy->use_counts[s->origin];
        }
    }
    if (b.room == 0) {
        diags_add(x->diags, DIAG_limit_exceeded, SPAN_NONE, "the elements of the expanded blueprint use too much");
        x->failed = true;
    }
}

/* --- the whole --- */

static void make_data(struct expander *x, struct template *t, const struct blueprint_origin *origins) {
    const struct blueprint_data *root = x->root->dialect_data;
    struct blueprint_data *data = ARENA_NEW(x->arena, struct blueprint_data);
    *data = *root;
    data->origins = origins;
    t->dialect_data = data;
}

/* The map of the slots' numbers becomes that of the elements. */
static struct map take_addresses(struct expander *x, struct element *elements) {
    struct map *m = &x->by_address;
    for (size_t i = 0; i < m->len; i++) {
        m->entries[i].value = &elements[(uintptr_t)m->entries[i].value - 1];
    }
    return *m;
}

struct template *expand_fill(struct expander *x) {
    struct template *t = ARENA_NEW(x->arena, struct template);
    size_t count = x->slots.len;
    struct element *elements = ARENA_ARRAY(x->arena, struct element, count + 1);
    struct blueprint_origin *origins = ARENA_ARRAY(x->arena, struct blueprint_origin, count + 1);
    *t = *x->root;
    t->elements = elements;
    t->element_count = count;
    t->link_by_address = MAP(x->arena);
    t->scope = x->copies.items[0]->scope;
    t->is_expanded = true;
    for (size_t i = 0; i < count; i++) {
        make_element(x, &x->slots.items[i], &elements[i], &origins[i]);
    }
    t->by_address = take_addresses(x, elements);
    make_data(x, t, origins);
    expand_links(x, t);
    make_edges(x, t, elements);
    return t;
}
