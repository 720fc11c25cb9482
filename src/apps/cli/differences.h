/* How real objects differ from the stored state, as drift and reconcile show it. Internal to the command line. */
#ifndef LINTEL_APPS_CLI_DIFFERENCES_H
#define LINTEL_APPS_CLI_DIFFERENCES_H

#include "apps/cli/session.h"

struct difference_writer {
    struct buf *out;
    bool color;
    enum secrecy secrecy;
};

/* A line a field, the stored value first. */
void differences_render(struct difference_writer *w, const struct field_diff *diff);
/* A JSON array of them. */
void differences_write_json(struct jsonw *j, struct arena *a, const struct field_diff *diff, enum secrecy secrecy);

#endif
