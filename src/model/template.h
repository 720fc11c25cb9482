/* Templates: what a dialect hands to the engine.
 *
 * Immutable. Elements stand in document order; every field is an expression, literals included: no document node is
 * needed any more. Values of one evaluation live in cells, which belong to whoever evaluates (`struct evaluation`), so
 * one template can be evaluated for a plan and again during deployment. Where the engine needs the dialect's knowledge
 * again while values become known, it asks through `ops`. Policies in which dialects differ are data.
 *
 * A template comes in two forms. What is *loaded* is one checked file: a resource with `each` is one element, a child
 * is one element. What is *expanded* (template_ops.expand) is flat: instances stand in place of resources with `each`,
 * and the elements of children stand among the others with addresses of their own (`children.core/resources.topic`).
 * The engine plans and deploys expanded templates only; where there is nothing to expand both are the same.
 *
 * Groups: in an expanded template an element of kind CHILD or TEMPLATE stands for a range of elements that follow it
 * directly. To use a group is to use all its resources: the user waits for the creation of every one of them. What a
 * CHILD element itself uses (its inputs, `dependsOn`) all resources of the group wait for. Groups nest. */
#ifndef LINTEL_MODEL_TEMPLATE_H
#define LINTEL_MODEL_TEMPLATE_H

#include "lang/eval.h"
#include "model/addr.h"
#include "model/fetch.h"
#include "model/provider.h"
#include "model/record.h"

struct template;
struct resource_record;
struct link_record;

enum removal_policy {
    REMOVAL_DELETE = 1,
    REMOVAL_RETAIN,
};

/* Why one element uses another. */
enum edge_kind {
    EDGE_REFERENCE = 1,
    EDGE_DEPENDS_ON,
    EDGE_LINK, /* link(a, b): `to` is a link number of the expanded template; edges to both sides stand beside it */
};

struct element_edge {
    uint32_t to; /* element number */
    enum edge_kind kind;
    bool direct; /* not only through values */
    span at;     /* the reference */
};

/* A data source: `struct element_cells.main` evaluates to the list of its search values, one per filter. */
struct element_filter {
    sv field; /* as written (BP-103) */
    enum filter_operator op;
    span at; /* the filter */
    span search_at;
};
struct element_export_field {
    sv name;                 /* under which it is referred to (BP-105) */
    sv field;                /* path in the provider's object */
    const struct type *type; /* as declared; arrays hold scalars (BP-107) */
    span at;
};

struct element {
    addr address;
    enum element_kind kind;
    sv name;
    span at;                 /* its name in the template */
    const struct type *type; /* declared type of variables, values, exports; NULL: any */
    bool secret;
    sv description; /* literal text or empty; when it has substitutions `description_expr` */
    const struct expr *description_expr;
    const struct expr *
        expr; /* VARIABLE: literal of the bound value, or NULL when not given (an unknown of its type); VALUE, EXPORT */
    sv type_text;                    /* as written: "string", "local/file" */
    sv field_text;                   /* EXPORT: the reference as written */
    const struct element_edge *uses; /* no duplicates per target and kind, order of text */
    size_t use_count;
    struct scope *scope; /* names that its expressions see: its file's elements, elem and i; the dialect's business */
    uint32_t group;      /* innermost group it belongs to + 1; 0: none (expanded templates) */
    uint32_t group_end;  /* CHILD, TEMPLATE: one behind its last member, which begin at its own number + 1; else 0 */
    /* DATA */
    const struct data_type *data_type; /* NULL without providers */
    const struct element_filter *filters;
    size_t filter_count;
    const struct element_export_field *fields;
    size_t field_count;
    /* RESOURCE, and CHILD where it was written as a resource (1.20): condition, each, removal; RESOURCE: */
    const struct resource_type *resource_type;
    const struct expr *spec;                                /* EXPR_OBJECT or a literal map */
    const struct expr *display_name, *annotations, *custom; /* NULL without */
    value labels;                                           /* map of strings; kind 0 without */
    enum removal_policy removal;
    const struct expr *condition, *each; /* NULL without */
    sv template_name;                    /* of a template instance */
    const struct node *spec_node;        /* for places of schema errors; NULL without */
    /* Of a template that was made of the state: what is recorded beside the fields stays as it is. Else NULL. */
    const struct resource_record *record;
};

/* A link that follows from the template (BP-160 to BP-163). */
struct template_link {
    addr address;  /* links.A::B */
    uint32_t a, b; /* element numbers */
    const struct link_type *type;
    span at;                          /* the selector or reference */
    const struct link_record *record; /* as of struct element */
};

/* Cells of one element in one evaluation. The engine sets those of resources; the rest evaluate on demand. */
struct element_cells {
    struct cell main; /* VARIABLE, VALUE, EXPORT: the value. RESOURCE: the resolved spec as written, with defaults,
                         without computed fields */
    value merged;     /* RESOURCE: `.spec` as others see it: spec and computed fields (BP-243); kind 0: not asked yet */
    value state;      /* RESOURCE: `.state` (BP-244); likewise */
    /* Where nothing is written all elements share one cell that is DONE; never NULL. */
    struct cell *display_name, *annotations, *custom, *description;
    struct cell *condition; /* RESOURCE, CHILD: a boolean; true where none is written. Use template_find_condition,
                               which looks at groups too */
};

/* One evaluation of a template: cells beside elements. */
struct evaluation {
    const struct template *template;
    struct evaluator *evaluator;
    struct element_cells *cells; /* as many as elements */
    struct arena *arena;
    struct diags *diags;
    /* How `merged` and `state` of a resource come to be when demanded before the engine has set them; NULL: spec with
     * computed fields unknown, state unknown. */
    value (*demand_resource)(void *user, struct evaluation *e, uint32_t element, bool state);
    /* The exported fields of a data source as a map (BP-108, BP-109), UNKNOWN when it is left for deployment, ERROR
     * after a report. `searches` are evaluated and without unknown parts, one per filter. NULL: unknown. */
    value (*demand_data)(void *user, struct evaluation *e, uint32_t element, const value *searches);
    /* The state of a link as FN-233 shows it; UNKNOWN while it is to be made or changed. NULL: unknown. */
    value (*demand_link)(void *user, struct evaluation *e, uint32_t link);
    void *user;
    /* Set by start_evaluation from the request. */
    struct host *host;
    struct run_record *record;
    struct fetcher *fetcher;
};

/* What an evaluation or an expansion is given of the world; every member but limits may be NULL. */
struct evaluation_request {
    struct host *host;
    const struct limits *limits;
    struct run_record *record;
    struct fetcher *fetcher;
    const struct observer *observer;
};

/* Expanding: `each` is evaluated, children that could not be loaded before are, everything is made flat. */
struct expand_request {
    struct arena *arena; /* where the expanded template lives; not shorter than the loaded one's users need */
    struct diags *diags;
    struct evaluation_request world;
    value (*demand_data)(void *user, struct evaluation *e, uint32_t element, const value *searches);
    void *user;
    bool tolerant; /* validation, rendering: what is not known yet stays out without a report (a template whose `each`
                      is not known has no instances); else each_not_known, include_source_unknown */
};

struct reference_target {
    uint32_t element;
    struct path property;
};

struct template_ops {
    /* Fills `e->cells` and makes the evaluator. The caller has set template, arena, diags, host (may be NULL). */
    void (*start_evaluation)(const struct template *t, struct evaluation *e, const struct evaluation_request *r);
    /* The expanded form; `t` itself when there is nothing to expand. NULL after a report. May be NULL: as if nothing
     * were. */
    const struct template *(*expand)(const struct template *t, const struct expand_request *r);
    /* The element that a reference in that scope leads to, and what follows it as a property (`spec.port`); of a
     * child's export the EXPORT element. False when it leads to no element (elem, i, unknown names). Needs an expanded
     * template; NULL: not told. */
    bool (*find_target)(const struct template *t, struct arena *a, const struct expr *ref, const struct scope *scope,
                        struct reference_target *result);
    /* Checks a resolved spec again (values that only now became known): schema and provider checks, at its place in the
     * template. Returns the spec with defaults and widened numbers, or ERROR after a report. */
    value (*recheck_spec)(const struct template *t, struct evaluation *e, uint32_t element, value spec);
};

struct template_policies {
    size_t parallel;            /* 10 (BP-465) */
    bool late_removals;         /* BP-484 */
    bool create_before_destroy; /* BP-446 */
};

struct template {
    sv dialect; /* "blueprint" */
    const struct template_ops *ops;
    const void *dialect_data; /* the dialect's own */
    struct sources *sources;
    const struct element *elements;
    size_t element_count;
    const struct template_link *links;
    size_t link_count;
    const struct expr *metadata; /* top-level; NULL without */
    struct scope *scope;         /* names that the metadata sees */
    sv root_dir;                 /* absolute directory of the root file (BP-404) */
    sv file_name;
    sv digest; /* SHA-256 of the root file, hexadecimal */
    struct template_policies policies;
    struct map by_address;      /* address text → element pointer */
    struct map link_by_address; /* address text of a link → its number + 1; filled in expanded templates */
    bool is_expanded;
};

const struct element *template_find(const struct template *t, sv address);
/* Evaluates the conditions of the element and of the groups it belongs to (BP-142): true, false, UNKNOWN, or ERROR
 * after a report. */
value template_find_condition(struct evaluation *e, uint32_t element);
/* `ops->expand`, or `t` itself. */
const struct template *template_expand(const struct template *t, const struct expand_request *r);
uint32_t template_get_number(const struct template *t, const struct element *e);

/* --- Loading --- */

enum input_form {
    INPUT_TYPED = 1, /* from files and parents: must have the declared type (BP-075) */
    INPUT_TEXT,      /* from the command line and the environment: parsed as the declared type */
};
struct template_input {
    sv name;
    enum input_form form;
    value item; /* TYPED; or a string for TEXT */
    span at;    /* in a variables file; or a source made for "--var name" */
};

/* The digest that a source had when it was staged (BP-174). */
struct content_pin {
    sv location, digest, commit;
};

/* A transform on one document. */
struct transform_run {
    struct arena *arena; /* of what comes out */
    sv name, document;   /* the document as JSON */
    /* out */
    sv output;      /* the new document */
    sv diagnostics; /* its lines on standard error, of failures too */
    struct fetch_failure failure;
};

/* Where transforms are found and how they are run (BP-057 to BP-060); made by the command line. */
struct transforms {
    /* Whether there is one of that name. */
    bool (*find)(void *user, sv name);
    /* False with a failure: code missing_transformers or transform_failed. The same name and document give the same
     * answer again without another run (BP-060). */
    bool (*run)(void *user, struct transform_run *r);
    void *user;
};

struct load_request {
    struct arena *arena;
    struct sources *sources;
    struct diags *diags;
    const struct limits *limits;
    const struct providers *providers; /* NULL: no provider checks (BP-311) */
    struct host *host;
    struct fetcher *fetcher;             /* NULL: children are not loaded (BP-312) */
    struct run_record *record;           /* NULL: impure functions are unknown while loading */
    const struct transforms *transforms; /* NULL: only built-in ones are found */
    bool no_transforms;                  /* BP-062 */
    const sv *module_roots;              /* BP-291; absolute directories */
    size_t module_root_count;
    const struct content_pin *pins; /* digests that were staged (BP-174) */
    size_t pin_count;
    sv file;                             /* path, or "-" */
    unsigned format;                     /* enum doc_format when named by the caller; 0: by extension */
    struct source *source;               /* already read; NULL: read `file` */
    const struct template_input *inputs; /* in rising precedence (CLI-010) */
    size_t input_count;
    bool check_inputs; /* a missing variable is an error (BP-074) */
};

/* dialects/blueprint/blueprint.h: struct template *blueprint_load(const struct load_request *r); NULL when nothing
 * could be made of the file; with errors in `diags` the template must not be planned. */

#endif
