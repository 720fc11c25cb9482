/* What an operation's outcome means for the records: used when it comes and when it is found out after a crash, so that
 * both lead to the same state. */
#ifndef LINTEL_ENGINE_APPLY_H
#define LINTEL_ENGINE_APPLY_H

#include "engine/stored.h"

/* An object that was made or updated. Values live as long as the records. */
struct made_object {
    addr address;
    sv name, type, template_name, description, removal_policy;
    int64_t generation;
    int64_t position; /* 0: as it is recorded */
    value spec, metadata, computed;
    sv physical_id;
    const sv *depends_on;
    size_t depends_on_count;
    unsigned type_version;
    int64_t now_ms, duration_ms;
    bool is_new;    /* created, not updated */
    bool replaces;  /* new, and another object of the element goes for it: the element is updated (BP-542) */
    bool is_stable; /* else config complete */
};
/* An older object of another generation is kept as deposed (BP-450). */
struct resource_record *apply_made(struct stored *s, const struct made_object *m);

struct removed_object {
    sv address;
    int64_t generation;
    bool element_stays; /* it is replaced: the row stays without this object */
    int64_t now_ms;
};
/* Returns the record when its row is to be saved, NULL when it is to be deleted. */
struct resource_record *apply_removed(struct stored *s, const struct removed_object *r);

enum op_failure {
    FAILURE_FAILED = 1,
    FAILURE_INTERRUPTED,
};
struct failed_operation {
    addr address;
    sv name, type, action; /* create update destroy */
    int64_t generation;
    enum op_failure failure;
    const sv *reasons;
    size_t reason_count;
    int64_t now_ms;
};
struct resource_record *apply_failed(struct stored *s, const struct failed_operation *f);

#endif
