/* Places that allow expressions (docs/spec/module.md, 8 and 9): a node becomes one expression, parsed once.
 *
 * Strings are scanned for `${{`, keys never (MD-150). In an argument `if` and `for` are keys of the language:
 * containers that hold such parts are calls of an internal function (containers.c). What no expression is in is one
 * literal. All mistakes are reported; the result is an ERROR expression then, or holds one. */
#ifndef LINTEL_DIALECTS_MODULE_FIELDS_H
#define LINTEL_DIALECTS_MODULE_FIELDS_H

#include "dialects/module/language.h"
#include "doc/node.h"

struct module_fields {
    struct arena *arena;
    struct diags *diags;
    const struct limits *limits;
    const struct sources *sources;
    size_t depth; /* of the node at hand */
};

/* A value in which `if` and `for` mean nothing: of a call's `if`, `for`, `name`, `module`. */
const struct expr *module_field(struct module_fields *f, const struct node *n);
/* The value of `argument`: `if` and `for` are meta keys in it (MD-160). */
const struct expr *module_argument(struct module_fields *f, const struct node *n);

/* What a YAML scalar means (MD-012), numbers as this dialect has them. ERROR after a report. */
value module_scalar(struct arena *a, const struct node *n, struct diags *diags);
/* A whole tree as data, without expressions. */
value module_data(struct module_fields *f, const struct node *n);
bool module_is_null(const struct node *n);
/* Whether `${{` stands in the text of a scalar. */
bool module_has_expression(const struct node *n);
/* Reports each `${{` below the node (MD-015); true when there is none. */
bool module_check_plain(struct module_fields *f, const struct node *n);

/* --- containers.c --- */

enum { MODULE_NO_PART = INT32_MAX };

/* One entry or item of a container: numbers of arguments of the call that makes it. */
struct module_part {
    sv key;                         /* of an entry */
    uint32_t list, condition, body; /* MODULE_NO_PART: without */
    span list_at, condition_at;
};

/* `data` of a call of module_container. */
struct module_layout {
    const struct module_part *parts;
    size_t count;
    bool is_map;
    bool is_root; /* an argument with an `if` of its own: the one part's body, or an empty map (MD-082) */
};
/* Makes lists and maps with conditional and repeated parts (MD-161, MD-170 … MD-172). */
extern const struct fn_def module_container;
/* The layout of such a call; NULL for other expressions. */
const struct module_layout *module_find_layout(const struct expr *e);

#endif
