/* Globals, merged into the resources they are for (CF-270). */
#include "base/hint.h"
#include "dialects/cfn/read.h"
#include "dialects/cfn/sam.h"
#include "dialects/cfn/scalars.h"

enum { FEW_KEYS = 16 };

struct merging {
    struct cfn_run *run;
    struct depth_guard guard;
    size_t made; /* pairs and items, bounded as all expansion is */
    bool is_full;
    const struct node *section; /* of Globals */
};

static bool is_call(const struct node *n) {
    struct cfn_call call;
    return cfn_call_get(n, &call);
}

/* Room for `count` more pairs or items. */
static bool count_made(struct merging *m, size_t count, span at) {
    m->made += count;
    if (m->made <= CFN_NODES_MAX) {
        return true;
    }
    if (!m->is_full) {
        cfn_report(m->run, DIAG_limit_exceeded, at, "merging Globals makes more than %d nodes", (int)CFN_NODES_MAX);
    }
    m->is_full = true;
    return false;
}

static struct node *copy_node(struct merging *m, const struct node *n) {
    struct node *copy = ARENA_NEW(m->run->arena, struct node);
    *copy = *n;
    return copy;
}

static struct node *join_lists(struct merging *m, const struct node *global, struct node *own) {
    size_t count = (size_t)global->count + own->count;
    if (!count_made(m, count, own->at)) {
        return own;
    }
    struct node *joined = copy_node(m, own);
    joined->items = ARENA_ARRAY(m->run->arena, struct node *, count);
    for (uint32_t i = 0; i < global->count; i++) {
        joined->items[i] = global->items[i];
    }
    for (uint32_t i = 0; i < own->count; i++) {
        joined->items[global->count + i] = own->items[i];
    }
    joined->count = (uint32_t)count;
    return joined;
}

static struct node *merge(struct merging *m, const struct node *global, struct node *own, const struct map *ignored);

/* Keys of a mapping → their pairs, for mappings with many. */
static struct map index_pairs(struct merging *m, const struct node *n) {
    struct map index = MAP(m->run->arena);
    for (uint32_t i = 0; n->count > FEW_KEYS && i < n->count; i++) {
        if (n->pairs[i].key->kind == NODE_SCALAR && !map_has(&index, n->pairs[i].key->text)) {
            map_put(&index, n->pairs[i].key->text, &n->pairs[i]);
        }
    }
    return index;
}

static struct node_pair *find_pair(const struct node *n, const struct map *index, sv key) {
    return n->count > FEW_KEYS ? map_find(index, key) : node_find_pair(n, key);
}

static struct node *merge_maps(struct merging *m, const struct node *global, struct node *own,
                               const struct map *ignored) {
    size_t count = (size_t)global->count + own->count;
    if (!count_made(m, count, own->at)) {
        return own;
    }
    struct map globals = index_pairs(m, global);
    struct map owns = index_pairs(m, own);
    struct node *merged = copy_node(m, own);
    merged->pairs = ARENA_ARRAY(m->run->arena, struct node_pair, count);
    merged->count = 0;
    for (uint32_t i = 0; i < own->count; i++) {
        struct node_pair pair = own->pairs[i];
        const struct node_pair *other = find_pair(global, &globals, pair.key->text);
        if (other != NULL && (ignored == NULL || !map_has(ignored, pair.key->text))) {
            pair.value = merge(m, other->value, pair.value, NULL);
        }
        merged->pairs[merged->count++] = pair;
    }
    for (uint32_t i = 0; i < global->count; i++) {
        sv key = global->pairs[i].key->text;
        if (find_pair(own, &owns, key) == NULL && (ignored == NULL || !map_has(ignored, key))) {
            merged->pairs[merged->count++] = global->pairs[i];
        }
    }
    return merged;
}

static struct node *merge(struct merging *m, const struct node *global, struct node *own, const struct map *ignored) {
    if (is_call(global) || is_call(own) || global->kind != own->kind || !depth_enter(&m->guard)) {
        return own;
    }
    struct node *merged = own;
    if (own->kind == NODE_MAPPING) {
        merged = merge_maps(m, global, own, ignored);
    } else if (own->kind == NODE_SEQUENCE) {
        merged = join_lists(m, global, own);
    }
    depth_leave(&m->guard);
    return merged;
}

/* IgnoreGlobals: true when all are; else the names in `ignored`. */
static bool read_ignored(struct merging *m, const struct node *resource, struct map *ignored) {
    const struct node *n = node_find(resource, SV("IgnoreGlobals"));
    *ignored = MAP(m->run->arena);
    if (n == NULL) {
        return false;
    }
    if (n->kind == NODE_SCALAR && sv_eq(n->text, SV("*"))) {
        return true;
    }
    bool is_list = n->kind == NODE_SEQUENCE;
    for (uint32_t i = 0; is_list && i < n->count; i++) {
        is_list = n->items[i]->kind == NODE_SCALAR;
        map_put(ignored, is_list ? n->items[i]->text : SV(""), m);
    }
    if (!is_list) {
        struct diag *d =
            cfn_report(m->run, DIAG_cfn_globals, n->at, "IgnoreGlobals is '*' or a list of names of properties");
        cfn_hint(m->run, d, "IgnoreGlobals: '*'");
    }
    return !is_list;
}

static struct node *make_key(struct merging *m, const char *text, span at) {
    struct node *n = ARENA_NEW(m->run->arena, struct node);
    *n = (struct node){.kind = NODE_SCALAR, .style = NODE_PLAIN, .at = at, .text = sv_from_cstr(text)};
    return n;
}

/* The resource with its properties merged, or itself. */
static struct node *merge_resource(struct merging *m, struct node *resource) {
    const struct node *type = resource->kind == NODE_MAPPING ? node_find(resource, SV("Type")) : NULL;
    sv prefix = SV("AWS::Serverless::");
    if (type == NULL || type->kind != NODE_SCALAR || !sv_has_prefix(type->text, prefix)) {
        return resource;
    }
    const struct node *global = node_find(m->section, sv_slice(type->text, prefix.len, type->text.len));
    struct map ignored;
    if (global == NULL || global->kind != NODE_MAPPING || read_ignored(m, resource, &ignored)) {
        return resource;
    }
    struct node *merged = copy_node(m, resource);
    merged->pairs = ARENA_ARRAY(m->run->arena, struct node_pair, (size_t)resource->count + 1);
    bool has_properties = false;
    for (uint32_t i = 0; i < resource->count; i++) {
        merged->pairs[i] = resource->pairs[i];
        if (sv_eq(resource->pairs[i].key->text, SV("Properties"))) {
            has_properties = true;
            merged->pairs[i].value = merge(m, global, resource->pairs[i].value, &ignored);
        }
    }
    if (!has_properties) {
        struct node empty = {.kind = NODE_MAPPING, .style = NODE_BLOCK, .at = global->at};
        struct node *own = copy_node(m, &empty);
        merged->pairs[merged->count].key = make_key(m, "Properties", global->at);
        merged->pairs[merged->count++].value = merge(m, global, own, &ignored);
    }
    return merged;
}

static const sv global_sections[] = {SV_INIT("Api"),          SV_INIT("CapacityProvider"), SV_INIT("Function"),
                                     SV_INIT("HttpApi"),      SV_INIT("LayerVersion"),     SV_INIT("SimpleTable"),
                                     SV_INIT("StateMachine"), SV_INIT("WebSocketApi")};

static void check_section(struct merging *m, const struct node_pair *pair) {
    struct hint h = HINT(pair->key->text);
    for (size_t i = 0; i < sizeof(global_sections) / sizeof(global_sections[0]); i++) {
        if (!sv_eq(pair->key->text, global_sections[i])) {
            hint_offer(&h, global_sections[i]);
            continue;
        }
        if (pair->value->kind != NODE_MAPPING) {
            cfn_report(m->run, DIAG_cfn_shape, cfn_node_get_span(pair->value),
                       "a section of Globals is a mapping, not %s", node_get_kind_name(pair->value));
        }
        return;
    }
    struct diag *d = cfn_report(m->run, DIAG_cfn_globals, pair->key->at, "Globals has no section '%.*s'",
                                SV_ARG(sv_slice(pair->key->text, 0, 80)));
    if (h.best.len > 0) {
        cfn_hint(m->run, d, "did you mean '%.*s'?", SV_ARG(h.best));
    } else {
        cfn_hint(m->run, d,
                 "there are Function, Api, HttpApi, WebSocketApi, SimpleTable, StateMachine, LayerVersion, "
                 "CapacityProvider");
    }
}

static struct node *merge_resources(struct merging *m, const struct node *resources) {
    struct node *merged = copy_node(m, resources);
    if (resources->kind != NODE_MAPPING) {
        return merged;
    }
    merged->pairs = ARENA_ARRAY(m->run->arena, struct node_pair, (size_t)resources->count + 1);
    for (uint32_t i = 0; i < resources->count; i++) {
        merged->pairs[i] = resources->pairs[i];
        merged->pairs[i].value = merge_resource(m, resources->pairs[i].value);
    }
    return merged;
}

const struct node *cfn_sam_merge_globals(struct cfn_run *run, const struct node *root) {
    const struct node *globals = root->kind == NODE_MAPPING ? node_find(root, SV("Globals")) : NULL;
    if (!run->t->is_sam || globals == NULL || globals->kind != NODE_MAPPING) {
        return root;
    }
    struct merging m = {.run = run, .guard = {.limit = run->limits.nesting}, .section = globals};
    for (uint32_t i = 0; i < globals->count; i++) {
        check_section(&m, &globals->pairs[i]);
    }
    struct node *merged = copy_node(&m, root);
    merged->pairs = ARENA_ARRAY(run->arena, struct node_pair, root->count);
    merged->count = 0;
    for (uint32_t i = 0; i < root->count; i++) {
        struct node_pair pair = root->pairs[i];
        if (sv_eq(pair.key->text, SV("Globals"))) {
            continue;
        }
        if (sv_eq(pair.key->text, SV("Resources"))) {
            pair.value = merge_resources(&m, pair.value);
        }
        merged->pairs[merged->count++] = pair;
    }
    return merged;
}
