/* The core functions (blueprint-functions.md) as const tables, one family per file. */
#ifndef LINTEL_FN_FN_H
#define LINTEL_FN_FN_H

#include "base/jsonw.h"
#include "lang/fn_def.h"
#include "model/provider.h"

/* Every core function (FN-001). */
extern const struct fn_registry fn_core_registry;

/* The registry of one unit: `core` and the functions of its providers, for a copy of its dialect. `core` itself when
 * there are none. A name that is offered twice, or that core has, is `function_already_provided` here and now, whether
 * it is used or not, once per name and without place in the template; the core function or the first offer counts. `p`
 * may be NULL. Lives in `a`; borrows the names of `p` and the tables of `core` (FN-002). */
const struct fn_registry *fn_registry_for(struct arena *a, const struct fn_registry *core, const struct providers *p,
                                          struct diags *diags);
/* "substr(string text, integer start, integer end?) -> string" */
void fn_print_signature(struct buf *out, const struct fn_def *f);
/* The reference of all functions in Markdown, by family. */
void fn_render_docs(struct buf *out, const struct fn_registry *r);
/* One function for people. */
void fn_render_one(struct buf *out, const struct fn_def *f);
/* An array of objects: name, rule, family, signature, parameters, result, summary, details, example, result of it.
 * `only` (may be NULL) limits it to one. */
void fn_write_json(struct jsonw *w, const struct fn_registry *r, const struct fn_def *only);

#endif
