/* Modules evaluated without any instance: what a provider would give is unknown, everything else is a value.
 *
 * An evaluation goes call by call in their order (MD-201); a module call is one step, its calls run inside it. What
 * failed has been reported and is an ERROR, which stays silent. */
#ifndef LINTEL_DIALECTS_MODULE_EVALUATE_H
#define LINTEL_DIALECTS_MODULE_EVALUATE_H

#include "dialects/module/document.h"

struct host;
struct module_run;

/* One key of an argument that comes from outside, as an expression (MD-270, MD-271). */
struct module_given_key {
    sv key;
    const struct expr *e;
    const struct node *node;
};
struct module_given {
    VEC(struct module_given_key) keys;
};

struct module_run_options {
    struct module_set *set;
    const struct host *host; /* environment of $env; NULL: there is none */
    sv context;              /* name of the context, of $self.custom_state_path; empty: default */
};

/* One call as it would be carried out (MD-005: addresses below the instance). */
struct module_step {
    sv address, target;
    value argument;
    bool is_module;
    bool is_unsure; /* a condition that is not known decides whether it is there at all */
};

struct module_outcome {
    VEC(struct module_step) steps; /* in order; calls of a module stand behind its call */
    value result;                  /* MD-182; ERROR when something failed */
};

struct module_run *module_run_new(const struct module_run_options *options);
/* Takes the text of an -a option (MD-270); `source` holds it: a mapping, or the value of `key` when that is not empty.
 * False after a report. */
bool module_give(struct module_run *r, struct module_given *given, struct source *source, sv key);
/* False when something was reported. */
bool module_evaluate(struct module_run *r, const struct module_code *code, const struct module_given *given,
                     struct module_outcome *outcome);
/* One expression, or a text with `${{`, in which `parameter` is what is given. */
value module_evaluate_text(struct module_run *r, struct source *text, const struct module_given *given);

#endif
