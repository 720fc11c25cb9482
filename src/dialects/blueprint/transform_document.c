/* Documents on their way to a transform and back. */
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/transforms.h"
#include "doc/writer.h"

/* --- out: secrets (BP-060) --- */

/* Text that does not occur in the document starts what stands in for secrets. */
static sv choose_mark(struct transform_step *s) {
    const struct source *source = sources_find(s->l->request->sources, s->l->data->source);
    sv mark = SV("(sensitive:");
    while (source != NULL && sv_find(source->bytes, mark) != SIZE_MAX) {
        mark = arena_printf(&s->l->scratch, "%.*s:", SV_ARG(mark));
    }
    return mark;
}

static struct node *hide_scalar(struct transform_step *s, struct node *n, sv mark) {
    if (fields_has_substitution(n)) {
        return n;
    }
    sv text = arena_printf(s->l->arena, "%.*s%zu)", SV_ARG(mark), s->hidden.len + 1);
    map_put(&s->hidden, text, n);
    return node_new_scalar(s->l->arena, text, NODE_DOUBLE_QUOTED);
}

/* As deep as the reader allows (BP-024). */
static struct node *hide(struct transform_step *s, struct node *n, sv mark) {
    if (n->kind == NODE_SCALAR) {
        return hide_scalar(s, n, mark);
    }
    if ((n->kind != NODE_MAPPING && n->kind != NODE_SEQUENCE) || !depth_enter(&s->l->depth)) {
        return n;
    }
    struct node *copy = ARENA_NEW(s->l->arena, struct node);
    *copy = *n;
    if (n->kind == NODE_MAPPING) {
        copy->pairs = ARENA_ARRAY(s->l->arena, struct node_pair, n->count + 1);
        for (size_t i = 0; i < n->count; i++) {
            copy->pairs[i] = (struct node_pair){n->pairs[i].key, hide(s, n->pairs[i].value, mark)};
        }
    } else {
        copy->items = ARENA_ARRAY(s->l->arena, struct node *, n->count + 1);
        for (size_t i = 0; i < n->count; i++) {
            copy->items[i] = hide(s, n->items[i], mark);
        }
    }
    depth_leave(&s->l->depth);
    return copy;
}

/* A shallow copy whose values can be replaced. */
static struct node *copy_mapping(struct arena *a, const struct node *n) {
    struct node *copy = ARENA_NEW(a, struct node);
    *copy = *n;
    copy->pairs = ARENA_ARRAY(a, struct node_pair, n->count + 1);
    if (n->count > 0) {
        memcpy(copy->pairs, n->pairs, n->count * sizeof *n->pairs);
    }
    return copy;
}

static bool is_secret(const struct node *def) {
    const struct node *n = def->kind == NODE_MAPPING ? node_find(def, SV("secret")) : NULL;
    if (n == NULL || n->kind != NODE_SCALAR) {
        return n != NULL;
    }
    struct scalar v = scalar_resolve_node(n, scalar_resolve_core);
    return v.kind == SCALAR_BOOL ? v.boolean : v.kind != SCALAR_NULL;
}

static struct node *hide_definition(struct transform_step *s, const struct node *def, sv mark) {
    static const sv fields[] = {SV_INIT("allowedValues"), SV_INIT("default"), SV_INIT("value")};
    struct node *copy = copy_mapping(s->l->arena, def);
    for (size_t i = 0; i < copy->count; i++) {
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            struct node_pair *pair = &copy->pairs[i];
            if (pair->key->kind == NODE_SCALAR && sv_eq(pair->key->text, fields[k])) {
                pair->value = hide(s, pair->value, mark);
            }
        }
    }
    return copy;
}

static struct node *hide_section(struct transform_step *s, const struct node *section, sv mark) {
    struct node *copy = copy_mapping(s->l->arena, section);
    for (size_t i = 0; i < copy->count; i++) {
        if (is_secret(copy->pairs[i].value)) {
            copy->pairs[i].value = hide_definition(s, copy->pairs[i].value, mark);
        }
    }
    return copy;
}

sv transforms_write(struct transform_step *s) {
    struct buf out = BUF(s->l->arena);
    struct node *root = copy_mapping(s->l->arena, s->tree);
    sv mark = choose_mark(s);
    for (size_t i = 0; i < root->count; i++) {
        struct node_pair *pair = &root->pairs[i];
        bool may_hide = pair->key->kind == NODE_SCALAR && pair->value->kind == NODE_MAPPING &&
                        (sv_eq(pair->key->text, SV("variables")) || sv_eq(pair->key->text, SV("values")));
        if (may_hide) {
            pair->value = hide_section(s, pair->value, mark);
        }
    }
    doc_write_json(&out, root, 0, scalar_resolve_core);
    return buf_get_sv(&out);
}

/* --- back: what is unchanged (BP-061) --- */

struct joined {
    struct node *node;
    bool same; /* the old node */
};

static bool scalars_equal(const struct node *a, const struct node *b) {
    struct scalar x = scalar_resolve_node(a, scalar_resolve_core), y = scalar_resolve_node(b, scalar_resolve_core);
    if (x.kind != y.kind) {
        return false;
    }
    switch (x.kind) {
    case SCALAR_NULL:
        return true;
    case SCALAR_BOOL:
        return x.boolean == y.boolean;
    case SCALAR_INT:
        return x.integer == y.integer;
    case SCALAR_FLOAT:
        return x.number == y.number;
    case SCALAR_STRING:
    case SCALAR_BAD_NUMBER:
        break;
    }
    return sv_eq(a->text, b->text);
}

static struct joined join(struct transform_step *s, struct node *old, struct node *made);

/* Pairs of a mapping by key: found in order mostly, by a map otherwise. */
struct finder {
    const struct node *mapping; /* NULL: nothing is found */
    size_t next;
    struct map by_key;
};

static void fill_map(struct finder *f, struct arena *a) {
    f->by_key = MAP(a);
    const struct node_pair *pairs = f->mapping->pairs;
    for (size_t i = 0; pairs != NULL && i < f->mapping->count; i++) {
        if (pairs[i].key->kind == NODE_SCALAR) {
            map_put(&f->by_key, pairs[i].key->text, (void *)&pairs[i]);
        }
    }
}

static const struct node_pair *find_pair(struct finder *f, struct arena *a, const struct node *key) {
    if (f->mapping == NULL || key->kind != NODE_SCALAR) {
        return NULL;
    }
    const struct node *n = f->mapping;
    const struct node_pair *next = f->next < n->count ? &n->pairs[f->next] : NULL;
    if (next != NULL && next->key->kind == NODE_SCALAR && sv_eq(next->key->text, key->text)) {
        f->next++;
        return next;
    }
    if (f->by_key.arena == NULL) {
        fill_map(f, a);
    }
    const struct node_pair *found = map_find(&f->by_key, key->text);
    f->next = found != NULL ? (size_t)(found - n->pairs) + 1 : f->next;
    return found;
}

static struct joined join_mapping(struct transform_step *s, struct node *old, struct node *made) {
    bool is_old = old != NULL && old->kind == NODE_MAPPING;
    struct finder finder = {.mapping = is_old ? old : NULL};
    bool same = is_old && old->count == made->count;
    for (size_t i = 0; i < made->count; i++) {
        struct node_pair *pair = &made->pairs[i];
        const struct node_pair *was = find_pair(&finder, &s->l->scratch, pair->key);
        struct joined child = join(s, was != NULL ? was->value : NULL, pair->value);
        same = same && was == &old->pairs[i] && child.same;
        pair->value = child.node;
        pair->key = was != NULL ? was->key : pair->key;
    }
    return (struct joined){same ? old : made, same};
}

static struct joined join_sequence(struct transform_step *s, struct node *old, struct node *made) {
    bool is_old = old != NULL && old->kind == NODE_SEQUENCE;
    bool same = is_old && old->count == made->count;
    for (size_t i = 0; i < made->count; i++) {
        struct joined child = join(s, is_old && i < old->count ? old->items[i] : NULL, made->items[i]);
        same = same && child.same;
        made->items[i] = child.node;
    }
    return (struct joined){same ? old : made, same};
}

static struct joined join_scalar(struct transform_step *s, struct node *old, struct node *made) {
    struct node *hidden = s->hidden.len > 0 ? map_find(&s->hidden, made->text) : NULL;
    if (hidden != NULL) {
        return (struct joined){hidden, hidden == old};
    }
    bool same = old != NULL && old->kind == NODE_SCALAR && scalars_equal(old, made);
    return (struct joined){same ? old : made, same};
}

/* The tree that was read is nobody else's yet: its nodes take the old ones as children. As deep as the reader allows.
 */
static struct joined join(struct transform_step *s, struct node *old, struct node *made) {
    if (made->kind == NODE_SCALAR) {
        return join_scalar(s, old, made);
    }
    if ((made->kind != NODE_MAPPING && made->kind != NODE_SEQUENCE) || !depth_enter(&s->l->depth)) {
        return (struct joined){made, false};
    }
    struct joined result = made->kind == NODE_MAPPING ? join_mapping(s, old, made) : join_sequence(s, old, made);
    depth_leave(&s->l->depth);
    return result;
}

/* --- back: reading --- */

static const struct node *fail(struct transform_step *s, sv why) {
    diags_add(s->l->diags, DIAG_transform_failed, s->at, "the output of transform '%.*s' is no blueprint: %.*s",
              SV_ARG(sv_slice(s->name, 0, 80)), SV_ARG(why));
    return NULL;
}

static const struct node *fail_at(struct transform_step *s, struct source *source, const struct diag *d) {
    struct text_pos pos = source_get_pos(source, d->at.offset);
    return fail(s, arena_printf(&s->l->scratch, "%.*s, at line %zu, column %zu of it", SV_ARG(d->message), pos.line,
                                pos.column));
}

const struct node *transforms_read(struct transform_step *s) {
    struct loader *l = s->l;
    struct sources *sources = l->request->sources;
    if (s->run.output.len > l->request->limits->document_bytes || s->run.output.len > UINT32_MAX) {
        return fail(s, SV("it is too large"));
    }
    sv name = arena_printf(&l->scratch, "output of transform %.*s", SV_ARG(sv_slice(s->name, 0, 80)));
    struct source *source = sources_add(sources, name, arena_copy_sv(sources->arena, s->run.output));
    struct diags own;
    diags_init(&own, &l->scratch, sources);
    struct doc_options options = doc_options_blueprint;
    options.format = DOC_JSON;
    options.limits = l->request->limits;
    struct doc_stream *stream = doc_read(l->arena, source, &options, &own);
    if (own.items.len > 0) {
        return fail_at(s, source, own.items.items[0]);
    }
    struct node *root = stream->documents.len > 0 ? stream->documents.items[0].root : NULL;
    if (root == NULL || root->kind != NODE_MAPPING) {
        return fail(s, SV("it is no JSON object"));
    }
    source->stand_in = s->at;
    return join(s, (struct node *)s->tree, root).node;
}
