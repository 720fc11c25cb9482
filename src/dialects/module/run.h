/* An evaluation under way. Internal to the files that evaluate. */
#ifndef LINTEL_DIALECTS_MODULE_RUN_H
#define LINTEL_DIALECTS_MODULE_RUN_H

#include "dialects/module/evaluate.h"

/* `value.word` of an instance's value (MD-182): the step `.module` gives it without `parameter`. */
enum { MODULE_WORD_INSTANCE = 1 };

/* One copy of a call: all of a plain call, one element of a `for`. */
struct module_copy {
    sv name; /* of the copy: "node[0]" for an indexed one */
    struct scope *scope;
};

/* What stands in the graph: a call, all copies of an indexed one, one copy of a named one. */
struct module_unit {
    const struct module_call *call;
    sv name;
    struct module_copy *copies;
    size_t count;
    bool is_indexed;
    bool is_unknown; /* its `for` is */
    bool is_failed;
    value result; /* kind 0 until it is evaluated */
};

/* One module under evaluation. */
struct module_frame {
    struct module_frame *outer;
    const struct module_code *code;
    sv address; /* empty for the outermost */
    value parameter;
    value dependencies; /* a map of those that are bound */
    VEC(struct module_unit) units;
    struct map by_name; /* to numbers of units + 1 */
    const uint32_t *order;
    const struct module_call *call; /* under evaluation, and its copy: for $self */
    const struct module_copy *copy;
    sv target;
};

struct module_run {
    struct module_user user; /* first */
    struct module_run_options o;
    struct module_set *set;
    struct evaluator *ev;
    struct module_frame *frame;
    struct module_outcome *outcome;
    struct map read;       /* files of `file` */
    struct map told_nulls; /* "FILE\0NAME" (MD-222) */
    size_t unsure;         /* calls around the one at hand whose condition is not known */
};

/* --- resolve.c --- */
extern const struct eval_ops module_eval_ops;
bool module_read_file(struct module_user *u, struct arena *a, sv path, span at, sv *bytes, sv *why);

/* --- expand.c --- */
/* Copies and order of the calls of a frame; false after a report. */
bool module_expand(struct module_run *r, struct module_frame *f);

/* --- places.c --- */
/* Where the value at a path of an argument is written, as far as can be told. */
span module_find_place(const struct node *argument, span otherwise, struct path path);

#endif
