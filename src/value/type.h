/* Static types: what is known of a value before it exists (BP-314). Immutable; predefined ones are constants. */
#ifndef LINTEL_VALUE_TYPE_H
#define LINTEL_VALUE_TYPE_H

#include "value/value.h"

enum type_kind {
    TYPE_ANY = 1,
    TYPE_NULL,
    TYPE_BOOL,
    TYPE_INT,
    TYPE_FLOAT,
    TYPE_NUMBER, /* integer or float */
    TYPE_STRING,
    TYPE_BYTES,
    TYPE_TEXT,   /* string or bytes */
    TYPE_SCALAR, /* string, integer, float or boolean */
    TYPE_LIST,
    TYPE_MAP,    /* any keys, items of one type */
    TYPE_OBJECT, /* named fields */
    TYPE_FUNCTION,
    TYPE_ABSENT,
    TYPE_UNION, /* one of `fields` (names empty) */
};

struct type_field {
    sv name;
    const struct type *type;
    bool sensitive, optional;
};

struct type {
    enum type_kind kind;
    const struct type *item;         /* LIST, MAP; result of FUNCTION; NULL is any */
    const struct type_field *fields; /* OBJECT, UNION, parameters of FUNCTION; FUNCTION with NULL: of any kind */
    size_t field_count;
    bool open;      /* OBJECT: other names may occur; FUNCTION: the last parameter repeats */
    bool sensitive; /* a value of this type is secret */
};

extern const struct type type_any, type_null, type_bool, type_int, type_float, type_number, type_string, type_bytes,
    type_text, type_scalar, type_list, type_map, type_function, type_absent, type_list_of_strings;

/* The predefined type of the same kind (details are lost, it lives for ever); NULL for NULL. */
const struct type *type_find_plain(const struct type *t);

const struct type *type_new_list(struct arena *a, const struct type *item);
const struct type *type_new_map(struct arena *a, const struct type *item);
/* The type of a value. */
const struct type *type_of_value(struct arena *a, value v);
/* Whether a value of type `given` can fit a place of type `wanted`: any on either side fits, an integer fits a float
 * (BP-032). */
bool type_fits(const struct type *wanted, const struct type *given);
bool type_fits_value(const struct type *wanted, value v);
/* The narrowest type of both, else any (FN-033). */
const struct type *type_join(struct arena *a, const struct type *x, const struct type *y);
/* The type behind a name or an index; NULL when the type is known not to have it. `any` gives any. */
const struct type *type_find_field(const struct type *t, sv name);
const struct type *type_get_item(const struct type *t);
/* "string", "array of strings", "object", "string or bytes". */
void type_print(struct buf *out, const struct type *t);

#endif
