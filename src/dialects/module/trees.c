/* Streams of documents as trees in which nothing but scalars, lists and mappings is left (MD-011 … MD-013). */
#include "dialects/module/document.h"

#include "doc/reader.h"

struct flattening {
    struct module_set *set;
    size_t depth;
};

static struct node *flatten(struct flattening *f, struct node *n);

static void report(struct flattening *f, span at, const char *message) {
    diags_add(f->set->diags, DIAG_module_document, at, "%s", message);
}

/* Stands for what has been reported. */
static struct node *make_broken(struct flattening *f, const struct node *n) {
    struct node *made = ARENA_NEW(f->set->arena, struct node);
    *made = (struct node){.kind = NODE_ERROR, .at = n->at};
    return made;
}

/* MD-012 */
static bool is_core_tag(sv tag) {
    static const char *const names[] = {"bool", "float", "int", "map", "null", "seq", "str"};
    sv prefix = SV("tag:yaml.org,2002:");
    if (tag.len == 0 || sv_eq(tag, SV("!")))
        return true;
    for (size_t i = 0; sv_has_prefix(tag, prefix) && i < sizeof names / sizeof *names; i++) {
        if (sv_eq_cstr(sv_slice(tag, prefix.len, tag.len), names[i]))
            return true;
    }
    return false;
}

static void check_tag(struct flattening *f, const struct node *n) {
    if (n->props != NULL && !is_core_tag(n->props->tag))
        diags_add(f->set->diags, DIAG_module_document, n->props->tag_at, "tag '%.*s' is not known here",
                  SV_ARG(sv_slice(n->props->tag, 0, 60)));
}

/* --- merge keys --- */

static bool is_merge(const struct node *key) {
    return key->kind == NODE_SCALAR && key->style == NODE_PLAIN && sv_eq(key->text, SV("<<"));
}

struct merging {
    struct flattening *f;
    VEC(struct node_pair) pairs;
    struct map seen;
};

static void add_pair(struct merging *m, struct node_pair pair) {
    bool is_new = true;
    void **slot = map_get_slot(&m->seen, pair.key->text, &is_new);
    if (is_new)
        VEC_PUSH(m->f->set->arena, &m->pairs, pair);
    *slot = pair.key;
}

static void add_merged(struct merging *m, const struct node *from) {
    bool is_list = from->kind == NODE_SEQUENCE;
    for (uint32_t i = 0; is_list && i < from->count; i++) {
        if (from->items[i]->kind == NODE_SEQUENCE)
            report(m->f, from->items[i]->at, "'<<' takes a mapping or a list of mappings");
        else
            add_merged(m, from->items[i]);
    }
    for (uint32_t i = 0; from->kind == NODE_MAPPING && i < from->count; i++)
        add_pair(m, from->pairs[i]);
    if (from->kind == NODE_SCALAR)
        report(m->f, from->at, "'<<' takes a mapping or a list of mappings");
}

/* A mapping's own entries hide merged ones, which stand behind them. */
static void merge(struct flattening *f, struct node *n) {
    struct merging m = {.f = f, .seen = MAP(f->set->arena)};
    for (uint32_t i = 0; i < n->count; i++) {
        if (!is_merge(n->pairs[i].key))
            add_pair(&m, n->pairs[i]);
    }
    for (uint32_t i = 0; i < n->count; i++) {
        if (is_merge(n->pairs[i].key))
            add_merged(&m, n->pairs[i].value);
    }
    n->pairs = m.pairs.items;
    n->count = (uint32_t)m.pairs.len;
}

/* --- the walk --- */

static void flatten_pairs(struct flattening *f, struct node *n) {
    bool has_merge = false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        struct node_pair pair = n->pairs[i];
        pair.key = flatten(f, pair.key);
        pair.value = flatten(f, pair.value);
        if (pair.key->kind == NODE_SEQUENCE || pair.key->kind == NODE_MAPPING)
            report(f, pair.key->at, "a key must be a scalar");
        if (pair.key->kind == NODE_SCALAR)
            n->pairs[kept++] = pair;
        has_merge = has_merge || is_merge(pair.key);
    }
    n->count = kept;
    if (has_merge)
        merge(f, n);
}

static void flatten_children(struct flattening *f, struct node *n) {
    if (f->depth >= f->set->limits.nesting)
        return; /* whoever reads the tree says so */
    f->depth++;
    if (n->kind == NODE_MAPPING)
        flatten_pairs(f, n);
    for (uint32_t i = 0; n->kind == NODE_SEQUENCE && i < n->count; i++)
        n->items[i] = flatten(f, n->items[i]);
    f->depth--;
}

/* The node itself, changed in place: an anchor stands before its aliases, so what they name is done already. */
static struct node *flatten(struct flattening *f, struct node *n) {
    struct node *at = n;
    if (n->kind == NODE_ALIAS) {
        at = n->props == NULL ? NULL : n->props->target;
        return at == NULL || at->kind == NODE_ALIAS ? make_broken(f, n) : at;
    }
    check_tag(f, n);
    if (n->kind == NODE_SEQUENCE || n->kind == NODE_MAPPING)
        flatten_children(f, n);
    return n;
}

static bool is_empty(const struct node *root) {
    return root->kind == NODE_SCALAR && root->style == NODE_EMPTY;
}

bool module_read_trees(struct module_set *s, struct source *source, struct module_trees *trees) {
    struct doc_options options = doc_options_yaml;
    options.duplicate_keys = DOC_REFUSE;
    options.limits = &s->limits;
    options.shares_anchors = true;
    struct doc_stream *stream = doc_read(s->arena, source, &options, s->diags);
    struct flattening f = {.set = s};
    size_t left = s->limits.alias_nodes;
    for (size_t i = 0; i < stream->documents.len; i++) {
        struct node *root = stream->documents.items[i].root;
        size_t count = 0;
        if (root->kind == NODE_ERROR || is_empty(root))
            continue;
        if (!node_count_expanded(root, left + stream->node_count, &count)) {
            diags_add(s->diags, DIAG_limit_exceeded, root->at, "expanding aliases makes more than %zu nodes",
                      s->limits.alias_nodes);
            continue;
        }
        VEC_PUSH(s->arena, &trees->roots, flatten(&f, root));
    }
    return trees->roots.len > 0;
}
