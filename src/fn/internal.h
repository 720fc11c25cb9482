/* What the families share: their tables, common types, small helpers of function bodies. */
#ifndef LINTEL_FN_INTERNAL_H
#define LINTEL_FN_INTERNAL_H

#include "lang/dialect.h"

#define FN_COUNT(array) (sizeof(array) / sizeof *(array))

extern const struct fn_table fn_table_callbacks, fn_table_collections, fn_table_digests, fn_table_encoding,
    fn_table_environment, fn_table_files, fn_table_json, fn_table_letters, fn_table_links, fn_table_network,
    fn_table_logic, fn_table_numbers, fn_table_search, fn_table_strings;

/* string, array or object; string or array; object of any form; a function of one argument. */
extern const struct type fn_type_sized, fn_type_string_or_list, fn_type_unary;
/* Functions of one text that give text, a boolean, texts, anything; of an object and of an array, that give anything;
 * of a string or an array, that give a boolean. */
extern const struct type fn_type_text_to_text, fn_type_text_to_bool, fn_type_text_to_texts, fn_type_text_to_any,
    fn_type_map_to_any, fn_type_list_to_any, fn_type_searched_to_bool;

extern const struct fn_def fn_contains, fn_fromjson, fn_has_prefix, fn_has_suffix, fn_replace, fn_split, fn_substr,
    fn_trimprefix, fn_trimsuffix;

/* Reports `limit_exceeded` and returns the ERROR value when a text or a number of items is too large (FN-007); else the
 * value of kind 0. */
value fn_check_text_size(struct fn_call *c, size_t bytes);
value fn_check_items(struct fn_call *c, size_t count);
/* fn_call_fail with a hint; an empty one is none. */
value fn_fail_with_hint(struct fn_call *c, enum diag_code code, size_t arg, sv message, sv hint);
/* "a string or bytes", "an array of strings". */
sv fn_print_type_phrase(struct arena *a, const struct type *t);
/* Whether every argument fits its parameter; else reports and sets the ERROR value (FN-018). Integers become floats
 * where floats are wanted. Arguments that are absent or unknown fit: the caller has asked to see them. */
bool fn_take_args(struct fn_call *c, value *result);
/* A function value of `fn` with these arguments behind the dynamic one, once they fit. */
value fn_capture(struct fn_call *c, const struct fn_def *fn);
/* The argument's text. */
sv fn_get_text(const struct fn_call *c, size_t arg);
bool fn_has_arg(const struct fn_call *c, size_t arg);
/* Reports a number that is negative where it must not be, when it is literal (FN-032). */
void fn_check_not_negative(const struct fn_check *c, size_t arg);
/* The result is of the common type of the arguments from `first` on (FN-033). */
const struct type *fn_join_types(const struct fn_check *c, size_t first);
/* The result type of a function-typed argument; any when it is not known. */
const struct type *fn_get_result_type(const struct fn_check *c, size_t arg);
/* Kinds of values that can be compared and stand for each other (FN-146, FN-173), from 1; 0: not known before
 * evaluation. */
unsigned fn_get_group(const struct type *t);
/* 1, 0, or -1 for what is no boolean; none counts as false (FN-014). */
int fn_get_truth(value v);

#endif
