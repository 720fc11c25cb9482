/* Instances as a file, and back: `state export` and `state import` (LC-047; docs/schemas/state-file.schema.json).
 *
 * The file is a JSON array of instances with their elements and their history, as the store has them: sealed leaves
 * stay sealed, beside the data key as it is wrapped, leases and journals stay behind. An instance that a run holds, or
 * with an operation that was cut off, is not exported: what it is would not be true for long, or nobody knows it.
 *
 * A file that is read may be anything: it is checked as a whole, with places, before anything is written. */
#ifndef LINTEL_ENGINE_TRANSFER_H
#define LINTEL_ENGINE_TRANSFER_H

#include "base/jsonw.h"
#include "engine/edit.h"

/* Writes the instance that the configuration names as an item of the array. False after a report, with the exit code.
 */
bool transfer_write(const struct run_config *c, struct jsonw *w, enum exit_code *code);

/* One instance of a file. */
struct transfer_instance {
    struct store_instance row; /* `body` as in the file */
    VEC(struct store_element) elements;
    VEC(span) places; /* of the elements */
    VEC(struct store_history) history;
    sv data_key; /* of what is sealed, wrapped; empty: not told */
    span at;
};
struct transfer {
    VEC(struct transfer_instance) items;
};
/* Reads and checks all that can be told without a key. False after a report (`invalid_state_file` and others). */
bool transfer_read(struct arena *a, struct source *source, const struct limits *limits, struct diags *diags,
                   struct transfer *result);

/* What importing one instance would change. */
struct transfer_plan {
    const struct transfer_instance *from;
    struct sealer *opener; /* opens what is sealed in the file */
    struct edit e;
    bool is_new, is_same;
    size_t digests_only; /* secrets that came without their value (LC-051) */
};
/* Compares with what is stored; nothing is written. `e->changes` tells what would be. The caller has set `from` and
 * `opener`, which outlives the plan. False after a report, with the exit code: secrets that the key does not open, a
 * name that another instance has. */
bool transfer_compare(const struct run_config *c, struct transfer_plan *plan, enum exit_code *code);
/* Writes it in one transaction, if the stored instance is still as it was compared with. */
bool transfer_carry_out(const struct run_config *c, struct transfer_plan *plan, enum exit_code *code);

#endif
