/* Consent (CLI-011). Internal to the command line. */
#ifndef LINTEL_APPS_CLI_CONSENT_H
#define LINTEL_APPS_CLI_CONSENT_H

#include "apps/cli/session.h"

enum consent {
    CONSENT_GIVEN = 1,
    CONSENT_REFUSED,    /* a person said something else than yes */
    CONSENT_IMPOSSIBLE, /* nobody to ask; reported */
};

/* Before anything is planned: whether somebody can be asked, or need not be. */
bool consent_is_possible(struct cli *c);
enum consent consent_ask(struct cli *c, const char *question);

/* Shared by deploy and destroy: shows the plan, asks, carries it out. `t` is NULL for a destruction. */
enum exit_code deploy_carry_out(struct session *s, const struct template *t, const struct plan *p);
/* --plan FILE; NULL after a report. */
struct plan *deploy_read_plan(struct session *s, sv path);

#endif
