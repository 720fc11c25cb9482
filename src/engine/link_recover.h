/* What became of the operation of a link that was cut off (LC-023): its phases that ended are in its record already; of
 * the one that was under way the type is asked, where it can tell. */
#ifndef LINTEL_ENGINE_LINK_RECOVER_H
#define LINTEL_ENGINE_LINK_RECOVER_H

#include "engine/recover.h"

/* Whether the intent is one of a link. */
bool link_intent_is_of_link(const struct open_intent *intent);
/* Changes the record in memory. UNDONE: the operation is to be run again, from the phase that was cut off. `reason` is
 * set when nobody can tell. */
enum recovery link_recover(const struct run_config *c, struct stored *s, const struct recovery_request *request,
                           const struct open_intent *intent, sv *reason);
/* Nobody can tell, and what was cut off is to be given up: it counts as failed. */
void link_settle_untold(struct link_record *l);

#endif
