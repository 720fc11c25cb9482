#include "value/type.h"

static const char *get_name(enum type_kind kind, bool many) {
    switch (kind) {
    case TYPE_ANY:
        return many ? "any values" : "any value";
    case TYPE_NULL:
        return many ? "nulls" : "null";
    case TYPE_BOOL:
        return many ? "booleans" : "boolean";
    case TYPE_INT:
        return many ? "integers" : "integer";
    case TYPE_FLOAT:
        return many ? "floats" : "float";
    case TYPE_NUMBER:
        return many ? "numbers" : "number";
    case TYPE_STRING:
        return many ? "strings" : "string";
    case TYPE_BYTES:
        return "bytes";
    case TYPE_TEXT:
        return many ? "strings or bytes" : "string or bytes";
    case TYPE_SCALAR:
        return many ? "scalars" : "scalar";
    case TYPE_LIST:
        return many ? "arrays" : "array";
    case TYPE_MAP:
    case TYPE_OBJECT:
        return many ? "objects" : "object";
    case TYPE_FUNCTION:
        return many ? "functions" : "function";
    case TYPE_ABSENT:
        return "none";
    case TYPE_UNION:
        return "one of several types";
    }
    return "nothing";
}

static bool is_listed(const struct type *t) {
    return t != NULL && (t->kind == TYPE_LIST || t->kind == TYPE_MAP) && t->item != NULL && t->item->kind != TYPE_ANY;
}

static void print_one(struct buf *out, const struct type *t) {
    bool many = false;
    for (size_t depth = 0; is_listed(t) && depth < 4; depth++) {
        buf_append_cstr(out, get_name(t->kind, many));
        buf_append(out, SV(" of "));
        t = t->item;
        many = true;
    }
    buf_append_cstr(out, get_name(t == NULL ? TYPE_ANY : t->kind, many));
}

void type_print(struct buf *out, const struct type *t) {
    if (t == NULL || t->kind != TYPE_UNION || t->field_count == 0) {
        print_one(out, t);
        return;
    }
    for (size_t i = 0; i < t->field_count; i++) {
        if (i > 0) {
            buf_append(out, i + 1 == t->field_count ? SV(" or ") : SV(", "));
        }
        print_one(out, t->fields[i].type);
    }
}
