/* A dialect for tests: everything that the tables can say and blueprint does not use. Operators with precedence, lazy
 * ones, lambdas, containers, calls of values, index expressions; and a second table with blueprint's look (no
 * operators, roots, strict quotes). */
#ifndef TESTS_LANG_TEST_DIALECT_H
#define TESTS_LANG_TEST_DIALECT_H

#include "lang/dialect.h"

/* Operators: || over failures, && and or, comparison, + - *, prefix ! and -, postfix-like steps anywhere. Delimiters
 * "<(" and ")>". */
extern const struct dialect dialect_rich;
/* Delimiters "${" and "}", roots v. (names), values. (any), elem, NAME; functions by name; BP-2xx grammar. */
extern const struct dialect dialect_plain;

/* Cells by name, a resolver over them, counters. */
struct world {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct limits limits;
    struct map cells; /* name → struct cell */
    struct eval_policy policy;
    struct dialect dialect;
    struct eval_ops ops;
    struct evaluator *ev;
    const struct observer *observer;
    size_t resolved; /* references asked for */
    size_t absorbed; /* absorb hook called */
};

void world_init(struct world *w, const struct dialect *d);
void world_fini(struct world *w);
/* Parses a text with delimiters; spans are of a source of its own. */
const struct expr *world_parse(struct world *w, const char *text);
/* An expression without delimiters. */
const struct expr *world_parse_expr(struct world *w, const char *text);
struct cell *world_define(struct world *w, const char *name, const char *expr);
struct cell *world_define_value(struct world *w, const char *name, value v);
value world_eval(struct world *w, const char *expr);
value world_get(struct world *w, const char *name);
/* The value as JSON, secrets hidden; "ERROR", "PENDING" for these. */
const char *world_show(struct world *w, value v);
/* The codes of all diagnostics with line-less positions: "code@offset+length code@…". */
const char *world_list_diags(struct world *w);
/* Allocates the evaluator anew with the policy as it now stands. */
void world_restart(struct world *w);
const struct type *world_check_expr(struct world *w, const struct expr *e);
const struct type *world_check(struct world *w, const char *text);

#endif
