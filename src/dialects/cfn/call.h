/* Calls of intrinsic functions as they stand in trees of nodes: short and long forms (CF-017 to CF-019).
 * Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_CALL_H
#define LINTEL_DIALECTS_CFN_CALL_H

#include "doc/node.h"

enum cfn_function {
    CFN_NO_FUNCTION = 0,
    CFN_REF,
    CFN_CONDITION, /* {"Condition": name}: a call only where a condition is wanted */
    CFN_GET_ATT,
    CFN_SUB,
    CFN_JOIN,
    CFN_SPLIT,
    CFN_SELECT,
    CFN_FIND_IN_MAP,
    CFN_IF,
    CFN_BASE64,
    CFN_CIDR,
    CFN_GET_AZS,
    CFN_IMPORT_VALUE,
    CFN_GET_STACK_OUTPUT,
    CFN_TRANSFORM,
    CFN_EQUALS,
    CFN_AND,
    CFN_OR,
    CFN_NOT,
    CFN_CONTAINS,
    CFN_EACH_MEMBER_EQUALS,
    CFN_EACH_MEMBER_IN,
    CFN_REF_ALL,
    CFN_VALUE_OF,
    CFN_VALUE_OF_ALL,
    CFN_LENGTH,
    CFN_TO_JSON_STRING,
    CFN_FOR_EACH, /* Fn::ForEach::Loop: a key among others */
    CFN_UNKNOWN_FUNCTION,
    CFN_FUNCTION_COUNT,
};

/* What tags value nodes of short forms may have (CF-017). */
enum cfn_short_form {
    CFN_SHORT_SCALAR = 1 << 0,
    CFN_SHORT_SEQUENCE = 1 << 1,
    CFN_SHORT_MAPPING = 1 << 2,
    CFN_SHORT_CALL = 1 << 3, /* a mapping only as the long form of a call */
};

struct cfn_function_def {
    sv name;              /* "Fn::Join", "Ref" */
    sv tag;               /* "!Join"; empty: there is no short form */
    unsigned short_forms; /* enum cfn_short_form */
    bool is_extension;    /* LE */
    bool is_rule;         /* CF-091 */
    bool is_condition;    /* gives a bool */
};
const struct cfn_function_def *cfn_function_get(enum cfn_function f);
/* By the key of a long form; CFN_UNKNOWN_FUNCTION for another `Fn::…`, CFN_NO_FUNCTION for other text. */
enum cfn_function cfn_function_find(sv key);
/* By the tag of a short form; CFN_UNKNOWN_FUNCTION for another local tag, CFN_NO_FUNCTION for others. */
enum cfn_function cfn_function_find_tag(sv tag);

struct cfn_call {
    enum cfn_function function;
    bool is_short;
    const struct node *argument; /* of a short form the node itself */
    span name_at;                /* the tag or the key */
};
/* Whether the node is a call; mistakes of layout are found by the check, once. A node with a key `Condition` alone is
 * none (CF-019). */
bool cfn_call_get(const struct node *n, struct cfn_call *call);
/* The same where a condition is wanted: `Condition` counts. */
bool cfn_call_get_condition(const struct node *n, struct cfn_call *call);
/* The value node of a short form without its tag: as it stands in the long form. */
struct node *cfn_node_untagged(struct arena *a, const struct node *n);
/* Trees share nodes, and nobody changes one: for places that have no const. */
struct node *cfn_node_unconst(const struct node *n);
/* The call with its tag or key; the node for others. */
span cfn_node_get_span(const struct node *n);

#endif
