#include "views/explain.h"

enum { EXPLAIN_DEPTH = 200, EXPLAIN_PARTS = 10000 };

struct explainer {
    const struct explain_request *r;
    struct arena *a;
    const struct template *t;
    struct map seen; /* addresses with property that have been explained */
    size_t depth, parts;
};

/* --- notes --- */

/* The bytes of both pointers are the key. */
static sv make_key(struct arena *a, const struct expr *e, const struct cell *in) {
    const void *parts[] = {e, in};
    char *bytes = arena_alloc(a, sizeof parts);
    memcpy(bytes, parts, sizeof parts);
    return sv_make(bytes, sizeof parts);
}

static void note(void *user, const struct expr *e, const struct cell *in, value result) {
    struct explain_notes *n = user;
    value *kept = ARENA_NEW(n->arena, value);
    *kept = result;
    map_put(&n->results, make_key(n->arena, e, in), kept);
}

void explain_notes_init(struct explain_notes *n, struct arena *a) {
    *n = (struct explain_notes){.arena = a, .results = MAP(a)};
    n->observer = (struct observer){n, note};
}

/* Kind 0 when it was not evaluated there. */
static value find_result(const struct explainer *x, const struct expr *e, const struct cell *in) {
    const void *parts[] = {e, in};
    const value *found = map_find(&x->r->notes->results, sv_make((const char *)parts, sizeof parts));
    return found != NULL ? *found : e->kind == EXPR_LITERAL ? e->literal : (value){0};
}

/* --- building --- */

static struct explanation *new_part(struct explainer *x, struct explanation *parent, enum explain_kind kind, sv name) {
    struct explanation *e = ARENA_NEW(x->a, struct explanation);
    e->kind = kind;
    e->name = name;
    x->parts++;
    if (parent != NULL) {
        VEC_PUSH(x->a, &parent->parts, e);
    }
    return e;
}

static void explain_element(struct explainer *x, struct explanation *parent, uint32_t number, struct path property);

/* A cell with the expression that fills it, and what of the property lies inside of its value. */
struct origin {
    const struct expr *expr;
    struct cell *cell;
    size_t used; /* steps of the property that lead to the cell */
};

static bool is_step(struct path p, size_t i, const char *name) {
    return i < p.len && !p.steps[i].is_index && sv_eq_cstr(p.steps[i].key, name);
}

static struct origin find_resource_origin(const struct element *e, struct element_cells *cells, struct path p) {
    if (is_step(p, 0, "condition")) {
        return (struct origin){e->condition, cells->condition, 1};
    }
    if (is_step(p, 0, "description")) {
        return (struct origin){e->description_expr, cells->description, 1};
    }
    if (is_step(p, 0, "metadata")) {
        if (is_step(p, 1, "displayName")) {
            return (struct origin){e->display_name, cells->display_name, 2};
        }
        if (is_step(p, 1, "annotations")) {
            return (struct origin){e->annotations, cells->annotations, 2};
        }
        return (struct origin){is_step(p, 1, "custom") ? e->custom : NULL, cells->custom, 2};
    }
    bool is_data = is_step(p, 0, "spec") || is_step(p, 0, "state");
    return (struct origin){p.len == 0 || is_data ? e->spec : NULL, &cells->main, is_data ? 1 : 0};
}

static struct origin find_origin(struct explainer *x, uint32_t number, struct path p) {
    const struct element *e = &x->t->elements[number];
    struct element_cells *cells = &x->r->evaluation->cells[number];
    if (e->kind == ELEMENT_RESOURCE) {
        return find_resource_origin(e, cells, p);
    }
    return (struct origin){e->expr, &cells->main, 0};
}

/* Down through what stands in the file, as far as the property leads. */
static const struct expr *walk_expr(const struct expr *e, struct path p, size_t *used) {
    while (e != NULL && *used < p.len) {
        const struct path_step *step = &p.steps[*used];
        const struct expr *next = NULL;
        for (uint32_t i = 0; e->kind == EXPR_OBJECT && !step->is_index && i < e->count; i++) {
            next = sv_eq(e->call.names[i], step->key) ? e->call.args[i] : next;
        }
        if (e->kind == EXPR_LIST && step->is_index && step->index < e->count) {
            next = e->call.args[step->index];
        }
        bool is_container = e->kind == EXPR_OBJECT || e->kind == EXPR_LIST;
        if (next == NULL) {
            return is_container ? NULL : e;
        }
        e = next;
        ++*used;
    }
    return e;
}

static struct path get_rest(struct path p, size_t used) {
    return (struct path){p.steps + used, p.len - used};
}

static void explain_expr(struct explainer *x, struct explanation *parent, const struct expr *e, const struct cell *in);

static void explain_ref(struct explainer *x, struct explanation *parent, const struct expr *e, const struct cell *in) {
    struct reference_target target;
    bool is_found =
        in != NULL && x->t->ops->find_target != NULL && x->t->ops->find_target(x->t, x->a, e, in->scope, &target);
    if (!is_found) {
        struct explanation *part = new_part(x, parent, EXPLAIN_SCOPE, span_get_text(x->t->sources, e->at));
        part->result = find_result(x, e, in);
        return;
    }
    explain_element(x, parent, target.element, target.property);
    if (parent->parts.len > 0) {
        struct explanation *last = parent->parts.items[parent->parts.len - 1];
        value result = find_result(x, e, in);
        last->result = value_is_set(result) ? result : last->result;
    }
}

static void explain_args(struct explainer *x, struct explanation *parent, const struct expr *e, const struct cell *in) {
    for (uint32_t i = 0; i < e->count; i++) {
        bool is_pair = (e->kind == EXPR_OBJECT && e->op == EXPR_COMPUTED_KEYS);
        if (e->call.args[i]->kind != EXPR_LITERAL || is_pair) {
            explain_expr(x, parent, e->call.args[i], in);
        }
    }
}

static void explain_call(struct explainer *x, struct explanation *parent, const struct expr *e, const struct cell *in) {
    struct explanation *part = new_part(x, parent, EXPLAIN_CALL, e->call.fn != NULL ? e->call.fn->name : SV("call"));
    part->at = e->at;
    part->result = find_result(x, e, in);
    part->is_skipped = !value_is_set(part->result);
    if (!part->is_skipped) {
        explain_args(x, part, e, in);
    }
}

static void explain_expr(struct explainer *x, struct explanation *parent, const struct expr *e, const struct cell *in) {
    if (x->depth >= EXPLAIN_DEPTH || x->parts >= EXPLAIN_PARTS) {
        return;
    }
    x->depth++;
    switch ((enum expr_kind)e->kind) {
    case EXPR_REF:
        explain_ref(x, parent, e, in);
        break;
    case EXPR_CALL:
        explain_call(x, parent, e, in);
        break;
    case EXPR_INDEX:
        explain_expr(x, parent, e->ref.base, in);
        break;
    case EXPR_TEMPLATE:
    case EXPR_COND:
    case EXPR_LIST:
    case EXPR_OBJECT:
    case EXPR_DIRECTIVE:
        explain_args(x, parent, e, in);
        break;
    case EXPR_LITERAL:
    case EXPR_LAMBDA:
    case EXPR_ERROR:
        break;
    }
    x->depth--;
}

/* --- elements --- */

static void explain_variable(struct explainer *x, struct explanation *part, const struct element *e) {
    const struct template_input *given = NULL;
    for (size_t i = 0; i < x->r->input_count && e->group == 0; i++) {
        given = sv_eq(x->r->inputs[i].name, e->name) ? &x->r->inputs[i] : given;
    }
    if (given != NULL) {
        const struct source *source = sources_find(x->t->sources, given->at.source);
        struct explanation *input = new_part(x, part, EXPLAIN_INPUT, source != NULL ? source->name : SV("given"));
        input->at = given->at;
    } else if (e->expr != NULL && e->expr->kind == EXPR_LITERAL) {
        new_part(x, part, EXPLAIN_DEFAULT, SV("default"))->at = e->expr->at;
    }
}

static void explain_field_without_text(struct explainer *x, struct explanation *part, const struct element *e,
                                       struct path p) {
    const struct schema *schema = e->resource_type != NULL ? e->resource_type->schema : NULL;
    const struct schema *s = schema != NULL ? schema_find_path(schema, p) : NULL;
    for (size_t i = 0; i < x->t->link_count && s != NULL; i++) {
        const struct template_link *l = &x->t->links[i];
        if (&x->t->elements[l->a] == e || &x->t->elements[l->b] == e) {
            new_part(x, part, EXPLAIN_LINK, l->address.text)->at = l->at;
        }
    }
    if (s == NULL) {
        return;
    }
    if ((s->flags & (SCHEMA_COMPUTED | SCHEMA_COMPUTED_WHEN_OMITTED)) != 0) {
        new_part(x, part, EXPLAIN_COMPUTED, e->type_text);
    } else if (s->default_json != NULL) {
        new_part(x, part, EXPLAIN_DEFAULT, e->type_text);
    }
}

static value find_merged(struct explainer *x, uint32_t number, struct path p) {
    struct evaluation *e = x->r->evaluation;
    if (e->demand_resource == NULL) {
        return value_unknown(NULL);
    }
    value merged = e->demand_resource(e->user, e, number, is_step(p, 0, "state"));
    return value_find_path(merged, get_rest(p, 1));
}

static value eval_property(struct explainer *x, uint32_t number, const struct origin *o, struct path p) {
    const struct element *e = &x->t->elements[number];
    value whole = eval_cell(x->r->evaluation->evaluator, o->cell);
    value result = value_is_error(whole) ? whole : value_find_path(whole, get_rest(p, o->used));
    bool is_data = e->kind == ELEMENT_RESOURCE && p.len > 1 && (is_step(p, 0, "spec") || is_step(p, 0, "state"));
    return !value_is_set(result) && is_data ? find_merged(x, number, p) : result;
}

static sv make_name(struct explainer *x, const struct element *e, struct path p) {
    struct buf out = BUF(x->a);
    buf_append(&out, e->address.text);
    if (p.len > 0 && !p.steps[0].is_index) {
        buf_append_char(&out, '.');
    }
    path_print(&out, p);
    return buf_get_sv(&out);
}

static void explain_content(struct explainer *x, struct explanation *part, uint32_t number, struct path p) {
    const struct element *e = &x->t->elements[number];
    struct origin o = find_origin(x, number, p);
    size_t used = o.used;
    const struct expr *expr = o.expr != NULL ? walk_expr(o.expr, p, &used) : NULL;
    part->result = o.cell != NULL ? eval_property(x, number, &o, p) : (value){0};
    part->at = expr != NULL && e->kind != ELEMENT_VARIABLE ? expr->at : e->at;
    if (e->kind == ELEMENT_VARIABLE) {
        explain_variable(x, part, e);
    }
    if (e->kind == ELEMENT_DATA) {
        new_part(x, part, EXPLAIN_DATA, e->type_text)->at = e->at;
    }
    if (expr != NULL) {
        explain_expr(x, part, expr, o.cell);
    }
    bool has_text = expr != NULL && (expr->kind != EXPR_LITERAL || used == p.len ||
                                     value_is_set(value_find_path(expr->literal, get_rest(p, used))));
    if (e->kind == ELEMENT_RESOURCE && p.len > o.used && !has_text) {
        part->at = e->at;
        explain_field_without_text(x, part, e, get_rest(p, o.used));
    }
}

static void explain_element(struct explainer *x, struct explanation *parent, uint32_t number, struct path property) {
    sv name = make_name(x, &x->t->elements[number], property);
    bool is_seen = map_has(&x->seen, name) || x->depth >= EXPLAIN_DEPTH;
    struct explanation *part = new_part(x, parent, is_seen ? EXPLAIN_SEEN : EXPLAIN_ELEMENT, name);
    if (is_seen) {
        return;
    }
    map_put(&x->seen, name, part);
    x->depth++;
    explain_content(x, part, number, property);
    x->depth--;
}

struct explanation *explain_make(const struct explain_request *r) {
    struct explainer x = {.r = r, .a = r->arena, .t = r->evaluation->template, .seen = MAP(r->arena)};
    struct explanation top = {.kind = EXPLAIN_ELEMENT};
    explain_element(&x, &top, template_get_number(x.t, r->element), r->property);
    struct explanation *e = top.parts.items[0];
    return value_is_set(e->result) ? e : NULL;
}
