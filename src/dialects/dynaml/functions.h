/* The operators and functions of dynaml (DY-130 to DY-169) as table functions. */
#ifndef LINTEL_DIALECTS_DYNAML_FUNCTIONS_H
#define LINTEL_DIALECTS_DYNAML_FUNCTIONS_H

#include "lang/fn_def.h"

/* --- operators.c: their names are what is printed between the operands --- */
extern const struct fn_def dynaml_concat, dynaml_default, dynaml_logic_or, dynaml_logic_and, dynaml_eq, dynaml_ne,
    dynaml_le, dynaml_ge, dynaml_gt, dynaml_lt, dynaml_plus, dynaml_minus, dynaml_times, dynaml_divide, dynaml_modulo,
    dynaml_not, dynaml_range, dynaml_mapping;

/* The built-in of that name, or NULL (DY-140). */
const struct fn_def *dynaml_find_function(sv name);
/* A function that fails once its arguments have values: there is none of that name (DY-141). */
const struct fn_def *dynaml_make_unknown_function(struct arena *a, sv name);

/* The families. */
extern const struct fn_table dynaml_text_functions, dynaml_network_functions, dynaml_world_functions,
    dynaml_meta_functions;

/* DY-051. */
int dynaml_get_truth(value v);
/* DY-054: the text of a string, integer or boolean; false for all else. */
bool dynaml_print_text(struct buf *out, value v);

#endif
