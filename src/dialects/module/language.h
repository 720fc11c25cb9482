/* The expression language of modules (docs/spec/module.md, 7 and 8): its table for the shared parser and evaluator. */
#ifndef LINTEL_DIALECTS_MODULE_LANGUAGE_H
#define LINTEL_DIALECTS_MODULE_LANGUAGE_H

#include "lang/dialect.h"

/* Numbers of roots (expr.op); ROOT_NAME is any other name. */
enum module_root {
    MODULE_ROOT_NAME = 1,
    MODULE_ROOT_PARAMETER,
    MODULE_ROOT_MODULE, /* `module`, `modules` */
    MODULE_ROOT_DEPENDENCIES,
    MODULE_ROOT_FOR,
    MODULE_ROOT_ENV,  /* $env */
    MODULE_ROOT_SELF, /* $self */
};

extern const struct dialect module_dialect;

/* What every evaluation of module expressions has as its `user`, first in whatever it is: the files of `file` and
 * `filebase64` (MD-130). */
struct module_user {
    /* The bytes of a file, relative to the document that holds `at`. False: `why` says it in a few words. NULL: no
     * files can be read. */
    bool (*read_file)(struct module_user *u, struct arena *a, sv path, span at, sv *bytes, sv *why);
};

/* Steps and refusals by the rules of MD-117, MD-118, MD-152, for struct eval_ops. */
value module_walk(void *user, struct evaluator *ev, value base, const struct step *step, const struct expr *ref);
value module_step_by(void *user, struct evaluator *ev, value base, value index, span at);
value module_refuse(void *user, struct evaluator *ev, enum eval_refusal what, value v, span at);

/* "null", "boolean", "number", "string", "list", "map" (MD-110). */
const char *module_kind_name(value v);
/* A scalar in text: integral numbers without point or exponent, others by the shortest digits, never an exponent
 * (MD-152). */
void module_print_scalar(struct buf *out, value v);
/* YAML and JSON numbers as this dialect has them: doubles (MD-111), everywhere in the value. */
value module_normalise(struct arena *a, value v);

#endif
