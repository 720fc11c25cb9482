/* The dynaml dialect (docs/spec/dynaml.md): YAML files with (( … )) expressions, merged with stubs.
 *
 * A run reads all its files first, then processes the last stub, the one before it with that as stub, and so on up to
 * the template (DY-232). What it made, documents and values, lives in the run's arena. Nothing is printed here. */
#ifndef LINTEL_DIALECTS_DYNAML_DYNAML_H
#define LINTEL_DIALECTS_DYNAML_DYNAML_H

#include "base/limits.h"
#include "model/host.h"
#include "text/diag.h"
#include "value/value.h"

enum dynaml_ran {
    DYNAML_RAN = 1,
    DYNAML_RAN_BADLY, /* not started, ended by a signal, or with another exit status than 0 */
    DYNAML_RAN_TOO_LONG,
    DYNAML_RAN_TOO_MUCH, /* printed more than `max` */
};

/* Programs and files, as functions see them (DY-158, DY-185). */
struct dynaml_world {
    void *user;
    /* Runs the program with an argument vector, no input, errors dropped. The output lives in `a`. */
    enum dynaml_ran (*run)(void *user, struct arena *a, const sv *arguments, size_t count, size_t max, sv *output);
    /* The bytes of a file, at most `max`, and one more when there are more; a NUL behind them. False: `why` says it as
     * the system does ("no such file or directory"), or is empty: outside of the root directory (DY-361). */
    bool (*read)(void *user, struct arena *a, sv path, size_t max, sv *bytes, sv *why);
};

/* DY-362. 0: the default. */
struct dynaml_limits {
    uint64_t file, depth, expression, calls, steps, items, memory, aliases, exec; /* exec: seconds, kept by the world */
};
extern const struct dynaml_limits dynaml_limits_default;
/* The limit of that name; NULL for none. */
uint64_t *dynaml_limits_find(struct dynaml_limits *l, sv name);

struct dynaml_options {
    struct arena *arena;
    struct diags *diags; /* mistakes of the YAML reader with their places */
    struct sources *sources;
    struct host *host; /* environment */
    const struct dynaml_world *world;
    struct dynaml_limits limits;
    bool no_exec, no_read, no_env; /* DY-360 */
    bool wants_details;            /* places, cycles and hints of what is unresolved */
    /* A line with line break per node that was evaluated (--debug); NULL: none. */
    void (*trace)(void *user, sv line);
    void *trace_user;
    bool is_lean; /* nodes of documents go when they are typed: half the memory, but no places can be told (DY-351) */
};

struct dynaml_run;
struct dynaml_run *dynaml_run_new(const struct dynaml_options *options);

/* One file, read and typed. */
struct dynaml_document;
/* NULL: `*why` is the report line without the file's role (DY-016): "yaml: PROBLEM at line L, column C"; or, where the
 * problem names a limit, "limit 'NAME' (N) exceeded in FILE at line L, column C" (DY-362). */
struct dynaml_document *dynaml_read(struct dynaml_run *run, sv name, struct source *source, sv *why);
/* What to do about the problem that dynaml_read has met (DY-333), and its place; empty, SPAN_NONE: not known. */
struct dynaml_problem {
    sv message, hint;
    span at;
    sv limit; /* the name of the one that was exceeded; empty: none */
    uint64_t limit_value;
};
const struct dynaml_problem *dynaml_get_problem(const struct dynaml_run *run);
/* One line each, without line break (DY-011, DY-014). */
size_t dynaml_get_warnings(const struct dynaml_run *run, const sv **lines);

enum dynaml_state {
    DYNAML_FAILED = 1,
    DYNAML_PENDING,
    DYNAML_NOT_PARSED,
};

/* An unresolved node (§13). */
struct dynaml_unresolved {
    sv expression; /* printed form with its parentheses, or the raw text */
    sv file, path, lookup, issue;
    enum dynaml_state state;
    unsigned level; /* of unresolved content (DY-313): how many nodes it stands below */
    /* With `wants_details`: */
    span at;             /* SPAN_NONE: it stands in no document */
    size_t line, column; /* 0: not known */
    bool is_cyclic;      /* PENDING on itself */
    sv hint;             /* DY-333; may be empty */
};

struct dynaml_result {
    bool is_resolved;
    value document;
    const struct dynaml_unresolved *unresolved; /* in the order of the report */
    size_t unresolved_count;
    sv limit; /* "limit 'NAME' (N) exceeded in FILE at PATH"; empty without (DY-362) */
};

/* documents[0] is the template, the others its stubs. */
void dynaml_merge(struct dynaml_run *run, struct dynaml_document *const *documents, size_t count,
                  struct dynaml_result *result);
/* An expression, with or without parentheses, at a path of the merged document (DY-350). */
struct dynaml_question {
    sv expression;
    const sv *at; /* steps */
    size_t at_count;
};
void dynaml_eval(struct dynaml_run *run, struct dynaml_document *const *documents, size_t count,
                 const struct dynaml_question *question, struct dynaml_result *result);

/* Each unresolved node as a diagnostic; causes first. */
void dynaml_diagnose(struct diags *diags, const struct dynaml_result *result);
/* The report of DY-310 without its first line. */
void dynaml_print_report(struct buf *out, const struct dynaml_result *result);
/* The value at a path of steps as of DY-113; kind 0 when there is none. */
value dynaml_find(value document, const sv *steps, size_t count);
/* A path as it is typed: steps with points between them. */
size_t dynaml_split_path(struct arena *a, sv path, const sv **steps);

#endif
