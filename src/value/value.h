/* Runtime values: 16 bytes, passed by value, immutable; payloads live in an arena.
 *
 * Marks. `marks` are the value's own (sensitive, provisional); `within` is the union of the marks of everything below
 * it, plus WITHIN_UNKNOWN and WITHIN_ERROR, so that "contains a secret" and "contains an unknown" cost one test.
 * Constructors of lists and maps keep `within` true. The evaluator joins marks around every operator and call in one
 * place; functions do not touch them. `word` belongs to the dialect (dynaml's merged and preferred, cfn's residual).
 *
 * Null is a value of documents; ABSENT is blueprint's `none` and cfn's NoValue; UNKNOWN exists only after some
 * operation to come; an ERROR has been reported already and stays silent; PENDING is met only under policies that know
 * it. */
#ifndef LINTEL_VALUE_VALUE_H
#define LINTEL_VALUE_VALUE_H

#include "base/buf.h"
#include "base/jsonw.h"

enum value_kind {
    VALUE_NULL = 1,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_STRING, /* valid UTF-8 */
    VALUE_BYTES,
    VALUE_LIST,
    VALUE_MAP,
    VALUE_FUNCTION,
    VALUE_ABSENT,
    VALUE_UNKNOWN,
    VALUE_ERROR,
    VALUE_PENDING, /* in evaluation only: needs something that is not resolved (DY-080); `cause` as of an ERROR */
};

enum value_marks {
    MARK_SENSITIVE = 1 << 0,
    MARK_PROVISIONAL = 1 << 1, /* BP-456 */
    WITHIN_UNKNOWN = 1 << 2,   /* in `within` only: an UNKNOWN here or below */
    WITHIN_ERROR = 1 << 3,     /* in `within` only */
};

struct value_list;
struct value_map;
struct closure; /* lang/eval.h */
struct type;    /* value/type.h */

typedef struct value {
    uint8_t kind;   /* enum value_kind; 0 is no value at all */
    uint8_t marks;  /* own */
    uint8_t within; /* own marks, those of all children, WITHIN_* */
    uint8_t reserved;
    uint32_t word; /* dialect's own marks */
    union {
        bool boolean;
        int64_t integer;
        double number;
        const sv *text; /* string, bytes */
        const struct value_list *list;
        const struct value_map *map;
        const struct closure *function;
        const struct type *type; /* of an UNKNOWN; NULL is any */
        const void *cause;       /* of an ERROR or PENDING: struct eval_failure of lang/eval.h, or NULL */
    };
} value;

struct list_store;

struct value_list {
    size_t len;
    size_t weight; /* see value_get_weight */
    size_t depth;  /* see value_get_depth */
    const value *items;
    struct list_store *store; /* where the items are and more can follow; NULL: behind the list, without room */
};

struct value_entry {
    sv key;
    value item;
};

/* Entries in document order. Over 16 entries a hash index stands behind them (value_map_find uses it). */
struct value_map {
    size_t len;
    size_t weight;
    size_t depth;
    uint32_t *index;
    size_t index_cap;
    uint64_t seed;
    struct value_entry entries[];
};

/* How much the value is when it is written out: every value in it as often as it occurs, and long texts by their
 * length. Values share their parts, so a small one in memory can be huge when written; whoever builds values from
 * values bounds this. */
size_t value_get_weight(value v);
/* Lists and maps in one another: 0 for a scalar, 1 for an empty list. */
size_t value_get_depth(value v);

value value_null(void);
value value_bool(bool b);
value value_int(int64_t n);
value value_float(double x);
/* One number type (MD-111): an INT when there is no fraction and it is exact up to 2^53, else a FLOAT. */
value value_number(double x);
value value_absent(void);
value value_error(const void *cause);
value value_pending(const void *cause);
value value_unknown(const struct type *type);
/* The text is borrowed: it lives as long as the value; only the view is allocated. */
value value_string(struct arena *a, sv text);
value value_string_copy(struct arena *a, sv text);
value value_bytes(struct arena *a, sv bytes);
value value_function(const struct closure *fn);
/* Absent items are left out (FN-014). */
value value_list_of(struct arena *a, const value *items, size_t len);

/* The list with items behind its own. When it is the longest that was made of its beginning the two share them, so that
 * a list of n items made one by one costs n; no list can be seen to change. */
value value_list_append(struct arena *a, value list, const value *items, size_t count);

/* Builders; zero value with arena set. Absent items are left out. */
struct list_builder {
    struct arena *arena;
    value *items;
    size_t len, cap;
};
void list_add(struct list_builder *b, value item);
value list_done(struct list_builder *b);

struct map_builder {
    struct arena *arena;
    struct value_entry *entries;
    size_t len, cap;
    uint32_t *index; /* made by the first map_set beyond 16 entries */
    size_t index_cap;
};
/* Keys are borrowed. The caller does not add a key twice; map_set replaces an existing one in place. */
void map_add(struct map_builder *b, sv key, value item);
void map_set(struct map_builder *b, sv key, value item);
value map_done(struct map_builder *b);

/* The entry's value, or kind 0 when absent. `v` is a map. */
value value_map_find(value v, sv key);
bool value_map_has(value v, sv key);
/* The number of the entry, or SIZE_MAX. */
size_t value_map_find_index(value v, sv key);
/* A copy of the map with one entry set or, for ABSENT, removed. */
value value_map_with(struct arena *a, value v, sv key, value item);

bool value_is_set(value v);       /* kind is not 0 */
bool value_is_known(value v);     /* neither unknown nor containing one */
bool value_is_sensitive(value v); /* itself or anything below */
bool value_is_error(value v);
bool value_is_scalar(value v); /* string, int, float, bool */
sv value_get_text(value v);    /* of a string or bytes */
/* The value with marks added to its own. */
value value_mark(value v, uint8_t marks);
value value_unmark(value v, uint8_t marks);
/* Deep copy into another arena (short life to long life). */
value value_copy(struct arena *a, value v);

/* BP-034. Unknown equals nothing, itself included. Iterative. */
bool value_eq(value a, value b);
/* The kind in messages: "string", "integer", "array", "object", "none", "unknown", "function". */
const char *value_get_kind_name(enum value_kind kind);
/* The same with its article: "a string", "an integer", "null", "bytes". */
const char *value_get_kind_phrase(enum value_kind kind);

/* How secrets come out. There is no default: each caller says which. */
enum secrecy {
    REDACT = 1, /* "(sensitive)" */
    REVEAL,
};
/* The text of a scalar (BP-031). */
void value_print_scalar(struct buf *out, value v);
/* JSON; unknown as null is never written silently: {"$lintel": "unknown"} stands for it, absent items do not occur.
 * Bytes as text when valid UTF-8, else base64 under {"$lintel": "bytes", "base64": …}. Redacted leaves are the string
 * "(sensitive)". */
void value_write_json(struct jsonw *j, value v, enum secrecy secrecy);
sv value_print_json(struct arena *a, value v, int indent, enum secrecy secrecy);
/* One short line for people: strings quoted, long ones cut, (known on deploy), (sensitive), control characters escaped.
 */
void value_render(struct buf *out, value v, size_t width, enum secrecy secrecy);

#endif
