/* Checking data against a schema. A verdict has three values: what is not known yet satisfies every schema, so the
 * opposite of "it may" is "it may" (MD-056). */
#include "dialects/module/json_schema_form.h"

#include "base/hint.h"
#include "base/num.h"
#include "base/utf8.h"
#include "model/pattern.h"

#include <math.h>
#include <stdlib.h>

enum {
    DEPTH_MAX = 4000,
    STEPS_MAX = 10 * 1000 * 1000,
};

enum verdict {
    INVALID,
    UNSURE,
    VALID,
};

/* Where the data stands, from the end to the root. */
struct trail {
    const struct trail *parent;
    sv key;
    size_t place;
    bool is_index;
};

struct checker {
    struct arena *a;
    struct json_schema_violations *out; /* NULL: only the verdict counts */
    unsigned depth;
    size_t steps;
    bool gave_up;
};

struct spot {
    value data;
    const struct trail *trail;
};

static enum verdict check(struct checker *k, const struct json_schema *s, struct spot at);

static enum verdict both(enum verdict a, enum verdict b) {
    return a < b ? a : b;
}

/* --- violations --- */

static sv get_keyword_pointer(struct checker *k, const struct json_schema *s, const char *keyword) {
    return *keyword == '\0' ? s->pointer : arena_printf(k->a, "%.*s/%s", SV_ARG(s->pointer), keyword);
}

static enum verdict report(struct checker *k, struct spot at, sv schema, sv message) {
    if (k->out == NULL)
        return INVALID;
    size_t len = 0;
    for (const struct trail *t = at.trail; t != NULL; t = t->parent)
        len++;
    struct path_step *steps = ARENA_ARRAY(k->a, struct path_step, len);
    size_t *places = ARENA_ARRAY(k->a, size_t, len), i = len;
    for (const struct trail *t = at.trail; t != NULL; t = t->parent) {
        i--;
        steps[i] = (struct path_step){.key = t->key, .index = t->place, .is_index = t->is_index};
        places[i] = t->place;
    }
    struct json_schema_violation *v = VEC_ADD(k->a, &k->out->items);
    *v = (struct json_schema_violation){{steps, len}, places, message, schema};
    return INVALID;
}

static enum verdict fail(struct checker *k, const struct json_schema *s, struct spot at, const char *keyword,
                         const char *message) {
    return k->out == NULL ? INVALID : report(k, at, get_keyword_pointer(k, s, keyword), sv_from_cstr(message));
}

/* `format` has one %s: the number. */
static enum verdict fail_number(struct checker *k, const struct json_schema *s, struct spot at, const char *keyword,
                                double number) {
    if (k->out == NULL)
        return INVALID;
    char text[NUM_TEXT_MAX];
    bool is_whole = number == floor(number) && fabs(number) < 1e15;
    size_t len = is_whole ? num_print_i64((int64_t)number, text) : num_print_double(number, text);
    static const char *const phrases[][2] = {{"minimum", "must be at least"},
                                             {"maximum", "must be at most"},
                                             {"exclusiveMinimum", "must be more than"},
                                             {"exclusiveMaximum", "must be less than"},
                                             {"multipleOf", "must be a multiple of"}};
    const char *phrase = "";
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        if (strcmp(phrases[i][0], keyword) == 0)
            phrase = phrases[i][1];
    }
    return report(k, at, get_keyword_pointer(k, s, keyword), arena_printf(k->a, "%s %.*s", phrase, (int)len, text));
}

/* "must have at least 2 items, it has 1" */
static enum verdict fail_count(struct checker *k, const struct json_schema *s, struct spot at, const char *keyword,
                               uint64_t bound, uint64_t count) {
    if (k->out == NULL)
        return INVALID;
    size_t len = strlen(keyword);
    bool is_text = keyword[len - 1] == 'h', is_list = keyword[3] == 'I';
    const char *one = is_text ? "character" : is_list ? "item" : "entry";
    const char *many = is_text ? "characters" : is_list ? "items" : "entries";
    return report(k, at, get_keyword_pointer(k, s, keyword),
                  arena_printf(k->a, "must have at %s %llu %s, it has %llu", keyword[1] == 'i' ? "least" : "most",
                               (unsigned long long)bound, bound == 1 ? one : many, (unsigned long long)count));
}

/* --- types --- */

static enum verdict fail_type(struct checker *k, const struct json_schema *s, struct spot at) {
    if (k->out == NULL)
        return INVALID;
    struct buf out = BUF(k->a);
    buf_append_cstr(&out, "must be ");
    unsigned left = s->types;
    for (unsigned bit = JSON_NULL; bit <= JSON_OBJECT; bit <<= 1) {
        if ((s->types & bit) == 0)
            continue;
        left &= ~bit;
        bool is_first = s->types == (left | bit);
        buf_append_cstr(&out, is_first ? "" : left == 0 ? " or " : ", ");
        buf_append_cstr(&out, bit == JSON_NULL                                                 ? ""
                              : bit == JSON_INTEGER || bit == JSON_ARRAY || bit == JSON_OBJECT ? "an "
                                                                                               : "a ");
        buf_append(&out, json_type_get_name(bit));
    }
    buf_printf(&out, ", not %s", value_get_kind_phrase(at.data.kind));
    return report(k, at, get_keyword_pointer(k, s, "type"), buf_get_sv(&out));
}

static enum verdict check_type(struct checker *k, const struct json_schema *s, struct spot at) {
    if (s->types == 0 || (s->types & json_type_of(at.data)) != 0)
        return VALID;
    return fail_type(k, s, at);
}

/* --- values --- */

static bool has_unknown(value v) {
    return !value_is_known(v);
}

static enum verdict check_constant(struct checker *k, const struct json_schema *s, struct spot at) {
    if (!value_is_set(s->constant) || value_eq(s->constant, at.data))
        return VALID;
    if (has_unknown(at.data))
        return UNSURE;
    sv wanted = value_print_json(k->a, s->constant, 0, REDACT);
    return k->out == NULL ? INVALID
                          : report(k, at, get_keyword_pointer(k, s, "const"),
                                   arena_printf(k->a, "must be %.*s", SV_ARG(sv_slice(wanted, 0, 200))));
}

static enum verdict check_enumeration(struct checker *k, const struct json_schema *s, struct spot at) {
    if (!value_is_set(s->enumeration))
        return VALID;
    for (size_t i = 0; i < s->enumeration.list->len; i++) {
        if (value_eq(s->enumeration.list->items[i], at.data))
            return VALID;
    }
    if (has_unknown(at.data))
        return UNSURE;
    if (k->out == NULL)
        return INVALID;
    struct buf out = BUF(k->a);
    buf_append_cstr(&out, "must be one of ");
    for (size_t i = 0; i < s->enumeration.list->len && out.len < 300; i++) {
        buf_append_cstr(&out, i == 0 ? "" : ", ");
        buf_append(&out, value_print_json(k->a, s->enumeration.list->items[i], 0, REDACT));
    }
    return report(k, at, get_keyword_pointer(k, s, "enum"), buf_get_sv(&out));
}

/* --- numbers --- */

__extension__ typedef unsigned __int128 uint128;

struct decimal {
    uint128 digits;
    int exponent;
};

/* The shortest decimal that reads back the same: what the author wrote, but for digits no double can hold. */
static struct decimal get_decimal(double x) {
    char text[NUM_TEXT_MAX];
    size_t len = num_print_double(fabs(x), text);
    struct decimal d = {0};
    bool is_fraction = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == 'e' || text[i] == 'E') {
            d.exponent += (int)strtol(text + i + 1, NULL, 10);
            break;
        }
        if (text[i] == '.') {
            is_fraction = true;
            continue;
        }
        d.digits = d.digits * 10 + (unsigned)(text[i] - '0');
        d.exponent -= is_fraction;
    }
    while (d.digits != 0 && d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* Exact, in decimal: 0.3 is a multiple of 0.1. */
static bool is_multiple(double x, double of) {
    struct decimal n = get_decimal(x), m = get_decimal(of);
    if (n.digits == 0)
        return true;
    uint128 left = n.digits, unit = m.digits;
    int shift = n.exponent - m.exponent;
    for (; shift < 0; shift++) {
        unit *= 10;
        if (unit > left)
            return false;
    }
    left %= unit;
    for (; shift > 0 && left != 0; shift--)
        left = left * 10 % unit;
    return left % unit == 0;
}

static enum verdict check_number(struct checker *k, const struct json_schema *s, struct spot at) {
    double n = json_get_number(at.data);
    enum verdict v = VALID;
    if (s->minimum.is_set && n < s->minimum.value)
        v = fail_number(k, s, at, "minimum", s->minimum.value);
    if (s->maximum.is_set && n > s->maximum.value)
        v = fail_number(k, s, at, "maximum", s->maximum.value);
    if (s->exclusive_minimum.is_set && n <= s->exclusive_minimum.value)
        v = fail_number(k, s, at, "exclusiveMinimum", s->exclusive_minimum.value);
    if (s->exclusive_maximum.is_set && n >= s->exclusive_maximum.value)
        v = fail_number(k, s, at, "exclusiveMaximum", s->exclusive_maximum.value);
    if (s->multiple_of.is_set && !is_multiple(n, s->multiple_of.value))
        v = fail_number(k, s, at, "multipleOf", s->multiple_of.value);
    return v;
}

/* --- strings --- */

static enum verdict check_count(struct checker *k, const struct json_schema *s, struct spot at, const char *keyword,
                                uint64_t count) {
    bool is_minimum = keyword[1] == 'i';
    const struct schema_count *bound = keyword[3] == 'I'   ? (is_minimum ? &s->min_items : &s->max_items)
                                       : keyword[3] == 'L' ? (is_minimum ? &s->min_length : &s->max_length)
                                       : is_minimum        ? &s->min_properties
                                                           : &s->max_properties;
    bool is_kept = !bound->is_set || (is_minimum ? count >= bound->value : count <= bound->value);
    return is_kept ? VALID : fail_count(k, s, at, keyword, bound->value, count);
}

static enum verdict check_pattern(struct checker *k, const struct json_schema *s, struct spot at) {
    switch (pattern_match(s->pattern, value_get_text(at.data), NULL, NULL)) {
    case PATTERN_MATCH:
        return VALID;
    case PATTERN_LIMIT:
        return fail(k, s, at, "pattern", "cannot be compared with the pattern: it takes too many steps");
    case PATTERN_NO_MATCH:
    case PATTERN_INVALID:
        break;
    }
    return fail(k, s, at, "pattern", "does not match the pattern");
}

static enum verdict check_string(struct checker *k, const struct json_schema *s, struct spot at) {
    sv text = value_get_text(at.data);
    enum verdict v = VALID;
    if (s->min_length.is_set || s->max_length.is_set) {
        size_t count = utf8_count(text);
        v = check_count(k, s, at, "minLength", count);
        v = both(v, check_count(k, s, at, "maxLength", count));
    }
    if (s->pattern != NULL)
        v = both(v, check_pattern(k, s, at));
    if (s->format != NULL && !s->format->is_valid(k->a, text)) {
        sv message = k->out == NULL ? SV("") : arena_printf(k->a, "must be %s", s->format->phrase);
        v = report(k, at, get_keyword_pointer(k, s, "format"), message);
    }
    return v;
}

/* --- lists --- */

static enum verdict check_item(struct checker *k, const struct json_schema *s, struct spot list, size_t i) {
    struct trail below = {.parent = list.trail, .place = i, .is_index = true};
    return check(k, s, (struct spot){list.data.list->items[i], &below});
}

static enum verdict check_items(struct checker *k, const struct json_schema *s, struct spot at) {
    enum verdict v = VALID;
    for (size_t i = 0; i < at.data.list->len; i++) {
        const struct json_schema *of = schema_find_item(s, i);
        if (of != NULL)
            v = both(v, check_item(k, of, at, i));
    }
    return v;
}

static enum verdict check_contains(struct checker *k, const struct json_schema *s, struct spot at) {
    struct json_schema_violations *out = k->out;
    enum verdict best = INVALID;
    k->out = NULL;
    for (size_t i = 0; i < at.data.list->len && best != VALID; i++) {
        enum verdict v = check_item(k, s->contains, at, i);
        best = v > best ? v : best;
    }
    k->out = out;
    return best == INVALID ? fail(k, s, at, "contains", "contains no item as the schema wants one") : best;
}

/* Equal values have equal hashes: numbers by value, maps in any order. */
static uint64_t hash_value(uint64_t seed, value v) {
    uint64_t h = 0;
    if (v.kind == VALUE_LIST) {
        for (size_t i = 0; i < v.list->len; i++)
            h = h * 0x100000001b3U + hash_value(seed, v.list->items[i]) + 1;
    } else if (v.kind == VALUE_MAP) {
        for (size_t i = 0; i < v.map->len; i++) {
            sv key = v.map->entries[i].key;
            h += hash_bytes(seed, key.data, key.len) * (hash_value(seed, v.map->entries[i].item) | 1);
        }
    } else if (v.kind == VALUE_STRING) {
        sv text = value_get_text(v);
        h = hash_bytes(seed, text.data, text.len);
    } else if (v.kind == VALUE_INT || v.kind == VALUE_FLOAT) {
        double n = json_get_number(v) + 0.0; /* no negative zero */
        h = hash_bytes(seed, &n, sizeof n);
    } else if (v.kind == VALUE_BOOL) {
        h = v.boolean ? 1 : 2;
    }
    return h ^ (uint64_t)(v.kind == VALUE_FLOAT ? VALUE_INT : v.kind) << 56;
}

struct seen_item {
    uint64_t hash;
    size_t index;
};

static int compare_seen(const void *x, const void *y) {
    const struct seen_item *a = x, *b = y;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static enum verdict check_unique(struct checker *k, const struct json_schema *s, struct spot at) {
    size_t len = at.data.list->len;
    struct seen_item *seen = ARENA_ARRAY(k->a, struct seen_item, len + 1);
    const value *items = at.data.list->items;
    for (size_t i = 0; i < len; i++)
        seen[i] = (struct seen_item){hash_value(1, items[i]), i};
    qsort(seen, len, sizeof *seen, compare_seen);
    for (size_t i = 1; i < len; i++) {
        size_t before = seen[i - 1].index, now = seen[i].index;
        if (seen[i].hash == seen[i - 1].hash && value_eq(items[before], items[now]))
            return k->out == NULL ? INVALID
                                  : report(k, at, get_keyword_pointer(k, s, "uniqueItems"),
                                           arena_printf(k->a, "items %zu and %zu are equal", before, now));
    }
    return has_unknown(at.data) ? UNSURE : VALID;
}

static enum verdict check_list(struct checker *k, const struct json_schema *s, struct spot at) {
    enum verdict v = check_count(k, s, at, "minItems", at.data.list->len);
    v = both(v, check_count(k, s, at, "maxItems", at.data.list->len));
    if (s->unique_items)
        v = both(v, check_unique(k, s, at));
    v = both(v, check_items(k, s, at));
    return s->contains == NULL ? v : both(v, check_contains(k, s, at));
}

/* --- maps --- */

static enum verdict fail_surplus(struct checker *k, const struct json_schema *s, struct spot at) {
    if (k->out == NULL)
        return INVALID;
    struct hint hint = HINT(at.trail->key);
    for (size_t i = 0; i < s->properties.items.len; i++)
        hint_offer(&hint, s->properties.items.items[i].name);
    sv message = hint.best.len == 0 ? SV("is not allowed here")
                                    : arena_printf(k->a, "is not allowed here; '%.*s' is", SV_ARG(hint.best));
    return report(k, at, get_keyword_pointer(k, s, "additionalProperties"), message);
}

/* The value of one key, by everything that speaks of it. */
static enum verdict check_entry(struct checker *k, const struct json_schema *s, struct spot at) {
    sv key = at.trail->key;
    const struct schema_name *named = schema_find_name(&s->properties, key);
    enum verdict v = named == NULL ? VALID : check(k, named->schema, at);
    bool is_known = named != NULL;
    for (size_t i = 0; i < s->pattern_properties.items.len; i++) {
        const struct schema_name *entry = &s->pattern_properties.items.items[i];
        if (pattern_match(entry->pattern, key, NULL, NULL) != PATTERN_MATCH)
            continue;
        is_known = true;
        v = both(v, check(k, entry->schema, at));
    }
    if (is_known || s->additional_properties == NULL)
        return v;
    return s->additional_properties->never ? fail_surplus(k, s, at) : check(k, s->additional_properties, at);
}

static enum verdict check_names(struct checker *k, const struct json_schema *s, struct spot at, value names,
                                const char *because) {
    enum verdict v = VALID;
    for (size_t i = 0; value_is_set(names) && i < names.list->len; i++) {
        sv name = value_get_text(names.list->items[i]);
        if (value_map_has(at.data, name))
            continue;
        v = k->out == NULL ? INVALID
                           : report(k, at, get_keyword_pointer(k, s, because),
                                    arena_printf(k->a, "'%.*s' is missing", SV_ARG(name)));
    }
    return v;
}

static enum verdict check_dependencies(struct checker *k, const struct json_schema *s, struct spot at) {
    enum verdict v = VALID;
    for (size_t i = 0; i < s->dependencies.items.len; i++) {
        const struct schema_name *entry = &s->dependencies.items.items[i];
        if (!value_map_has(at.data, entry->name))
            continue;
        v = both(v, entry->schema != NULL ? check(k, entry->schema, at)
                                          : check_names(k, s, at, entry->names, "dependencies"));
    }
    return v;
}

static enum verdict check_map(struct checker *k, const struct json_schema *s, struct spot at) {
    enum verdict v = check_count(k, s, at, "minProperties", at.data.map->len);
    v = both(v, check_count(k, s, at, "maxProperties", at.data.map->len));
    v = both(v, check_names(k, s, at, s->required, "required"));
    for (size_t i = 0; i < at.data.map->len; i++) {
        const struct value_entry *entry = &at.data.map->entries[i];
        struct trail below = {.parent = at.trail, .key = entry->key, .place = i};
        v = both(v, check_entry(k, s, (struct spot){entry->item, &below}));
        if (s->property_names != NULL)
            v = both(v, check(k, s->property_names, (struct spot){value_string(k->a, entry->key), &below}));
    }
    return both(v, check_dependencies(k, s, at));
}

/* --- combinations --- */

static enum verdict check_quietly(struct checker *k, const struct json_schema *s, struct spot at) {
    struct json_schema_violations *out = k->out;
    k->out = NULL;
    enum verdict v = check(k, s, at);
    k->out = out;
    return v;
}

/* Whether the data has at least the type that an alternative wants. */
static bool is_of_its_type(const struct json_schema *s, value data) {
    while (s->ref != NULL)
        s = s->ref;
    return !s->never && (s->types == 0 || (s->types & json_type_of(data)) != 0);
}

/* When one alternative alone is of the data's type, what is wrong with that one is said; else that none matches. */
static enum verdict fail_alternatives(struct checker *k, const struct json_schema *s, struct spot at,
                                      const struct schema_list *list, const char *keyword) {
    const struct json_schema *only = NULL;
    size_t count = 0;
    for (size_t i = 0; i < list->items.len; i++) {
        if (is_of_its_type(list->items.items[i], at.data)) {
            only = list->items.items[i];
            count++;
        }
    }
    if (k->out == NULL)
        return INVALID;
    if (count == 1)
        return check(k, only, at);
    return report(k, at, get_keyword_pointer(k, s, keyword),
                  arena_printf(k->a, "matches none of the %zu alternatives", list->items.len));
}

static enum verdict check_any(struct checker *k, const struct json_schema *s, struct spot at) {
    enum verdict best = INVALID;
    for (size_t i = 0; i < s->any_of.items.len && best != VALID; i++) {
        enum verdict v = check_quietly(k, s->any_of.items.items[i], at);
        best = v > best ? v : best;
    }
    return best == INVALID ? fail_alternatives(k, s, at, &s->any_of, "anyOf") : best;
}

static enum verdict check_one(struct checker *k, const struct json_schema *s, struct spot at) {
    size_t valid = 0, unsure = 0;
    for (size_t i = 0; i < s->one_of.items.len && valid < 2; i++) {
        enum verdict v = check_quietly(k, s->one_of.items.items[i], at);
        valid += v == VALID;
        unsure += v == UNSURE;
    }
    if (valid > 1)
        return fail(k, s, at, "oneOf", "matches more than one of the alternatives, but must match exactly one");
    if (valid == 0 && unsure == 0)
        return fail_alternatives(k, s, at, &s->one_of, "oneOf");
    return unsure > 0 ? UNSURE : VALID;
}

static enum verdict check_condition(struct checker *k, const struct json_schema *s, struct spot at) {
    const struct json_schema *branches[] = {s->alternative, NULL, s->consequence};
    enum verdict v = check_quietly(k, s->condition, at);
    if (v == UNSURE)
        return UNSURE;
    return branches[v] == NULL ? VALID : check(k, branches[v], at);
}

static enum verdict check_combinations(struct checker *k, const struct json_schema *s, struct spot at) {
    enum verdict v = VALID;
    for (size_t i = 0; i < s->all_of.items.len; i++)
        v = both(v, check(k, s->all_of.items.items[i], at));
    if (s->any_of.items.len > 0)
        v = both(v, check_any(k, s, at));
    if (s->one_of.items.len > 0)
        v = both(v, check_one(k, s, at));
    if (s->condition != NULL)
        v = both(v, check_condition(k, s, at));
    if (s->not_this == NULL)
        return v;
    enum verdict not = check_quietly(k, s->not_this, at);
    return not == VALID ? fail(k, s, at, "not", "matches what is excluded") : both(v, not == UNSURE ? UNSURE : VALID);
}

static enum verdict check_all(struct checker *k, const struct json_schema *s, struct spot at) {
    if (s->never)
        return fail(k, s, at, "", "is not allowed here");
    if (s->ref != NULL)
        return check(k, s->ref, at);
    enum verdict v = check_type(k, s, at);
    v = both(v, check_enumeration(k, s, at));
    v = both(v, check_constant(k, s, at));
    unsigned type = json_type_of(at.data);
    if ((type & JSON_NUMBER) != 0)
        v = both(v, check_number(k, s, at));
    if (type == JSON_STRING)
        v = both(v, check_string(k, s, at));
    if (type == JSON_ARRAY)
        v = both(v, check_list(k, s, at));
    if (type == JSON_OBJECT)
        v = both(v, check_map(k, s, at));
    return both(v, check_combinations(k, s, at));
}

static enum verdict check(struct checker *k, const struct json_schema *s, struct spot at) {
    if (at.data.kind == VALUE_UNKNOWN)
        return UNSURE;
    if (at.data.kind == VALUE_ERROR)
        return UNSURE; /* has been reported */
    if (k->gave_up || ++k->steps > STEPS_MAX || k->depth >= DEPTH_MAX) {
        k->gave_up = true;
        return INVALID;
    }
    k->depth++;
    enum verdict v = check_all(k, s, at);
    k->depth--;
    return v;
}

/* --- order --- */

static int compare_places(const void *x, const void *y) {
    const struct json_schema_violation *a = x, *b = y;
    for (size_t i = 0; i < a->at.len && i < b->at.len; i++) {
        if (a->places[i] != b->places[i])
            return a->places[i] < b->places[i] ? -1 : 1;
    }
    return a->at.len < b->at.len ? -1 : a->at.len > b->at.len;
}

static bool is_same(const struct json_schema_violation *a, const struct json_schema_violation *b) {
    return compare_places(a, b) == 0 && sv_eq(a->message, b->message) && sv_eq(a->schema, b->schema);
}

/* Stable: qsort may not be, so equal ones are kept in the order of finding by a merge of insertions. */
static void sort(struct arena *a, struct json_schema_violations *list) {
    size_t len = list->items.len;
    struct json_schema_violation *from = list->items.items, *to = ARENA_ARRAY(a, struct json_schema_violation, len + 1);
    for (size_t width = 1; width < len; width *= 2) {
        for (size_t start = 0; start < len; start += 2 * width) {
            size_t middle = start + width < len ? start + width : len;
            size_t end = start + 2 * width < len ? start + 2 * width : len;
            size_t i = start, j = middle;
            for (size_t n = start; n < end; n++) {
                bool is_left = j >= end || (i < middle && compare_places(&from[i], &from[j]) <= 0);
                to[n] = is_left ? from[i++] : from[j++];
            }
        }
        struct json_schema_violation *swap = from;
        from = to;
        to = swap;
    }
    list->items.items = from;
    list->items.cap = len;
}

void json_schema_check(struct arena *a, const struct json_schema *s, value data,
                       struct json_schema_violations *result) {
    struct checker k = {.a = a, .out = result};
    check(&k, s, (struct spot){.data = data});
    if (k.gave_up) { /* what has been found so far says nothing of the whole */
        result->items.len = 0;
        report(&k, (struct spot){.data = data}, s->pointer, SV("takes too long to check against this schema"));
    }
    sort(a, result);
    size_t kept = 0;
    for (size_t i = 0; i < result->items.len; i++) { /* by two ways to one schema */
        if (kept == 0 || !is_same(&result->items.items[kept - 1], &result->items.items[i]))
            result->items.items[kept++] = result->items.items[i];
    }
    result->items.len = kept;
}
