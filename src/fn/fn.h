/* The core functions (blueprint-functions.md) as const tables, one family per file. */
#ifndef LINTEL_FN_FN_H
#define LINTEL_FN_FN_H

#include "base/jsonw.h"
#include "lang/fn_def.h"

/* Every core function, those that are not there yet included: these report `not_supported_yet` when checked or called.
 */
extern const struct fn_registry fn_core_registry;

/* Whether the function is only a name so far. */
bool fn_is_later(const struct fn_def *f);
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
