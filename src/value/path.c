#include "value/path.h"

#include "base/map.h"
#include "base/num.h"

#include <string.h>

static bool is_plain_key(sv key) {
    for (size_t i = 0; i < key.len; i++) {
        char c = key.data[i];
        bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!ok) {
            return false;
        }
    }
    return key.len > 0;
}

/* In quotes, `"` and `\` stand behind a `\`. */
static void print_quoted_key(struct buf *out, sv key) {
    buf_append(out, SV("[\""));
    for (size_t i = 0; i < key.len; i++) {
        if (key.data[i] == '"' || key.data[i] == '\\') {
            buf_append_char(out, '\\');
        }
        buf_append_char(out, key.data[i]);
    }
    buf_append(out, SV("\"]"));
}

void path_print(struct buf *out, struct path p) {
    for (size_t i = 0; i < p.len; i++) {
        const struct path_step *s = &p.steps[i];
        if (s->is_index) {
            buf_printf(out, "[%zu]", s->index);
        } else if (is_plain_key(s->key)) {
            if (i > 0) {
                buf_append_char(out, '.');
            }
            buf_append(out, s->key);
        } else {
            print_quoted_key(out, s->key);
        }
    }
}

sv path_to_text(struct arena *a, struct path p) {
    struct buf out = BUF(a);
    path_print(&out, p);
    return buf_get_sv(&out);
}

static size_t plain_length(sv text, size_t from) {
    size_t end = from;
    while (end < text.len && text.data[end] != '.' && text.data[end] != '[') {
        end++;
    }
    return end - from;
}

/* The quoted key whose opening quote is at `*at`; leaves `*at` behind the closing one. */
static bool parse_quoted(struct arena *a, sv text, size_t *at, sv *key) {
    struct buf out = BUF(a);
    for (size_t i = *at + 1; i < text.len; i++) {
        if (text.data[i] == '"') {
            *at = i + 1;
            *key = buf_get_sv(&out);
            return true;
        }
        if (text.data[i] == '\\' && ++i == text.len) {
            return false;
        }
        buf_append_char(&out, text.data[i]);
    }
    return false;
}

static bool parse_bracket(struct arena *a, sv text, size_t *at, struct path_step *step) {
    (*at)++;
    if (*at < text.len && text.data[*at] == '"') {
        if (!parse_quoted(a, text, at, &step->key)) {
            return false;
        }
    } else {
        size_t close = sv_find_char(sv_slice(text, *at, text.len), ']');
        uint64_t index = 0;
        if (close == SIZE_MAX || num_parse_u64(sv_slice(text, *at, *at + close), 10, &index) != NUM_OK ||
            index > SIZE_MAX) {
            return false;
        }
        step->is_index = true;
        step->index = (size_t)index;
        *at += close;
    }
    if (*at >= text.len || text.data[*at] != ']') {
        return false;
    }
    (*at)++;
    return true;
}

static bool parse_step(struct arena *a, sv text, size_t *at, struct path_step *step) {
    if (text.data[*at] == '[') {
        return parse_bracket(a, text, at, step);
    }
    if (*at > 0) {
        if (text.data[*at] != '.') {
            return false;
        }
        (*at)++;
    }
    size_t len = plain_length(text, *at);
    step->key = sv_slice(text, *at, *at + len);
    *at += len;
    return len > 0;
}

bool path_parse(struct arena *a, sv text, struct path *result) {
    VEC(struct path_step) steps = {0};
    size_t at = 0;
    while (at < text.len) {
        struct path_step step = {0};
        if (!parse_step(a, text, &at, &step)) {
            return false;
        }
        VEC_PUSH(a, &steps, step);
    }
    *result = (struct path){steps.items, steps.len};
    return true;
}

static struct path with_step(struct arena *a, struct path p, struct path_step step) {
    struct path_step *steps = ARENA_ARRAY(a, struct path_step, p.len + 1);
    if (p.len > 0) {
        memcpy(steps, p.steps, p.len * sizeof *steps);
    }
    steps[p.len] = step;
    return (struct path){steps, p.len + 1};
}

struct path path_with_key(struct arena *a, struct path p, sv key) {
    return with_step(a, p, (struct path_step){.key = key});
}

struct path path_with_index(struct arena *a, struct path p, size_t index) {
    return with_step(a, p, (struct path_step){.index = index, .is_index = true});
}

static value take_step(value v, const struct path_step *s) {
    if (s->is_index) {
        bool there = v.kind == VALUE_LIST && s->index < v.list->len;
        return there ? v.list->items[s->index] : (value){0};
    }
    return v.kind == VALUE_MAP ? value_map_find(v, s->key) : (value){0};
}

value value_find_path(value root, struct path p) {
    value v = root;
    for (size_t i = 0; i < p.len && v.kind != 0 && v.kind != VALUE_UNKNOWN; i++) {
        uint8_t marks = v.marks;
        v = take_step(v, &p.steps[i]);
        if (v.kind != 0) {
            v = value_mark(v, marks);
        }
    }
    return v;
}

static value list_with(struct arena *a, value list, size_t index, value item) {
    struct list_builder b = {.arena = a};
    for (size_t i = 0; i < list.list->len; i++) {
        list_add(&b, i == index ? item : list.list->items[i]);
    }
    value result = list_done(&b);
    result.word = list.word;
    return value_mark(result, list.marks);
}

static value put_step(struct arena *a, value base, const struct path_step *s, value item) {
    if (s->is_index) {
        bool there = base.kind == VALUE_LIST && s->index < base.list->len;
        return there ? list_with(a, base, s->index, item) : base;
    }
    if (base.kind == VALUE_MAP) {
        return value_map_with(a, base, s->key, item);
    }
    struct map_builder b = {.arena = a};
    map_add(&b, s->key, item);
    return map_done(&b);
}

value value_with_path(struct arena *a, value root, struct path p, value item) {
    value *bases = ARENA_ARRAY(a, value, p.len + 1);
    bases[0] = root;
    for (size_t i = 0; i < p.len; i++) {
        bases[i + 1] = take_step(bases[i], &p.steps[i]);
        if (p.steps[i].is_index && bases[i + 1].kind == 0) {
            return root; /* lists are not made longer */
        }
    }
    value v = item;
    for (size_t i = p.len; i-- > 0;) {
        v = put_step(a, bases[i], &p.steps[i], v);
    }
    return v;
}

/* The entries of one map, put in at once. */
static value with_siblings(struct arena *a, value root, const struct path_item *items, size_t count) {
    struct path parent = {items[0].path.steps, items[0].path.len - 1};
    value base = root;
    for (size_t i = 0; i < parent.len && base.kind != 0; i++) {
        base = take_step(base, &parent.steps[i]);
    }
    if (base.kind != VALUE_MAP) {
        return root;
    }
    struct map_builder b = {.arena = a};
    for (size_t i = 0; i < base.map->len; i++) {
        map_add(&b, base.map->entries[i].key, base.map->entries[i].item);
    }
    for (size_t i = 0; i < count; i++) {
        map_set(&b, items[i].path.steps[parent.len].key, items[i].item);
    }
    value made = map_done(&b);
    made.word = base.word;
    return value_with_path(a, root, parent, value_mark(made, base.marks));
}

/* Items by the map that they stand in: `next` is the number of the next one in it + 1, `last` of the first one that of
 * the last. */
struct siblings {
    size_t next, last;
    bool is_first;
};

static struct siblings *find_siblings(struct arena *a, const struct path_item *items, size_t count) {
    struct siblings *found = ARENA_ARRAY(a, struct siblings, count + 1);
    struct map firsts = MAP(a);
    for (size_t i = 0; i < count; i++) {
        struct path p = items[i].path;
        bool is_new = true;
        void **first = NULL;
        if (p.len > 0 && !p.steps[p.len - 1].is_index) {
            first = map_get_slot(&firsts, path_to_text(a, (struct path){p.steps, p.len - 1}), &is_new);
        }
        if (is_new) {
            found[i] = (struct siblings){.last = i, .is_first = true};
        } else {
            struct siblings *head = *first;
            found[head->last].next = i + 1;
            head->last = i;
        }
        if (first != NULL && is_new) {
            *first = &found[i];
        }
    }
    return found;
}

value value_with_paths(struct arena *a, value root, const struct path_item *items, size_t count) {
    const struct siblings *siblings = find_siblings(a, items, count);
    struct path_item *together = ARENA_ARRAY(a, struct path_item, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (!siblings[i].is_first) {
            continue;
        }
        size_t len = 0;
        for (size_t k = i + 1; k != 0; k = siblings[k - 1].next) {
            together[len++] = items[k - 1];
        }
        root = value_with_path(a, root, items[i].path, items[i].item); /* makes the maps on the way */
        if (len > 1) {
            root = with_siblings(a, root, together, len);
        }
    }
    return root;
}
