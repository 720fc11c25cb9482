#include "engine/link_fields.h"

#include "engine/links.h"

struct link_list {
    VEC(struct link_record *) items;
};

static void add_side(struct link_fields *f, struct arena *a, struct link_record *l, sv name) {
    bool is_new;
    void **slot = map_get_slot(&f->by_resource, links_get_side(a, l->address.text, name), &is_new);
    if (is_new) {
        *slot = ARENA_NEW(a, struct link_list);
    }
    struct link_list *list = *slot;
    VEC_PUSH(a, &list->items, l);
}

void link_fields_init(struct link_fields *f, struct arena *a, const struct stored *s) {
    *f = (struct link_fields){.stored = s};
    for (size_t i = 0; i < s->elements.len; i++) {
        struct link_record *l = s->elements.items[i]->link;
        if (l == NULL || l->fields.kind != VALUE_MAP) {
            continue;
        }
        if (f->by_resource.arena == NULL) {
            f->by_resource = MAP(a);
        }
        add_side(f, a, l, l->a);
        add_side(f, a, l, l->b);
    }
}

static sv make_key(struct arena *a, sv name, struct path path) {
    sv text = path_to_text(a, path);
    return arena_printf(a, "%.*s::spec%s%.*s", SV_ARG(name), path.steps[0].is_index ? "" : ".", SV_ARG(text));
}

value link_fields_encode(struct arena *a, sv name_a, sv name_b, const struct link_field *items, size_t count) {
    struct map_builder b = {.arena = a};
    for (size_t i = 0; i < count; i++) {
        const struct link_field *f = &items[i];
        if (f->path.len > 0) {
            sv key = make_key(a, f->side == LINK_SIDE_A ? name_a : name_b, f->path);
            map_set(&b, key, value_string(a, path_to_text(a, f->data)));
        }
    }
    return b.len == 0 ? (value){0} : map_done(&b);
}

/* The path below spec that a key of a record names, when it is one of that side. */
static bool parse_key(struct arena *a, sv key, sv name, struct path *path) {
    bool is_of_side = sv_has_prefix(key, name) && sv_has_prefix(sv_slice(key, name.len, key.len), SV("::spec"));
    if (!is_of_side || !path_parse(a, sv_slice(key, name.len + 2, key.len), path) || path->len < 2) {
        return false;
    }
    *path = (struct path){path->steps + 1, path->len - 1};
    return true;
}

static const struct link_list *find_links(const struct link_fields *f, sv resource) {
    return f->by_resource.arena == NULL ? NULL : map_find(&f->by_resource, resource);
}

static sv get_name(struct arena *a, sv resource) {
    struct addr_parts parts;
    return addr_parse(a, resource, &parts) ? parts.name : (sv){0};
}

/* Fields of one link in the resource, told one by one; `data` is where its value stands in the link's data. */
static bool next_field(struct arena *a, const struct link_record *l, sv name, size_t *at, struct path *path, sv *data) {
    for (; l->fields.kind == VALUE_MAP && *at < l->fields.map->len; (*at)++) {
        const struct value_entry *e = &l->fields.map->entries[*at];
        if (e->item.kind == VALUE_STRING && parse_key(a, e->key, name, path)) {
            *data = value_get_text(e->item);
            (*at)++;
            return true;
        }
    }
    return false;
}

static value lay_one(struct arena *a, const struct link_record *l, sv name, value spec) {
    value all = links_get_data(a, l);
    struct path path, place;
    sv data;
    for (size_t at = 0; next_field(a, l, name, &at, &path, &data);) {
        value item = path_parse(a, data, &place) ? value_find_path(all, place) : (value){0};
        if (value_is_set(item)) {
            spec = value_with_path(a, spec, path, item);
        }
    }
    return spec;
}

value link_fields_lay_over(const struct link_fields *f, struct arena *a, sv resource, value spec) {
    const struct link_list *list = find_links(f, resource);
    sv name = list == NULL ? (sv){0} : get_name(a, resource);
    for (size_t i = 0; list != NULL && spec.kind == VALUE_MAP && i < list->items.len; i++) {
        const struct link_record *l = list->items.items[i];
        if (stored_find_link(f->stored, l->address.text) == l) {
            spec = lay_one(a, l, name, spec);
        }
    }
    return spec;
}

/* The map without the value at the path, and without maps that only led to it. */
static value without_path(struct arena *a, value v, struct path path) {
    enum { DEPTH_MAX = 128 };
    if (v.kind != VALUE_MAP || path.len == 0 || path.len > DEPTH_MAX || path.steps[0].is_index) {
        return v;
    }
    value below = value_map_find(v, path.steps[0].key);
    value rest = path.len == 1 ? value_absent() : without_path(a, below, (struct path){path.steps + 1, path.len - 1});
    bool is_empty = rest.kind == VALUE_MAP && rest.map->len == 0;
    return value_is_set(below) ? value_map_with(a, v, path.steps[0].key, is_empty ? value_absent() : rest) : v;
}

static value take_one_out(struct arena *a, const struct link_record *l, sv name, value found, value stored) {
    struct path path;
    sv data;
    for (size_t at = 0; next_field(a, l, name, &at, &path, &data);) {
        value own = value_is_set(stored) ? value_find_path(stored, path) : (value){0};
        found = value_is_set(own) ? value_with_path(a, found, path, own) : without_path(a, found, path);
    }
    return found;
}

value link_fields_take_out(const struct link_fields *f, struct arena *a, sv resource, value found, value stored) {
    const struct link_list *list = find_links(f, resource);
    sv name = list == NULL ? (sv){0} : get_name(a, resource);
    for (size_t i = 0; list != NULL && found.kind == VALUE_MAP && i < list->items.len; i++) {
        found = take_one_out(a, list->items.items[i], name, found, stored);
    }
    return found;
}

value link_fields_take_open_out(const struct link_fields *f, struct arena *a, sv resource, value found,
                                value expected) {
    const struct link_list *list = find_links(f, resource);
    sv name = list == NULL ? (sv){0} : get_name(a, resource);
    for (size_t i = 0; list != NULL && found.kind == VALUE_MAP && i < list->items.len; i++) {
        const struct link_record *l = list->items.items[i];
        if (!status_is_settled(l->status)) {
            found = take_one_out(a, l, name, found, expected);
        }
    }
    return found;
}

/* Whether one of the paths leads through the other. */
static bool is_about(struct path x, struct path y) {
    for (size_t i = 0; i < x.len && i < y.len; i++) {
        const struct path_step *s = &x.steps[i], *t = &y.steps[i];
        bool same = s->is_index == t->is_index && (s->is_index ? s->index == t->index : sv_eq(s->key, t->key));
        if (!same) {
            return false;
        }
    }
    return true;
}

static bool touches(struct arena *a, const struct link_record *l, sv name, const struct field_diff *diff) {
    struct path path;
    sv data;
    for (size_t at = 0; next_field(a, l, name, &at, &path, &data);) {
        for (size_t i = 0; i < diff->changes.len; i++) {
            struct path changed = diff->changes.items[i].path;
            if (changed.len > 0 && is_about((struct path){changed.steps + 1, changed.len - 1}, path)) {
                return true;
            }
        }
    }
    return false;
}

void link_fields_find_touched(const struct link_fields *f, struct arena *a, sv resource, const struct field_diff *diff,
                              void (*each)(void *user, struct link_record *l), void *user) {
    const struct link_list *list = find_links(f, resource);
    sv name = list == NULL ? (sv){0} : get_name(a, resource);
    for (size_t i = 0; list != NULL && i < list->items.len; i++) {
        if (touches(a, list->items.items[i], name, diff)) {
            each(user, list->items.items[i]);
        }
    }
}
