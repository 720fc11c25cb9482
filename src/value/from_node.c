/* Literal trees as values. */
#include "value/convert.h"

#include "base/vec.h"

value value_from_scalar(struct arena *a, const struct node *n, scalar_resolver resolver, struct diags *diags) {
    struct scalar s = scalar_resolve_node(n, resolver);
    switch (s.kind) {
    case SCALAR_NULL:
        return value_null();
    case SCALAR_BOOL:
        return value_bool(s.boolean);
    case SCALAR_INT:
        return value_int(s.integer);
    case SCALAR_FLOAT:
        return value_float(s.number);
    case SCALAR_STRING:
        return value_string(a, s.text);
    case SCALAR_BAD_NUMBER:
        if (n->text.len <= 64) {
            diags_add(diags, DIAG_unsupported_number, n->at, "number '%.*s' cannot be represented", SV_ARG(n->text));
        } else {
            diags_add(diags, DIAG_unsupported_number, n->at, "this number cannot be represented");
        }
        return value_error(NULL);
    }
    return value_error(NULL);
}

struct open_node {
    const struct node *n;
    size_t next;
    bool is_alias; /* its content stands at an alias: nodes in it are counted */
    union {
        struct list_builder list;
        struct map_builder map;
    };
};

struct conversion {
    struct arena *arena;
    scalar_resolver resolver;
    struct diags *diags;
    size_t alias_nodes, alias_limit;
    size_t alias_depth; /* open nodes that stand at aliases */
    struct arena scratch;
    VEC(struct open_node) open;
};

/* Alias to the node behind it; NULL after a report. */
static const struct node *follow_aliases(struct conversion *c, const struct node *n, bool *is_alias) {
    const struct node *at = n;
    while (at->kind == NODE_ALIAS) {
        *is_alias = true;
        if (at->props == NULL || at->props->target == NULL) {
            return NULL; /* the reader has reported it */
        }
        at = at->props->target;
    }
    if (!*is_alias && c->alias_depth == 0) {
        return at;
    }
    if (c->alias_nodes < c->alias_limit) {
        c->alias_nodes++;
        return at;
    }
    diags_add(c->diags, DIAG_limit_exceeded, n->at, "expanding aliases makes more than %zu nodes", c->alias_limit);
    return NULL;
}

/* Items are collected in scratch memory of just their number, so that only what is kept is in the arena. */
static void open_container(struct conversion *c, const struct node *n, bool is_alias) {
    struct open_node *o = VEC_ADD(&c->scratch, &c->open);
    *o = (struct open_node){.n = n, .is_alias = is_alias};
    size_t cap = (size_t)n->count + 1;
    if (n->kind == NODE_SEQUENCE) {
        o->list = (struct list_builder){.arena = c->arena, .items = ARENA_ARRAY(&c->scratch, value, cap), .cap = cap};
    } else {
        struct value_entry *entries = ARENA_ARRAY(&c->scratch, struct value_entry, cap);
        o->map = (struct map_builder){.arena = c->arena, .entries = entries, .cap = cap};
    }
    c->alias_depth += is_alias;
}

/* The value of a node, or kind 0 when it was opened and its items come first. */
static value begin_node(struct conversion *c, const struct node *n) {
    bool is_alias = false;
    const struct node *target = follow_aliases(c, n, &is_alias);
    if (target == NULL || target->kind == NODE_ERROR) {
        return value_error(NULL);
    }
    if (target->kind == NODE_SCALAR) {
        return value_from_scalar(c->arena, target, c->resolver, c->diags);
    }
    open_container(c, target, is_alias);
    return (value){0};
}

static value end_node(struct conversion *c) {
    struct open_node *o = VEC_LAST(&c->open);
    value v = o->n->kind == NODE_SEQUENCE ? list_done(&o->list) : map_done(&o->map);
    c->alias_depth -= o->is_alias;
    c->open.len--;
    return v;
}

/* Puts a value where the innermost open node is; its `next` is already behind it. */
static void place(struct conversion *c, value v) {
    struct open_node *o = VEC_LAST(&c->open);
    if (o->n->kind == NODE_SEQUENCE) {
        list_add(&o->list, v);
        return;
    }
    const struct node *key = o->n->pairs[o->next - 1].key;
    if ((key->flags & NODE_DUPLICATE) != 0) {
        map_set(&o->map, key->text, v);
    } else {
        map_add(&o->map, key->text, v);
    }
}

static const struct node *next_child(struct conversion *c, struct open_node *o) {
    if (o->n->kind == NODE_SEQUENCE) {
        return o->n->items[o->next++];
    }
    const struct node_pair *pair = &o->n->pairs[o->next++];
    if (pair->key->kind == NODE_SCALAR) {
        return pair->value;
    }
    if (pair->key->kind != NODE_ERROR) {
        diags_add(c->diags, DIAG_invalid_map_key, pair->key->at, "a key must be a scalar");
    }
    return NULL;
}

static value convert(struct conversion *c, const struct node *root) {
    value v = begin_node(c, root);
    while (c->open.len > 0) {
        struct open_node *o = VEC_LAST(&c->open);
        if (o->next == o->n->count) {
            v = end_node(c);
            if (c->open.len == 0) {
                return v;
            }
            place(c, v);
            continue;
        }
        const struct node *child = next_child(c, o);
        if (child == NULL) {
            continue;
        }
        v = begin_node(c, child);
        if (v.kind != 0) {
            place(c, v);
        }
    }
    return v;
}

value value_from_node(struct arena *a, const struct node *n, scalar_resolver resolver, const struct limits *limits,
                      struct diags *diags) {
    struct conversion c = {.arena = a, .resolver = resolver, .diags = diags};
    c.alias_limit = limits != NULL ? limits->alias_nodes : limits_default.alias_nodes;
    value v = convert(&c, n);
    arena_fini(&c.scratch);
    return v;
}
