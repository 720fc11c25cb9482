/* Parameter files (CF-222). */
#include "dialects/cfn/inputs.h"

#include "value/convert.h"

struct reading {
    struct cfn_inputs *in;
    struct cfn_memory *memory;
    struct map_builder values;
    bool is_bad;
};

static void fail(struct reading *r, span at, const char *what) {
    diags_add(r->in->diags, DIAG_cfn_symbol_file, at, "%s", what);
    r->is_bad = true;
}

static void put(struct reading *r, sv name, value item, span at) {
    bool is_list = item.kind == VALUE_LIST;
    for (size_t i = 0; is_list && i < item.list->len; i++) {
        is_list = value_is_scalar(item.list->items[i]);
    }
    if (name.len == 0 || (!is_list && !value_is_scalar(item))) {
        fail(r, at,
             name.len == 0 ? "a parameter without name" : "a parameter's value is a scalar or a list of scalars");
        return;
    }
    map_set(&r->values, name, item);
    span *kept = ARENA_NEW(r->in->arena, span);
    *kept = at;
    map_put(&r->memory->spans, name, kept);
}

static const struct node *follow(const struct node *n) {
    while (n != NULL && n->kind == NODE_ALIAS) {
        n = n->props != NULL ? n->props->target : NULL;
    }
    return n;
}

static value get_scalar(struct cfn_inputs *in, const struct node *n) {
    struct scalar s = scalar_resolve_node(n, scalar_resolve_core);
    if (s.kind == SCALAR_INT || s.kind == SCALAR_FLOAT || s.kind == SCALAR_BAD_NUMBER) {
        return value_string(in->arena, n->text);
    }
    return value_from_scalar(in->arena, n, scalar_resolve_core, in->diags);
}

value cfn_file_get_parameter(struct cfn_inputs *in, const struct node *n) {
    const struct node *at = follow(n);
    if (at == NULL) {
        return value_error(NULL);
    }
    if (at->kind == NODE_SCALAR) {
        return get_scalar(in, at);
    }
    if (at->kind != NODE_SEQUENCE) {
        return value_from_node(in->arena, at, scalar_resolve_core, &limits_default, in->diags);
    }
    struct list_builder b = {.arena = in->arena};
    for (size_t i = 0; i < at->count; i++) {
        const struct node *item = follow(at->items[i]);
        list_add(&b, item != NULL && item->kind == NODE_SCALAR ? get_scalar(in, item) : value_error(NULL));
    }
    return list_done(&b);
}

static void read_map(struct reading *r, const struct node *map) {
    for (size_t i = 0; i < map->count; i++) {
        const struct node_pair *p = &map->pairs[i];
        if (p->key->kind == NODE_SCALAR) {
            put(r, p->key->text, cfn_file_get_parameter(r->in, p->value), p->value->at);
        } else {
            fail(r, p->key->at, "a parameter's name is text");
        }
    }
}

/* {"ParameterKey": …, "ParameterValue": …} */
static void read_pair(struct reading *r, const struct node *n) {
    const struct node *key = follow(node_find(n, SV("ParameterKey")));
    const struct node *item = node_find(n, SV("ParameterValue"));
    for (size_t i = 0; i < n->count; i++) {
        const struct node *name = n->pairs[i].key;
        if (name->kind == NODE_SCALAR && sv_eq(name->text, SV("UsePreviousValue"))) {
            fail(r, name->at, "'UsePreviousValue' needs the deployed stack, which is not asked; give the value");
            return;
        }
        if (name->kind != NODE_SCALAR ||
            (!sv_eq(name->text, SV("ParameterKey")) && !sv_eq(name->text, SV("ParameterValue")) &&
             !sv_eq(name->text, SV("ResolvedValue")))) {
            fail(r, name->at, "only ParameterKey and ParameterValue stand here");
            return;
        }
    }
    if (key == NULL || key->kind != NODE_SCALAR || item == NULL) {
        fail(r, n->at, "ParameterKey and ParameterValue are wanted");
        return;
    }
    put(r, key->text, cfn_file_get_parameter(r->in, item), item->at);
}

/* "Name=Value" */
static void read_line(struct reading *r, const struct node *n) {
    size_t equals = sv_find_char(n->text, '=');
    if (equals == SIZE_MAX) {
        fail(r, n->at, "this is not Name=Value");
        return;
    }
    put(r, sv_slice(n->text, 0, equals), value_string(r->in->arena, sv_slice(n->text, equals + 1, n->text.len)), n->at);
}

static void read_list(struct reading *r, const struct node *list) {
    for (size_t i = 0; i < list->count; i++) {
        const struct node *n = follow(list->items[i]);
        if (n != NULL && n->kind == NODE_MAPPING) {
            read_pair(r, n);
        } else if (n != NULL && n->kind == NODE_SCALAR) {
            read_line(r, n);
        } else {
            fail(r, list->items[i]->at, "an item is Name=Value, or ParameterKey with ParameterValue");
        }
    }
}

struct cfn_memory *cfn_parameter_file_read(struct cfn_inputs *in, struct source *source) {
    const struct node *root = cfn_file_read(in, source);
    if (root == NULL) {
        return NULL;
    }
    struct reading r = {.in = in, .memory = cfn_memory_new(in->arena), .values = {.arena = in->arena}};
    if (root->kind == NODE_MAPPING) {
        const struct node *inner = follow(node_find(root, SV("Parameters")));
        read_map(&r, root->count == 1 && inner != NULL && inner->kind == NODE_MAPPING ? inner : root);
    } else if (root->kind == NODE_SEQUENCE) {
        read_list(&r, root);
    } else if (root->style != NODE_EMPTY) {
        fail(&r, root->at, "a parameter file is a mapping or a list");
    }
    r.memory->sections[CFN_SYMBOLS_PARAMETERS] = map_done(&r.values);
    return r.is_bad ? NULL : r.memory;
}
