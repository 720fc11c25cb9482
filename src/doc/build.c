#include "doc/build.h"

#include <assert.h>
#include <string.h>

enum {
    FIRST_BLOCK = 8,
    LAST_BLOCK = 1024,
    SMALL_MAPPING = 12, /* pairs up to which comparing all keys is cheaper than hashing */
    SHOWN_BYTES = 40,
};

void build_init(struct build *b, struct arena *a, struct source *source, const struct doc_options *options) {
    *b = (struct build){.arena = a, .source = source, .options = options, .base = source->bytes.data};
    b->limits = options->limits ? options->limits : &limits_default;
    b->block_nodes = FIRST_BLOCK;
    b->anchors = MAP(a);
    b->stream = ARENA_NEW(a, struct doc_stream);
    b->stream->source = source;
}

void build_fini(struct build *b) {
    b->stream->node_count -= (size_t)(b->end_node - b->next_node);
    arena_fini(&b->scratch);
}

void build_add_block(struct build *b) {
#ifdef LINTEL_ARENA_DEBUG
    size_t count = 1;
#else
    size_t count = b->block_nodes;
#endif
    b->next_node = ARENA_ARRAY(b->arena, struct node, count);
    b->end_node = b->next_node + count;
    b->stream->node_count += count;
    if (b->block_nodes < LAST_BLOCK)
        b->block_nodes *= 2;
}

void build_grow_children(struct build *b) {
    size_t cap = b->child_cap ? b->child_cap + b->child_cap / 2 : 64;
    b->children = arena_grow_array(&b->scratch, b->children, b->child_cap, cap, sizeof *b->children);
    b->child_cap = cap;
}

char *build_get_text(struct build *b, size_t size) {
    enum { FIRST_TEXT = 256 };
    if (size > b->text_cap) {
        size_t doubled = b->text_cap ? 2 * b->text_cap : FIRST_TEXT;
        b->text_cap = size > doubled ? size : doubled;
        b->text = arena_alloc(&b->scratch, b->text_cap);
    }
    return b->text;
}

void build_take_children(struct build *b, struct node *collection, size_t first) {
    size_t count = b->child_count - first;
    b->child_count = first;
    if (count == 0)
        return;
    void *copy = ARENA_ARRAY(b->arena, struct node *, count);
    memcpy(copy, b->children + first, count * sizeof(struct node *));
    if (collection->kind == NODE_SEQUENCE) {
        collection->items = copy;
        collection->count = (uint32_t)count;
    } else {
        static_assert(sizeof(struct node_pair) == 2 * sizeof(struct node *), "a pair is two children in turn");
        collection->pairs = copy;
        collection->count = (uint32_t)(count / 2);
        build_check_keys(b, collection);
    }
}

static bool is_same_key(const struct node *a, const struct node *b) {
    return a->kind == NODE_SCALAR && b->kind == NODE_SCALAR && sv_eq(a->text, b->text);
}

static void mark_duplicate(struct build *b, const struct node *first, struct node *key) {
    key->flags |= NODE_DUPLICATE;
    if (b->options->duplicate_keys != DOC_REFUSE)
        return;
    size_t line = source_get_pos(b->source, first->at.offset).line;
    sv name = build_show(key->text.data, key->text.data + key->text.len);
    struct diag *d = diags_add(build_fail(b), DIAG_duplicate_key, key->at, "key '%.*s' stands in line %zu already",
                               SV_ARG(name), line);
    diag_add_related(b->diags, d, first->at, "first one is here");
    diag_set_hint(b->diags, d, "remove one of them or give it another name");
}

static void check_few_keys(struct build *b, struct node_pair *pairs, size_t count) {
    for (size_t i = 1; i < count; i++) {
        size_t first = 0;
        while (first < i && !is_same_key(pairs[first].key, pairs[i].key))
            first++;
        if (first < i)
            mark_duplicate(b, pairs[first].key, pairs[i].key);
    }
}

/* An empty index of at least twice `count` places, a power of two. */
static size_t clear_key_index(struct build *b, size_t count) {
    size_t cap = 32;
    while (cap < 2 * count)
        cap *= 2;
    if (cap > b->key_index_cap) {
        b->key_index = ARENA_ARRAY(&b->scratch, uint32_t, cap);
        b->key_index_cap = cap;
    }
    memset(b->key_index, 0, cap * sizeof *b->key_index);
    return cap;
}

static void check_many_keys(struct build *b, struct node_pair *pairs, size_t count) {
    size_t cap = clear_key_index(b, count);
    uint64_t seed = arena_get_hash_seed(b->arena);
    for (size_t i = 0; i < count; i++) {
        struct node *key = pairs[i].key;
        if (key->kind != NODE_SCALAR)
            continue;
        size_t at = (size_t)hash_bytes(seed, key->text.data, key->text.len) & (cap - 1);
        while (b->key_index[at] && !is_same_key(pairs[b->key_index[at] - 1].key, key))
            at = (at + 1) & (cap - 1);
        if (b->key_index[at])
            mark_duplicate(b, pairs[b->key_index[at] - 1].key, key);
        else
            b->key_index[at] = (uint32_t)i + 1;
    }
}

void build_check_keys(struct build *b, struct node *mapping) {
    if (mapping->count > SMALL_MAPPING)
        check_many_keys(b, mapping->pairs, mapping->count);
    else
        check_few_keys(b, mapping->pairs, mapping->count);
}

struct diags *build_fail(struct build *b) {
    b->stream->has_errors = true;
    return b->diags;
}

void build_stop(struct build *b, span at, const char *what, size_t limit) {
    b->is_stopped = true;
    struct diag *d = diags_add(build_fail(b), DIAG_limit_exceeded, at, "%s exceeds the limit of %zu", what, limit);
    diag_set_hint(b->diags, d, "make the document smaller or raise the limit");
}

sv build_show(const char *from, const char *to) {
    size_t len = (size_t)(to - from);
    if (len > SHOWN_BYTES) {
        len = SHOWN_BYTES;
        while (len > 0 && ((unsigned char)from[len] & 0xc0) == 0x80)
            len--;
    }
    return sv_make(from, len);
}

void build_add_comment(struct build *b, const char *from, const char *to, sv text) {
    const char *p = from;
    while (p > b->base && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    struct node_comment *c = VEC_ADD(b->arena, &b->stream->comments);
    c->at = build_span(b, from, to);
    c->text = text;
    c->own_line = p == b->base || p[-1] == '\n' || p[-1] == '\r';
}
