/* Expanding (model/template.h): from loaded files to one flat template.
 *
 * Two passes. The first (expand.c) evaluates `each`, loads what is missing and gives every element its number: it makes
 * slots, in the order of the expanded template, and copies, one per occurrence of a file. The second (expand_fill.c,
 * expand_links.c) makes elements, links and edges of them. Everything is linear in what comes out. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_EXPAND_H
#define LINTEL_DIALECTS_BLUEPRINT_EXPAND_H

#include "dialects/blueprint/data.h"

/* One occurrence of a file. */
struct copy {
    const struct template *file;
    const struct blueprint_data *data;
    struct blueprint_names *names; /* of the expanded template */
    struct scope *scope;           /* of expressions outside of templates */
    sv prefix;
    struct copy *parent;                 /* NULL: the root */
    const struct blueprint_child *child; /* what the parent passes */
    const struct element *child_element; /* the parent's, as loaded */
    struct scope *outer;                 /* where the parent's expressions are evaluated, in the expanded template */
    struct scope *seed_outer;            /* the same in the parent's seed */
    uint32_t number;                     /* its CHILD element + 1; 0: the root */
    /* The seed: an evaluation of the file alone, for `each` and for sources of children. Made when first asked for. */
    struct evaluation *seed;
    struct scope *seed_scope;
    const struct expr **passed;       /* per element of the file, of the seed: what the parent passes; NULL: nothing */
    const struct element_edge **uses; /* per element of the file: edges of the expanded template, when made */
    size_t *use_counts;
};

/* One element of the expanded template. */
struct slot {
    struct copy *copy;
    struct copy *content; /* CHILD: its copy; NULL when it could not be loaded */
    struct scope *scope;
    sv address;
    uint32_t origin; /* element of the file */
    uint32_t item;   /* of an instance: its number + 1 */
    uint32_t group, group_end;
    enum element_kind kind;
};

struct expander {
    const struct expand_request *r;
    struct arena *arena;
    struct arena scratch;
    struct diags *diags;
    const struct template *root;
    VEC(struct slot) slots;
    VEC(struct copy *) copies;
    struct map by_address; /* address → slot number + 1; in the long-lived arena, it becomes the template's */
    size_t depth;          /* of copies */
    bool failed;
};

/* template_ops.expand. */
const struct template *expand_template(const struct template *t, const struct expand_request *r);

/* --- expand_seed.c --- */
/* The value of an expression in the seed of a copy; `scope` NULL: outside of templates. */
struct evaluation *expand_get_seed(struct expander *x, struct copy *c);

/* --- expand_fill.c --- */
struct template *expand_fill(struct expander *x);

/* --- expand_links.c --- */
void expand_links(struct expander *x, struct template *t);

#endif
