#include "doc/node.h"

#include "doc/scalar.h"

struct node_pair *node_find_pair(const struct node *mapping, sv key) {
    if (mapping->kind != NODE_MAPPING)
        return NULL;
    for (uint32_t i = 0; i < mapping->count; i++) {
        const struct node *k = mapping->pairs[i].key;
        if (k->kind == NODE_SCALAR && sv_eq(k->text, key))
            return &mapping->pairs[i];
    }
    return NULL;
}

struct node *node_find(const struct node *mapping, sv key) {
    struct node_pair *pair = node_find_pair(mapping, key);
    return pair ? pair->value : NULL;
}

bool node_is_scalar(const struct node *n) {
    return n->kind == NODE_SCALAR;
}

static const char *get_scalar_name(const struct node *n) {
    switch (scalar_resolve_node(n, scalar_resolve_core).kind) {
    case SCALAR_NULL:
        return "null";
    case SCALAR_BOOL:
        return "a boolean";
    case SCALAR_INT:
        return "an integer";
    case SCALAR_FLOAT:
        return "a float";
    case SCALAR_STRING:
        return "a string";
    case SCALAR_BAD_NUMBER:
        return "a number out of range";
    }
    return "a scalar";
}

const char *node_get_kind_name(const struct node *n) {
    switch ((enum node_kind)n->kind) {
    case NODE_SCALAR:
        return get_scalar_name(n);
    case NODE_SEQUENCE:
        return "an array";
    case NODE_MAPPING:
        return "a mapping";
    case NODE_ALIAS:
        return "an alias";
    case NODE_ERROR:
        break;
    }
    return "a broken value";
}

/* Walks of trees go with an explicit stack: a tree may be as deep as its reader's limit allows. */
struct walk {
    struct arena arena;
    VEC(const struct node *) nodes;
};

static void push(struct walk *w, const struct node *n) {
    VEC_PUSH(&w->arena, &w->nodes, n);
}

static const struct node *pop(struct walk *w) {
    return w->nodes.items[--w->nodes.len];
}

static bool is_plain(const struct node *n) {
    return n->style == NODE_PLAIN || n->style == NODE_EMPTY;
}

/* "5" is not 5, but "five" is five. */
static bool means_string(const struct node *n) {
    return !is_plain(n) || scalar_resolve_core(n->text).kind == SCALAR_STRING;
}

static bool is_same_content(const struct node *a, const struct node *b) {
    if (a->kind != b->kind || a->count != b->count)
        return false;
    if (a->kind == NODE_SCALAR)
        return means_string(a) == means_string(b) && sv_eq(a->text, b->text);
    return a->kind != NODE_ALIAS || sv_eq(a->text, b->text);
}

static void push_children(struct walk *w, const struct node *n) {
    for (uint32_t i = n->count; i-- > 0;) {
        if (n->kind == NODE_SEQUENCE)
            push(w, n->items[i]);
        if (n->kind == NODE_MAPPING) {
            push(w, n->pairs[i].value);
            push(w, n->pairs[i].key);
        }
    }
}

bool node_eq(const struct node *a, const struct node *b) {
    struct walk left = {0}, right = {0};
    bool is_equal = true;
    push(&left, a);
    push(&right, b);
    while (is_equal && left.nodes.len > 0) {
        const struct node *x = pop(&left), *y = pop(&right);
        is_equal = is_same_content(x, y);
        if (is_equal && x != y) {
            push_children(&left, x);
            push_children(&right, y);
        }
    }
    arena_fini(&left.arena);
    arena_fini(&right.arena);
    return is_equal;
}

bool node_count_expanded(const struct node *root, size_t limit, size_t *count) {
    struct walk plain = {0}, expanded = {0};
    *count = 0;
    push(&plain, root);
    while (plain.nodes.len > 0 && *count <= limit) {
        const struct node *n = pop(&plain);
        push_children(&plain, n);
        if (n->kind == NODE_ALIAS && n->props && n->props->target)
            push(&expanded, n->props->target);
        while (expanded.nodes.len > 0 && *count <= limit) {
            n = pop(&expanded);
            *count += n->kind != NODE_ALIAS;
            if (n->kind == NODE_ALIAS && n->props && n->props->target)
                push(&expanded, n->props->target);
            else if (n->count <= limit)
                push_children(&expanded, n);
            else
                *count += n->count;
        }
    }
    arena_fini(&plain.arena);
    arena_fini(&expanded.arena);
    return *count <= limit;
}
