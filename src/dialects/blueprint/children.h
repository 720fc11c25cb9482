/* Children: includes (1.11) and resources of type lintel/blueprint (1.20): the files they name, and what is passed.
 *
 * A file is loaded once, however many children name it: they share its template. Those whose source is known when their
 * parent is loaded are loaded with it (BP-310); the others stay without a template, and the expansion loads them. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_CHILDREN_H
#define LINTEL_DIALECTS_BLUEPRINT_CHILDREN_H

#include "dialects/blueprint/data.h"

struct dialect;
struct loader;

/* --- what is written --- */

/* An expression of a child, and where it stands below its element: "path", "variables" "x", "spec" "variables" "x". */
struct child_part {
    const struct expr *expr;
    sv keys[3];
    size_t key_count;
};
enum { CHILD_SOURCE_PARTS = 4 };
/* The expressions of a child by number: CHILD_SOURCE_PARTS of its source, then its variables; false behind the last.
 * `expr` is NULL for those that are not written. */
bool child_get_part(const struct blueprint_child *c, size_t number, struct child_part *part);
/* What is passed for a variable of the child; NULL when nothing is. White space around a sole substitution is ignored
 * where no string is wanted (BP-177). */
const struct expr *child_find_input(const struct blueprint_child *c, const struct element *variable);

/* --- what is passed --- */

struct child_refusal {
    enum diag_code code; /* include_variable_type_mismatch, variable_value_not_allowed,
                            custom_variable_value_not_in_options */
    sv message;          /* one sentence, without the value; in the arena */
};
/* Makes of a value that is passed the variable's value: widened, a label's option (BP-077). UNKNOWN, ABSENT and ERROR
 * stay as they are: ABSENT means that nothing is passed (BP-270), then `variable->expr` counts, and without one
 * include_missing_required_variable. False, with the reason, when the variable does not take it. */
bool child_take_input(struct arena *a, const struct blueprint_data *file, const struct element *variable,
                      uint32_t number, value *given, struct child_refusal *why);

/* --- loading --- */

/* A child whose source was not known before (BP-172). */
struct child_load {
    const struct element *element;     /* the child in its file, or an instance of it */
    const struct blueprint_data *file; /* where it is written */
    const struct blueprint_child *child;
    const struct blueprint_data *const *above; /* the files that led here, root first, `file` last */
    size_t above_count;
    struct evaluator *evaluator; /* evaluates the source in `scope` */
    struct scope *scope;
    struct diags *diags;
    bool tolerant; /* what is not known is no mistake */
};
/* The child's template, shared with others of the same file. NULL after a report, or (tolerant) when its source is not
 * known. Reports also variables that are missing or unknown by name (BP-177). */
const struct template *blueprint_load_child(const struct child_load *r);

/* --- steps of a load --- */

struct load_family *children_new_family(const struct load_request *r);
/* The dialect with the functions of the family's providers (FN-002); lives as long as the family. */
const struct dialect *children_get_dialect(const struct load_family *f);
/* The file that is loaded, as a base of its children. */
void children_start(struct loader *l, const struct source *source);
/* Loads the children whose sources are known (BP-310): after references are resolved, before types. */
void children_load(struct loader *l);
/* Types of what is passed (BP-177): after the types of values. */
void children_check(struct loader *l);
/* At the end: failures of sources that nothing else explains, and the sums of the file. */
void children_finish(struct loader *l);

/* --- includes.c --- */

/* The fields of an include or of the spec of a lintel/blueprint resource; NULL for those not written. */
struct child_fields {
    const struct node *path, *metadata, *variables, *module_name, *module_version;
};
/* Makes the child of an element from its fields: syntax. */
struct blueprint_child *child_new(struct loader *l, uint32_t number, const struct child_fields *fields,
                                  bool is_resource);
/* A resource of type lintel/blueprint: shape and syntax of its spec (BP-290). The element becomes one of kind CHILD. */
void blueprint_resource_load(struct loader *l, uint32_t number, const struct node *spec);

#endif
