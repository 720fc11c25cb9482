/* Seeds: what can be known of one copy of a file before the whole is expanded. Resources and children are unknown in
 * it; variables get what the parent passes when they are first asked for. */
#include "dialects/blueprint/children.h"
#include "dialects/blueprint/evaluate.h"
#include "dialects/blueprint/expand.h"

struct seeding {
    struct expander *x;
    struct copy *copy;
};

/* Recursion: at most as deep as children are. The parent's evaluator is at rest while one of its children is
 * expanded. */
static void bind(void *user, struct evaluation *e, uint32_t variable) {
    struct seeding *s = user;
    struct copy *c = s->copy;
    struct cell *cell = &e->cells[variable].main;
    const struct element *declared = &c->file->elements[variable];
    const struct expr *given = c->passed[variable];
    if (given == NULL) {
        return; /* its default */
    }
    struct evaluation *parent = expand_get_seed(s->x, c->parent);
    struct scope *scope = c->seed_outer != NULL ? c->seed_outer : c->parent->seed_scope;
    struct cell one = {
        .expr = given, .scope = scope, .path = cell->path, .at = cell->at}; /* known to uuid by its path */
    value v = eval_cell(parent->evaluator, &one);
    cell_set(cell, v.kind == VALUE_ERROR ? v : blueprint_take_input(e->evaluator, c->data, declared, given->at, v));
}

/* The elements of the file with the addresses of the copy: functions and data sources are known by them. */
static struct element *copy_elements(struct expander *x, struct copy *c) {
    struct element *elements = ARENA_ARRAY(&x->scratch, struct element, c->file->element_count + 1);
    memcpy(elements, c->file->elements, c->file->element_count * sizeof *elements);
    for (size_t i = 0; i < c->file->element_count; i++) {
        sv address = elements[i].address.text;
        elements[i].address.text = arena_printf(x->arena, "%.*s%.*s", SV_ARG(c->prefix), SV_ARG(address));
        elements[i].scope = c->seed_scope;
    }
    return elements;
}

static const struct template *make_view(struct expander *x, struct copy *c) {
    if (c->parent == NULL) {
        c->seed_scope = c->file->scope;
        return c->file;
    }
    struct blueprint_names *names = ARENA_NEW(&x->scratch, struct blueprint_names);
    *names = (struct blueprint_names){.file = c->data, .prefix = c->prefix};
    c->seed_scope = ARENA_NEW(&x->scratch, struct scope);
    *c->seed_scope = (struct scope){.owner = names};
    struct template *view = ARENA_NEW(&x->scratch, struct template);
    *view = *c->file;
    view->elements = copy_elements(x, c);
    view->root_dir = x->root->root_dir; /* BP-404 */
    return view;
}

/* Cells of variables to which something is passed wait for it. */
static void open_variables(struct expander *x, struct copy *c) {
    c->passed = ARENA_ARRAY(&x->scratch, const struct expr *, c->file->element_count + 1);
    for (size_t i = 0; i < c->file->element_count; i++) {
        const struct element *e = &c->file->elements[i];
        const struct expr *given = e->kind == ELEMENT_VARIABLE ? child_find_input(c->child, e) : NULL;
        if (given != NULL) {
            c->passed[i] = given;
            cell_reset(&c->seed->cells[i].main);
        }
    }
}

struct evaluation *expand_get_seed(struct expander *x, struct copy *c) {
    if (c->seed != NULL) {
        return c->seed;
    }
    c->seed = ARENA_NEW(&x->scratch, struct evaluation);
    *c->seed = (struct evaluation){.template = make_view(x, c),
                                   .arena = &x->scratch,
                                   .diags = x->diags,
                                   .demand_data = x->r->demand_data,
                                   .user = x->r->user};
    c->file->ops->start_evaluation(c->seed->template, c->seed, &x->r->world);
    if (c->parent != NULL) {
        struct seeding *s = ARENA_NEW(&x->scratch, struct seeding);
        *s = (struct seeding){x, c};
        struct blueprint_evaluation *b = eval_get_user(c->seed->evaluator);
        b->bind = bind;
        b->bind_user = s;
        open_variables(x, c);
    }
    return c->seed;
}
