/* Events as machines read them (LC-060): the same objects on standard output and in the store. */
#ifndef LINTEL_ENGINE_EVENT_JSON_H
#define LINTEL_ENGINE_EVENT_JSON_H

#include "base/jsonw.h"
#include "engine/run.h"
#include "text/render.h"

/* What is being done to the element: "creating". */
sv event_get_verb(const struct event *e);
struct event_context {
    const struct diags *diags; /* that e->diag is one of */
    const struct mask *mask;   /* NULL: nothing is to be hidden */
    sv run_id;                 /* empty: left out */
};
/* The object of an event that is no summary. */
void event_write_json(struct jsonw *w, const struct event *e, const struct event_context *context);
/* Members "outcome", "done" and "elapsedMs" of a summary. */
void event_write_summary(struct jsonw *w, const struct event *e);

#endif
