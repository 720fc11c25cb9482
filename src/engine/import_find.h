/* Inside of an import: one object, and who else claims it. */
#ifndef LINTEL_ENGINE_IMPORT_FIND_H
#define LINTEL_ENGINE_IMPORT_FIND_H

#include "engine/import.h"

struct found_object {
    /* in */
    value wanted, metadata; /* as the template wants them; parts may be unknown */
    sv root_dir;
    /* out */
    value spec, computed; /* what was found */
    sv id;                /* as the provider names it */
};

/* Asks the provider. False after a report. */
bool import_find(struct import *i, const struct import_item *item, struct found_object *found);
/* False after a report: another record, of this instance or another one, claims one of the objects. */
bool import_check_claims(struct import *i);
/* Reports that the object is not taken, and returns false. */
bool import_refuse(struct import *i, const struct import_wish *wish, const char *hint, sv message);

#endif
