/* Functions of lists and maps (MD-130). */
#include "dialects/module/language_internal.h"

#include "base/utf8.h"

#include <stdlib.h>

enum { RANGE_MAX = 10000 };

static value run_length(struct fn_call *c) {
    value v = c->args[0];
    size_t n = v.kind == VALUE_STRING ? utf8_count(value_get_text(v)) : v.kind == VALUE_LIST ? v.list->len : v.map->len;
    return value_number((double)n);
}

/* --- contains --- */

static value find_item(value list, value wanted) {
    bool is_open = false;
    for (size_t i = 0; i < list.list->len; i++) {
        value item = list.list->items[i];
        if (value_eq(item, wanted))
            return value_bool(true);
        is_open = is_open || !value_is_known(item);
    }
    return is_open || !value_is_known(wanted) ? value_unknown(&type_bool) : value_bool(false);
}

static value run_contains(struct fn_call *c) {
    value in = c->args[0], wanted = c->args[1];
    if (in.kind == VALUE_LIST)
        return find_item(in, wanted);
    if (wanted.kind != VALUE_STRING)
        return module_fail_at(c, 1, "'contains': argument 2 must be a string, not %s", module_kind_name(wanted));
    sv text = value_get_text(wanted);
    if (in.kind == VALUE_MAP)
        return value_bool(value_map_has(in, text));
    return value_bool(sv_find(value_get_text(in), text) != SIZE_MAX);
}

/* --- parts of maps --- */

static value run_keys(struct fn_call *c) {
    struct list_builder b = {.arena = c->arena};
    for (size_t i = 0; i < c->args[0].map->len; i++)
        list_add(&b, value_string(c->arena, c->args[0].map->entries[i].key));
    return list_done(&b);
}

static value run_values(struct fn_call *c) {
    struct list_builder b = {.arena = c->arena};
    for (size_t i = 0; i < c->args[0].map->len; i++)
        list_add(&b, c->args[0].map->entries[i].item);
    return list_done(&b);
}

static value run_entries(struct fn_call *c) {
    struct list_builder b = {.arena = c->arena};
    for (size_t i = 0; i < c->args[0].map->len; i++) {
        struct map_builder entry = {.arena = c->arena};
        map_add(&entry, SV("key"), value_string(c->arena, c->args[0].map->entries[i].key));
        map_add(&entry, SV("value"), c->args[0].map->entries[i].item);
        list_add(&b, map_done(&entry));
    }
    return list_done(&b);
}

/* --- putting together --- */

static value run_merge(struct fn_call *c) {
    struct map_builder b = {.arena = c->arena};
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < c->args[i].map->len; k++)
            map_set(&b, c->args[i].map->entries[k].key, c->args[i].map->entries[k].item);
    }
    return map_done(&b);
}

static value run_concat(struct fn_call *c) {
    struct list_builder b = {.arena = c->arena};
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < c->args[i].list->len; k++)
            list_add(&b, c->args[i].list->items[k]);
    }
    return list_done(&b);
}

static value run_range(struct fn_call *c) {
    value n = c->args[0];
    if (n.kind != VALUE_INT || n.integer < 0 || n.integer > RANGE_MAX)
        return module_fail_at(c, 0, "'range': argument 1 must be a whole number from 0 to %d", RANGE_MAX);
    struct list_builder b = {.arena = c->arena};
    for (int64_t i = 0; i < n.integer; i++)
        list_add(&b, value_int(i));
    return list_done(&b);
}

/* --- sort --- */

static int compare_items(value a, value b) {
    if (a.kind == VALUE_STRING)
        return sv_cmp(value_get_text(a), value_get_text(b));
    double x = module_get_number(a), y = module_get_number(b);
    return x < y ? -1 : x > y;
}

/* Stable, by merging runs of doubling length. */
static value *sort_items(struct arena *a, value *from, size_t len) {
    value *to = ARENA_ARRAY(a, value, len);
    for (size_t width = 1; width < len; width *= 2) {
        for (size_t start = 0; start < len; start += 2 * width) {
            size_t middle = start + width < len ? start + width : len;
            size_t end = middle + width < len ? middle + width : len;
            size_t i = start, j = middle;
            for (size_t n = start; n < end; n++) {
                bool is_left = j >= end || (i < middle && compare_items(from[i], from[j]) <= 0);
                to[n] = is_left ? from[i++] : from[j++];
            }
        }
        value *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static value run_sort(struct fn_call *c) {
    const struct value_list *list = c->args[0].list;
    if (list->len == 0)
        return c->args[0];
    value *items = ARENA_ARRAY(c->arena, value, list->len);
    for (size_t i = 0; i < list->len; i++) {
        value item = list->items[i];
        if (item.kind == VALUE_UNKNOWN)
            return value_unknown(NULL);
        bool fits = module_is_number(list->items[0]) ? module_is_number(item)
                                                     : list->items[0].kind == VALUE_STRING && item.kind == VALUE_STRING;
        if (!fits)
            return module_fail_at(c, 0, "'sort': the items must all be strings or all be numbers");
        items[i] = item;
    }
    return value_list_of(c->arena, sort_items(c->arena, items, list->len), list->len);
}

#define SIGNATURE(name, ...) static const struct module_signature name = {__VA_ARGS__}
SIGNATURE(sig_length, {"slm"}, 1, false, run_length);
SIGNATURE(sig_contains, {"slm", "x"}, 2, false, run_contains);
SIGNATURE(sig_keys, {"m"}, 1, false, run_keys);
SIGNATURE(sig_values, {"m"}, 1, false, run_values);
SIGNATURE(sig_entries, {"m"}, 1, false, run_entries);
SIGNATURE(sig_merge, {"m"}, 1, true, run_merge);
SIGNATURE(sig_concat, {"l"}, 1, true, run_concat);
SIGNATURE(sig_range, {"n"}, 1, false, run_range);
SIGNATURE(sig_sort, {"l"}, 1, false, run_sort);

static const struct fn_def fn_concat =
    MODULE_FN("concat", sig_concat, "Lists joined.", "concat([1], [2, 3])", "[1,2,3]");
static const struct fn_def fn_contains =
    MODULE_FN("contains", sig_contains, "Whether a text, list or map has a part, item or key.",
              "contains([1, \"a\"], \"a\")", "true");
static const struct fn_def fn_entries = MODULE_FN("entries", sig_entries, "Keys and values of a map, an item each.",
                                                  "entries({a: 1})", "[{\"key\":\"a\",\"value\":1}]");
static const struct fn_def fn_keys =
    MODULE_FN("keys", sig_keys, "The keys of a map.", "keys({b: 1, a: 2})", "[\"b\",\"a\"]");
static const struct fn_def fn_length = MODULE_FN(
    "length", sig_length, "Characters of a text, items of a list, pairs of a map.", "length(\"\xC3\xA4\x62\")", "2");
static const struct fn_def fn_merge =
    MODULE_FN("merge", sig_merge, "Maps in one; of equal keys the later value counts.", "merge({a: 1, b: 2}, {a: 3})",
              "{\"a\":3,\"b\":2}");
static const struct fn_def fn_range = MODULE_FN("range", sig_range, "The numbers below n.", "range(3)", "[0,1,2]");
static const struct fn_def fn_sort =
    MODULE_FN("sort", sig_sort, "Texts or numbers in ascending order.", "sort([3, 1, 2])", "[1,2,3]");
static const struct fn_def fn_values =
    MODULE_FN("values", sig_values, "The values of a map.", "values({b: 1, a: 2})", "[1,2]");

static const struct fn_def *const defs[] = {&fn_concat, &fn_contains, &fn_entries, &fn_keys,  &fn_length,
                                            &fn_merge,  &fn_range,    &fn_sort,    &fn_values};
const struct fn_table module_collection_functions = {defs, sizeof defs / sizeof *defs};
