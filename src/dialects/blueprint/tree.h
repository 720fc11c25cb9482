/* Free-form data (BP-002): node trees into values and expressions. What holds no substitution becomes a value, the rest
 * a tree of EXPR_OBJECT, EXPR_LIST, EXPR_TEMPLATE and what the substitutions are (BP-211). */
#ifndef LINTEL_DIALECTS_BLUEPRINT_TREE_H
#define LINTEL_DIALECTS_BLUEPRINT_TREE_H

#include "dialects/blueprint/loader.h"
#include "model/schema.h"

/* With a schema, white space around a sole substitution is ignored where no string is wanted (BP-212), and a scalar
 * that stands in a substitution becomes text where a string is wanted (BP-216). NULL: no schema. */
struct part tree_build(struct loader *l, const struct node *n, const struct schema *s);
/* A single text with substitutions. */
struct part tree_build_scalar(struct loader *l, const struct node *n, bool trim);
/* What the text consists of when that is exactly one substitution, white space around it ignored (BP-212); NULL for
 * everything else. ERROR after a report. */
const struct expr *tree_build_sole(struct loader *l, const struct node *n);
/* The part as an expression. */
const struct expr *tree_get_expr(struct loader *l, const struct part *p);
/* Steps of the path below the current element. */
void tree_enter_key(struct loader *l, sv key);
void tree_enter_index(struct loader *l, size_t index);
void tree_leave(struct loader *l);
/* Whether the schema takes strings: then text stays as it is. A union does when one of its variants does. */
bool tree_wants_string(const struct schema *s);
/* Whether a scalar of that type becomes text there (BP-216): the schema takes strings, and the scalar itself not. */
bool tree_wants_text(const struct schema *s, const struct type *t);
/* The schema of an entry or item; NULL when nothing is known of it. Of a union, that of its only variant of the kind.
 */
const struct schema *tree_get_entry_schema(const struct schema *s, sv key);
const struct schema *tree_get_item_schema(const struct schema *s);

#endif
