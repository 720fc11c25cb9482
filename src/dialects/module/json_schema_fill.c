/* Defaults and secret places: walks along schema and data that judge nothing. */
#include "dialects/module/json_schema_form.h"

#include "model/pattern.h"

enum {
    MARK_DEPTH_MAX = 4000,
    FILL_DEPTH_MAX = 300, /* deeper than documents are: defaults that fill in each other */
    PARTS_MAX = 1000 * 1000,
};

struct filler {
    struct arena *a;
    unsigned depth;
    size_t parts;
    bool failed;
};

/* --- defaults (MD-051) --- */

static value fill(struct filler *f, const struct json_schema *s, value data);

/* Of the schema itself, else of what it refers to or is made of. */
static value find_default(const struct json_schema *s) {
    while (s->ref != NULL)
        s = s->ref;
    value found = s->fallback;
    for (size_t i = 0; !value_is_set(found) && i < s->all_of.items.len; i++)
        found = find_default(s->all_of.items.items[i]);
    return found;
}

static value fill_property(struct filler *f, const struct schema_name *property, value data) {
    value item = value_map_find(data, property->name), before = item;
    if (!value_is_set(item))
        item = find_default(property->schema);
    if (!value_is_set(item))
        return data;
    value filled = fill(f, property->schema, item);
    bool is_same = value_is_set(before) && filled.kind == before.kind && filled.map == before.map;
    return is_same ? data : value_map_with(f->a, data, property->name, filled);
}

static value fill_items(struct filler *f, const struct json_schema *s, value data) {
    struct list_builder b = {.arena = f->a};
    for (size_t i = 0; i < data.list->len; i++) {
        const struct json_schema *of = schema_find_item(s, i);
        value item = data.list->items[i];
        list_add(&b, of == NULL ? item : fill(f, of, item));
    }
    return list_done(&b);
}

static value fill_parts(struct filler *f, const struct json_schema *s, value data) {
    uint8_t marks = data.marks;
    if (s->ref != NULL)
        return fill(f, s->ref, data);
    if (data.kind == VALUE_MAP) {
        for (size_t i = 0; i < s->properties.items.len; i++)
            data = fill_property(f, &s->properties.items.items[i], data);
    }
    if (data.kind == VALUE_LIST && (s->items != NULL || s->first_items.items.len > 0))
        data = fill_items(f, s, data);
    for (size_t i = 0; i < s->all_of.items.len; i++)
        data = fill(f, s->all_of.items.items[i], data);
    return value_mark(data, marks);
}

static value fill(struct filler *f, const struct json_schema *s, value data) {
    if (f->failed || f->depth >= FILL_DEPTH_MAX || ++f->parts > PARTS_MAX) {
        f->failed = true;
        return data;
    }
    f->depth++;
    value filled = fill_parts(f, s, data);
    f->depth--;
    return filled;
}

value json_schema_fill(struct arena *a, const struct json_schema *s, value data) {
    struct filler f = {.a = a};
    value filled = fill(&f, s, data);
    return f.failed ? (value){0} : filled;
}

/* --- secrets (MD-260) --- */

static value mark(struct filler *f, const struct json_schema *s, value data);

static value mark_by_all(struct filler *f, const struct schema_list *list, value data) {
    for (size_t i = 0; i < list->items.len; i++)
        data = mark(f, list->items.items[i], data);
    return data;
}

static value mark_entry(struct filler *f, const struct json_schema *s, sv key, value item) {
    const struct schema_name *named = schema_find_name(&s->properties, key);
    bool is_known = named != NULL;
    if (named != NULL)
        item = mark(f, named->schema, item);
    for (size_t i = 0; i < s->pattern_properties.items.len; i++) {
        const struct schema_name *entry = &s->pattern_properties.items.items[i];
        if (pattern_match(entry->pattern, key, NULL, NULL) == PATTERN_NO_MATCH)
            continue;
        is_known = true;
        item = mark(f, entry->schema, item);
    }
    return is_known || s->additional_properties == NULL ? item : mark(f, s->additional_properties, item);
}

static value mark_entries(struct filler *f, const struct json_schema *s, value data) {
    struct map_builder b = {.arena = f->a};
    for (size_t i = 0; i < data.map->len; i++) {
        const struct value_entry *entry = &data.map->entries[i];
        map_add(&b, entry->key, mark_entry(f, s, entry->key, entry->item));
    }
    return value_mark(map_done(&b), data.marks);
}

static value mark_items(struct filler *f, const struct json_schema *s, value data) {
    struct list_builder b = {.arena = f->a};
    for (size_t i = 0; i < data.list->len; i++) {
        const struct json_schema *of = schema_find_item(s, i);
        value item = data.list->items[i];
        item = of == NULL ? item : mark(f, of, item);
        list_add(&b, s->contains == NULL ? item : mark(f, s->contains, item));
    }
    return value_mark(list_done(&b), data.marks);
}

static value mark_parts(struct filler *f, const struct json_schema *s, value data) {
    if (s->ref != NULL)
        return mark(f, s->ref, data);
    if (data.kind == VALUE_MAP)
        data = mark_entries(f, s, data);
    if (data.kind == VALUE_LIST)
        data = mark_items(f, s, data);
    for (size_t i = 0; i < s->dependencies.items.len; i++) {
        const struct json_schema *schema = s->dependencies.items.items[i].schema;
        data = schema == NULL ? data : mark(f, schema, data);
    }
    const struct json_schema *const single[] = {s->condition, s->consequence, s->alternative};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        data = single[i] == NULL ? data : mark(f, single[i], data);
    data = mark_by_all(f, &s->all_of, data);
    data = mark_by_all(f, &s->any_of, data);
    return mark_by_all(f, &s->one_of, data);
}

/* Whatever may apply counts, so that nothing is shown because one alternative of several was not the one. */
static value mark(struct filler *f, const struct json_schema *s, value data) {
    if (s->is_secret)
        return value_mark(data, MARK_SENSITIVE);
    if (f->failed || f->depth >= MARK_DEPTH_MAX || ++f->parts > PARTS_MAX) {
        f->failed = true;
        return data;
    }
    f->depth++;
    value marked = mark_parts(f, s, data);
    f->depth--;
    return marked;
}

value json_schema_mark_secrets(struct arena *a, const struct json_schema *s, value data) {
    if (!s->has_secrets)
        return data;
    struct filler f = {.a = a};
    value marked = mark(&f, s, data);
    return f.failed ? value_mark(data, MARK_SENSITIVE) : marked;
}
