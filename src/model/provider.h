/* Providers: what touches the world (LC-070 to LC-073, BP-400 to BP-403).
 *
 * A provider is const tables of resource and link types. Its functions are blocking, called from worker threads,
 * several at a time, each call with an arena of its own; they keep no state between calls, never print, never exit.
 * User-visible failures go through `reasons`. Specs arrive in the clear, with the sensitive parts marked; what a call
 * logs or gives as reason is masked by the engine. */
#ifndef LINTEL_MODEL_PROVIDER_H
#define LINTEL_MODEL_PROVIDER_H

#include "lang/fn_def.h"
#include "model/addr.h"
#include "model/filter.h"
#include "model/schema.h"

#include <stdatomic.h>

enum provider_result {
    PROVIDER_OK = 1,
    PROVIDER_ABSENT,      /* read, recover: there is no such object. destroy: it was gone already (a success) */
    PROVIDER_NOT_YET,     /* is_stable: ask again; recover: still under way */
    PROVIDER_CANNOT_TELL, /* recover: neither found nor surely absent */
    PROVIDER_TRANSIENT,   /* may succeed when tried again (BP-403) */
    PROVIDER_TERMINAL,
    PROVIDER_FATAL,
};

/* What the provider promises about an operation cut off half-way (LC-024). */
enum provider_promise {
    PROMISE_EXACT = 1, /* recoverable by key, name or mark */
    PROMISE_DETECTABLE,
    PROMISE_AT_LEAST_ONCE,
};

struct provider_reasons {
    VEC(sv) items;
};

struct provider_call {
    /* in */
    struct arena *arena; /* of this call; results live here until the engine copies them */
    addr address;
    sv instance_id;
    uint8_t op_key[16];        /* the same on every attempt (LC-022) */
    int64_t deadline_ms;       /* host monotonic time by which the call returns */
    const atomic_bool *cancel; /* set when the run is interrupted for good */
    struct host *host;
    sv base_dir;          /* directory of the root blueprint, absolute */
    sv context;           /* name space (LC-040) */
    value spec;           /* resolved desired spec with defaults; for read, destroy and recover the stored one */
    value metadata;       /* displayName, annotations, labels, custom */
    value prior;          /* stored spec merged with computed fields; kind 0 without */
    sv physical_id;       /* value of the id field as text; empty when not known */
    value progress_token; /* recover: what `progress` told last; kind 0 without */
    bool
        only_look; /* recover, while planning (LC-002): no effect and no waiting; what was found counts, ready or not */
    const struct field_diff *diff; /* update: what changed */
    /* Tells the engine of a physical id or token before the call is done; durable when it returns true. False: stop,
     * the lease is lost. */
    bool (*progress)(void *user, value token);
    void (*log)(void *user, sv line);
    void *user;
    /* out */
    value computed;   /* create, update, read, recover: all computed fields. read also: */
    value found_spec; /* read: the input fields as they really are */
    struct provider_reasons reasons;
};

/* Adds a formatted reason and returns `result`, so that `return provider_fail(c, PROVIDER_TERMINAL, …)` reads well. */
enum provider_result provider_fail(struct provider_call *c, enum provider_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The operation key as 32 lower-case hexadecimal digits. */
sv provider_key_text(struct provider_call *c);
bool provider_is_cancelled(const struct provider_call *c);
/* Milliseconds left until the deadline; 0 when it has passed. */
int64_t provider_get_time_left(const struct provider_call *c);
/* A path of a spec made absolute from the directory of the root blueprint (BP-404); absolute ones as they are. */
sv provider_get_absolute_path(const struct provider_call *c, sv path);
/* Fields of a spec; the empty text, `absent`, false when missing, unknown or of another kind. */
sv provider_get_text(value spec, sv name);
int64_t provider_get_i64(value spec, sv name, int64_t absent);
bool provider_get_bool(value spec, sv name);
/* For a type's `plan`: the computed field `name` of the spec becomes unknown by the change. `before` is what plan was
 * given. */
void provider_add_unknown(struct arena *a, struct field_diff *diff, value before, sv name, bool sensitive);
/* A mistake found by a type's own validation (BP-313): code, place and path `prefix.name` (`prefix` alone when `name`
 * is empty). */
struct diag *provider_add_mistake(struct diags *diags, sv code, span at, sv prefix, sv name, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

struct resource_type {
    sv name;                      /* "local/file" */
    sv summary, details, example; /* Markdown; example is a YAML resource definition */
    sv id_field;                  /* path of the id in the spec ("path"); empty: no bare reference (BP-246) */
    sv import_id;  /* which ID names an object that is taken into the state: "the path of the file"; empty: none can be
                    */
    sv import_not; /* then why not */
    bool destroy_before_create, end_point, serial; /* serial: one call at a time per provider */
    const sv *stabilised_dependencies;
    size_t stabilised_count;
    const sv *links_to;
    size_t links_to_count;
    enum provider_promise promise;
    /* Create, update and destroy are quick and touch nothing but their results: they are called where the run is led,
     * without progress, log and cancel flag, and intent and outcome share a transaction (LC-011 (1)). */
    bool effectless;
    const struct schema *schema;
    unsigned version;    /* of the schema; recorded in plans */
    int64_t deadline_ms; /* per call; 0: 5 minutes */
    /* Checks of a resolved or literal spec beyond the schema; pure, no effects (BP-312). Unknown parts must be
     * tolerated. May be NULL. */
    void (*validate)(struct arena *a, value spec, struct diags *diags, span at, sv prefix);
    /* Fields that become unknown by an update (others keep their stored value), or that force replacement beyond the
     * schema. May be NULL. */
    void (*plan)(struct arena *a, value before, value after, struct field_diff *diff);
    enum provider_result (*create)(struct provider_call *c);
    enum provider_result (*read)(struct provider_call *c); /* OK or ABSENT */
    enum provider_result (*update)(struct provider_call *c);
    enum provider_result (*destroy)(struct provider_call *c);   /* ends when the object is gone */
    enum provider_result (*is_stable)(struct provider_call *c); /* may be NULL: stable at once */
    /* After a crash between call and record: was the object of `op_key` made? OK with computed fields, ABSENT, or
     * CANNOT_TELL (LC-023). */
    enum provider_result (*recover)(struct provider_call *c);
    /* The object of `physical_id`, which no state knows yet: as `read`, with the spec as the template wants it, as far
     * as it is known, and no `prior`. OK, ABSENT, or TERMINAL when it is none that could be taken over. Touches
     * nothing. NULL: `read` does, with the id in the spec. */
    enum provider_result (*find)(struct provider_call *c);
    /* The object that was taken into the state bears the mark of this element from now on, where `destroy` asks for
     * one; nothing else of it changes, and it need not bear any. NULL: there are no marks. */
    enum provider_result (*claim)(struct provider_call *c);
};

enum link_side {
    LINK_SIDE_A = 1,
    LINK_SIDE_B,
    LINK_SIDE_BOTH,
};

struct link_annotation {
    sv key; /* "<resourceName>" stands for the name of the other resource */
    enum link_side side;
    enum schema_type type;
    const char *allowed_json;
    bool required;
    sv text;
};

struct link_cardinality {
    size_t min, max; /* max 0: any number */
};

/* A value for a spec field of one side (BP-432). */
struct link_contribution {
    enum link_side side;
    struct path path; /* below spec: `environment.DATABASE_PATH` */
    value item;       /* may be unknown while the other side is */
    bool needs_other; /* derived from the other side's resolved spec or computed fields: orders the two as a hard link
                         does */
};

/* A spec field of one side that an update operation has set in the real object: the engine lays the value in the link's
 * data over the stored spec when that object is updated, or read for drift (BP-491, BP-530). */
struct link_field {
    enum link_side side; /* A or B */
    struct path path;    /* below spec */
    struct path data;    /* where its value stands in the link's data */
};

/* What a link puts between its sides (BP-492). */
struct link_intermediary {
    sv id;         /* its own within the link: a path, an ARN */
    sv type;       /* in the provider's words: "local/symlink" */
    bool is_owned; /* made by the link, and gone with it; else a resource of the blueprint that the link only changes */
    value state;   /* a map of what the link has set in it: what a drift check compares */
};

struct link_call {
    struct arena *arena;
    sv name_a, name_b;
    value spec_a, spec_b; /* merged with computed fields; parts may be unknown */
    value metadata_a, metadata_b;
    value prior;         /* stored link data; kind 0 without */
    struct diags *diags; /* for mistakes in annotations; spans from `at_a`, `at_b` */
    span at_a, at_b;
    VEC(struct link_contribution) contributions; /* out */
    value data;                                  /* out: link data, a map; unknown parts are settled on deployment */
    /* out: every intermediary that the update operations will make or change, as far as its id is known; states may be
     * unknown. Shown in plans, compared with what is stored, and kept from before the operation starts, so that what
     * was half made is removed in the end. None: plans tell nothing of them. */
    VEC(struct link_intermediary) intermediaries;
    VEC(struct link_field) fields; /* out: likewise every spec field of a side that they will set */
    /* out: nothing is to be done but what is contributed: no update operation is called, unless the stored link has had
     * some (they then take back what it did). */
    bool is_idle;
};

/* One side of a link, as it really is, for operations. */
struct link_resource {
    addr address;
    sv name, type, physical_id;
    value spec; /* resolved, merged with computed fields; kind 0: there is no such object any more */
    value metadata;
};

enum link_phase {
    LINK_PHASE_A = 1,
    LINK_PHASE_B,
    LINK_PHASE_INTERMEDIARIES,
};

/* A call of a link's operation (BP-490). The same contract as for resources: blocking, from worker threads, nothing
 * kept between calls, several times with the same key as good as once. */
struct link_op_call {
    struct provider_call call; /* arena, address of the link, key, deadline, cancel flag, progress, log, reasons; its
                                  spec, metadata, prior and results mean nothing here and may be used for helpers */
    /* in */
    enum link_phase phase;
    struct link_resource a, b;
    value data; /* as staged, everything known, with what earlier operations of the link computed; of removals and reads
                   the stored data */
    value prior;                           /* stored data; kind 0 when the link is new */
    const struct link_intermediary *known; /* as stored */
    size_t known_count;
    /* out */
    value computed;                               /* updates: link data beyond the staged, a map; kind 0: none */
    VEC(struct link_field) fields;                /* update A, B: all fields that the link has set in that side */
    VEC(struct link_intermediary) intermediaries; /* update, read: all that are there now, of the stored ones or more */
};

typedef enum provider_result (*link_operation)(struct link_op_call *c);

struct link_type {
    sv type_a, type_b;
    sv summary, details;
    bool hard;
    enum link_side priority; /* of a hard link: this side must exist first (BP-430) */
    struct link_cardinality cardinality_a, cardinality_b;
    const struct link_annotation *annotations;
    size_t annotation_count;
    const sv *provides, *requires; /* capabilities (BP-165): what the link gives its sides, what it needs from others */
    size_t provides_count, requires_count;
    /* Pure. Adds contributions and the link's data from what is known of both sides. False after a report. */
    bool (*stage)(struct link_call *c);
    int64_t deadline_ms; /* per call of an operation; 0: 5 minutes */
    /* Making and updating, in this order; removing, in the order intermediaries, B, A (BP-490). Each has retries of its
     * own, writes a full state, and is called again with the same key when a run was cut off in it. NULL: left out.
     * While A or B is updated no other link writes that resource. Removing what is gone is a success (OK or ABSENT). */
    link_operation update_a, update_b, update_intermediaries;
    link_operation remove_intermediaries, remove_b, remove_a;
    /* Drift (BP-530): OK with the known intermediaries that are there, as they are; ABSENT: none of them is. */
    link_operation read_intermediaries;
    /* After a crash in `phase`: OK with what the update would have returned, ABSENT or CANNOT_TELL (LC-023). NULL: the
     * phase is run again, as it may be. */
    link_operation recover;
};

/* Whether it does anything but contribute. */
bool link_type_has_operations(const struct link_type *t);
/* Adds a formatted reason and returns `result`. */
enum provider_result link_fail(struct link_op_call *c, enum provider_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- data sources (1.7, 1.8) --- */

/* One filter with its search value known; the engine applies it to whatever comes back (BP-108), so that a provider may
 * use it to look less far, or ignore it. */
struct data_filter {
    sv field;                /* as written: a path (BP-103) */
    enum filter_operator op; /* model/filter.h */
    value search;            /* a scalar, or a list of scalars; in the clear, secret parts marked */
};

struct data_call {
    /* in */
    struct arena *arena; /* of this call; results live here until the engine copies them */
    addr address;
    int64_t deadline_ms;       /* host monotonic time by which the call returns */
    const atomic_bool *cancel; /* may be NULL */
    struct host *host;
    sv base_dir; /* directory of the root blueprint, absolute */
    const struct data_filter *filters;
    size_t filter_count;
    bool allow_private; /* --allow-private: what the template names may be at a private address (LC-081) */
    /* out */
    VEC(value) objects; /* candidates in a stable order */
    bool is_filtered;   /* one final object: no filter is evaluated any more */
    struct provider_reasons reasons;
};
/* Adds a formatted reason and returns `result`. */
enum provider_result data_fail(struct data_call *c, enum provider_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct data_filter_field {
    sv field;
    enum schema_type type; /* of its values; 0: any */
    uint32_t operators;    /* bits 1 << enum filter_operator; 0: all */
};

struct data_type {
    sv name;                      /* "local/file" */
    sv summary, details, example; /* Markdown; example is a YAML data source definition */
    const struct schema *schema;  /* OBJECT: the fields that can be exported */
    const struct data_filter_field *filter_fields;
    size_t filter_field_count;
    const sv *const *exclusive; /* pairs, or larger sets ended by an empty text, of fields that exclude each other */
    size_t exclusive_count;
    int64_t deadline_ms; /* per call; 0: 1 minute */
    /* OK (also without objects), TRANSIENT, TERMINAL or FATAL. No effect on the world. NULL: declared only (BP-324). */
    enum provider_result (*fetch)(struct data_call *c);
};

/* The filter field that offers `field` (BP-102): itself, or the mapping with free keys it lies in; NULL for none. */
const struct data_filter_field *data_type_find_filter(const struct data_type *t, sv field);
/* The type of a field that can be filtered, of one that can be exported (BP-103); any where nothing is known. */
const struct type *data_type_get_filter_type(struct arena *a, const struct data_type *t, sv field);
const struct type *data_type_get_type(struct arena *a, const struct data_type *t, sv field);
/* Whether the schema knows the field, or cannot tell. */
bool data_type_has_field(const struct data_type *t, sv field);
/* One filter on one candidate, with the widening of BP-121. `why` as in filter_apply. */
enum filter_result data_type_apply(struct arena *a, const struct data_type *t, const struct data_filter *filter,
                                   value object, struct buf *why);
/* All filters of a call: HOLDS, or what the first that does not hold says. For providers that stop early. */
enum filter_result data_type_apply_all(struct arena *a, const struct data_type *t, const struct data_call *c,
                                       value object);

/* For `fetch`, where it narrows: the texts that the first `=` or `in` on the field allows, each once, in order. False
 * when there is no such filter, or something else than strings in it. */
struct data_texts {
    VEC(sv) items;
};
bool data_find_texts(struct data_call *c, sv field, struct data_texts *texts);
/* The text that the field must start with. */
bool data_find_prefix(const struct data_call *c, sv field, sv *prefix);
/* The object with every field of the schema, in its order: null where it has none, so that exporting it gives `none`
 * (BP-109). */
value data_type_fill(struct arena *a, const struct data_type *t, value object);
/* Whether the call was cancelled or its time is over. */
bool data_is_over(const struct data_call *c);
int64_t data_get_time_left(const struct data_call *c);

/* --- custom variable types (BP-077) --- */

struct variable_option {
    sv label;
    value item; /* a scalar; all of one kind (mixed_variable_types) */
};
struct variable_type {
    sv name; /* "aws/ec2/instanceType" */
    sv summary;
    const struct variable_option *options;
    size_t option_count;
};

struct provider {
    sv name; /* namespace: what stands before the first '/' */
    sv summary;
    const struct data_type *const *data; /* sorted by name */
    size_t data_count;
    const struct variable_type *const *variable_types; /* sorted by name */
    size_t variable_type_count;
    const struct fn_table *functions;             /* NULL: none; those of declarations have no `call` (FN-002) */
    const struct resource_type *const *resources; /* sorted by name */
    size_t resource_count;
    const struct link_type *const *links; /* sorted by type_a, type_b */
    size_t link_count;
    unsigned max_parallel; /* 0: no limit of its own (LC-013) */
};

/* All providers of a unit: built-in ones and declarations (BP-324, whose types have no operations). */
struct providers {
    const struct provider *const *items;
    size_t count;
};

const struct provider *providers_find(const struct providers *p, sv name);
const struct resource_type *providers_find_type(const struct providers *p, sv type);
const struct link_type *providers_find_link(const struct providers *p, sv type_a, sv type_b);
const struct data_type *providers_find_data(const struct providers *p, sv type);
const struct variable_type *providers_find_variable_type(const struct providers *p, sv type);
/* The closest data source type, variable type; empty without one. */
sv providers_find_close_data(const struct providers *p, sv type);
sv providers_find_close_variable_type(const struct providers *p, sv type);
/* The closest type name for a hint; empty without one. */
sv providers_find_close(const struct providers *p, sv type);
/* Declarations of BP-324 as one JSON object; `only` limits it to one type when not empty. */
void providers_write_json(struct jsonw *w, const struct providers *p, sv only);

#endif
