/* Data sources (1.7, 1.8): asking the provider, applying the filters, taking the exported fields. */
#ifndef LINTEL_ENGINE_DATA_READS_H
#define LINTEL_ENGINE_DATA_READS_H

#include "engine/run.h"

struct data_read {
    const struct run_config *c;
    struct run_record *record; /* where the result is kept, so that nothing is fetched twice (BP-110, BP-467) */
    struct diags *diags;
    sv base_dir; /* directory of the root blueprint */
    /* Called again and again while the provider is busy; NULL: the call is made in this thread. */
    void (*tick)(void *user);
    void *user;
};

/* The exported fields of the data source as a map; those that are null in the data are left out (BP-109: none). UNKNOWN
 * when a search is provisional or no provider is at hand, ERROR after a report. `searches`: one per filter, known. */
value data_read(const struct data_read *r, const struct element *e, const value *searches);
/* Whether the record has the result already. */
bool data_is_read(struct run_record *record, const struct element *e);

#endif
