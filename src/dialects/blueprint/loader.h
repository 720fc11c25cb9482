/* One load of one blueprint, as its parts see it. Lives on the stack of blueprint_load; what outlasts the load is made
 * in `arena`, everything else in `scratch`.
 *
 * Order of work (BP-310): every section enters its names; then definitions are read, element by element (shape,
 * syntax); then names and references are resolved, types checked, links selected, cycles found. An element that has
 * errors is `broken`: its users take it for something of unknown content (BP-302). */
#ifndef LINTEL_DIALECTS_BLUEPRINT_LOADER_H
#define LINTEL_DIALECTS_BLUEPRINT_LOADER_H

#include "dialects/blueprint/blueprint.h"
#include "dialects/blueprint/data.h"
#include "doc/reader.h"
#include "doc/scalar.h"
#include "lang/dialect.h"

/* What a resource type text means; one per different text. */
struct type_entry {
    const struct resource_type *type; /* NULL: not found (reported), or no providers */
    const struct type *spec_type;     /* any without a schema */
    const struct type *id_type;       /* NULL: no id field */
    bool broken;
};

/* Beside each element, during the load. */
struct entry {
    const struct node *key, *def;
    const struct type_entry *type;  /* RESOURCE */
    const struct node *selector;    /* RESOURCE: its linkSelector */
    const struct node *annotations; /* RESOURCE */
    const struct node *depends_on;  /* RESOURCE */
    const struct type *static_type; /* VALUE: what is known of its content */
    bool broken, used;
    bool is_template;             /* RESOURCE: it has `each` */
    bool has_count;               /* the number of its instances is known already */
    uint8_t visit;                /* values: order of types */
    uint32_t each_count;          /* so many of its uses are those of `each` */
    bool each_is_fixed;           /* `each` depends on no input at all */
    uint32_t instances;           /* when has_count */
    const struct type *elem_type; /* of `elem`, while it is under check */
};

/* A piece of free-form data: a literal, or an expression. */
struct part {
    value literal; /* when expr is NULL */
    const struct expr *expr;
    sv key;
    span at;
};

struct load_chain;
struct children_probe;

struct loader {
    const struct load_request *request;
    struct arena *arena;
    struct arena scratch;
    struct diags *diags;
    struct template *template;
    struct element *elements;
    struct entry *entries;
    size_t count;
    struct blueprint_data *data;
    struct map *names;   /* those of struct blueprint_data */
    struct scope *scope; /* of all expressions of the file */
    struct map types;    /* text → struct type_entry */
    struct map inputs;   /* name → the struct template_input that counts */
    size_t hint_budget;  /* names that may still be compared for hints */
    struct parse_context parse;
    VEC(struct part) parts;     /* stack of trees under construction */
    VEC(struct path_step) path; /* below the element, for BP-307 */
    struct depth_guard depth;
    VEC(struct element_edge) edges;           /* of the element being resolved */
    VEC(struct blueprint_use) edge_details;   /* beside `edges` */
    VEC(struct blueprint_link_use) link_uses; /* of the element being resolved */
    struct map detail_marks;                  /* target and detail → number + 1 of the last element with such a use */
    const struct blueprint_use **uses;        /* of struct blueprint_data */
    struct blueprint_link_uses *all_link_uses;
    struct blueprint_child **children; /* of struct blueprint_data: set by what loads children */
    bool has_details;                  /* one of edge_details says something */
    bool in_each;                      /* `each` is under check: neither elem nor i */
    uint32_t *edge_marks;              /* per element: number + 1 of the last element with a reference to it */
    uint32_t *depend_marks;            /* the same for dependsOn */
    uint32_t current;                  /* the element under check; UINT32_MAX for the top-level metadata */
    struct parse_context check;        /* for types: as `parse`, but in an arena that ends earlier */
    struct arena brief;                /* for the checks of some elements, emptied now and then */
    size_t shape_errors;               /* errors before names were resolved: something may be hidden */
    VEC(struct template_link) links;
    VEC(uint32_t) link_items;       /* beside `links`: of struct blueprint_data */
    struct load_family *family;     /* all files of the same root */
    const struct load_chain *chain; /* the files above this one, itself innermost */
    struct children_probe *probe;   /* sources of children, evaluated before types are checked */
    size_t errors_before;           /* when the load of this file began */
    bool is_transformed;            /* the document is what transforms made of it */
    bool skips_transforms;          /* it has some that were not run: unknown types are no errors (BP-062) */
};

/* --- load.c --- */
/* One file of a family; `chain` is NULL for the root. As blueprint_load. */
struct template *loader_load_file(const struct load_request *r, struct load_family *family,
                                  const struct load_chain *chain);
/* The number of the element of that name; UINT32_MAX for none. */
uint32_t loader_find(const struct loader *l, enum element_kind kind, sv name);
/* The closest name of that kind as "did you mean" of the diagnostic. */
void loader_hint_name(struct loader *l, struct diag *d, enum element_kind kind, sv name);
/* The closest of some words. */
void loader_hint_word(struct loader *l, struct diag *d, sv word, const sv *words, size_t count);
/* Sets path (the element's, and the path below it) and group of what was reported since `from`, where not set; tells
 * whether an error is among it. */
bool loader_tag(struct loader *l, size_t from, uint32_t element);
size_t loader_get_mark(const struct loader *l);

/* --- datasources.c, includes.c: the same; children are loaded between shapes and types --- */
void data_source_load(struct loader *l, uint32_t number);
/* Types and operands of the searches (BP-104, BP-123); with the static types. */
void data_source_check(struct loader *l, uint32_t number);
/* The search of one filter in the value of the element's `expr`; kind 0 when it is none. */
value data_source_find_search(value searches, size_t number);
void include_load(struct loader *l, uint32_t number);

/* --- variables.c, values.c, resources.c, exports.c: one definition each; shape and syntax --- */
void variable_load(struct loader *l, uint32_t number);
void value_load(struct loader *l, uint32_t number);
void resource_load(struct loader *l, uint32_t number);
void export_load(struct loader *l, uint32_t number);
/* The description of an element (in values.c, used by all); `n` may be NULL. */
void description_load(struct loader *l, struct element *e, const struct node *n);
/* Top-level metadata (BP-195); `n` may be NULL. */
void metadata_load(struct loader *l, const struct node *n);
/* The last input of a name counts (CLI-010). */
void variables_take_inputs(struct loader *l);
/* Warnings about inputs of no variable (BP-076). */
void variables_check_inputs(struct loader *l);

/* --- conditions.c, each.c: parts of resources --- */
/* BP-140; `n` is the condition. */
void condition_load(struct loader *l, struct element *e, const struct node *n);
/* Static types of its parts (BP-141). */
void condition_check(struct loader *l, const struct expr *e);
/* BP-150. */
void each_load(struct loader *l, uint32_t number, const struct node *n);
/* Its type; makes elem_type. */
void each_check_type(struct loader *l, uint32_t number);
/* What it depends on (BP-151). */
void each_check_uses(struct loader *l);
/* Numbers of instances that are known already, and what follows from them (BP-152, BP-154, BP-164). */
void each_check_counts(struct loader *l);

/* --- refs.c: names and references --- */
/* Every reference of every element: does its target exist; edges; use counts. */
void refs_resolve(struct loader *l);
/* Whether the name is that of an instance, `t_3` of a template `t`. */
bool refs_find_instance(const struct loader *l, sv name, uint32_t *template, uint32_t *item);
/* ref_links.c. What an argument of link(…) names (FN-232); false after a report, or when nothing is known of it. */
bool refs_find_link_side(struct loader *l, const struct expr *arg, struct blueprint_link_side *side);
/* Whether the links that are asked for follow from the blueprint. */
void refs_check_links(struct loader *l);
/* The links that elements ask for join their edges (FN-233); when links are known. */
void refs_add_link_edges(struct loader *l);
extern const struct check_ops refs_check_ops; /* user: the loader */

/* --- types.c: static types (BP-314) --- */
void types_check(struct loader *l);
/* The value of a tree as far as it is known: UNKNOWN of its type for what is computed. The schema (may be NULL) tells
 * where scalars become text (BP-216). */
value types_get_value(struct loader *l, const struct expr *e, const struct schema *s);
/* The type of one expression; NULL after a report. */
const struct type *types_get(struct loader *l, const struct expr *e);
/* Reports `what`, "not " and the type of the value. */
void types_report(struct loader *l, enum diag_code code, span at, const char *what, value v);

/* --- specs.c: specs against schemas (2.3) --- */
void spec_check(struct loader *l, uint32_t number);

/* --- links.c --- */
void links_check(struct loader *l);

/* --- cycles.c --- */
void cycles_check(struct loader *l);
void unused_check(struct loader *l);

/* --- evaluate.c --- */
extern const struct template_ops blueprint_template_ops;

#endif
