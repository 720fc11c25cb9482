/* Rows that stand as texts within other rows: the history and the journal keep elements and the instance as they were,
 * each sealed at its own place. From one data key to another they have to be moved by themselves (LC-047, LC-052). */
#ifndef LINTEL_ENGINE_INNER_ROWS_H
#define LINTEL_ENGINE_INNER_ROWS_H

#include "seal/seal.h"

struct inner_rows {
    struct arena *arena;
    struct sealer *from, *to;
    sv instance_id;
    size_t moved; /* leaves; added up */
};

/* Whether the JSON text of a history entry or journal row may hold such rows. */
bool inner_rows_may_have(sv json);
/* The body with the texts within it sealed by `to`. What only looks like one stays as it is, and so does what `from`
 * does not open. */
value inner_rows_move(struct inner_rows *r, value body, bool *changed);

#endif
