/* Looking at a blueprint, with its stored state when there is one: what graph, explain, render and console share.
 * Nothing is changed, no real object is read. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_INSPECT_H
#define LINTEL_APPS_CLI_INSPECT_H

#include "apps/cli/session.h"

struct inspection {
    struct cli *cli;
    struct session session;
    bool has_state;
    struct loaded loaded;
    const struct template *expanded;
    struct run_record record;
    struct evaluation evaluation;
    struct instance_view state; /* when has_state */
    struct map by_address;      /* stored resources */
};

struct inspect_request {
    sv file;                         /* none: no blueprint, only functions */
    const struct observer *observer; /* may be NULL */
    struct diags *diags;             /* of the evaluation; NULL: those of the invocation */
};
/* Loads, expands and prepares an evaluation in which stored resources have their computed fields and state. False
 * after a report; closed either way by inspect_close. */
bool inspect_open(struct cli *c, const struct inspect_request *r, struct inspection *i);
void inspect_close(struct inspection *i);
/* The element of an address and what follows it (CLI-012). False after a report with the closest address. */
bool inspect_find(struct inspection *i, sv address, const struct element **element, struct path *property);

#endif
