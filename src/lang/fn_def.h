/* Functions as data: one const table per family gives look-up, arity and type checks, `lintel functions`, docs and
 * editor hover. */
#ifndef LINTEL_LANG_FN_DEF_H
#define LINTEL_LANG_FN_DEF_H

#include "value/type.h"

struct fn_call;  /* lang/eval.h */
struct fn_check; /* lang/dialect.h */
struct fn_index;

enum fn_flags {
    FN_PURE = 1 << 0,         /* the result depends on the arguments only */
    FN_HOST = 1 << 1,         /* needs the host (clock, files, environment, randomness) */
    FN_LAZY = 1 << 2,         /* forces its arguments itself, one by one (FN-011) */
    FN_SEES_UNKNOWN = 1 << 3, /* called with unknown arguments; else unknown absorbs (FN-012) */
    FN_SEES_ABSENT = 1 << 4,  /* called with ABSENT arguments; else ABSENT gives ABSENT (FN-014) */
    FN_OWN_SECRECY = 1 << 5,  /* marks its result itself, sensitive and provisional (value_mark); else the arguments'
                                 marks go to the result (FN-013) */
    FN_SEES_FAILED = 1 << 6,  /* called with ERROR arguments (dynaml's ||, defined) */
    FN_OPERATOR = 1 << 7,     /* not callable by name */
    FN_SYNTACTIC = 1 << 8,    /* takes references, not values (link): `args` stay kind 0, the function reads `expr` */
    FN_SEES_PENDING = 1 << 9, /* called with PENDING arguments */
    FN_SEES_NULL = 1 << 10,   /* called with null arguments whatever the policy says */
    FN_PROVIDED = 1 << 11,    /* a provider's: without run record (validation) it is not called (FN-034) */
    FN_OWN_WORD = 1 << 12,    /* its result has the dialect's word that it gives it; else those of the arguments join */
};

enum fn_param_flags {
    FN_OPTIONAL = 1 << 0,
    FN_VARIADIC = 1 << 1, /* the last parameter: one or more; with FN_OPTIONAL zero or more */
    FN_INDEX = 1 << 2,    /* a callback's index (FN-024) */
};

struct fn_param {
    sv name;
    const struct type *type;
    unsigned flags; /* enum fn_param_flags */
    sv text;        /* one line of documentation */
};

struct fn_def {
    sv name;
    sv rule; /* "FN-110" */
    sv family;
    const struct fn_param *params;
    size_t param_count;
    const struct type *result;
    unsigned flags;  /* enum fn_flags */
    bool named_only; /* every argument is named (object) */
    /* Returns the result, or an ERROR value after reporting through the call (fn_call_fail). Never called for arity
     * mistakes. NULL: declared only (BP-324); a call gives unknown in validation and is function_call_error in a run.
     */
    value (*call)(struct fn_call *c);
    /* Narrower result type from the arguments (lang/dialect.h); NULL: `result`. Called only when arity and types fit.
     */
    const struct type *(*result_type)(const struct fn_check *c);
    /* Static checks beyond the types of single arguments: rules between arguments (FN-031), literal arguments (FN-032);
     * reports through fn_check_fail. Called only when arity and types fit. May be NULL. */
    void (*check)(const struct fn_check *c);
    const void *data;  /* of a provider's function; else NULL */
    sv summary;        /* one sentence */
    sv details;        /* paragraphs of Markdown; may be empty */
    sv example;        /* "substr(\"abc\", 1)" */
    sv example_result; /* "bc" as value_print_scalar or JSON; a test evaluates example and compares */
};

/* A const table, sorted by name. */
struct fn_table {
    const struct fn_def *const *defs;
    size_t count;
};

/* A dialect's functions: some tables, searched by name. */
struct fn_registry {
    const struct fn_table *const *tables;
    size_t count;
    const struct fn_index *index; /* NULL: the tables are searched */
};

/* A registry with a hash index over all tables (the first of equal names counts). */
struct fn_registry *fn_registry_new(struct arena *a, const struct fn_table *const *tables, size_t count);
const struct fn_def *fn_find(const struct fn_registry *r, sv name);
/* The closest name for a hint; empty without one. */
sv fn_find_close(const struct fn_registry *r, sv name);
size_t fn_get_min_args(const struct fn_def *f);
size_t fn_get_max_args(const struct fn_def *f); /* SIZE_MAX when variadic */

#endif
