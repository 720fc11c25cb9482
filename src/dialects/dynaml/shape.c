/* What stands in maps and lists: `<<`, key fields, key tags (§11); and all of a container as a value. */
#include "dialects/dynaml/notes.h"

#include <stdlib.h>

/* --- key tags (DY-223) --- */

static bool is_key_tag(sv key, sv *field) {
    *field = sv_slice(key, 4, key.len);
    return sv_has_prefix(key, SV("key:")) && field->len > 0;
}

/* Of a list as written: the last item that has one counts. */
static sv find_tag(value list) {
    sv found = {0}, field;
    for (size_t i = 0; i < list.list->len; i++) {
        value item = list.list->items[i];
        for (size_t k = 0; item.kind == VALUE_MAP && k < item.map->len; k++) {
            if (is_key_tag(item.map->entries[k].key, &field))
                found = field;
        }
    }
    return found;
}

static bool has_tag(value map) {
    sv field;
    for (size_t i = 0; i < map.map->len; i++) {
        if (is_key_tag(map.map->entries[i].key, &field))
            return true;
    }
    return false;
}

static value drop_tags(struct arena *a, value item) {
    sv field;
    if (item.kind != VALUE_MAP || !has_tag(item))
        return item;
    struct map_builder b = {.arena = a};
    for (size_t i = 0; i < item.map->len; i++) {
        const struct value_entry *e = &item.map->entries[i];
        map_set(&b, is_key_tag(e->key, &field) ? field : e->key, e->item);
    }
    value v = map_done(&b);
    v.word = item.word;
    return v;
}

/* --- `<<` --- */

static bool is_splice(value item) {
    return item.kind == VALUE_MAP && item.map->len == 1 && sv_eq(item.map->entries[0].key, SV("<<"));
}

static size_t count_merges(const struct place *p) {
    if (p->kind == PLACE_MAP)
        return value_map_has(p->source, SV("<<"));
    size_t count = 0;
    for (size_t i = 0; i < p->source.list->len; i++)
        count += is_splice(p->source.list->items[i]);
    return count;
}

static bool has_computed_key(const struct place *p) {
    if (!p->is_item || p->kind != PLACE_MAP || p->item_key.len > 0)
        return false;
    value key = value_map_find(p->source, p->key_name);
    return key.kind != 0 && (key.word & WORD_LIVE) != 0;
}

bool shape_is_needed(const struct place *p) {
    return count_merges(p) > 0 || has_computed_key(p);
}

static void set_content(struct stage *s, struct place *p, value content) {
    size_t count = content.kind == VALUE_MAP ? content.map->len : content.list->len;
    p->content = content;
    p->children = ARENA_ARRAY(s->a, struct place *, count + 1);
    p->is_shaped = true;
}

static void set_list(struct stage *s, struct place *p, value list) {
    struct list_builder b = {.arena = s->a};
    bool has_tags = find_tag(list).len > 0;
    if (p->key_field.len == 0)
        p->key_field = find_tag(list);
    for (size_t i = 0; has_tags && i < list.list->len; i++)
        list_add(&b, drop_tags(s->a, list.list->items[i]));
    set_content(s, p, has_tags ? list_done(&b) : list);
}

void shape_at_once(struct stage *s, struct place *p) {
    if (p->kind == PLACE_LIST)
        set_list(s, p, p->source);
    else
        set_content(s, p, p->source);
}

static struct place *make_merge(struct stage *s, struct place *p, value item, size_t index) {
    struct place *m = place_new(s, p, value_map_find(item, SV("<<")));
    m->is_merge_entry = true;
    m->is_item = p->kind == PLACE_LIST;
    m->index = (uint32_t)index;
    m->key = SV("<<");
    m->scope = p->inner;
    if (p->home != p) {
        struct place *home = ARENA_NEW(s->a, struct place);
        *home = (struct place){.parent = p->home, .key = m->key, .index = m->index, .is_merge_entry = true};
        home->is_item = m->is_item;
        m->home = home;
    }
    place_begin(s, m);
    return m;
}

static void make_merges(struct stage *s, struct place *p) {
    p->merges = ARENA_ARRAY(s->a, struct place *, count_merges(p) + 1);
    p->merge_count = 0;
    if (p->kind == PLACE_MAP && value_map_has(p->source, SV("<<")))
        p->merges[p->merge_count++] = make_merge(s, p, p->source, 0);
    for (size_t i = 0; p->kind == PLACE_LIST && i < p->source.list->len; i++) {
        if (is_splice(p->source.list->items[i]))
            p->merges[p->merge_count++] = make_merge(s, p, p->source.list->items[i], i);
    }
}

/* The final value of a `<<`, marks and all; kind 0 when it is unresolved. */
static value get_merge_value(struct stage *s, struct place *m) {
    value v = {0};
    if (stage_get_value(s, m, &v))
        return v;
    return m->cell.state == CELL_DONE ? m->cell.result : (value){0};
}

static value take_from_stub(value item, value around) {
    item.word |= around.word & WORD_STUB;
    return item;
}

/* Entries that are not there yet. */
static void insert_entries(struct map_builder *b, struct map *known, value map) {
    for (size_t i = 0; i < map.map->len; i++) {
        const struct value_entry *e = &map.map->entries[i];
        if (map_has(known, e->key))
            continue;
        map_put(known, e->key, known);
        map_add(b, e->key, take_from_stub(e->item, map));
    }
}

static void add_own_entries(struct map_builder *b, struct map *known, value source) {
    for (size_t i = 0; i < source.map->len; i++) {
        const struct value_entry *e = &source.map->entries[i];
        if (sv_eq(e->key, SV("<<")))
            continue;
        map_put(known, e->key, known);
        map_add(b, e->key, e->item);
    }
}

/* DY-210 to DY-213 */
static value compose_map(struct stage *s, struct place *p, value merged) {
    const struct marks *m = marks_get(s->run, merged);
    struct map_builder b = {.arena = s->a};
    struct map known = MAP(s->a);
    bool replaces = m != NULL && m->is_replacing && merged.kind == VALUE_MAP;
    if (!replaces)
        add_own_entries(&b, &known, p->source);
    if (merged.kind == VALUE_MAP)
        insert_entries(&b, &known, merged);
    for (size_t i = 0; merged.kind == VALUE_LIST && i < merged.list->len; i++) {
        if (merged.list->items[i].kind == VALUE_MAP)
            insert_entries(&b, &known, take_from_stub(merged.list->items[i], merged));
    }
    value v = map_done(&b);
    v.word = WORD_LIVE;
    return v;
}

/* --- lists --- */

static sv get_literal_key(const struct place *p, value item) {
    sv field = p->key_field.len > 0 ? p->key_field : SV("name");
    value key = item.kind == VALUE_MAP ? value_map_find(item, field) : (value){0};
    bool is_literal = key.kind == VALUE_STRING && (key.word & WORD_LIVE) == 0;
    return is_literal ? value_get_text(key) : (sv){0};
}

static void collect_own_keys(const struct place *p, struct map *own) {
    for (size_t i = 0; i < p->source.list->len; i++) {
        sv key = get_literal_key(p, p->source.list->items[i]);
        if (key.data != NULL)
            map_put(own, key, own);
    }
}

static void splice(const struct place *p, struct list_builder *b, const struct map *own, value list) {
    for (size_t i = 0; i < list.list->len; i++) {
        value item = list.list->items[i];
        sv key = get_literal_key(p, item);
        if (key.data == NULL || !map_has(own, key))
            list_add(b, take_from_stub(item, list));
    }
}

/* DY-220 to DY-222. The value that takes the place of the whole list, when one replaces it. */
static value compose_list(struct stage *s, struct place *p, const value *merged) {
    struct list_builder b = {.arena = s->a};
    struct map own = MAP(s->a);
    size_t next = 0;
    collect_own_keys(p, &own);
    for (size_t i = 0; i < p->source.list->len; i++) {
        if (s->run->notes != NULL)
            notes_set_start(s->run->notes, p, i, b.len);
        if (!is_splice(p->source.list->items[i])) {
            list_add(&b, p->source.list->items[i]);
            continue;
        }
        value v = merged[next++];
        const struct marks *m = marks_get(s->run, v);
        if (v.kind == VALUE_LIST && m != NULL && m->is_replacing) {
            struct list_builder only = {.arena = s->a};
            if (s->run->notes != NULL)
                notes_set_start(s->run->notes, p, i, 0);
            for (size_t k = 0; k < v.list->len; k++)
                list_add(&only, take_from_stub(v.list->items[k], v));
            return list_done(&only);
        }
        if (v.kind == VALUE_LIST)
            splice(p, &b, &own, v);
    }
    return list_done(&b);
}

/* What a `<<` says beside its value: key field and redirection of the whole. */
static void take_marks(struct stage *s, struct place *p, value merged) {
    const struct marks *m = marks_get(s->run, merged);
    if (m == NULL)
        return;
    if (m->has_redirect)
        place_redirect(s, p, m->redirect);
    if (m->key.len > 0 && p->kind == PLACE_LIST)
        p->key_field = m->key;
}

static void end_shape(struct stage *s, struct place *p) {
    value *merged = ARENA_ARRAY(s->a, value, p->merge_count + 1);
    if (p->kind == PLACE_LIST)
        p->key_field = find_tag(p->source);
    for (size_t i = 0; i < p->merge_count; i++) {
        merged[i] = get_merge_value(s, p->merges[i]);
        take_marks(s, p, merged[i]);
    }
    if (p->kind == PLACE_LIST)
        set_list(s, p, compose_list(s, p, merged));
    else
        set_content(s, p, p->merge_count > 0 ? compose_map(s, p, merged[0]) : p->source);
}

/* --- the key field of an item (DY-114) --- */

static struct place *make_key_place(struct stage *s, struct place *p) {
    struct place *k = place_new(s, p, value_map_find(p->source, p->key_name));
    k->key = p->key_name;
    k->scope = p->inner;
    if (p->home != p) {
        struct place *home = ARENA_NEW(s->a, struct place);
        *home = (struct place){.parent = p->home, .key = k->key};
        k->home = home;
    }
    place_begin(s, k);
    place_get_found(s, k); /* below `[i]`: the item has no name yet */
    k->is_key_field = true;
    return k;
}

static void take_key(struct stage *s, struct place *p) {
    value v = p->key_place->cell.result;
    p->is_found_known = false;
    if (p->key_place->cell.state != CELL_DONE || v.kind != VALUE_STRING)
        return;
    p->computed_key = value_get_text(v);
    p->item_key = overlay_make_step(s->a, p->key_name, p->computed_key);
}

/* The key field stays the place that it was while it was evaluated. */
static void keep_key_place(struct place *p) {
    size_t index = p->key_place == NULL ? SIZE_MAX : value_map_find_index(p->content, p->key_name);
    if (index != SIZE_MAX && p->content.map->entries[index].item.word == p->key_place->source.word)
        p->children[index] = p->key_place;
}

/* A key that came by `<<`. */
static void name_by_content(struct stage *s, struct place *p) {
    value key = p->is_item && p->item_key.len == 0 ? value_map_find(p->content, p->key_name) : (value){0};
    if (key.kind != VALUE_STRING || (key.word & WORD_LIVE) != 0)
        return;
    p->computed_key = value_get_text(key);
    p->item_key = overlay_make_step(s->a, p->key_name, p->computed_key);
    p->is_found_known = false;
}

/* --- the hook --- */

enum { SHAPE_KEY = 1, SHAPE_MERGES };

struct shape_progress {
    int phase;
    size_t next;
    bool is_unresolved;
};

static enum resolve_result demand(struct resolved *out, struct place *p) {
    out->cell = &p->cell;
    return RESOLVE_AGAIN;
}

static enum resolve_result give(struct resolved *out, value v) {
    out->item = v;
    return RESOLVE_VALUE;
}

static struct shape_progress *start_shape(struct stage *s, struct place *p, struct resolved *out) {
    struct shape_progress *g = ARENA_NEW(s->a, struct shape_progress);
    g->phase = SHAPE_KEY;
    out->state = g;
    if (p->key_place == NULL && has_computed_key(p))
        p->key_place = make_key_place(s, p);
    return g;
}

enum resolve_result shape_evaluate(struct stage *s, struct place *p, struct resolved *out) {
    struct shape_progress *g = out->state;
    if (g == NULL) {
        g = start_shape(s, p, out);
        if (p->key_place != NULL)
            return demand(out, p->key_place);
    }
    if (g->phase == SHAPE_KEY) {
        if (p->key_place != NULL && p->key_place->cell.state == CELL_PROVISIONAL)
            return give(out, value_pending(NULL));
        if (p->key_place != NULL)
            take_key(s, p);
        if (p->merges == NULL)
            make_merges(s, p);
        g->phase = SHAPE_MERGES;
    } else {
        g->is_unresolved = g->is_unresolved || p->merges[g->next]->cell.state != CELL_DONE;
        g->next++;
    }
    value ready;
    while (g->next < p->merge_count && stage_get_value(s, p->merges[g->next], &ready))
        g->next++;
    if (g->next < p->merge_count)
        return demand(out, p->merges[g->next]);
    if (g->is_unresolved)
        return give(out, value_pending(NULL));
    end_shape(s, p);
    if (p->kind == PLACE_MAP) {
        keep_key_place(p);
        name_by_content(s, p);
    }
    return give(out, value_null());
}

/* --- all of a container --- */

struct node_progress {
    size_t *order; /* of the walk (DY-090); NULL: by number */
    value *items;
    size_t next, count;
    bool is_unresolved, is_waiting_for_shape;
};

struct sort_entry {
    sv key;
    size_t index;
};

static int compare_keys(const void *a, const void *b) {
    const struct sort_entry *left = a, *right = b;
    return sv_cmp(left->key, right->key);
}

static size_t *make_order(struct stage *s, value map) {
    size_t count = map.map->len;
    struct sort_entry *entries = ARENA_ARRAY(s->a, struct sort_entry, count + 1);
    size_t *order = ARENA_ARRAY(s->a, size_t, count + 1);
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct sort_entry){map.map->entries[i].key, i};
    qsort(entries, count, sizeof *entries, compare_keys);
    for (size_t i = 0; i < count; i++)
        order[i] = entries[i].index;
    return order;
}

static struct node_progress *start_node(struct stage *s, struct place *p, struct resolved *out) {
    struct node_progress *g = ARENA_NEW(s->a, struct node_progress);
    g->count = p->content.kind == VALUE_MAP ? p->content.map->len : p->content.list->len;
    g->order = p->content.kind == VALUE_MAP ? make_order(s, p->content) : NULL;
    g->items = ARENA_ARRAY(s->a, value, g->count + 1);
    out->state = g;
    return g;
}

static size_t get_index(const struct node_progress *g) {
    return g->order == NULL ? g->next : g->order[g->next];
}

/* Children that need no evaluation are taken at once; true when all are there. */
static bool take_ready(struct stage *s, struct place *p, struct node_progress *g) {
    for (; g->next < g->count; g->next++) {
        size_t i = get_index(g);
        if (!place_get_plain(s, p, i, &g->items[i]) && !stage_get_value(s, place_get_child(s, p, i), &g->items[i]))
            return false;
    }
    return g->next == g->count;
}

static value build(struct stage *s, struct place *p, const struct node_progress *g) {
    if (p->content.kind == VALUE_LIST) {
        value list = value_list_of(s->a, g->items, g->count);
        struct marks m = {.key = p->key_field};
        return p->key_field.len > 0 ? marks_put(s->run, list, &m) : list;
    }
    struct map_builder b = {.arena = s->a};
    for (size_t i = 0; i < g->count; i++)
        map_add(&b, p->content.map->entries[i].key, g->items[i]);
    return map_done(&b);
}

enum resolve_result node_evaluate(struct stage *s, struct place *p, struct resolved *out) {
    if (p->kind == PLACE_TEMPLATE)
        return give(out, stage_make_template(s, p));
    struct node_progress *g = out->state;
    if (g == NULL) {
        if (!p->is_shaped && p->shape.state != CELL_PENDING && p->shape.state != CELL_FAILED) {
            out->cell = &p->shape; /* under way, or waiting for it: pending, asked once or again (DY-093) */
            return p->shape.state == CELL_UNTOUCHED ? RESOLVE_AGAIN : RESOLVE_CELL;
        }
        if (!p->is_shaped)
            return give(out, value_pending(NULL));
        g = start_node(s, p, out);
    } else {
        struct place *child = place_get_child(s, p, get_index(g));
        bool is_done = child->cell.state == CELL_DONE;
        g->items[get_index(g)] = is_done ? child->cell.result : value_null();
        g->is_unresolved = g->is_unresolved || !is_done;
        g->next++;
    }
    if (!take_ready(s, p, g))
        return demand(out, place_get_child(s, p, get_index(g)));
    return give(out, g->is_unresolved ? value_pending(NULL) : build(s, p, g));
}
