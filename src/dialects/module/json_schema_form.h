/* The read form of a schema. Internal to json_schema_*.c. */
#ifndef LINTEL_DIALECTS_MODULE_JSON_SCHEMA_FORM_H
#define LINTEL_DIALECTS_MODULE_JSON_SCHEMA_FORM_H

#include "base/map.h"
#include "dialects/module/json_schema.h"

struct pattern;

enum json_type {
    JSON_NULL = 1 << 0,
    JSON_BOOLEAN = 1 << 1,
    JSON_INTEGER = 1 << 2, /* a number without fraction */
    JSON_NUMBER = 1 << 3,
    JSON_STRING = 1 << 4,
    JSON_ARRAY = 1 << 5,
    JSON_OBJECT = 1 << 6,
};

struct schema_list {
    VEC(const struct json_schema *) items;
};

/* Schemas by name, in the order of the document. */
struct schema_names {
    VEC(struct schema_name {
        sv name;
        const struct json_schema *schema;
        const struct pattern *pattern; /* patternProperties: of the name */
        value names;                   /* dependencies: a list of names in place of a schema; kind 0 without */
    })
    items;
    struct map by_name; /* to struct schema_name numbers + 1 */
};

struct schema_count {
    uint64_t value;
    bool is_set;
};

struct schema_bound {
    double value;
    bool is_set;
};

struct json_schema {
    sv pointer;                    /* where it stands */
    bool never;                    /* the schema `false` */
    const struct json_schema *ref; /* then nothing else counts */
    sv ref_text;

    unsigned types;                        /* enum json_type; 0: any */
    value enumeration, constant, fallback; /* kind 0 without */
    struct schema_list all_of, any_of, one_of;
    const struct json_schema *not_this, *condition, *consequence, *alternative;

    struct schema_names properties, pattern_properties, dependencies;
    const struct json_schema *additional_properties, *property_names;
    value required;
    struct schema_count min_properties, max_properties;

    const struct json_schema *items; /* of all items; else `first_items` and `additional_items` */
    struct schema_list first_items;
    const struct json_schema *additional_items, *contains;
    struct schema_count min_items, max_items;
    bool unique_items;

    struct schema_bound minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;

    struct schema_count min_length, max_length;
    const struct pattern *pattern;
    const struct schema_format *format;
    bool is_secret;
    bool has_secrets; /* of the root: somewhere */
};

/* One of MD-054. */
struct schema_format {
    sv name;
    bool (*is_valid)(struct arena *a, sv text);
    const char *phrase; /* "an IPv4 address" */
};
/* NULL for one that is not checked. */
const struct schema_format *schema_format_find(sv name);

const struct schema_name *schema_find_name(const struct schema_names *names, sv name);
/* The schema of the item at an index; NULL for any item. */
const struct json_schema *schema_find_item(const struct json_schema *s, size_t index);

/* The type of a value, as few bits as tell it: 3 is an integer and a number. 0 for what is no JSON. */
unsigned json_type_of(value v);
/* "string", "number" … of one bit. */
sv json_type_get_name(unsigned type);
unsigned json_type_find(sv name);
/* Of an integer or float. */
double json_get_number(value v);

#endif
