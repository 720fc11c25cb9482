/* Records of deployed elements to and from store rows (BP-550 to BP-553). Sensitive leaves are sealed on the way out
 * and opened on the way in (LC-011 (5)). */
#ifndef LINTEL_ENGINE_RECORDS_H
#define LINTEL_ENGINE_RECORDS_H

#include "model/state.h"
#include "model/store.h"
#include "model/template.h"
#include "seal/seal.h"

struct record_codec {
    struct arena *arena; /* where results live; inputs are borrowed by them */
    struct sealer *sealer;
    struct diags *diags;
    sv instance_id;
    size_t unopened; /* sealed leaves that could not be opened so far (LC-051) */
};

struct store_element record_encode_resource(struct record_codec *c, const struct resource_record *r);
struct store_element record_encode_link(struct record_codec *c, const struct link_record *l);
/* False after a report (`state_corrupt`). */
bool record_decode_resource(struct record_codec *c, const struct store_element *row, struct resource_record *r);
bool record_decode_link(struct record_codec *c, const struct store_element *row, struct link_record *l);
/* A copy that borrows nothing: every text, list and value of it lives in `a`. Values that could not be opened cannot be
 * copied (record_is_closed). */
struct resource_record record_copy_resource(struct arena *a, const struct resource_record *r);
bool record_is_closed(const struct resource_record *r);
bool record_is_link_row(const struct store_element *row);

/* The rest of an instance: what stands in its row's body. */
struct instance_body {
    sv plan_id, run_id; /* of the run that is under way or was the last */
    sv template_digest, template_file;
    sv root_dir; /* of the last template that was deployed */
    int64_t last_attempt_ms, last_deployed_ms, duration_ms;
    int64_t journal_sequence; /* last row that was compacted, with its MAC: the chain goes on from it */
    uint8_t journal_mac[32];
    int64_t history_number; /* of the last history entry */
    value metadata;
    struct export_record *exports;
    size_t export_count;
    struct run_result *results; /* of life INSTANCE: found again by later stagings (FN-231) */
    size_t result_count;
    struct content_pin *digests; /* of what was included (BP-174) */
    size_t digest_count;
};
sv record_encode_instance(struct record_codec *c, const struct instance_body *b);
bool record_decode_instance(struct record_codec *c, sv json, struct instance_body *b);

/* Recorded results and digests to and from values, for instances and plan files. `life` 0: results of every life. */
value record_encode_results(struct arena *a, const struct run_result *items, size_t count, enum record_life life);
size_t record_decode_results(struct arena *a, value list, struct run_result **items);
value record_encode_digests(struct arena *a, const struct content_pin *items, size_t count);
size_t record_decode_digests(struct arena *a, value list, struct content_pin **items);

/* Whether an object stands behind the record: false after a failed creation, or between the halves of a
 * destroy-before-create replacement. */
bool record_has_object(const struct resource_record *r);

#endif
