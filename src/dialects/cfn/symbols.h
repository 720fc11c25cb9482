/* Symbol resolvers (CF-302): where values come from that are in no template.
 *
 * A resolver answers queries or says that it does not know. Resolvers form a chain, which is asked in order until one
 * has an answer (CF-220): what the command line gives, symbol files, registered resolvers. The resolver in memory,
 * which is what a symbol file becomes, is the reference for others. */
#ifndef LINTEL_DIALECTS_CFN_SYMBOLS_H
#define LINTEL_DIALECTS_CFN_SYMBOLS_H

#include "dialects/cfn/origin.h"
#include "base/map.h"
#include "text/source.h"

enum cfn_query_kind {
    CFN_QUERY_PARAMETER = 1,       /* id: the name */
    CFN_QUERY_PSEUDO,              /* id: "AWS::Region" */
    CFN_QUERY_RESOURCE,            /* id, attribute ("Ref", "Arn", "Outputs.X"), type */
    CFN_QUERY_ZONES,               /* region: a list is wanted */
    CFN_QUERY_EXPORT,              /* id: its name; region, account */
    CFN_QUERY_STACK_OUTPUT,        /* id: stack, attribute: output; region, account */
    CFN_QUERY_DYNAMIC,             /* type: "ssm", "ssm-secure", "secretsmanager"; id, version, stage */
    CFN_QUERY_PARAMETER_ATTRIBUTE, /* id: parameter, attribute */
    CFN_QUERY_INCLUDE,             /* id: the location; a path is wanted */
};

struct cfn_query {
    enum cfn_query_kind kind;
    sv stack; /* path of the nested stack that asks: "Child/Grandchild"; empty for the root */
    sv id, attribute, type;
    sv region, account; /* evaluated ones of the stack that asks, or those that are named */
    bool is_home;       /* EXPORT, STACK_OUTPUT: both are those of the stack that asks */
    sv version, stage;  /* DYNAMIC; empty: the current one */
    /* A property of the resource, evaluated; kind 0 when there is none or it cannot be told. NULL: not of a resource.
     */
    value (*get_property)(const struct cfn_query *q, sv path);
    void *user;
};

struct cfn_reply {
    struct arena *arena; /* where the answer has to live */
    value item;          /* FOUND; marked sensitive where it is */
    sv reason;           /* UNKNOWN, FAILED: in a few words */
    span at;             /* where it is written; SPAN_NONE */
    bool is_command_line;
};

enum cfn_found {
    CFN_FOUND_NONE = 0, /* never returned */
    CFN_FOUND,
    CFN_ABSENT,  /* ask the next */
    CFN_UNKNOWN, /* ask nobody else */
    CFN_FAILED,
};

struct cfn_resolver_ops {
    const char *name;
    enum cfn_found (*lookup)(void *self, const struct cfn_query *query, struct cfn_reply *reply);
    void (*close)(void *self); /* may be NULL */
};

struct cfn_resolver {
    const struct cfn_resolver_ops *ops;
    void *self;
};

/* Asks one after the other. ABSENT when nobody knows. */
enum cfn_found cfn_resolvers_ask(const struct cfn_resolver *resolvers, size_t count, const struct cfn_query *query,
                                 struct cfn_reply *reply);

/* --- the resolver in memory --- */

/* One symbol file, one parameter file, or what the command line gives. Values are held by section as CF-221 has them,
 * those that are sensitive marked. */
enum cfn_symbol_section {
    CFN_SYMBOLS_PARAMETERS = 0, /* pseudo parameters by their names, "AWS::Region" */
    CFN_SYMBOLS_RESOURCES,
    CFN_SYMBOLS_TYPES,
    CFN_SYMBOLS_ZONES,
    CFN_SYMBOLS_SSM,
    CFN_SYMBOLS_SSM_SECURE,
    CFN_SYMBOLS_SECRETS,
    CFN_SYMBOLS_PARAMETER_ATTRIBUTES,
    CFN_SYMBOLS_INCLUDES,
    CFN_SYMBOLS_COUNT,
};

/* An export or an output of another stack. Empty region, account: those of whoever asks. */
struct cfn_foreign {
    sv stack; /* empty for exports */
    sv name, region, account;
    value item;
};

struct cfn_memory {
    struct arena *arena;
    value sections[CFN_SYMBOLS_COUNT]; /* maps; kind 0: none */
    struct map foreign;                /* by key text, to struct cfn_foreign */
    struct map spans;                  /* name of a parameter → span, where it is written */
    sv directory;                      /* of the file: where `Includes` start */
    bool is_command_line;
};

extern const struct cfn_resolver_ops cfn_memory_ops;

struct cfn_memory *cfn_memory_new(struct arena *a);
/* Puts or replaces. */
void cfn_memory_put_parameter(struct cfn_memory *m, sv name, value item, span at);
void cfn_memory_put_resource(struct cfn_memory *m, sv id, sv attribute, value item);
void cfn_memory_put_foreign(struct cfn_memory *m, const struct cfn_foreign *f);

#endif
