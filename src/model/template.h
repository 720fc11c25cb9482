/* Templates: what a dialect hands to the engine.
 *
 * Immutable. Elements stand in document order; every field is an expression, literals included: no document node is
 * needed any more. Values of one evaluation live in cells, which belong to whoever evaluates (`struct evaluation`), so
 * one template can be evaluated for a plan and again during deployment. Where the engine needs the dialect's knowledge
 * again while values become known, it asks through `ops`. Policies in which dialects differ are data. */
#ifndef LINTEL_MODEL_TEMPLATE_H
#define LINTEL_MODEL_TEMPLATE_H

#include "lang/eval.h"
#include "model/addr.h"
#include "model/provider.h"

struct template;

enum removal_policy {
    REMOVAL_DELETE = 1,
    REMOVAL_RETAIN,
};

/* Why one element uses another. */
enum edge_kind {
    EDGE_REFERENCE = 1,
    EDGE_DEPENDS_ON,
};

struct element_edge {
    uint32_t to; /* element number */
    enum edge_kind kind;
    bool direct; /* not only through values */
    span at;     /* the reference */
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
    /* RESOURCE */
    const struct resource_type *resource_type;
    const struct expr *spec;                                /* EXPR_OBJECT or a literal map */
    const struct expr *display_name, *annotations, *custom; /* NULL without */
    value labels;                                           /* map of strings; kind 0 without */
    enum removal_policy removal;
    const struct expr *condition, *each; /* NULL without */
    sv template_name;                    /* of a template instance */
    const struct node *spec_node;        /* for places of schema errors; NULL without */
};

/* A link that follows from the template (BP-160 to BP-163). */
struct template_link {
    addr address;  /* links.A::B */
    uint32_t a, b; /* element numbers */
    const struct link_type *type;
    span at; /* the selector or reference */
};

/* Cells of one element in one evaluation. The engine sets those of resources; the rest evaluate on demand. */
struct element_cells {
    struct cell main;   /* VARIABLE, VALUE, EXPORT: the value. RESOURCE: the resolved spec as written, with defaults,
                           without computed fields */
    struct cell merged; /* RESOURCE: `.spec` as others see it: spec and computed fields (BP-243) */
    struct cell state;  /* RESOURCE: `.state` (BP-244) */
    struct cell display_name, annotations, custom, description;
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
    void *user;
};

struct template_ops {
    /* Fills `e->cells` and makes the evaluator. The caller has set template, arena, diags, host (may be NULL). */
    void (*start_evaluation)(const struct template *t, struct evaluation *e, struct host *host,
                             const struct limits *limits);
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
    sv root_dir;                 /* absolute directory of the root file (BP-404) */
    sv file_name;
    sv digest; /* SHA-256 of the root file, hexadecimal */
    struct template_policies policies;
    struct map by_address; /* address text → element pointer */
};

const struct element *template_find(const struct template *t, sv address);
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

struct load_request {
    struct arena *arena;
    struct sources *sources;
    struct diags *diags;
    const struct limits *limits;
    const struct providers *providers; /* NULL: no provider checks (BP-311) */
    struct host *host;
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
