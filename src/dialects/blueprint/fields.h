/* Shapes of definitions: keys and scalar fields (BP-019 to BP-023, BP-045, BP-200). */
#ifndef LINTEL_DIALECTS_BLUEPRINT_FIELDS_H
#define LINTEL_DIALECTS_BLUEPRINT_FIELDS_H

#include "dialects/blueprint/loader.h"

/* The fields that a definition may have. */
struct field_set {
    const sv *names;
    size_t count;
    const char *what; /* "a variable", for messages */
};

/* The nodes of the fields of `def`, one per name of the set: NULL for an absent or null one (BP-023), also for those
 * that could not be read. Unknown keys are warnings. False when `def` is no mapping (reported, or an ERROR node). */
bool fields_read(struct loader *l, const struct node *def, const struct field_set *set, const struct node **fields);
/* Whether the key can be used: scalar, not null, without `${` (BP-019), not a repetition. Reports what the reader has
 * not. */
bool fields_check_key(struct loader *l, const struct node *key);
/* Whether the node is a mapping, else `invalid_map`. ERROR nodes and aliases are silent. */
bool fields_check_mapping(struct loader *l, const struct node *n, const char *what);
/* A string without substitutions (`substitution_not_allowed`, `must_be_scalar`, `invalid_scalar_type`). */
bool fields_get_text(struct loader *l, const struct node *n, const char *what, sv *text);
/* Reports every `${` below the node (BP-200); true when there was none. */
bool fields_check_static(struct loader *l, const struct node *n);
/* The texts below the node are secret: messages do not quote them. What holds substitutions is shown. */
void fields_hide(struct loader *l, const struct node *n);
/* What stands there, for messages: the start of a scalar's text, or "an array", "a mapping". */
sv fields_show(const struct node *n);
bool fields_is_null(const struct node *n);
/* What could not be read and has been reported: ERROR nodes, aliases. */
bool fields_is_broken(const struct node *n);
bool fields_has_substitution(const struct node *n);

#endif
