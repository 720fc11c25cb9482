/* Symbols as one run sees them: who was asked what, and what is known of pseudo parameters. Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_LOOKUPS_H
#define LINTEL_DIALECTS_CFN_LOOKUPS_H

#include "dialects/cfn/data.h"
#include "dialects/cfn/inputs.h"
#include "dialects/cfn/parameters.h"

struct cfn_child; /* stacks.h */

struct cfn_symbols {
    value pseudo[CFN_PSEUDO_COUNT]; /* kind 0: not asked for yet */
    struct cfn_parameter *declared; /* by number */
    struct map asked;               /* key text → struct cfn_asked */
    struct map children;            /* nested stacks: logical id → struct cfn_child */
    size_t stack_count;             /* of the root: nested ones on all levels */
};

struct cfn_asked {
    enum cfn_found found;
    struct cfn_reply reply;
};

/* Made when first asked for. */
struct cfn_symbols *cfn_symbols_get(struct cfn_run *run);
/* The chain of resolvers, each key once per run (CF-303). The stack's path is put in. */
const struct cfn_asked *cfn_lookup(struct cfn_run *run, const struct cfn_query *query);
/* The value with its origin in the word. */
value cfn_with_origin(value v, enum cfn_origin origin);
enum cfn_origin cfn_get_origin(value v);
/* The value of an answer that is not ABSENT: with origin GIVEN, unknown with the resolver's reason, or an error. */
value cfn_take_answer(struct cfn_run *run, const struct cfn_asked *asked, span at);

/* CF-201: those that are given have the right form. */
void cfn_pseudo_check(struct cfn_run *run);
/* The text of a pseudo parameter; false when it is not known. */
bool cfn_pseudo_get_text(struct cfn_run *run, enum cfn_pseudo p, sv *text);

#endif
