/* What the dialect keeps beside its template for evaluations. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_DATA_H
#define LINTEL_DIALECTS_BLUEPRINT_DATA_H

#include "base/map.h"
#include "model/template.h"

struct blueprint_data;
struct load_family;

/* What a variable accepts, for what a parent passes (BP-075 to BP-077). */
struct blueprint_variable {
    enum value_kind kind;               /* of its values; 0: not known (its definition has errors) */
    value allowed;                      /* a list; kind 0: any */
    const struct variable_type *custom; /* NULL: `type` is a scalar type, or there are no providers */
};

/* The instances of one template in one copy of its file. */
struct blueprint_instances {
    const uint32_t *numbers; /* in the template at hand; NULL: no template, or not expanded */
    uint32_t count;
    bool is_open; /* how many there are is not known (tolerant expansion) */
};

/* Where the names of one copy of a file lead: the owner of every scope of its expressions. */
struct blueprint_names {
    const struct blueprint_data *file;
    sv prefix;               /* of addresses: "", "children.core/", "resources.web_0/" */
    const uint32_t *numbers; /* per element of the file: its number in the template at hand; NULL: the same. Of a
                                resource with `each` its TEMPLATE element */
    const struct blueprint_instances *instances; /* per element of the file; NULL: there are none */
    uint32_t child;                              /* CHILD element that this copy belongs to + 1; 0: the root */
};

/* What the reference behind an edge names beside its target. */
struct blueprint_use {
    uint32_t item; /* of a template: the instance's number + 1; 0: none */
    sv export;     /* of a child; empty: none */
};

/* link(a, b) as written (FN-232). */
struct blueprint_link_side {
    uint32_t element;
    uint32_t item; /* of a template: the instance's number + 1 */
};
struct blueprint_link_use {
    struct blueprint_link_side a, b;
    span at;
};
struct blueprint_link_uses {
    const struct blueprint_link_use *items;
    size_t count;
};

/* Where an element of an expanded template comes from. */
struct blueprint_origin {
    const struct element *element;         /* of the loaded file */
    const struct blueprint_names *copy;    /* the copy it stands in */
    const struct blueprint_names *content; /* CHILD: the names of its copy; NULL when it could not be loaded */
    const struct element
        *passed_by; /* VARIABLE to which a parent passes a value: the parent's CHILD as loaded; else NULL */
};

/* One loaded file. Immutable after the load; shared by all copies of it in an expanded template. */
struct blueprint_data {
    struct map names[ELEMENT_EXPORT + 1]; /* by kind: name → element number + 1. A resource of type lintel/blueprint
                                             stands under RESOURCE */
    struct blueprint_child *const *children; /* per element: CHILD elements and lintel/blueprint resources; else NULL */
    const struct blueprint_variable *const *variables; /* per element: of VARIABLE elements; NULL without any */
    const struct content *content;                     /* the file; NULL for text without place */
    const struct node *tree;                           /* root of the file as it was checked, transforms done */
    uint32_t source;                                   /* its source's number */
    struct scope root;                                 /* of a file that stands for itself: its owner is `self` */
    struct blueprint_names self;
    bool needs_expansion;       /* it has resources with `each`, or children */
    struct load_family *family; /* all files loaded with the same root; for children that are loaded later */
    size_t height;              /* files on the longest way down from this one, itself counted */
    size_t weight;              /* its elements, and those of all loaded children as often as they are used */
    const struct blueprint_use *const *uses;     /* per element, beside element.uses; NULL: nothing to tell */
    const struct blueprint_link_uses *link_uses; /* per element */
    const uint32_t *each_uses;                   /* per element: so many of its first uses are those of `each` */
    const uint32_t *link_items;                  /* per link: the instance of its side B + 1; 0: all of it */
    const struct blueprint_origin *origins;      /* per element of an expanded template; NULL in loaded ones */
};

/* A child as written: an include (1.11), or a resource of type lintel/blueprint (1.20). See children.h. */
struct blueprint_child {
    const struct expr *path, *metadata;              /* NULL without */
    const struct expr *module_name, *module_version; /* in place of `path` (BP-291) */
    span path_at, metadata_at;                       /* what is wrong with a source is reported there */
    const sv *names;                                 /* of the variables passed, in document order */
    const struct expr *const *exprs, *const *soles;  /* the latter for variables that are no strings (BP-177) */
    const struct node *const *nodes, *const *keys;   /* for places */
    size_t count;
    struct map inputs; /* name → its number in `names` + 1 */
    bool is_resource;
    /* Set when it could be loaded: path and metadata were known and nothing was wrong with the file. */
    const struct template *template;
    bool broken; /* reported; its exports have the type any, and nothing more is said of it */
};

/* The group of diagnostics about an element of that kind (BP-305); empty for those without. */
sv blueprint_get_group(enum element_kind kind);

#endif
