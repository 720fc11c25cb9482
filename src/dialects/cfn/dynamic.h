/* Dynamic references `{{resolve:…}}` in text (CF-170). What evaluation calls is in data.h. Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_DYNAMIC_H
#define LINTEL_DIALECTS_CFN_DYNAMIC_H

#include "base/sv.h"

struct cfn_dynamic {
    sv service;        /* "ssm" "ssm-secure" "secretsmanager" */
    sv id;             /* name or ARN */
    sv version, stage; /* empty: the current one */
    sv key;            /* of a secret that is JSON; empty: all of it */
};

/* What stands behind "{{resolve:". NULL, or what is wrong in words. */
const char *cfn_dynamic_parse(sv inner, struct cfn_dynamic *d);
/* The next reference from `*at` on, which moves to its start. `inner` is without braces; `is_open`: it has no end. */
bool cfn_dynamic_next(sv text, size_t *at, sv *inner, bool *is_open);

#endif
