/* What is given to a template: parameters, pseudo parameters, symbols, resolvers (CF-220 to CF-222).
 *
 * Made by whoever starts a run, one for each stack of it; runs borrow them and change nothing, so several runs may use
 * the same. Mistakes in files and texts are diagnostics; functions return false then. */
#ifndef LINTEL_DIALECTS_CFN_INPUTS_H
#define LINTEL_DIALECTS_CFN_INPUTS_H

#include "base/vec.h"
#include "dialects/cfn/symbols.h"
#include "doc/node.h"
#include "text/diag.h"

struct cfn_inputs {
    struct arena *arena;
    struct sources *sources;
    struct diags *diags;
    struct cfn_memory *given;            /* the command line */
    VEC(struct cfn_memory *) parameters; /* parameter files, in order */
    VEC(struct cfn_memory *) symbols;    /* symbol files, in order */
    VEC(struct cfn_resolver) resolvers;  /* registered ones, in order */
    struct cfn_resolver *chain;          /* in the order of asking; made by cfn_inputs_close */
    size_t chain_len;
};

struct cfn_inputs *cfn_inputs_new(struct arena *a, struct sources *sources, struct diags *diags);
/* `-p NAME=VALUE`: the value is text. `--region` and others are "AWS::Region" … */
void cfn_inputs_put_parameter(struct cfn_inputs *in, sv name, value item, span at);
/* `--set ID.ATTR=V`, `--set ID=V`; V as YAML 1.2. The source is the option's text. */
bool cfn_inputs_set(struct cfn_inputs *in, struct source *source);
/* `--import NAME=V`; V is text. */
void cfn_inputs_put_export(struct cfn_inputs *in, sv name, sv text);
/* A parameter file (CF-222), a symbol file (CF-221): YAML, or JSON when its name ends in .json. `directory` is where
 * `Includes` start. */
bool cfn_inputs_read_parameters(struct cfn_inputs *in, struct source *source);
bool cfn_inputs_read_symbols(struct cfn_inputs *in, struct source *source, sv directory);
void cfn_inputs_add_resolver(struct cfn_inputs *in, struct cfn_resolver resolver);
/* When all is given: nothing may be added any more. */
void cfn_inputs_close(struct cfn_inputs *in);

/* A parameter's value that is given: the command line, parameter files, symbol files, resolvers. */
enum cfn_found cfn_inputs_ask(const struct cfn_inputs *in, const struct cfn_query *q, struct cfn_reply *reply);

/* --- symbol_file.c, parameter_file.c --- */
/* What a file says; NULL after a report when nothing can be used. */
struct cfn_memory *cfn_symbol_file_read(struct cfn_inputs *in, struct source *source);
struct cfn_memory *cfn_parameter_file_read(struct cfn_inputs *in, struct source *source);
/* A parameter's value: scalars as they are written, text but for booleans; lists of them. */
value cfn_file_get_parameter(struct cfn_inputs *in, const struct node *n);
/* The root of the file's tree; NULL after a report. */
const struct node *cfn_file_read(struct cfn_inputs *in, struct source *source);

#endif
