/* Diagnostics: user mistakes as data (BP-300).
 *
 * Whoever creates a failure reports it, once; the broken thing becomes an ERROR thing that stays silent. Codes are
 * data: codes.def is the one list of name, level and title; `lintel errors` and docs/errors.md are printed from it. A
 * code's text name is stable for ever. */
#ifndef LINTEL_TEXT_DIAG_H
#define LINTEL_TEXT_DIAG_H

#include "base/map.h"
#include "text/source.h"

enum diag_level {
    DIAG_ERROR = 1,
    DIAG_WARNING,
    DIAG_INFO,
};

/* DIAG_<name>, from codes.def: CODE(name, LEVEL, "title"). */
enum diag_code {
    DIAG_NO_CODE = 0,
#define CODE(name, level, title) DIAG_##name,
#include "text/codes.def"
#undef CODE
    DIAG_CODE_COUNT
};

struct diag_info {
    sv name; /* "invalid_syntax" */
    enum diag_level level;
    sv title;
    bool strict_error; /* a warning that --strict raises (BP-304) */
};

struct diag_related {
    span at;
    sv text;
};

struct diag {
    enum diag_code code;
    sv foreign_code; /* code given by a plugin or provider; overrides the name of `code` when not empty */
    enum diag_level level;
    span at;
    span made_at; /* the place in a text that a program made, for which `at` stands (struct source); else SPAN_NONE */
    sv message;   /* one sentence, names in 'quotes', no final dot, no position */
    sv hint;      /* what to do; may be empty */
    sv path;      /* element and property, BP-307; may be empty */
    sv group;     /* BP-305; may be empty */
    VEC(struct diag_related) related;
    bool is_suppressed; /* a comment in the source allows it: kept for logs, shown nowhere else */
    sv justification;   /* its reason; may be empty */
};

/* The diagnostics of one unit. */
struct diags {
    struct arena *arena;
    const struct sources *sources; /* borrowed */
    VEC(struct diag *) items;      /* in order of creation until diags_sort */
    size_t errors, warnings;       /* counted even beyond the limit */
    size_t kept_errors;            /* errors among the items */
    size_t limit;                  /* errors kept, and others kept; 0 means limits_default */
    bool strict;
    VEC(struct diag *) suppressed; /* taken out of the items by diags_suppress */
    struct map seen;    /* code + span, so that equal ones are kept once (BP-303); without a place: code + message */
    struct diag *spare; /* returned in place of one that is not kept */
};

void diags_init(struct diags *d, struct arena *a, const struct sources *sources);
/* Adds one with a formatted message (never a format from user text) and returns it, so that the caller can set hint,
 * path, group and related. Never NULL: one that repeats code and span of an earlier one, or exceeds the limit, is
 * returned but not kept. */
struct diag *diags_add(struct diags *d, enum diag_code code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with a code of a plugin's or provider's own (BP-313) in place of the name of `code`, which gives the level.
 */
struct diag *diags_add_foreign(struct diags *d, enum diag_code code, sv foreign_code, span at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Hint and related texts live in the diagnostics' arena. */
void diag_set_hint(struct diags *d, struct diag *diag, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_add_related(struct diags *d, struct diag *diag, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* An error that counts as a warning where it is (BP-062). */
void diag_lower(struct diags *d, struct diag *diag);
bool diags_has_errors(const struct diags *d);
/* Takes out what `is_allowed` says to, with the reason it gives. Errors are never asked about. */
void diags_suppress(struct diags *d, bool (*is_allowed)(void *user, const struct diag *diag, sv *reason), void *user);
/* BP-303: by source (in order of loading), line, column, code; those without place last. Stable. */
void diags_sort(struct diags *d);
/* BP-305: the code of the only error, else `multiple_validation_errors` or, for a run, `multiple_run_errors`; empty
 * without error. */
sv diags_get_result_code(const struct diags *d, bool is_run);

const struct diag_info *diag_get_info(enum diag_code code);
sv diag_get_code_name(const struct diag *d);
/* DIAG_NO_CODE when there is none of that name. */
enum diag_code diag_find_code(sv name);

#endif
