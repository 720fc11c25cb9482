/* Static checks: internal to lang/. */
#ifndef LINTEL_LANG_CHECK_H
#define LINTEL_LANG_CHECK_H

#include "lang/dialect.h"

enum { CHECK_LOCAL = 16, CHECK_LOCAL_TYPES = 32 };

/* An expression whose parts are being checked; their types lie on the stack of types from `base` on. */
struct check_frame {
    const struct expr *e;
    size_t next, base;
};

struct checker {
    const struct parse_context *c;
    const struct check_ops *ops;
    void *user;
    struct check_frame local[CHECK_LOCAL];
    struct check_frame *frames;
    size_t depth, cap;
    const struct type *local_types[CHECK_LOCAL_TYPES];
    const struct type **types; /* NULL: reported, unknown */
    size_t type_count, type_cap;
};

/* The type of a call whose arguments have these types; NULL after a report. */
const struct type *check_call(struct checker *k, const struct expr *e, const struct type **types);
/* The type of a function of a table, with parameters. */
const struct type *check_type_of_fn(struct arena *a, const struct fn_def *fn, size_t captured);
/* Reports a function where none may be; false then. */
bool check_is_no_function(struct checker *k, const struct expr *e, const struct type *t, const char *where);
sv check_print_type(struct checker *k, const struct type *t);

#endif
