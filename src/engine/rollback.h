/* Rolling back (BP-520 to BP-523): a plan from the present state to the one before a run, carried out as any other.
 *
 * The earlier state becomes a template whose fields are literals, and the ordinary planner compares it with what is
 * there: what was created is destroyed, what was updated is updated back, what was removed is created again. Before it
 * does, objects that are still there are *taken back* into the state: the old one of a replacement, and one that was
 * left in place (removalPolicy). Elements of which nobody can tell, and those that need a secret which is not stored,
 * are skipped: neither planned nor touched. */
#ifndef LINTEL_ENGINE_ROLLBACK_H
#define LINTEL_ENGINE_ROLLBACK_H

#include "engine/gone.h"
#include "engine/run.h"
#include "engine/snapshot.h"
#include "engine/stored.h"

/* An object that takes its element's place again. */
struct taken_back {
    sv address;
    struct resource_record record; /* as it becomes; its generation is new */
    int64_t from;                  /* the generation it had: of a deposed object; 0: it was left in place */
};

struct rollback_skip {
    sv address, type, name;
    sv child; /* "children.core"; empty at the root */
    enum status status;
    sv reason;
};

struct rollback {
    enum run_kind of; /* what is rolled back */
    bool of_first;    /* DEPLOY: the first one, statuses deploy_… */
    int64_t undoes;   /* number of the history entry; 0: the runs since the last success */
    VEC(struct taken_back) taken;
    VEC(struct rollback_skip) skipped;
    struct instance_body body; /* of the instance, as it was */
    struct map recalled;       /* address → resource_record: what touches nothing outside has its old values again */
    struct gone_instance gone; /* `found`: it was destroyed, and is made again with its id */
    sv root_dir;
};

/* A plan to the state before the last run. NULL with `why_not` set and exit code 0 when there is nothing to roll back,
 * else NULL after a report. It is carried out by run_deploy with `plan->expanded`. */
struct plan *run_plan_rollback(const struct run_config *c, sv *why_not, enum exit_code *code);

/* Values that an object which is made again had computed, and that others hold as they were (a warning each). */
struct rollback_targets;
void rollback_warn(const struct run_config *c, const struct rollback_targets *t, const struct plan *plan);

/* The statuses of BP-541: of the instance while it is rolled back, and at the end. */
enum rollback_phase {
    ROLLBACK_RUNNING = 1,
    ROLLBACK_COMPLETE,
    ROLLBACK_FAILED,
    ROLLBACK_CONFIG_COMPLETE,
};
enum status rollback_get_instance_status(const struct rollback *r, enum rollback_phase phase);
/* The precise status of an element (BP-542, BP-543): RUN_DEPLOY stands for its creation, RUN_RECONCILE for an update,
 * RUN_DESTROY for its destruction. */
enum status rollback_get_precise(enum change_action action, bool removes, enum rollback_phase phase);
enum status rollback_get_status(enum rollback_phase phase);

/* --- inside --- */

/* The state that a rollback leads to. */
struct earlier_state {
    struct snapshot of_run; /* what is rolled back */
    struct snapshot since;  /* what this and earlier attempts of the rollback have changed; empty when of_run is told by
                               the journal itself */
    int64_t undoes;
    bool of_destroy;
};
/* Finds it. False when there is none: after a report, or with the reason in `why_not`. */
bool rollback_find_state(const struct run_config *c, const struct stored *s, struct earlier_state *e, sv *why_not);
/* The row that an address had. False: it was as it is now. */
bool rollback_find_row(const struct earlier_state *e, sv address, const struct store_element **row);

/* Puts the object back in its place: the present one becomes deposed. False when it is not there any more. */
bool rollback_take_back(struct stored *s, const struct taken_back *t);

/* What is to be there. */
struct rollback_targets {
    struct arena *arena;
    const struct providers *providers;
    VEC(const struct resource_record *) resources;
    VEC(const struct link_record *) links;
    const struct export_record *exports;
    size_t export_count;
    sv root_dir, dialect;
};
const struct template *rollback_make_template(const struct rollback_targets *r);

#endif
