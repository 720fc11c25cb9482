/* Fn::ForEach (CF-128 to CF-131): loops are unrolled before anything is checked. */
#include "dialects/cfn/check.h"
#include "dialects/cfn/data.h"
#include "dialects/cfn/evaluate.h"
#include "dialects/cfn/read.h"
#include "dialects/cfn/scalars.h"
#include "dialects/cfn/transforms.h"

#include "doc/writer.h"

enum { LOOPS_DEEP = 5 };

/* An identifier with the item that it stands for. */
struct binding {
    sv name, item, compact; /* compact: letters and digits of the item */
};

struct unrolling {
    struct cfn_run *run;
    struct cfn_check check; /* of collections */
    struct binding bindings[LOOPS_DEEP];
    size_t binding_count;
    struct map names; /* of loops, to their key nodes */
    size_t nodes;     /* made or visited in bodies */
    struct depth_guard depth;
    bool is_stopped;
};

static const struct node *expand(struct unrolling *u, const struct node *n, bool is_section);

static struct diag *fail(struct unrolling *u, enum diag_code code, span at, const char *message, const char *hint) {
    struct diag *d = cfn_report(u->run, code, at, "%s", message);
    cfn_hint(u->run, d, "%s", hint);
    return d;
}

static bool spend(struct unrolling *u, span at) {
    if (u->binding_count > 0 && ++u->nodes > CFN_NODES_MAX && !u->is_stopped) {
        u->is_stopped = true;
        fail(u, DIAG_limit_exceeded, at, "the loops make too many nodes", "loop over less");
    }
    return !u->is_stopped;
}

/* --- texts --- */

/* The binding of `${name}` or `&{name}` at the start of the text; `*len` is its length. */
static const struct binding *find_binding(const struct unrolling *u, sv text, size_t *len) {
    if (text.len < 3 || (text.data[0] != '$' && text.data[0] != '&') || text.data[1] != '{')
        return NULL;
    size_t end = sv_find_char(text, '}');
    sv name = end == SIZE_MAX ? (sv){0} : sv_slice(text, 2, end);
    for (size_t i = u->binding_count; i-- > 0;) {
        if (sv_eq(u->bindings[i].name, name)) {
            *len = end + 1;
            return &u->bindings[i];
        }
    }
    return NULL;
}

/* The text with items in place of identifiers; false when there are none. */
static bool put_items(struct unrolling *u, sv text, sv *result) {
    struct buf out = BUF(u->run->arena);
    bool has_any = false;
    if (u->binding_count == 0 || sv_find_char(text, '{') == SIZE_MAX)
        return false;
    for (size_t i = 0; i < text.len;) {
        size_t len = 1;
        bool may_start = text.data[i] == '$' || text.data[i] == '&';
        const struct binding *b = may_start ? find_binding(u, sv_slice(text, i, text.len), &len) : NULL;
        if (b != NULL && !has_any)
            buf_append(&out, sv_slice(text, 0, i));
        has_any = has_any || b != NULL;
        if (b != NULL)
            buf_append(&out, text.data[i] == '$' ? b->item : b->compact);
        else if (has_any)
            buf_append_char(&out, text.data[i]);
        i += len;
    }
    *result = buf_get_sv(&out);
    return has_any;
}

static struct node *make_text(struct unrolling *u, const struct node *from, sv text) {
    struct node *made = ARENA_NEW(u->run->arena, struct node);
    *made = *from;
    made->text = text;
    made->flags |= CFN_NODE_MADE;
    if (made->style == NODE_PLAIN || made->style == NODE_EMPTY)
        made->style = NODE_DOUBLE_QUOTED;
    return made;
}

static const struct node *expand_text(struct unrolling *u, const struct node *n) {
    sv text;
    return put_items(u, n->text, &text) ? make_text(u, n, text) : n;
}

/* {"Ref": identifier}: the item as text; NULL for anything else. */
static const struct node *expand_reference(struct unrolling *u, const struct node *n) {
    struct cfn_call call;
    if (u->binding_count == 0 || !cfn_call_get(n, &call) || call.function != CFN_REF ||
        call.argument->kind != NODE_SCALAR)
        return NULL;
    for (size_t i = u->binding_count; i-- > 0;) {
        if (!sv_eq(u->bindings[i].name, call.argument->text))
            continue;
        struct node *made = make_text(u, call.argument, u->bindings[i].item);
        made->props = NULL;
        made->style = NODE_DOUBLE_QUOTED;
        made->at = cfn_node_get_span(n);
        return made;
    }
    return NULL;
}

/* --- what a loop is made of --- */

struct loop {
    const struct node *key;
    sv name, identifier;
    const struct node *collection, *body;
};

static bool is_alphanumeric(sv text) {
    return text.len > 0 && cfn_is_name(text);
}

static bool is_taken(struct unrolling *u, sv name) {
    const struct cfn_template *t = u->run->t;
    const struct node *resources = t->sections[CFN_SECTION_RESOURCES];
    return map_has(&t->parameters_by_name, name) ||
           (resources != NULL && cfn_node_find(u->run, resources, name) != NULL);
}

static bool check_name(struct unrolling *u, const struct loop *l) {
    const struct node *first = map_find(&u->names, l->name);
    if (!is_alphanumeric(l->name) || is_taken(u, l->name) || (first != NULL && first->at.offset != l->key->at.offset)) {
        fail(u, DIAG_cfn_foreach_name, l->key->at,
             !is_alphanumeric(l->name) ? "the name of a loop has letters and digits"
             : first != NULL           ? "there is a loop of this name already"
                                       : "a loop cannot be called like a resource or parameter",
             "write 'Fn::ForEach::Name' with a name of its own");
        return false;
    }
    map_put(&u->names, l->name, cfn_node_unconst(l->key));
    return true;
}

static bool check_identifier(struct unrolling *u, const struct node *n, struct loop *l) {
    struct cfn_call call;
    bool is_text = n->kind == NODE_SCALAR && !cfn_call_get(n, &call) && is_alphanumeric(n->text);
    bool is_enclosing = false;
    for (size_t i = 0; is_text && i < u->binding_count; i++)
        is_enclosing = is_enclosing || sv_eq(u->bindings[i].name, n->text);
    if (is_text && !is_enclosing && !map_has(&u->run->t->parameters_by_name, n->text)) {
        l->identifier = n->text;
        return true;
    }
    fail(u, DIAG_cfn_foreach_name, cfn_node_get_span(n),
         !is_text       ? "the identifier of a loop has letters and digits"
         : is_enclosing ? "a loop around has this identifier"
                        : "the identifier of a loop cannot be called like a parameter",
         "choose another name");
    return false;
}

static bool read_loop(struct unrolling *u, const struct node *key, const struct node *n, struct loop *l) {
    enum { PARTS = 3, BEHIND = sizeof "Fn::ForEach::" - 1 };
    struct cfn_call call;
    *l = (struct loop){.key = key, .name = sv_slice(key->text, BEHIND, key->text.len)};
    bool is_list = n->kind == NODE_SEQUENCE && n->count == PARTS && !cfn_call_get(n, &call);
    bool is_map =
        is_list && n->items[2]->kind == NODE_MAPPING && n->items[2]->count > 0 && (!cfn_call_get(n->items[2], &call));
    if (!is_map) {
        fail(u, DIAG_cfn_foreach_layout, is_list ? cfn_node_get_span(n->items[2]) : cfn_node_get_span(n),
             is_list ? "the body of a loop is a map of entries" : "a loop is a list of identifier, collection and body",
             "write [Identifier, [items], {entries}]");
        return false;
    }
    l->collection = n->items[1];
    l->body = n->items[2];
    return check_name(u, l) && check_identifier(u, n->items[0], l);
}

/* --- collections (CF-129) --- */

static bool is_good_item(sv text) {
    return sv_find(text, SV("${")) == SIZE_MAX && sv_find(text, SV("&{")) == SIZE_MAX && !cfn_dynamic_has(text);
}

static bool refuse_collection(struct unrolling *u, const struct node *n, const char *message) {
    fail(u, DIAG_cfn_foreach_collection, cfn_node_get_span(n), message,
         "loop over a list of texts, a parameter or a mapping");
    return false;
}

enum outcome {
    LOOP_KNOWN = 1,
    LOOP_UNKNOWN,
    LOOP_BROKEN,
};

static enum outcome evaluate(struct unrolling *u, const struct node *n, value *list) {
    struct cfn_call call;
    if (n->kind != NODE_SEQUENCE && !cfn_call_get(n, &call)) {
        if (n->kind != NODE_ERROR)
            refuse_collection(u, n, "the collection of a loop is a list");
        return LOOP_BROKEN;
    }
    size_t errors = u->run->o.diags->errors;
    const struct expr *e = cfn_check_argument(&u->check, n, CFN_ARG_COLLECTION);
    if (u->run->o.diags->errors > errors || e->kind == EXPR_ERROR)
        return LOOP_BROKEN;
    *list = eval_expr(u->run->ev, e, NULL);
    if (cfn_is_failed(u->run, *list))
        return LOOP_BROKEN;
    if (list->kind == VALUE_UNKNOWN || (list->within & WITHIN_UNKNOWN) != 0)
        return LOOP_UNKNOWN;
    if (list->kind != VALUE_LIST || (list->within & MARK_SENSITIVE) != 0) {
        refuse_collection(u, n,
                          list->kind != VALUE_LIST ? "the collection of a loop is a list"
                                                   : "the collection of a loop is sensitive");
        return LOOP_BROKEN;
    }
    return LOOP_KNOWN;
}

/* --- unrolling --- */

struct making {
    struct unrolling *u;
    bool is_section;
    VEC(struct node_pair) pairs;
    struct map seen; /* keys, to their nodes */
};

static void add(struct making *m, const struct node *key, const struct node *n, bool is_produced) {
    bool is_new = true;
    struct unrolling *u = m->u;
    if (is_produced && m->is_section && !cfn_is_name(key->text)) {
        fail(u, DIAG_cfn_foreach_key, key->at, "the loop makes a key that is no name",
             "write '&{Identifier}' for its letters and digits alone");
        return;
    }
    void **slot = map_get_slot(&m->seen, key->text, &is_new);
    if (!is_new) {
        const struct node *first = *slot;
        struct diag *d = cfn_report(u->run, DIAG_cfn_foreach_collision, key->at, "the key '%.*s' is there already",
                                    SV_ARG(sv_slice(key->text, 0, 80)));
        diag_add_related(u->run->o.diags, d, first->at, "first one is here");
        cfn_hint(u->run, d, "put the identifier into the key, and each item once into the collection");
        return;
    }
    *slot = cfn_node_unconst(key);
    VEC_PUSH(u->run->arena, &m->pairs, ((struct node_pair){cfn_node_unconst(key), cfn_node_unconst(n)}));
}

static void add_entries(struct making *m, const struct node *n, bool is_produced);

static sv make_compact(struct unrolling *u, sv text) {
    struct buf out = BUF(u->run->arena);
    for (size_t i = 0; i < text.len; i++) {
        if (cfn_is_name(sv_slice(text, i, i + 1)))
            buf_append_char(&out, text.data[i]);
    }
    return buf_get_sv(&out);
}

static void unroll(struct making *m, const struct loop *l, value list) {
    struct unrolling *u = m->u;
    for (size_t i = 0; i < list.list->len && !u->is_stopped; i++) {
        sv text;
        if (!cfn_text_get(u->run, list.list->items[i], &text) || !is_good_item(text)) {
            refuse_collection(u, l->collection, "an item of the collection is no plain text");
            return;
        }
        u->bindings[u->binding_count++] = (struct binding){l->identifier, text, make_compact(u, text)};
        add_entries(m, l->body, true);
        u->binding_count--;
    }
}

/* CF-129: the loop stays; its keys tell which names it may make. */
static void keep(struct making *m, const struct node *key, const struct node *n, const struct loop *l) {
    struct unrolling *u = m->u;
    for (uint32_t i = 0; i < l->body->count; i++)
        map_put(&u->run->t->kept_loops, l->body->pairs[i].key->text, u);
    u->run->has_loops = true;
    cfn_keep_unknown(u->run, CFN_REASON_foreach, key->at);
    add(m, key, expand(u, n, false), false);
}

static void add_loop(struct making *m, const struct node *key, const struct node *n) {
    struct unrolling *u = m->u;
    struct loop l;
    value list;
    if (!read_loop(u, key, n, &l))
        return;
    if (u->binding_count == LOOPS_DEEP) {
        fail(u, DIAG_limit_exceeded, key->at, "loops are nested more than 5 deep", "unroll one of them by hand");
        return;
    }
    const struct node *collection = expand(u, l.collection, false);
    enum outcome outcome = evaluate(u, collection, &list);
    if (outcome == LOOP_KNOWN)
        unroll(m, &l, list);
    else if (outcome == LOOP_UNKNOWN)
        keep(m, key, n, &l);
}

static void add_entries(struct making *m, const struct node *n, bool is_produced) {
    struct unrolling *u = m->u;
    for (uint32_t i = 0; i < n->count && !u->is_stopped; i++) {
        const struct node *key = n->pairs[i].key;
        if (cfn_function_find(key->text) == CFN_FOR_EACH) {
            add_loop(m, expand_text(u, key), n->pairs[i].value);
            continue;
        }
        const struct node *made = expand(u, n->pairs[i].value, false);
        add(m, expand_text(u, key), made, is_produced);
    }
}

static bool has_loop(const struct node *n) {
    for (uint32_t i = 0; i < n->count; i++) {
        if (n->pairs[i].key->kind == NODE_SCALAR && cfn_function_find(n->pairs[i].key->text) == CFN_FOR_EACH)
            return true;
    }
    return false;
}

static const struct node *expand_loops(struct unrolling *u, const struct node *n, bool is_section) {
    struct making m = {.u = u, .is_section = is_section, .seen = MAP(u->run->arena)};
    add_entries(&m, n, false);
    struct node *made = ARENA_NEW(u->run->arena, struct node);
    *made = *n;
    made->pairs = m.pairs.items;
    made->count = (uint32_t)m.pairs.len;
    return made;
}

/* The same node when nothing in it changes. */
static const struct node *expand_children(struct unrolling *u, const struct node *n) {
    bool is_map = n->kind == NODE_MAPPING;
    struct node *made = NULL;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node *key = is_map ? expand_text(u, n->pairs[i].key) : NULL;
        const struct node *old = is_map ? n->pairs[i].value : n->items[i];
        const struct node *child = expand(u, old, false);
        bool has_changed = child != old || (is_map && key != n->pairs[i].key);
        if (has_changed && made == NULL) {
            made = ARENA_NEW(u->run->arena, struct node);
            *made = *n;
            made->pairs = is_map ? ARENA_ARRAY(u->run->arena, struct node_pair, n->count) : NULL;
            made->items = is_map ? made->items : ARENA_ARRAY(u->run->arena, struct node *, n->count);
            for (uint32_t k = 0; k < n->count; k++) {
                if (is_map)
                    made->pairs[k] = n->pairs[k];
                else
                    made->items[k] = n->items[k];
            }
        }
        if (has_changed && is_map)
            made->pairs[i] = (struct node_pair){cfn_node_unconst(key), cfn_node_unconst(child)};
        else if (has_changed)
            made->items[i] = cfn_node_unconst(child);
    }
    return made == NULL ? n : made;
}

static const struct node *expand(struct unrolling *u, const struct node *n, bool is_section) {
    if (!spend(u, n->at))
        return n;
    const struct node *item = expand_reference(u, n);
    if (item != NULL)
        return item;
    if (n->kind == NODE_SCALAR)
        return expand_text(u, n);
    if ((n->kind != NODE_MAPPING && n->kind != NODE_SEQUENCE) || !depth_enter(&u->depth))
        return n;
    bool is_loop = n->kind == NODE_MAPPING && has_loop(n);
    const struct node *made = is_loop ? expand_loops(u, n, is_section) : expand_children(u, n);
    depth_leave(&u->depth);
    return made;
}

/* --- all sections --- */

static bool is_place(enum cfn_section s) {
    return s == CFN_SECTION_CONDITIONS || s == CFN_SECTION_RESOURCES || s == CFN_SECTION_OUTPUTS;
}

const struct node *cfn_foreach_expand(struct cfn_run *run, const struct node *root) {
    struct unrolling u = {.run = run, .depth = {.limit = run->limits.nesting + 8}, .names = MAP(run->arena)};
    if (!run->t->has_extensions ||
        (sv_find(cfn_get_source(run->cfn)->bytes, SV("Fn::ForEach")) == SIZE_MAX && run->included.len == 0))
        return root;
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *root;
    made->pairs = ARENA_ARRAY(run->arena, struct node_pair, root->count);
    made->count = 0;
    for (uint32_t i = 0; i < root->count; i++) {
        struct node_pair pair = root->pairs[i];
        enum cfn_section s = cfn_section_find(pair.key->text);
        u.check = cfn_check_start(run, s);
        u.check.no_resources = true;
        u.check.is_early = true;
        u.check.dependency_code = DIAG_cfn_foreach_collection;
        if (is_place(s) && pair.value->kind == NODE_MAPPING) {
            pair.value = cfn_node_unconst(expand(&u, pair.value, true));
            bool is_emptied = pair.value->count == 0 && s != CFN_SECTION_RESOURCES && root->pairs[i].value->count > 0;
            if (is_emptied)
                continue;
        }
        made->pairs[made->count++] = pair;
    }
    return made;
}

/* Whether a name fits a key with identifiers in it. */
static bool fits(sv key, sv name) {
    while (key.len > 0) {
        bool is_hole = key.len > 2 && (key.data[0] == '$' || key.data[0] == '&') && key.data[1] == '{';
        size_t end = is_hole ? sv_find_char(key, '}') : SIZE_MAX;
        if (end != SIZE_MAX) {
            key = sv_slice(key, end + 1, key.len);
            if (key.len == 0)
                return true;
            size_t next = sv_find(name, sv_slice(key, 0, 1));
            if (next == SIZE_MAX)
                return false;
            for (; name.len > 0; name = sv_slice(name, 1, name.len)) {
                if (name.data[0] == key.data[0] && fits(key, name))
                    return true;
            }
            return false;
        }
        if (name.len == 0 || name.data[0] != key.data[0])
            return false;
        key = sv_slice(key, 1, key.len);
        name = sv_slice(name, 1, name.len);
    }
    return name.len == 0;
}

bool cfn_loops_may_make(const struct cfn_template *t, sv name) {
    enum { LONGEST = 255 };
    for (size_t i = 0; i < t->kept_loops.len && name.len <= LONGEST; i++) {
        if (t->kept_loops.entries[i].key.len <= LONGEST && fits(t->kept_loops.entries[i].key, name))
            return true;
    }
    return false;
}
