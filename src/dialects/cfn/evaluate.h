/* How the one evaluator evaluates this dialect. Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_EVALUATE_H
#define LINTEL_DIALECTS_CFN_EVALUATE_H

#include "dialects/cfn/functions.h"

/* expr.op of directives that nobody writes; those that are written have their enum cfn_function. */
enum {
    CFN_DIRECTIVE_PART = CFN_FUNCTION_COUNT, /* `data`: a struct cfn_part with a call */
    CFN_DIRECTIVE_SYMBOL,                    /* `data`: a struct cfn_symbol */
};

/* Cells and the evaluator, once the template is checked. */
void cfn_evaluate_start(struct cfn_run *run);
/* The evaluator alone, for what has to be known before expansion. */
void cfn_evaluate_early(struct cfn_run *run);
/* Whether a condition holds: 1, 0, or -1 for unknown and failed ones. */
int cfn_condition_get(struct cfn_run *run, uint32_t number);

/* Its condition is false (CF-033). `r` may be NULL. */
bool cfn_resource_is_off(struct cfn_run *run, const struct cfn_resource *r);
/* A symbol that was first referred to in evaluation. */
void cfn_symbol_cell_add(struct cfn_run *run, const struct cfn_symbol *s);
/* The value of a key in a literal map; indexed when the map is large (nobody scans it twice). */
const struct node *cfn_node_find(struct cfn_run *run, const struct node *mapping, sv key);

/* --- properties.c --- */
/* The value of a call in the template, evaluated once. */
value cfn_part_evaluate(struct cfn_run *run, const struct cfn_part *part);
/* False: `*cell` has to be demanded first. */
bool cfn_part_find_value(struct cfn_run *run, const struct cfn_part *part, value *result, struct cell **cell);
struct cell *cfn_part_get_cell(struct cfn_run *run, const struct cfn_part *part);

/* --- graph.c --- */
/* CF-037, over what evaluation has needed. */
void cfn_graph_check(struct cfn_run *run);

#endif
