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

struct link_call {
    struct arena *arena;
    sv name_a, name_b;
    value spec_a, spec_b; /* merged with computed fields; parts may be unknown */
    value metadata_a, metadata_b;
    value prior;         /* stored link data; kind 0 without */
    struct diags *diags; /* for mistakes in annotations; spans from `at_a`, `at_b` */
    span at_a, at_b;
    VEC(struct link_contribution) contributions; /* out */
    value data;                                  /* out: link data, a map */
};

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
};

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
