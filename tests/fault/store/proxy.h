/* Stands between a lintel and its PostgreSQL and cuts the connection when told to. */
#ifndef TESTS_FAULT_STORE_PROXY_H
#define TESTS_FAULT_STORE_PROXY_H

#include "contract/store/server.h"

#include <stdatomic.h>

enum proxy_cut {
    CUT_NOTHING,
    CUT_REQUEST, /* what the client says next does not arrive */
    CUT_ANSWER,  /* it does, but the answer does not */
};

struct proxy {
    char dir[64]; /* where its socket is */
    pid_t pid;
    _Atomic int64_t *cut; /* enum proxy_cut; back to CUT_NOTHING once it was done */
};

void proxy_start(struct proxy *p, struct server *s);
void proxy_stop(struct proxy *p);
sv proxy_get_url(struct proxy *p, struct arena *a, const char *schema);

#endif
