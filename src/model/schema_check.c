/* Checks of values against schemas (BP-320, BP-321). */
#include "model/schema_walk.h"

#include "base/hint.h"
#include "base/num.h"
#include "base/utf8.h"
#include "model/pattern.h"
#include "value/convert.h"

struct checker {
    const struct schema_check *c;
    bool quiet; /* trying a variant of a union */
    bool failed;
};

/* What is being looked at. */
struct spot {
    const struct schema *schema;
    const struct trail *trail;
    value item;
    bool secret; /* never quoted */
};

static value check(struct checker *k, struct spot at);

/* Reports */

static sv get_path_text(struct arena *a, sv prefix, struct path p) {
    struct buf out = BUF(a);
    buf_append(&out, prefix);
    bool dotted = prefix.len > 0 && p.len > 0 && !p.steps[0].is_index;
    struct buf below = BUF(a);
    path_print(&below, p);
    sv text = buf_get_sv(&below);
    if (dotted && text.len > 0 && text.data[0] != '[') {
        buf_append_char(&out, '.');
    }
    buf_append(&out, text);
    return buf_get_sv(&out);
}

static struct diag *report(struct checker *k, const struct trail *at, enum diag_code code, sv message) {
    k->failed = true;
    if (k->quiet) {
        return NULL;
    }
    const struct schema_check *c = k->c;
    struct path p = trail_get_path(c->diags->arena, (struct path){0}, at);
    span place = c->places == NULL ? SPAN_NONE : c->places->find(c->places->user, p);
    struct diag *d = diags_add(c->diags, code, place, "%.*s", SV_ARG(message));
    d->path = get_path_text(c->diags->arena, c->prefix, p);
    return d;
}

/* "'name'" of the field looked at, or "the value". */
static sv get_subject(struct checker *k, const struct trail *at) {
    struct path p = trail_get_path(k->c->diags->arena, (struct path){0}, at);
    struct buf out = BUF(k->c->diags->arena);
    if (p.len == 0) {
        return SV("the value");
    }
    buf_append_char(&out, '\'');
    path_print(&out, p);
    buf_append_char(&out, '\'');
    return buf_get_sv(&out);
}

/* The value for a message; secrets show nothing (BP-281). */
static sv show(struct checker *k, struct spot at) {
    struct buf out = BUF(k->c->diags->arena);
    bool secret = at.secret || value_is_sensitive(at.item);
    value_render(&out, secret ? value_mark(at.item, MARK_SENSITIVE) : at.item, 40, REDACT);
    return buf_get_sv(&out);
}

static const char *get_type_name(enum schema_type type) {
    switch (type) {
    case SCHEMA_STRING:
        return "a string";
    case SCHEMA_INTEGER:
        return "an integer";
    case SCHEMA_FLOAT:
        return "a float";
    case SCHEMA_BOOLEAN:
        return "a boolean";
    case SCHEMA_MAP:
    case SCHEMA_OBJECT:
        return "an object";
    case SCHEMA_ARRAY:
        return "an array";
    case SCHEMA_UNION:
        return "one of several types";
    }
    return "nothing";
}

/* "an array of strings" */
static sv print_type(struct arena *a, const struct type *t) {
    struct buf name = BUF(a), out = BUF(a);
    type_print(&name, t);
    sv text = buf_get_sv(&name);
    bool is_countable = t != NULL && t->kind != TYPE_ANY && t->kind != TYPE_NULL && t->kind != TYPE_BYTES &&
                        t->kind != TYPE_TEXT && t->kind != TYPE_ABSENT && t->kind != TYPE_UNION;
    bool has_vowel = text.len > 0 && (text.data[0] == 'a' || text.data[0] == 'i' || text.data[0] == 'o');
    buf_append_cstr(&out, !is_countable ? "" : has_vowel ? "an " : "a ");
    buf_append(&out, text);
    return buf_get_sv(&out);
}

/* Of what is not known yet there is a type, which may differ from the schema below. */
static sv describe_type(struct checker *k, struct spot at) {
    struct arena *a = k->c->diags->arena;
    const char *wanted = get_type_name(at.schema->type);
    if (at.item.kind != VALUE_UNKNOWN) {
        return arena_printf(a, "must be %s, but it is %s", wanted, value_get_kind_phrase(at.item.kind));
    }
    sv given = print_type(a, at.item.type);
    sv exact = at.schema->type == SCHEMA_UNION ? sv_from_cstr(wanted) : print_type(a, schema_get_type(a, at.schema));
    if (sv_eq(given, exact)) {
        return arena_printf(a, "must be %s of other fields or types than this one has", wanted);
    }
    return arena_printf(a, "must be %.*s, but it is %.*s", SV_ARG(exact), SV_ARG(given));
}

static value fail_type(struct checker *k, struct spot at) {
    if (!k->quiet) {
        sv subject = get_subject(k, at.trail);
        sv what = describe_type(k, at);
        report(k, at.trail, DIAG_resource_def_invalid_type,
               arena_printf(k->c->diags->arena, "%.*s %.*s", SV_ARG(subject), SV_ARG(what)));
    }
    k->failed = true;
    return value_error(NULL);
}

static value fail(struct checker *k, struct spot at, enum diag_code code, const char *what) {
    if (!k->quiet) {
        sv subject = get_subject(k, at.trail);
        report(k, at.trail, code, arena_printf(k->c->diags->arena, "%.*s %s", SV_ARG(subject), what));
    }
    k->failed = true;
    return value_error(NULL);
}

/* Constraints */

static sv print_bound(struct checker *k, const struct schema *s, double bound) {
    char text[NUM_TEXT_MAX];
    bool whole = s->type == SCHEMA_INTEGER && bound >= -9e15 && bound <= 9e15;
    size_t len = whole ? num_print_i64((int64_t)bound, text) : num_print_double(bound, text);
    return arena_copy_sv(k->c->diags->arena, sv_make(text, len));
}

static int compare_number(value v, double bound) {
    if (v.kind == VALUE_INT) {
        return num_cmp_i64_double(v.integer, bound);
    }
    return (v.number > bound) - (v.number < bound);
}

static void fail_bound(struct checker *k, struct spot at, enum diag_code code, double bound, const char *relation) {
    k->failed = true;
    if (k->quiet) {
        return;
    }
    sv subject = get_subject(k, at.trail);
    sv limit = print_bound(k, at.schema, bound);
    sv given = show(k, at);
    report(k, at.trail, code,
           arena_printf(k->c->diags->arena, "%.*s must be at %s %.*s, but it is %.*s", SV_ARG(subject), relation,
                        SV_ARG(limit), SV_ARG(given)));
}

static void check_range(struct checker *k, struct spot at) {
    const struct schema *s = at.schema;
    if (schema_has(s, SCHEMA_HAS_MINIMUM) && compare_number(at.item, s->minimum) < 0) {
        fail_bound(k, at, DIAG_resource_def_min_constraint_failure, s->minimum, "least");
    }
    if (schema_has(s, SCHEMA_HAS_MAXIMUM) && compare_number(at.item, s->maximum) > 0) {
        fail_bound(k, at, DIAG_resource_def_max_constraint_failure, s->maximum, "most");
    }
}

struct length_rule {
    enum diag_code too_short, too_long;
    const char *unit, *one;
};

static void fail_length(struct checker *k, struct spot at, enum diag_code code, const char *relation, size_t limit,
                        const char *unit) {
    k->failed = true;
    if (!k->quiet) {
        sv subject = get_subject(k, at.trail);
        report(k, at.trail, code,
               arena_printf(k->c->diags->arena, "%.*s must have at %s %zu %s", SV_ARG(subject), relation, limit, unit));
    }
}

static void check_length(struct checker *k, struct spot at, size_t len, const struct length_rule *rule) {
    const struct schema *s = at.schema;
    if (schema_has(s, SCHEMA_HAS_MIN_LENGTH) && len < s->min_length) {
        fail_length(k, at, rule->too_short, "least", s->min_length, s->min_length == 1 ? rule->one : rule->unit);
    }
    if (schema_has(s, SCHEMA_HAS_MAX_LENGTH) && len > s->max_length) {
        fail_length(k, at, rule->too_long, "most", s->max_length, s->max_length == 1 ? rule->one : rule->unit);
    }
}

static void check_string(struct checker *k, struct spot at) {
    static const struct length_rule rule = {DIAG_resource_def_string_min_length_constraint_failure,
                                            DIAG_resource_def_string_max_length_constraint_failure, "characters",
                                            "character"};
    sv text = value_get_text(at.item);
    if (schema_has(at.schema, SCHEMA_HAS_MIN_LENGTH | SCHEMA_HAS_MAX_LENGTH)) {
        check_length(k, at, utf8_count(text), &rule);
    }
    if (at.schema->pattern == NULL) {
        return;
    }
    enum pattern_result result = pattern_match_text(sv_from_cstr(at.schema->pattern), text);
    if (result == PATTERN_MATCH) {
        return;
    }
    const char *what = result == PATTERN_NO_MATCH ? "must match the pattern" : "cannot be matched against the pattern";
    sv message = arena_printf(k->c->diags->arena, "%s %s", what, at.schema->pattern);
    fail(k, at, DIAG_resource_def_pattern_constraint_failure, message.data);
}

static void fail_allowed(struct checker *k, struct spot at, value allowed) {
    sv subject = get_subject(k, at.trail);
    sv given = show(k, at);
    struct buf list = BUF(k->c->diags->arena);
    for (size_t i = 0; i < allowed.list->len && i < 20; i++) {
        buf_append(&list, i > 0 ? SV(", ") : SV(""));
        value_render(&list, allowed.list->items[i], 40, REDACT);
    }
    if (allowed.list->len > 20) {
        buf_append(&list, SV(", …"));
    }
    sv all = buf_get_sv(&list);
    struct diag *d =
        report(k, at.trail, DIAG_resource_def_not_allowed_value,
               arena_printf(k->c->diags->arena, "%.*s is %.*s, which is not allowed", SV_ARG(subject), SV_ARG(given)));
    diag_set_hint(k->c->diags, d, "allowed are %.*s", SV_ARG(all));
}

static void check_allowed(struct checker *k, struct spot at) {
    sv why;
    size_t offset;
    value allowed =
        value_parse_json(k->c->arena, sv_from_cstr(at.schema->allowed_json), &limits_default, false, &why, &offset);
    if (allowed.kind != VALUE_LIST) {
        return;
    }
    for (size_t i = 0; i < allowed.list->len; i++) {
        if (value_eq(allowed.list->items[i], at.item)) {
            return;
        }
    }
    k->failed = true;
    if (!k->quiet) {
        fail_allowed(k, at, allowed);
    }
}

/* Containers. Nothing is copied until an item changes by widening. */

static bool is_same_value(value x, value y) {
    return x.kind == y.kind && x.marks == y.marks && x.within == y.within && x.list == y.list;
}

static value like(value made, value model) {
    made.word = model.word;
    return value_mark(made, model.marks);
}

static value check_list(struct checker *k, struct spot at) {
    static const struct length_rule rule = {DIAG_resource_def_complex_min_length_constraint_failure,
                                            DIAG_resource_def_complex_max_length_constraint_failure, "items", "item"};
    const struct value_list *list = at.item.list;
    check_length(k, at, list->len, &rule);
    value *items = NULL;
    for (size_t i = 0; i < list->len; i++) {
        struct trail trail = trail_index(at.trail, i);
        value item = check(k, (struct spot){at.schema->items, &trail, list->items[i], at.secret});
        if (items == NULL && !is_same_value(item, list->items[i])) {
            items = ARENA_ARRAY(k->c->arena, value, list->len);
            memcpy(items, list->items, i * sizeof *items);
        }
        if (items != NULL) {
            items[i] = item;
        }
    }
    return items == NULL ? at.item : like(value_list_of(k->c->arena, items, list->len), at.item);
}

static void fail_unknown_field(struct checker *k, struct spot at, sv name) {
    k->failed = true;
    if (k->quiet) {
        return;
    }
    if (at.secret) { /* the names of a secret object are secret too */
        fail(k, at, DIAG_resource_def_unknown_field, "has a field that the schema does not know");
        return;
    }
    struct hint hint = HINT(name);
    for (size_t i = 0; i < at.schema->attribute_count; i++) {
        hint_offer(&hint, at.schema->attributes[i].name);
    }
    struct trail trail = trail_key(at.trail, name);
    sv subject = get_subject(k, &trail);
    struct diag *d = report(k, &trail, DIAG_resource_def_unknown_field,
                            arena_printf(k->c->diags->arena, "field %.*s does not exist here", SV_ARG(subject)));
    if (hint.best.len > 0) {
        diag_set_hint(k->c->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    }
}

/* The attribute of the entry; entries mostly stand in the order of the schema, so the one behind the last is tried
 * first. */
static const struct schema_attribute *find_next_attribute(const struct schema *s, sv key, size_t *next) {
    if (*next < s->attribute_count && sv_eq(s->attributes[*next].name, key)) {
        return &s->attributes[(*next)++];
    }
    const struct schema_attribute *found = schema_find_attribute(s, key);
    if (found != NULL) {
        *next = (size_t)(found - s->attributes) + 1;
    }
    return found;
}

static value check_entry(struct checker *k, struct spot at, const struct value_entry *e, size_t *next) {
    const struct schema *below = at.schema->items;
    if (at.schema->type == SCHEMA_OBJECT) {
        const struct schema_attribute *attribute = find_next_attribute(at.schema, e->key, next);
        if (attribute == NULL) {
            fail_unknown_field(k, at, e->key);
            return e->item;
        }
        below = attribute->schema;
    }
    struct trail trail = trail_key(at.trail, e->key);
    struct spot spot = {below, &trail, e->item, at.secret};
    if (k->c->written && below != NULL && schema_has(below, SCHEMA_COMPUTED)) {
        return fail(k, spot, DIAG_computed_field_in_blueprint, "is computed by the provider and cannot be written");
    }
    return check(k, spot);
}

static value check_entries(struct checker *k, struct spot at) {
    const struct value_map *map = at.item.map;
    struct map_builder b = {0}; /* without arena until something changes */
    size_t next = 0;
    for (size_t i = 0; i < map->len; i++) {
        const struct value_entry *e = &map->entries[i];
        value item = check_entry(k, at, e, &next);
        if (b.arena == NULL && !is_same_value(item, e->item)) {
            b.arena = k->c->arena;
            for (size_t j = 0; j < i; j++) {
                map_add(&b, map->entries[j].key, map->entries[j].item);
            }
        }
        if (b.arena != NULL) {
            map_add(&b, e->key, item);
        }
    }
    return b.arena == NULL ? at.item : like(map_done(&b), at.item);
}

static void check_required(struct checker *k, struct spot at) {
    for (size_t i = 0; i < at.schema->attribute_count; i++) {
        const struct schema_attribute *attribute = &at.schema->attributes[i];
        const struct schema *below = attribute->schema;
        bool required = schema_has(below, SCHEMA_REQUIRED) && below->default_json == NULL &&
                        !schema_has(below, SCHEMA_COMPUTED | SCHEMA_COMPUTED_WHEN_OMITTED);
        if (required && !value_map_has(at.item, attribute->name)) {
            struct trail trail = trail_key(at.trail, attribute->name);
            struct spot spot = {below, &trail, at.item, at.secret};
            fail(k, spot, DIAG_resource_def_missing_required_field, "is required and missing");
        }
    }
}

static value check_object(struct checker *k, struct spot at) {
    static const struct length_rule rule = {DIAG_resource_def_complex_min_length_constraint_failure,
                                            DIAG_resource_def_complex_max_length_constraint_failure, "entries",
                                            "entry"};
    check_length(k, at, at.item.map->len, &rule);
    value result = check_entries(k, at);
    if (at.schema->type == SCHEMA_OBJECT) {
        check_required(k, at);
    }
    return result;
}

static value fail_union(struct checker *k, struct spot at) {
    struct buf types = BUF(k->c->diags->arena);
    sv subject = get_subject(k, at.trail);
    for (size_t i = 0; i < at.schema->one_of_count; i++) {
        const struct schema *s = at.schema->one_of[i];
        buf_printf(&types, "%s%s", i > 0 ? ", or " : "", get_type_name(s->type));
        if (s->items != NULL) {
            buf_printf(&types, " in which each item is %s", get_type_name(s->items->type));
        }
    }
    sv message =
        arena_printf(k->c->diags->arena, "%.*s fits none of the types that are possible here", SV_ARG(subject));
    struct diag *d = report(k, at.trail, DIAG_resource_def_union_invalid_type, message);
    if (d != NULL) {
        diag_set_hint(k->c->diags, d, "it may be %.*s", SV_ARG(buf_get_sv(&types)));
    }
    return value_error(NULL);
}

static bool fits_variant(struct checker *k, struct spot at, value *result) {
    for (size_t i = 0; i < at.schema->one_of_count; i++) {
        k->failed = false;
        *result = check(k, (struct spot){at.schema->one_of[i], at.trail, at.item, at.secret});
        if (!k->failed) {
            return true;
        }
    }
    return false;
}

/* What fits a variant as it is stays so; only else it becomes text (BP-216). */
static value check_union(struct checker *k, struct spot at) {
    const struct schema_check *own = k->c;
    struct schema_check as_it_is = *own;
    bool was_quiet = k->quiet, had_failed = k->failed;
    value result;
    as_it_is.to_text = false;
    k->quiet = true;
    k->c = &as_it_is;
    bool fits = fits_variant(k, at, &result);
    k->c = own;
    fits = fits || (own->to_text && fits_variant(k, at, &result));
    k->quiet = was_quiet;
    if (!fits) {
        return fail_union(k, at);
    }
    k->failed = had_failed;
    return result;
}

/* Scalars */

/* BP-216, BP-032. */
static value widen(struct checker *k, struct spot at) {
    value v = at.item;
    if (at.schema->type == SCHEMA_FLOAT && v.kind == VALUE_INT) {
        int64_t limit = (int64_t)1 << 53;
        return v.integer >= -limit && v.integer <= limit ? like(value_float((double)v.integer), v) : v;
    }
    if (at.schema->type != SCHEMA_STRING || !k->c->to_text) {
        return v;
    }
    if (v.kind == VALUE_BYTES) {
        sv bytes = value_get_text(v);
        return utf8_check(bytes) == bytes.len ? like(value_string(k->c->arena, bytes), v) : v;
    }
    if (v.kind == VALUE_INT || v.kind == VALUE_FLOAT || v.kind == VALUE_BOOL) {
        struct buf out = BUF(k->c->arena);
        value_print_scalar(&out, v);
        return like(value_string(k->c->arena, buf_get_sv(&out)), v);
    }
    return v;
}

static value check_unknown(struct checker *k, struct spot at) {
    if (!schema_accepts_type(at.schema, at.item.type, k->c->to_text)) {
        return fail_type(k, at);
    }
    bool becomes_text = k->c->to_text && at.schema->type == SCHEMA_STRING;
    return becomes_text ? like(value_unknown(&type_string), at.item) : at.item;
}

static value check_null(struct checker *k, struct spot at) {
    bool nullable = schema_has(at.schema, SCHEMA_NULLABLE);
    for (size_t i = 0; !nullable && i < at.schema->one_of_count; i++) {
        nullable = schema_has(at.schema->one_of[i], SCHEMA_NULLABLE);
    }
    if (nullable) {
        return at.item;
    }
    bool is_union = at.schema->type == SCHEMA_UNION;
    return fail(k, at, is_union ? DIAG_resource_def_union_item_empty : DIAG_resource_def_item_empty,
                "must not be null or absent");
}

/* The kind of the item agrees with the schema. */
static value check_content(struct checker *k, struct spot at) {
    value result = at.item;
    switch (at.schema->type) {
    case SCHEMA_STRING:
        check_string(k, at);
        break;
    case SCHEMA_INTEGER:
    case SCHEMA_FLOAT:
        check_range(k, at);
        break;
    case SCHEMA_BOOLEAN:
        break;
    case SCHEMA_MAP:
    case SCHEMA_OBJECT:
        result = check_object(k, at);
        break;
    case SCHEMA_ARRAY:
        result = check_list(k, at);
        break;
    case SCHEMA_UNION:
        result = check_union(k, at);
        break;
    }
    if (at.schema->allowed_json != NULL && value_is_known(result) && !value_is_error(result)) {
        at.item = result;
        check_allowed(k, at);
    }
    return result;
}

static value check(struct checker *k, struct spot at) {
    if (at.schema == NULL) {
        return at.item;
    }
    at.secret = at.secret || schema_has(at.schema, SCHEMA_SENSITIVE) || (at.item.marks & MARK_SENSITIVE) != 0;
    if (at.trail->depth > SCHEMA_DEPTH) {
        return fail(k, at, DIAG_limit_exceeded, "is nested too deeply");
    }
    if (at.item.kind == VALUE_ERROR || at.item.kind == VALUE_PENDING) {
        k->failed = true; /* reported already */
        return at.item;
    }
    if (at.item.kind == VALUE_NULL || at.item.kind == VALUE_ABSENT || !value_is_set(at.item)) {
        return check_null(k, at);
    }
    if (at.item.kind == VALUE_UNKNOWN) {
        return check_unknown(k, at);
    }
    at.item = widen(k, at);
    bool fits = at.schema->type == SCHEMA_UNION || (schema_accepts_kind(at.schema, at.item) &&
                                                    (at.schema->type != SCHEMA_FLOAT || at.item.kind == VALUE_FLOAT));
    return fits ? check_content(k, at) : fail_type(k, at);
}

value schema_check_value(const struct schema_check *c, const struct schema *s, value v) {
    struct checker k = {.c = c};
    struct trail root = {0};
    value result = check(&k, (struct spot){.schema = s, .trail = &root, .item = v});
    return k.failed ? value_error(NULL) : result;
}
