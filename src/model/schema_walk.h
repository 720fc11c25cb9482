/* Walking values under the guidance of a schema: where one is, how deep, defaults, and what can fit. */
#ifndef LINTEL_MODEL_SCHEMA_WALK_H
#define LINTEL_MODEL_SCHEMA_WALK_H

#include "model/schema.h"

/* Deeper schemas and values are not walked into: documents end at 128 levels (BP-024). */
enum { SCHEMA_DEPTH = 192 };

/* One step of the way down, on the C stack: paths cost nothing until somebody asks for one. */
struct trail {
    const struct trail *above; /* NULL at the root */
    struct path_step step;     /* of the root: unused */
    size_t depth;
};

struct trail trail_key(const struct trail *above, sv key);
struct trail trail_index(const struct trail *above, size_t index);
/* `prefix` and the steps below the root. */
struct path trail_get_path(struct arena *a, struct path prefix, const struct trail *t);

/* The value of `default_json`; kind 0 without one. Views the schema's text. */
value schema_get_default(struct arena *a, const struct schema *s);
/* The variant of a union that fits a value best without looking at constraints; NULL when none does. Other schemas are
 * their own variant. */
const struct schema *schema_find_variant(const struct schema *s, value v);
/* Whether a value of this type can be one of this schema (BP-314); `to_text` as in struct schema_check. */
bool schema_accepts_type(const struct schema *s, const struct type *t, bool to_text);
/* Whether the kinds agree: an integer for a float, null for a nullable one. Unknown fits anything. */
bool schema_accepts_kind(const struct schema *s, value v);

/* The type that schema_type_get_text calls so; 0 for another text. */
enum schema_type schema_type_find(sv text);
/* The flags that have a key of their own in declarations; ends with a NULL name. */
struct schema_flag_name {
    const char *name;
    unsigned flag;
};
extern const struct schema_flag_name schema_flag_names[];

static inline bool schema_has(const struct schema *s, unsigned flag) {
    return (s->flags & flag) != 0;
}

#endif
