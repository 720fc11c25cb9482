/* Transforms that are part of lintel (BP-057). */
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/transforms.h"
#include "doc/writer.h"

static struct node *copy_node(struct arena *a, const struct node *n, uint32_t more) {
    struct node *copy = ARENA_NEW(a, struct node);
    *copy = *n;
    copy->pairs = ARENA_ARRAY(a, struct node_pair, (size_t)n->count + more);
    if (n->count > 0) {
        memcpy(copy->pairs, n->pairs, n->count * sizeof *n->pairs);
    }
    return copy;
}

static void add_pair(struct node *n, struct node *key, struct node *item) {
    n->pairs[n->count++] = (struct node_pair){key, item};
}

/* The value under a key of a mapping that may be changed, replaced by a copy with room for `more` pairs; made when
 * absent or null. NULL when it is something else. */
static struct node *open_mapping(struct arena *a, struct node *n, sv key, uint32_t more) {
    struct node_pair *pair = node_find_pair(n, key);
    if (pair == NULL || fields_is_null(pair->value)) {
        struct node *made = copy_node(a, node_new_mapping(a, NULL, 0), more);
        if (pair == NULL) {
            add_pair(n, node_new_scalar(a, key, NODE_DOUBLE_QUOTED), made);
        } else {
            pair->value = made;
        }
        return made;
    }
    if (pair->value->kind != NODE_MAPPING) {
        return NULL;
    }
    pair->value = copy_node(a, pair->value, more);
    return pair->value;
}

/* --- default-labels --- */

static void add_labels(struct arena *a, struct node *resource, const struct node *labels) {
    struct node *metadata = open_mapping(a, resource, SV("metadata"), 1);
    struct node *own = metadata != NULL ? open_mapping(a, metadata, SV("labels"), labels->count) : NULL;
    for (uint32_t i = 0; own != NULL && i < labels->count; i++) {
        const struct node_pair *label = &labels->pairs[i];
        if (label->key->kind == NODE_SCALAR && node_find(own, label->key->text) == NULL) {
            add_pair(own, label->key, label->value);
        }
    }
}

/* `metadata.labels` of the blueprint are given to every resource that has no label of that name. */
static bool run_default_labels(struct transform_step *s) {
    struct arena *a = s->l->arena;
    const struct node *metadata = node_find(s->tree, SV("metadata"));
    const struct node *labels =
        metadata != NULL && metadata->kind == NODE_MAPPING ? node_find(metadata, SV("labels")) : NULL;
    if (labels == NULL || labels->kind != NODE_MAPPING) {
        s->run.failure.message =
            SV("transform 'default-labels' takes the labels from 'metadata.labels' of the blueprint, "
               "which has none");
        return false;
    }
    struct node *root = copy_node(a, s->tree, 0);
    struct node_pair *section = node_find_pair(root, SV("resources"));
    if (section != NULL && section->value->kind == NODE_MAPPING) {
        section->value = copy_node(a, section->value, 0);
        for (uint32_t i = 0; i < section->value->count; i++) {
            struct node_pair *pair = &section->value->pairs[i];
            if (pair->value->kind == NODE_MAPPING) {
                pair->value = copy_node(a, pair->value, 1);
                add_labels(a, pair->value, labels);
            }
        }
    }
    struct buf out = BUF(a);
    doc_write_json(&out, root, 0, scalar_resolve_core);
    s->run.output = buf_get_sv(&out);
    return true;
}

static const struct builtin_transform builtins[] = {
    {SV_INIT("default-labels"), run_default_labels},
};

const struct builtin_transform *transforms_find_builtin(sv name) {
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        if (sv_eq(builtins[i].name, name)) {
            return &builtins[i];
        }
    }
    return NULL;
}
