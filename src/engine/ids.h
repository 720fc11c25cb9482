/* Names for runs, plans and instances. */
#ifndef LINTEL_ENGINE_IDS_H
#define LINTEL_ENGINE_IDS_H

#include "model/host.h"

/* 26 characters that sort by time (LC-001): 48 bits of milliseconds and 80 random ones, five bits a character. */
sv id_make_run(struct arena *a, struct host *host);
/* 21 random URL-safe characters (BP-410). */
sv id_make_instance(struct arena *a, struct host *host);
/* Who holds a lease, as JSON (LC-030): run id, actor, pid, start time, boot id, host, command, since. */
struct holder {
    sv run_id, command;
};
sv id_make_holder(struct arena *a, struct host *host, const struct holder *h);

#endif
