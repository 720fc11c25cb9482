#include "doc/writer.h"

struct node *node_new_scalar(struct arena *a, sv text, enum node_style style) {
    struct node *n = ARENA_NEW(a, struct node);
    n->kind = NODE_SCALAR;
    n->style = (uint8_t)style;
    n->text = text;
    return n;
}

struct node *node_new_sequence(struct arena *a, struct node **items, size_t count) {
    struct node *n = ARENA_NEW(a, struct node);
    n->kind = NODE_SEQUENCE;
    n->style = NODE_BLOCK;
    n->items = items;
    n->count = (uint32_t)count;
    return n;
}

struct node *node_new_mapping(struct arena *a, struct node_pair *pairs, size_t count) {
    struct node *n = ARENA_NEW(a, struct node);
    n->kind = NODE_MAPPING;
    n->style = NODE_BLOCK;
    n->pairs = pairs;
    n->count = (uint32_t)count;
    return n;
}
