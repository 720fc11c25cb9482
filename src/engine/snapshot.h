/* The state as it was before: what a rollback leads back to (BP-520), and what `show --at` is made of.
 *
 * The first time that a run is about to change an element, the element's row as it is goes into the journal, in the
 * same transaction, sealed as it was; in front of them stands one row with the instance's. An element that is not there
 * yet needs none where the intent of its creation stands in the journal. Invariants: (1) the rows of the journal tell
 * the state before the first run since the last success: what is saved once is not saved again by a later run. (2) A
 * row is saved before the element's operation starts, hence a run that is killed at any point can be rolled back. (3)
 * After a success the rows go into the history entry, which tells the state before it (LC-025). */
#ifndef LINTEL_ENGINE_SNAPSHOT_H
#define LINTEL_ENGINE_SNAPSHOT_H

#include "engine/records.h"

struct run_config;

/* What becomes of an address. */
struct earlier {
    sv address;
    bool was_there;
    struct store_element row; /* when it was there */
};

struct snapshot {
    VEC(struct earlier) items; /* changed elements, in the order in which they were first changed */
    struct map by_address;     /* address → number in items + 1 */
    bool was_empty;            /* the instance had no elements: items need not list what was made since */
    value instance;            /* the instance's row; kind 0: not kept */
    VEC(struct earlier) left;  /* objects that were left in place and forgotten (removalPolicy), as they were then */
    VEC(sv) taken;             /* addresses of those that a rollback has taken back since */
    int64_t history_number;    /* of the last entry when the first run began */
};

/* The words of rows in the journal: action of JOURNAL_SAVED. */
#define SAVED_BEFORE "before" /* the row as it was; address "instance": the instance's */
#define SAVED_LEFT   "left"   /* the row of an object that is left in place */
#define SAVED_TAKEN  "taken"  /* that object is in the state again */

value snapshot_encode_instance(struct arena *a, const struct store_instance *row);
/* Name, id and context are those of `s` as it comes in. */
void snapshot_decode_instance(value v, struct store_instance *s);

/* Of the rows of a journal. */
void snapshot_read_journal(struct record_codec *c, const struct journal_row *rows, size_t count, struct snapshot *s);
/* As members of a history entry's body, and back. False when the entry keeps none. */
void snapshot_encode(struct map_builder *b, const struct snapshot *s);
bool snapshot_decode(struct arena *a, value body, struct snapshot *s);
void snapshot_add(struct arena *a, struct snapshot *s, const struct earlier *e);
/* What was at an address: NULL when nothing is known of it, so that it was as it is now. With `was_empty` look at that
 * first. */
const struct earlier *snapshot_find(const struct snapshot *s, sv address);
bool snapshot_is_taken(const struct snapshot *s, sv address);

#endif
