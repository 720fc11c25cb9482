/* Inside of planning: what the files plan_*.c, refresh.c and order.c share. */
#ifndef LINTEL_ENGINE_PLANNER_H
#define LINTEL_ENGINE_PLANNER_H

#include "engine/link_fields.h"
#include "engine/links.h"
#include "engine/run.h"
#include "engine/stored.h"

/* What was found out about one resource of the template. */
struct element_plan {
    enum condition condition;       /* 0 until asked for */
    bool is_planned, has_failed;    /* failed: reported */
    struct resource_record *record; /* stored; NULL without */
    value spec, metadata;           /* desired, contributions laid over */
    value merged;                   /* `.spec` as others see it; kind 0 until asked for */
    struct change change;           /* action NONE: not listed */
    bool computed_unknown;          /* some computed fields become unknown by the update (`diff` tells which) */
};

struct planner {
    const struct run_config *c;
    const struct template *t; /* NULL: the empty template */
    struct arena *a;
    struct diags *diags;
    struct stored *stored;
    struct topology topology;
    const struct target_request *scope; /* NULL: everything (CLI-013) */
    struct target_choice choice;
    struct evaluation eval;
    struct element_plan *elements; /* per element */
    struct run_record *record;
    uint8_t *barriers; /* per node: enum used_kind of what stands behind the barrier */
    VEC(struct change) changes;
    VEC(struct change) drift;
    struct map drift_by_address; /* number in drift + 1 */
    struct link_fields fields;   /* what links have set in resources (BP-491) */
    struct map touched_links;    /* addresses of links whose fields have drifted */
    bool has_failed;
    bool is_rollback;  /* what the run that is rolled back has made is retained by no policy (BP-521) */
    bool is_look;      /* nothing is planned: what changed without counting as drift is listed too (ACTION_READ) */
    struct map *looks; /* addresses that are read; NULL: all */
    size_t read_count;
};

/* Reads all stored objects in parallel; what differs goes into `drift`, and the records become what is really there
 * (BP-421 (3), BP-530, BP-531). */
bool refresh_all(struct planner *p);
/* Reads what links keep between their sides, in parallel; what differs goes into `drift` (BP-530). */
bool refresh_links(struct planner *p);
/* The delay before attempt `n` (BP-500), jitter from the host. */
void refresh_wait(const struct run_config *c, unsigned n);
/* What is replaced among the resources behind a node. */
enum used_kind {
    USED_REPLACED = 1,
    USED_DESTROYED_FIRST = 2,
};

/* A record for this run, with what the instance keeps from earlier ones (FN-230, FN-231). */
void plan_start_record(struct planner *p);
/* Everything between loading and the finished plan; NULL after a report. */
struct plan *plan_build(struct planner *p, bool interrupted, enum exit_code *code);
/* Spec, differences and action of all resources, in order of use (BP-421 (5) and (6), BP-445 to BP-449). */
void plan_resources(struct planner *p);
/* Changes in document order: resources, removed and deposed ones, links, exports. */
void plan_list_changes(struct planner *p);
void plan_links(struct planner *p);
void plan_exports(struct planner *p);
/* Warns of objects that another instance stands for, too (F38). False after a report: the store cannot be read. */
bool plan_check_claims(struct planner *p);

/* --- plan_promises.c --- */
/* Warns of what is made by types that promise no more than *at least once* (LC-024). */
void plan_warn_promises(const struct run_config *c, const struct plan *plan);
/* Data sources that are left for deployment (BP-110). */
void plan_data_reads(struct planner *p);
/* Operations and their order (3.9). False after a report. */
bool plan_order(struct planner *p, struct plan *plan);

/* The planned `.spec` (or `.state`) of a resource: for evaluation of what uses it. */
value plan_get_resource_value(struct planner *p, uint32_t element, bool state);
/* Whether the element's condition, or one around it, holds. Evaluates. */
enum condition plan_find_condition(struct planner *p, uint32_t element);
/* What `link(a, b)` gives: the stored state, UNKNOWN when the link is new or changes (FN-233). */
value plan_get_link_state(struct planner *p, uint32_t link);
/* The name under which an export is stored: of a child's its address. */
sv plan_get_export_name(const struct element *e);
struct link_world plan_get_world(struct planner *p);
bool plan_is_replaced(const struct planner *p, uint32_t element);
const struct resource_type *plan_find_type(const struct planner *p, sv type);
/* Differences of spec and metadata (BP-435 to BP-439), with what the type's own plan function adds. */
struct compare_request {
    struct arena *arena;
    struct sealer *sealer; /* secrets of which only digests are stored compare by them (BP-438) */
    const struct resource_type *type;
    value spec_before, computed_before, metadata_before;
    value spec_after, metadata_after;
};
void plan_compare(const struct compare_request *r, struct field_diff *diff);

#endif
