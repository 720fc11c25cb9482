/* JSON Schema, draft-07, as the module dialect checks arguments by it (MD-051 … MD-056).
 *
 * A schema is read once and is immutable then. References are local; `$id` is no base (MD-053). An unknown value
 * satisfies every schema, and so does what depends on one (MD-056). Reading and checking are bounded in depth, checking
 * in steps: what exceeds them is a problem or a violation like another. Values are never quoted in messages, so none
 * can show a secret. All results live in the arena given. */
#ifndef LINTEL_DIALECTS_MODULE_JSON_SCHEMA_H
#define LINTEL_DIALECTS_MODULE_JSON_SCHEMA_H

#include "base/vec.h"
#include "value/path.h"

struct json_schema;

/* Something wrong with the schema itself. */
struct json_schema_problem {
    sv at; /* JSON pointer into the schema: "/properties/a/type"; empty: the whole */
    sv message;
    sv hint; /* a name that may have been meant; empty without */
    bool is_warning;
};
struct json_schema_problems {
    VEC(struct json_schema_problem) items;
};

/* `written` is the schema as a value: a map or a boolean (MD-052). NULL when a problem is no warning. */
const struct json_schema *json_schema_read(struct arena *a, value written, struct json_schema_problems *problems);

struct json_schema_violation {
    struct path at;
    const size_t *places; /* numbers of the steps of `at` in their lists and maps, for data order */
    sv message;
    sv schema; /* JSON pointer of what is violated */
};
struct json_schema_violations {
    VEC(struct json_schema_violation) items;
};

/* All violations, in data order (MD-055). */
void json_schema_check(struct arena *a, const struct json_schema *s, value data, struct json_schema_violations *result);

/* The data with defaults filled in (MD-051); kind 0 when they fill in each other without end. */
value json_schema_fill(struct arena *a, const struct json_schema *s, value data);
/* The data with the places marked that the schema calls secret: writeOnly, or format password (MD-260). */
value json_schema_mark_secrets(struct arena *a, const struct json_schema *s, value data);

/* "/a~1b/0": a path as a JSON pointer (RFC 6901). */
void json_pointer_append(struct buf *out, struct path p);

#endif
