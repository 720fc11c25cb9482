/* Schemas in the form of BP-324. */
#include "model/schema_walk.h"

static const char *const type_names[] = {
    [SCHEMA_STRING] = "string", [SCHEMA_INTEGER] = "integer", [SCHEMA_FLOAT] = "float", [SCHEMA_BOOLEAN] = "boolean",
    [SCHEMA_MAP] = "map",       [SCHEMA_OBJECT] = "object",   [SCHEMA_ARRAY] = "array", [SCHEMA_UNION] = "union",
};

sv schema_type_get_text(enum schema_type type) {
    return sv_from_cstr(type_names[type]);
}

enum schema_type schema_type_find(sv text) {
    for (size_t i = SCHEMA_STRING; i < sizeof type_names / sizeof type_names[0]; i++) {
        if (sv_eq_cstr(text, type_names[i])) {
            return (enum schema_type)i;
        }
    }
    return 0;
}

const struct schema_flag_name schema_flag_names[] = {
    {"nullable", SCHEMA_NULLABLE},
    {"computed", SCHEMA_COMPUTED},
    {"computedWhenOmitted", SCHEMA_COMPUTED_WHEN_OMITTED},
    {"mustRecreate", SCHEMA_MUST_RECREATE},
    {"sensitive", SCHEMA_SENSITIVE},
    {"ignoreDrift", SCHEMA_IGNORE_DRIFT},
    {"trackDrift", SCHEMA_TRACK_DRIFT},
    {"activatesLink", SCHEMA_ACTIVATES_LINK},
    {"identity", SCHEMA_IDENTITY},
    {NULL, 0},
};

static void write_schema(struct jsonw *w, const struct schema *s, size_t depth);

static void write_attributes(struct jsonw *w, const struct schema *s, size_t depth) {
    jsonw_key(w, SV("attributes"));
    jsonw_begin_object(w);
    bool has_required = false;
    for (size_t i = 0; i < s->attribute_count; i++) {
        jsonw_key(w, s->attributes[i].name);
        write_schema(w, s->attributes[i].schema, depth + 1);
        has_required = has_required || schema_has(s->attributes[i].schema, SCHEMA_REQUIRED);
    }
    jsonw_end_object(w);
    if (!has_required) {
        return;
    }
    jsonw_key(w, SV("required"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < s->attribute_count; i++) {
        if (schema_has(s->attributes[i].schema, SCHEMA_REQUIRED)) {
            jsonw_text(w, s->attributes[i].name);
        }
    }
    jsonw_end_array(w);
}

static void write_structure(struct jsonw *w, const struct schema *s, size_t depth) {
    if (s->type == SCHEMA_OBJECT) {
        write_attributes(w, s, depth);
    }
    if (s->items != NULL) {
        jsonw_key(w, s->type == SCHEMA_MAP ? SV("mapValues") : SV("items"));
        write_schema(w, s->items, depth + 1);
    }
    if (s->type == SCHEMA_UNION) {
        jsonw_key(w, SV("oneOf"));
        jsonw_begin_array(w);
        for (size_t i = 0; i < s->one_of_count; i++) {
            write_schema(w, s->one_of[i], depth + 1);
        }
        jsonw_end_array(w);
    }
}

static void write_number(struct jsonw *w, const struct schema *s, const char *key, double number) {
    jsonw_key(w, sv_from_cstr(key));
    if (s->type == SCHEMA_INTEGER && number >= -9e15 && number <= 9e15) {
        jsonw_i64(w, (int64_t)number);
    } else {
        jsonw_double(w, number);
    }
}

static void write_bounds(struct jsonw *w, const struct schema *s) {
    if (schema_has(s, SCHEMA_HAS_MINIMUM)) {
        write_number(w, s, "minimum", s->minimum);
    }
    if (schema_has(s, SCHEMA_HAS_MAXIMUM)) {
        write_number(w, s, "maximum", s->maximum);
    }
    if (schema_has(s, SCHEMA_HAS_MIN_LENGTH)) {
        jsonw_key(w, SV("minLength"));
        jsonw_u64(w, s->min_length);
    }
    if (schema_has(s, SCHEMA_HAS_MAX_LENGTH)) {
        jsonw_key(w, SV("maxLength"));
        jsonw_u64(w, s->max_length);
    }
    if (s->pattern != NULL) {
        jsonw_put_text(w, "pattern", sv_from_cstr(s->pattern));
    }
}

static void write_schema(struct jsonw *w, const struct schema *s, size_t depth) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "type", schema_type_get_text(s->type));
    if (s->text.len > 0) {
        jsonw_put_text(w, "description", s->text);
    }
    if (depth < SCHEMA_DEPTH) {
        write_structure(w, s, depth);
    }
    write_bounds(w, s);
    if (s->allowed_json != NULL) {
        jsonw_key(w, SV("allowedValues"));
        jsonw_raw(w, sv_from_cstr(s->allowed_json));
    }
    if (s->default_json != NULL) {
        jsonw_key(w, SV("default"));
        jsonw_raw(w, sv_from_cstr(s->default_json));
    }
    for (const struct schema_flag_name *f = schema_flag_names; f->name != NULL; f++) {
        if (schema_has(s, f->flag)) {
            jsonw_put_bool(w, f->name, true);
        }
    }
    if (s->sort_by.len > 0) {
        jsonw_put_text(w, "sortArrayByField", s->sort_by);
    }
    jsonw_end_object(w);
}

void schema_write_json(struct jsonw *w, const struct schema *s) {
    write_schema(w, s, 0);
}
