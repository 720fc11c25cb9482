/* Statuses and records of deployed elements (blueprint.md 3.15, 3.16), as the engine holds them. Stores keep them as
 * rows (store.h). */
#ifndef LINTEL_MODEL_STATE_H
#define LINTEL_MODEL_STATE_H

#include "model/addr.h"

enum run_kind {
    RUN_DEPLOY = 1,
    RUN_DESTROY,
    RUN_ROLLBACK,
    RUN_RECONCILE,
};

/* STATUS_x with its text, BP-541 and BP-542. */
enum status {
    STATUS_UNKNOWN = 1,
#define STATUS(name) STATUS_##name,
#include "model/statuses.def"
#undef STATUS
};
sv status_get_text(enum status s);                  /* "create_failed" */
enum status status_find(sv text);                   /* 0: none */
void status_render(struct buf *out, enum status s); /* "CREATE FAILED" */
bool status_is_settled(enum status s);              /* of an element: its last operation ended well */
bool status_is_transitional(enum status s);         /* creating, updating, destroying, … */

struct deposed {
    sv physical_id, type;
    value spec, computed;
    sv generation;
};

struct resource_record {
    addr address;
    sv name, type, template_name;
    enum status status, precise_status;
    value spec; /* stored spec (BP-243) without computed fields; absolute paths */
    value computed;
    value metadata; /* displayName annotations labels custom */
    sv description, physical_id, removal_policy;
    const sv *depends_on; /* addresses used, as recorded (BP-481) */
    size_t depends_on_count;
    struct deposed *deposed;
    size_t deposed_count;
    const sv *failure_reasons;
    size_t failure_reason_count;
    int64_t generation; /* of the object: grows with each replacement; part of the operation key */
    int64_t position;   /* for document order (engine/places.h); 0: not known */
    int64_t created_ms, updated_ms, last_status_ms;
    int64_t duration_ms;
    sv made_by; /* engine and provider version */
    unsigned type_version;
    bool is_unclaimed; /* its object may bear the mark of another element still (engine/claim.h) */
    value drift;       /* how the real object differs, as a drift check found it (BP-552); kind 0: it does not */
    int64_t drift_ms;  /* when a check found drift last */
};

struct link_record {
    addr address;
    sv a, b;
    sv type_a, type_b; /* so that it can be removed when its sides are known no more */
    enum status status, precise_status;
    value data;           /* as staged */
    value computed;       /* what its operations added to the data; kind 0: nothing */
    value mappings;       /* resource::path → link data path (BP-491), of what it contributes */
    value fields;         /* the same, of what its operations have set in the real objects; kind 0: nothing */
    value intermediaries; /* id → {resourceType, owned, resourceSpecData} (BP-492); kind 0: none */
    bool is_active;       /* operations of it were carried out: it has something to take back */
    int64_t generation;   /* part of the operation key */
    int64_t position;     /* among links, as of a resource */
    sv op_key, op_digest; /* of the operation that is under way or was cut off: its key, and what it wanted */
    const sv *failure_reasons;
    size_t failure_reason_count;
    int64_t created_ms, updated_ms, last_status_ms, duration_ms;
    value drift; /* as of a resource */
    int64_t drift_ms;
};

struct export_record {
    sv name, type, description, field;
    value item;
};

#endif
