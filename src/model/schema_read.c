/* Schemas read from declarations (BP-324). An unknown key or type is an error, as is a default or a pattern that
 * cannot be. */
#include "model/schema_walk.h"

#include "base/hint.h"
#include "model/pattern.h"
#include "value/convert.h"

struct reader {
    struct arena *arena;
    struct diags *diags;
    bool failed;
};

static const struct schema *read_schema(struct reader *r, const struct node *n, size_t depth);

static void fail(struct reader *r, span at, const char *format, sv what) {
    r->failed = true;
    sv text = arena_copy_sv(r->diags->arena, what);
    diags_add(r->diags, DIAG_invalid_value, at, "%s '%.*s'", format, SV_ARG(text));
}

static void fail_plain(struct reader *r, span at, const char *message) {
    r->failed = true;
    diags_add(r->diags, DIAG_invalid_value, at, "%s", message);
}

/* What a key does to the schema that is read. */
struct key_reader {
    const char *name;
    void (*read)(struct reader *r, struct schema *s, const struct node *n, size_t depth);
};

static bool read_bool(struct reader *r, const struct node *n) {
    struct scalar s = {0};
    if (n->kind == NODE_SCALAR) {
        s = scalar_resolve_node(n, scalar_resolve_core);
    }
    if (s.kind != SCALAR_BOOL) {
        fail_plain(r, n->at, "true or false is wanted here");
        return false;
    }
    return s.boolean;
}

static sv read_text(struct reader *r, const struct node *n) {
    struct scalar s = {0};
    if (n->kind == NODE_SCALAR) {
        s = scalar_resolve_node(n, scalar_resolve_core);
    }
    if (s.kind != SCALAR_STRING || sv_find_char(s.text, 0) != SIZE_MAX) {
        fail_plain(r, n->at, "a string is wanted here");
        return (sv){0};
    }
    return arena_copy_sv(r->arena, s.text);
}

static double read_number(struct reader *r, const struct node *n) {
    struct scalar s = {0};
    if (n->kind == NODE_SCALAR) {
        s = scalar_resolve_node(n, scalar_resolve_core);
    }
    if (s.kind != SCALAR_INT && s.kind != SCALAR_FLOAT) {
        fail_plain(r, n->at, "a number is wanted here");
        return 0;
    }
    return s.kind == SCALAR_INT ? (double)s.integer : s.number;
}

static size_t read_length(struct reader *r, const struct node *n) {
    struct scalar s = {0};
    if (n->kind == NODE_SCALAR) {
        s = scalar_resolve_node(n, scalar_resolve_core);
    }
    if (s.kind != SCALAR_INT || s.integer < 0) {
        fail_plain(r, n->at, "a whole number of at least 0 is wanted here");
        return 0;
    }
    return (size_t)s.integer;
}

static void index_attributes(struct reader *r, struct schema *s) {
    if (s->attribute_count <= 16) {
        return;
    }
    struct map *index = ARENA_NEW(r->arena, struct map);
    *index = MAP(r->arena);
    for (size_t i = 0; i < s->attribute_count; i++) {
        map_put(index, s->attributes[i].name, (void *)(uintptr_t)&s->attributes[i]);
    }
    s->by_name = index;
}

static void read_attributes(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    if (n->kind != NODE_MAPPING) {
        fail_plain(r, n->at, "a mapping from names to schemas is wanted here");
        return;
    }
    struct schema_attribute *items = ARENA_ARRAY(r->arena, struct schema_attribute, n->count);
    size_t count = 0;
    for (size_t i = 0; i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        const struct schema *below = read_schema(r, pair->value, depth + 1);
        if (below == NULL || pair->key->kind != NODE_SCALAR || (pair->key->flags & NODE_DUPLICATE) != 0) {
            r->failed = true; /* duplicate keys have been reported by the reader */
            continue;
        }
        items[count++] = (struct schema_attribute){arena_copy_sv(r->arena, pair->key->text), below};
    }
    s->attributes = items;
    s->attribute_count = count;
    index_attributes(r, s);
}

/* `required` may stand before `attributes`: it is read when the rest is there. */
static void read_required(struct reader *r, struct schema *s, const struct node *n) {
    if (n->kind != NODE_SEQUENCE) {
        fail_plain(r, n->at, "an array of attribute names is wanted here");
        return;
    }
    for (size_t i = 0; i < n->count; i++) {
        const struct schema_attribute *found =
            n->items[i]->kind == NODE_SCALAR ? schema_find_attribute(s, n->items[i]->text) : NULL;
        if (found == NULL) {
            fail_plain(r, n->items[i]->at, "only names of attributes can be required");
            continue;
        }
        struct schema *copy = ARENA_NEW(r->arena, struct schema);
        *copy = *found->schema;
        copy->flags |= SCHEMA_REQUIRED;
        ((struct schema_attribute *)(uintptr_t)found)->schema = copy; /* our own, made by read_attributes */
    }
}

static void read_items(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    s->items = read_schema(r, n, depth + 1);
}

static void read_one_of(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    if (n->kind != NODE_SEQUENCE || n->count == 0) {
        fail_plain(r, n->at, "an array of schemas is wanted here");
        return;
    }
    const struct schema **items = ARENA_ARRAY(r->arena, const struct schema *, n->count);
    for (size_t i = 0; i < n->count; i++) {
        items[i] = read_schema(r, n->items[i], depth + 1);
    }
    s->one_of = items;
    s->one_of_count = n->count;
}

static const char *read_json(struct reader *r, const struct node *n, bool is_list) {
    value v = value_from_node(r->arena, n, scalar_resolve_core, &limits_default, r->diags);
    if (v.kind == VALUE_ERROR || (v.within & WITHIN_ERROR) != 0) {
        r->failed = true;
        return NULL;
    }
    if (is_list && v.kind != VALUE_LIST) {
        fail_plain(r, n->at, "an array is wanted here");
        return NULL;
    }
    return value_print_json(r->arena, v, 0, REVEAL).data;
}

static void read_default(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    (void)depth;
    s->default_json = read_json(r, n, false);
}

static void read_allowed(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    (void)depth;
    s->allowed_json = read_json(r, n, true);
}

static void read_minimum(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    (void)depth;
    s->minimum = read_number(r, n);
    s->flags |= SCHEMA_HAS_MINIMUM;
}

static void read_maximum(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    (void)depth;
    s->maximum = read_number(r, n);
    s->flags |= SCHEMA_HAS_MAXIMUM;
}

static void read_min_length(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    (void)depth;
    s->min_length = read_length(r, n);
    s->flags |= SCHEMA_HAS_MIN_LENGTH;
}

static void read_max_length(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    (void)depth;
    s->max_length = read_length(r, n);
    s->flags |= SCHEMA_HAS_MAX_LENGTH;
}

static void read_pattern(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    (void)depth;
    sv text = read_text(r, n), why = {0};
    struct arena scratch = {0};
    if (text.data != NULL && pattern_new(&scratch, text, &why) == NULL) {
        fail(r, n->at, "no regular expression:", why);
    }
    arena_fini(&scratch);
    s->pattern = text.data;
}

static void read_sort_by(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    (void)depth;
    s->sort_by = read_text(r, n);
}

static void read_description(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    (void)depth;
    s->text = read_text(r, n);
}

static void read_nothing(struct reader *r, struct schema *s, const struct node *n, size_t depth) {
    (void)r;
    (void)s;
    (void)n;
    (void)depth;
}

/* sorted */
static const struct key_reader key_readers[] = {
    {"allowedValues", read_allowed},    {"attributes", read_attributes}, {"default", read_default},
    {"description", read_description},  {"items", read_items},           {"mapValues", read_items},
    {"maxLength", read_max_length},     {"maximum", read_maximum},       {"minLength", read_min_length},
    {"minimum", read_minimum},          {"oneOf", read_one_of},          {"pattern", read_pattern},
    {"required", read_nothing},                                 /* last, by read_schema */
    {"sortArrayByField", read_sort_by}, {"type", read_nothing}, /* first */
};

enum { KEY_COUNT = sizeof key_readers / sizeof key_readers[0] };

static bool read_flag(struct reader *r, struct schema *s, const struct node_pair *pair) {
    for (const struct schema_flag_name *f = schema_flag_names; f->name != NULL; f++) {
        if (sv_eq_cstr(pair->key->text, f->name)) {
            s->flags |= read_bool(r, pair->value) ? f->flag : 0;
            return true;
        }
    }
    return false;
}

static void fail_key(struct reader *r, const struct node *key) {
    struct hint hint = HINT(key->text);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        hint_offer(&hint, sv_from_cstr(key_readers[i].name));
    }
    for (const struct schema_flag_name *f = schema_flag_names; f->name != NULL; f++) {
        hint_offer(&hint, sv_from_cstr(f->name));
    }
    r->failed = true;
    sv name = arena_copy_sv(r->diags->arena, key->text);
    struct diag *d = diags_add(r->diags, DIAG_invalid_value, key->at, "a schema has no key '%.*s'", SV_ARG(name));
    if (hint.best.len > 0) {
        diag_set_hint(r->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    }
}

static void read_key(struct reader *r, struct schema *s, const struct node_pair *pair, size_t depth) {
    if (pair->key->kind != NODE_SCALAR) {
        fail_plain(r, pair->key->at, "the keys of a schema are names");
        return;
    }
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (sv_eq_cstr(pair->key->text, key_readers[i].name)) {
            key_readers[i].read(r, s, pair->value, depth);
            return;
        }
    }
    if (!read_flag(r, s, pair)) {
        fail_key(r, pair->key);
    }
}

static bool read_type(struct reader *r, struct schema *s, const struct node *n) {
    const struct node *type = node_find(n, SV("type"));
    if (type == NULL || type->kind != NODE_SCALAR) {
        fail_plain(r, n->at, "a schema needs a type");
        return false;
    }
    s->type = schema_type_find(type->text);
    if (s->type == 0) {
        fail(r, type->at, "there is no schema type", type->text);
    }
    return s->type != 0;
}

/* What each type cannot do without. Arrays and maps of anything need not say so. */
static void check_shape(struct reader *r, const struct schema *s, const struct node *n) {
    if (s->type == SCHEMA_UNION && s->one_of_count == 0) {
        fail_plain(r, n->at, "a union needs 'oneOf'");
    }
}

static const struct schema *read_schema(struct reader *r, const struct node *n, size_t depth) {
    if (n->kind == NODE_ERROR || depth > SCHEMA_DEPTH) {
        r->failed = true;
        return NULL;
    }
    if (n->kind != NODE_MAPPING) {
        fail_plain(r, n->at, "a schema is a mapping");
        return NULL;
    }
    struct schema *s = ARENA_NEW(r->arena, struct schema);
    if (!read_type(r, s, n)) {
        return NULL;
    }
    for (size_t i = 0; i < n->count; i++) {
        read_key(r, s, &n->pairs[i], depth);
    }
    const struct node *required = node_find(n, SV("required"));
    if (required != NULL) {
        read_required(r, s, required);
    }
    if (!r->failed) {
        check_shape(r, s, n);
    }
    return s;
}

const struct schema *schema_from_node(struct arena *a, const struct node *n, struct diags *diags) {
    struct reader r = {.arena = a, .diags = diags};
    const struct schema *s = read_schema(&r, n, 0);
    return r.failed ? NULL : s;
}
