/* Schemas: what a provider says of a resource's spec (blueprint.md 2.3), as static tables or read from declarations
 * (BP-324).
 *
 * Zero-initialised members mean "not set". The same tables check literal specs at validation and resolved ones at
 * deployment, fill defaults, guide comparison, and print documentation. */
#ifndef LINTEL_MODEL_SCHEMA_H
#define LINTEL_MODEL_SCHEMA_H

#include "base/map.h"
#include "text/diag.h"
#include "value/path.h"
#include "value/type.h"

enum schema_type {
    SCHEMA_STRING = 1,
    SCHEMA_INTEGER,
    SCHEMA_FLOAT,
    SCHEMA_BOOLEAN,
    SCHEMA_MAP,    /* any keys, values of `items` */
    SCHEMA_OBJECT, /* named attributes */
    SCHEMA_ARRAY,
    SCHEMA_UNION,
};

enum schema_flags {
    SCHEMA_NULLABLE = 1 << 0,
    SCHEMA_COMPUTED = 1 << 1,
    SCHEMA_COMPUTED_WHEN_OMITTED = 1 << 2,
    SCHEMA_MUST_RECREATE = 1 << 3,
    SCHEMA_SENSITIVE = 1 << 4,
    SCHEMA_IGNORE_DRIFT = 1 << 5,
    SCHEMA_TRACK_DRIFT = 1 << 6,
    SCHEMA_ACTIVATES_LINK = 1 << 7,
    SCHEMA_IDENTITY = 1 << 8,
    SCHEMA_HAS_MINIMUM = 1 << 9,
    SCHEMA_HAS_MAXIMUM = 1 << 10,
    SCHEMA_HAS_MIN_LENGTH = 1 << 11,
    SCHEMA_HAS_MAX_LENGTH = 1 << 12,
    SCHEMA_REQUIRED = 1 << 13, /* of an attribute */
    SCHEMA_PATH =
        1 << 14, /* a file name: relative ones are made absolute from the directory of the root blueprint (BP-404) */
};

struct schema;
struct schema_attribute {
    sv name;
    const struct schema *schema;
};

struct schema {
    enum schema_type type;
    unsigned flags;                            /* enum schema_flags */
    const struct schema_attribute *attributes; /* OBJECT, in the order of documentation */
    size_t attribute_count;
    const struct map *by_name;          /* attributes of large declarations by name; NULL: searched one by one */
    const struct schema *items;         /* ARRAY, MAP */
    const struct schema *const *one_of; /* UNION */
    size_t one_of_count;
    const char *default_json; /* the default as JSON text; NULL without */
    const char *allowed_json; /* a JSON array of allowed values; NULL: any */
    double minimum, maximum;
    size_t min_length, max_length;
    const char *pattern; /* RE2-style syntax, unanchored (BP-321); PCRE2 under limits */
    sv sort_by;          /* sortArrayByField */
    sv text;             /* one line of documentation */
};

/* "string" and so on, as declarations say it (BP-324). */
sv schema_type_get_text(enum schema_type type);
const struct schema_attribute *schema_find_attribute(const struct schema *s, sv name);
/* The schema below a path; NULL when the path leaves it. */
const struct schema *schema_find_path(const struct schema *s, struct path p);
/* The static type of a value of this schema; computed fields included. */
const struct type *schema_get_type(struct arena *a, const struct schema *s);

/* Where the parts of a checked value came from: the span of a path, the place of the whole otherwise. */
struct schema_places {
    void *user;
    span (*find)(void *user, struct path p);
};
/* Checks a resolved value with the codes of BP-320 and BP-321; unknown parts pass if their type can fit. `written`
 * tells that the value stands in the template (then computed fields are errors). Scalars where the schema wants a
 * string become text if `to_text` (BP-216). Reports at `places`; `prefix` is the path of the value, e.g.
 * resources.x.spec. Returns the value with widened numbers, or ERROR. */
struct schema_check {
    struct arena *arena;
    struct diags *diags;
    const struct schema_places *places;
    sv prefix;
    bool written, to_text;
};
value schema_check_value(const struct schema_check *c, const struct schema *s, value v);
/* Defaults put into absent, not computed fields (BP-323), at any depth of what is there. */
value schema_fill_defaults(struct arena *a, const struct schema *s, value v);
/* Computed fields added as UNKNOWN of their type where absent (those of `computed`, and of computedWhenOmitted when
 * omitted). */
value schema_add_unknowns(struct arena *a, const struct schema *s, value v);
/* Only the computed fields of a value (what a provider may return), and the value without them. */
value schema_pick_computed(struct arena *a, const struct schema *s, value v);
value schema_drop_computed(struct arena *a, const struct schema *s, value v);
/* Overlays `computed` on `spec`, key by key, objects merged (BP-243). */
value schema_merge(struct arena *a, value spec, value computed);
/* Leaves that the schema marks sensitive get the mark. */
value schema_mark_sensitive(struct arena *a, const struct schema *s, value v);

enum field_change_kind {
    FIELD_NEW = 1,
    FIELD_MODIFIED,
    FIELD_REMOVED,
};
struct field_change {
    enum field_change_kind kind;
    struct path path;                                    /* starts with "spec" or "metadata" (BP-435) */
    value before, after;                                 /* kind 0 where not there */
    bool must_recreate, sensitive, unknown, provisional; /* of `after` */
};
struct field_diff {
    VEC(struct field_change) changes;
    VEC(struct path) unchanged;
};
/* BP-435 to BP-438: compares leaf by leaf, guided by the schema (NULL: by structure alone). Computed fields are left
 * out unless `drift`, which follows BP-531. */
struct schema_diff_request {
    struct arena *arena;
    const struct schema *schema;
    struct path prefix;
    value before, after;
    bool drift;
    /* Whether the secret whose stored value could not be opened (`before`: UNKNOWN and sensitive) is the same as
     * `after`, told by digest; NULL: it counts as modified. */
    bool (*is_same_secret)(void *user, value before, value after);
    void *user;
};
void schema_diff(const struct schema_diff_request *r, struct field_diff *result);

/* The form of BP-324, printed and read back. */
struct node;
void schema_write_json(struct jsonw *w, const struct schema *s);
/* Reports mistakes; NULL after one. */
const struct schema *schema_from_node(struct arena *a, const struct node *n, struct diags *diags);

#endif
