/* --prune (CF-213): declarations that nothing left in the output refers to. */
#include "dialects/cfn/output.h"
#include "dialects/cfn/sections.h"

struct uses {
    struct map names, mappings; /* parameters, mappings */
    bool has_computed;          /* a name that is a call: anything may be meant */
    struct depth_guard depth;
};

static void scan(struct uses *u, const struct node *n);

/* Every `${name}` of a text; more than needed does no harm. */
static void scan_text(struct uses *u, sv text) {
    for (;;) {
        size_t at = sv_find(text, SV("${"));
        if (at == SIZE_MAX)
            return;
        text = sv_slice(text, at + 2, text.len);
        sv name = sv_trim(sv_slice(text, 0, sv_find_char(text, '}')));
        map_put(&u->names, name, u);
    }
}

static void scan_call(struct uses *u, const struct cfn_call *call) {
    const struct node *n = call->argument;
    struct cfn_call inner;
    if (call->function == CFN_REF && n->kind == NODE_SCALAR)
        map_put(&u->names, n->text, u);
    if (call->function == CFN_SUB && n->kind == NODE_SCALAR)
        scan_text(u, n->text);
    if (call->function == CFN_SUB && n->kind == NODE_SEQUENCE && n->count > 0)
        scan_text(u, n->items[0]->text);
    bool is_find = call->function == CFN_FIND_IN_MAP && n->kind == NODE_SEQUENCE && n->count > 0;
    if (is_find && n->items[0]->kind == NODE_SCALAR)
        map_put(&u->mappings, n->items[0]->text, u);
    if ((is_find && cfn_call_get(n->items[0], &inner)) || (call->function == CFN_REF && n->kind != NODE_SCALAR) ||
        call->function == CFN_TRANSFORM)
        u->has_computed = true;
}

static void scan(struct uses *u, const struct node *n) {
    struct cfn_call call;
    if (cfn_call_get_condition(n, &call))
        scan_call(u, &call);
    if ((n->kind != NODE_MAPPING && n->kind != NODE_SEQUENCE) || !depth_enter(&u->depth))
        return;
    for (uint32_t i = 0; i < n->count; i++)
        scan(u, n->kind == NODE_MAPPING ? n->pairs[i].value : n->items[i]);
    depth_leave(&u->depth);
}

static bool is_declaration(enum cfn_section s) {
    return s == CFN_SECTION_PARAMETERS || s == CFN_SECTION_MAPPINGS || s == CFN_SECTION_RULES;
}

static struct node *keep_used(struct cfn_run *run, const struct node *section, const struct map *used) {
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *section;
    made->pairs = ARENA_ARRAY(run->arena, struct node_pair, section->count);
    made->count = 0;
    for (uint32_t i = 0; i < section->count; i++) {
        if (map_has(used, section->pairs[i].key->text))
            made->pairs[made->count++] = section->pairs[i];
    }
    return made;
}

const struct node *cfn_prune(struct cfn_run *run, const struct node *root) {
    struct uses u = {
        .names = MAP(run->arena), .mappings = MAP(run->arena), .depth = {.limit = 4 * run->limits.nesting}};
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *root;
    made->pairs = ARENA_ARRAY(run->arena, struct node_pair, root->count);
    made->count = 0;
    for (uint32_t i = 0; i < root->count; i++) {
        if (!is_declaration(cfn_section_find(root->pairs[i].key->text)))
            scan(&u, root->pairs[i].value);
    }
    for (uint32_t i = 0; i < root->count; i++) {
        struct node_pair pair = root->pairs[i];
        enum cfn_section s = cfn_section_find(pair.key->text);
        if (s == CFN_SECTION_RULES)
            continue;
        if (is_declaration(s) && !u.has_computed && pair.value->kind == NODE_MAPPING)
            pair.value = keep_used(run, pair.value, s == CFN_SECTION_MAPPINGS ? &u.mappings : &u.names);
        if (!is_declaration(s) || pair.value->count > 0)
            made->pairs[made->count++] = pair;
    }
    return made;
}
