/* A template after expansion, as check has found it: sections, elements and what in them has to be evaluated. Immutable
 * once checked; nodes are borrowed from the document. Internal to the room.
 *
 * Expressions. A call becomes an expression of the one evaluator (lang/expr.h), its site in `call.data`. Ref, GetAtt
 * and Condition are EXPR_DIRECTIVE, the others EXPR_CALL of the functions in functions_*.c. Data around calls is not
 * evaluated at all: a `struct cfn_part` marks the way down to the calls in it. */
#ifndef LINTEL_DIALECTS_CFN_TEMPLATE_H
#define LINTEL_DIALECTS_CFN_TEMPLATE_H

#include "base/map.h"
#include "base/vec.h"
#include "dialects/cfn/call.h"
#include "lang/expr.h"

#define CFN_NONE UINT32_MAX

/* A named entry of a section, in document order. */
struct cfn_element {
    sv name;
    const struct node *key, *node; /* node: never an alias */
    uint32_t number;               /* in its section */
};

struct cfn_elements {
    struct cfn_element *items;
    size_t len, cap;
};

struct cfn_part {
    const struct node *node;
    const struct expr *expr; /* a call; NULL: data with calls below */
    uint32_t count;          /* children with calls in them */
    uint32_t slot;           /* a call: its number among the template's (run.h) */
    struct cfn_part **children;
    const uint32_t *indices; /* which items or pairs of the node they are, rising */
    bool is_text;            /* no call, but text with `{{resolve:` (CF-171) */
};

enum cfn_attribute {
    CFN_PROPERTIES = 0,
    CFN_METADATA,
    CFN_CREATION_POLICY,
    CFN_UPDATE_POLICY,
    CFN_DELETION_POLICY,
    CFN_UPDATE_REPLACE_POLICY,
    CFN_ATTRIBUTE_COUNT, /* those with calls in them */
};

struct cfn_resource {
    struct cfn_element e;
    sv type;
    span type_at;
    uint32_t condition;                                 /* number; CFN_NONE without */
    const struct node *attributes[CFN_ATTRIBUTE_COUNT]; /* NULL: not there */
    struct cfn_part *parts[CFN_ATTRIBUTE_COUNT];        /* NULL: nothing to evaluate */
    const struct node *depends_on;                      /* NULL: not there */
    struct cfn_symbol *first_symbol;                    /* what is referred to */
    struct map symbols;                                 /* struct cfn_symbol by attribute: what is referred to */
    bool is_made;                                       /* by SAM (CF-272): has a name and a type, is in no output */
    const void *made_by;                                /* sam.h */
    const struct cfn_resource *maker;
};

/* A reference of one condition to another. */
struct cfn_condition_use {
    uint32_t number;
    span at;
};

struct cfn_condition {
    struct cfn_element e;
    const struct expr *expr;
    struct arena *arena;
    VEC(struct cfn_condition_use) uses;
};

struct cfn_output {
    struct cfn_element e;
    uint32_t condition;
    const struct node *value, *export_name; /* NULL: not there */
    struct cfn_part *value_part, *export_part;
};

struct cfn_assertion {
    const struct expr *expr;
    sv description;
    span at;
};

struct cfn_rule {
    const struct cfn_element *e;
    const struct expr *condition; /* NULL: none */
    VEC(struct cfn_assertion) assertions;
};

struct cfn_template {
    struct arena *arena;
    const struct node *written; /* as read: where paths are found */
    const struct node *root;    /* expanded */
    span at;
    bool has_extensions, is_sam; /* transforms */
    VEC(struct cfn_resource *) resources;
    VEC(struct cfn_condition *) conditions;
    VEC(struct cfn_output *) outputs;
    struct cfn_elements mappings, rules, parameters;
    VEC(struct cfn_rule *) checked_rules;
    VEC(const struct cfn_symbol *) symbols; /* by number */
    struct map resources_by_name, conditions_by_name, outputs_by_name, mappings_by_name, parameters_by_name;
    struct map kept_loops;           /* names that loops left as they are may make (CF-129) */
    const struct node *sections[16]; /* enum cfn_section of sections.h; NULL: not there */
    uint32_t slot_count;
    uint32_t symbol_count; /* different (resource, attribute) that are referred to */
};

/* What a Ref or GetAtt was found to mean. */
enum cfn_target {
    CFN_TARGET_PARAMETER = 1,
    CFN_TARGET_PSEUDO,   /* number: enum cfn_pseudo of symbols.h */
    CFN_TARGET_RESOURCE, /* number: of the symbol, see cfn_symbol */
    CFN_TARGET_COMPUTED, /* the name is an argument */
    CFN_TARGET_LOOP,     /* what a loop that is left may make: unknown */
};

/* A (resource, attribute) that something refers to: computed once per run (CF-225). Attribute `Ref` for Ref. */
struct cfn_symbol {
    const struct cfn_resource *resource;
    sv attribute;
    uint32_t number;
    struct cfn_symbol *next; /* of the resource */
};

/* What is behind `call.data` of an expression. */
struct cfn_site {
    const struct node *node; /* as written */
    uint8_t function;        /* enum cfn_function */
    bool is_short;
    uint8_t target;                   /* enum cfn_target */
    uint8_t layout;                   /* the function's own */
    uint32_t number;                  /* parameter, pseudo parameter, condition */
    const struct cfn_resource *owner; /* in whose attributes it stands; NULL: elsewhere */
    const struct cfn_symbol *symbol;
    const void *data; /* the function's own */
};

#endif
