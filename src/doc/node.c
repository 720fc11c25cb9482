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
