/* Look-up in schemas, and what a schema says of types. */
#include "model/schema.h"

#include "model/schema_walk.h"

const struct schema_attribute *schema_find_attribute(const struct schema *s, sv name) {
    if (s->by_name != NULL) {
        return map_find(s->by_name, name);
    }
    for (size_t i = 0; i < s->attribute_count; i++) {
        if (sv_eq(s->attributes[i].name, name)) {
            return &s->attributes[i];
        }
    }
    return NULL;
}

static const struct schema *find_below(const struct schema *s, struct path p, size_t at);

static const struct schema *find_in_union(const struct schema *s, struct path p, size_t at) {
    for (size_t i = 0; i < s->one_of_count; i++) {
        const struct schema *found = find_below(s->one_of[i], p, at);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

/* Recursion is as deep as unions stand directly in unions. */
static const struct schema *find_below(const struct schema *s, struct path p, size_t at) {
    while (s != NULL && at < p.len) {
        const struct path_step *step = &p.steps[at];
        if (s->type == SCHEMA_UNION) {
            return find_in_union(s, p, at);
        }
        if (s->type == SCHEMA_OBJECT && !step->is_index) {
            const struct schema_attribute *attribute = schema_find_attribute(s, step->key);
            s = attribute == NULL ? NULL : attribute->schema;
        } else if ((s->type == SCHEMA_MAP && !step->is_index) || (s->type == SCHEMA_ARRAY && step->is_index)) {
            s = s->items;
        } else {
            s = NULL;
        }
        at++;
    }
    return s;
}

const struct schema *schema_find_path(const struct schema *s, struct path p) {
    return find_below(s, p, 0);
}

/* The static type */

static const struct type *get_type(struct arena *a, const struct schema *s, size_t depth);

static const struct type *get_object_type(struct arena *a, const struct schema *s, size_t depth) {
    struct type_field *fields = ARENA_ARRAY(a, struct type_field, s->attribute_count);
    for (size_t i = 0; i < s->attribute_count; i++) {
        const struct schema *below = s->attributes[i].schema;
        fields[i] = (struct type_field){
            .name = s->attributes[i].name,
            .type = get_type(a, below, depth + 1),
            .sensitive = schema_has(below, SCHEMA_SENSITIVE),
            .optional = !schema_has(below, SCHEMA_REQUIRED | SCHEMA_COMPUTED | SCHEMA_COMPUTED_WHEN_OMITTED) &&
                        below->default_json == NULL,
        };
    }
    struct type *t = ARENA_NEW(a, struct type);
    *t = (struct type){.kind = TYPE_OBJECT, .fields = fields, .field_count = s->attribute_count};
    return t;
}

static const struct type *get_union_type(struct arena *a, const struct schema *s, size_t depth) {
    struct type_field *fields = ARENA_ARRAY(a, struct type_field, s->one_of_count);
    for (size_t i = 0; i < s->one_of_count; i++) {
        fields[i] = (struct type_field){.type = get_type(a, s->one_of[i], depth + 1)};
    }
    struct type *t = ARENA_NEW(a, struct type);
    *t = (struct type){.kind = TYPE_UNION, .fields = fields, .field_count = s->one_of_count};
    return t;
}

static const struct type *get_plain_type(struct arena *a, const struct schema *s, size_t depth) {
    switch (s->type) {
    case SCHEMA_STRING:
        return &type_string;
    case SCHEMA_INTEGER:
        return &type_int;
    case SCHEMA_FLOAT:
        return &type_float;
    case SCHEMA_BOOLEAN:
        return &type_bool;
    case SCHEMA_MAP:
        return type_new_map(a, get_type(a, s->items, depth + 1));
    case SCHEMA_OBJECT:
        return get_object_type(a, s, depth);
    case SCHEMA_ARRAY:
        return type_new_list(a, get_type(a, s->items, depth + 1));
    case SCHEMA_UNION:
        return get_union_type(a, s, depth);
    }
    return &type_any;
}

static const struct type *get_type(struct arena *a, const struct schema *s, size_t depth) {
    if (s == NULL || depth > SCHEMA_DEPTH) {
        return &type_any;
    }
    const struct type *t = get_plain_type(a, s, depth);
    if (!schema_has(s, SCHEMA_SENSITIVE)) {
        return t;
    }
    struct type *secret = ARENA_NEW(a, struct type);
    *secret = *t;
    secret->sensitive = true;
    return secret;
}

const struct type *schema_get_type(struct arena *a, const struct schema *s) {
    return get_type(a, s, 0);
}

/* What can fit */

static bool accepts_type(const struct schema *s, const struct type *t, bool to_text, size_t depth);

static bool string_accepts(enum type_kind kind, bool to_text) {
    bool scalar = kind == TYPE_BOOL || kind == TYPE_INT || kind == TYPE_FLOAT || kind == TYPE_NUMBER;
    return kind == TYPE_STRING || kind == TYPE_SCALAR || kind == TYPE_TEXT ||
           (to_text && (scalar || kind == TYPE_BYTES));
}

static bool object_accepts(const struct schema *s, const struct type *t, bool to_text, size_t depth) {
    if (t->kind != TYPE_OBJECT) {
        return t->kind == TYPE_MAP;
    }
    for (size_t i = 0; i < t->field_count; i++) {
        const struct schema_attribute *attribute = schema_find_attribute(s, t->fields[i].name);
        if (attribute == NULL && !t->fields[i].optional) {
            return false;
        }
        if (attribute != NULL && !accepts_type(attribute->schema, t->fields[i].type, to_text, depth + 1)) {
            return false;
        }
    }
    return true;
}

static bool map_accepts(const struct schema *s, const struct type *t, bool to_text, size_t depth) {
    if (t->kind == TYPE_MAP) {
        return accepts_type(s->items, t->item, to_text, depth + 1);
    }
    bool fits = t->kind == TYPE_OBJECT;
    for (size_t i = 0; fits && i < t->field_count; i++) {
        fits = accepts_type(s->items, t->fields[i].type, to_text, depth + 1);
    }
    return fits;
}

/* Neither side is a union. */
static bool plain_accepts(const struct schema *s, const struct type *t, bool to_text, size_t depth) {
    switch (s->type) {
    case SCHEMA_STRING:
        return string_accepts(t->kind, to_text);
    case SCHEMA_INTEGER:
        return t->kind == TYPE_INT || t->kind == TYPE_NUMBER || t->kind == TYPE_SCALAR;
    case SCHEMA_FLOAT:
        return t->kind == TYPE_INT || t->kind == TYPE_FLOAT || t->kind == TYPE_NUMBER || t->kind == TYPE_SCALAR;
    case SCHEMA_BOOLEAN:
        return t->kind == TYPE_BOOL || t->kind == TYPE_SCALAR;
    case SCHEMA_MAP:
        return map_accepts(s, t, to_text, depth);
    case SCHEMA_OBJECT:
        return object_accepts(s, t, to_text, depth);
    case SCHEMA_ARRAY:
        return t->kind == TYPE_LIST && accepts_type(s->items, t->item, to_text, depth + 1);
    case SCHEMA_UNION:
        break;
    }
    return false;
}

static bool accepts_type(const struct schema *s, const struct type *t, bool to_text, size_t depth) {
    if (s == NULL || t == NULL || t->kind == TYPE_ANY || t->kind == TYPE_ABSENT || depth > SCHEMA_DEPTH) {
        return true;
    }
    if (t->kind == TYPE_NULL && schema_has(s, SCHEMA_NULLABLE)) {
        return true;
    }
    bool fits = false;
    if (t->kind == TYPE_UNION) {
        for (size_t i = 0; !fits && i < t->field_count; i++) {
            fits = accepts_type(s, t->fields[i].type, to_text, depth + 1);
        }
        return fits || t->field_count == 0;
    }
    if (s->type != SCHEMA_UNION) {
        return plain_accepts(s, t, to_text, depth);
    }
    for (size_t i = 0; !fits && i < s->one_of_count; i++) {
        fits = accepts_type(s->one_of[i], t, to_text, depth + 1);
    }
    return fits;
}

bool schema_accepts_type(const struct schema *s, const struct type *t, bool to_text) {
    return accepts_type(s, t, to_text, 0);
}

static bool accepts_kind(const struct schema *s, value v, size_t depth) {
    if (v.kind == VALUE_UNKNOWN) {
        return accepts_type(s, v.type, false, depth);
    }
    if (v.kind == VALUE_NULL && schema_has(s, SCHEMA_NULLABLE)) {
        return true;
    }
    switch (s->type) {
    case SCHEMA_STRING:
        return v.kind == VALUE_STRING;
    case SCHEMA_INTEGER:
        return v.kind == VALUE_INT;
    case SCHEMA_FLOAT:
        return v.kind == VALUE_INT || v.kind == VALUE_FLOAT;
    case SCHEMA_BOOLEAN:
        return v.kind == VALUE_BOOL;
    case SCHEMA_MAP:
    case SCHEMA_OBJECT:
        return v.kind == VALUE_MAP;
    case SCHEMA_ARRAY:
        return v.kind == VALUE_LIST;
    case SCHEMA_UNION:
        break;
    }
    bool fits = false;
    for (size_t i = 0; !fits && depth < SCHEMA_DEPTH && i < s->one_of_count; i++) {
        fits = accepts_kind(s->one_of[i], v, depth + 1);
    }
    return fits;
}

bool schema_accepts_kind(const struct schema *s, value v) {
    return accepts_kind(s, v, 0);
}

/* How many keys of the value the variant knows; missing required ones count against it. */
static size_t count_known_keys(const struct schema *s, value v) {
    size_t known = 0;
    if (s->type == SCHEMA_OBJECT && v.kind == VALUE_MAP) {
        for (size_t i = 0; i < v.map->len; i++) {
            known += schema_find_attribute(s, v.map->entries[i].key) != NULL;
        }
        for (size_t i = 0; i < s->attribute_count; i++) {
            bool missing =
                schema_has(s->attributes[i].schema, SCHEMA_REQUIRED) && !value_map_has(v, s->attributes[i].name);
            known -= missing && known > 0;
        }
    }
    return known;
}

const struct schema *schema_find_variant(const struct schema *s, value v) {
    for (size_t depth = 0; s != NULL && s->type == SCHEMA_UNION; depth++) {
        const struct schema *best = NULL;
        size_t best_known = 0;
        for (size_t i = 0; i < s->one_of_count && depth < SCHEMA_DEPTH; i++) {
            size_t known = count_known_keys(s->one_of[i], v);
            if (schema_accepts_kind(s->one_of[i], v) && (best == NULL || known > best_known)) {
                best = s->one_of[i];
                best_known = known;
            }
        }
        s = best;
    }
    return s;
}

/* The way down */

struct trail trail_key(const struct trail *above, sv key) {
    return (struct trail){.above = above, .step = {.key = key}, .depth = above->depth + 1};
}

struct trail trail_index(const struct trail *above, size_t index) {
    return (struct trail){.above = above, .step = {.index = index, .is_index = true}, .depth = above->depth + 1};
}

struct path trail_get_path(struct arena *a, struct path prefix, const struct trail *t) {
    size_t len = prefix.len + t->depth;
    struct path_step *steps = ARENA_ARRAY(a, struct path_step, len);
    for (size_t i = 0; i < prefix.len; i++) {
        steps[i] = prefix.steps[i];
    }
    for (size_t i = len; t->above != NULL; t = t->above) {
        steps[--i] = t->step;
    }
    return (struct path){steps, len};
}
