/* The journal of an instance: a chain of rows (LC-020 to LC-022).
 *
 * Invariants: sequence numbers have no gaps; each row's MAC covers the row and the MAC before, the first one's that of
 * the last compacted row. A row that was appended in a transaction that did not commit never was: the caller takes the
 * journal back to a mark. */
#ifndef LINTEL_ENGINE_JOURNAL_H
#define LINTEL_ENGINE_JOURNAL_H

#include "engine/records.h"

struct journal {
    struct store *store;
    struct sealer *sealer;
    sv instance_id, run_id;
    uint64_t token;
    int64_t sequence; /* of the last row */
    uint8_t mac[32];
};

struct journal_mark {
    int64_t sequence;
    uint8_t mac[32];
};

struct journal_entry {
    enum journal_kind kind;
    int64_t wall_ms;
    sv operation, address, action;
    value body; /* kind 0: an empty object */
};

/* Inside a transaction. Rows are encoded in `scratch`. */
enum store_result journal_append(struct journal *j, struct arena *scratch, const struct journal_entry *entry);
/* A row of an earlier run once more, behind the last one: it keeps its run, token and time. Inside a transaction. */
enum store_result journal_append_row(struct journal *j, struct arena *scratch, const struct journal_row *earlier);
struct journal_mark journal_get_mark(const struct journal *j);
void journal_return(struct journal *j, struct journal_mark mark);

/* The MAC of a row behind the one that has `before`. */
void journal_make_mac(struct sealer *sealer, sv instance_id, const uint8_t before[32], struct journal_row *row);
/* The chain from the anchor through all rows. False with the number of the first row that does not fit. */
struct journal_check {
    struct sealer *sealer;
    sv instance_id;
    const struct journal_row *rows;
    size_t count;
    struct journal_mark anchor; /* last compacted row */
};
bool journal_check_chain(const struct journal_check *c, int64_t *broken, struct journal_mark *last);

/* An intent without outcome (LC-023). */
struct open_intent {
    const struct journal_row *row;
    value body;
    value progress; /* what was told last; kind 0 without */
};
struct open_intents {
    VEC(struct open_intent) items; /* in order of the journal */
};
/* Bodies are opened with the codec, whose arena holds the result. */
void journal_find_open(struct record_codec *codec, const struct journal_row *rows, size_t count,
                       struct open_intents *result);

#endif
