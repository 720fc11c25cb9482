#include "engine/specs.h"

#include "engine/fields.h"

/* Values and schemas come from documents of bounded nesting; deeper parts are left as they are. */
enum { DEPTH_LIMIT = 256 };

/* --- a copy with changed leaves --- */

/* Gives each leaf anew; containers come with kind 0 in `leaf->schema` when nothing is known of them. */
struct leaf {
    value item;
    const struct schema *schema;
};

struct rewrite {
    struct arena *arena;
    struct depth_guard depth;
    value (*leaf)(struct rewrite *r, struct leaf l);
    uint8_t marks;
    sv root_dir;
};

static const struct schema *schema_below(const struct schema *s, sv key) {
    if (s == NULL) {
        return NULL;
    }
    if (s->type == SCHEMA_OBJECT) {
        const struct schema_attribute *attribute = schema_find_attribute(s, key);
        return attribute == NULL ? NULL : attribute->schema;
    }
    return s->items;
}

static value rewrite_value(struct rewrite *r, struct leaf l);

static value rewrite_map(struct rewrite *r, struct leaf l) {
    struct map_builder b = {.arena = r->arena};
    for (size_t i = 0; i < l.item.map->len; i++) {
        const struct value_entry *e = &l.item.map->entries[i];
        map_add(&b, e->key, rewrite_value(r, (struct leaf){e->item, schema_below(l.schema, e->key)}));
    }
    value result = map_done(&b);
    result.word = l.item.word;
    return value_mark(result, l.item.marks);
}

static value rewrite_list(struct rewrite *r, struct leaf l) {
    struct list_builder b = {.arena = r->arena};
    for (size_t i = 0; i < l.item.list->len; i++) {
        const struct schema *below = l.schema == NULL ? NULL : l.schema->items;
        list_add(&b, rewrite_value(r, (struct leaf){l.item.list->items[i], below}));
    }
    value result = list_done(&b);
    result.word = l.item.word;
    return value_mark(result, l.item.marks);
}

static value rewrite_value(struct rewrite *r, struct leaf l) {
    if (l.item.kind != VALUE_MAP && l.item.kind != VALUE_LIST) {
        return r->leaf(r, l);
    }
    if (!depth_enter(&r->depth)) {
        return value_mark(l.item, r->marks);
    }
    value result = l.item.kind == VALUE_MAP ? rewrite_map(r, l) : rewrite_list(r, l);
    depth_leave(&r->depth);
    return result;
}

static value mark_leaf(struct rewrite *r, struct leaf l) {
    return value_mark(l.item, r->marks);
}

static value unmark_leaf(struct rewrite *r, struct leaf l) {
    return value_unmark(l.item, r->marks);
}

value spec_mark_leaves(struct arena *a, value v, uint8_t marks) {
    struct rewrite r = {.arena = a, .depth.limit = DEPTH_LIMIT, .leaf = mark_leaf, .marks = marks};
    return value_is_set(v) ? rewrite_value(&r, (struct leaf){v, NULL}) : v;
}

value spec_unmark_leaves(struct arena *a, value v, uint8_t marks) {
    struct rewrite r = {.arena = a, .depth.limit = DEPTH_LIMIT, .leaf = unmark_leaf, .marks = marks};
    if (!value_is_set(v) || (v.within & marks) == 0) {
        return v;
    }
    return value_unmark(rewrite_value(&r, (struct leaf){v, NULL}), marks);
}

/* --- settling --- */

static value settle_leaf(struct rewrite *r, struct leaf l) {
    if (l.schema == NULL || (l.schema->flags & SCHEMA_PATH) == 0 || l.item.kind != VALUE_STRING) {
        return l.item;
    }
    sv path = value_get_text(l.item);
    if (path.len == 0 || path.data[0] == '/' || r->root_dir.len == 0) {
        return l.item;
    }
    struct buf out = BUF(r->arena);
    buf_append(&out, r->root_dir);
    if (!sv_has_suffix(r->root_dir, SV("/"))) {
        buf_append_char(&out, '/');
    }
    while (sv_has_prefix(path, SV("./"))) {
        path = sv_slice(path, 2, path.len);
    }
    buf_append(&out, path);
    return value_mark(value_string(r->arena, buf_get_sv(&out)), l.item.marks);
}

static bool has_flag(const struct schema *s, unsigned flag, struct depth_guard *depth) {
    if (s == NULL || (s->flags & flag) != 0) {
        return s != NULL;
    }
    if (!depth_enter(depth)) {
        return true; /* look at the value then */
    }
    bool found = has_flag(s->items, flag, depth);
    for (size_t i = 0; i < s->attribute_count && !found; i++) {
        found = has_flag(s->attributes[i].schema, flag, depth);
    }
    for (size_t i = 0; i < s->one_of_count && !found; i++) {
        found = has_flag(s->one_of[i], flag, depth);
    }
    depth_leave(depth);
    return found;
}

static bool schema_has_flag(const struct schema *s, unsigned flag) {
    struct depth_guard depth = {.limit = DEPTH_LIMIT};
    return has_flag(s, flag, &depth);
}

value spec_mark_sensitive(struct arena *a, const struct schema *schema, value v) {
    return schema != NULL && schema_has_flag(schema, SCHEMA_SENSITIVE) ? schema_mark_sensitive(a, schema, v) : v;
}

value spec_settle(struct arena *a, const struct schema *schema, value spec, sv root_dir) {
    if (schema == NULL || !value_is_set(spec)) {
        return spec;
    }
    if (schema_has_flag(schema, SCHEMA_PATH)) {
        struct rewrite r = {.arena = a, .depth.limit = DEPTH_LIMIT, .leaf = settle_leaf, .root_dir = root_dir};
        spec = rewrite_value(&r, (struct leaf){spec, schema});
    }
    return spec_mark_sensitive(a, schema, spec);
}

value spec_settle_computed(struct arena *a, const struct schema *schema, value computed) {
    if (!value_is_set(computed)) {
        return computed;
    }
    return spec_mark_sensitive(a, schema, value_copy(a, computed));
}

/* --- paths --- */

static bool is_open(value v) {
    return v.kind == VALUE_UNKNOWN || (v.marks & MARK_PROVISIONAL) != 0;
}

size_t spec_find_open_paths(struct arena *a, sv prefix, value v, const sv **paths) {
    *paths = NULL;
    if (!value_is_set(v) || (v.within & (WITHIN_UNKNOWN | MARK_PROVISIONAL)) == 0) {
        return 0;
    }
    struct path_list list = {0};
    value_find_paths(a, v, is_open, &list);
    sv *texts = ARENA_ARRAY(a, sv, list.items.len);
    for (size_t i = 0; i < list.items.len; i++) {
        struct buf b = BUF(a);
        buf_append(&b, prefix);
        struct path p = list.items.items[i];
        if (p.len > 0 && !p.steps[0].is_index) {
            buf_append_char(&b, '.');
        }
        path_print(&b, p);
        texts[i] = buf_get_sv(&b);
    }
    *paths = texts;
    return list.items.len;
}

size_t spec_find_computed_paths(struct arena *a, const struct schema *schema, const sv **paths) {
    *paths = NULL;
    if (schema == NULL) {
        return 0;
    }
    sv *texts = ARENA_ARRAY(a, sv, schema->attribute_count);
    size_t count = 0;
    for (size_t i = 0; i < schema->attribute_count; i++) {
        if ((schema->attributes[i].schema->flags & SCHEMA_COMPUTED) != 0) {
            texts[count++] = arena_printf(a, "spec.%.*s", SV_ARG(schema->attributes[i].name));
        }
    }
    *paths = texts;
    return count;
}

/* --- staged and resolved --- */

static value resolve_at(struct arena *a, value staged, value resolved, struct depth_guard *depth) {
    if ((staged.within & (WITHIN_UNKNOWN | MARK_PROVISIONAL)) == 0) {
        return staged;
    }
    bool same_map = staged.kind == VALUE_MAP && resolved.kind == VALUE_MAP;
    if (!same_map || !depth_enter(depth)) {
        return resolved;
    }
    struct map_builder b = {.arena = a};
    for (size_t i = 0; i < resolved.map->len; i++) {
        const struct value_entry *e = &resolved.map->entries[i];
        value before = value_map_find(staged, e->key);
        map_add(&b, e->key, value_is_set(before) ? resolve_at(a, before, e->item, depth) : e->item);
    }
    depth_leave(depth);
    return value_mark(map_done(&b), resolved.marks);
}

value spec_resolve(struct arena *a, value staged, value resolved) {
    struct depth_guard depth = {.limit = DEPTH_LIMIT};
    if (!value_is_set(staged) || value_is_error(resolved)) {
        return resolved;
    }
    return resolve_at(a, staged, resolved, &depth);
}

/* --- elements --- */

sv spec_get_id(struct arena *a, const struct resource_type *type, value merged) {
    struct path path;
    if (type == NULL || type->id_field.len == 0 || merged.kind != VALUE_MAP || !path_parse(a, type->id_field, &path)) {
        return (sv){0};
    }
    value id = value_find_path(merged, path);
    if (!value_is_set(id) || !value_is_scalar(id) || value_is_sensitive(id)) {
        return (sv){0}; /* a secret stands in the sealed spec alone (LC-011 (5)); types that need the id look there */
    }
    struct buf b = BUF(a);
    value_print_scalar(&b, id);
    return buf_get_sv(&b);
}

static bool add_cell(struct evaluation *e, struct map_builder *b, const char *key, const struct expr *expr,
                     struct cell *cell) {
    if (expr == NULL) {
        return true;
    }
    value v = eval_cell(e->evaluator, cell);
    if (value_is_error(v)) {
        return false;
    }
    map_add(b, sv_from_cstr(key), v);
    return true;
}

value spec_eval_metadata(struct evaluation *e, uint32_t element) {
    const struct element *el = &e->template->elements[element];
    struct element_cells *cells = &e->cells[element];
    struct map_builder b = {.arena = e->arena};
    bool ok = add_cell(e, &b, "displayName", el->display_name, cells->display_name);
    ok = add_cell(e, &b, "annotations", el->annotations, cells->annotations) && ok;
    field_put_value(&b, "labels", el->labels);
    ok = add_cell(e, &b, "custom", el->custom, cells->custom) && ok;
    return ok ? map_done(&b) : value_error(NULL);
}

value spec_eval(struct evaluation *e, uint32_t element) {
    const struct element *el = &e->template->elements[element];
    value spec = eval_cell(e->evaluator, &e->cells[element].main);
    if (value_is_error(spec)) {
        return spec;
    }
    return spec_settle(e->arena, el->resource_type == NULL ? NULL : el->resource_type->schema, spec,
                       e->template->root_dir);
}
