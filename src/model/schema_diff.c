/* Field differences (BP-435 to BP-438, BP-531). */
#include "model/schema_walk.h"

#include "base/num.h"

#include <stdlib.h>

struct differ {
    const struct schema_diff_request *request;
    struct field_diff *result;
};

/* Two values of one place. */
struct pair {
    const struct schema *schema; /* NULL: nothing is known */
    const struct trail *trail;
    value before, after; /* kind 0 where not there */
    bool must_recreate, sensitive;
};

static void compare(struct differ *d, struct pair at);

static bool is_there(value v) {
    return value_is_set(v) && v.kind != VALUE_ABSENT;
}

/* Secret containers are compared as a whole: their keys are secret too. */
static bool is_open_container(value v) {
    return (v.kind == VALUE_MAP || v.kind == VALUE_LIST) && (v.marks & MARK_SENSITIVE) == 0;
}

static bool is_empty(value v) {
    return v.kind == VALUE_MAP ? v.map->len == 0 : v.kind == VALUE_LIST && v.list->len == 0;
}

static struct path get_path(struct differ *d, const struct trail *t) {
    return trail_get_path(d->request->arena, d->request->prefix, t);
}

static void add_change(struct differ *d, struct pair at) {
    bool has_before = is_there(at.before), has_after = is_there(at.after);
    enum field_change_kind kind = !has_before ? FIELD_NEW : !has_after ? FIELD_REMOVED : FIELD_MODIFIED;
    VEC_PUSH(d->request->arena, &d->result->changes,
             ((struct field_change){
                 .kind = kind,
                 .path = get_path(d, at.trail),
                 .before = has_before ? at.before : (value){0},
                 .after = has_after ? at.after : (value){0},
                 .must_recreate = at.must_recreate,
                 .sensitive = at.sensitive || value_is_sensitive(at.before) || value_is_sensitive(at.after),
                 .unknown = has_after && !value_is_known(at.after),
                 .provisional = has_after && (at.after.within & MARK_PROVISIONAL) != 0,
             }));
}

/* BP-436: the default of a nullable field. */
static bool is_nullable_default(struct differ *d, struct pair at) {
    if (at.schema == NULL || !schema_has(at.schema, SCHEMA_NULLABLE) || is_there(at.before)) {
        return false;
    }
    value wanted = schema_get_default(d->request->arena, at.schema);
    return value_is_set(wanted) && value_eq(wanted, at.after);
}

static bool is_same(struct differ *d, struct pair at) {
    if (!is_there(at.before) || !is_there(at.after)) {
        return is_nullable_default(d, at);
    }
    const struct schema_diff_request *r = d->request;
    bool unopened = at.before.kind == VALUE_UNKNOWN && (at.before.marks & MARK_SENSITIVE) != 0;
    if (unopened && r->is_same_secret != NULL && at.after.kind != VALUE_UNKNOWN) {
        return r->is_same_secret(r->user, at.before, at.after);
    }
    return value_eq(at.before, at.after);
}

static void compare_leaf(struct differ *d, struct pair at) {
    if (is_same(d, at)) {
        VEC_PUSH(d->request->arena, &d->result->unchanged, get_path(d, at.trail));
    } else {
        add_change(d, at);
    }
}

/* Maps and objects */

static struct pair below(struct pair at, const struct schema *s, const struct trail *trail, value before, value after) {
    return (struct pair){s, trail, before, after, at.must_recreate, at.sensitive};
}

static value find_in(value v, sv key) {
    return v.kind == VALUE_MAP ? value_map_find(v, key) : (value){0};
}

static void compare_entry(struct differ *d, struct pair at, sv key) {
    const struct schema *s = NULL;
    if (at.schema != NULL && at.schema->type == SCHEMA_OBJECT) {
        const struct schema_attribute *attribute = schema_find_attribute(at.schema, key);
        s = attribute == NULL ? NULL : attribute->schema;
    } else if (at.schema != NULL && at.schema->type == SCHEMA_MAP) {
        s = at.schema->items;
    }
    struct trail trail = trail_key(at.trail, key);
    compare(d, below(at, s, &trail, find_in(at.before, key), find_in(at.after, key)));
}

/* New order first, then what is gone. */
static void compare_maps(struct differ *d, struct pair at) {
    for (size_t i = 0; at.after.kind == VALUE_MAP && i < at.after.map->len; i++) {
        compare_entry(d, at, at.after.map->entries[i].key);
    }
    for (size_t i = 0; at.before.kind == VALUE_MAP && i < at.before.map->len; i++) {
        sv key = at.before.map->entries[i].key;
        if (at.after.kind != VALUE_MAP || !value_map_has(at.after, key)) {
            compare_entry(d, at, key);
        }
    }
}

/* Arrays */

struct sort_item {
    value key, item;
    size_t index;
};

static int compare_keys(value x, value y) {
    bool numbers = (x.kind == VALUE_INT || x.kind == VALUE_FLOAT) && (y.kind == VALUE_INT || y.kind == VALUE_FLOAT);
    if (numbers && x.kind == VALUE_INT && y.kind == VALUE_INT) {
        return (x.integer > y.integer) - (x.integer < y.integer);
    }
    if (numbers && x.kind == VALUE_INT) {
        return num_cmp_i64_double(x.integer, y.number);
    }
    if (numbers && y.kind == VALUE_INT) {
        return -num_cmp_i64_double(y.integer, x.number);
    }
    if (numbers) {
        return (x.number > y.number) - (x.number < y.number);
    }
    if (x.kind != y.kind) {
        return x.kind < y.kind ? -1 : 1;
    }
    if (x.kind == VALUE_BOOL) {
        return x.boolean - y.boolean;
    }
    return sv_cmp(value_get_text(x), value_get_text(y));
}

static int compare_sort_items(const void *x, const void *y) {
    const struct sort_item *a = x, *b = y;
    int order = compare_keys(a->key, b->key);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* In order of the field; in their own order when an item has no such scalar. */
static struct sort_item *sort_list(struct arena *a, value v, sv field, size_t *count) {
    *count = v.kind == VALUE_LIST ? v.list->len : 0;
    struct sort_item *items = ARENA_ARRAY(a, struct sort_item, *count + 1);
    bool sorts = field.len > 0;
    for (size_t i = 0; i < *count; i++) {
        value item = v.list->items[i];
        items[i] = (struct sort_item){.item = item, .index = i};
        if (item.kind == VALUE_MAP && field.len > 0) {
            items[i].key = value_map_find(item, field);
        }
        sorts = sorts && value_is_scalar(items[i].key);
    }
    if (sorts) {
        qsort(items, *count, sizeof *items, compare_sort_items);
    }
    return items;
}

/* A path leads to the item of the new array; to the place in the sorted old one where there is none any more. */
static void compare_lists(struct differ *d, struct pair at) {
    bool is_array = at.schema != NULL && at.schema->type == SCHEMA_ARRAY;
    sv field = is_array ? at.schema->sort_by : (sv){0};
    size_t old_count, new_count;
    struct sort_item *old_items = sort_list(d->request->arena, at.before, field, &old_count);
    struct sort_item *new_items = sort_list(d->request->arena, at.after, field, &new_count);
    for (size_t i = 0; i < old_count || i < new_count; i++) {
        struct trail trail = trail_index(at.trail, i < new_count ? new_items[i].index : i);
        value before = i < old_count ? old_items[i].item : (value){0};
        value after = i < new_count ? new_items[i].item : (value){0};
        compare(d, below(at, is_array ? at.schema->items : NULL, &trail, before, after));
    }
}

/* Whether both sides (or the one that is there) are containers of this kind, not both empty. */
static bool are_containers(struct pair at, enum value_kind kind) {
    bool has_before = is_there(at.before), has_after = is_there(at.after);
    bool before_fits = !has_before || (at.before.kind == kind && is_open_container(at.before));
    bool after_fits = !has_after || (at.after.kind == kind && is_open_container(at.after));
    bool all_empty = (!has_before || is_empty(at.before)) && (!has_after || is_empty(at.after));
    return before_fits && after_fits && !all_empty;
}

/* What the schema takes out of the comparison. */
static bool is_left_out(struct differ *d, struct pair at) {
    if (at.schema == NULL) {
        return false;
    }
    bool computed = schema_has(at.schema, SCHEMA_COMPUTED);
    if (d->request->drift) {
        bool ignored = schema_has(at.schema, SCHEMA_IGNORE_DRIFT);
        return ignored || (computed && !schema_has(at.schema, SCHEMA_TRACK_DRIFT));
    }
    return computed || (schema_has(at.schema, SCHEMA_COMPUTED_WHEN_OMITTED) && !is_there(at.after));
}

static void take_flags(struct pair *at) {
    if (at->schema != NULL) {
        at->must_recreate = at->must_recreate || schema_has(at->schema, SCHEMA_MUST_RECREATE);
        at->sensitive = at->sensitive || schema_has(at->schema, SCHEMA_SENSITIVE);
    }
}

static void compare(struct differ *d, struct pair at) {
    if (is_left_out(d, at) || (!is_there(at.before) && !is_there(at.after))) {
        return;
    }
    take_flags(&at);
    if (at.schema != NULL && at.schema->type == SCHEMA_UNION) {
        at.schema = schema_find_variant(at.schema, is_there(at.after) ? at.after : at.before);
        take_flags(&at);
    }
    bool goes_on = at.trail->depth < SCHEMA_DEPTH;
    if (goes_on && are_containers(at, VALUE_MAP)) {
        compare_maps(d, at);
    } else if (goes_on && are_containers(at, VALUE_LIST)) {
        compare_lists(d, at);
    } else {
        compare_leaf(d, at);
    }
}

void schema_diff(const struct schema_diff_request *r, struct field_diff *result) {
    struct differ d = {r, result};
    struct trail root = {0};
    compare(&d, (struct pair){.schema = r->schema, .trail = &root, .before = r->before, .after = r->after});
}
