#include "value/value.h"

static value make(enum value_kind kind) {
    return (value){.kind = (uint8_t)kind};
}

value value_null(void) {
    return make(VALUE_NULL);
}

value value_bool(bool b) {
    value v = make(VALUE_BOOL);
    v.boolean = b;
    return v;
}

value value_int(int64_t n) {
    value v = make(VALUE_INT);
    v.integer = n;
    return v;
}

value value_float(double x) {
    value v = make(VALUE_FLOAT);
    v.number = x;
    return v;
}

value value_number(double x) {
    const double exact = 9007199254740992.0; /* 2^53 */
    bool is_whole = x >= -exact && x <= exact && x == (double)(int64_t)x;
    return is_whole ? value_int((int64_t)x) : value_float(x);
}

value value_absent(void) {
    return make(VALUE_ABSENT);
}

value value_error(const void *cause) {
    value v = make(VALUE_ERROR);
    v.within = WITHIN_ERROR;
    v.cause = cause;
    return v;
}

value value_pending(const void *cause) {
    value v = make(VALUE_PENDING);
    v.cause = cause;
    return v;
}

value value_unknown(const struct type *type) {
    value v = make(VALUE_UNKNOWN);
    v.within = WITHIN_UNKNOWN;
    v.type = type;
    return v;
}

static value make_text(struct arena *a, enum value_kind kind, sv text) {
    sv *view = ARENA_NEW(a, sv);
    *view = text;
    value v = make(kind);
    v.text = view;
    return v;
}

value value_string(struct arena *a, sv text) {
    return make_text(a, VALUE_STRING, text);
}

value value_string_copy(struct arena *a, sv text) {
    return make_text(a, VALUE_STRING, arena_copy_sv(a, text));
}

value value_bytes(struct arena *a, sv bytes) {
    return make_text(a, VALUE_BYTES, bytes);
}

value value_function(const struct closure *fn) {
    value v = make(VALUE_FUNCTION);
    v.function = fn;
    return v;
}

bool value_is_set(value v) {
    return v.kind != 0;
}

bool value_is_known(value v) {
    return (v.within & WITHIN_UNKNOWN) == 0;
}

bool value_is_sensitive(value v) {
    return (v.within & MARK_SENSITIVE) != 0;
}

bool value_is_error(value v) {
    return v.kind == VALUE_ERROR;
}

bool value_is_scalar(value v) {
    return v.kind == VALUE_STRING || v.kind == VALUE_INT || v.kind == VALUE_FLOAT || v.kind == VALUE_BOOL;
}

sv value_get_text(value v) {
    return v.kind == VALUE_STRING || v.kind == VALUE_BYTES ? *v.text : (sv){0};
}

static uint8_t join_children(value v) {
    uint8_t within = 0;
    if (v.kind == VALUE_LIST) {
        for (size_t i = 0; i < v.list->len; i++) {
            within |= v.list->items[i].within;
        }
    } else if (v.kind == VALUE_MAP) {
        for (size_t i = 0; i < v.map->len; i++) {
            within |= v.map->entries[i].item.within;
        }
    } else if (v.kind == VALUE_UNKNOWN) {
        within = WITHIN_UNKNOWN;
    } else if (v.kind == VALUE_ERROR) {
        within = WITHIN_ERROR;
    }
    return within;
}

value value_mark(value v, uint8_t marks) {
    marks &= MARK_SENSITIVE | MARK_PROVISIONAL;
    v.marks |= marks;
    v.within |= marks;
    return v;
}

value value_unmark(value v, uint8_t marks) {
    v.marks &= (uint8_t)~marks;
    v.within = v.marks | join_children(v);
    return v;
}

const char *value_get_kind_name(enum value_kind kind) {
    switch (kind) {
    case VALUE_NULL:
        return "null";
    case VALUE_BOOL:
        return "boolean";
    case VALUE_INT:
        return "integer";
    case VALUE_FLOAT:
        return "float";
    case VALUE_STRING:
        return "string";
    case VALUE_BYTES:
        return "bytes";
    case VALUE_LIST:
        return "array";
    case VALUE_MAP:
        return "object";
    case VALUE_FUNCTION:
        return "function";
    case VALUE_ABSENT:
        return "none";
    case VALUE_UNKNOWN:
        return "unknown";
    case VALUE_ERROR:
        return "error";
    case VALUE_PENDING:
        return "pending";
    }
    return "nothing";
}

const char *value_get_kind_phrase(enum value_kind kind) {
    switch (kind) {
    case VALUE_BOOL:
        return "a boolean";
    case VALUE_INT:
        return "an integer";
    case VALUE_FLOAT:
        return "a float";
    case VALUE_STRING:
        return "a string";
    case VALUE_LIST:
        return "an array";
    case VALUE_MAP:
        return "an object";
    case VALUE_FUNCTION:
        return "a function";
    case VALUE_NULL:
    case VALUE_BYTES:
    case VALUE_ABSENT:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        break;
    }
    return value_get_kind_name(kind);
}
