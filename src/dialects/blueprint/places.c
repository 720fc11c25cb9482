#include "dialects/blueprint/places.h"

struct place {
    const struct node *node;
    span key;
};

static bool find_child(struct place *p, const struct path_step *step) {
    const struct node *n = p->node;
    if (step->is_index) {
        bool there = n->kind == NODE_SEQUENCE && step->index < n->count;
        p->node = there ? n->items[step->index] : n;
        p->key = there ? p->node->at : p->key;
        return there;
    }
    const struct node_pair *pair = n->kind == NODE_MAPPING ? node_find_pair(n, step->key) : NULL;
    if (pair != NULL) {
        p->node = pair->value;
        p->key = pair->key->at;
    }
    return pair != NULL;
}

static span find_place(void *user, struct path path) {
    const struct place_source *source = user;
    struct place p = {.node = source->spec, .key = source->name};
    for (size_t i = 0; i < path.len; i++) {
        if (!find_child(&p, &path.steps[i])) {
            bool is_data = p.node->kind == NODE_SCALAR; /* computed: the parts are not in the file */
            return is_data ? p.node->at : p.key;
        }
    }
    bool is_known = source->schema == NULL || schema_find_path(source->schema, path) != NULL;
    return is_known ? p.node->at : p.key;
}

struct schema_places places_of_spec(const struct place_source *source) {
    return (struct schema_places){.user = (void *)source, .find = find_place};
}
