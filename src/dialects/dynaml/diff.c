#include "dialects/dynaml/diff.h"

#include "base/map.h"
#include "dialects/dynaml/output.h"
#include "dialects/dynaml/stage.h"
#include "text/render.h"

#include <math.h>

/* Where the comparison is. Steps stand on the stack: documents are no deeper than their limit. */
struct at {
    const struct at *outer; /* NULL: the root */
    sv key;                 /* of a map, or the name of an item; no data: `index` */
    size_t index;
    size_t depth; /* steps from the root */
};

struct diff {
    struct arena *a;
    struct dynaml_differences *found;
};

static void compare(struct diff *d, const struct at *at, value a, value b);

static sv get_step(struct diff *d, const struct at *at) {
    return at->key.data != NULL ? at->key : arena_printf(d->a, "[%zu]", at->index);
}

static void add(struct diff *d, const struct at *at, value a, value b) {
    sv *path = ARENA_ARRAY(d->a, sv, at->depth + 1);
    for (const struct at *step = at; step->outer != NULL; step = step->outer)
        path[step->depth - 1] = get_step(d, step);
    VEC_PUSH(d->a, &d->found->items, ((struct dynaml_difference){.path = path, .path_len = at->depth, .a = a, .b = b}));
}

static void compare_entry(struct diff *d, const struct at *outer, sv key, value a, value b) {
    struct at at = {.outer = outer, .key = key.data == NULL ? SV("") : key, .depth = outer->depth + 1};
    compare(d, &at, a, b);
}

static void compare_item(struct diff *d, const struct at *outer, size_t index, value a, value b) {
    struct at at = {.outer = outer, .index = index, .depth = outer->depth + 1};
    compare(d, &at, a, b);
}

/* --- lists as maps (DY-342, DY-345) --- */

static sv get_name(value item) {
    value name = item.kind == VALUE_MAP ? value_map_find(item, SV("name")) : (value){0};
    return name.kind == VALUE_STRING ? value_get_text(name) : (sv){0};
}

/* Whether each item has a name that no other has: a map would hide one of two. */
static bool has_unique_names(struct diff *d, value list) {
    struct map names = MAP(d->a);
    for (size_t i = 0; i < list.list->len; i++) {
        bool is_new = false;
        sv name = get_name(list.list->items[i]);
        if (name.data == NULL)
            return false;
        map_get_slot(&names, name, &is_new);
        if (!is_new)
            return false;
    }
    return true;
}

static value make_map_of_rests(struct diff *d, value list) {
    struct map_builder b = {.arena = d->a};
    for (size_t i = 0; i < list.list->len; i++) {
        value item = list.list->items[i];
        map_add(&b, get_name(item), value_map_with(d->a, item, SV("name"), value_absent()));
    }
    return map_done(&b);
}

/* An `index` that an item has of its own is not hidden by its place. */
static value make_map_of_jobs(struct diff *d, value list) {
    struct map_builder b = {.arena = d->a};
    for (size_t i = 0; i < list.list->len; i++) {
        value item = list.list->items[i];
        bool has_index = value_map_has(item, SV("index"));
        map_add(&b, get_name(item), has_index ? item : value_map_with(d->a, item, SV("index"), value_int((int64_t)i)));
    }
    return map_done(&b);
}

/* --- maps --- */

/* The list `jobs` at the root, where order matters. */
static bool are_jobs(struct diff *d, const struct at *at, value a, value b) {
    return at->depth == 1 && sv_eq(at->key, SV("jobs")) && a.kind == VALUE_LIST && b.kind == VALUE_LIST &&
           has_unique_names(d, a) && has_unique_names(d, b);
}

static void compare_maps(struct diff *d, const struct at *at, value a, value b) {
    const struct value_entry **left = dynaml_sort_entries(d->a, a), **right = dynaml_sort_entries(d->a, b);
    size_t i = 0, k = 0;
    while (i < a.map->len || k < b.map->len) {
        int order = i == a.map->len ? 1 : k == b.map->len ? -1 : sv_cmp(left[i]->key, right[k]->key);
        sv key = order <= 0 ? left[i]->key : right[k]->key;
        value on_left = order <= 0 ? left[i++]->item : (value){0};
        value on_right = order >= 0 ? right[k++]->item : (value){0};
        compare_entry(d, at, key, on_left, on_right);
    }
}

/* --- lists (DY-344) --- */

struct pairing {
    value a, b;
    size_t *mates;  /* of items of a: number in b + 1; 0: none */
    bool *is_taken; /* items of b */
};

static void index_names(struct map *names, value list) {
    for (size_t i = 0; i < list.list->len; i++) {
        bool is_new = false;
        sv name = get_name(list.list->items[i]);
        void **slot = name.data == NULL ? NULL : map_get_slot(names, name, &is_new);
        if (slot != NULL && is_new)
            *slot = (void *)(uintptr_t)(i + 1);
    }
}

/* The first of each name on both sides. */
static struct pairing pair_by_name(struct diff *d, value a, value b) {
    struct pairing p = {.a = a, .b = b};
    struct map names = MAP(d->a);
    p.mates = ARENA_ARRAY(d->a, size_t, a.list->len + 1);
    p.is_taken = ARENA_ARRAY(d->a, bool, b.list->len + 1);
    index_names(&names, b);
    for (size_t i = 0; i < a.list->len; i++) {
        sv name = get_name(a.list->items[i]);
        size_t mate = name.data == NULL ? 0 : (size_t)(uintptr_t)map_find(&names, name);
        if (mate == 0 || p.is_taken[mate - 1])
            continue;
        p.mates[i] = mate;
        p.is_taken[mate - 1] = true;
    }
    return p;
}

/* What is left at the same place of both. */
static void compare_rest(struct diff *d, const struct at *at, struct pairing *p) {
    for (size_t i = 0; i < p->a.list->len && i < p->b.list->len; i++) {
        if (p->mates[i] != 0 || p->is_taken[i])
            continue;
        p->mates[i] = i + 1;
        p->is_taken[i] = true;
        compare_item(d, at, i, p->a.list->items[i], p->b.list->items[i]);
    }
}

static void compare_lists(struct diff *d, const struct at *at, value a, value b) {
    struct pairing p = pair_by_name(d, a, b);
    for (size_t i = 0; i < a.list->len; i++) {
        if (p.mates[i] != 0)
            compare_entry(d, at, get_name(a.list->items[i]), a.list->items[i], b.list->items[p.mates[i] - 1]);
    }
    compare_rest(d, at, &p);
    for (size_t i = 0; i < a.list->len; i++) {
        if (p.mates[i] == 0)
            compare_item(d, at, i, a.list->items[i], (value){0});
    }
    for (size_t i = 0; i < b.list->len; i++) {
        if (!p.is_taken[i])
            compare_item(d, at, i, (value){0}, b.list->items[i]);
    }
}

/* --- values --- */

/* A NaN is what another is: a document does not differ from itself. */
static bool is_same_scalar(value a, value b) {
    if (a.kind != b.kind)
        return false;
    if (a.kind == VALUE_FLOAT)
        return a.number == b.number || (isnan(a.number) && isnan(b.number));
    if (a.kind == VALUE_STRING || a.kind == VALUE_BYTES)
        return sv_eq(value_get_text(a), value_get_text(b));
    return a.kind == VALUE_NULL || (a.kind == VALUE_BOOL ? a.boolean == b.boolean : a.integer == b.integer);
}

static void compare(struct diff *d, const struct at *at, value a, value b) {
    bool are_lists = a.kind == VALUE_LIST && b.kind == VALUE_LIST;
    if (a.kind == VALUE_MAP && b.kind == VALUE_MAP)
        compare_maps(d, at, a, b);
    else if (a.kind == VALUE_MAP && b.kind == VALUE_LIST && has_unique_names(d, b))
        compare_maps(d, at, a, make_map_of_rests(d, b));
    else if (are_lists && are_jobs(d, at, a, b))
        compare_maps(d, at, make_map_of_jobs(d, a), make_map_of_jobs(d, b));
    else if (are_lists)
        compare_lists(d, at, a, b);
    else if (a.kind == VALUE_MAP || a.kind == VALUE_LIST || !is_same_scalar(a, b))
        add(d, at, a, b);
}

void dynaml_compare(struct arena *a, const struct dynaml_document *left, const struct dynaml_document *right,
                    struct dynaml_differences *result) {
    struct diff d = {.a = a, .found = result};
    struct at root = {0};
    *result = (struct dynaml_differences){0};
    compare(&d, &root, left->written, right->written);
}

/* --- output --- */

static void print_name(struct buf *out, sv name, const struct dynaml_diff_style *style) {
    buf_append(out, style->is_escaped ? render_escape(out->arena, name) : name);
}

/* Line breaks of the value, the last one too, have four blanks behind them (DY-341). */
static void print_side(struct buf *out, const struct dynaml_diff_style *style, bool is_a, value v) {
    const char *color = !style->is_colored ? "" : is_a ? "\x1b[31m" : "\x1b[32m";
    struct arena scratch = {0};
    struct buf text = BUF(&scratch);
    dynaml_write_yaml(&text, v);
    sv rest = buf_get_sv(&text);
    buf_append_cstr(out, "  ");
    print_name(out, is_a ? style->a : style->b, style);
    buf_append_cstr(out, " has:\n    ");
    buf_append_cstr(out, color);
    while (rest.len > 0) {
        buf_append(out, sv_cut(&rest, '\n'));
        buf_append_cstr(out, "\n    ");
    }
    buf_append_cstr(out, color[0] == '\0' ? "\n" : "\x1b[0m\n");
    arena_fini(&scratch);
}

void dynaml_print_differences(struct buf *out, const struct dynaml_differences *d,
                              const struct dynaml_diff_style *style) {
    if (d->items.len == 0)
        buf_append_cstr(out, "no differences!\n");
    for (size_t i = 0; i < d->items.len; i++) {
        const struct dynaml_difference *found = &d->items.items[i];
        buf_append_cstr(out, "Difference in ");
        for (size_t k = 0; k < found->path_len; k++) {
            buf_append_cstr(out, k == 0 ? "" : ".");
            print_name(out, found->path[k], style);
        }
        buf_append_char(out, '\n');
        if (value_is_set(found->a))
            print_side(out, style, true, found->a);
        if (value_is_set(found->b))
            print_side(out, style, false, found->b);
        buf_append(out, style->separator);
    }
}

static bool write_side(struct jsonw *w, const char *key, value v) {
    if (!value_is_set(v))
        return true;
    struct buf text = BUF(w->out->arena);
    bool is_whole = dynaml_write_json(&text, v);
    jsonw_key(w, sv_from_cstr(key));
    jsonw_raw(w, buf_get_sv(&text));
    return is_whole;
}

bool dynaml_write_differences(struct buf *out, const struct dynaml_differences *d) {
    struct jsonw w = JSONW(out, 0);
    bool is_whole = true;
    jsonw_begin_array(&w);
    for (size_t i = 0; i < d->items.len; i++) {
        const struct dynaml_difference *found = &d->items.items[i];
        jsonw_begin_object(&w);
        is_whole = write_side(&w, "a", found->a) && is_whole;
        is_whole = write_side(&w, "b", found->b) && is_whole;
        jsonw_key(&w, SV("path"));
        jsonw_begin_array(&w);
        for (size_t k = 0; k < found->path_len; k++)
            jsonw_text(&w, found->path[k]);
        jsonw_end_array(&w);
        jsonw_end_object(&w);
    }
    jsonw_end_array(&w);
    return is_whole;
}
