/* Values completed, split and laid over each other as a schema says. */
#include "model/schema_walk.h"
#include "value/convert.h"

#include "base/num.h"

/* Plain words, whole numbers and texts without escapes need no parser. */
static value read_simple_json(struct arena *a, sv text) {
    int64_t n = 0;
    if (sv_eq_cstr(text, "true") || sv_eq_cstr(text, "false")) {
        return value_bool(text.data[0] == 't');
    }
    if (num_parse_i64(text, 10, &n) == NUM_OK) {
        return value_int(n);
    }
    bool quoted = text.len >= 2 && text.data[0] == '"' && text.data[text.len - 1] == '"';
    if (quoted && sv_find_char(text, '\\') == SIZE_MAX &&
        sv_find_char(sv_slice(text, 1, text.len), '"') == text.len - 2) {
        return value_string(a, sv_slice(text, 1, text.len - 1));
    }
    return (value){0};
}

value schema_get_default(struct arena *a, const struct schema *s) {
    if (s->default_json == NULL) {
        return (value){0};
    }
    sv text = sv_from_cstr(s->default_json);
    value v = read_simple_json(a, text);
    if (!value_is_set(v)) {
        sv why;
        size_t offset;
        v = value_parse_json(a, text, &limits_default, false, &why, &offset);
    }
    if (s->type == SCHEMA_FLOAT && v.kind == VALUE_INT) {
        v = value_float((double)v.integer);
    }
    return v.kind == VALUE_ERROR ? (value){0} : v;
}

/* One walk serves all: what becomes of what is there and what is put where nothing is. */
struct filler {
    struct arena *arena;
    /* For an attribute that is absent: the value to add, or kind 0. */
    value (*add)(struct arena *a, const struct schema *s);
    /* For leaves that are there; NULL: they stay. */
    value (*leaf)(const struct schema *s, value v, bool secret);
    /* Attributes that leave, with everything below. NULL: none. */
    bool (*drop)(const struct schema *s);
};

static value fill(const struct filler *f, const struct schema *s, value v, bool secret, size_t depth);

static bool is_same_value(value x, value y) {
    return x.kind == y.kind && x.marks == y.marks && x.within == y.within && x.list == y.list;
}

/* Keeps what belongs to the container itself. */
static value like(value made, value model) {
    made.word = model.word;
    return value_mark(made, model.marks);
}

static value fill_list(const struct filler *f, const struct schema *s, value v, bool secret, size_t depth) {
    value *items = NULL;
    for (size_t i = 0; i < v.list->len; i++) {
        value item = fill(f, s->items, v.list->items[i], secret, depth + 1);
        if (items == NULL && !is_same_value(item, v.list->items[i])) {
            items = ARENA_ARRAY(f->arena, value, v.list->len);
            memcpy(items, v.list->items, i * sizeof *items);
        }
        if (items != NULL) {
            items[i] = item;
        }
    }
    return items == NULL ? v : like(value_list_of(f->arena, items, v.list->len), v);
}

static const struct schema *get_entry_schema(const struct schema *s, sv key) {
    if (s->type != SCHEMA_OBJECT) {
        return s->items;
    }
    const struct schema_attribute *attribute = schema_find_attribute(s, key);
    return attribute == NULL ? NULL : attribute->schema;
}

static void start_copy(struct map_builder *b, struct arena *a, value v, size_t count) {
    b->arena = a;
    for (size_t i = 0; i < count; i++) {
        map_add(b, v.map->entries[i].key, v.map->entries[i].item);
    }
}

static void fill_entries(const struct filler *f, const struct schema *s, value v, struct map_builder *b, bool secret,
                         size_t depth) {
    for (size_t i = 0; i < v.map->len; i++) {
        const struct value_entry *e = &v.map->entries[i];
        const struct schema *below = get_entry_schema(s, e->key);
        bool drops = below != NULL && f->drop != NULL && f->drop(below);
        value item = drops ? value_absent() : fill(f, below, e->item, secret, depth + 1);
        if (b->arena == NULL && !is_same_value(item, e->item)) {
            start_copy(b, f->arena, v, i);
        }
        if (b->arena != NULL) {
            map_add(b, e->key, item);
        }
    }
}

static void add_missing(const struct filler *f, const struct schema *s, value v, struct map_builder *b) {
    for (size_t i = 0; i < s->attribute_count; i++) {
        if (value_map_has(v, s->attributes[i].name)) {
            continue;
        }
        value item = f->add(f->arena, s->attributes[i].schema);
        if (value_is_set(item) && b->arena == NULL) {
            start_copy(b, f->arena, v, v.map->len);
        }
        if (value_is_set(item)) {
            map_add(b, s->attributes[i].name, item);
        }
    }
}

static value fill_map(const struct filler *f, const struct schema *s, value v, bool secret, size_t depth) {
    enum { LOCAL_ENTRIES = 16 };
    struct value_entry local[LOCAL_ENTRIES]; /* what the arena gets for building stays in it */
    struct map_builder b = {0};              /* without arena until something changes */
    if (v.map->len + s->attribute_count <= LOCAL_ENTRIES) {
        b.entries = local;
        b.cap = LOCAL_ENTRIES;
    }
    fill_entries(f, s, v, &b, secret, depth);
    if (s->type == SCHEMA_OBJECT && f->add != NULL) {
        add_missing(f, s, v, &b);
    }
    return b.arena == NULL ? v : like(map_done(&b), v);
}

static value fill(const struct filler *f, const struct schema *s, value v, bool secret, size_t depth) {
    if (s == NULL || depth > SCHEMA_DEPTH) {
        return v;
    }
    secret = secret || schema_has(s, SCHEMA_SENSITIVE);
    const struct schema *variant = schema_find_variant(s, v);
    if (variant != NULL) {
        secret = secret || schema_has(variant, SCHEMA_SENSITIVE);
        if (v.kind == VALUE_MAP && (variant->type == SCHEMA_OBJECT || variant->type == SCHEMA_MAP)) {
            return fill_map(f, variant, v, secret, depth);
        }
        if (v.kind == VALUE_LIST && variant->type == SCHEMA_ARRAY) {
            return fill_list(f, variant, v, secret, depth);
        }
    }
    return f->leaf == NULL ? v : f->leaf(s, v, secret);
}

/* A default that is an object has defaults in it, too. */
static value add_default(struct arena *a, const struct schema *s) {
    value v = schema_has(s, SCHEMA_COMPUTED) ? (value){0} : schema_get_default(a, s);
    return v.kind == VALUE_MAP || v.kind == VALUE_LIST ? schema_fill_defaults(a, s, v) : v;
}

value schema_fill_defaults(struct arena *a, const struct schema *s, value v) {
    struct filler f = {.arena = a, .add = add_default};
    return fill(&f, s, v, false, 0);
}

static value add_unknown(struct arena *a, const struct schema *s) {
    if (!schema_has(s, SCHEMA_COMPUTED | SCHEMA_COMPUTED_WHEN_OMITTED)) {
        return (value){0};
    }
    value v = value_unknown(schema_get_type(a, s));
    return schema_has(s, SCHEMA_SENSITIVE) ? value_mark(v, MARK_SENSITIVE) : v;
}

value schema_add_unknowns(struct arena *a, const struct schema *s, value v) {
    struct filler f = {.arena = a, .add = add_unknown};
    return fill(&f, s, v, false, 0);
}

static bool is_computed(const struct schema *s) {
    return schema_has(s, SCHEMA_COMPUTED | SCHEMA_COMPUTED_WHEN_OMITTED);
}

static bool is_only_computed(const struct schema *s) {
    return schema_has(s, SCHEMA_COMPUTED);
}

value schema_drop_computed(struct arena *a, const struct schema *s, value v) {
    struct filler f = {.arena = a, .drop = is_only_computed};
    return fill(&f, s, v, false, 0);
}

static value mark_leaf(const struct schema *s, value v, bool secret) {
    (void)s;
    return secret ? value_mark(v, MARK_SENSITIVE) : v;
}

value schema_mark_sensitive(struct arena *a, const struct schema *s, value v) {
    struct filler f = {.arena = a, .leaf = mark_leaf};
    return fill(&f, s, v, false, 0);
}

/* Computed fields below objects only: a computed part of a list has no place without the list. */
static value pick(struct arena *a, const struct schema *s, value v, size_t depth) {
    struct map_builder b = {.arena = a};
    for (size_t i = 0; v.kind == VALUE_MAP && i < v.map->len; i++) {
        const struct value_entry *e = &v.map->entries[i];
        const struct schema *below = get_entry_schema(s, e->key);
        const struct schema *variant = below == NULL ? NULL : schema_find_variant(below, e->item);
        if (below != NULL && is_computed(below)) {
            map_add(&b, e->key, e->item);
        } else if (variant != NULL && variant->type == SCHEMA_OBJECT && depth < SCHEMA_DEPTH) {
            value inner = pick(a, variant, e->item, depth + 1);
            if (inner.map->len > 0) {
                map_add(&b, e->key, inner);
            }
        }
    }
    return like(map_done(&b), v);
}

value schema_pick_computed(struct arena *a, const struct schema *s, value v) {
    return pick(a, s, v, 0);
}

static value merge(struct arena *a, value spec, value computed, size_t depth) {
    if (spec.kind != VALUE_MAP || computed.kind != VALUE_MAP || depth > SCHEMA_DEPTH) {
        return value_is_set(computed) ? computed : spec;
    }
    if (computed.map->len == 0) {
        return spec;
    }
    struct map_builder b = {0};
    start_copy(&b, a, spec, spec.map->len);
    for (size_t i = 0; i < computed.map->len; i++) {
        const struct value_entry *e = &computed.map->entries[i];
        value below = value_map_find(spec, e->key);
        map_set(&b, e->key, merge(a, below, e->item, depth + 1));
    }
    return value_mark(like(map_done(&b), spec), computed.marks);
}

value schema_merge(struct arena *a, value spec, value computed) {
    return merge(a, spec, computed, 0);
}
