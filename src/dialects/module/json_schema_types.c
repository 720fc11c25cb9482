/* The types of JSON Schema, as values of ours have them. */
#include "dialects/module/json_schema_form.h"

#include <math.h>

static const struct {
    unsigned type;
    sv name;
} types[] = {
    {JSON_NULL, SV_INIT("null")},     {JSON_BOOLEAN, SV_INIT("boolean")}, {JSON_INTEGER, SV_INIT("integer")},
    {JSON_NUMBER, SV_INIT("number")}, {JSON_STRING, SV_INIT("string")},   {JSON_ARRAY, SV_INIT("array")},
    {JSON_OBJECT, SV_INIT("object")},
};

sv json_type_get_name(unsigned type) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type)
            return types[i].name;
    }
    return SV("");
}

unsigned json_type_find(sv name) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (sv_eq(types[i].name, name))
            return types[i].type;
    }
    return 0;
}

unsigned json_type_of(value v) {
    switch ((enum value_kind)v.kind) {
    case VALUE_NULL:
        return JSON_NULL;
    case VALUE_BOOL:
        return JSON_BOOLEAN;
    case VALUE_INT:
        return JSON_INTEGER | JSON_NUMBER;
    case VALUE_FLOAT:
        return floor(v.number) == v.number ? JSON_INTEGER | JSON_NUMBER : JSON_NUMBER;
    case VALUE_STRING:
        return JSON_STRING;
    case VALUE_LIST:
        return JSON_ARRAY;
    case VALUE_MAP:
        return JSON_OBJECT;
    case VALUE_BYTES:
    case VALUE_FUNCTION:
    case VALUE_ABSENT:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        break;
    }
    return 0;
}

double json_get_number(value v) {
    return v.kind == VALUE_INT ? (double)v.integer : v.number;
}
