/* Module documents as they are written (docs/spec/module.md, 2 … 6 and 12): files, modules, parameters, calls.
 *
 * Everything lives in the arena of the set and is immutable once the set is loaded; expressions are parsed once. What
 * is broken has been reported and is left out, so that one load reports all mistakes. */
#ifndef LINTEL_DIALECTS_MODULE_DOCUMENT_H
#define LINTEL_DIALECTS_MODULE_DOCUMENT_H

#include "base/map.h"
#include "dialects/module/fields.h"
#include "dialects/module/json_schema.h"

enum module_form {
    MODULE_SCHEMA_FORM = 1,
    MODULE_LIST_FORM, /* section 12 */
};

struct module_code;
struct module_file;

/* Another call or dependency, as something of a call names it. */
struct module_use {
    sv name;
    span at;
    bool is_bare;       /* a root of the list form: no call, no edge */
    bool is_depends_on; /* names calls only */
};

/* One of `dependencies` of a call (MD-075). */
struct module_binding {
    sv name, local;
    span name_at, local_at;
};

/* One item of `modules`. */
struct module_call {
    uint32_t number;              /* in its module */
    sv name;                      /* empty when it is computed */
    const struct expr *make_name; /* MD-173; NULL for a plain name */
    sv target, provider;          /* as written; normalised (MD-226), empty for a call of a module */
    const struct expr *make_target;
    const struct module_code *module; /* NULL for a provider call */
    const struct expr *argument;      /* NULL: {} */
    const struct node *argument_node;
    const struct expr *condition, *each; /* NULL: without */
    VEC(struct module_use) uses;         /* what makes edges (MD-200), in order of text */
    VEC(struct module_binding) bindings;
    span at, name_at, target_at, argument_at, condition_at, each_at;
};

/* A parameter of the list form (MD-223). */
struct module_parameter {
    sv name;
    const struct json_schema *schema; /* NULL: any value */
    value fallback;                   /* kind 0: none */
    span at;
};

struct module_dependency {
    sv name, module; /* as written */
    span at;
};

/* One document. */
struct module_code {
    sv name;
    span at, name_at;
    enum module_form form;
    const struct module_file *file;
    const struct node *root;
    const struct json_schema *schema; /* of the schema form; NULL: any mapping */
    VEC(struct module_parameter) parameters;
    VEC(struct module_dependency) dependencies;
    VEC(struct module_call *) calls;
    struct map locals;       /* names of calls: to struct module_call; of dependencies: to NULL */
    bool has_computed_names; /* then names are checked when calls are expanded (MD-174) */
    bool is_broken;          /* something was reported: not to be evaluated */
    bool is_checked;         /* names and order are known */
    uint32_t *order;         /* of calls (MD-201), when no name is computed */
};

struct module_import {
    sv written;
    span at;
    struct module_file *file; /* NULL after a report */
};

struct module_file {
    struct source *source;
    sv path; /* absolute, links resolved; empty for a text without place */
    VEC(struct module_code *) modules;
    VEC(struct module_import) imports;
    struct map visible; /* names to struct module_code (MD-030) */
};

struct module_set {
    struct arena *arena;
    struct diags *diags;
    struct sources *sources;
    struct limits limits; /* MD-440 */
    VEC(struct module_file *) files;
    struct module_file *root;
};

/* Loads the root file and what it imports. Mistakes are in `diags`. Never NULL. */
struct module_set *module_load(struct arena *a, struct diags *diags, struct sources *sources, struct source *root);
/* A module of the root file; NULL when there is none of that name. */
struct module_code *module_find(const struct module_set *s, sv name);
/* Sets the path of each diagnostic that has none (MD-360): the module and the way down. */
void module_name_paths(const struct module_set *s);
/* Whether a text can be a name (MD-016). */
bool module_is_name(sv text);
/* Whether no call and no dependency can have this name (MD-081). */
bool module_is_reserved(const struct module_code *code, sv name);
/* The closest call or dependency, or empty. */
sv module_find_close_local(const struct module_code *code, sv name);

/* --- for the files of the loader --- */

/* Reads a file's documents as trees without aliases and merge keys (MD-011 … MD-013). False after a report that leaves
 * nothing to read. */
struct module_trees {
    VEC(struct node *) roots;
};
bool module_read_trees(struct module_set *s, struct source *source, struct module_trees *trees);
/* One document; NULL for one that is empty or no module. */
struct module_code *module_read_code(struct module_set *s, struct module_file *file, struct node *root);
/* The calls of a document. */
void module_read_calls(struct module_set *s, struct module_code *code, const struct node *list);
/* `parameter` and `parameters`. */
void module_read_schema(struct module_set *s, struct module_code *code, const struct node *n);
void module_read_parameters(struct module_set *s, struct module_code *code, const struct node *n);
/* Finds the modules that calls name (MD-035), once all files are read. */
void module_link_targets(struct module_set *s, struct module_code *code);
/* The provider that a target names, normalised (MD-226); empty when it names none. `is_known` tells whether it is built
 * in or can be a plugin. */
sv module_normalise_provider(struct arena *a, sv written);
/* Whether there can be such a provider: a built-in one, or a plugin's, which is looked for when it is used. */
bool module_is_provider(sv normalised);
struct module_fields module_make_fields(const struct module_set *s);
/* A string where no expression may stand; false after a report. */
bool module_take_text(struct module_set *s, const struct node *n, const char *what, sv *text);
/* The same for a name (MD-016). */
bool module_take_name(struct module_set *s, const struct node *n, const char *what, sv *name);
/* An item's keys: each is given to `take` once; others are warnings (MD-014). */
struct module_key {
    const char *name;
    const struct node *value; /* filled in: NULL when absent or null */
    const struct node *key;
};
void module_take_keys(struct module_set *s, const struct node *n, struct module_key *keys, size_t count,
                      const char *what);

#endif
