/* The phases of an operation on a link, what their statuses are called, and what they mean for the record (BP-490,
 * BP-543). Phases are numbered in the order in which they are carried out. */
#ifndef LINTEL_ENGINE_LINK_PHASES_H
#define LINTEL_ENGINE_LINK_PHASES_H

#include "engine/stored.h"

enum { LINK_PHASES = 3 };

enum link_phase_state {
    LINK_PHASE_RUNS = 1, /* updating_resource_a */
    LINK_PHASE_ENDED,    /* resource_a_updated */
    LINK_PHASE_FAILED,
    LINK_PHASE_INTERRUPTED,
    LINK_PHASE_STATES,
};

/* A, B, intermediaries; of a removal intermediaries, B, A. */
enum link_phase link_phase_find(size_t number, bool removes);
/* "resource_a" */
sv link_phase_get_name(enum link_phase phase);
/* A run that rolls back has its own, but the one of what was interrupted. */
enum status link_phase_get_status(enum link_phase phase, enum link_phase_state state, bool rolls_back);
/* Whether that is the status of a phase in a run that rolls back. */
bool link_phase_rolls_back(enum status precise);
/* NULL: the type leaves it out. */
link_operation link_phase_get_operation(const struct link_type *type, enum link_phase phase, bool removes);
/* How many phases have ended, told by the precise status of a link whose operation is under way, failed, or was cut
 * off.
 */
size_t link_count_done(enum status precise, bool removes);
/* A side of the link as its record has it; without spec when there is no object. */
struct link_resource link_find_side(struct arena *a, const struct stored *s, const struct link_record *l, sv name);
/* Which phase was begun and has not ended, as a number; LINK_PHASES without one. */
size_t link_find_open(enum status precise, bool removes);
/* The record follows what the operation of a phase did. Values are copied into `a`. */
void link_phase_take(struct arena *a, struct link_record *l, const struct link_op_call *c, bool removes);

#endif
