#include "engine/fields.h"

void field_put_text(struct map_builder *b, const char *key, sv text) {
    if (text.len > 0) {
        map_add(b, sv_from_cstr(key), value_string(b->arena, text));
    }
}

void field_put_int(struct map_builder *b, const char *key, int64_t n) {
    if (n != 0) {
        map_add(b, sv_from_cstr(key), value_int(n));
    }
}

void field_put_bool(struct map_builder *b, const char *key, bool is) {
    if (is) {
        map_add(b, sv_from_cstr(key), value_bool(true));
    }
}

void field_put_value(struct map_builder *b, const char *key, value v) {
    if (value_is_set(v)) {
        map_add(b, sv_from_cstr(key), v);
    }
}

void field_put_texts(struct map_builder *b, const char *key, const sv *items, size_t count) {
    if (count == 0) {
        return;
    }
    struct list_builder list = {.arena = b->arena};
    for (size_t i = 0; i < count; i++) {
        list_add(&list, value_string(b->arena, items[i]));
    }
    map_add(b, sv_from_cstr(key), list_done(&list));
}

value field_get_value(value map, const char *key) {
    if (map.kind != VALUE_MAP) {
        return (value){0};
    }
    value v = value_map_find(map, sv_from_cstr(key));
    return v.kind == VALUE_NULL ? (value){0} : v;
}

sv field_get_text(value map, const char *key) {
    value v = field_get_value(map, key);
    return v.kind == VALUE_STRING ? value_get_text(v) : (sv){0};
}

int64_t field_get_int(value map, const char *key) {
    value v = field_get_value(map, key);
    return v.kind == VALUE_INT ? v.integer : 0;
}

bool field_get_bool(value map, const char *key) {
    value v = field_get_value(map, key);
    return v.kind == VALUE_BOOL && v.boolean;
}

size_t field_get_items(value map, const char *key, const value **items) {
    value v = field_get_value(map, key);
    if (v.kind != VALUE_LIST) {
        *items = NULL;
        return 0;
    }
    *items = v.list->items;
    return v.list->len;
}

size_t field_get_texts(struct arena *a, value map, const char *key, const sv **items) {
    const value *values;
    size_t count = field_get_items(map, key, &values), kept = 0;
    sv *texts = count == 0 ? NULL : ARENA_ARRAY(a, sv, count);
    for (size_t i = 0; i < count; i++) {
        if (values[i].kind == VALUE_STRING) {
            texts[kept++] = value_get_text(values[i]);
        }
    }
    *items = texts;
    return kept;
}

sv field_print_hex(struct arena *a, const uint8_t *bytes, size_t len) {
    static const char digits[] = "0123456789abcdef";
    char *text = ARENA_ARRAY(a, char, 2 * len + 1);
    for (size_t i = 0; i < len; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return sv_make(text, 2 * len);
}

static int parse_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool field_parse_hex(sv text, uint8_t *bytes, size_t len) {
    if (text.len != 2 * len) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        int high = parse_digit(text.data[2 * i]), low = parse_digit(text.data[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}
