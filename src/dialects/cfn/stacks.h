/* Nested stacks (CF-260 to CF-263). Internal to the room, but for what the command line lists.
 *
 * A nested stack is a run of its own with diagnostics of its own, made when something first asks for one of its
 * outputs, or when all are wanted. Its values are carried over with what is said of them. */
#ifndef LINTEL_DIALECTS_CFN_STACKS_H
#define LINTEL_DIALECTS_CFN_STACKS_H

#include "dialects/cfn/data.h"

enum { CFN_STACK_DEPTH = 16, CFN_STACKS_MAX = 500 };

/* A value of another run, with the reasons and hints of unknowns. */
value cfn_carry(struct cfn_run *to, struct cfn_run *from, value v, span at);

/* `AWS::CloudFormation::Stack` or `AWS::Serverless::Application`. */
bool cfn_is_nested_stack(sv type);
/* The output `name` of the nested stack `r`; as cfn_symbol_ask. */
enum cfn_lookup cfn_nested_output(struct cfn_run *run, const struct cfn_resource *r, sv name, value *result,
                                  struct cell **demand);

/* What the parent gives to a nested stack's StackName and StackId; kind 0: nothing (CF-261). */
value cfn_nested_pseudo(struct cfn_run *child, enum cfn_pseudo p);

struct cfn_nested {
    sv path; /* "Child/Grandchild" */
    struct cfn_run *run;
};
/* After cfn_run_resolve: resolves those nested stacks, too, that nothing has asked for, and lists all that could be
 * read, parents first. */
size_t cfn_run_resolve_nested(struct cfn_run *run, const struct cfn_nested **items);

#endif
