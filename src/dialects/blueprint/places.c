#include "dialects/blueprint/places.h"

struct place {
    const struct node *node;
    span key;
};

/* As node_find_pair, beginning where the last search ended. */
static const struct node_pair *find_pair(struct place_cursor *cursor, const struct node *n, sv key) {
    if (n->kind != NODE_MAPPING) {
        return NULL;
    }
    uint32_t next = cursor->mapping == n ? cursor->next : 0;
    for (uint32_t i = 0; i < n->count; i++, next++) {
        next = next < n->count ? next : 0;
        const struct node_pair *pair = &n->pairs[next];
        if (pair->key->kind == NODE_SCALAR && sv_eq(pair->key->text, key)) {
            *cursor = (struct place_cursor){n, next};
            return pair;
        }
    }
    return NULL;
}

static bool find_child(struct place *p, struct place_cursor *cursor, const struct path_step *step) {
    const struct node *n = p->node;
    if (step->is_index) {
        bool there = n->kind == NODE_SEQUENCE && step->index < n->count;
        p->node = there ? n->items[step->index] : n;
        p->key = there ? p->node->at : p->key;
        return there;
    }
    const struct node_pair *pair = find_pair(cursor, n, step->key);
    if (pair != NULL) {
        p->node = pair->value;
        p->key = pair->key->at;
    }
    return pair != NULL;
}

static span find_place(void *user, struct path path) {
    struct place_source *source = user;
    struct place p = {.node = source->spec, .key = source->name};
    for (size_t i = 0; i < path.len; i++) {
        struct place_cursor *cursor = &source->cursors[i < PLACE_CURSORS ? i : PLACE_CURSORS - 1];
        if (!find_child(&p, cursor, &path.steps[i])) {
            bool is_data = p.node->kind == NODE_SCALAR; /* computed: the parts are not in the file */
            return is_data ? p.node->at : p.key;
        }
    }
    bool is_known = source->schema == NULL || schema_find_path(source->schema, path) != NULL;
    return is_known ? p.node->at : p.key;
}

struct schema_places places_of_spec(struct place_source *source) {
    return (struct schema_places){.user = source, .find = find_place};
}
