/* Consent (CLI-011). Internal to the command line. */
#ifndef LINTEL_APPS_CLI_CONSENT_H
#define LINTEL_APPS_CLI_CONSENT_H

#include "apps/cli/session.h"

enum consent {
    CONSENT_GIVEN = 1,
    CONSENT_BY_KIND,    /* --approve covers all of the plan; nobody has looked at it */
    CONSENT_REFUSED,    /* a person said something else than yes, or --deny forbids it; the latter is reported */
    CONSENT_IMPOSSIBLE, /* nobody to ask; reported */
};

/* Before anything is planned: whether somebody can be asked, or need not be. False after a report. */
bool consent_is_possible(struct cli *c);
/* Whether somebody may be asked, who then has to see what for. */
bool consent_may_ask(const struct cli *c);
/* For a plan that has been shown: --deny, --auto-approve, --approve, --plan, then a person. */
enum consent consent_get(struct cli *c, const struct plan *p);

/* For what is no plan: --auto-approve, then a person. */
enum consent consent_ask(struct cli *c, const char *question);

/* --- guard.c --- */
/* Whether --approve and --deny can be understood. False after a usage error. */
bool guard_check_options(struct cli *c);
/* Whether no --deny forbids anything that carrying the plan out may do. False after a report that names the first. */
bool guard_allows(struct cli *c, const struct plan *p);
/* Whether --approve is given. */
bool guard_has_approval(const struct cli *c);
/* Whether --approve covers all that carrying the plan out may do. False with a sentence about what it does not. */
bool guard_approves(struct cli *c, const struct plan *p, sv *why);

/* Shared by deploy and destroy: shows the plan, asks, carries it out. `t` is NULL for a destruction. */
enum exit_code deploy_carry_out(struct session *s, const struct template *t, const struct plan *p);
/* The line at the end that says how the instance is. */
void deploy_say_end(struct cli *c, const struct plan *p, enum exit_code code);
/* The event "plan", where events are wanted. */
void deploy_write_plan_event(struct cli *c, const struct plan *p);

/* --- cmd_rollback.c --- */
/* What is taken back and what is skipped, for people; as members of a JSON object. */
void rollback_render(struct cli *c, struct buf *out, const struct rollback *r);
void rollback_write_json(struct jsonw *w, const struct rollback *r);
/* Behind a run that has failed with `code`: the exit code of both. */
enum exit_code rollback_after_failure(struct session *s, const struct plan *failed, enum exit_code code);

/* --plan FILE; NULL after a report. */
struct plan *deploy_read_plan(struct session *s, sv path);

#endif
