/* AWS::Include (CF-155 to CF-157). */
#include "dialects/cfn/check.h"
#include "dialects/cfn/data.h"
#include "dialects/cfn/read.h"
#include "dialects/cfn/transforms.h"

enum { INCLUDES_MAX = 100 };

struct including {
    struct cfn_run *run;
    struct depth_guard depth;
    enum cfn_section section;
    bool is_inside; /* an included file: none of its own */
    size_t count;
};

static const struct node *expand(struct including *in, const struct node *n);

/* The argument of an Include; NULL for anything else. */
static const struct node *get_include(const struct node *argument) {
    const struct node *name = node_find(argument, SV("Name"));
    bool is_include = name != NULL && name->kind == NODE_SCALAR && sv_eq_cstr(name->text, "AWS::Include");
    return is_include ? argument : NULL;
}

static struct diag *fail(struct including *in, enum diag_code code, span at, const char *message, const char *hint) {
    struct diag *d = cfn_report(in->run, code, at, "%s", message);
    cfn_hint(in->run, d, "%s", hint);
    return d;
}

enum cfn_reason cfn_transform_get_reason(const struct node *argument) {
    return get_include(argument) == NULL ? CFN_REASON_macro : CFN_REASON_network;
}

/* --- where it is --- */

static bool get_location(struct including *in, const struct node *argument, sv *location, span *at) {
    const struct node *parameters = node_find(argument, SV("Parameters"));
    const struct node *n = parameters == NULL ? NULL : node_find(parameters, SV("Location"));
    *at = n == NULL ? argument->at : cfn_node_get_span(n);
    if (n == NULL) {
        fail(in, DIAG_cfn_include, *at, "an Include needs a location", "add 'Parameters: {Location: …}'");
        return false;
    }
    struct cfn_check c = cfn_check_start(in->run, CFN_SECTION_RESOURCES);
    c.no_resources = true;
    c.is_early = true;
    c.dependency_code = DIAG_cfn_include;
    const struct expr *e = cfn_check_argument(&c, n, CFN_ARG_LOCATION);
    if (e->kind == EXPR_ERROR)
        return false;
    value v = eval_expr(in->run->ev, e, NULL);
    if (v.kind == VALUE_STRING && v.text->len > 0) {
        *location = *v.text;
        return true;
    }
    if (!cfn_is_failed(in->run, v))
        fail(in, DIAG_cfn_include, *at, "the location of an Include is text that is known", "give what it depends on");
    return false;
}

enum found {
    FOUND = 1,
    NOT_FOUND,   /* reported */
    NOT_ALLOWED, /* needs the network */
};

static enum found fetch(struct including *in, sv location, span at, const struct content **content) {
    struct cfn_run *run = in->run;
    struct fetcher *f = run->o.fetcher;
    struct fetch_failure failure = {0};
    struct fetch_request request = {.arena = run->arena, .path = location};
    bool is_s3 = sv_has_prefix(location, SV("s3://")), is_https = sv_has_prefix(location, SV("https://"));
    bool is_mapped = cfn_include_find(run, location, &request.path);
    if (!is_s3 && (!is_mapped || is_https))
        fail(in, DIAG_cfn_include_location, at, "CloudFormation takes locations in S3 only",
             "write s3://bucket/key and map it with 'Includes' of a symbol file");
    bool is_remote = !is_mapped && (is_s3 || is_https);
    if (is_remote && !run->o.allow_network)
        return NOT_ALLOWED;
    if (f == NULL) {
        fail(in, DIAG_cfn_include, at, "nothing can be read here", "resolve the template from the command line");
        return NOT_FOUND;
    }
    struct source *base = sources_find(run->o.sources, at.source);
    request.base = is_mapped || base == NULL || f->ops->base == NULL ? NULL : f->ops->base(f, base);
    *content = is_https && !is_mapped ? f->ops->url(f, &request, &failure) : f->ops->file(f, &request, &failure);
    if (*content != NULL)
        return FOUND;
    struct diag *d = cfn_report(run, failure.code, at, "%.*s", SV_ARG(failure.message));
    d->hint = failure.hint;
    return NOT_FOUND;
}

/* --- what is in it (CF-156) --- */

static bool has_include(const struct node *n, struct depth_guard *depth) {
    bool found = false;
    if ((n->kind != NODE_MAPPING && n->kind != NODE_SEQUENCE) || !depth_enter(depth))
        return false;
    for (uint32_t i = 0; i < n->count && !found; i++) {
        const struct node *child = n->kind == NODE_MAPPING ? n->pairs[i].value : n->items[i];
        bool is_transform = n->kind == NODE_MAPPING && cfn_function_find(n->pairs[i].key->text) == CFN_TRANSFORM;
        found = (is_transform && get_include(child) != NULL) || has_include(child, depth);
    }
    depth_leave(depth);
    return found;
}

static const struct node *read_content(struct including *in, const struct content *content, span at) {
    struct cfn_run *run = in->run;
    struct source *source = sources_add(run->o.sources, content->name, content->bytes);
    source->path = content->path;
    source->origin = content;
    struct cfn_read r = {.arena = run->arena, .diags = run->o.diags, .limits = &run->limits, .no_short_forms = true};
    const struct node *root = cfn_read_tree(&r, source);
    for (size_t i = 0; i < run->o.diags->items.len; i++) {
        struct diag *d = run->o.diags->items.items[i];
        if (d->at.source == source->id && d->path.len == 0)
            d->path = cfn_path_find(run, at);
    }
    struct depth_guard depth = {.limit = run->limits.nesting + 8};
    if (root == NULL)
        return NULL;
    if (root->kind != NODE_MAPPING || has_include(root, &depth)) {
        struct diag *d =
            fail(in, DIAG_cfn_include_content, root->at,
                 root->kind != NODE_MAPPING ? "an included file is a map" : "an included file includes no other",
                 "write what belongs in the place of the Include");
        diag_add_related(run->o.diags, d, at, "included here");
        d->path = cfn_path_find(run, at);
        return NULL;
    }
    VEC_PUSH(run->arena, &run->included, ((struct cfn_included){source->id, at, root}));
    return root;
}

/* The map that takes the place of the Include; NULL: it stays, or has been reported. */
static const struct node *include(struct including *in, const struct node *argument, span at, bool *stays) {
    const struct content *content = NULL;
    sv location;
    span location_at;
    *stays = false;
    if (in->section == CFN_SECTION_PARAMETERS || in->section == CFN_SECTION_VERSION) {
        fail(in, DIAG_cfn_place, at, "an Include cannot stand here", "write the content out");
        return NULL;
    }
    if (++in->count > INCLUDES_MAX) {
        fail(in, DIAG_limit_exceeded, at, "the template includes more than 100 files", "put some of them together");
        return NULL;
    }
    if (!get_location(in, argument, &location, &location_at))
        return NULL;
    enum found found = fetch(in, location, location_at, &content);
    *stays = found == NOT_ALLOWED;
    return found == FOUND ? read_content(in, content, at) : NULL;
}

/* --- the walk --- */

struct making {
    struct including *in;
    VEC(struct node_pair) pairs;
    struct map seen;
    bool has_changed;
};

static void add(struct making *m, struct node_pair pair) {
    bool is_new = true;
    struct cfn_run *run = m->in->run;
    void **slot = map_get_slot(&m->seen, pair.key->text, &is_new);
    if (is_new) {
        *slot = pair.key;
        VEC_PUSH(run->arena, &m->pairs, pair);
        return;
    }
    const struct node *first = *slot;
    struct diag *d = cfn_report(run, DIAG_duplicate_key, pair.key->at, "key '%.*s' is there already",
                                SV_ARG(sv_slice(pair.key->text, 0, 80)));
    diag_add_related(run->o.diags, d, first->at, "first one is here");
    cfn_hint(run, d, "remove one of them or give it another name");
}

static void add_included(struct making *m, const struct node *key, const struct node *n) {
    bool stays = false;
    m->has_changed = true;
    const struct node *root = include(m->in, n, key->at, &stays);
    if (stays)
        add(m, (struct node_pair){cfn_node_unconst(key), cfn_node_unconst(n)});
    for (uint32_t i = 0; root != NULL && i < root->count; i++)
        add(m, root->pairs[i]);
}

static bool is_include(const struct node *key, const struct node *n) {
    return key->kind == NODE_SCALAR && cfn_function_find(key->text) == CFN_TRANSFORM && get_include(n) != NULL;
}

static const struct node *expand_map(struct including *in, const struct node *n) {
    bool has_any = false, has_changed = false;
    struct node **values = ARENA_ARRAY(in->run->arena, struct node *, n->count + 1);
    for (uint32_t i = 0; i < n->count; i++) {
        bool is_one = is_include(n->pairs[i].key, n->pairs[i].value);
        has_any = has_any || is_one;
        values[i] = is_one ? n->pairs[i].value : cfn_node_unconst(expand(in, n->pairs[i].value));
        has_changed = has_changed || values[i] != n->pairs[i].value;
    }
    if (!has_any && !has_changed)
        return n;
    struct making m = {.in = in, .seen = MAP(in->run->arena)};
    for (uint32_t i = 0; i < n->count; i++) {
        if (is_include(n->pairs[i].key, n->pairs[i].value))
            add_included(&m, n->pairs[i].key, n->pairs[i].value);
        else
            add(&m, (struct node_pair){n->pairs[i].key, values[i]});
    }
    struct node *made = ARENA_NEW(in->run->arena, struct node);
    *made = *n;
    made->pairs = m.pairs.items;
    made->count = (uint32_t)m.pairs.len;
    return made;
}

static const struct node *expand_list(struct including *in, const struct node *n) {
    struct node *made = NULL;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node *child = expand(in, n->items[i]);
        if (child == n->items[i])
            continue;
        if (made == NULL) {
            made = ARENA_NEW(in->run->arena, struct node);
            *made = *n;
            made->items = ARENA_ARRAY(in->run->arena, struct node *, n->count);
            for (uint32_t k = 0; k < n->count; k++)
                made->items[k] = n->items[k];
        }
        made->items[i] = cfn_node_unconst(child);
    }
    return made == NULL ? n : made;
}

/* `!Transform {Name: AWS::Include, …}`: the map itself is replaced. */
static const struct node *expand_short(struct including *in, const struct node *n) {
    bool stays = false;
    const struct node *root = include(in, n, cfn_node_get_span(n), &stays);
    return root == NULL ? n : root;
}

static const struct node *expand(struct including *in, const struct node *n) {
    struct cfn_call call;
    if ((n->kind != NODE_MAPPING && n->kind != NODE_SEQUENCE) || !depth_enter(&in->depth))
        return n;
    const struct node *made = NULL;
    if (n->props != NULL && cfn_call_get(n, &call) && call.function == CFN_TRANSFORM && get_include(n) != NULL)
        made = expand_short(in, n);
    else
        made = n->kind == NODE_MAPPING ? expand_map(in, n) : expand_list(in, n);
    depth_leave(&in->depth);
    return made;
}

/* CF-155: entries of an Include in the section `Transform` join the root. */
/* What needs the network stays in the section. */
static void join_root(struct making *m, const struct node *n) {
    bool stays = false;
    for (uint32_t i = 0; n != NULL && n->kind == NODE_SEQUENCE && i < n->count; i++)
        join_root(m, n->items[i]);
    if (n == NULL || n->kind != NODE_MAPPING || get_include(n) == NULL)
        return;
    const struct node *root = include(m->in, n, n->at, &stays);
    m->in->run->keeps_includes = m->in->run->keeps_includes || stays;
    if (stays)
        cfn_keep_unknown(m->in->run, CFN_REASON_network, n->at);
    for (uint32_t i = 0; root != NULL && i < root->count; i++)
        add(m, root->pairs[i]);
}

const struct node *cfn_include_expand(struct cfn_run *run, const struct node *root) {
    struct including in = {.run = run, .depth = {.limit = run->limits.nesting + 8}};
    if (sv_find(cfn_get_source(run->cfn)->bytes, SV("AWS::Include")) == SIZE_MAX)
        return root;
    struct making m = {.in = &in, .seen = MAP(run->arena)};
    for (uint32_t i = 0; i < root->count; i++) {
        const struct node *key = root->pairs[i].key, *n = root->pairs[i].value;
        in.section = cfn_section_find(key->text);
        if (is_include(key, n))
            add_included(&m, key, n);
        else
            add(&m, (struct node_pair){root->pairs[i].key, in.section == CFN_SECTION_TRANSFORM
                                                               ? root->pairs[i].value
                                                               : cfn_node_unconst(expand(&in, n))});
    }
    in.section = CFN_SECTION_TRANSFORM;
    join_root(&m, run->t->sections[CFN_SECTION_TRANSFORM]);
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *root;
    made->pairs = m.pairs.items;
    made->count = (uint32_t)m.pairs.len;
    return made;
}
