#include "dialects/blueprint/scalars.h"

#include "base/utf8.h"
#include "value/convert.h"

const sv scalars_kind_names[SCALARS_TYPE_COUNT] = {
    SV_INIT("string"), SV_INIT("integer"), SV_INIT("float"), SV_INIT("boolean"), SV_INIT("array"), SV_INIT("object"),
};
static const enum value_kind kinds[SCALARS_TYPE_COUNT] = {
    VALUE_STRING, VALUE_INT, VALUE_FLOAT, VALUE_BOOL, VALUE_LIST, VALUE_MAP,
};
static const struct type *const types[SCALARS_TYPE_COUNT] = {
    &type_string, &type_int, &type_float, &type_bool, &type_list, &type_map,
};

enum value_kind scalars_find_value_kind(sv name) {
    for (size_t i = 0; i < SCALARS_TYPE_COUNT; i++) {
        if (sv_eq(name, scalars_kind_names[i])) {
            return kinds[i];
        }
    }
    return 0;
}

enum value_kind scalars_find_kind(sv name) {
    enum value_kind kind = scalars_find_value_kind(name);
    return kind == VALUE_LIST || kind == VALUE_MAP ? 0 : kind;
}

const struct type *scalars_get_type(enum value_kind kind) {
    for (size_t i = 0; i < SCALARS_TYPE_COUNT; i++) {
        if (kinds[i] == kind) {
            return types[i];
        }
    }
    return &type_any;
}

bool scalars_widen(enum value_kind kind, value *v) {
    const int64_t exact = INT64_C(1) << 53;
    if (v->kind == VALUE_INT && kind == VALUE_FLOAT && v->integer >= -exact && v->integer <= exact) {
        value wide = value_float((double)v->integer);
        *v = value_mark(wide, v->marks);
        return true;
    }
    return v->kind == kind;
}

static bool passes(value v) {
    return v.kind == VALUE_ABSENT || v.kind == VALUE_UNKNOWN || v.kind == VALUE_ERROR;
}

static bool bytes_to_text(struct arena *a, value *v) {
    sv text = value_get_text(*v);
    if (utf8_check(text) != text.len) {
        return false;
    }
    *v = value_mark(value_string(a, text), v->marks);
    return true;
}

bool scalars_export(struct arena *a, enum value_kind kind, value *v) {
    if (kind == 0 || passes(*v)) {
        return true;
    }
    return v->kind == VALUE_BYTES && kind == VALUE_STRING ? bytes_to_text(a, v) : scalars_widen(kind, v);
}

bool scalars_convert(struct arena *a, enum value_kind kind, value *v) {
    if (kind == 0 || passes(*v)) {
        return true;
    }
    bool wants_parsed = kind == VALUE_INT || kind == VALUE_FLOAT || kind == VALUE_BOOL;
    if (v->kind == VALUE_STRING && wants_parsed) {
        value parsed = value_parse_scalar(a, value_get_text(*v), kind);
        if (parsed.kind == 0) {
            return false;
        }
        *v = value_mark(parsed, v->marks);
        return true;
    }
    return scalars_export(a, kind, v);
}

bool scalars_to_text(struct arena *a, value *v) {
    if (passes(*v) || v->kind == VALUE_STRING) {
        return true;
    }
    if (v->kind == VALUE_BYTES) {
        return bytes_to_text(a, v);
    }
    if (!value_is_scalar(*v)) {
        return false;
    }
    struct buf out = BUF(a);
    value_print_scalar(&out, *v);
    *v = value_mark(value_string(a, buf_get_sv(&out)), v->marks);
    return true;
}

enum { SETTLE_DEPTH = 256 }; /* values nest less deeply than this */

static bool has_bytes(value v, size_t depth) {
    bool found = v.kind == VALUE_BYTES;
    if (v.kind == VALUE_LIST && depth < SETTLE_DEPTH) {
        for (size_t i = 0; i < v.list->len && !found; i++) {
            found = has_bytes(v.list->items[i], depth + 1);
        }
    } else if (v.kind == VALUE_MAP && depth < SETTLE_DEPTH) {
        for (size_t i = 0; i < v.map->len && !found; i++) {
            found = has_bytes(v.map->entries[i].item, depth + 1);
        }
    }
    return found;
}

static bool settle_list(struct arena *a, value *v) {
    struct list_builder list = {.arena = a};
    bool ok = true;
    for (size_t i = 0; i < v->list->len; i++) {
        value item = v->list->items[i];
        ok = scalars_settle_bytes(a, &item) && ok;
        list_add(&list, item);
    }
    *v = value_mark(list_done(&list), v->marks);
    return ok;
}

static bool settle_map(struct arena *a, value *v) {
    struct map_builder map = {.arena = a};
    bool ok = true;
    for (size_t i = 0; i < v->map->len; i++) {
        value item = v->map->entries[i].item;
        ok = scalars_settle_bytes(a, &item) && ok;
        map_add(&map, v->map->entries[i].key, item);
    }
    *v = value_mark(map_done(&map), v->marks);
    return ok;
}

bool scalars_settle_bytes(struct arena *a, value *v) {
    if (!has_bytes(*v, 0)) {
        return true;
    }
    if (v->kind == VALUE_BYTES) {
        return bytes_to_text(a, v);
    }
    return v->kind == VALUE_LIST ? settle_list(a, v) : settle_map(a, v);
}

static bool is_segment(sv s) {
    for (size_t i = 0; i < s.len; i++) {
        char c = s.data[i];
        bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!ok) {
            return false;
        }
    }
    return s.len > 0;
}

bool scalars_is_type_text(sv text) {
    size_t slashes = 0;
    for (size_t from = 0; from <= text.len;) {
        size_t slash = sv_find_char(sv_slice(text, from, text.len), '/');
        size_t end = slash == SIZE_MAX ? text.len : from + slash;
        if (!is_segment(sv_slice(text, from, end))) {
            return false;
        }
        slashes += slash != SIZE_MAX;
        from = end + 1;
    }
    return slashes == 1 || slashes == 2;
}
