/* Values with what the stubs have in their place. Documents are no deeper than their limit, so is the recursion. */
#include "dialects/dynaml/stage.h"

#include "base/num.h"

enum { SHORT_LIST = 8 };

/* --- items by name (DY-113, DY-371) --- */

static struct map *index_items(struct dynaml_run *run, value list, sv field) {
    struct map *names = ARENA_NEW(run->a, struct map);
    *names = MAP(run->a);
    for (size_t i = 0; i < list.list->len; i++) {
        value item = list.list->items[i];
        value key = item.kind == VALUE_MAP ? value_map_find(item, field) : (value){0};
        bool is_new = false;
        if (key.kind != VALUE_STRING || (key.word & WORD_LIVE) != 0)
            continue;
        void **slot = map_get_slot(names, value_get_text(key), &is_new);
        if (is_new)
            *slot = (void *)(uintptr_t)(i + 1);
    }
    return names;
}

static size_t search_items(value list, sv field, sv text) {
    for (size_t i = 0; i < list.list->len; i++) {
        value item = list.list->items[i];
        value key = item.kind == VALUE_MAP ? value_map_find(item, field) : (value){0};
        if (key.kind == VALUE_STRING && (key.word & WORD_LIVE) == 0 && sv_eq(value_get_text(key), text))
            return i;
    }
    return SIZE_MAX;
}

/* The indexes of one list: one per field that was asked for. */
struct field_index {
    sv field;
    struct map *names;
    struct field_index *next;
};

static struct field_index *add_index(struct dynaml_run *run, value list, sv field, struct field_index *of) {
    const struct value_list **key = ARENA_NEW(run->a, const struct value_list *);
    struct field_index *f = ARENA_NEW(run->a, struct field_index);
    *key = list.list;
    *f = (struct field_index){.field = field, .names = index_items(run, list, field), .next = of};
    map_put(&run->key_index, sv_make((const char *)key, sizeof *key), f);
    return f;
}

size_t overlay_find_item(struct dynaml_run *run, value list, sv field, sv text) {
    if (list.list->len <= SHORT_LIST)
        return search_items(list, field, text);
    struct field_index *of = map_find(&run->key_index, sv_make((const char *)&list.list, sizeof list.list));
    const struct field_index *f = of;
    while (f != NULL && !sv_eq(f->field, field))
        f = f->next;
    if (f == NULL)
        f = add_index(run, list, field, of);
    size_t found = (size_t)(uintptr_t)map_find(f->names, text);
    return found == 0 ? SIZE_MAX : found - 1;
}

/* --- steps --- */

sv overlay_make_step(struct arena *a, sv field, sv text) {
    struct buf out = BUF(a);
    buf_reserve(&out, field.len + text.len + 1);
    buf_append(&out, field);
    buf_append_char(&out, ':');
    buf_append(&out, text);
    return buf_get_sv(&out);
}

static sv get_key_field(const struct dynaml_run *run, value list) {
    const struct marks *m = marks_get(run, list);
    return m != NULL && m->key.len > 0 ? m->key : SV("name");
}

static value find_in_list(struct dynaml_run *run, value list, sv step) {
    uint64_t index = 0;
    size_t at = SIZE_MAX, colon = sv_find_char(step, ':');
    if (step.len > 2 && step.data[0] == '[' && step.data[step.len - 1] == ']') {
        bool ok = num_parse_u64(sv_slice(step, 1, step.len - 1), 10, &index) == NUM_OK;
        at = ok && index < list.list->len ? (size_t)index : SIZE_MAX;
    } else if (colon != SIZE_MAX) {
        at = overlay_find_item(run, list, sv_slice(step, 0, colon), sv_slice(step, colon + 1, step.len));
    } else {
        at = overlay_find_item(run, list, get_key_field(run, list), step);
    }
    return at == SIZE_MAX ? (value){0} : list.list->items[at];
}

value overlay_find(struct dynaml_run *run, value v, sv step) {
    if (v.kind == VALUE_MAP)
        return value_map_find(v, step);
    return v.kind == VALUE_LIST ? find_in_list(run, v, step) : (value){0};
}

/* `room` is for as many values as there are stubs; NULL: taken from the arena when it is needed. */
static const value *step_into(struct stage *s, const value *found, sv step, value *room) {
    bool has_any = false;
    for (size_t i = 0; i < s->stub_count; i++) {
        value v = overlay_find(s->run, found[i], step);
        if (value_is_set(v) && room == NULL)
            room = ARENA_ARRAY(s->a, value, s->stub_count);
        has_any = has_any || value_is_set(v);
        if (room != NULL)
            room[i] = v;
    }
    return has_any ? room : NULL;
}

const value *overlay_step(struct stage *s, const value *found, sv step) {
    return step_into(s, found, step, NULL);
}

const value *overlay_find_path(struct stage *s, const struct stub_path *path) {
    if (path == NULL)
        return s->stub_count == 0 ? NULL : s->stubs;
    const value *outer = overlay_find_path(s, path->outer);
    return outer == NULL ? NULL : overlay_step(s, outer, path->step);
}

/* --- overlaying --- */

static value get_first(const struct stage *s, const value *found) {
    for (size_t i = 0; i < s->stub_count; i++) {
        if (value_is_set(found[i]))
            return found[i];
    }
    return (value){0};
}

static bool is_same(value a, value b) {
    return a.kind == b.kind && a.integer == b.integer;
}

/* What is needed while one container is overlaid: on the stack where it is small. */
enum { LOCAL_STUBS = 4, LOCAL_ENTRIES = 16 };

/* Entries are copied when the first of them differs. */
static value overlay_map(struct stage *s, value v, const value *found) {
    value room[LOCAL_STUBS] = {{0}};
    struct value_entry entries[LOCAL_ENTRIES];
    struct map_builder b = {.arena = s->a};
    bool is_changed = false;
    if (v.map->len <= LOCAL_ENTRIES) {
        b.entries = entries;
        b.cap = LOCAL_ENTRIES;
    }
    for (size_t i = 0; i < v.map->len; i++) {
        const struct value_entry *e = &v.map->entries[i];
        const value *below = step_into(s, found, e->key, s->stub_count <= LOCAL_STUBS ? room : NULL);
        value item = below == NULL ? e->item : overlay_value(s, e->item, below, true);
        if (!is_changed && !is_same(item, e->item)) {
            is_changed = true;
            for (size_t k = 0; k < i; k++)
                map_add(&b, v.map->entries[k].key, v.map->entries[k].item);
        }
        if (is_changed)
            map_add(&b, e->key, item);
    }
    return is_changed ? map_done(&b) : v;
}

static sv get_item_step(struct stage *s, value list, size_t index) {
    sv field = get_key_field(s->run, list);
    value item = list.list->items[index];
    value key = item.kind == VALUE_MAP ? value_map_find(item, field) : (value){0};
    if (key.kind == VALUE_STRING)
        return overlay_make_step(s->a, field, value_get_text(key));
    return arena_printf(s->a, "[%zu]", index);
}

static bool is_container(value v) {
    return v.kind == VALUE_MAP || v.kind == VALUE_LIST;
}

static value overlay_list(struct stage *s, value v, const value *found) {
    value room[LOCAL_STUBS] = {{0}};
    value *items = NULL;
    for (size_t i = 0; i < v.list->len; i++) {
        value item = v.list->items[i];
        const value *below = NULL;
        if (is_container(item))
            below = step_into(s, found, get_item_step(s, v, i), s->stub_count <= LOCAL_STUBS ? room : NULL);
        value merged = below == NULL ? item : overlay_value(s, item, below, false);
        if (is_same(merged, item))
            continue;
        if (items == NULL) {
            items = ARENA_ARRAY(s->a, value, v.list->len);
            for (size_t k = 0; k < v.list->len; k++)
                items[k] = v.list->items[k];
        }
        items[i] = merged;
    }
    if (items == NULL)
        return v;
    value list = value_list_of(s->a, items, v.list->len);
    list.word = v.word;
    return list;
}

value overlay_value(struct stage *s, value v, const value *found, bool is_entry) {
    if (found == NULL || (v.word & WORD_STUB) != 0)
        return v;
    if (v.kind == VALUE_MAP)
        return overlay_map(s, v, found);
    if (v.kind == VALUE_LIST)
        return overlay_list(s, v, found);
    value other = is_entry ? get_first(s, found) : (value){0};
    return value_is_set(other) ? other : v;
}
