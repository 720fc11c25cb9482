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
    bool is_template; /* RESOURCE: it has `each` */
    uint8_t visit;    /* values: order of types */
};

/* A piece of free-form data: a literal, or an expression. */
struct part {
    value literal; /* when expr is NULL */
    const struct expr *expr;
    sv key;
    span at;
};

struct loader {
    const struct load_request *request;
    struct arena *arena;
    struct arena scratch;
    struct diags *diags;
    struct template *template;
    struct element *elements;
    struct entry *entries;
    size_t count;
    struct map *names;  /* those of struct blueprint_data */
    struct map types;   /* text → struct type_entry */
    struct map inputs;  /* name → the struct template_input that counts */
    size_t hint_budget; /* names that may still be compared for hints */
    struct parse_context parse;
    VEC(struct part) parts;     /* stack of trees under construction */
    VEC(struct path_step) path; /* below the element, for BP-307 */
    struct depth_guard depth;
    VEC(struct element_edge) edges; /* of the element being resolved */
    uint32_t *edge_marks;           /* per element: number + 1 of the last element with a reference to it */
    uint32_t *depend_marks;         /* the same for dependsOn */
    uint32_t current;               /* the element under check; UINT32_MAX for the top-level metadata */
    struct parse_context check;     /* for types: as `parse`, but in an arena that ends earlier */
    struct arena brief;             /* for the checks of some elements, emptied now and then */
    size_t shape_errors;            /* errors before names were resolved: something may be hidden */
    VEC(struct template_link) links;
};

/* --- load.c --- */
/* The number of the element of that name; UINT32_MAX for none. `is_opaque` (may be NULL) tells that the name exists,
 * but nothing is known of it. */
uint32_t loader_find(const struct loader *l, enum element_kind kind, sv name, bool *is_opaque);
/* The closest name of that kind as "did you mean" of the diagnostic. */
void loader_hint_name(struct loader *l, struct diag *d, enum element_kind kind, sv name);
/* The closest of some words. */
void loader_hint_word(struct loader *l, struct diag *d, sv word, const sv *words, size_t count);
/* Sets path (the element's, and the path below it) and group of what was reported since `from`, where not set; tells
 * whether an error is among it. */
bool loader_tag(struct loader *l, size_t from, uint32_t element);
size_t loader_get_mark(const struct loader *l);
/* `not_supported_yet` at a construct. */
void loader_report_unsupported(struct loader *l, span at, sv what);

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

/* --- refs.c: names and references --- */
/* Every reference of every element: does its target exist; edges; use counts. */
void refs_resolve(struct loader *l);
extern const struct check_ops refs_check_ops; /* user: the loader */

/* --- types.c: static types (BP-314) --- */
void types_check(struct loader *l);
/* The value of a tree as far as it is known: UNKNOWN of its type for what is computed. The schema (may be NULL) tells
 * where scalars become text (BP-216). */
value types_get_value(struct loader *l, const struct expr *e, const struct schema *s);

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
