/* What can be known to be wrong with modules before any value is known: names, cycles (MD-180, MD-200 … MD-203). */
#ifndef LINTEL_DIALECTS_MODULE_CHECK_H
#define LINTEL_DIALECTS_MODULE_CHECK_H

#include "dialects/module/document.h"

/* One module: its names and the order of its calls. With `warns` also what may be wrong (MD-119, MD-222). */
void module_check(struct module_set *s, struct module_code *code, bool warns);
/* Modules that reach themselves through calls, and nesting deeper than 64 (MD-203); those that `code` reaches, or all
 * for NULL. False after a report. */
bool module_check_recursion(struct module_set *s, const struct module_code *code);
/* The modules that `code` reaches through calls, itself included, in the order in which they are met. */
struct module_codes {
    VEC(struct module_code *) items;
};
void module_list_reached(struct module_set *s, struct module_code *code, struct module_codes *reached);
/* Drops diagnostics of documents that are not among these (MD-018). */
void module_drop_others(struct module_set *s, const struct module_codes *reached);

/* Reports a cycle among names (MD-202); `edges` of the graph lead from `names[from]` to `names[to]`. */
struct graph;
bool module_report_cycles(struct diags *diags, struct graph *g, const sv *names, const char *what);

#endif
