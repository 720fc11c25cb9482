#include "dialects/cfn/evaluate.h"

/* A cell made when somebody asks for it; found again by the address of its part. */
struct part_cell {
    struct cell cell;
    const struct cfn_part *part;
};

static const struct expr *make_expr(struct cfn_run *run, const struct cfn_part *part, const struct node *n);

/* A call in it: its value is shared with the walk that prints it. */
static const struct expr *make_slot(struct cfn_run *run, const struct cfn_part *part) {
    struct expr *e = expr_new(run->arena, EXPR_DIRECTIVE, part->expr->at);
    e->op = CFN_DIRECTIVE_PART;
    e->call.data = part;
    return e;
}

/* Depth is bounded: check has gone the same way. */
static const struct expr *make_container(struct cfn_run *run, const struct cfn_part *part) {
    const struct node *n = part->node;
    const struct expr **items = ARENA_ARRAY(run->arena, const struct expr *, n->count);
    sv *keys = n->kind == NODE_MAPPING ? ARENA_ARRAY(run->arena, sv, n->count) : NULL;
    uint32_t child = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        bool has_part = child < part->count && part->indices[child] == i;
        const struct node *below = n->kind == NODE_MAPPING ? n->pairs[i].value : n->items[i];
        items[i] = make_expr(run, has_part ? part->children[child] : NULL, below);
        child += has_part;
        if (keys != NULL)
            keys[i] = n->pairs[i].key->text.data == NULL ? SV("") : n->pairs[i].key->text;
    }
    return keys == NULL ? expr_new_list(run->arena, n->at, items, n->count)
                        : expr_new_object(run->arena, n->at, keys, items, n->count);
}

static const struct expr *make_expr(struct cfn_run *run, const struct cfn_part *part, const struct node *n) {
    if (part == NULL || part->is_text)
        return expr_new_literal(run->arena, n->at, cfn_literal_get(run, n));
    return part->expr != NULL ? make_slot(run, part) : make_container(run, part);
}

struct cell *cfn_part_get_cell(struct cfn_run *run, const struct cfn_part *part) {
    sv key = {(const char *)&part, sizeof(const struct cfn_part *)};
    struct part_cell *p = map_find(&run->part_cells, key);
    if (p != NULL)
        return &p->cell;
    p = ARENA_NEW(run->arena, struct part_cell);
    p->part = part;
    p->cell.expr = part->expr != NULL ? part->expr : make_container(run, part);
    p->cell.at = part->node->at;
    map_put(&run->part_cells, sv_make((const char *)&p->part, sizeof(const struct cfn_part *)), p);
    return &p->cell;
}

bool cfn_part_find_value(struct cfn_run *run, const struct cfn_part *part, value *result, struct cell **cell) {
    if (part->slot != CFN_NONE && run->part_values[part->slot].kind != 0) {
        *result = run->part_values[part->slot];
        return true;
    }
    struct cell *c = cfn_part_get_cell(run, part);
    *cell = c;
    if (c->state != CELL_DONE && c->state != CELL_FAILED)
        return false;
    *result = c->result;
    if (part->slot != CFN_NONE)
        run->part_values[part->slot] = c->result;
    return true;
}

value cfn_part_evaluate(struct cfn_run *run, const struct cfn_part *part) {
    value *kept = &run->part_values[part->slot];
    if (kept->kind != 0)
        return *kept;
    sv key = {(const char *)&part, sizeof(const struct cfn_part *)};
    struct part_cell *p = map_find(&run->part_cells, key);
    *kept = p == NULL ? eval_expr(run->ev, part->expr, NULL) : eval_cell(run->ev, &p->cell);
    return *kept;
}

/* --- paths --- */

static bool find_key(const struct node *n, sv key, uint32_t *i) {
    for (*i = 0; n->kind == NODE_MAPPING && *i < n->count; (*i)++) {
        if (sv_eq(n->pairs[*i].key->text, key))
            return true;
    }
    return false;
}

static struct cfn_part *find_child(const struct cfn_part *part, uint32_t i) {
    for (uint32_t k = 0; part != NULL && part->expr == NULL && k < part->count; k++) {
        if (part->indices[k] == i)
            return part->children[k];
    }
    return NULL;
}

static value walk_value(value v, sv rest) {
    while (rest.len > 0 && v.kind == VALUE_MAP)
        v = value_map_find(v, sv_cut(&rest, '.'));
    return rest.len > 0 && v.kind != VALUE_UNKNOWN ? (value){0} : v;
}

bool cfn_property_find(struct cfn_run *run, const struct cfn_resource *r, sv path, value *result, struct cell **cell) {
    const struct node *n = r->attributes[CFN_PROPERTIES];
    const struct cfn_part *part = r->parts[CFN_PROPERTIES];
    sv rest = path;
    *result = (value){0};
    while (n != NULL && rest.len > 0 && (part == NULL || part->expr == NULL)) {
        uint32_t i;
        if (!find_key(n, sv_cut(&rest, '.'), &i))
            return true;
        n = n->pairs[i].value;
        part = find_child(part, i);
    }
    if (n == NULL)
        return true;
    if (part == NULL || part->is_text) {
        *result = rest.len > 0 ? (value){0} : cfn_literal_get(run, n);
        return true;
    }
    if (!cfn_part_find_value(run, part, result, cell))
        return false;
    *result = walk_value(*result, rest);
    return true;
}

const struct node *cfn_property_get_node(const struct cfn_resource *r, sv path) {
    const struct node *n = r->attributes[CFN_PROPERTIES];
    sv rest = path;
    while (n != NULL && rest.len > 0)
        n = node_find(n, sv_cut(&rest, '.'));
    return n;
}
