/* Places in documents: of values in arguments (MD-055), and their paths in reports (MD-360). */
#include "dialects/module/run.h"

static bool has_meta(const struct node *n) {
    return n->kind == NODE_MAPPING && node_find(n, SV("for")) != NULL;
}

/* Items of a list are where they are written as long as no item is repeated or left out. */
static const struct node *find_item(const struct node *list, size_t index) {
    for (uint32_t i = 0; i < list->count && i <= index; i++) {
        if (has_meta(list->items[i]) || (list->items[i]->kind == NODE_MAPPING && node_find(list->items[i], SV("if"))))
            return NULL;
    }
    return index < list->count ? list->items[index] : NULL;
}

span module_find_place(const struct node *argument, span otherwise, struct path path) {
    const struct node *at = argument;
    if (at == NULL)
        return otherwise;
    for (size_t i = 0; i < path.len; i++) {
        const struct path_step *step = &path.steps[i];
        const struct node *next = NULL;
        if (at->kind == NODE_MAPPING && !step->is_index)
            next = node_find(at, step->key);
        else if (at->kind == NODE_SEQUENCE && step->is_index)
            next = find_item(at, step->index);
        if (next == NULL)
            break;
        at = next;
    }
    return at->at;
}

/* --- paths --- */

static bool holds(const struct node *n, span at) {
    return n->at.source == at.source && at.offset >= n->at.offset && at.offset <= n->at.offset + n->at.length;
}

/* A call is named, other items are numbered. */
static void append_item(struct buf *out, const struct node *item, size_t index, bool is_call) {
    const struct node *name = is_call && item->kind == NODE_MAPPING ? node_find(item, SV("name")) : NULL;
    buf_append_char(out, '/');
    if (name != NULL && name->kind == NODE_SCALAR)
        buf_append(out, name->text);
    else
        buf_printf(out, "%zu", index);
}

static const struct node *step_into(struct buf *out, const struct node *n, span at, size_t depth, bool *is_calls) {
    for (uint32_t i = 0; n->kind == NODE_SEQUENCE && i < n->count; i++) {
        if (holds(n->items[i], at)) {
            append_item(out, n->items[i], i, *is_calls);
            *is_calls = false;
            return n->items[i];
        }
    }
    for (uint32_t i = 0; n->kind == NODE_MAPPING && i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        if (holds(pair->key, at) || holds(pair->value, at)) {
            buf_append_char(out, '/');
            buf_append(out, pair->key->text);
            *is_calls = depth == 0 && sv_eq(pair->key->text, SV("modules"));
            return holds(pair->key, at) ? NULL : pair->value;
        }
    }
    return NULL;
}

static sv make_path(const struct module_set *s, const struct module_code *code, span at) {
    struct buf out = BUF(s->diags->arena);
    bool is_calls = false;
    const struct node *n = code->root;
    buf_append(&out, code->name);
    for (size_t depth = 0; n != NULL && depth < s->limits.nesting; depth++)
        n = step_into(&out, n, at, depth, &is_calls);
    return buf_get_sv(&out);
}

static const struct module_code *find_code(const struct module_set *s, span at) {
    for (size_t i = 0; i < s->files.len; i++) {
        const struct module_file *file = s->files.items[i];
        for (size_t k = 0; file->source->id == at.source && k < file->modules.len; k++) {
            if (holds(file->modules.items[k]->root, at))
                return file->modules.items[k];
        }
    }
    return NULL;
}

void module_name_paths(const struct module_set *s) {
    for (size_t i = 0; i < s->diags->items.len; i++) {
        struct diag *d = s->diags->items.items[i];
        const struct module_code *code = d->path.len == 0 ? find_code(s, d->at) : NULL;
        if (code != NULL)
            d->path = make_path(s, code, d->at);
    }
}
