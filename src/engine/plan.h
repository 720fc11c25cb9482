/* Plans: ordered changes with reasons (BP-420 to BP-451, LC-002 to LC-004). Making one is pure: template, inputs,
 * stored state and provider reads in, a plan out; nothing is written, no lock taken. */
#ifndef LINTEL_ENGINE_PLAN_H
#define LINTEL_ENGINE_PLAN_H

#include "base/jsonw.h"
#include "model/state.h"
#include "model/store.h"
#include "model/template.h"
#include "seal/seal.h"

enum change_action {
    ACTION_NONE = 1,
    ACTION_CREATE,
    ACTION_UPDATE,
    ACTION_REPLACE,
    ACTION_DELETE,
    ACTION_READ,
    ACTION_RETAIN, /* keep the object, forget it (".") */
    ACTION_CHECK,  /* BP-457: differs at most by provisional values */
};

struct change_reason {
    sv text; /* a path ("spec.path"), or a dependency's address */
    span at; /* in the template; SPAN_NONE for removals */
};

struct change {
    addr address;
    enum element_kind kind; /* RESOURCE, LINK, EXPORT, or DATA (action READ: left for deployment, BP-110) */
    enum change_action action;
    sv type;
    sv display_name;
    bool must_recreate, destroy_first;     /* replace order (BP-446) */
    bool deposed;                          /* DELETE of an old object kept as deposed (BP-450) */
    struct field_diff diff;                /* resources and links */
    value before, after;                   /* spec; EXPORT: the value */
    value computed_before, computed_after; /* computed_after: of drift */
    value metadata_before, metadata_after; /* displayName annotations labels custom (BP-439) */
    sv physical_id;                        /* of the object there is */
    int64_t type_version;                  /* of the provider's schema when it was planned; 0: unknown type (LC-003) */
    int64_t generation;                    /* of the object that is made, or removed; part of the operation key */
    bool retain;                           /* the old object stays (BP-449) */
    bool forced;                           /* updated although nothing differs: the last attempt ended half-way */
    const sv *known_on_deploy;             /* paths */
    size_t known_on_deploy_count;
    const sv *computed_fields; /* paths that the provider will fill in */
    size_t computed_field_count;
    VEC(struct change_reason) reasons;
    bool drifted, missing;          /* what refresh found (BP-531) */
    bool condition_known_on_deploy; /* staged as if its condition were true (BP-143) */
};

enum op_kind {
    OP_CREATE = 1, /* C(x): create, update or check */
    OP_LINK,       /* L(a::b) */
    OP_DESTROY,    /* D(x) */
    OP_UNLINK,     /* U(a::b) */
};

struct plan_op {
    sv id; /* "C(resources.db)" */
    enum op_kind kind;
    uint32_t change;          /* index in changes */
    bool late;                /* BP-483 */
    bool only_if_excluded;    /* a removal that is carried out only if the condition turns out to be false (BP-468) */
    const uint32_t *after;    /* operations that end before this one starts; from op_count on: barriers */
    const bool *after_config; /* beside `after`: met at config complete already (BP-482) */
    size_t after_count;
};

/* Many operations behind one name, for those that wait for all of them. Numbered behind the operations. */
struct plan_barrier {
    sv id; /* "B1" */
    sv of; /* address of the group, or of whatever else they stand behind */
    const uint32_t *after;
    const bool *after_config;
    size_t after_count;
};

struct rollback;

struct plan_summary {
    size_t create, update, replace, destroy, retain, check;
};

/* What it was limited to (CLI-013); addresses as they are printed. */
struct plan_scope {
    const sv *targets, *excludes, *replaces;
    size_t target_count, exclude_count, replace_count;
    const sv *left_out; /* elements that stay as they are stored */
    size_t left_out_count;
};

struct plan {
    struct arena *arena;
    sv id;
    sv dialect, template_digest, template_file, template_text; /* text: to deploy without the file */
    bool is_text_secret; /* the template may hold secrets as literals: its text is sealed, and not shown (BP-282) */
    sv root_dir;
    sv instance_id, instance_name, context;
    int64_t instance_version; /* 0: new */
    bool destroy;
    const struct rollback *rollback; /* engine/rollback.h; NULL: it is none */
    int64_t run_ms;                  /* the time of the run (FN-230) */
    struct run_record *record;       /* what was found out once; `closed` when the plan was read from a file (BP-424) */
    struct content_pin *pins;        /* what was included and fetched, with digests (BP-174) */
    size_t pin_count;
    const struct template *expanded; /* what was planned; NULL when the plan was read from a file, or destroys */
    const struct template_input *inputs;
    size_t input_count;
    struct change *changes; /* elements without difference are not listed (BP-426) */
    size_t change_count;
    struct plan_op *ops;
    size_t op_count;
    struct plan_barrier *barriers;
    size_t barrier_count;
    struct plan_summary summary;
    struct change *drift; /* what refresh found different from the stored state */
    size_t drift_count;
    struct plan_scope scope;
    bool has_interrupted; /* operations of an earlier run were cut off; deploying settles them first */
};

/* Nothing to do. */
bool plan_is_empty(const struct plan *p);
/* Of the drift what was changed outside: not what an operation that ended half-way has left (`forced`). */
size_t plan_count_drift(const struct plan *p);
/* Something may have been left out of it. */
bool plan_is_limited(const struct plan *p);

#endif
