#include "dialects/cfn/read.h"

#include "base/map.h"
#include "dialects/cfn/call.h"
#include "dialects/cfn/scalars.h"
#include "doc/chars.h"

#include <string.h>

#define MIB ((size_t)1 << 20)
#define GB  UINT64_C(1000000000)

const struct limits cfn_limits = {
    .document_bytes = 64 * MIB,
    .nesting = 1000,
    .expr_depth = 1000,
    .alias_nodes = 1000000,
    .eval_steps = 10 * GB,
    .result_text = 16 * MIB,
    .result_items = CFN_NODES_MAX,
    .list_items = CFN_NODES_MAX,
    .value_weight = CFN_NODES_MAX,
    .value_depth = 4000,
    .elements = CFN_NODES_MAX,
    .each_instances = CFN_NODES_MAX,
    .include_depth = 16,
    .diagnostics = 1000,
};

/* The tree of one file while it is made ours: nobody else has seen it yet, so pointers in it are set in place. */
struct reading {
    struct cfn_read *r;
    bool has_alias;
    struct depth_guard depth;
};

static void report(struct reading *rd, enum diag_code code, span at, const char *message, const char *hint) {
    struct diag *d = diags_add(rd->r->diags, code, at, "%s", message);
    diag_set_hint(rd->r->diags, d, "%s", hint);
}

/* CF-015: one warning a file. */
static void note_alias(struct reading *rd, span at) {
    if (rd->has_alias)
        return;
    rd->has_alias = true;
    report(rd, DIAG_cfn_yaml_alias, at, "CloudFormation does not take anchors, aliases and merge keys",
           "write the content out where it is used");
}

/* --- tags --- */

static bool is_core_tag(sv tag) {
    static const char *const known[] = {"str", "int", "float", "bool", "null", "seq", "map"};
    static const sv core = SV_INIT("tag:yaml.org,2002:");
    sv name = sv_slice(tag, core.len, tag.len);
    for (size_t i = 0; sv_has_prefix(tag, core) && i < sizeof known / sizeof *known; i++) {
        if (sv_eq_cstr(name, known[i]))
            return true;
    }
    return sv_eq_cstr(tag, "!");
}

static bool is_right_shape(const struct node *n, unsigned forms) {
    struct cfn_call inner;
    switch ((enum node_kind)n->kind) {
    case NODE_SCALAR:
        return (forms & CFN_SHORT_SCALAR) != 0;
    case NODE_SEQUENCE:
        return (forms & CFN_SHORT_SEQUENCE) != 0;
    case NODE_MAPPING:
        if ((forms & CFN_SHORT_MAPPING) != 0)
            return true;
        struct node plain = *n;
        plain.props = NULL;
        return (forms & CFN_SHORT_CALL) != 0 && cfn_call_get(&plain, &inner);
    case NODE_ALIAS:
    case NODE_ERROR:
        break;
    }
    return true;
}

static const char *print_shapes(unsigned forms) {
    switch (forms) {
    case CFN_SHORT_SCALAR:
        return "text";
    case CFN_SHORT_SCALAR | CFN_SHORT_SEQUENCE:
        return "text or a list";
    case CFN_SHORT_SCALAR | CFN_SHORT_CALL:
        return "text or the long form of a call";
    case CFN_SHORT_MAPPING:
        return "a map";
    default:
        return "a list";
    }
}

static bool check_local_tag(struct reading *rd, const struct node *n) {
    sv tag = n->props->tag;
    enum cfn_function f = cfn_function_find_tag(tag);
    const struct cfn_function_def *def = cfn_function_get(f);
    if (rd->r->no_short_forms) {
        report(rd, DIAG_cfn_include_content, n->props->tag_at, "an included file has no short forms",
               "write the long form");
    } else if (f == CFN_UNKNOWN_FUNCTION) {
        struct diag *d = diags_add(rd->r->diags, DIAG_cfn_tag, n->props->tag_at, "there is no short form '%.*s'",
                                   SV_ARG(sv_slice(tag, 0, 80)));
        diag_set_hint(rd->r->diags, d, "write 'Fn::%.*s' as a key, if that is meant", SV_ARG(sv_slice(tag, 1, 80)));
    } else if (!is_right_shape(n, def->short_forms)) {
        struct diag *d = diags_add(rd->r->diags, DIAG_cfn_shape, n->at, "'%.*s' takes %s", SV_ARG(tag),
                                   print_shapes(def->short_forms));
        diag_set_hint(rd->r->diags, d, "see the syntax of '%.*s'", SV_ARG(def->name));
    } else {
        return true;
    }
    return false;
}

/* False: reported. */
static bool check_tag(struct reading *rd, const struct node *n) {
    sv tag = n->props->tag;
    if (tag.len == 0 || is_core_tag(tag))
        return true;
    if (tag.data[0] == '!')
        return check_local_tag(rd, n);
    struct diag *d = diags_add(rd->r->diags, DIAG_yaml_unsupported_feature, n->props->tag_at,
                               "the tag '%.*s' is not supported here", SV_ARG(sv_slice(tag, 0, 80)));
    diag_set_hint(rd->r->diags, d, "remove it");
    return false;
}

/* --- scalars and keys --- */

/* False: reported, there is nothing to go on with. */
static bool check_scalar(struct reading *rd, struct node *n) {
    bool is_plain = n->style == NODE_PLAIN || n->style == NODE_EMPTY;
    if (!is_plain && n->props == NULL)
        return true;
    struct cfn_scalar s = cfn_scalar_read(rd->r->arena, n);
    enum cfn_function f = n->props == NULL ? CFN_NO_FUNCTION : cfn_function_find_tag(n->props->tag);
    if (rd->r->is_json && is_plain && s.kind == CFN_SCALAR_STRING) {
        n->flags |= CFN_NODE_JSON_NUMBER;
        s = cfn_scalar_read(rd->r->arena, n);
    }
    if (s.kind == CFN_SCALAR_NULL && f == CFN_NO_FUNCTION) {
        report(rd, DIAG_cfn_null, n->at, "null is no value here", "remove the entry, or write a value");
        return false;
    } else if (s.kind == CFN_SCALAR_BAD) {
        report(rd, DIAG_unsupported_number, n->at, "this number cannot be kept exactly", "write it as text, in quotes");
        return false;
    }
    if (s.is_unusual) {
        sv text = cfn_scalar_get_text(rd->r->arena, n, NULL);
        struct diag *d = diags_add(rd->r->diags, DIAG_cfn_yaml_number, n->at, "YAML 1.1 reads this as the number %.*s",
                                   SV_ARG(text));
        diag_set_hint(rd->r->diags, d, "quote it if text is meant");
    }
    return true;
}

/* CF-013. The key as text; NULL after a report. */
static struct node *make_key(struct reading *rd, struct node *key) {
    if (key->kind == NODE_ERROR)
        return NULL;
    if (key->kind != NODE_SCALAR) {
        report(rd, DIAG_cfn_key, key->at, "a key is text, not a list or map", "write text as the key");
        return NULL;
    }
    if (key->style != NODE_PLAIN && key->style != NODE_EMPTY)
        return key;
    struct cfn_scalar s = cfn_scalar_read(rd->r->arena, key);
    if (s.kind == CFN_SCALAR_STRING)
        return key;
    if (s.kind != CFN_SCALAR_INT && s.kind != CFN_SCALAR_FLOAT) {
        report(rd, DIAG_cfn_key, key->at, "YAML 1.1 reads this key as something else than text", "quote it");
        return NULL;
    }
    struct node *made = ARENA_NEW(rd->r->arena, struct node);
    *made = *key;
    made->style = NODE_DOUBLE_QUOTED;
    made->text = cfn_scalar_get_text(rd->r->arena, key, NULL);
    made->flags |= NODE_ESCAPED;
    return made;
}

/* --- merge keys (CF-015) --- */

static bool is_merge(const struct node *key) {
    return key->kind == NODE_SCALAR && key->style == NODE_PLAIN && sv_eq_cstr(key->text, "<<");
}

struct merging {
    struct reading *rd;
    VEC(struct node_pair) pairs;
    struct map seen;
};

static void add_pair(struct merging *m, struct node_pair pair) {
    bool is_new = true;
    void **slot = map_get_slot(&m->seen, pair.key->text, &is_new);
    if (is_new)
        VEC_PUSH(m->rd->r->arena, &m->pairs, pair);
    *slot = pair.key;
}

static void add_merged(struct merging *m, const struct node *from) {
    if (from->kind == NODE_MAPPING) {
        for (uint32_t i = 0; i < from->count; i++)
            add_pair(m, from->pairs[i]);
    } else if (from->kind == NODE_SEQUENCE) {
        for (uint32_t i = 0; i < from->count; i++) {
            if (from->items[i]->kind == NODE_MAPPING)
                add_merged(m, from->items[i]);
            else
                report(m->rd, DIAG_invalid_syntax, from->items[i]->at, "'<<' takes maps", "merge maps only");
        }
    } else if (from->kind != NODE_ERROR) {
        report(m->rd, DIAG_invalid_syntax, from->at, "'<<' takes a map or a list of maps", "merge maps only");
    }
}

/* Own entries hide merged ones, whose place is behind them. */
static void merge(struct reading *rd, struct node *n) {
    struct merging m = {.rd = rd, .seen = MAP(rd->r->arena)};
    for (uint32_t i = 0; i < n->count; i++) {
        if (!is_merge(n->pairs[i].key))
            add_pair(&m, n->pairs[i]);
    }
    for (uint32_t i = 0; i < n->count; i++) {
        if (is_merge(n->pairs[i].key)) {
            note_alias(rd, n->pairs[i].key->at);
            add_merged(&m, n->pairs[i].value);
        }
    }
    n->pairs = m.pairs.items;
    n->count = (uint32_t)m.pairs.len;
}

/* --- the walk --- */

static struct node *visit(struct reading *rd, struct node *n);

static void check_changed_keys(struct reading *rd, const struct node *n) {
    struct map seen = MAP(rd->r->arena);
    for (uint32_t i = 0; i < n->count; i++) {
        struct node *key = n->pairs[i].key;
        bool is_new = true;
        if (key->kind != NODE_SCALAR)
            continue;
        map_get_slot(&seen, key->text, &is_new);
        if (!is_new && (key->flags & NODE_DUPLICATE) == 0)
            diags_add(rd->r->diags, DIAG_duplicate_key, key->at, "key '%.*s' stands in this map already",
                      SV_ARG(sv_slice(key->text, 0, 80)));
    }
}

static void visit_pairs(struct reading *rd, struct node *n) {
    bool has_merge = false, has_changed = false;
    for (uint32_t i = 0; i < n->count; i++) {
        struct node_pair *pair = &n->pairs[i];
        if (pair->key->kind == NODE_ALIAS)
            pair->key = visit(rd, pair->key);
        has_merge = has_merge || is_merge(pair->key);
        if (!is_merge(pair->key)) {
            struct node *key = make_key(rd, pair->key);
            has_changed = has_changed || (key != NULL && key != pair->key);
            pair->key = key == NULL ? pair->key : key;
        }
        pair->value = visit(rd, pair->value);
    }
    if (has_merge)
        merge(rd, n);
    if (has_changed)
        check_changed_keys(rd, n);
}

static void visit_children(struct reading *rd, struct node *n) {
    if (!depth_enter(&rd->depth)) {
        report(rd, DIAG_limit_exceeded, n->at, "the template is nested too deeply", "make it flatter");
        return;
    }
    if (n->kind == NODE_MAPPING) {
        visit_pairs(rd, n);
    } else {
        for (uint32_t i = 0; i < n->count; i++)
            n->items[i] = visit(rd, n->items[i]);
    }
    depth_leave(&rd->depth);
}

/* Anchors have done their work: nothing prints them. */
static void drop_anchor(struct reading *rd, struct node *n) {
    note_alias(rd, n->props->anchor_at);
    n->props->anchor = (sv){0};
    if (n->props->tag.len == 0)
        n->props = NULL;
}

/* Stands for what has been reported: everybody is silent about it. */
static struct node *make_error(struct reading *rd, const struct node *n) {
    struct node *made = ARENA_NEW(rd->r->arena, struct node);
    *made = (struct node){.kind = NODE_ERROR, .style = n->style, .at = n->at};
    return made;
}

static struct node *visit(struct reading *rd, struct node *n) {
    if (n->kind == NODE_ALIAS) {
        note_alias(rd, n->at);
        return n->props != NULL && n->props->target != NULL ? n->props->target : make_error(rd, n);
    }
    if (n->props != NULL && n->props->anchor.len > 0)
        drop_anchor(rd, n);
    if (n->props != NULL && !check_tag(rd, n))
        return make_error(rd, n);
    if (n->kind == NODE_SCALAR)
        return check_scalar(rd, n) ? n : make_error(rd, n);
    if (n->kind == NODE_MAPPING || n->kind == NODE_SEQUENCE)
        visit_children(rd, n);
    return n;
}

/* CF-010. */
static bool looks_like_json(sv bytes) {
    sv rest = sv_has_prefix(bytes, SV("\xef\xbb\xbf")) ? sv_slice(bytes, 3, bytes.len) : bytes;
    rest = sv_trim(rest);
    return rest.len > 0 && rest.data[0] == '{';
}

static bool is_too_large(const struct cfn_read *r, const struct doc_stream *stream) {
    size_t expanded = 0;
    const struct node *root = stream->documents.items[0].root;
    sv bytes = stream->source->bytes;
    bool has_aliases = !r->is_json && sv_find_char(bytes, '&') != SIZE_MAX && sv_find_char(bytes, '*') != SIZE_MAX;
    if (stream->node_count > CFN_NODES_MAX ||
        (has_aliases && !node_count_expanded(root, r->limits->alias_nodes, &expanded))) {
        diags_add(r->diags, DIAG_limit_exceeded, root->at, "the template has too many nodes");
        return true;
    }
    return false;
}

const struct node *cfn_read_tree(struct cfn_read *r, struct source *source) {
    r->is_json = looks_like_json(source->bytes);
    struct doc_options options = {.format = r->is_json ? DOC_JSON : DOC_YAML,
                                  .duplicate_keys = DOC_REFUSE,
                                  .tags = DOC_ALLOW,
                                  .anchors = DOC_ALLOW,
                                  .merge_keys = DOC_ALLOW,
                                  .many_documents = DOC_REFUSE,
                                  .tag_directives = DOC_ALLOW,
                                  .limits = r->limits};
    struct doc_stream *stream = doc_read(r->arena, source, &options, r->diags);
    struct node *root = stream->documents.items[0].root;
    if (root->kind == NODE_ERROR || is_too_large(r, stream))
        return NULL;
    if (root->kind == NODE_SCALAR)
        return root; /* not even a map: whoever asks says so */
    struct reading rd = {.r = r, .depth = {.limit = r->limits->nesting + 8}};
    return visit(&rd, root);
}
